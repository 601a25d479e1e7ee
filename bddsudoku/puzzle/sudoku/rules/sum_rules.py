"""Rules about sums, such as cages, arrows, zippers and sum lines; and the between line rule."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby, pairwise
from typing import TypeAlias

from bddsudoku.model.constraints import Constraint
from bddsudoku.model.word_constraints import Automaton
from bddsudoku.puzzle.sudoku.layout import Layout
from bddsudoku.puzzle.sudoku.rules.all_different_rules import ExtraRegion
from bddsudoku.puzzle.sudoku.rules.line_rules import LineRule
from bddsudoku.puzzle.sudoku.rules.places_and_marks import (
    DashedOutline,
    Disc,
    Mark,
    Place,
    Places,
    Shade,
    Stroke,
    are_neighbours,
    centre_path,
    centre_point,
)
from bddsudoku.puzzle.sudoku.rules.rule import CellRule, FilledGrid, Reach, Rule, rule
from bddsudoku.puzzle.sudoku.rules.rule_constraints import (
    automaton_constraint,
    equal_sums,
    has_few_digit_sets,
)

_Sum: TypeAlias = "tuple[int, frozenset[int]]"
"""(remaining sum, digits read; empty if digits may repeat)."""


def _step_remaining_sum(state: _Sum, digit: int, differ: bool) -> _Sum | None:
    """The remaining sum and the digits read; None if the new digit is too large or recurs."""
    left, held = state
    if digit > left or digit in held:
        return None
    return left - digit, held | {digit} if differ else held


def _is_sum_complete(state: _Sum, differ: bool) -> bool:
    """Whether the digits read add up to the whole sum."""
    return state[0] == 0


def sum_constraint(
    rule: Rule, layout: Layout, cells: Sequence[Place], total: int, differ: bool
) -> Automaton:
    """The constraint that cells' digits add up to ``total`` and, if ``differ``, are different.

    The state of its automaton is the remaining sum, with the set of digits if they differ.
    """
    start = (total, frozenset[int]())
    return automaton_constraint(
        rule,
        layout,
        cells,
        start,
        _step_remaining_sum,
        differ,
        accepts=_is_sum_complete,
        commutative=True,
    )


@rule("cage", "different digits; if a total is given, they add up to it", "killercage", "killer")
class Cage(ExtraRegion):
    """A killer cage: different digits, which add up to the total if there is one."""

    total: int | None = None

    def number_range(self, layout: Layout) -> Reach:
        """The range of sums of different digits in the cage."""
        k, values = len(self.cells), layout.values
        return sum(values[:k]), sum(values[-k:]), f"a sum of {k} different digits"

    def constraints(self, layout: Layout) -> list[Constraint]:
        """All-different and, if a total is given, the sum; on small cages both as one automaton."""
        if self.total is None:
            return super().constraints(layout)
        is_small = has_few_digit_sets(layout.digit_count, len(self.cells))
        adding = sum_constraint(self, layout, self.cells, self.total, is_small)
        return [adding] if is_small else [*super().constraints(layout), adding]

    def holds(self, grid: FilledGrid) -> bool:
        """Whether the cage's digits differ and, if a total is given, add up to it."""
        digits = [grid[place] for place in self.cells]
        return len({*digits}) == len(digits) and self.total in (None, sum(digits))

    def marks(self, layout: Layout) -> Iterable[Mark]:
        """A dashed outline of the cage, with its total, if any, in the corner."""
        return [DashedOutline(self.cells, "" if self.total is None else str(self.total))]


@rule("arrow", "the cells along the arrow add up to the number in its circle")
class Arrow(Rule):
    """An arrow: a circle, or a pill of two or three cells, holds the sum of the shaft.

    Attributes:
        circle: one cell; or cells side by side in a straight line, in any order, which are read as
            a decimal number from left to right or from top to bottom.
        shaft: the cells from the circle to the tip.
    """

    circle: Places
    shaft: Places
    drawn_on = "line"

    def constraints(self, layout: Layout) -> list[Constraint]:
        """A linear constraint: the shaft's sum is the decimal number in the circle or pill."""
        return equal_sums(self, layout, [self.shaft], pill=self.pill)

    def check(self, layout: Layout) -> None:
        """Check that circle (or straight pill) and shaft are disjoint sets of different cells."""
        self.check_places(self.circle, layout, 1, 3)
        self.check_places(self.shaft, layout)
        self.check_places((*self.circle, *self.shaft), layout)
        ways = {(b.row - a.row, b.column - a.column) for a, b in pairwise(self.pill)}
        if len(ways) > 1 or not all(are_neighbours(a, b) for a, b in pairwise(self.pill)):
            raise self.error("the cells of the pill must stand side by side in a straight line")

    def holds(self, grid: FilledGrid) -> bool:
        """Whether the shaft adds up to the number in the circle."""
        number = 0
        for place in self.pill:
            number = 10 * number + grid[place]
        return number == sum(grid[place] for place in self.shaft)

    @property
    def pill(self) -> Places:
        """The cells of the circle or pill in reading order."""
        return tuple(sorted(self.circle))

    @property
    def nearest_circle_cell(self) -> Place:
        """The cell of the circle or pill nearest to the shaft's first cell (in a tie, the last)."""
        row, column = self.shaft[0]
        return min(self.pill[::-1], key=lambda p: max(abs(p.row - row), abs(p.column - column)))

    def marks(self, layout: Layout) -> Iterable[Mark]:
        """The circle or pill, and an arrow from it along the shaft."""
        first, last = centre_point(self.pill[0]), centre_point(self.pill[-1])
        return (
            Stroke(centre_path((self.nearest_circle_cell, *self.shaft)), "grey", 0.06, arrow=True),
            Disc(first, 0.4, "white", "grey", to=None if first == last else last),
        )


_Seen: TypeAlias = "tuple[int, tuple[int, ...], int, int]"
"""(number of cells read, digits of ends read, least and greatest inner digit): the inner digits
are the greatest and the least of all when none was read, and when both ends are known."""


def _step_between_line(
    state: _Seen, digit: int, values: range, is_end: tuple[bool, ...], min_inner_digits: int
) -> _Seen | None:
    """A between line's next state (:data:`_Seen`) after a digit; None if the digit is rejected.

    ``is_end`` tells of every cell whether it is an end of the line; the ends differ by more than
    the least number of different inner digits.
    """
    read, known, low, high = state
    if is_end[read]:
        known = tuple(sorted((*known, digit)))
    else:
        low, high = min(low, digit), max(high, digit)
    if len(known) == 2:
        if not (known[0] < low and high < known[1] and known[1] - known[0] > min_inner_digits):
            return None
        low, high = values[-1], values[0]
    return read + 1, known, low, high


@rule("between", "digits on the line lie strictly between those at its two ends", "betweenline")
class Between(LineRule):
    """A between line: inner digits lie strictly between those of the two ends."""

    width = 0.12
    bulbs = (0.4, "grey", "grey")
    ends = (0, -1)
    min_cells = 3

    def constraints(self, layout: Layout) -> list[Constraint]:
        """One automaton that reads the line's cells in reading order."""
        values, ordered = layout.values, sorted(self.cells)
        ends = tuple(place in (self.cells[0], self.cells[-1]) for place in ordered)
        inner = {*map(layout.cell, self.cells[1:-1])}
        gap = max(len(inner.intersection(house.cells)) for house in layout.houses)
        start: _Seen = (0, (), values[-1], values[0])
        step = _step_between_line
        return [automaton_constraint(self, layout, ordered, start, step, values, ends, gap)]

    def holds(self, grid: FilledGrid) -> bool:
        """Whether each inner digit lies between the ends."""
        first, *inner, last = self.digits_in(grid)
        return all(first < d < last or last < d < first for d in inner)


@rule(
    "doublearrow", "the cells between the two ends add up to the sum of the ends", "doublearrowline"
)
class DoubleArrow(LineRule):
    """A double arrow: the cells between the ends add up to the sum of the ends."""

    width = 0.08
    bulbs = (0.4, "white", "grey")
    ends = (0, -1)
    min_cells = 3

    def constraints(self, layout: Layout) -> list[Constraint]:
        """A linear constraint: the two ends and the cells between them have equal sums."""
        first, *inner, last = self.cells
        return equal_sums(self, layout, [(first, last), inner])

    def holds(self, grid: FilledGrid) -> bool:
        """Whether the inner digits add up to the sum of the ends."""
        first, *inner, last = self.digits_in(grid)
        return sum(inner) == first + last


@rule(
    "zipper",
    "pairs of cells equally far from the middle sum to the middle digit, or to equal totals",
    "zipperline",
)
class Zipper(LineRule):
    """A zipper: pairs of cells equally far from the middle, and any middle cell, have one sum."""

    min_cells = 3
    colour = "purple"

    def constraints(self, layout: Layout) -> list[Constraint]:
        """Linear constraints that mirrored pairs of cells, and any middle cell, have equal sums."""
        cells, half = self.cells, len(self.cells) // 2
        pairs = [(cells[i], cells[-1 - i]) for i in range(half)]
        middle_cell = [cells[half : half + 1]] if len(cells) % 2 else []
        return equal_sums(self, layout, [*middle_cell, *pairs])

    def holds(self, grid: FilledGrid) -> bool:
        """Whether pairs equally far from the middle, and any middle digit, have the same sum."""
        digits, sums = self.digits_in(grid), set[int]()
        while digits:
            sums.add(digits.pop() + (digits.pop(0) if digits else 0))
        return len(sums) == 1


@rule("regionsum", "the segments of the line within blocks all have the same sum", "regionsumline")
class RegionSum(LineRule):
    """A region sum line: its segments within a block all have the same sum."""

    colour = "blue"

    def constraints(self, layout: Layout) -> list[Constraint]:
        """Linear constraints: the line's segments, each within one block, have equal sums."""
        stretches = groupby(self.cells, lambda p: layout.block_index(layout.cell(p)))
        return equal_sums(self, layout, [[*cells] for _, cells in stretches])

    def check(self, layout: Layout) -> None:
        """Check the line, and that its cells lie in blocks."""
        super().check(layout)
        self.check_cells_in_blocks(layout)

    def holds(self, grid: FilledGrid) -> bool:
        """Whether the line's segments, each within one block, have the same sum."""
        sums: list[int] = []
        before = None
        for row, column in self.cells:
            cell = row * grid.layout.column_count + column
            block = next(b for b in grid.layout.blocks if cell in b.cells)
            if block != before:
                sums.append(0)
            sums[-1] += grid[row, column]
            before = block
        return len({*sums}) == 1


@rule("equalsums", "the two sets of cells have the same sum")
class EqualSums(CellRule):
    """Two sets of cells whose digits have the same sum; a cell of both counts in both."""

    others: Places

    def constraints(self, layout: Layout) -> list[Constraint]:
        """A linear constraint: the two sets, without the cells they share, have equal sums."""
        sides = (self.cells, self.others), (self.others, self.cells)
        return equal_sums(self, layout, [[p for p in a if p not in b] for a, b in sides])

    def holds(self, grid: FilledGrid) -> bool:
        """Whether the digits of the two sets have the same sum."""
        return sum(self.digits_in(grid)) == sum(grid[place] for place in self.others)

    def marks(self, layout: Layout) -> Iterable[Mark]:
        """A background shade for each set."""
        return Shade(self.cells, "blue"), Shade(self.others, "green")


_Segments: TypeAlias = "tuple[int, int]"
"""(sum of the digits read, reduced by multiples of the total to at most this; bit set of the sums
that the first segment may have before the line's first cell)."""


def _step_sum_line(state: _Segments, digit: int, total: int) -> _Segments | None:
    """A sum line's next state (:data:`_Segments`); None if no division into segments is left."""
    read, before = state
    # These sums of the current segment leave room for the digit.
    fitting = (1 << total) - 1 >> max(digit - 1, 0) if digit <= total else 0
    begun = read % total
    kept = before & (fitting >> begun | fitting << total - begun)
    more = read + digit
    return ((more - 1) % total + 1 if more else 0, kept) if kept else None


def _is_cut_into_segments(state: _Segments, total: int) -> bool:
    """Whether the digits' sum is a positive multiple of the total, so that no segment is open."""
    return state[0] == total


@rule(
    "sumline",
    "the line can be cut into segments that all add up to the number (default: 10)",
    "tenline",
)
class SumLine(LineRule):
    """A sum line: it is divided into segments, each of which adds up to the total (10 on 10-lines).

    If the line ends in its first cell it is closed: that cell counts once, and a segment may run
    over it.
    """

    total: int = 10
    colour = "green"
    loops = True

    @property
    def is_closed(self) -> bool:
        """Whether the line ends in its first cell."""
        return len(self.cells) > 3 and self.cells[0] == self.cells[-1]

    def number_range(self, layout: Layout) -> Reach:
        """The range of totals: 1 to the largest sum of all cells, or 1 to 12 for a closed line.

        A closed line's automaton has up to 2 ** total states.
        """
        return 1, 12 if self.is_closed else layout.values[-1] * len(self.cells), "a sum"

    def constraints(self, layout: Layout) -> list[Constraint]:
        """One automaton over the line, whose state has the sum of the current segment."""
        cells = self.cells[:-1] if self.is_closed else self.cells
        start: _Segments = (0, (1 << self.total) - 1 if self.is_closed else 1)
        step, end = _step_sum_line, _is_cut_into_segments
        return [automaton_constraint(self, layout, cells, start, step, self.total, accepts=end)]

    def holds(self, grid: FilledGrid) -> bool:
        """Whether the line can be cut into segments that each add up to the total."""
        digits = self.digits_in(grid)
        lines = [digits]
        if self.is_closed:
            lines = [digits[i:-1] + digits[:i] for i in range(len(digits) - 1)]
        for line in lines:
            segments = [0]
            for digit in line:
                segments[-1] += digit
                if segments[-1] == self.total:
                    segments.append(0)
            if {*segments} == {0, self.total} and segments[-1] == 0:
                return True
        return False
