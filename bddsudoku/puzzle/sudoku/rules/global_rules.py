"""Rules of the whole board, on its 2×2 squares, its columns, or cells at a given distance."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping

from bddsudoku.model.constraints import Constraint
from bddsudoku.puzzle.sudoku.layout import SYMBOLS, Layout
from bddsudoku.puzzle.sudoku.rules.pair_rules import pairs_at_steps
from bddsudoku.puzzle.sudoku.rules.places_and_marks import Place, Places
from bddsudoku.puzzle.sudoku.rules.rule import FilledGrid, Rule, rule
from bddsudoku.puzzle.sudoku.rules.rule_constraints import (
    at_most_one,
    cell_variables,
)
from bddsudoku.puzzle.sudoku.rules.word_rule import Digits, WordRule

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
