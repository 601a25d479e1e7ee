"""The set operators of a solution set, its parts, and its lightest and heaviest members."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Hashable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bddsudoku.errors import ModelError
from bddsudoku.solutions import algebra, antichains, queries
from bddsudoku.solutions.arrays import I64, AnyArray
from bddsudoku.solutions.diagram import Diagram
from bddsudoku.solutions.reorder import reorder
from bddsudoku.solutions.transform import restrict

if TYPE_CHECKING:
    from bddsudoku.model.constraint import Constraint

__all__ = ["SetLike"]


class SetLike(algebra.Operand):
    """What :class:`SolutionSet` has in common with Python's sets; not of use by itself.

    Sets of the same space (for Sudoku: the same layout) can be combined whatever their hints,
    variables and orders are; :mod:`bddsudoku.solutions.algebra` tells how and at what cost. Sets of
    different spaces are unequal, and combining them raises ModelError.
    """

    decoder: Any

    @property
    @abstractmethod
    def keys(self) -> I64:
        """Keys of all variables."""

    @property
    @abstractmethod
    def space(self) -> Hashable:
        """What the solutions are about."""

    @abstractmethod
    def _like(
        self, diagram: Diagram, fixed: Iterable[int], decoder: Any = None, count: int | None = None
    ) -> Self:
        """A set of the same kind."""

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

    # -- the same solutions, or some of them ------------------------------------------------------

    def where(self, constraint: Constraint) -> Self:
        """The solutions that satisfy one more constraint.

        Args:
            constraint: of any kind (:mod:`bddsudoku.model.constraint`), its ``variables`` being
                keys; for a Sudoku key ``cell * n + digit - 1`` says that a cell holds a digit. A
                key that no solution has is false.

        Raises:
            LimitReached: the constraint's machine is too wide.

        Cost: at most the diagram's nodes times the width of the constraint's machine; the
        machine's order is the diagram's.
        """
        from bddsudoku.solutions.demanded import demanded

        return self._like(demanded(self.diagram, self.fixed, constraint), self.fixed)

    def restricted(self, true: Collection[int] = (), false: Collection[int] = ()) -> Self:
        """The solutions in which some variables are true and some others are false.

        Args:
            true: keys; they become fixed. A key that the set does not know is false in every
                solution.
            false: keys.

        Cost: linear.
        """
        return self._like(*self._restricted(true, false))

    def _restricted(
        self, true: Collection[int], false: Collection[int]
    ) -> tuple[Diagram, Iterable[int]]:
        """The diagram and the fixed keys of :meth:`restricted`."""
        level = {key: i for i, key in enumerate(self.diagram.labels.tolist())}
        require = [level[k] for k in true if k in level]
        forbid = [level[k] for k in false if k in level]
        impossible = any(k not in level and k not in self.fixed for k in true) or bool(
            set(self.fixed).intersection(false)
        )
        if impossible:
            return Diagram.empty(self.diagram.labels), self.fixed
        diagram = restrict(self.diagram, require, forbid)
        return diagram, {*self.fixed, *(k for k in true if k in level)}

    def minimal(self) -> Self:
        """The solutions of which no other one is a part, as sets of the keys that are true.

        :mod:`.antichains` tells how and at what cost. In a set of full grids that is all of them.

        Raises:
            LimitReached: the diagrams on the way grow too large.
        """
        return self._like(antichains.minimal(self.diagram), self.fixed)

    def maximal(self) -> Self:
        """The solutions that are part of no other one; as :meth:`minimal`."""
        return self._like(antichains.maximal(self.diagram), self.fixed)

    def reordered(self, keys: Iterable[int]) -> Self:
        """The same solutions read in another order of the variables (:mod:`.reorder`: cost).

        Args:
            keys: the diagram's keys in the wanted order; keys that it lacks are passed over.
        """
        here = set(self.diagram.labels.tolist())
        wanted = [k for k in keys if k in here]
        diagram = reorder(self.diagram, wanted, counts=self.counts)
        return self._like(diagram, self.fixed, count=self.count())

    def sizes(self) -> list[int]:
        """How many solutions have 0, 1, … keys that are true, exact; up to the largest."""
        found = queries.sizes(self.diagram, self.count())
        return [0] * len(self.fixed) + found if found else []

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
