"""Rules of the whole board, on its 2×2 squares, its columns, or cells at a given distance."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable, Iterator, Mapping, Sequence
from itertools import product, starmap

from bddsudoku.model.constraints import Constraint
from bddsudoku.puzzle.sudoku.layout import SYMBOLS, Layout
from bddsudoku.puzzle.sudoku.rules.pair_rules import pairs_at_steps
from bddsudoku.puzzle.sudoku.rules.places_and_marks import Place, Places, square_cells
from bddsudoku.puzzle.sudoku.rules.rule import FilledGrid, Rule, rule
from bddsudoku.puzzle.sudoku.rules.rule_constraints import (
    accept_empty,
    at_most_one,
    cell_variables,
    digit_thirds,
)
from bddsudoku.puzzle.sudoku.rules.word_rule import Digits, DigitSet, WordRule


class _EverySquare(WordRule):
    """Base class of rules that each square of 2×2 cells has a digit of each of three classes."""

    start = frozenset(range(3))
    accepts = staticmethod(accept_empty)
    commutative = True

    @abstractmethod
    def digit_classes(self, layout: Layout) -> Sequence[int]:
        """A list in which item d is the class (0, 1 or 2) of the digit d."""

    @abstractmethod
    def digit_class(self, digit: int, values: range) -> int:
        """The class of a digit, found without :meth:`digit_classes`, for tests of filled grids."""

    def check(self, layout: Layout) -> None:
        """Check that the board has three or more digits, so that each class has one."""
        if layout.digit_count < 3:
            raise self.error(f"{layout.digit_count} digits are not of three kinds")
        self.digit_classes(layout)

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

    def is_satisfied_by(self, digits: Digits, values: range) -> bool:
        """Whether a square holds digits of all three classes, such as low, middle, high."""
        return len({self.digit_class(d, values) for d in digits}) == 3


@rule("globalentropy", "every 2x2 square of cells has a low, a middle and a high digit")
class GlobalEntropy(_EverySquare):
    """Every square of 2×2 cells holds a low, a middle and a high digit."""

    def digit_classes(self, layout: Layout) -> Sequence[int]:
        """A list in which item d is 0, 1 or 2 if the digit d is low, middle or high."""
        return digit_thirds(self, layout)

    def digit_class(self, digit: int, values: range) -> int:
        """The number of the third to which a digit belongs: 1 is low, 2 middle, 3 high."""
        return -(-3 * (1 + digit - values[0]) // len(values))


@rule("globalmod", "every 2x2 square of cells has digits with all three remainders modulo 3")
class GlobalMod(_EverySquare):
    """Every square of 2×2 cells holds digits with the remainders 0, 1 and 2 modulo 3."""

    def digit_classes(self, layout: Layout) -> Sequence[int]:
        """A list in which item d is the digit d modulo 3."""
        return [d % 3 for d in range(layout.values.stop)]

    def digit_class(self, digit: int, values: range) -> int:
        """The class of a digit, which is its remainder modulo 3."""
        return digit - digit // 3 * 3


_NOTHING, _AFTER_LEAST, _NEEDS_GREATEST = range(3)


@rule(
    "dutchflatmates",
    "each middle digit (5 of 9) has 1 directly above or the largest directly below",
)
class DutchFlatmates(WordRule):
    """Dutch flatmates: each middle digit (5 of 9) has 1 directly above it or n directly below."""

    start = _NOTHING

    def sequences(self, layout: Layout) -> Mapping[str, Places]:
        """The columns from top to bottom."""
        rows = range(layout.row_count)
        return {
            f"column {c + 1}": tuple(Place(r, c) for r in rows) for c in range(layout.column_count)
        }

    @staticmethod
    def step(state: int, digit: int, n: int) -> int | None:
        """The next state: 1 was just read, n must follow, or neither; None if n is missing."""
        if state == _NEEDS_GREATEST and digit != n:
            return None
        if 2 * digit in (n, n + 1) and state != _AFTER_LEAST:
            return _NEEDS_GREATEST
        return _AFTER_LEAST if digit == 1 else _NOTHING

    @staticmethod
    def accepts(state: int, n: int) -> bool:
        """Whether the column may end; False if its last digit still needs n below it."""
        return state != _NEEDS_GREATEST

    def parameters(self, layout: Layout) -> tuple[Hashable, ...]:
        """The greatest digit."""
        return (layout.digit_count,)

    def check(self, layout: Layout) -> None:
        """Check that the digits begin with 1, and that there are at least three of them."""
        if layout.digit_count < 3:
            raise self.error(f"{layout.digit_count} digits have no middle one")
        if layout.values[0] != 1:
            raise self.error("expected a board with digits from 1 on")

    def is_satisfied_by(self, digits: Digits, values: range) -> bool:
        """Whether each middle digit has 1 directly before it or n directly behind it."""
        framed, n = [0, *digits, 0], len(values)
        return all(
            digit != -(-n // 2) or above == 1 or below == n
            for above, digit, below in zip(framed, framed[1:], framed[2:], strict=False)
        )


@rule("antitaxicab", "cells with the digit d are never d steps along rows and columns apart")
class AntiTaxicab(Rule):
    """Anti-taxicab: two cells with the digit d are not d steps (up, down, left, right) apart."""

    iss = "AntiTaxicab"

    def meetings(self, layout: Layout) -> Iterator[tuple[int, Place, Place]]:
        """Yield each digit d with every two cells, in no common row or column, d steps apart."""
        for d in layout.values:
            steps = [(i, j * (d - i)) for i in range(1, d) for j in (1, -1)]
            yield from ((d, a, b) for a, b in pairs_at_steps(layout, steps))

    def constraints(self, layout: Layout) -> list[Constraint]:
        """For each two cells d steps apart, the constraint that at most one of them holds d."""
        found: list[Constraint] = []
        for d, a, b in self.meetings(layout):
            at = layout.values.index(d)
            ones = (cell_variables(layout, place)[at] for place in (a, b))
            found.append(at_most_one(self, f"{a} {b} {SYMBOLS[d - 1]}", ones))
        return found

    def check(self, layout: Layout) -> None:
        """Check that 0 is not a digit, since each cell is 0 steps apart from itself."""
        if layout.values[0] == 0:
            raise self.error("expected a board without the digit 0")

    def holds(self, grid: FilledGrid) -> bool:
        """Whether no two cells that are d steps apart both hold the digit d."""
        return all({grid[a], grid[b]} != {d} for d, a, b in self.meetings(grid.layout))
