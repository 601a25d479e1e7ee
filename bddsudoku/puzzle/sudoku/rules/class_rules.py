"""Rules about classes of digits: low, middle and high ones, or remainders.

Consecutive cells of a line, or the cells of each square, hold digits of different classes, or of
all classes.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import product, starmap

from bddsudoku.model.constraints import Constraint
from bddsudoku.puzzle.sudoku.layout import Layout
from bddsudoku.puzzle.sudoku.rules.line_rules import LineRule
from bddsudoku.puzzle.sudoku.rules.places_and_marks import Place, Places, square_cells
from bddsudoku.puzzle.sudoku.rules.rule import Reach, rule
from bddsudoku.puzzle.sudoku.rules.rule_constraints import (
    Digits,
    DigitSet,
    WordRule,
    accept_empty,
    at_most_one,
    contradiction,
    variable_by_digit,
)


class _ClassRule(WordRule):
    """Base class of rules that sequences of cells hold digits of as many classes as possible."""

    value: int = 3
    """The number of classes."""

    @abstractmethod
    def digit_classes(self, layout: Layout) -> Sequence[int]:
        """A list in which item d is the class, from 0, of the digit d of a board."""

    @abstractmethod
    def digit_class(self, digit: int, values: range) -> int:
        """The class of a digit, found without :meth:`digit_classes`, for tests of filled grids."""

    def faults(self, layout: Layout) -> Iterable[str]:
        """Also digits without classes."""
        self.digit_classes(layout)
        return super().faults(layout)

    def is_satisfied_by(self, digits: Digits, values: range) -> bool:
        """Whether the digits are of all classes, or of different ones if they are fewer."""
        classes = {self.digit_class(digit, values) for digit in digits}
        return len(classes) == min(len(digits), self.value)


class _Thirds(_ClassRule):
    """Base class of rules about low, middle and high digits."""

    def digit_classes(self, layout: Layout) -> Sequence[int]:
        """A list in which item d is 0, 1 or 2 if the digit d is low, middle or high."""
        values = layout.values
        if len(values) % 3:
            raise self.error(f"{len(values)} digits are not three equal parts")
        return [3 * (d - values.start) // len(values) for d in range(values.stop)]

    def digit_class(self, digit: int, values: range) -> int:
        """The number of the third to which a digit belongs: 1 is low, 2 middle, 3 high."""
        return -(-3 * (1 + digit - values[0]) // len(values))


class _Remainders(_ClassRule):
    """Base class of rules about the remainders of digits."""

    def digit_classes(self, layout: Layout) -> Sequence[int]:
        """A list in which item d is the remainder of the digit d."""
        return [d % self.value for d in range(layout.values.stop)]

    def digit_class(self, digit: int, values: range) -> int:
        """The remainder of a digit."""
        return digit - digit // self.value * self.value


class _Windows(LineRule, _ClassRule):
    """Base class of rules that any few consecutive digits of a line are of different classes."""

    loops = True

    def sequences(self, layout: Layout) -> Mapping[str, Places]:
        """As many consecutive cells as there are classes, from each cell on; or all, if fewer."""
        first = range(max(1, len(self.cells) - self.value + 1))
        return {f"{self.label} {i + 1}": self.cells[i : i + self.value] for i in first}

    def constraints(self, layout: Layout) -> list[Constraint]:
        """For each window and class: at most one of the window's digits is of the class."""
        classes, size = self.digit_classes(layout), self.value
        found: list[Constraint] = []
        for label, window in self.sequences(layout).items():
            if len({*window}) < len(window):
                return [contradiction(self)]
            for number in range(size):
                some = [
                    v
                    for place in window
                    for d, v in variable_by_digit(layout, place).items()
                    if classes[d] == number
                ]
                exact = len(window) == size
                found.append(at_most_one(self, f"{label} {number}", some, exact=exact))
        return found


@rule(
    "entropic",
    "of any three consecutive cells of the line one is low, one middle, one high",
    "entropicline",
)
class Entropic(_Windows, _Thirds):
    """Any three consecutive cells of the line hold a low, a middle and a high digit."""

    fpuzzles = "entropicline"
    colour = "orange"


@rule(
    "modular",
    "any M consecutive cells of the line have different remainders modulo M, the number",
    "modularline",
)
class Modular(_Windows, _Remainders):
    """Any ``value`` consecutive cells of the line have different remainders modulo ``value``."""

    iss = "Modular"
    fpuzzles = "modularline"
    value: int = 3
    colour = "blue"

    def number_range(self, layout: Layout) -> Reach:
        """The range of the modulus: from 2 to n."""
        return 2, layout.digit_count, "a divisor"


class _EverySquare(_ClassRule):
    """Base class of rules that each square of 2×2 cells has a digit of each of three classes."""

    start = frozenset(range(3))
    accepts = staticmethod(accept_empty)
    commutative = True

    def faults(self, layout: Layout) -> Iterator[str]:
        """Fewer digits than classes."""
        if layout.digit_count < 3:
            yield f"{layout.digit_count} digits are not of three kinds"
        yield from super().faults(layout)

    def sequences(self, layout: Layout) -> Mapping[str, Places]:
        """All squares of 2×2 cells, by their top left cells."""
        corners = product(range(layout.row_count - 1), range(layout.column_count - 1))
        return {str(place): square_cells(place) for place in starmap(Place, corners)}

    @staticmethod
    def step(missing: DigitSet, digit: int, classes: tuple[int, ...]) -> DigitSet:
        """Remove a digit's class from the missing classes; ``classes[d]`` is the class of d."""
        return missing - {classes[digit]}

    def parameters(self, layout: Layout) -> tuple[Hashable, ...]:
        """The classes of all digits."""
        return (tuple(self.digit_classes(layout)),)


@rule("globalentropy", "every 2x2 square of cells has a low, a middle and a high digit")
class GlobalEntropy(_EverySquare, _Thirds):
    """Every square of 2×2 cells holds a low, a middle and a high digit."""


@rule("globalmod", "every 2x2 square of cells has digits with all three remainders modulo 3")
class GlobalMod(_EverySquare, _Remainders):
    """Every square of 2×2 cells holds digits with the remainders 0, 1 and 2 modulo 3."""
