"""Clues beside the board: sandwiches, X-sums, skyscrapers, rooms, little killers."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias

from bddsudoku.model.constraints import Constraint
from bddsudoku.puzzle.sudoku.layout import LARGEST, Layout
from bddsudoku.puzzle.sudoku.rules.cage_rules import Lunchbox
from bddsudoku.puzzle.sudoku.rules.places_and_marks import (
    Mark,
    Place,
    Places,
    Stroke,
    WordMark,
    centre_point,
)
from bddsudoku.puzzle.sudoku.rules.rule import FilledGrid, Reach, Rule, rule
from bddsudoku.puzzle.sudoku.rules.rule_constraints import (
    automaton_constraint,
    constraint_of_rule,
    has_few_digit_sets,
)
from bddsudoku.puzzle.sudoku.rules.sum_rules import sum_constraint

DIRECTIONS = {"ur": (-1, 1), "ul": (-1, -1), "dr": (1, 1), "dl": (1, -1)}
"""(rows, columns) of a step in each direction: up or down, right or left."""


@dataclass(frozen=True)
class _OutsideClue(Rule):
    """Base class of clues beside the board: a number about the line of cells that starts there."""

    clue: Places
    total: int
    drawn_on = "margin"

    @abstractmethod
    def direction_step(self, layout: Layout) -> tuple[int, int]:
        """The change of (row, column) from each cell to the next, going away from the clue."""

    def seen_cells(self, layout: Layout) -> Places:
        """The cells that lie in the clue's direction, the nearest first."""
        down, right = self.direction_step(layout)
        row, column = self.clue[0]
        longest = max(layout.row_count, layout.column_count)
        line = (Place(row + i * down, column + i * right) for i in range(1, longest + 1))
        return tuple(filter(layout.has_cell, line))


@rule(
    "littlekiller",
    "the digits along the diagonal add up to the total, repeated or not",
    "littlekillersum",
)
class LittleKiller(_OutsideClue):
    """A little killer: digits along a diagonal, repeated or not, add up to the number beside it."""

    direction: str
    words = tuple(DIRECTIONS)

    def direction_step(self, layout: Layout) -> tuple[int, int]:
        """The change of (row, column) from each cell to the next along the clue's diagonal."""
        return DIRECTIONS[self.direction]

    def number_range(self, layout: Layout) -> Reach:
        """The range of sums of the diagonal's digits."""
        k, values = len(self.seen_cells(layout)), layout.values
        return k * values[0], k * values[-1], f"a sum of {k} digits"

    def check(self, layout: Layout) -> None:
        """Check that the diagonal from the clue enters the board, and that the sum is possible."""
        if self.direction not in DIRECTIONS:
            raise self.error(f"expected a direction ({', '.join(DIRECTIONS)})")
        if len(self.clue) != 1 or layout.has_cell(self.clue[0]):
            size = f"{layout.row_count}x{layout.column_count}"
            raise self.error(f"expected one place beside a board of {size} cells")
        line = self.seen_cells(layout)
        if not line or abs(line[0].row - self.clue[0].row) != 1:
            raise self.error(f"no cell is {self.direction} of {self.clue[0]}")
        self.check_numbers(layout)

    def constraints(self, layout: Layout) -> list[Constraint]:
        """One automaton for the sum; if a house has all cells, it may also keep the digits read."""
        n, line = layout.digit_count, self.seen_cells(layout)
        cells = {*map(layout.cell, line)}
        differ = any(cells.issubset(house.cells) for house in layout.houses)
        return [
            sum_constraint(
                self, layout, line, self.total, differ and has_few_digit_sets(n, len(line))
            )
        ]

    def holds(self, grid: FilledGrid) -> bool:
        """Whether the digits along the diagonal add up to the number."""
        (row, column), found = self.clue[0], 0
        rows, columns = grid.layout.row_count, grid.layout.column_count
        down = 1 if self.direction.startswith("d") else -1
        right = 1 if self.direction.endswith("r") else -1
        while True:
            row, column = row + down, column + right
            if not (0 <= row < rows and 0 <= column < columns):
                return found == self.total
            found += grid[row, column]

    def marks(self, layout: Layout) -> Iterable[Mark]:
        """The number, with an arrow that points along the diagonal."""
        down, right = DIRECTIONS[self.direction]
        x, y = centre_point(*self.clue)
        ends = tuple((x + distance * right, y + distance * down) for distance in (0.2, 0.45))
        sign = WordMark((x - 0.1 * right, y - 0.1 * down), str(self.total))
        return sign, Stroke(ends, "black", 0.04, arrow=True)


_LARGEST_SETS = 12
"""Most digits for which states hold the set of added digits; beyond, only their sum."""

_Held: TypeAlias = "frozenset[int]"
_State: TypeAlias = "tuple[int, _Held]"
"""(number, set of added digits): the number counts ends or digits; -1 when complete."""
_FOUND = LARGEST + 1
"""A number that no digit is: the state when what a clue is about was read."""
_BEGUN: _State = (0, frozenset())
_DONE: _State = (-1, frozenset())


def _is_sum_reached(state: tuple[int, Any], *more: int) -> bool:
    """Whether the state is that of a complete sandwich or X-sum (:data:`_DONE`)."""
    return state[0] < 0


def _add_digit_to_sum(added: _Held, digit: int, values: range, total: int) -> _Held | None:
    """Add a digit to the set of added digits; None if it repeats or the sum exceeds ``total``."""
    if digit + sum(added) > total:
        return None
    if len(values) > _LARGEST_SETS:
        return frozenset((digit + sum(added),))
    return None if digit in added else added | {digit}


def _step_sandwich(state: _State, digit: int, values: range, total: int) -> _State | None:
    """A sandwich's next state: (number of ends read, set of digits between them); None to reject.

    The ends are the least and the greatest digit.
    """
    ends, held = state
    if digit not in (values[0], values[-1]):
        more = _add_digit_to_sum(held, digit, values, total) if ends == 1 else held
        return None if more is None else (ends, more)
    if ends == 0:
        return 1, held
    return _DONE if ends == 1 and sum(held) == total else None


def _step_x_sum(state: _State, digit: int, values: range, total: int) -> _State | None:
    """An X-sum's next state: (number of digits to add, set of added digits); None to reject."""
    left, held = state
    if left < 0:
        return state
    more, left = _add_digit_to_sum(held, digit, values, total), (left or digit) - 1
    if more is None or left < 0 or (left == 0 and sum(more) != total):
        return None
    return (left, more) if left else _DONE


def _step_skyscraper(
    state: tuple[int, int], digit: int, values: range, total: int
) -> tuple[int, int] | None:
    """A skyscraper clue's next state: (largest digit, number of visible ones); None to reject."""
    largest, seen = state
    seen += digit > largest
    is_again = 0 < digit == largest
    return None if is_again or seen > total else (max(largest, digit), seen)


class _SideClue(_OutsideClue):
    """Base class of clues beside a row or column."""

    def direction_step(self, layout: Layout) -> tuple[int, int]:
        """The change of (row, column) from each cell to the next in the clue's row or column."""
        (row, column), rows, columns = self.clue[0], layout.row_count, layout.column_count
        return (row == -1) - (row == rows), (column == -1) - (column == columns)

    def check(self, layout: Layout) -> None:
        """Check that the clue is one place beside a row or column."""
        sides = layout.row_count, layout.column_count
        size = f"{sides[0]}x{sides[1]}"
        places = [*zip(self.clue[0], sides, strict=True)] if len(self.clue) == 1 else []
        if sum(i in (-1, n) for i, n in places) != 1:
            raise self.error(f"expected one place beside a board of {size} cells")
        if not all(-1 <= i <= n for i, n in places):
            raise self.error(f"{self.clue[0]} is not beside a row or column of {size} cells")
        self.check_numbers(layout)

    def digits_from_clue(self, grid: FilledGrid) -> list[int]:
        """The digits of the row or column, the nearest to the clue first."""
        row, column = self.clue[0]
        rows, columns = grid.layout.row_count, grid.layout.column_count
        if column in (-1, columns):
            digits = [grid[row, c] for c in range(columns)]
            return digits[::-1] if column == columns else digits
        digits = [grid[r, column] for r in range(rows)]
        return digits[::-1] if row == rows else digits

    def marks(self, layout: Layout) -> Iterable[Mark]:
        """The clue's number, written at its place beside the board."""
        return [WordMark(centre_point(*self.clue), str(self.total), 0.4)]


class _LineClue(_SideClue):
    """Base class of clues for which an automaton reads a row or column from the clue on.

    Attributes:
        step, start, accepts: the automaton; the functions also get :meth:`automaton_parameters`.
    """

    step: ClassVar[Callable[..., Any]]
    start: ClassVar[Any] = _BEGUN
    accepts: ClassVar[Callable[..., bool]] = staticmethod(_is_sum_reached)

    @abstractmethod
    def is_satisfied_by(self, digits: list[int]) -> bool:
        """Whether the clue's number fits the line's digits, which are in order from the clue on."""

    def automaton_parameters(self, layout: Layout) -> tuple[range, int]:
        """The automaton's parameters: all digits of the board, and the clue's number."""
        return layout.values, self.total

    def constraints(self, layout: Layout) -> list[Constraint]:
        """One automaton over the cells of the row or column, nearest to the clue first."""
        line, end, more = self.seen_cells(layout), self.accepts, self.automaton_parameters(layout)
        return [automaton_constraint(self, layout, line, self.start, self.step, *more, accepts=end)]

    def holds(self, grid: FilledGrid) -> bool:
        """Whether the clue's number fits the digits of its row or column."""
        return self.is_satisfied_by(self.digits_from_clue(grid))


@rule(
    "sandwich",
    "the digits between the smallest and the largest add up to the number",
    "sandwichsum",
)
class Sandwich(_LineClue):
    """A sandwich: the digits between the smallest and the largest add up to the number beside.

    These are 1 and n where the row or column has all digits, otherwise those that stand there.
    """

    step = staticmethod(_step_sandwich)

    def number_range(self, layout: Layout) -> Reach:
        """The range of sandwich sums: from 0 to the sum of the digits between two extremes."""
        if (between := len(self.seen_cells(layout)) - 2) < 0:
            raise self.error("one cell holds no sandwich")
        return 0, sum(layout.values[-1 - between : -1]), "a sum"

    def check(self, layout: Layout) -> None:
        """Check the clue's place; a line with fewer cells than digits must suit a lunchbox."""
        super().check(layout)
        if len(line := self.seen_cells(layout)) < layout.digit_count:
            Lunchbox(line, self.total).check(layout)

    def constraints(self, layout: Layout) -> list[Constraint]:
        """One automaton; for a line with fewer cells than digits, the automaton of a lunchbox."""
        if len(line := self.seen_cells(layout)) == layout.digit_count:
            return super().constraints(layout)
        return [constraint_of_rule(self, c) for c in Lunchbox(line, self.total).constraints(layout)]

    def is_satisfied_by(self, digits: list[int]) -> bool:
        """Whether the digits between the extremes add up to the clue's number."""
        ends = sorted((digits.index(min(digits)), digits.index(max(digits))))
        return sum(digits[ends[0] + 1 : ends[1]]) == self.total


@rule("xsum", "the first X digits add up to the number; X is the first of them")
class XSum(_LineClue):
    """An X-sum: the first X digits add up to the number beside them, where X is the first."""

    step = staticmethod(_step_x_sum)

    def number_range(self, layout: Layout) -> Reach:
        """The range of X-sums: from 1 to the sum of all digits."""
        return 1, sum(layout.values), "a sum"

    def is_satisfied_by(self, digits: list[int]) -> bool:
        """Whether the first X digits exist and sum to the clue's number; X is the first digit."""
        return 0 < digits[0] <= len(digits) and sum(digits[: digits[0]]) == self.total


@rule(
    "skyscraper",
    "the number is how many digits are seen from there; larger digits hide smaller ones",
)
class Skyscraper(_LineClue):
    """A skyscraper: its number counts the digits that are larger than all digits before them.

    The digit 0, a building without height, is never seen.
    """

    step = staticmethod(_step_skyscraper)
    start = (0, 0)

    @staticmethod
    def accepts(state: tuple[int, int], tallest: range, total: int) -> bool:
        """Whether exactly ``total`` digits were visible."""
        return state[0] in tallest and state[1] == total

    def automaton_parameters(self, layout: Layout) -> tuple[range, int]:
        """The automaton's parameters: the possible greatest digits, and the clue's number."""
        return layout.values[len(self.seen_cells(layout)) - 1 :], self.total

    def number_range(self, layout: Layout) -> Reach:
        """The range of the number of visible digits: from 1 to all."""
        return 1, len(self.seen_cells(layout)), "a number of digits"

    def is_satisfied_by(self, digits: list[int]) -> bool:
        """Whether exactly ``total`` digits are visible: positive, with no larger one before."""
        return sum(d == max(0, *digits[: i + 1]) > 0 for i, d in enumerate(digits)) == self.total


def _step_hidden_skyscraper(largest: int, digit: int, values: range, total: int) -> int | None:
    """The largest digit, or ``_FOUND`` once one is hidden; None if the first hidden is another.

    The digits of a line differ, so the hidden one stands nowhere else.
    """
    if largest != _FOUND and digit <= largest:
        return _FOUND if digit == total else None
    return None if digit == total else max(largest, digit)


@rule("hiddenskyscraper", "the number is the first digit from there with a larger one before it")
class HiddenSkyscraper(_LineClue):
    """A hidden skyscraper: its number is the first digit that a larger one before it hides."""

    step = staticmethod(_step_hidden_skyscraper)
    start = -1

    @staticmethod
    def accepts(largest: int, values: range, total: int) -> bool:
        """Whether the first hidden digit was read and is the clue's number."""
        return largest == _FOUND

    def number_range(self, layout: Layout) -> Reach:
        """The range of digits that can be hidden: all but the greatest."""
        return layout.values[0], layout.values[-1] - 1, "a digit"

    def is_satisfied_by(self, digits: list[int]) -> bool:
        """Whether the number is the first digit that has a larger one before it."""
        hidden = [d for i, d in enumerate(digits) if max(digits[: i + 1]) > d]
        return hidden[:1] == [self.total]


def _step_numbered_room(cells_left: int, digit: int, values: range, total: int) -> int | None:
    """The number of cells left up to the Xth cell, where X is the first digit; None to reject.

    The digits of a line differ, so that of the Xth cell stands nowhere else.
    """
    if cells_left == _FOUND:
        return None if digit == total else cells_left
    if cells_left < 0 and digit == 0:
        return None
    cells_left = (digit if cells_left < 0 else cells_left) - 1
    if (cells_left == 0) != (digit == total):
        return None
    return cells_left or _FOUND


@rule("numberedroom", "the number is the digit in the Xth cell from there; X is the first digit")
class NumberedRoom(_LineClue):
    """A numbered room: the clue is the line's Xth digit, where X is the line's first digit."""

    step = staticmethod(_step_numbered_room)
    start = -1

    @staticmethod
    def accepts(cells_left: int, values: range, total: int) -> bool:
        """Whether the Xth cell, where X is the first digit, was read."""
        return cells_left == _FOUND

    def number_range(self, layout: Layout) -> Reach:
        """The range of the clue's number: all digits of the board."""
        return layout.values[0], layout.values[-1], "a digit"

    def is_satisfied_by(self, digits: list[int]) -> bool:
        """Whether the line has an Xth digit, where X is its first, and the clue is that digit."""
        return digits[0] > 0 and digits[digits[0] - 1 : digits[0]] == [self.total]
