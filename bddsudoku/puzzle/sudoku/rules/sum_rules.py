"""Rules about sums and cages: killer, rellik and equality cages, arrows, zippers, lunchboxes.

Where digits differ, the states of automata hold the set of digits read; rellik and equality cages
have only such automata, and must be small on large boards.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, combinations, groupby, pairwise
from math import comb
from typing import TypeAlias

from bddsudoku.model.constraints import Constraint
from bddsudoku.model.mdd import Mdd, union_mdd
from bddsudoku.puzzle.sudoku.layout import Layout
from bddsudoku.puzzle.sudoku.rules.cell_rules import ExtraRegion
from bddsudoku.puzzle.sudoku.rules.line_rules import LineRule
from bddsudoku.puzzle.sudoku.rules.places_and_marks import (
    Disc,
    Mark,
    Place,
    Places,
    Stroke,
    WordMark,
    are_neighbours,
    centre_path,
    centre_point,
)
from bddsudoku.puzzle.sudoku.rules.rule import CellRule, FilledGrid, Reach, Rule, rule
from bddsudoku.puzzle.sudoku.rules.rule_constraints import (
    Digits,
    DigitSet,
    WordRule,
    all_different,
    equal_sums,
    has_few_digit_sets,
    mdd_constraint,
    word_mdd,
)

_MAX_STATES = 200_000
"""Upper limit of the states of an automaton, as :meth:`_DifferentDigits.check` estimates them."""


class _DifferentDigits(CellRule, WordRule):
    """Base class of rules that cells hold different digits, which together fulfil a condition."""

    commutative = True
    arity = 2, None
    differ = True

    def faults(self, layout: Layout) -> Iterator[str]:
        """Too many cells for the rule's automaton."""
        n, k = layout.digit_count, len(self.cells)
        if max(comb(n, i) for i in range(k)) > _MAX_STATES:
            yield f"{k} cells of a board with {n} digits are too many for this rule"


@rule(
    "rellik", "different digits, of which neither one nor several add up to the total", "rellikcage"
)
class Rellik(_DifferentDigits):
    """A rellik cage: different digits; no digit, and no sum of several, is the total."""

    iss = "RellikCage"
    outline = "red"
    total: int

    def number_range(self, layout: Layout) -> Reach:
        """The range of sums of different digits."""
        return 1, sum(layout.values), "a sum"

    @staticmethod
    def step(read: DigitSet, digit: int, total: int) -> DigitSet | None:
        """Add a digit to those read; None if it repeats or some digits sum to ``total``."""
        sums = {digit}
        for d in read:
            sums |= {s + d for s in sums}
        return None if digit in read or total in sums else read | {digit}

    def is_satisfied_by(self, digits: Digits, values: range) -> bool:
        """Whether the digits differ, and no sum of one or more of them is the total."""
        return len({*digits}) == len(digits) and not any(
            sum(some) == self.total
            for k in range(1, len(digits) + 1)
            for some in combinations(digits, k)
        )

    @property
    def sign(self) -> str:
        """The total after a sign of inequality."""
        return f"≠{self.total}"


@rule(
    "equalitycage", "different digits, as many even as odd ones, as many low as high, no middle one"
)
class EqualityCage(_DifferentDigits):
    """An equality cage: different digits, half of them even, half of them low, none the middle."""

    iss = "EqualityCage"
    outline = "green"
    sign = "="

    @staticmethod
    def step(read: DigitSet, digit: int, ends: int) -> DigitSet | None:
        """Add a digit to those read; None if it repeats or is the board's middle digit.

        ``ends`` is the sum of the least and the greatest digit of the board.
        """
        return None if digit in read or 2 * digit == ends else read | {digit}

    @staticmethod
    def accepts(read: DigitSet, ends: int) -> bool:
        """Whether half of the digits read are even, and half are below the middle digit."""
        evens, lows = sum(d % 2 == 0 for d in read), sum(2 * d < ends for d in read)
        return 2 * evens == 2 * lows == len(read)

    def parameters(self, layout: Layout) -> tuple[Hashable, ...]:
        """The sum of the least and the greatest digit of the board."""
        return (layout.values[0] + layout.values[-1],)

    def faults(self, layout: Layout) -> Iterator[str]:
        """Also an odd number of cells."""
        yield from super().faults(layout)
        if len(self.cells) % 2:
            yield f"expected an even number of cells, found {len(self.cells)}"

    def is_satisfied_by(self, digits: Digits, values: range) -> bool:
        """Whether the digits differ, half are even, half are low, and none is the middle digit."""
        middle, half = (values[0] + values[-1]) / 2, len(digits) / 2
        return (
            len({*digits}) == len(digits)
            and middle not in digits
            and sum(d % 2 for d in digits) == sum(d < middle for d in digits) == half
        )


_LARGEST_SETS = 12
"""Most digits for which states hold the set of added digits; beyond, only their sum."""


def add_digit_to_sum(added: DigitSet, digit: int, n: int, total: int) -> DigitSet | None:
    """Add a digit to the set of added digits; None if it repeats or the sum exceeds ``total``.

    On boards with very many digits (n) the set has the sum only.
    """
    if digit + sum(added) > total:
        return None
    if n > _LARGEST_SETS:
        return frozenset((digit + sum(added),))
    return None if digit in added else added | {digit}


Filling: TypeAlias = "tuple[int, DigitSet]"
"""(number of ends read, set of digits between them)."""


def _step_filling(
    state: Filling, digit: int, low: int, high: int, n: int, total: int
) -> Filling | None:
    """The next state where ``low`` and ``high`` are the ends; None to reject."""
    ends, held = state
    if not low <= digit <= high:
        return None
    if digit in (low, high):
        ends += 1
        return (ends, held) if ends == 1 or (ends == 2 and sum(held) == total) else None
    more = add_digit_to_sum(held, digit, n, total) if ends == 1 else held
    return None if more is None else (ends, frozenset() if ends == 2 else more)


def _has_both_ends(state: Filling, *known: int) -> bool:
    """Whether the least and the greatest digit were read."""
    return state[0] == 2


def filling_mdd(values: range, length: int, total: int) -> Mdd:
    """The MDD of different digits of which those between the least and the greatest sum to a total.

    It is the union of those for every two extremes, which need few states each. That digits that
    are not added differ is for other constraints to say.
    """
    start: Filling = (0, frozenset())
    step, end, n = _step_filling, _has_both_ends, len(values)
    fillings = [
        word_mdd(values, length, start, step, end, low, high, n, total)
        for low, high in combinations(values, 2)
        if high - low >= length - 1
    ]
    return union_mdd(tuple(fillings))


class FillingRule(WordRule):
    """Base class of rules that the digits between the least and the greatest add up to a total."""

    total: int

    def number_range(self, layout: Layout) -> Reach:
        """The range of sums of the digits between two extremes."""
        (cells,) = self.sequences(layout).values()
        if (between := len(cells) - 2) < 0:
            raise self.error("one cell holds no sandwich")
        return 0, sum(layout.values[-1 - between : -1]), "a sum"

    def constraints(self, layout: Layout) -> list[Constraint]:
        """One automaton for the sum; that the digits differ is for other constraints to say."""
        (cells,) = self.sequences(layout).values()
        mdd = filling_mdd(layout.values, len(cells), self.total)
        return [mdd_constraint(self, layout, cells, mdd)]

    def is_satisfied_by(self, digits: Digits, values: range) -> bool:
        """Whether the digits between the least and the greatest digit add up to the total."""
        first, last = sorted((digits.index(min(digits)), digits.index(max(digits))))
        return sum(digits[first + 1 : last]) == self.total


@rule(
    "lunchbox",
    "different digits; those between the smallest and the largest of them add up to the number",
)
class Lunchbox(CellRule, FillingRule):
    """A lunchbox: on a line of different digits, those between both extremes sum to the total."""

    iss = "Lunchbox"
    total: int
    arity = 2, None
    differ = True

    def constraints(self, layout: Layout) -> list[Constraint]:
        """All-different, and one automaton for the sum."""
        return [*all_different(self, layout, self.cells), *super().constraints(layout)]

    def is_satisfied_by(self, digits: Digits, values: range) -> bool:
        """Whether the digits differ, and those between both extremes sum to the total."""
        return len({*digits}) == len(digits) and super().is_satisfied_by(digits, values)

    def marks(self, layout: Layout) -> Iterable[Mark]:
        """A thick line with the number in its first cell."""
        x, y = centre_point(self.cells[0])
        sign = WordMark((x - 0.24, y - 0.3), str(self.total), 0.22)
        return Stroke(centre_path(self.cells), "grey", 0.6), sign


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
    shades = ()
    outline = "black"
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
        mdd = word_mdd(
            layout.values, len(self.cells), NOTHING_ADDED, step_sum, is_total, self.total, is_small
        )
        adding = mdd_constraint(self, layout, self.cells, mdd, commutative=True)
        return [adding] if is_small else [*super().constraints(layout), adding]

    def holds(self, grid: FilledGrid) -> bool:
        """Whether the cage's digits differ and, if a total is given, add up to it."""
        digits = [grid[place] for place in self.cells]
        return len({*digits}) == len(digits) and self.total in (None, sum(digits))

    @property
    def sign(self) -> str:
        """The total, if there is one."""
        return "" if self.total is None else str(self.total)


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

    def faults(self, layout: Layout) -> Iterator[str]:
        """A pill that is not straight, or of more than three cells, or cells on its shaft."""
        self.check_places(self.circle, layout, 1, 3)
        self.check_places((*self.circle, *self.shaft), layout)
        ways = {(b.row - a.row, b.column - a.column) for a, b in pairwise(self.pill)}
        if len(ways) > 1 or not all(are_neighbours(a, b) for a, b in pairwise(self.pill)):
            yield "the cells of the pill must stand side by side in a straight line"

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

    def faults(self, layout: Layout) -> Iterator[str]:
        """Cells that follow themselves or lie in no block."""
        yield from super().faults(layout)
        yield from self.cells_without_block(layout)


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
