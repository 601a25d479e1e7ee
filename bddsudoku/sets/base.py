"""The set operators of a solution set, its parts, and its lightest and heaviest members.

Counts in words: they may be longer than Python is willing to print.

Sets whose solutions have numbers, read like sequences: one by one, in slices, in batches.

What the marginals of a set of grids tell, however it holds them.

Families of grids that are not held as an ordered diagram, but whose grids have numbers.

The questions that every set of grids answers, however it holds them.

Hints for a board, however they are given.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, Self, overload, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bddsudoku.diagrams import measures as queries
from bddsudoku.diagrams import operations as algebra
from bddsudoku.diagrams import operations as antichains
from bddsudoku.diagrams.canonical import I64, U8, AnyArray
from bddsudoku.diagrams.counting import from_limbs, to_limbs
from bddsudoku.diagrams.ranking import draw_ranks
from bddsudoku.diagrams.reorder import reorder
from bddsudoku.diagrams.transform import restrict
from bddsudoku.diagrams.zdd import Diagram
from bddsudoku.errors import ModelError

if TYPE_CHECKING:
    from bddsudoku.model.constraints import Constraint


class SetLike(algebra.Operand):
    """What :class:`SolutionSet` has in common with Python's sets; not of use by itself.

    Sets of the same space (for Sudoku: the same layout) can be combined whatever their hints,
    variables and orders are; :mod:`bddsudoku.diagrams.operations` tells how and at what cost. Sets
    of different spaces are unequal, and combining them raises ModelError.
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
            constraint: of any kind (:mod:`bddsudoku.model.constraints`), its ``variables`` being
                keys; for a Sudoku key ``cell * n + digit - 1`` says that a cell holds a digit. A
                key that no solution has is false.

        Raises:
            LimitReached: the constraint's machine is too wide.

        Cost: at most the diagram's nodes times the width of the constraint's machine; the
        machine's order is the diagram's.
        """
        from bddsudoku.diagrams.operations import demanded

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


def number(n: int) -> str:
    """A count in full while it has at most some 150 digits, otherwise as a power of two.

    (Python refuses to print integers of more than 4,300 digits.)
    """
    if abs(n).bit_length() <= 500:
        return f"{n:,}"
    return f"{'-' if n < 0 else ''}about 2**{abs(n).bit_length() - 1}"


_BATCH = 4096


class Numbered(ABC):
    """A set that knows how many solutions it has, and which one has a number from 0.

    There is no ``len()``, because Python's overflows past 2**63: ask :meth:`count`.
    """

    @abstractmethod
    def count(self) -> int:
        """Number of solutions, exact."""

    @abstractmethod
    def _rows(self, numbers: Sequence[int]) -> U8:
        """The solutions with some numbers, all of them there: uint8, shape (n, width of a row)."""

    @abstractmethod
    def decode_row(self, row: U8) -> Any:
        """The solution that a row of :meth:`to_numpy` stands for."""

    @abstractmethod
    def rank(self, solution: Any) -> int:
        """Number of a solution, from 0, in the set's order.

        Raises:
            ValueError: it is not in the set.
        """

    @abstractmethod
    def __contains__(self, solution: object) -> bool: ...

    def batches(self, size: int = 65536, start: int = 0, stop: int | None = None) -> Iterator[U8]:
        """The solutions as rows, in order, in arrays of at most ``size``; the first ones smaller.

        Args:
            size: rows in a batch. The array may be used again for the next batch: copy what you
                keep.
            start: number of the first solution.
            stop: number behind the last one.
        """
        total = self.count()
        stop = total if stop is None else min(stop, total)
        step = 1  # who wants but one need not wait for thousands
        while start < stop:
            end = min(start + min(step, size), stop)
            yield self._rows(range(start, end))
            start, step = end, 2 * step

    def unrank_many(self, indices: Iterable[int]) -> U8:
        """Rows of the solutions with given numbers, as in :meth:`to_numpy`.

        Raises:
            IndexError: there is no such solution.
        """
        total = self.count()
        wanted = [i.__index__() for i in indices]
        for i in wanted:
            if not 0 <= i < total:
                raise IndexError(f"no solution has number {number(i)}: there are {number(total)}")
        return self._rows(wanted)

    def unrank(self, index: int) -> Any:
        """The solution with a number, from 0.

        Raises:
            IndexError: there is no such solution.
        """
        return self.decode_row(self.unrank_many([index])[0])

    @overload
    def __getitem__(self, index: int) -> Any: ...
    @overload
    def __getitem__(self, index: slice) -> SolutionSlice: ...
    def __getitem__(self, index: int | slice) -> Any:
        total = self.count()
        if isinstance(index, slice):
            return SolutionSlice(self, range(total)[index])
        i = index.__index__()
        return self.unrank(i + total if -total <= i < 0 else i)

    def __iter__(self) -> Iterator[Any]:
        return iter(self[:])

    def to_numpy(self) -> U8:
        """All solutions as rows, in order: uint8, shape (count, width of a row).

        Raises:
            MemoryError: there are too many (:meth:`batches` and export stream them).
        """
        return self[:].to_numpy()


class SolutionSlice:
    """The solutions with certain numbers, in that order: ``solutions[a:b:c]``; a lazy view.

    Attributes:
        solutions: the whole set.
        ranks: a range; the numbers of the solutions taken.
    """

    __slots__ = ("ranks", "solutions")

    def __init__(self, solutions: Numbered, ranks: range) -> None:
        self.solutions = solutions
        self.ranks = ranks

    def count(self) -> int:
        """How many solutions the slice holds."""
        r = self.ranks
        return max(0, -((r.start - r.stop) // r.step))

    def __bool__(self) -> bool:
        return bool(self.ranks)

    def batches(self, size: int = 65536) -> Iterator[U8]:
        """Rows, as :meth:`Numbered.batches` gives them."""
        r = self.ranks
        if r.step == 1:
            yield from self.solutions.batches(size, r.start, r.stop)
            return
        for at in range(0, self.count(), size):
            yield self.solutions.unrank_many(r[at : at + size])

    def to_numpy(self) -> U8:
        """All of them as rows: uint8, shape (count, width of a row).

        Raises:
            MemoryError: there are too many.
        """
        shape = (self.count(), self.solutions.unrank_many(()).shape[1])
        if shape[0] * max(1, shape[1]) > 1 << 40:
            raise MemoryError(
                f"{number(shape[0])} solutions do not fit into memory; export streams them"
            )
        out, done = np.empty(shape, dtype=np.uint8), 0
        for batch in self.batches():
            out[done : done + len(batch)] = batch
            done += len(batch)
        return out

    def __iter__(self) -> Iterator[Any]:
        for batch in self.batches(_BATCH):
            for row in batch:
                yield self.solutions.decode_row(row)

    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            return SolutionSlice(self.solutions, self.ranks[index])
        return self.solutions.unrank(self.ranks[index])

    def __contains__(self, solution: object) -> bool:
        return solution in self.solutions and self.solutions.rank(solution) in self.ranks

    def __repr__(self) -> str:
        return f"<{number(self.count())} of the solutions of {self.solutions!r}>"


def check_drawing(n: int, total: int) -> None:
    """Whether so many solutions can be drawn of a set.

    Args:
        n: how many, with replacement.
        total: solutions of the set.

    Raises:
        ValueError: the set is empty and ``n`` is not 0, or n is negative.
    """
    if n < 0:
        raise ValueError(f"expected a number of samples, found {n}")
    if n and not total:
        raise ValueError("there is nothing to draw from an empty set")


class ByCell(ABC):
    """Answers that follow from the marginals."""

    @abstractmethod
    def marginals(self) -> AnyArray:
        """In how many solutions symbol s stands in a cell, exact: [row, column, s - 1]."""

    def true_candidates(self) -> NDArray[np.bool_]:
        """Whether symbol s stands in a cell in some solution: bool [row, column, s - 1]."""
        return np.asarray(self.marginals() != 0, dtype=np.bool_)

    def backbone(self) -> U8:
        """The symbol of cells that are the same in all solutions, else 0: uint8 [row, column].

        All 0 for an empty set.
        """
        possible = self.true_candidates()
        alone = possible.sum(axis=2) == 1
        return np.where(alone, possible.argmax(axis=2) + 1, 0).astype(np.uint8)


class NumberedGrids(ByCell, Numbered):
    """A family without an ordered diagram, each of whose grids has a number.

    Whoever derives from it counts, knows the grid with a number, and the number of a grid.
    Satisfies :class:`bddsudoku.sets.base.SolutionFamily`.
    """

    decoder: Any

    @abstractmethod
    def _number(self, row: Sequence[int]) -> int | None:
        """The number of a grid, a symbol from 1 in every cell; None: it is no member."""

    def __bool__(self) -> bool:
        return self.count() > 0

    @property
    def shape(self) -> tuple[int, int, int]:
        """Rows, columns, symbols."""
        return self.decoder.rows, self.decoder.columns, len(self.decoder.symbols)

    def decode_row(self, row: U8) -> Any:
        """The solution with these symbols (from 1), cell by cell."""
        return self.decoder.decode_row(row)

    def _found(self, solution: Any) -> int | None:
        try:
            row = self.decoder.encode_row(solution)
        except (TypeError, ValueError):
            return None
        return self._number(row.tolist())

    def rank(self, solution: Any) -> int:
        """Number of a solution, from 0, in the set's order.

        Raises:
            ValueError: it is not in the set.
        """
        found = self._found(solution)
        if found is None:
            raise ValueError(f"{solution!r} is not one of the solutions")
        return found

    def __contains__(self, solution: object) -> bool:
        return self._found(solution) is not None

    def sample(self, n: int, rng: np.random.Generator | int | None = None) -> U8:
        """Independent solutions, each exactly as likely as any other: uint8, shape (n, cells).

        Args:
            n: how many, with replacement.
            rng: a generator, a seed, or None for fresh randomness.

        Raises:
            ValueError: the set is empty and ``n`` is not 0, or n is negative.
        """
        total = self.count() if n else 0
        check_drawing(n, total)
        if n == 0:
            return self._rows(())
        limbs = to_limbs([total], -(-total.bit_length() // 64)).shape[1]
        ranks = draw_ranks(total, limbs, n, np.random.default_rng(rng))
        return self._rows([from_limbs(rank) for rank in ranks])


@runtime_checkable
class SolutionFamily(Protocol):
    """A set of grids with rows × columns cells and one of n symbols in each.

    Satisfied by :class:`bddsudoku.sets.gridset.GridSet` (a diagram) and by the band engine's
    set, which holds no diagram and reaches sets far too large for one.
    """

    def count(self) -> int:
        """Number of solutions, exact."""
        ...

    def marginals(self) -> NDArray[Any]:
        """Number of solutions with symbol s in a cell: [row, column, s - 1].

        int64 while the count stays below 2**63, otherwise Python integers (dtype object).
        """
        ...

    def true_candidates(self) -> NDArray[np.bool_]:
        """Whether some solution has symbol s in a cell: [row, column, s - 1]."""
        ...

    def backbone(self) -> NDArray[np.uint8]:
        """The symbol that a cell has in all solutions, 0 where they differ: [row, column]."""
        ...

    def sample(self, n: int, rng: Any = None) -> NDArray[np.uint8]:
        """Independent solutions, each exactly as likely as any other: shape (n, cells)."""
        ...

    def rank(self, solution: Any) -> int:
        """Number of a solution, from 0, in the set's own order."""
        ...

    def unrank(self, index: int) -> Any:
        """The solution with a number."""
        ...

    def given(self, hints: Mapping[Any, int] | Any) -> Any:
        """The solutions that agree with more hints."""
        ...

    def __contains__(self, solution: object) -> bool: ...


def symbols_of(hints: Any, shape: tuple[int, int, int]) -> dict[int, int]:
    """{cell: symbol from 1} of anything that gives hints.

    Args:
        hints: {cell or (row, column): symbol}, an object with such a mapping as ``hints`` (a
            Puzzle), or an array with 0 for open cells. Everything counts from 0, symbols from 1.
        shape: rows, columns, symbols of the board.

    Raises:
        ValueError: a cell or symbol that does not exist.
    """
    rows, columns, symbols = shape
    hints = getattr(hints, "hints", hints)
    if isinstance(hints, Mapping):
        out = {}
        for place, symbol in hints.items():
            cell = place[0] * columns + place[1] if isinstance(place, tuple) else place
            inside = not isinstance(place, tuple) or (
                0 <= place[0] < rows and 0 <= place[1] < columns
            )
            if not (inside and 0 <= cell < rows * columns):
                raise ValueError(f"there is no cell {place} on a board of {rows}x{columns}")
            out[int(cell)] = int(symbol)
    else:
        array = np.asarray(hints)
        if array.size != rows * columns or not np.issubdtype(array.dtype, np.integer):
            raise ValueError(f"expected {rows * columns} symbol numbers, 0 for an open cell")
        out = {cell: s for cell, s in enumerate(array.reshape(-1).tolist()) if s}
    for cell, symbol in out.items():
        if not 1 <= symbol <= symbols:
            raise ValueError(f"expected a symbol 1 to {symbols} in cell {cell}, found {symbol}")
    return out
