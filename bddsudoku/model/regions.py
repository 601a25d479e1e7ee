"""The constraint that in regions that are themselves to be found all values differ."""

from __future__ import annotations

from dataclasses import dataclass

from bddsudoku.model.constraints import Assignment
from bddsudoku.model.word_constraints import TRUE, GroupConstraint


@dataclass(frozen=True)
class DistinctInRegions(GroupConstraint):
    """The constraint that no two cells of one region have the same value.

    No MDD reads it: the engine ``search`` does.

    Attributes:
        groups: for each cell the variables of its region's number, then, in the same order of
            cells, for each cell those of its value.
        is_complete: a region has as many cells as there are values.
    """

    is_complete: bool = False

    @property
    def verdict(self) -> bool | None:
        """Whether the constraint holds when all variables are known; otherwise None."""
        return None if self.variables else self.holds({})

    @property
    def is_trivial(self) -> bool:
        """True when no variable is left and the constraint holds."""
        return self.verdict is True

    def holds(self, assignment: Assignment) -> bool:
        """Whether every cell has one region and one value, and no pair of these occurs twice."""
        word = [
            [k for k, v in enumerate(group) if (v == TRUE if v < 0 else assignment[v])]
            for group in self.groups
        ]
        if any(len(true) != 1 for true in word):
            return False
        half = len(word) // 2
        pairs = [(*region, *value) for region, value in zip(word[:half], word[half:], strict=True)]
        return len({*pairs}) == len(pairs)
