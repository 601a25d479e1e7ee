"""Rules about the digits along a line: thermometers, palindromes, whispers and others.

Lines of equal sums are in :mod:`.sum_rules`, those about classes of digits in :mod:`.class_rules`.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar, TypeAlias

from bddsudoku.model.constraints import Constraint
from bddsudoku.puzzle.sudoku.layout import Layout
from bddsudoku.puzzle.sudoku.rules.places_and_marks import (
    Disc,
    Mark,
    Places,
    Stroke,
    centre_path,
    centre_point,
)
from bddsudoku.puzzle.sudoku.rules.rule import CellRule, FilledGrid, difference_range, rule
from bddsudoku.puzzle.sudoku.rules.rule_constraints import (
    Digits,
    WordRule,
    all_pairs_allowed,
    are_in_one_house,
)


@dataclass(frozen=True)
class LineRule(CellRule):
    """Base class of rules about a sequence of cells, which usually touch.

    Attributes:
        bulbs: radius, fill and edge of the discs on the line.
        ends: indices of the cells that have a disc.
    """

    drawn_on = "line"
    arity = 2, None
    colour = "grey"
    width = 0.18
    bulbs: ClassVar[tuple[float, str, str | None]] = (0, "", None)
    ends: ClassVar[tuple[int, ...]] = ()

    def faults(self, layout: Layout) -> Iterator[str]:
        """Cells that follow themselves, and what another base class finds."""
        yield from (f"{a} follows itself" for a, b in pairwise(self.cells) if a == b)
        yield from super().faults(layout)

    def marks(self, layout: Layout) -> Iterator[Mark]:
        """The drawn line, with discs on its ends if the rule has them."""
        yield Stroke(centre_path(self.cells), self.colour, self.width)
        for end in self.ends:
            yield Disc(centre_point(self.cells[end]), *self.bulbs)


@rule("thermo", "digits increase from the bulb to the end", "thermometer")
class Thermometer(LineRule, WordRule):
    """A thermometer: digits rise strictly from the bulb, which is the first cell."""

    iss = "Thermo"
    fpuzzles = "thermometer"
    width = 0.25
    bulbs = (0.38, "grey", None)
    ends = (0,)
    start = -1

    @staticmethod
    def step(last: int, digit: int) -> int | None:
        """The digit if it is greater than the last digit, otherwise None."""
        return digit if digit > last else None

    def is_satisfied_by(self, digits: Digits, values: range) -> bool:
        """Whether each digit is less than the next."""
        return all(a < b for a, b in pairwise(digits))


_Read: TypeAlias = "tuple[int, int]"
"""(number of cells read, last digit)."""


@rule("slowthermo", "digits never decrease from the bulb to the end", "slowthermometer")
class SlowThermometer(LineRule, WordRule):
    """A slow thermometer: digits never fall from the bulb, which is the first cell."""

    fpuzzles = "slowthermometer"
    colour = "blue"
    width = 0.25
    bulbs = (0.36, "white", "blue")
    ends = (0,)
    start = (0, -1)

    @staticmethod
    def step(state: _Read, digit: int, rises: tuple[bool, ...]) -> _Read | None:
        """Count the cell and keep its digit; None if it is below the last one or does not rise."""
        read, last = state
        return (read + 1, digit) if digit >= last + rises[read] else None

    def parameters(self, layout: Layout) -> tuple[Hashable, ...]:
        """For each cell whether it shares a house with the one before it."""
        both = pairwise(self.cells)
        return ((True, *(are_in_one_house(layout, a, b) for a, b in both)),)

    def is_satisfied_by(self, digits: Digits, values: range) -> bool:
        """Whether the digits never decrease along the line."""
        return sorted(digits) == digits


@rule("palindrome", "the line reads the same both ways", "palindromeline")
class Palindrome(LineRule, WordRule):
    """A line whose digits read the same in both directions."""

    iss = "Palindrome"
    fpuzzles = "palindrome"
    loops = True
    start = -1
    commutative = True

    def sequences(self, layout: Layout) -> Mapping[str, Places]:
        """Any two cells equally far from the middle."""
        half = len(self.cells) // 2
        both = enumerate(zip(self.cells[:half], self.cells[::-1], strict=False), 1)
        return {f"{self.label} {i}": pair for i, pair in both if pair[0] != pair[1]}

    @staticmethod
    def step(last: int, digit: int) -> int | None:
        """The digit if it is the first one or equal to the last digit, otherwise None."""
        return digit if last in (-1, digit) else None

    def is_satisfied_by(self, digits: Digits, values: range) -> bool:
        """Whether two cells equally far from the middle have the same digit."""
        return digits[0] == digits[1]


@rule(
    "whispers",
    "neighbours on the line differ by at least the number (default: half of n)",
    "whisper",
    "germanwhispers",
)
class Whispers(LineRule, WordRule):
    """A whispers line: neighbours on it differ by at least a given difference.

    Attributes:
        difference: None for half of n, rounded up: 5 on 9×9 boards (German whispers; Dutch
            whispers have 4).
    """

    fpuzzles = "whispers"
    difference: int | None = None
    number_range = difference_range
    colour = "green"
    loops = True
    start = None

    def least_difference(self, n: int) -> int:
        """The least difference of neighbours on a board with n digits."""
        return (n + 1) // 2 if self.difference is None else self.difference

    @staticmethod
    def step(last: int | None, digit: int, least: int) -> int | None:
        """The digit if it is the first one or differs enough from the last one; otherwise None."""
        return digit if last is None or abs(digit - last) >= least else None

    def parameters(self, layout: Layout) -> tuple[Hashable, ...]:
        """The least difference."""
        return (self.least_difference(layout.digit_count),)

    def is_satisfied_by(self, digits: Digits, values: range) -> bool:
        """Whether the digits of any two consecutive cells differ by at least the difference."""
        least = self.least_difference(len(values))
        return all(abs(a - b) >= least for a, b in pairwise(digits))


_Ends: TypeAlias = "tuple[int, ...]"
"""The digits of the ends that were read; of two, the lower one first."""


class EndsRule(LineRule, WordRule):
    """Base class of lines whose two ends tell what stands between them; they are read first."""

    ends = (0, -1)
    start = ()

    def sequences(self, layout: Layout) -> Mapping[str, Places]:
        """The two ends, then the cells between them."""
        first, *inner, last = self.cells
        return {self.label: (first, last, *inner)}


@rule(
    "lockout",
    "the ends differ by at least the number (default: half of n); other digits lie outside of them",
    "lockoutline",
)
class Lockout(EndsRule):
    """A lockout line: its ends differ, and no digit between the ends lies in their range.

    Attributes:
        difference: the least difference of the ends; None for half of n, rounded down.
    """

    iss = "Lockout"
    difference: int | None = None
    number_range = difference_range
    colour = "blue"
    bulbs = (0.4, "white", "blue")

    @staticmethod
    def step(ends: _Ends, digit: int, least: int) -> _Ends | None:
        """The digits of the line's ends, which are read first; None if a digit breaks the rule."""
        if len(ends) < 2:
            return None if ends and abs(ends[0] - digit) < least else tuple(sorted((*ends, digit)))
        return None if ends[0] <= digit <= ends[1] else ends

    def parameters(self, layout: Layout) -> tuple[Hashable, ...]:
        """The least difference of the ends."""
        return (layout.digit_count // 2 if self.difference is None else self.difference,)

    def is_satisfied_by(self, digits: Digits, values: range) -> bool:
        """Whether the ends differ enough and each inner digit is above or below both."""
        low, high = sorted(digits[:2])
        least = len(values) // 2 if self.difference is None else self.difference
        return high - low >= least and all(d < low or d > high for d in digits[2:])


@rule("between", "digits on the line lie strictly between those at its two ends", "betweenline")
class Between(EndsRule):
    """A between line: inner digits lie strictly between those of the two ends."""

    iss = "Between"
    fpuzzles = "betweenline"
    width = 0.12
    bulbs = (0.4, "grey", "grey")
    arity = 3, None

    @staticmethod
    def step(ends: _Ends, digit: int) -> _Ends | None:
        """The digits of the line's ends, which are read first; None if a digit breaks the rule."""
        if len(ends) < 2:
            return tuple(sorted((*ends, digit)))
        return ends if ends[0] < digit < ends[1] else None

    def is_satisfied_by(self, digits: Digits, values: range) -> bool:
        """Whether each inner digit lies between the ends."""
        first, last, *inner = digits
        return all(first < d < last or last < d < first for d in inner)


@rule(
    "valueindexing", "the second digit tells how many cells behind it the first digit stands again"
)
class ValueIndexing(LineRule, WordRule):
    """An arrow whose second digit tells how many cells behind it the first digit occurs again."""

    iss = "ValueIndexing"
    arity = 3, None
    bulbs = (0.2, "grey", None)
    ends = (0,)
    loops = True
    start = (-1, 0)

    @staticmethod
    def step(state: tuple[int, int], digit: int) -> tuple[int, int] | None:
        """The next state: (first digit, cells until it recurs); None to reject.

        The number of cells is -1 before the second digit is read, and 0 after the recurrence.
        """
        value, left = state
        if value < 0:
            return digit, -1
        if left < 0:
            return (value, digit) if digit else None
        return None if left == 1 and digit != value else (value, max(left - 1, 0))

    @staticmethod
    def accepts(state: tuple[int, int]) -> bool:
        """Whether the first digit was read again in the cell to which the second digit points."""
        return state[1] == 0

    def is_satisfied_by(self, digits: Digits, values: range) -> bool:
        """Whether the second digit points to a cell of the line, and this holds the first digit."""
        first, steps, *others = digits
        return steps > 0 and others[steps - 1 : steps] == [first]

    def faults(self, layout: Layout) -> Iterator[str]:
        """None: the cell with the first or second digit may be that which recurs."""
        yield from ()

    def marks(self, layout: Layout) -> Iterator[Mark]:
        """A thin arrow from a small disc."""
        yield from super().marks(layout)
        yield Stroke(centre_path(self.cells), "black", 0.04, arrow=True)


class _SetLine(LineRule):
    """Base class of lines of which any two cells have digits that go together."""

    loops = True

    @abstractmethod
    def go_together(self, a: int, b: int) -> bool:
        """Whether two digits may stand on the line."""

    def constraints(self, layout: Layout) -> list[Constraint]:
        """One automaton on the digits read; for long lines constraints for each two cells."""
        return all_pairs_allowed(self, layout, dict.fromkeys(self.cells), self.go_together)


@rule("renban", "different consecutive digits in any order", "renbanline")
class Renban(_SetLine):
    """A Renban line: different consecutive digits in any order."""

    iss = "Renban"
    fpuzzles = "renban"
    colour = "pink"

    def go_together(self, a: int, b: int) -> bool:
        """Whether two digits differ, but by less than the number of cells."""
        return 0 < abs(a - b) < len({*self.cells})

    def holds(self, grid: FilledGrid) -> bool:
        """Whether the digits on the line, sorted, are consecutive."""
        digits = sorted(grid[place] for place in {*self.cells})
        return digits == [*range(digits[0], digits[0] + len(digits))]


@rule("nabner", "no two digits on the line are equal or consecutive", "nabnerline")
class Nabner(_SetLine):
    """A Nabner line: no two digits are equal or consecutive."""

    fpuzzles = "nabner"
    colour = "yellow"

    def go_together(self, a: int, b: int) -> bool:
        """Whether two digits are neither equal nor consecutive."""
        return abs(a - b) > 1

    def holds(self, grid: FilledGrid) -> bool:
        """Whether no two digits on the line are equal or consecutive."""
        digits = sorted(grid[place] for place in {*self.cells})
        return all(b > a + 1 for a, b in pairwise(digits))
