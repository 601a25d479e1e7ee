"""Variables, and the one-hot constraint: the language that every puzzle and engine speaks.

"Exactly one of these is true", or "at most one": an item of an exact-cover problem.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from bddsudoku.model.constraint import Assignment, Known

__all__ = ["CoverArrays", "OneHot", "Variable"]


@dataclass(frozen=True, slots=True)
class Variable:
    """One Boolean variable.

    Attributes:
        name: what people read, e.g. ``aa4``.
        key: what the puzzle decodes: an integer that stays the same under every allocation
            (for Sudoku ``cell * n + digit - 1``).
    """

    name: str
    key: int


@dataclass(frozen=True, slots=True)
class OneHot:
    """One constraint: the sum of some variables equals (or stays below) a total.

    Attributes:
        family: ``cell``, ``row``, ``column``, ``block``, … (schedules speak of families).
        label: what people read; unique within its family.
        variables: ascending positions in ``Model.variables``.
        total: 1; 0 when a hint has already taken the one; negative when two hints clash
            (then nothing satisfies the constraint).
        at_most: the sum may also stay below the total (an item that need not be covered).
    """

    family: str
    label: str
    variables: tuple[int, ...]
    total: int = 1
    at_most: bool = False

    @property
    def is_trivial(self) -> bool:
        """True when every assignment satisfies the constraint (nothing is left to say)."""
        return not self.variables and (self.total == 0 or (self.at_most and self.total >= 0))

    @property
    def is_contradiction(self) -> bool:
        """True when no assignment satisfies the constraint."""
        return self.total < 0 or (self.total > 0 and not self.at_most and not self.variables)

    @property
    def verdict(self) -> bool | None:
        """See :class:`bddsudoku.model.constraint.Constraint`."""
        if self.total < 0 or (self.total > len(self.variables) and not self.at_most):
            return False
        enough = self.total >= len(self.variables) if self.at_most else not self.variables
        return True if enough else None

    def restrict(self, known: Known) -> OneHot:
        """Known variables go; those that are true lower the total."""
        gone = sum(known.get(v, False) for v in self.variables)
        left = tuple(v for v in self.variables if v not in known)
        return replace(self, variables=left, total=self.total - gone)

    def renumber(self, new: Sequence[int] | Mapping[int, int]) -> OneHot:
        """See :meth:`bddsudoku.model.constraint.Constraint.renumber`."""
        return replace(self, variables=tuple(sorted(new[v] for v in self.variables)))

    def holds(self, assignment: Assignment) -> bool:
        """Count what is true."""
        true = sum(bool(assignment[v]) for v in self.variables)
        return true <= self.total if self.at_most else true == self.total


@dataclass(frozen=True)
class CoverArrays:
    """A model as a sparse 0-1 matrix for the engines that search or compile exact covers.

    Attributes:
        primary: items ``0 … primary - 1`` must be covered exactly once; the others at most once.
        items: number of items.
        indptr: int32, shape (options + 1,); option ``o`` covers the items
            ``indices[indptr[o]:indptr[o + 1]]``.
        indices: int32, item numbers, ascending within an option.
        constraint_of: int32, shape (items,); the constraint behind an item.
    """

    primary: int
    items: int
    indptr: NDArray[np.int32]
    indices: NDArray[np.int32]
    constraint_of: NDArray[np.int32]

    @property
    def options(self) -> int:
        """Number of options (variables of the model)."""
        return len(self.indptr) - 1
