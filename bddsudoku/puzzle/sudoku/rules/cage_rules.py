"""Cages of other kinds than killer cages: rellik and equality cages, and lunchboxes.

The states of their automata hold the set of digits read, so their cells must be few on large
boards.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations
from math import comb
from typing import ClassVar, TypeAlias

from bddsudoku.model.constraints import Constraint
from bddsudoku.model.mdd import union_mdd
from bddsudoku.puzzle.sudoku.layout import Layout
from bddsudoku.puzzle.sudoku.rules.places_and_marks import (
    DashedOutline,
    Mark,
    Stroke,
    WordMark,
    centre_path,
    centre_point,
)
from bddsudoku.puzzle.sudoku.rules.rule import CellRule, FilledGrid, Reach, rule
from bddsudoku.puzzle.sudoku.rules.rule_constraints import (
    automaton_constraint,
    cached_word_mdd,
    mdd_constraint,
)

_Digits: TypeAlias = "frozenset[int]"
"""Different digits that were read."""
_MAX_STATES = 200_000
"""Upper limit of the states of an automaton, as :meth:`_DifferentDigits.check` estimates them."""


class _DifferentDigits(CellRule):
    """Base class of rules that cells hold different digits, which together fulfil a condition."""

    states_per_digit: ClassVar[int] = 1
    """In how many ways the states distinguish where a digit was read."""

    def check(self, layout: Layout) -> None:
        """Check that there are two or more cells, but not too many for the rule's automaton."""
        n, k = layout.digit_count, len(self.cells)
        self.check_fields(layout, 2, n)
        if max(comb(n, i) * self.states_per_digit**i for i in range(k)) > _MAX_STATES:
            raise self.error(f"{k} cells of a board with {n} digits are too many for this rule")


def _step_rellik(digits_read: _Digits, digit: int, total: int) -> _Digits | None:
    """Add a digit to the set of digits read; None if it repeats or some digits sum to ``total``."""
    sums = {digit}
    for d in digits_read:
        sums |= {s + d for s in sums}
    return None if digit in digits_read or total in sums else digits_read | {digit}


@rule(
    "rellik", "different digits, of which neither one nor several add up to the total", "rellikcage"
)
class Rellik(_DifferentDigits):
    """A rellik cage: different digits; no digit, and no sum of several, is the total."""

    total: int

    def number_range(self, layout: Layout) -> Reach:
        """The range of sums of different digits."""
        return 1, sum(layout.values), "a sum"

    def constraints(self, layout: Layout) -> list[Constraint]:
        """One automaton over the cells, whose state is the set of digits read."""
        return [
            automaton_constraint(
                self, layout, self.cells, frozenset(), _step_rellik, self.total, commutative=True
            )
        ]

    def holds(self, grid: FilledGrid) -> bool:
        """Whether the digits differ, and no sum of one or more of them is the total."""
        digits = self.digits_in(grid)
        return len({*digits}) == len(digits) and not any(
            sum(some) == self.total
            for k in range(1, len(digits) + 1)
            for some in combinations(digits, k)
        )

    def marks(self, layout: Layout) -> Iterable[Mark]:
        """A dashed outline with the total after a sign of inequality."""
        return [DashedOutline(self.cells, f"≠{self.total}", "red")]


def _step_equality_cage(digits_read: _Digits, digit: int, ends: int) -> _Digits | None:
    """Add a digit to the set of digits read; None if it repeats or is the board's middle digit.

    ``ends`` is the sum of the least and the greatest digit of the board.
    """
    return None if digit in digits_read or 2 * digit == ends else digits_read | {digit}


def _is_half_even_and_half_low(digits_read: _Digits, ends: int) -> bool:
    """Whether half of the digits read are even, and half are below the board's middle digit."""
    evens, lows = sum(d % 2 == 0 for d in digits_read), sum(2 * d < ends for d in digits_read)
    return 2 * evens == 2 * lows == len(digits_read)


@rule(
    "equalitycage", "different digits, as many even as odd ones, as many low as high, no middle one"
)
class EqualityCage(_DifferentDigits):
    """An equality cage: different digits, half of them even, half of them low, none the middle."""

    def constraints(self, layout: Layout) -> list[Constraint]:
        """One automaton over the cells, whose state is the set of digits read."""
        return [
            automaton_constraint(
                self,
                layout,
                self.cells,
                frozenset(),
                _step_equality_cage,
                layout.values[0] + layout.values[-1],
                accepts=_is_half_even_and_half_low,
                commutative=True,
            )
        ]

    def check(self, layout: Layout) -> None:
        """Check that there is an even number of cells."""
        super().check(layout)
        if len(self.cells) % 2:
            raise self.error(f"expected an even number of cells, found {len(self.cells)}")

    def holds(self, grid: FilledGrid) -> bool:
        """Whether the digits differ, half are even, half are low, and none is the middle digit."""
        digits, values = self.digits_in(grid), grid.layout.values
        middle = (values[0] + values[-1]) / 2
        parities = [d % 2 for d in digits]
        sides = [(d > middle) - (d < middle) for d in digits]
        return (
            len({*digits}) == len(digits)
            and parities.count(0) == parities.count(1)
            and 0 not in sides
            and sum(sides) == 0
        )

    def marks(self, layout: Layout) -> Iterable[Mark]:
        """A dashed outline with a sign of equality."""
        return [DashedOutline(self.cells, "=", "green")]


_Box: TypeAlias = "tuple[_Digits, int, int]"
"""(digits read, how many of the two extremes are among them, sum of the digits between these)."""


def _step_lunchbox(state: _Box, digit: int, low: int, high: int, total: int) -> _Box | None:
    """A lunchbox automaton's state after a digit; None if no word with these extremes goes on."""
    held, extremes, between = state
    if digit in held or not low <= digit <= high:
        return None
    if digit in (low, high):
        extremes += 1
    elif extremes == 1:
        between += digit
    is_possible = between <= total if extremes < 2 else between == total
    return (held | {digit}, extremes, between) if is_possible else None


def _has_both_extremes(state: _Box, *known: int) -> bool:
    """Whether a lunchbox automaton has read the least and the greatest digit."""
    return state[1] == 2


@rule(
    "lunchbox",
    "different digits; those between the smallest and the largest of them add up to the number",
)
class Lunchbox(_DifferentDigits):
    """A lunchbox: on a line of different digits, those between both extremes sum to the total."""

    total: int
    states_per_digit = 3

    def number_range(self, layout: Layout) -> Reach:
        """The range of sums of the digits between the least and the greatest digit on the line."""
        k = max(len(self.cells) - 2, 0)
        return 0, sum(layout.values[-1 - k : -1]), "a sum"

    def constraints(self, layout: Layout) -> list[Constraint]:
        """The union of one automaton for every two extremes, which need few states each."""
        values, length = layout.values, len(self.cells)
        start: _Box = (frozenset(), 0, 0)
        boxes = [
            cached_word_mdd(
                values, length, start, _step_lunchbox, _has_both_extremes, low, high, self.total
            )
            for low, high in combinations(values, 2)
            if high - low >= length - 1
        ]
        return [mdd_constraint(self, layout, self.cells, union_mdd(tuple(boxes)))]

    def holds(self, grid: FilledGrid) -> bool:
        """Whether the digits differ, and those between both extremes sum to the total."""
        digits = self.digits_in(grid)
        first, last = sorted((digits.index(min(digits)), digits.index(max(digits))))
        return len({*digits}) == len(digits) and sum(digits[first + 1 : last]) == self.total

    def marks(self, layout: Layout) -> Iterable[Mark]:
        """A thick line with the number in its first cell."""
        x, y = centre_point(self.cells[0])
        sign = WordMark((x - 0.24, y - 0.3), str(self.total), 0.22)
        return Stroke(centre_path(self.cells), "grey", 0.6), sign
