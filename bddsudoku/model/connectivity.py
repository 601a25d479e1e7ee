"""Constraints on regions: cells are connected, with its MDD; values differ in each region.

The MDD of connected cells reads the variables in any order. Its states are those of frontier-based
search: which of the cells that still matter are inside, and which of these are connected by what
was read.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import accumulate
from typing import TypeAlias

from bddsudoku.errors import LimitReached
from bddsudoku.model.constraints import Assignment, Constraint
from bddsudoku.model.mdd import Mdd, WidthLimit, empty_mdd, mdd_from_level_steps
from bddsudoku.model.word_constraints import TRUE, GroupConstraint

_State: TypeAlias = "tuple[tuple[tuple[int, int], ...], int]"
"""The cells inside that still matter, each with the number of its connected part; how many cells
are inside if that is limited, -1 if no other may be."""

MAX_FRONTIER = 8
"""Most cells that are read and have a neighbour that is not: 8 have some 900 states."""


class _RegionConstraint(GroupConstraint):
    """Base class of constraints on regions, which are decided when every variable is known."""

    def holds(self, assignment: Assignment) -> bool:
        """Whether an assignment satisfies the constraint."""
        raise NotImplementedError

    @property
    def verdict(self) -> bool | None:
        """Whether the constraint holds when all variables are known; otherwise None."""
        return None if self.variables else self.holds({})

    @property
    def is_trivial(self) -> bool:
        """True when no variable is left and the constraint holds."""
        return self.verdict is True


@dataclass(frozen=True)
class Connected(_RegionConstraint):
    """The constraint that the cells inside a region are connected, and that there is one or more.

    Attributes:
        groups: for each cell of a rectangle, row by row, the variables of which one is true where
            it is inside. The last row may be shorter.
        columns: the number of columns; cells that share a side are neighbours.
        size: the number of cells inside; None for any.
    """

    columns: int
    size: int | None = None

    @cached_property
    def neighbours(self) -> tuple[tuple[int, ...], ...]:
        """The neighbours of each cell."""
        count, wide = len(self.groups), self.columns
        return tuple(
            tuple(
                n
                for n, is_beside in (
                    (c - wide, True),
                    (c - 1, c % wide > 0),
                    (c + 1, (c + 1) % wide > 0),
                    (c + wide, True),
                )
                if is_beside and 0 <= n < count
            )
            for c in range(count)
        )

    def holds(self, assignment: Assignment) -> bool:
        """Whether an assignment satisfies the constraint, by a walk through the cells inside."""
        inside = {
            i
            for i, group in enumerate(self.groups)
            if any(v == TRUE or (v >= 0 and assignment[v]) for v in group)
        }
        left = {*inside}
        ahead = [min(left)] if left else []
        while ahead:
            left.difference_update(ahead)
            ahead = [n for c in ahead for n in self.neighbours[c] if n in left]
        return bool(inside) and not left and self.size in (None, len(inside))


@dataclass(frozen=True)
class DistinctInRegions(_RegionConstraint):
    """The constraint that no two cells of one region have the same value.

    No MDD reads it: the engine ``search`` does.

    Attributes:
        groups: for each cell the variables of its region's number, then, in the same order of
            cells, for each cell those of its value.
        is_complete: a region has as many cells as there are values.
    """

    is_complete: bool = False

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


def _frontier_width(connected: Connected, last: Mapping[int, int]) -> int:
    """How many cells matter at once at most, if each is read by a certain level."""
    change = [0] * (2 + max(last.values(), default=0))
    for cell, at in last.items():
        change[at] += 1
        change[max((last.get(n, at) for n in connected.neighbours[cell]), default=at)] -= 1
    return max(accumulate(change))


def why_no_diagram(constraints: Iterable[Constraint]) -> str | None:
    """Why no diagram reads some constraints cell by cell, as text for messages; None if one may."""
    for c in constraints:
        if isinstance(c, DistinctInRegions):
            return f"{c.family} {c.label}: regions that are to be found have no diagram"
        if isinstance(c, Connected):
            open_ = [i for i, group in enumerate(c.groups) if any(v >= 0 for v in group)]
            by_column = sorted(open_, key=lambda i: (i % c.columns, i))
            orders = ({i: at for at, i in enumerate(order)} for order in (open_, by_column))
            width = min(_frontier_width(c, last) for last in orders)
            if width > MAX_FRONTIER:
                return (
                    f"{c.family} {c.label} connects {width} cells beside cells not yet read; "
                    f"diagrams take at most {MAX_FRONTIER}"
                )
    return None


def connected_mdd(
    connected: Connected,
    levels: Sequence[Sequence[int]],
    exact: Sequence[bool],
    width_limit: WidthLimit,
) -> Mdd:
    """The MDD of a connected region over levels of its variables.

    Args:
        connected: the constraint.
        levels: every variable once.
        exact: for every level, whether choice 0 (none of its variables) is impossible.
        width_limit: limits every layer.

    Raises:
        LimitReached: some more than :data:`MAX_FRONTIER` cells matter at once.

    Cost: some 100 µs a state; for 6x6 cells 0.2 s, for 8x8 3 s.
    """
    near, size = connected.neighbours, connected.size
    cell_of = {v: c for c, group in enumerate(connected.groups) for v in group}
    last = {cell_of[v]: at for at, level in enumerate(levels) for v in level}
    choices = [1 + len(level) for level in levels]
    if (width := _frontier_width(connected, last)) > MAX_FRONTIER + 2:
        raise LimitReached(
            f"{connected.family} {connected.label}: {width} cells matter at once", limit="states"
        )

    def joined(part: dict[int, int], cell: int) -> dict[int, int]:
        """The cells inside and their parts, with one more cell."""
        touched = {part[c] for c in near[cell] if c in part}
        return {c: -1 if of in touched else of for c, of in part.items()} | {cell: -1}

    def settle(part: dict[int, int], count: int, level: int) -> _State | None:
        """The state after a level; None if two parts can no longer become one."""
        unread = {c for c in part if last.get(c, -1) > level}
        growing = {
            c: of
            for c, of in part.items()
            if any(last.get(n, -1) > level and n not in part for n in near[c])
        }
        parts = {*part.values()}
        if count >= 0 and (count == size or parts - {*growing.values()}):
            if len(parts) > 1 or size not in (None, count):
                return None
            count = -1
        if count < 0:
            return tuple([(c, 0) for c in sorted(unread)]), -1
        name: dict[int, int] = {}
        kept = sorted(growing.keys() | unread)
        return tuple([(c, name.setdefault(part[c], len(name))) for c in kept]), count

    @lru_cache(maxsize=64)  # the values with which a cell is inside are alike
    def read(level: int, state: _State, cell: int | None) -> _State | None:
        part, count = dict(state[0]), state[1]
        if cell is not None and cell not in part:
            if count < 0:
                return None
            part = joined(part, cell)
            count += size is not None
        after = settle(part, count, level)
        return None if after and after[1] >= 0 and level == len(levels) - 1 else after

    def step(level: int, state: _State, choice: int) -> _State | None:
        if exact[level] and not choice:
            return None
        return read(level, state, cell_of[levels[level][choice - 1]] if choice else None)

    known: dict[int, int] = {}
    for cell, group in enumerate(connected.groups):
        if TRUE in group:
            known = {c: of + len(known) + 1 for c, of in joined(known, cell).items()}
    start = settle(known, len(known) if size is not None else 0, -1)
    if start is None or (not levels and start[1] >= 0):
        return empty_mdd(choices)
    return mdd_from_level_steps(choices, start, step, width_limit)
