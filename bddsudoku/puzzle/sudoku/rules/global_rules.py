"""Rules of the whole board about digits near each other: squares of 2×2, columns, distances."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from itertools import combinations, pairwise, product

from bddsudoku.model.constraints import Constraint
from bddsudoku.puzzle.sudoku.layout import SYMBOLS, Layout
from bddsudoku.puzzle.sudoku.rules.places_and_marks import Place
from bddsudoku.puzzle.sudoku.rules.rule import FilledGrid, Rule, rule
from bddsudoku.puzzle.sudoku.rules.rule_constraints import (
    at_most_one,
    automaton_constraint,
    cell_variables,
)


def _step_kinds(missing: frozenset[int], digit: int, kinds: tuple[int, ...]) -> frozenset[int]:
    """The kinds that are missing after one more digit, where ``kinds[d - 1]`` is the kind of d."""
    return missing - {kinds[digit - 1]}


def _is_no_kind_missing(missing: frozenset[int], kinds: tuple[int, ...]) -> bool:
    """Whether digits of all kinds were read."""
    return not missing


class _EverySquare(Rule):
    """Base class of rules that each square of 2×2 cells has a digit of each of three kinds."""

    @abstractmethod
    def kinds_of_digits(self, n: int) -> Sequence[int]:
        """The kind (0, 1 or 2) of each digit 1 to n, in this order."""

    @abstractmethod
    def kind_by_definition(self, digit: int, n: int) -> int:
        """The kind of one digit by the rule's definition, for tests of filled grids."""

    def check(self, layout: Layout) -> None:
        """Check that the side is 3 or more, so that there are digits of all three kinds."""
        if layout.n < 3:
            raise self.error(f"{layout.n} digits are not of three kinds")

    def constraints(self, layout: Layout) -> list[Constraint]:
        """For each square of 2×2 cells an automaton whose state is the set of missing kinds."""
        kinds = tuple(self.kinds_of_digits(layout.n))
        return [
            automaton_constraint(
                self,
                layout,
                [Place(top + i, left + j) for i, j in product((0, 1), repeat=2)],
                frozenset(range(3)),
                _step_kinds,
                kinds,
                accepts=_is_no_kind_missing,
                commutative=True,
                label=str(Place(top, left)),
            )
            for top, left in product(range(layout.n - 1), repeat=2)
        ]

    def holds(self, grid: FilledGrid) -> bool:
        """Whether each square of 2×2 cells has digits of three kinds."""
        n = grid.n
        rows = [[self.kind_by_definition(grid[r, c], n) for c in range(n)] for r in range(n)]
        return all(
            len({*upper[c : c + 2], *lower[c : c + 2]}) == 3
            for upper, lower in pairwise(rows)
            for c in range(n - 1)
        )


@rule("globalentropy", "every 2x2 square of cells has a low, a middle and a high digit")
class GlobalEntropy(_EverySquare):
    """Every square of 2×2 cells holds a low, a middle and a high digit."""

    def kinds_of_digits(self, n: int) -> Sequence[int]:
        """For each digit 1 to n whether it is low (0), middle (1) or high (2)."""
        return [3 * d // n for d in range(n)]

    def kind_by_definition(self, digit: int, n: int) -> int:
        """The digit divided by a third of n, rounded up: 1 is low, 2 middle, 3 high."""
        return -(-3 * digit // n)

    def check(self, layout: Layout) -> None:
        """Check that n is divisible by 3."""
        super().check(layout)
        if layout.n % 3:
            raise self.error(f"{layout.n} digits are not three equal parts")


@rule("globalmod", "every 2x2 square of cells has digits with all three remainders modulo 3")
class GlobalMod(_EverySquare):
    """Every square of 2×2 cells holds digits with the remainders 0, 1 and 2 modulo 3."""

    def kinds_of_digits(self, n: int) -> Sequence[int]:
        """The remainders of the digits 1 to n modulo 3."""
        return [d % 3 for d in range(1, n + 1)]

    def kind_by_definition(self, digit: int, n: int) -> int:
        """The remainder of the digit modulo 3."""
        return digit - digit // 3 * 3


_NOTHING, _AFTER_LEAST, _NEEDS_GREATEST = range(3)


def _step_flatmates(state: int, digit: int, n: int) -> int | None:
    """A column's next state: 1 was just read, n must follow, or neither; None to reject."""
    if state == _NEEDS_GREATEST and digit != n:
        return None
    if 2 * digit in (n, n + 1) and state != _AFTER_LEAST:
        return _NEEDS_GREATEST
    return _AFTER_LEAST if digit == 1 else _NOTHING


def _has_all_flatmates(state: int, n: int) -> bool:
    """Whether no middle digit at the column's end still needs n below it."""
    return state != _NEEDS_GREATEST


@rule(
    "dutchflatmates",
    "each middle digit (5 of 9) has 1 directly above or the largest directly below",
)
class DutchFlatmates(Rule):
    """Dutch flatmates: above each 5 stands a 1, or below it a 9; on other boards 1, n/2 and n."""

    def constraints(self, layout: Layout) -> list[Constraint]:
        """For each column an automaton; its state says if 1 was just read, or if n must follow."""
        n = layout.n
        return [
            automaton_constraint(
                self,
                layout,
                [Place(r, c) for r in range(n)],
                _NOTHING,
                _step_flatmates,
                n,
                accepts=_has_all_flatmates,
                label=f"column {c + 1}",
            )
            for c in range(n)
        ]

    def check(self, layout: Layout) -> None:
        """Check that the side is 3 or more, so that the middle digit is neither 1 nor n."""
        if layout.n < 3:
            raise self.error(f"{layout.n} digits have no middle one")

    def holds(self, grid: FilledGrid) -> bool:
        """Whether each middle digit has 1 directly above it or n directly below it."""
        n, middle = grid.n, -(-grid.n // 2)
        return all(
            (r > 0 and grid[r - 1, c] == 1) or (r + 1 < n and grid[r + 1, c] == n)
            for r, c in product(range(n), repeat=2)
            if grid[r, c] == middle
        )


@rule("antitaxicab", "cells with the digit d are never d steps along rows and columns apart")
class AntiTaxicab(Rule):
    """Anti-taxicab: two cells with the digit d are not d steps (up, down, left, right) apart."""

    def constraints(self, layout: Layout) -> list[Constraint]:
        """One-hot constraints: of two cells d steps apart at most one holds d."""
        n = layout.n
        found: list[Constraint] = []
        for a, b in combinations([Place(r, c) for r in range(n) for c in range(n)], 2):
            far = abs(a.row - b.row) + abs(a.column - b.column)
            if far <= n and a.row != b.row and a.column != b.column:
                ones = (cell_variables(layout, place)[far - 1] for place in (a, b))
                found.append(at_most_one(self, f"{a} {b} {SYMBOLS[far - 1]}", ones))
        return found

    def holds(self, grid: FilledGrid) -> bool:
        """Whether no two cells that are d steps apart both hold the digit d."""
        n = grid.n
        for r, c in product(range(n), repeat=2):
            d = grid[r, c]
            for down in range(-d, d + 1):
                right = d - abs(down)
                for column in {c + right, c - right}:
                    if 0 <= r + down < n and 0 <= column < n and grid[r + down, column] == d:
                        return False
        return True
