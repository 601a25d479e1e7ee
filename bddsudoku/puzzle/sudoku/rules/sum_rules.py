"""Rules about sums, such as cages, arrows, zippers and sum lines; and the between line rule."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate, groupby, pairwise
from typing import TypeAlias

from bddsudoku.model.constraints import Constraint
from bddsudoku.puzzle.sudoku.layout import Layout
from bddsudoku.puzzle.sudoku.rules.all_different_rules import ExtraRegion
from bddsudoku.puzzle.sudoku.rules.line_rules import LineRule
from bddsudoku.puzzle.sudoku.rules.places_and_marks import (
    DashedOutline,
    Disc,
    Mark,
    Place,
    Places,
    Stroke,
    are_neighbours,
    centre_path,
    centre_point,
)
from bddsudoku.puzzle.sudoku.rules.rule import CellRule, FilledGrid, Reach, Rule, rule
from bddsudoku.puzzle.sudoku.rules.rule_constraints import (
    cached_word_mdd,
    equal_sums,
    has_few_digit_sets,
    mdd_constraint,
)
from bddsudoku.puzzle.sudoku.rules.word_rule import Digits, DigitSet, WordRule

_Sum: TypeAlias = "tuple[int, DigitSet]"
"""(sum so far, digits read; empty if digits may repeat)."""
NOTHING_ADDED: _Sum = (0, frozenset())


def step_sum(state: _Sum, digit: int, total: int, differ: bool) -> _Sum | None:
    """The sum and the digits read; None if the sum is too large or the digit recurs."""
    added, held = state
    if digit + added > total or digit in held:
        return None
    return added + digit, held | {digit} if differ else held


def is_total(state: _Sum, total: int, differ: bool) -> bool:
    """Whether the digits read add up to the total."""
    return state[0] == total


@rule("cage", "different digits; if a total is given, they add up to it", "killercage", "killer")
class Cage(ExtraRegion):
    """A killer cage: different digits, which add up to the total if there is one."""

    fpuzzles = "killercage"
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
        mdd = cached_word_mdd(
            layout.values, len(self.cells), NOTHING_ADDED, step_sum, is_total, self.total, is_small
        )
        adding = mdd_constraint(self, layout, self.cells, mdd, commutative=True)
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

    iss = "Arrow"
    fpuzzles = "arrow"
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


class _EqualSides(CellRule):
    """Base class of rules that several disjoint sets of cells have equal sums."""

    @abstractmethod
    def sides(self, layout: Layout) -> Sequence[Sequence[Place]]:
        """The sets of cells."""

    def constraints(self, layout: Layout) -> list[Constraint]:
        """Linear constraints that the digits of the sets have equal sums."""
        return equal_sums(self, layout, self.sides(layout))

    def holds(self, grid: FilledGrid) -> bool:
        """Whether the digits of all sets have the same sum."""
        sums = {sum(grid[place] for place in side) for side in self.sides(grid.layout)}
        return len(sums) < 2


@rule(
    "doublearrow", "the cells between the two ends add up to the sum of the ends", "doublearrowline"
)
class DoubleArrow(LineRule, _EqualSides):
    """A double arrow: the cells between the ends add up to the sum of the ends."""

    iss = "DoubleArrow"
    fpuzzles = "doublearrow"
    width = 0.08
    bulbs = (0.4, "white", "grey")
    ends = (0, -1)
    arity = 3, None

    def sides(self, layout: Layout) -> Sequence[Sequence[Place]]:
        """The two ends, and the cells between them."""
        first, *inner, last = self.cells
        return (first, last), inner


@rule(
    "zipper",
    "pairs of cells equally far from the middle sum to the middle digit, or to equal totals",
    "zipperline",
)
class Zipper(LineRule, _EqualSides):
    """A zipper: pairs of cells equally far from the middle, and any middle cell, have one sum."""

    iss = "Zipper"
    fpuzzles = "zipperline"
    arity = 3, None
    colour = "purple"

    def sides(self, layout: Layout) -> Sequence[Sequence[Place]]:
        """Any middle cell, and the pairs of cells equally far from the middle."""
        cells, half = self.cells, len(self.cells) // 2
        pairs = [(cells[i], cells[-1 - i]) for i in range(half)]
        return [cells[half : half + 1], *pairs] if len(cells) % 2 else pairs


@rule("regionsum", "the segments of the line within blocks all have the same sum", "regionsumline")
class RegionSum(LineRule, _EqualSides):
    """A region sum line: its segments within a block all have the same sum."""

    iss = "RegionSumLine"
    fpuzzles = "regionsumline"
    colour = "blue"

    def sides(self, layout: Layout) -> Sequence[Sequence[Place]]:
        """The segments of the line, each within one block."""
        stretches = groupby(self.cells, lambda p: layout.block_index(layout.cell(p)))
        return [[*cells] for _, cells in stretches]

    def check(self, layout: Layout) -> None:
        """Check the line, and that its cells lie in blocks."""
        super().check(layout)
        self.check_cells_in_blocks(layout)


@rule("equalsums", "the two sets of cells have the same sum")
class EqualSums(_EqualSides):
    """Two sets of cells whose digits have the same sum; a cell of both counts in both."""

    others: Places
    shades = "blue", "green"

    def sides(self, layout: Layout) -> Sequence[Sequence[Place]]:
        """The two sets, without the cells they share."""
        sides = (self.cells, self.others), (self.others, self.cells)
        return [[p for p in a if p not in b] for a, b in sides]


_Segments: TypeAlias = "tuple[int, int]"
"""(sum of the digits read, reduced by multiples of the total to at most this; bit set of the sums
that the first segment may have before the line's first cell)."""


@rule(
    "sumline",
    "the line can be cut into segments that all add up to the number (default: 10)",
    "tenline",
)
class SumLine(LineRule, WordRule):
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

    @property
    def start(self) -> _Segments:
        """No digit read; on a closed line the first segment may have begun with any sum."""
        return 0, (1 << self.total) - 1 if self.is_closed else 1

    @staticmethod
    def step(state: _Segments, digit: int, total: int) -> _Segments | None:
        """The next state; None if no division into segments is left."""
        read, before = state
        # These sums of the current segment leave room for the digit.
        fitting = (1 << total) - 1 >> max(digit - 1, 0) if digit <= total else 0
        begun = read % total
        kept = before & (fitting >> begun | fitting << total - begun)
        more = read + digit
        return ((more - 1) % total + 1 if more else 0, kept) if kept else None

    @staticmethod
    def accepts(state: _Segments, total: int) -> bool:
        """Whether the digits' sum is a positive multiple of the total: no segment is open."""
        return state[0] == total

    def sequences(self, layout: Layout) -> Mapping[str, Places]:
        """The cells of the line; the first cell of a closed line once."""
        return {self.label: self.cells[:-1] if self.is_closed else self.cells}

    def is_satisfied_by(self, digits: Digits, values: range) -> bool:
        """Whether the line can be cut into segments that each add up to the total."""
        for begin in range(len(digits) if self.is_closed else 1):
            sums = [*accumulate(digits[begin:] + digits[:begin])]
            ends = {*range(self.total, sums[-1] + 1, self.total)}
            if ends and ends <= {*sums} and sums[-1] % self.total == 0:
                return True
        return False
