"""What is left of an exact-cover problem when some options are given: arrays from arrays."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from bddsudoku.model.model import Model
from bddsudoku.model.onehot import CoverArrays
from bddsudoku.model.propagation import candidates

__all__ = ["Given"]


class Given:
    """A model as arrays, from which those of what is given are cut in a fraction of a millisecond.

    Making a model in which something is substituted takes tens of times as long.
    """

    def __init__(self, model: Model) -> None:
        model = candidates(model)
        self._position = model.index_of_key
        self._arrays = arrays = model.cover()
        self._lengths = np.diff(arrays.indptr)
        self._option = np.repeat(np.arange(arrays.options), self._lengths)

    def given(self, keys: Iterable[int], without: Iterable[int] = ()) -> CoverArrays | None:
        """What is left to cover: the arrays of the model in which this is substituted.

        Args:
            keys: of options that hold.
            without: keys of options that do not.

        Returns:
            None if two that hold exclude each other, or one is no option.
        """
        arrays = self._arrays
        chosen = {self._position.get(key, -1) for key in keys}
        never = {self._position[key] for key in without if key in self._position}
        if -1 in chosen or chosen & never:
            return None
        held = np.zeros(arrays.options, dtype=np.bool_)
        held[list(chosen)] = True
        times = np.bincount(arrays.indices[held[self._option]], minlength=arrays.items)
        if (times > 1).any():
            return None
        alive = np.ones(arrays.options, dtype=np.bool_)
        alive[self._option[times[arrays.indices] > 0]] = False
        alive[list(never)] = False
        left = times == 0
        number = np.cumsum(left, dtype=np.int32) - 1
        indptr = np.zeros(int(alive.sum()) + 1, dtype=np.int32)
        np.cumsum(self._lengths[alive], out=indptr[1:])
        return CoverArrays(
            int(left[: arrays.primary].sum()),
            int(left.sum()),
            indptr,
            number[arrays.indices[alive[self._option]]].astype(np.int32),
            arrays.constraint_of[left],
        )
