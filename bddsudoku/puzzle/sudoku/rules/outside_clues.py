"""Rules about numbers beside the board: sandwiches, X-sums, skyscrapers, little killers."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias

from bddsudoku.model.constraints import Constraint
from bddsudoku.puzzle.sudoku.layout import Layout
from bddsudoku.puzzle.sudoku.rules.places import Mark, Place, Places, Stroke, WordMark, centre
from bddsudoku.puzzle.sudoku.rules.rule import FilledGrid, Reach, Rule, rule
from bddsudoku.puzzle.sudoku.rules.rule_constraints import automaton_constraint
from bddsudoku.puzzle.sudoku.rules.sum_rules import has_few_digit_sets, sum_constraint

DIRECTIONS = {"ur": (-1, 1), "ul": (-1, -1), "dr": (1, 1), "dl": (1, -1)}
"""Rows and columns of a step in each direction: up or down, right or left."""


@dataclass(frozen=True)
class _OutsideClue(Rule):
    """A number beside the board, and the cells that are seen from there in a direction."""

    clue: Places
    total: int

    @abstractmethod
    def direction_step(self, n: int) -> tuple[int, int]:
        """Rows and columns of a step."""

    def seen_cells(self, n: int) -> Places:
        """The cells, from the clue on."""
        down, right = self.direction_step(n)
        row, column = self.clue[0]
        line = (Place(row + i * down, column + i * right) for i in range(1, n + 1))
        return tuple(p for p in line if 0 <= p.row < n and 0 <= p.column < n)


@rule(
    "littlekiller",
    "the digits along the diagonal add up to the total, repeated or not",
    "littlekillersum",
)
class LittleKiller(_OutsideClue):
    """The digits along a diagonal add up to the number where it begins; they may repeat."""

    direction: str

    def direction_step(self, n: int) -> tuple[int, int]:
        """As the direction says."""
        return DIRECTIONS[self.direction]

    def number_range(self, n: int) -> Reach:
        """What so many digits may add up to."""
        k = len(self.seen_cells(n))
        return k, k * n, f"a sum of {k} digits"

    def check(self, layout: Layout) -> None:
        """One place beside the board from which a step leads onto it, and a sum within reach."""
        n = layout.n
        if self.direction not in DIRECTIONS:
            raise self.error(f"expected a direction ({', '.join(DIRECTIONS)})")
        if len(self.clue) != 1 or all(0 <= i < n for i in self.clue[0]):
            raise self.error(f"expected one place beside a board of {n}x{n} cells")
        line = self.seen_cells(n)
        if not line or abs(line[0].row - self.clue[0].row) != 1:
            raise self.error(f"no cell is {self.direction} of {self.clue[0]}")
        self.check_numbers(layout)

    def constraints(self, layout: Layout) -> list[Constraint]:
        """One machine that adds up; it knows the digits where they stand in one house."""
        n, line = layout.n, self.seen_cells(layout.n)
        cells = {place.row * n + place.column for place in line}
        differ = any(cells.issubset(house.cells) for house in layout.houses)
        return [
            sum_constraint(
                self, layout, line, self.total, differ and has_few_digit_sets(n, len(line))
            )
        ]

    def holds(self, grid: FilledGrid) -> bool:
        """Walk and add up."""
        (row, column), found = self.clue[0], 0
        down = 1 if self.direction.startswith("d") else -1
        right = 1 if self.direction.endswith("r") else -1
        while True:
            row, column = row + down, column + right
            if not (0 <= row < grid.n and 0 <= column < grid.n):
                return found == self.total
            found += grid[row, column]

    def marks(self, layout: Layout) -> Iterable[Mark]:
        """The number, and an arrow towards the board."""
        down, right = DIRECTIONS[self.direction]
        x, y = centre(*self.clue)
        ends = tuple((x + distance * right, y + distance * down) for distance in (0.2, 0.45))
        sign = WordMark((x - 0.1 * right, y - 0.1 * down), str(self.total))
        return sign, Stroke(ends, "black", 0.04, arrow=True)


_LARGEST_SETS = 12
"""Largest n at which machines know the digits that they have added; beyond, only their sum."""

_Held: TypeAlias = "frozenset[int]"
_State: TypeAlias = "tuple[int, _Held]"
"""What is to come, and what was added."""
_BEGUN: _State = (0, frozenset())
_DONE: _State = (-1, frozenset())


def _is_done(state: tuple[int, Any], *more: int) -> bool:
    return state[0] < 0


def _step_sum(held: _Held, digit: int, n: int, total: int) -> _Held | None:
    """The digits that were added and one more; on large boards their sum alone."""
    if digit + sum(held) > total:
        return None
    if n > _LARGEST_SETS:
        return frozenset((digit + sum(held),))
    return None if digit in held else held | {digit}


def _step_sandwich(state: _State, digit: int, n: int, total: int) -> _State | None:
    """What stands between 1 and n adds up: knows how many of the two were read, and what since."""
    ends, held = state
    if digit not in (1, n):
        more = _step_sum(held, digit, n, total) if ends == 1 else held
        return None if more is None else (ends, more)
    if ends == 0:
        return 1, held
    return _DONE if ends == 1 and sum(held) == total else None


def _step_x_sum(state: _State, digit: int, n: int, total: int) -> _State | None:
    """As many digits as the first says add up: knows how many are to come, and what was read."""
    left, held = state
    if left < 0:
        return state
    more, left = _step_sum(held, digit, n, total), (left or digit) - 1
    if more is None or (left == 0 and sum(more) != total):
        return None
    return (left, more) if left else _DONE


def _step_skyscraper(
    state: tuple[int, int], digit: int, n: int, total: int
) -> tuple[int, int] | None:
    """So many digits are larger than all before: knows the largest, and how many there were."""
    largest, seen = state
    seen += digit > largest
    return None if digit == largest or seen > total else (max(largest, digit), seen)


class _LineClue(_OutsideClue):
    """A number beside a row or column, which is read from there.

    Attributes:
        step, start, accepts: of the machine; besides the state they are given n and the total.
    """

    step: ClassVar[Callable[..., Any]]
    start: ClassVar[tuple[int, Any]] = _BEGUN
    accepts: ClassVar[Callable[..., bool]] = staticmethod(_is_done)

    @abstractmethod
    def is_satisfied_by(self, digits: list[int]) -> bool:
        """Whether the digits of the line, from the clue on, suit the total."""

    def direction_step(self, n: int) -> tuple[int, int]:
        """Away from the clue."""
        row, column = self.clue[0]
        return (row == -1) - (row == n), (column == -1) - (column == n)

    def check(self, layout: Layout) -> None:
        """One place beside the board, level with a row or a column."""
        n = layout.n
        if len(self.clue) != 1 or sum(i in (-1, n) for i in self.clue[0]) != 1:
            raise self.error(f"expected one place beside a board of {n}x{n} cells")
        if not all(-1 <= i <= n for i in self.clue[0]):
            raise self.error(f"{self.clue[0]} is not beside a row or column of {n} cells")
        self.check_numbers(layout)

    def constraints(self, layout: Layout) -> list[Constraint]:
        """One machine that reads the line."""
        n, line, end = layout.n, self.seen_cells(layout.n), self.accepts
        return [
            automaton_constraint(
                self, layout, line, self.start, self.step, n, self.total, accepts=end
            )
        ]

    def holds(self, grid: FilledGrid) -> bool:
        """Look along the line."""
        row, column = self.clue[0]
        if column in (-1, grid.n):
            digits = [grid[row, c] for c in range(grid.n)]
        else:
            digits = [grid[r, column] for r in range(grid.n)]
        return self.is_satisfied_by(digits[::-1] if grid.n in (row, column) else digits)

    def marks(self, layout: Layout) -> Iterable[Mark]:
        """The number."""
        return [WordMark(centre(*self.clue), str(self.total), 0.4)]


@rule(
    "sandwich",
    "the digits between the smallest and the largest add up to the number",
    "sandwichsum",
)
class Sandwich(_LineClue):
    """The digits between 1 and n of a row or column add up to the number beside it."""

    step = staticmethod(_step_sandwich)

    def number_range(self, n: int) -> Reach:
        """At most what all the others add up to."""
        if n == 1:
            raise self.error("one cell holds no sandwich")
        return 0, n * (n + 1) // 2 - n - 1, "a sum"

    def is_satisfied_by(self, digits: list[int]) -> bool:
        """Cut the slice out."""
        ends = sorted((digits.index(1), digits.index(len(digits))))
        return sum(digits[ends[0] + 1 : ends[1]]) == self.total


@rule("xsum", "the first X digits add up to the number; X is the first of them")
class XSum(_LineClue):
    """The first X digits add up to the number beside them, X being the first."""

    step = staticmethod(_step_x_sum)

    def number_range(self, n: int) -> Reach:
        """At most what all digits add up to."""
        return 1, n * (n + 1) // 2, "a sum"

    def is_satisfied_by(self, digits: list[int]) -> bool:
        """Add up."""
        return sum(digits[: digits[0]]) == self.total


@rule("skyscraper", "so many digits are seen from the number; larger ones hide smaller ones")
class Skyscraper(_LineClue):
    """The number of digits that are larger than all that stand before them."""

    step = staticmethod(_step_skyscraper)
    start = (0, 0)

    @staticmethod
    def accepts(state: tuple[int, int], n: int, total: int) -> bool:
        """The largest digit was read, and no fewer."""
        return state == (n, total)

    def number_range(self, n: int) -> Reach:
        """From 1 to n."""
        return 1, n, "a number of digits"

    def is_satisfied_by(self, digits: list[int]) -> bool:
        """Count."""
        return sum(d == max(digits[: i + 1]) for i, d in enumerate(digits)) == self.total
