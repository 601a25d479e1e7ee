"""Cages of other kinds than killer cages: rellik and equality cages, and lunchboxes.

The states of their automata hold the set of digits read, so their cells must be few on large
boards.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from functools import lru_cache
from itertools import combinations
from math import comb
from typing import TypeAlias

from bddsudoku.model.constraints import Constraint
from bddsudoku.model.mdd import Mdd, union_mdd
from bddsudoku.puzzle.sudoku.layout import Layout
from bddsudoku.puzzle.sudoku.rules.places_and_marks import (
    DashedOutline,
    Mark,
    Stroke,
    WordMark,
    centre_path,
    centre_point,
)
from bddsudoku.puzzle.sudoku.rules.rule import CellRule, Reach, rule
from bddsudoku.puzzle.sudoku.rules.rule_constraints import (
    all_different,
    cached_word_mdd,
    mdd_constraint,
)
from bddsudoku.puzzle.sudoku.rules.word_rule import Digits, DigitSet, WordRule

_MAX_STATES = 200_000
"""Upper limit of the states of an automaton, as :meth:`_DifferentDigits.check` estimates them."""


class _DifferentDigits(CellRule, WordRule):
    """Base class of rules that cells hold different digits, which together fulfil a condition."""

    commutative = True
    arity = 2, None
    differ = True

    def check(self, layout: Layout) -> None:
        """Check also that there are not too many cells for the rule's automaton."""
        super().check(layout)
        n, k = layout.digit_count, len(self.cells)
        if max(comb(n, i) for i in range(k)) > _MAX_STATES:
            raise self.error(f"{k} cells of a board with {n} digits are too many for this rule")


@rule(
    "rellik", "different digits, of which neither one nor several add up to the total", "rellikcage"
)
class Rellik(_DifferentDigits):
    """A rellik cage: different digits; no digit, and no sum of several, is the total."""

    iss = "RellikCage"
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

    def marks(self, layout: Layout) -> Iterable[Mark]:
        """A dashed outline with the total after a sign of inequality."""
        return [DashedOutline(self.cells, f"≠{self.total}", "red")]


@rule(
    "equalitycage", "different digits, as many even as odd ones, as many low as high, no middle one"
)
class EqualityCage(_DifferentDigits):
    """An equality cage: different digits, half of them even, half of them low, none the middle."""

    iss = "EqualityCage"

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

    def check(self, layout: Layout) -> None:
        """Check that there is an even number of cells."""
        super().check(layout)
        if len(self.cells) % 2:
            raise self.error(f"expected an even number of cells, found {len(self.cells)}")

    def is_satisfied_by(self, digits: Digits, values: range) -> bool:
        """Whether the digits differ, half are even, half are low, and none is the middle digit."""
        middle, half = (values[0] + values[-1]) / 2, len(digits) / 2
        return (
            len({*digits}) == len(digits)
            and middle not in digits
            and sum(d % 2 for d in digits) == sum(d < middle for d in digits) == half
        )

    def marks(self, layout: Layout) -> Iterable[Mark]:
        """A dashed outline with a sign of equality."""
        return [DashedOutline(self.cells, "=", "green")]


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


@lru_cache(maxsize=1024)
def filling_mdd(values: range, length: int, total: int) -> Mdd:
    """The MDD of different digits of which those between the least and the greatest sum to a total.

    It is the union of those for every two extremes, which need few states each. That digits that
    are not added differ is for other constraints to say.
    """
    start: Filling = (0, frozenset())
    step, end, n = _step_filling, _has_both_ends, len(values)
    fillings = [
        cached_word_mdd(values, length, start, step, end, low, high, n, total)
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
