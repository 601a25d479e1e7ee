"""Rules about the digits along a line: thermometers, palindromes, whispers, entropic and others.

The functions ``_step_…`` are transition functions of automata: they return the state after a
state and a digit, or None for rejection. Lines whose parts have equal sums are in
:mod:`bddsudoku.puzzle.sudoku.rules.sum_rules`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import comb
from typing import ClassVar, TypeAlias

from bddsudoku.model.constraints import Constraint
from bddsudoku.puzzle.sudoku.layout import SYMBOLS, Layout
from bddsudoku.puzzle.sudoku.rules.places_and_marks import (
    Disc,
    Mark,
    Stroke,
    centre_path,
    centre_point,
)
from bddsudoku.puzzle.sudoku.rules.rule import CellRule, FilledGrid, Reach, difference_range, rule
from bddsudoku.puzzle.sudoku.rules.rule_constraints import (
    MAX_DIGIT_SETS,
    all_different,
    are_in_one_house,
    at_most_one,
    automaton_constraint,
    cached_word_mdd,
    cell_variables,
    contradiction,
    digit_thirds,
    mdd_constraint,
)

_MAX_WINDOW_STATES = 5
"""Greatest window for which an automaton remembers the order: k classes need k! states."""


@dataclass(frozen=True)
class LineRule(CellRule):
    """Base class of rules about a sequence of cells, which usually touch.

    Attributes:
        loops: whether a cell may occur twice, as in closed lines.
        bulbs: radius, fill and edge of the discs on the line.
        ends: indices of the cells that have a disc.
    """

    drawn_on = "line"
    min_cells: ClassVar[int] = 2
    loops: ClassVar[bool] = False
    colour: ClassVar[str] = "grey"
    width: ClassVar[float] = 0.18
    bulbs: ClassVar[tuple[float, str, str | None]] = (0, "", None)
    ends: ClassVar[tuple[int, ...]] = ()

    def check(self, layout: Layout) -> None:
        """Check that the line has enough cells, all different unless the rule permits loops."""
        cells = tuple(dict.fromkeys(self.cells)) if self.loops else self.cells
        self.check_places(cells, layout, self.min_cells)
        for a, b in pairwise(self.cells):
            if a == b:
                raise self.error(f"{a} follows itself")
        self.check_numbers(layout)

    def marks(self, layout: Layout) -> Iterator[Mark]:
        """The drawn line, with discs on its ends if the rule has them."""
        yield Stroke(centre_path(self.cells), self.colour, self.width)
        for end in self.ends:
            yield Disc(centre_point(self.cells[end]), *self.bulbs)


def _step_rising(last: int, digit: int) -> int | None:
    """The digit if it is greater than the last digit, otherwise None."""
    return digit if digit > last else None


@rule("thermo", "digits increase from the bulb to the end", "thermometer")
class Thermometer(LineRule):
    """A thermometer: digits rise strictly from the bulb, which is the first cell."""

    width = 0.25
    bulbs = (0.38, "grey", None)
    ends = (0,)

    def constraints(self, layout: Layout) -> list[Constraint]:
        """One automaton over the line, whose state is the last digit read."""
        return [automaton_constraint(self, layout, self.cells, -1, _step_rising)]

    def holds(self, grid: FilledGrid) -> bool:
        """Whether each digit is less than the next."""
        return all(a < b for a, b in pairwise(self.digits_in(grid)))


_Read: TypeAlias = "tuple[int, int, int]"
"""(number of cells read, number, number): states of the automata below."""


def _step_slow_thermo(state: _Read, digit: int, house_mates: tuple[int, ...]) -> _Read | None:
    """A slow thermometer's next state: (cells read, last digit, where it began); None to reject.

    ``house_mates``: for each cell the last earlier one with which it shares a house, or -1.
    """
    read, last, since = state
    if digit == last:
        return (read + 1, last, since) if since > house_mates[read] else None
    return (read + 1, digit, read) if digit > last else None


@rule("slowthermo", "digits never decrease from the bulb to the end", "slowthermometer")
class SlowThermometer(LineRule):
    """A slow thermometer: digits never fall from the bulb, which is the first cell."""

    colour = "blue"
    width = 0.25
    bulbs = (0.36, "white", "blue")
    ends = (0,)

    def constraints(self, layout: Layout) -> list[Constraint]:
        """One automaton over the line, which also rejects equal digits within a house."""
        cells = self.cells
        mates = tuple(
            max((j for j in range(i) if are_in_one_house(layout, cells[j], cells[i])), default=-1)
            for i in range(len(cells))
        )
        return [automaton_constraint(self, layout, cells, (0, -1, -1), _step_slow_thermo, mates)]

    def holds(self, grid: FilledGrid) -> bool:
        """Whether the digits never decrease along the line."""
        return sorted(self.digits_in(grid)) == self.digits_in(grid)


def _step_equal_digits(last: int, digit: int) -> int | None:
    """The digit if it is the first one or equal to the last digit, otherwise None."""
    return digit if last in (-1, digit) else None


@rule("palindrome", "the line reads the same both ways", "palindromeline")
class Palindrome(LineRule):
    """A line whose digits read the same in both directions."""

    loops = True

    def constraints(self, layout: Layout) -> list[Constraint]:
        """For any two cells equally far from the middle, an automaton that accepts equal digits."""
        equal = cached_word_mdd(layout.values, 2, -1, _step_equal_digits)
        half = len(self.cells) // 2
        both = enumerate(zip(self.cells[:half], self.cells[::-1], strict=False), 1)
        return [
            mdd_constraint(self, layout, pair, equal, commutative=True, label=f"{self.label} {i}")
            for i, pair in both
            if pair[0] != pair[1]
        ]

    def holds(self, grid: FilledGrid) -> bool:
        """Whether the digits along the line are the same in reverse order."""
        return self.digits_in(grid)[::-1] == self.digits_in(grid)


def _step_whispers(
    state: _Read, digit: int, difference: int, keeps_last: tuple[bool, ...]
) -> _Read | None:
    """A whispers line's next state: (cells read, last digit but one, last digit); None to reject.

    A digit that is not known is -1.
    """
    read, before, last = state
    if digit == before or (last >= 0 and abs(digit - last) < difference):
        return None
    return read + 1, last if keeps_last[read] else -1, digit


@rule(
    "whispers",
    "neighbours on the line differ by at least the number (default: half of n)",
    "whisper",
    "germanwhispers",
)
class Whispers(LineRule):
    """A whispers line: neighbours on it differ by at least a given difference.

    Attributes:
        difference: None for half of n, rounded up: 5 on 9×9 boards (German whispers; Dutch
            whispers have 4).
    """

    difference: int | None = None
    number_range = difference_range
    colour = "green"
    loops = True

    def constraints(self, layout: Layout) -> list[Constraint]:
        """One automaton over the line, whose state has the last digit or the last two."""
        cells, n = self.cells, layout.digit_count
        shared = [are_in_one_house(layout, a, c) for a, c in zip(cells, cells[2:], strict=False)]
        difference = (n + 1) // 2 if self.difference is None else self.difference
        keeps_last = (False, *shared, False)
        return [
            automaton_constraint(
                self, layout, cells, (0, -1, -1), _step_whispers, difference, keeps_last
            )
        ]

    def holds(self, grid: FilledGrid) -> bool:
        """Whether the digits of any two consecutive cells differ by at least the difference."""
        least = -(-grid.layout.digit_count // 2) if self.difference is None else self.difference
        return all(abs(a - b) >= least for a, b in pairwise(self.digits_in(grid)))


def _step_distinct(
    last_classes: tuple[int, ...], digit: int, classes: tuple[int, ...], size: int
) -> tuple[int, ...] | None:
    """Append a digit's class to the last ``size - 1`` classes; None if it is one of them."""
    own = classes[digit]
    return None if own in last_classes else (*last_classes, own)[1 - size :]


def _distinct_window_constraints(
    rule: LineRule, layout: Layout, classes: Sequence[int], size: int
) -> list[Constraint]:
    """Constraints that any ``size`` consecutive digits d have different classes ``classes[d]``."""
    cells = rule.cells
    if size <= _MAX_WINDOW_STATES:
        return [automaton_constraint(rule, layout, cells, (), _step_distinct, tuple(classes), size)]
    found: list[Constraint] = []
    for i in range(max(1, len(cells) - size + 1)):
        window = cells[i : i + size]
        if len({*window}) < len(window):
            return [contradiction(rule)]
        for number in range(size):
            some = (
                v
                for p in window
                for v, k in zip(
                    cell_variables(layout, p), classes[layout.values.start :], strict=True
                )
                if k == number
            )
            label = f"{rule.label} {i + 1} {number}"
            found.append(at_most_one(rule, label, some, exact=len(window) == size))
    return found


def _has_distinct_windows(classes: Sequence[int], size: int) -> bool:
    """Whether any ``size`` consecutive classes are distinct (in a shorter list, all of them)."""
    windows = (classes[i : i + size] for i in range(len(classes)))
    return all(len({*window}) == len(window) for window in windows)


@rule(
    "entropic",
    "of any three consecutive cells of the line one is low, one middle, one high",
    "entropicline",
)
class Entropic(LineRule):
    """Any three consecutive cells of the line hold a low, a middle and a high digit."""

    colour = "orange"
    loops = True

    def constraints(self, layout: Layout) -> list[Constraint]:
        """One automaton whose state has the thirds (low, middle, high) of the last two digits."""
        return _distinct_window_constraints(self, layout, digit_thirds(self, layout), 3)

    def check(self, layout: Layout) -> None:
        """Check the line, and that the number of digits is divisible by 3."""
        super().check(layout)
        digit_thirds(self, layout)

    def holds(self, grid: FilledGrid) -> bool:
        """Whether any three consecutive digits come from different thirds."""
        values = grid.layout.values
        thirds = [3 * (d - values[0]) // len(values) for d in self.digits_in(grid)]
        return _has_distinct_windows(thirds, 3)


@rule(
    "modular",
    "any M consecutive cells of the line have different remainders modulo M, the number",
    "modularline",
)
class Modular(LineRule):
    """Any ``value`` consecutive cells of the line have different remainders modulo ``value``."""

    value: int = 3
    colour = "blue"
    loops = True

    def constraints(self, layout: Layout) -> list[Constraint]:
        """One automaton on the last remainders; for large moduli, constraints on each window."""
        remainders = [d % self.value for d in range(layout.values.stop)]
        return _distinct_window_constraints(self, layout, remainders, self.value)

    def number_range(self, layout: Layout) -> Reach:
        """The range of the modulus: from 2 to n."""
        return 2, layout.digit_count, "a divisor"

    def holds(self, grid: FilledGrid) -> bool:
        """Whether the digits in each window of ``value`` cells differ modulo ``value``."""
        return _has_distinct_windows([d % self.value for d in self.digits_in(grid)], self.value)


_Lockout: TypeAlias = "tuple[int, ...]"
"""The digits of the ends that were read; of two, the lower one first."""


def _step_lockout(ends: _Lockout, digit: int, difference: int) -> _Lockout | None:
    """The digits of the line's ends, which are read first; None if a digit breaks the rule."""
    if len(ends) < 2:
        return None if ends and abs(ends[0] - digit) < difference else tuple(sorted((*ends, digit)))
    return None if ends[0] <= digit <= ends[1] else ends


@rule(
    "lockout",
    "the ends differ by at least the number (default: half of n); other digits lie outside of them",
    "lockoutline",
)
class Lockout(LineRule):
    """A lockout line: its ends differ, and no digit between the ends lies in their range.

    Attributes:
        difference: the least difference of the ends; None for half of n, rounded down.
    """

    difference: int | None = None
    number_range = difference_range
    colour = "blue"
    bulbs = (0.4, "white", "blue")
    ends = (0, -1)

    def constraints(self, layout: Layout) -> list[Constraint]:
        """One automaton that reads the ends first; its state is the digits of the ends."""
        first, *inner, last = self.cells
        least = layout.digit_count // 2 if self.difference is None else self.difference
        return [automaton_constraint(self, layout, (first, last, *inner), (), _step_lockout, least)]

    def holds(self, grid: FilledGrid) -> bool:
        """Whether the ends differ enough and each inner digit is above or below both."""
        digits = self.digits_in(grid)
        low, high = sorted(digits[:: len(digits) - 1])
        least = grid.layout.digit_count // 2 if self.difference is None else self.difference
        return high - low >= least and all(d < low or d > high for d in digits[1:-1])


def _step_value_indexing(state: tuple[int, int], digit: int) -> tuple[int, int] | None:
    """A value indexing arrow's next state: (first digit, cells until it recurs); None to reject.

    The number of cells is -1 before the second digit is read, and 0 after the recurrence.
    """
    value, left = state
    if value < 0:
        return digit, -1
    if left < 0:
        return (value, digit) if digit else None
    return None if left == 1 and digit != value else (value, max(left - 1, 0))


def _has_digit_recurred(state: tuple[int, int]) -> bool:
    """Whether the first digit was read again in the cell to which the second digit points."""
    return state[1] == 0


@rule(
    "valueindexing", "the second digit tells how many cells behind it the first digit stands again"
)
class ValueIndexing(LineRule):
    """An arrow whose second digit tells how many cells behind it the first digit occurs again."""

    min_cells = 3
    bulbs = (0.2, "grey", None)
    ends = (0,)

    def constraints(self, layout: Layout) -> list[Constraint]:
        """One automaton; its state is the first digit and how many cells away it must recur."""
        return [
            automaton_constraint(
                self, layout, self.cells, (-1, 0), _step_value_indexing, accepts=_has_digit_recurred
            )
        ]

    def holds(self, grid: FilledGrid) -> bool:
        """Whether the second digit points to a cell of the line, and this holds the first digit."""
        first, steps, *others = self.digits_in(grid)
        return steps > 0 and others[steps - 1 : steps] == [first]

    def marks(self, layout: Layout) -> Iterator[Mark]:
        """A thin arrow from a small disc."""
        yield from super().marks(layout)
        yield Stroke(centre_path(self.cells), "black", 0.04, arrow=True)


# Lines where only the set of digits counts, not their order


_Digits: TypeAlias = "frozenset[int]"


def _step_renban_set(digits_read: _Digits, digit: int, length: int) -> _Digits | None:
    """Add a digit to the set of digits read; None if it repeats or the range exceeds ``length``."""
    more = digits_read | {digit}
    return None if digit in digits_read or max(more) - min(more) >= length else more


def _step_renban_range(digits_read: _Digits, digit: int, length: int) -> _Digits | None:
    """The least and the greatest digit read so far; None if their range exceeds ``length``."""
    more = digits_read | {digit}
    low, high = min(more), max(more)
    return None if high - low >= length else frozenset((low, high))


def _step_nabner(digits_read: _Digits, digit: int) -> _Digits | None:
    """Add a digit to the set of digits read; None if it is equal or consecutive to one of them."""
    return None if digits_read & {digit - 1, digit, digit + 1} else digits_read | {digit}


@rule("renban", "different consecutive digits in any order", "renbanline")
class Renban(LineRule):
    """A Renban line: different consecutive digits in any order."""

    colour = "pink"
    loops = True

    def constraints(self, layout: Layout) -> list[Constraint]:
        """One automaton over the line; if long, all-different and an automaton of the range."""
        n, cells = layout.digit_count, tuple(dict.fromkeys(self.cells))
        k = len(cells)
        if k > n:
            return [contradiction(self)]
        if k == n:
            return [*all_different(self, layout, cells)]
        is_small = (n - k + 1) << k <= MAX_DIGIT_SETS
        step = _step_renban_set if is_small else _step_renban_range
        near = automaton_constraint(self, layout, cells, frozenset(), step, k, commutative=True)
        return [near] if is_small else [*all_different(self, layout, cells), near]

    def holds(self, grid: FilledGrid) -> bool:
        """Whether the digits on the line, sorted, are consecutive."""
        digits = sorted(grid[place] for place in {*self.cells})
        return digits == [*range(digits[0], digits[0] + len(digits))]


@rule("nabner", "no two digits on the line are equal or consecutive", "nabnerline")
class Nabner(LineRule):
    """A Nabner line: no two digits are equal or consecutive."""

    colour = "yellow"
    loops = True

    def constraints(self, layout: Layout) -> list[Constraint]:
        """One automaton on the digits read; for long lines, at-most-one constraints instead."""
        n, cells = layout.digit_count, tuple(dict.fromkeys(self.cells))
        k = len(cells)
        if 2 * k - 1 > n:
            return [contradiction(self)]
        if sum(comb(n - i + 1, i) for i in range(k + 1)) <= MAX_DIGIT_SETS:
            return [
                automaton_constraint(
                    self, layout, cells, frozenset(), _step_nabner, commutative=True
                )
            ]
        return [
            at_most_one(
                self,
                f"{self.label} {SYMBOLS[d : d + 2]}",
                (v for p in cells for v in cell_variables(layout, p)[d : d + 2]),
            )
            for d in range(n - 1)
        ]

    def holds(self, grid: FilledGrid) -> bool:
        """Whether no two digits on the line are equal or consecutive."""
        digits = sorted(grid[place] for place in {*self.cells})
        return all(b > a + 1 for a, b in pairwise(digits))
