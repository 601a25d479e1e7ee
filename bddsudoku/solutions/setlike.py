"""The set operators of a solution set, and its lightest and heaviest members."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bddsudoku.errors import ModelError
from bddsudoku.solutions import algebra, queries
from bddsudoku.solutions.arrays import I64, AnyArray
from bddsudoku.solutions.counting import Counts
from bddsudoku.solutions.diagram import Diagram

__all__ = ["SetLike"]


class SetLike:
    """What :class:`SolutionSet` has in common with Python's sets; not of use by itself.

    Sets of the same space (for Sudoku: the same layout) can be combined whatever their hints,
    variables and orders are; :mod:`bddsudoku.solutions.algebra` tells how and at what cost. Sets of
    different spaces are unequal, and combining them raises ModelError.
    """

    diagram: Diagram
    decoder: Any
    fixed: tuple[int, ...]

    @property
    def keys(self) -> I64:
        """Keys of all variables."""
        raise NotImplementedError

    @property
    def space(self) -> Hashable:
        """What the solutions are about."""
        raise NotImplementedError

    @property
    def counts(self) -> Counts:
        """Counts below every node."""
        raise NotImplementedError

    def count(self) -> int:
        """Number of solutions."""
        raise NotImplementedError

    def _like(
        self, diagram: Diagram, fixed: Iterable[int], decoder: Any = None, count: int | None = None
    ) -> Self:
        raise NotImplementedError

    def _members_in(self, other: Any) -> Iterator[NDArray[np.bool_]]:
        """For all solutions in order, batch by batch, which of them another set holds, too."""
        raise NotImplementedError

    def _other(self, other: Any) -> SetLike | None:
        if not isinstance(other, SetLike):
            return None
        if other.space != self.space:
            raise ModelError(
                f"sets of different puzzles cannot be compared: {self.space} and {other.space}"
            )
        return other

    def _combined(self, other: Any, operation: str) -> Any:
        right = self._other(other)
        if right is None:
            return NotImplemented
        diagram, fixed = algebra.combined(self, right, operation)
        decoder = self.decoder
        if operation != "-":
            decoder = decoder.merged(right.decoder, operation == "&")
        return self._like(diagram, fixed, decoder)

    def __and__(self, other: Any) -> Self:
        return self._combined(other, "&")  # type: ignore[no-any-return]

    def __or__(self, other: Any) -> Self:
        return self._combined(other, "|")  # type: ignore[no-any-return]

    def __sub__(self, other: Any) -> Self:
        return self._combined(other, "-")  # type: ignore[no-any-return]

    def __xor__(self, other: Any) -> Self:
        return self._combined(other, "^")  # type: ignore[no-any-return]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, SetLike):
            return NotImplemented
        if self is other:
            return True
        return (
            self.space == other.space
            and self.count() == other.count()
            and (not self or algebra.is_subset(self, other))
        )

    def __hash__(self) -> int:
        return hash((self.space, self.count()))

    def __le__(self, other: Any) -> bool:
        right = self._other(other)
        if right is None:
            return NotImplemented
        return self.count() <= right.count() and algebra.is_subset(self, right)

    def __lt__(self, other: Any) -> bool:
        right = self._other(other)
        if right is None:
            return NotImplemented
        return self.count() < right.count() and algebra.is_subset(self, right)

    def __ge__(self, other: Any) -> bool:
        right = self._other(other)
        return NotImplemented if right is None else right <= self

    def __gt__(self, other: Any) -> bool:
        right = self._other(other)
        return NotImplemented if right is None else right < self

    def isdisjoint(self, other: SetLike) -> bool:
        """Whether two sets have no solution in common."""
        right = self._other(other)
        if right is None:
            raise TypeError(f"expected a SolutionSet, found {type(other).__name__}")
        return algebra.are_disjoint(self, right)

    # -- best solutions --------------------------------------------------------------------------

    def _weights(self, weights: Mapping[int, float] | ArrayLike) -> AnyArray:
        """One weight for each of :attr:`keys`."""
        if isinstance(weights, Mapping):
            return np.array([weights.get(k, 0) for k in self.keys.tolist()])
        given = np.asarray(weights)
        if given.shape != self.keys.shape:
            raise ValueError(f"expected {len(self.keys)} weights, found shape {given.shape}")
        return given

    def _extreme(self, weights: Any, greatest: bool) -> tuple[Any, Any]:
        given = self._weights(weights)
        value, levels = queries.extreme_weight(
            self.diagram,
            given[np.searchsorted(self.keys, self.diagram.labels)],
            greatest=greatest,
        )
        fixed = np.searchsorted(self.keys, np.array(self.fixed, dtype=np.int64))
        for w in given[fixed].tolist():
            value += w
        chosen = sorted([*self.fixed, *self.diagram.labels[levels].tolist()])
        return value, self.decoder.decode(chosen)

    def minimum(self, weights: Mapping[int, float] | ArrayLike) -> tuple[Any, Any]:
        """The least total weight and a solution that has it (the first one in the order).

        Args:
            weights: {key: weight}, others weighing 0, or one weight for each of :attr:`keys`.
                Integers are added exactly.

        Raises:
            ValueError: the set is empty.
        """
        return self._extreme(weights, False)

    def maximum(self, weights: Mapping[int, float] | ArrayLike) -> tuple[Any, Any]:
        """The greatest total weight and a solution that has it; as :meth:`minimum`."""
        return self._extreme(weights, True)

    def together(self) -> NDArray[np.bool_]:
        """Which two variables are true together in some solution; both axes as :attr:`keys`.

        Cost: levels / 64 linear passes.
        """
        pairs = queries.together(self.diagram)
        out = np.zeros((len(self.keys), len(self.keys)), dtype=bool)
        at = np.searchsorted(self.keys, self.diagram.labels)
        out[np.ix_(at, at)] = pairs
        if self:
            some = np.diagonal(out).copy()
            fixed = np.searchsorted(self.keys, np.array(self.fixed, dtype=np.int64))
            some[fixed] = True
            out[fixed] = some
            out[:, fixed] = some[:, None]
        return out
