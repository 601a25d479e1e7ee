"""The set of all solutions as a decomposable diagram: where an ordered one would be too wide."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from bddsudoku.diagrams.canonical import U8, AnyArray
from bddsudoku.diagrams.dnnf import Decomposed, Totals
from bddsudoku.diagrams.files import DecoderFactory, Stored, load, save
from bddsudoku.errors import ModelError
from bddsudoku.sets.base import NumberedGrids, symbols_of
from bddsudoku.sets.decoder import GridDecoder, PlainGridDecoder


class DecomposedSet(NumberedGrids):
    """A set of grids: a decomposable diagram, symbols that all of them share, and a decoder.

    It answers what one pass over its branches answers: count, marginals, samples, numbers of
    solutions, membership, and all of these when more is known (:meth:`given`). It has no set
    algebra: for that compile an ordered diagram.

    The order is that of the branches, the first component's fastest; the same problem always gives
    the same one, but it is not lexicographic.

    Args:
        diagram: over keys ``cell * symbols + symbol - 1``.
        decoder: of the puzzle.
        fixed: keys, not among the diagram's, that are true in every solution.
        info: anything about the set worth keeping in its file; JSON values.
        allowed: bool, one for each of the diagram's variables: those that may be true; None: all.

    Raises:
        ModelError: a fixed key is also a variable of the diagram.
    """

    kind: ClassVar[str] = "DecomposedSet"
    """What it is called in files."""

    def __init__(
        self,
        diagram: Decomposed,
        decoder: GridDecoder,
        *,
        fixed: Iterable[int] = (),
        info: Mapping[str, Any] | None = None,
        allowed: NDArray[np.bool_] | None = None,
    ) -> None:
        self.diagram = diagram
        self.decoder: Any = decoder
        self.fixed: tuple[int, ...] = tuple(sorted({int(k) for k in fixed}))
        self.info: dict[str, Any] = dict(info or {})
        levels = len(diagram.labels)
        self._allowed = np.ones(levels, dtype=bool) if allowed is None else allowed
        twice = set(self.fixed).intersection(diagram.labels.tolist())
        if twice:
            raise ModelError(f"key {min(twice)} is fixed and a variable at the same time")

    # -- counting --------------------------------------------------------------------------------

    @cached_property
    def _totals(self) -> Totals:
        return Totals(self.diagram, self._allowed)

    def count(self) -> int:
        """Number of solutions, exact. One linear pass at first, then remembered."""
        return self._totals.total

    @property
    def space(self) -> Hashable:
        """What the solutions are about."""
        return self.decoder.space  # type: ignore[no-any-return]

    @cached_property
    def _marginals(self) -> AnyArray:
        return self._totals.marginals()

    def marginals(self) -> AnyArray:
        """In how many solutions symbol s stands in a cell, exact: [row, column, s - 1].

        int64 while the count stays below 2**62, otherwise Python integers (dtype object).
        """
        counts = self._marginals
        out = np.zeros(int(np.prod(self.shape)), dtype=counts.dtype)
        out[self.diagram.labels] = counts
        out[list(self.fixed)] = self.count()
        return out.reshape(self.shape)

    # -- single solutions ------------------------------------------------------------------------

    def _rows(self, numbers: Sequence[int]) -> U8:
        rows, columns, symbols = self.shape
        labels = self.diagram.labels
        keys = [[*self.fixed, *labels[self._totals.unrank(n)].tolist()] for n in numbers]
        cell, symbol = np.divmod(np.array(keys, dtype=np.int64), symbols)
        out = np.zeros((len(cell), rows * columns), dtype=np.uint8)
        if len(cell):
            np.put_along_axis(out, cell, (symbol + 1).astype(np.uint8), axis=1)
        return out

    def _number(self, row: Sequence[int]) -> int | None:
        symbols = self.shape[2]
        held = {cell * symbols + s - 1 for cell, s in enumerate(row) if s}
        level = self._level_of
        rest = held.difference(self.fixed)
        if not held.issuperset(self.fixed) or not rest.issubset(level):
            return None
        return self._totals.rank({level[k] for k in rest})

    @cached_property
    def _level_of(self) -> dict[int, int]:
        return {key: i for i, key in enumerate(self.diagram.labels.tolist())}

    # -- smaller sets ----------------------------------------------------------------------------

    def given(self, hints: Any) -> Self:
        """The solutions that agree with more hints.

        Args:
            hints: as for :meth:`bddsudoku.sets.gridset.GridSet.given`.

        Raises:
            ValueError: a cell or symbol that does not exist.

        Cost: none; the diagram is shared, and what is asked passes over the branches that are out.
        """
        symbols = self.shape[2]
        wanted = symbols_of(hints, self.shape)
        masks = getattr(hints, "candidates", None)

        def fits(key: int) -> bool:
            cell, symbol = divmod(key, symbols)
            return wanted.get(cell, symbol + 1) == symbol + 1 and (
                masks is None or bool(masks[cell] >> symbol & 1)
            )

        allowed = self._allowed & np.fromiter(map(fits, self.diagram.labels.tolist()), bool)
        diagram = self.diagram
        if not all(map(fits, self.fixed)):
            diagram, allowed = Decomposed.empty(), np.zeros(0, dtype=bool)
        return type(self)(
            diagram,
            self.decoder.narrowed(wanted, masks),
            fixed=self.fixed,
            info=self.info,
            allowed=allowed,
        )

    # -- files and display -----------------------------------------------------------------------

    def save(self, path: str | Path) -> None:
        """Write the set to a file (:mod:`bddsudoku.diagrams.files`: the format)."""
        info = self.info
        barred = self.diagram.labels[~self._allowed].tolist()
        if barred:
            info = {**info, "barred": barred}
        described = self.decoder.to_dict()
        save(Stored(self.kind, self.diagram, self.fixed, self.count(), described, info), path)

    @classmethod
    def load(
        cls,
        path: str | Path,
        decoders: Mapping[str, DecoderFactory] | None = None,
        *,
        verify: bool = True,
    ) -> Self:
        """A set of this kind from a file, memory-mapped; see :func:`.saved.load`.

        Raises:
            DamagedFileError: the file is damaged, or holds a set of another kind.
        """
        return cls.restored(load(path, verify=verify), decoders)

    @classmethod
    def restored(cls, stored: Stored, decoders: Mapping[str, DecoderFactory] | None = None) -> Self:
        """The set that a file keeps; arguments and errors as for :meth:`load`."""
        with stored.opened(cls.kind, Decomposed) as diagram:
            info = dict(stored.info)
            allowed = ~np.isin(diagram.labels, np.array(info.pop("barred", []), dtype=np.int64))
            decoder = stored.decoded(decoders, PlainGridDecoder.of_any)
            return cls(diagram, decoder, fixed=stored.fixed, info=info, allowed=allowed)

    def __repr__(self) -> str:
        d = self.diagram
        return f"<{type(self).__name__}: {len(d.labels)} variables, {d.size - 1} nodes>"
