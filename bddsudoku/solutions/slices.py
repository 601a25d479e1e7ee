"""A part of a solution set, as slicing gives it: a lazy view, nothing is listed beforehand."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from bddsudoku.solutions.arrays import U8
from bddsudoku.solutions.wording import number

if TYPE_CHECKING:
    from bddsudoku.solutions.solutionset import SolutionSet

__all__ = ["SolutionSlice"]

_BATCH = 4096


class SolutionSlice:
    """The solutions with certain numbers, in that order: ``solutions[a:b:c]``.

    Attributes:
        solutions: the whole set.
        ranks: a range; the numbers of the solutions taken.
    """

    __slots__ = ("ranks", "solutions")

    def __init__(self, solutions: SolutionSet, ranks: range) -> None:
        self.solutions = solutions
        self.ranks = ranks

    def count(self) -> int:
        """How many solutions the slice holds."""
        r = self.ranks
        return max(0, -((r.start - r.stop) // r.step))

    def __bool__(self) -> bool:
        return bool(self.ranks)

    def batches(self, size: int = 65536) -> Iterator[U8]:
        """Rows, as :meth:`SolutionSet.batches` gives them."""
        r = self.ranks
        if r.step == 1:
            yield from self.solutions.batches(size, r.start, r.stop)
            return
        for at in range(0, self.count(), size):
            yield self.solutions.unrank_many(r[at : at + size])

    def to_numpy(self) -> U8:
        """All of them as rows, as :meth:`SolutionSet.to_numpy` gives them."""
        parts = [batch.copy() for batch in self.batches()]
        width = len(self.solutions.form.blank)
        return np.concatenate(parts) if parts else np.zeros((0, width), dtype=np.uint8)

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
