"""Rules that count digits in cells: contains, quadruples, look-and-say, same values, circles."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import cycle
from typing import TypeAlias

from bddsudoku.model.constraints import Constraint
from bddsudoku.puzzle.sudoku.layout import SYMBOLS, VALUE_SYMBOLS, Layout
from bddsudoku.puzzle.sudoku.rules.places_and_marks import (
    DashedOutline,
    Disc,
    Mark,
    Places,
    Shade,
    WordMark,
    centre_point,
    square_cells,
)
from bddsudoku.puzzle.sudoku.rules.rule import CellRule, FilledGrid, Reach, rule
from bddsudoku.puzzle.sudoku.rules.rule_constraints import (
    Digits,
    DigitSet,
    WordRule,
    accept_empty,
    cell_variables,
    has_few_digit_sets,
    mdd_constraint,
    word_mdd,
    zero_sum,
)

_Multiset: TypeAlias = "tuple[int, ...]"
"""Digits in ascending order, repeated ones as often as they occur."""


@dataclass(frozen=True)
class _RequiredDigits(CellRule, WordRule):
    """Base class of rules that some cells contain certain digits."""

    digits: tuple[int, ...]
    commutative = True
    outline = "blue"
    is_exact = False
    """Whether these digits occur exactly as often as they are listed."""

    @property
    def start(self) -> _Multiset:
        """The digits required, with repetitions."""
        return tuple(sorted(self.digits))

    @staticmethod
    def step(missing: _Multiset, digit: int, capped: _Multiset) -> _Multiset | None:
        """Remove a digit from the missing digits; None if it is capped and not missing.

        A digit of ``capped`` must not occur more often than it is required.
        """
        if digit not in missing:
            return None if digit in capped else missing
        at = missing.index(digit)
        return missing[:at] + missing[at + 1 :]

    accepts = staticmethod(accept_empty)

    def parameters(self, layout: Layout) -> tuple[Hashable, ...]:
        """The digits that are limited to their required number."""
        return (self.start if self.is_exact else (),)

    def faults(self, layout: Layout) -> Iterable[str]:
        """Numbers that are no digits, no digits, or more of them than cells."""
        for digit in self.digits:
            self.check_digit(digit, layout)
        self.check_number(len(self.digits), 1, len(self.cells), "digits,")
        return ()

    @property
    def sign(self) -> str:
        """The numbers, after a sign of equality if they are exact."""
        return ("= " if self.is_exact else "") + " ".join(map(str, self.digits))


@rule("contains", "the cells contain these digits, a repeated digit as often as it is listed")
class Contains(_RequiredDigits):
    """Cells that hold each digit at least as often as it is listed."""

    iss = "ContainAtLeast"

    def is_satisfied_by(self, digits: Digits, values: range) -> bool:
        """Whether each digit occurs at least as often as it is listed."""
        return not Counter(self.digits) - Counter(digits)


@rule("quadruple", "the four cells contain these digits, a repeated digit as often as it is listed")
class Quadruple(Contains):
    """A quadruple: the four cells around a corner hold each digit at least as often as listed."""

    iss = "Quad"
    fpuzzles = "quadruple"
    drawn_on = "corner"

    def faults(self, layout: Layout) -> Iterator[str]:
        """Cells that are no square of 2×2, or not one to four digits."""
        yield from super().faults(layout)
        if {*self.cells} != {*square_cells(min(self.cells))}:
            yield "expected a square of 2x2 cells"

    def marks(self, layout: Layout) -> Iterator[Mark]:
        """The digits on a disc, in two lines when there are more than two."""
        x, y = centre_point(*self.cells)
        yield Disc((x, y), 0.3, "white", "black", behind=False)
        digits = "".join(VALUE_SYMBOLS[d] for d in self.digits)
        up = 0.12 if len(digits) > 2 else 0.0
        yield WordMark((x, y - up), digits[:2], 0.22)
        if up:
            yield WordMark((x, y + up), digits[2:], 0.22)


@rule("containsexactly", "the cells contain these digits, each exactly as often as it is listed")
class ContainsExactly(_RequiredDigits):
    """Cells that hold each listed digit exactly as often as it is listed; other digits are free."""

    iss = "ContainExact"
    is_exact = True

    def is_satisfied_by(self, digits: Digits, values: range) -> bool:
        """Whether each listed digit occurs exactly as often as it is listed."""
        return all(digits.count(d) == self.digits.count(d) for d in self.digits)


@rule("lookandsay", "of each two numbers the first tells exactly how often the second occurs")
class LookAndSay(_RequiredDigits):
    """A look-and-say clue: numbers of times and digits by turns, so that 2 3 means two 3s.

    A digit whose number of times is 0 does not occur; digits that are not named are free.
    """

    @property
    def start(self) -> _Multiset:
        """The digits required, with repetitions, in the order of the clue."""
        times, named = self.digits[::2], self.digits[1::2]
        return tuple(d for d, k in zip(named, times, strict=True) for _ in range(k))

    def parameters(self, layout: Layout) -> tuple[Hashable, ...]:
        """The digits that the clue names, which all are limited."""
        return (self.digits[1::2],)

    def faults(self, layout: Layout) -> Iterator[str]:
        """Numbers that are no pairs (how often, which digit), or a digit that is named twice."""
        times, named = self.digits[::2], self.digits[1::2]
        if not named or len(times) > len(named):
            yield "expected pairs of numbers: how often, which digit"
        for k, digit in zip(times, named, strict=True):
            self.check_number(k, 0, len(self.cells), "a number of cells")
            self.check_digit(digit, layout)
            if named.count(digit) > 1:
                yield f"{digit} is named twice"

    def is_satisfied_by(self, digits: Digits, values: range) -> bool:
        """Whether each named digit occurs exactly as often as the number before it says."""
        numbers = iter(self.digits)
        return all(digits.count(next(numbers)) == times for times in numbers)


@rule("samevalues", "cut into this number of equal parts, the cells have the same digits in each")
class SameValues(CellRule):
    """Sets of cells that hold the same digits, repeated ones equally often.

    Attributes:
        cells: the cells of the first set, then those of the second, and so on.
        sets: the number of sets, which have equally many cells.
    """

    iss = "SameValues"
    sets: int
    arity = 2, None

    @property
    def cell_sets(self) -> list[Places]:
        """The sets of cells that must hold the same digits."""
        size = max(len(self.cells) // self.sets, 1)
        return [self.cells[i : i + size] for i in range(0, len(self.cells), size)]

    def number_range(self, layout: Layout) -> Reach:
        """The range of the number of sets."""
        return 2, len(self.cells), "a number of sets"

    def faults(self, layout: Layout) -> Iterator[str]:
        """Cells that cannot be divided into so many sets."""
        if len(self.cells) % self.sets:
            yield f"{len(self.cells)} cells are not {self.sets} equal sets"

    def constraints(self, layout: Layout) -> list[Constraint]:
        """Linear constraints: each digit occurs in every set as often as in the first."""
        first, *others = self.cell_sets
        found: list[Constraint] = []
        for i, other in enumerate(others, 2):
            for d in range(layout.digit_count):
                weights = {cell_variables(layout, p)[d]: 1 for p in first}
                weights |= {cell_variables(layout, p)[d]: -1 for p in other}
                found.append(zero_sum(self, f"{self.label} {i} {SYMBOLS[d]}", weights))
        return found

    def holds(self, grid: FilledGrid) -> bool:
        """Whether the sorted digits of all sets are the same."""
        return len({tuple(sorted(grid[p] for p in cells)) for cells in self.cell_sets}) == 1

    def marks(self, layout: Layout) -> Iterable[Mark]:
        """A background shade for each set, alternately blue and green."""
        return map(Shade, self.cell_sets, cycle(("blue", "green")))


def _step_digit_count(times: int, digit: int, counted: int) -> int | None:
    """Count a digit if it is the counted one; None if that is more often than its value says."""
    times += digit == counted
    return times if times <= counted else None


def _is_own_count(times: int, counted: int) -> bool:
    """Whether a digit was read never, or as often as its value says."""
    return times in (0, counted)


def _step_occurring(read: DigitSet, digit: int, circles: int) -> DigitSet | None:
    """Add a digit to those that occur; None if they add up to more than the circles."""
    more = read | {digit}
    return more if sum(more) <= circles else None


def _is_total(read: DigitSet, circles: int) -> bool:
    """Whether the digits that occur add up to the number of circles."""
    return sum(read) == circles


@rule("countingcircles", "each digit in a circle tells how many of the circles hold it")
class CountingCircles(CellRule):
    """Circles in which each digit occurs either never or as often as its value says."""

    iss = "CountingCircles"
    discs = 0.4, None, "black", "circle"

    def faults(self, layout: Layout) -> Iterable[str]:
        """More circles than the sum of all digits."""
        self.check_places(self.cells, layout, 1, sum(layout.values))
        return ()

    def constraints(self, layout: Layout) -> list[Constraint]:
        """For each digit an automaton over the circles; one for the sum of those that occur."""
        values, k = layout.values, len(self.cells)
        step, end = _step_digit_count, _is_own_count
        found = {VALUE_SYMBOLS[d]: word_mdd(values, k, 0, step, end, d) for d in values}
        if has_few_digit_sets(len(values), len(values)):
            start = frozenset[int]()
            found["total"] = word_mdd(values, k, start, _step_occurring, _is_total, k)
        return [
            mdd_constraint(
                self, layout, self.cells, mdd, commutative=True, label=f"{self.label} {name}"
            )
            for name, mdd in found.items()
        ]

    def holds(self, grid: FilledGrid) -> bool:
        """Whether each digit occurs in the circles either never or as often as its value says."""
        return all(digit == times for digit, times in Counter(self.digits_in(grid)).items())


_Distinct: TypeAlias = "tuple[int, int]"
"""(number of cells read, different digits read, as bits)."""


@rule(
    "countdistinct", "the digit in the first cell is the number of different digits in the others"
)
class CountDistinct(WordRule):
    """A cell whose digit is the number of different digits in other cells."""

    iss = "CountDistinct"
    counter: Places
    cells: Places
    start = (0, 0)

    def faults(self, layout: Layout) -> Iterator[str]:
        """Several counting cells, or too many cells for the automaton."""
        self.check_places(self.counter, layout, 1, 1)
        if not has_few_digit_sets(layout.digit_count, len(self.cells)):
            yield f"{len(self.cells)} cells hold too many sets of {layout.digit_count} digits"

    def sequences(self, layout: Layout) -> Mapping[str, Places]:
        """The counted cells, then the counting cell."""
        return {self.label: (*self.cells, *self.counter)}

    @staticmethod
    def step(state: _Distinct, digit: int, length: int) -> _Distinct | None:
        """Add a digit to those read; None if the counting cell contradicts their number."""
        read, held = state
        if read < length:
            return read + 1, held | 1 << digit
        return state if digit == held.bit_count() else None

    def parameters(self, layout: Layout) -> tuple[Hashable, ...]:
        """The number of counted cells."""
        return (len(self.cells),)

    def is_satisfied_by(self, digits: Digits, values: range) -> bool:
        """Whether the counting cell holds the number of different digits in the counted cells."""
        return digits.pop() == len({*digits})

    def marks(self, layout: Layout) -> Iterable[Mark]:
        """A dashed outline of the counted cells, and a circle in the counting cell."""
        return DashedOutline(self.cells), Disc(centre_point(*self.counter), 0.4, None, "black")
