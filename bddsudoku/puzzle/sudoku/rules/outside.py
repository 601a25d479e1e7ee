"""Rules about numbers beside a row or column: sandwiches, X-sums, skyscrapers."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from bddsudoku.model.constraints import Automaton
from bddsudoku.model.mdd import Layers
from bddsudoku.puzzle.sudoku.layout import Layout
from bddsudoku.puzzle.sudoku.rules.building import reading, words
from bddsudoku.puzzle.sudoku.rules.places import Mark, Place, Places, Sign, middle
from bddsudoku.puzzle.sudoku.rules.rule import Grid, Rule, rule

_LARGEST_SETS = 12
"""Largest n at which machines know the digits that they have added; beyond, only their sum."""


def _added(held: int, digit: int, n: int, total: int) -> int | None:
    """The digits that were added and one more: a set of bits, or their sum on large boards."""
    if n > _LARGEST_SETS:
        return held + digit if held + digit <= total else None
    if held >> digit & 1 or _sum(held, n) + digit > total:
        return None
    return held | 1 << digit


def _sum(held: int, n: int) -> int:
    """Of the digits that were added."""
    return held if n > _LARGEST_SETS else sum(d for d in range(1, n + 1) if held >> d & 1)


@lru_cache(maxsize=1024)
def _between(n: int, total: int) -> Layers:
    """What stands between 1 and n adds up: how many of these two were read, and what since."""

    def step(state: tuple[int, int], digit: int) -> tuple[int, int] | None:
        ends, held = state
        if digit in (1, n):
            return (ends + 1, 0) if ends == 0 or (ends == 1 and _sum(held, n) == total) else None
        if ends != 1:
            return state
        more = _added(held, digit, n, total)
        return None if more is None else (1, more)

    start: tuple[int, int] = (0, 0)
    return words(n, n, start, step, lambda s: s[0] == 2)


@lru_cache(maxsize=1024)
def _first(n: int, total: int) -> Layers:
    """The first digits, as many as the very first says, add up: how many to come, and what was."""

    def step(state: tuple[int, int], digit: int) -> tuple[int, int] | None:
        left, held = state
        if left == 0:
            return state
        more = _added(held, digit, n, total)
        left = digit if left < 0 else left
        if more is None or (left == 1 and _sum(more, n) != total):
            return None
        return (left - 1, more if left > 1 else 0)

    start: tuple[int, int] = (-1, 0)
    return words(n, n, start, step, lambda s: s[0] == 0)


@lru_cache(maxsize=1024)
def _seen(n: int, total: int) -> Layers:
    """So many digits are larger than all before: the largest so far, and how many there were."""

    def step(state: tuple[int, int], digit: int) -> tuple[int, int] | None:
        largest, seen = state
        seen += digit > largest
        return None if digit == largest or seen > total else (max(largest, digit), seen)

    return words(n, n, (0, 0), step, lambda s: s == (n, total))


@dataclass(frozen=True)
class _Beside(Rule):
    """A number beside a row or column, which is read from there."""

    clue: Places
    total: int

    @staticmethod
    @abstractmethod
    def layers(n: int, total: int) -> Layers:
        """The lines of n digits, from the clue on, that suit a total."""

    @abstractmethod
    def suits(self, digits: list[int]) -> bool:
        """Whether the digits of the line, from the clue on, suit the total."""

    def check(self, layout: Layout) -> None:
        """One place beside the board, level with a row or a column."""
        n = layout.n
        sides = (-1, n)
        if len(self.clue) != 1 or sum(i in sides for i in self.clue[0]) != 1:
            raise self.refuse(f"expected one place beside a board of {n}x{n} cells")
        if not all(-1 <= i <= n for i in self.clue[0]):
            raise self.refuse(f"{self.clue[0]} is not beside a row or column of {n} cells")

    def constraints(self, layout: Layout) -> list[Automaton]:
        """One machine that reads the line."""
        n = layout.n
        row, column = self.clue[0]
        down, right = (row == -1) - (row == n), (column == -1) - (column == n)
        line = [Place(row + i * down, column + i * right) for i in range(1, n + 1)]
        return [reading(self, layout, line, self.layers(n, self.total))]

    def holds(self, grid: Grid) -> bool:
        """Look along the line."""
        row, column = self.clue[0]
        if column in (-1, grid.n):
            digits = [grid[row, c] for c in range(grid.n)]
        else:
            digits = [grid[r, column] for r in range(grid.n)]
        return self.suits(digits[::-1] if grid.n in (row, column) else digits)

    def marks(self, layout: Layout) -> Iterator[Mark]:
        """The number."""
        yield Sign(middle(*self.clue), str(self.total), 0.4)


@rule(
    "sandwich",
    "the digits between the smallest and the largest add up to the number",
    "sandwichsum",
)
class Sandwich(_Beside):
    """The digits between 1 and n of a row or column add up to the number beside it."""

    layers = staticmethod(_between)

    def check(self, layout: Layout) -> None:
        """At most what all the others add up to."""
        super().check(layout)
        n = layout.n
        if n == 1:
            raise self.refuse("one cell holds no sandwich")
        self.check_number(self.total, 0, n * (n + 1) // 2 - n - 1, "a sum")

    def suits(self, digits: list[int]) -> bool:
        """Cut the slice out."""
        ends = sorted((digits.index(1), digits.index(len(digits))))
        return sum(digits[ends[0] + 1 : ends[1]]) == self.total


@rule("xsum", "the first X digits add up to the number; X is the first of them")
class XSum(_Beside):
    """The first X digits add up to the number beside them, X being the first."""

    layers = staticmethod(_first)

    def check(self, layout: Layout) -> None:
        """At most what all digits add up to."""
        super().check(layout)
        self.check_number(self.total, 1, layout.n * (layout.n + 1) // 2, "a sum")

    def suits(self, digits: list[int]) -> bool:
        """Add up."""
        return sum(digits[: digits[0]]) == self.total


@rule("skyscraper", "so many digits are seen from the number; larger ones hide smaller ones")
class Skyscraper(_Beside):
    """The number of digits that are larger than all that stand before them."""

    layers = staticmethod(_seen)

    def check(self, layout: Layout) -> None:
        """From 1 to n."""
        super().check(layout)
        self.check_number(self.total, 1, layout.n, "a number of digits")

    def suits(self, digits: list[int]) -> bool:
        """Count."""
        return sum(d == max(digits[: i + 1]) for i, d in enumerate(digits)) == self.total
