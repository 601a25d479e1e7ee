"""Sets whose solutions have numbers, read like sequences: one by one, in slices, in batches."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, overload

import numpy as np

from bddsudoku.solutions.arrays import U8
from bddsudoku.solutions.wording import number

__all__ = ["Numbered", "SolutionSlice"]

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
