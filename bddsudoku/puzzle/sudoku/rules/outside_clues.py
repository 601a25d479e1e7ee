"""Clues beside the board: sandwiches, X-sums, skyscrapers, rooms, little killers."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import ClassVar, TypeAlias

from bddsudoku.puzzle.sudoku.layout import LARGEST, Layout
from bddsudoku.puzzle.sudoku.rules.places_and_marks import (
    Mark,
    Place,
    Places,
    Stroke,
    WordMark,
    centre_point,
)
from bddsudoku.puzzle.sudoku.rules.rule import Reach, rule
from bddsudoku.puzzle.sudoku.rules.rule_constraints import Digits, DigitSet, WordRule
from bddsudoku.puzzle.sudoku.rules.sum_rules import (
    NOTHING_ADDED,
    FillingRule,
    add_digit_to_sum,
    is_total,
    step_sum,
)

DIRECTIONS = {"ur": (-1, 1), "ul": (-1, -1), "dr": (1, 1), "dl": (1, -1)}
"""(rows, columns) of a step in each direction: up or down, right or left."""


@dataclass(frozen=True)
class _OutsideClue(WordRule):
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

    def sequences(self, layout: Layout) -> Mapping[str, Places]:
        """The cells in the clue's direction."""
        return {self.label: self.seen_cells(layout)}

    def check_places(
        self, places: Places, layout: Layout, least: int = 1, most: int | None = None
    ) -> None:
        """Check that the clue is one place beside the board, with a cell in its direction."""
        down, right = self.direction_step(layout) if len(places) == 1 else (0, 0)
        if len(places) != 1 or any(
            layout.has_cell((row, column)) or not layout.has_cell((row + down, column + right))
            for row, column in places
        ):
            size = f"{layout.row_count}x{layout.column_count}"
            raise self.error(
                f"expected one place beside a row or column of {size} cells, such as r1c0"
            )


@rule(
    "littlekiller",
    "the digits along the diagonal add up to the total, repeated or not",
    "littlekillersum",
)
class LittleKiller(_OutsideClue):
    """A little killer: digits along a diagonal, repeated or not, add up to the number beside it."""

    fpuzzles = "littlekillersum"
    direction: str
    words = tuple(DIRECTIONS)
    start = NOTHING_ADDED
    step = staticmethod(step_sum)
    accepts = staticmethod(is_total)
    commutative = True

    def direction_step(self, layout: Layout) -> tuple[int, int]:
        """The change of (row, column) from each cell to the next along the clue's diagonal."""
        if self.direction not in DIRECTIONS:
            raise self.error(f"expected a direction ({', '.join(DIRECTIONS)})")
        return DIRECTIONS[self.direction]

    def number_range(self, layout: Layout) -> Reach:
        """The range of sums of the diagonal's digits."""
        k, values = len(self.seen_cells(layout)), layout.values
        return k * values[0], k * values[-1], f"a sum of {k} digits"

    def parameters(self, layout: Layout) -> tuple[Hashable, ...]:
        """The total; and that digits may repeat."""
        return self.total, False

    def is_satisfied_by(self, digits: Digits, values: range) -> bool:
        """Whether the digits along the diagonal add up to the number."""
        return sum(digits) == self.total

    def marks(self, layout: Layout) -> Iterable[Mark]:
        """The number, with an arrow that points along the diagonal."""
        down, right = DIRECTIONS[self.direction]
        x, y = centre_point(*self.clue)
        ends = tuple((x + distance * right, y + distance * down) for distance in (0.2, 0.45))
        sign = WordMark((x - 0.1 * right, y - 0.1 * down), str(self.total))
        return sign, Stroke(ends, "black", 0.04, arrow=True)


_FOUND = LARGEST + 1
"""A number that no digit is: the state when what a clue is about was read."""


class _SideClue(_OutsideClue):
    """Base class of clues beside a row or column."""

    def direction_step(self, layout: Layout) -> tuple[int, int]:
        """The change of (row, column) from each cell to the next in the clue's row or column."""
        (row, column), rows, columns = self.clue[0], layout.row_count, layout.column_count
        down = (row == -1) - (row == rows)
        return down, 0 if down else (column == -1) - (column == columns)

    def marks(self, layout: Layout) -> Iterable[Mark]:
        """The clue's number, written at its place beside the board."""
        return [WordMark(centre_point(*self.clue), str(self.total), 0.4)]


@rule(
    "sandwich",
    "the digits between the smallest and the largest add up to the number",
    "sandwichsum",
)
class Sandwich(FillingRule, _SideClue):
    """A sandwich: the digits between the smallest and the largest add up to the number beside.

    These are 1 and n where the row or column has all digits, otherwise those that stand there.
    """

    fpuzzles = "sandwichsum"


_Adding: TypeAlias = "tuple[int, DigitSet]"
"""(number of digits to add, set of added digits)."""


@rule("xsum", "the first X digits add up to the number; X is the first of them")
class XSum(_SideClue):
    """An X-sum: the first X digits add up to the number beside them, where X is the first."""

    iss = "XSum"
    fpuzzles = "xsum"
    start: ClassVar[_Adding] = (0, frozenset())

    @staticmethod
    def step(state: _Adding, digit: int, n: int, total: int) -> _Adding | None:
        """The next state: (number of digits to add, set of added digits); None to reject.

        The number is -1 when all were added.
        """
        left, held = state
        if left < 0:
            return state
        more, left = add_digit_to_sum(held, digit, n, total), (left or digit) - 1
        if more is None or left < 0 or (left == 0 and sum(more) != total):
            return None
        return (left, more) if left else (-1, frozenset())

    @staticmethod
    def accepts(state: _Adding, n: int, total: int) -> bool:
        """Whether all digits were added."""
        return state[0] < 0

    def parameters(self, layout: Layout) -> tuple[Hashable, ...]:
        """The number of digits of the board, and the clue's number."""
        return layout.digit_count, self.total

    def number_range(self, layout: Layout) -> Reach:
        """The range of X-sums: from 1 to the sum of all digits."""
        return 1, sum(layout.values), "a sum"

    def is_satisfied_by(self, digits: Digits, values: range) -> bool:
        """Whether the first X digits exist and sum to the clue's number; X is the first digit."""
        return 0 < digits[0] <= len(digits) and sum(digits[: digits[0]]) == self.total


@rule(
    "skyscraper",
    "the number is how many digits are seen from there; larger digits hide smaller ones",
)
class Skyscraper(_SideClue):
    """A skyscraper: its number counts the digits that are larger than all digits before them.

    The digit 0, a building without height, is never seen.
    """

    iss = "Skyscraper"
    fpuzzles = "skyscraper"
    start = (0, 0)

    @staticmethod
    def step(
        state: tuple[int, int], digit: int, tallest: range, total: int
    ) -> tuple[int, int] | None:
        """The next state: (largest digit, number of visible ones); None to reject."""
        largest, seen = state
        seen += digit > largest
        is_again = 0 < digit == largest
        return None if is_again or seen > total else (max(largest, digit), seen)

    @staticmethod
    def accepts(state: tuple[int, int], tallest: range, total: int) -> bool:
        """Whether exactly ``total`` digits were visible."""
        return state[0] in tallest and state[1] == total

    def parameters(self, layout: Layout) -> tuple[Hashable, ...]:
        """The possible greatest digits, and the clue's number."""
        return layout.values[len(self.seen_cells(layout)) - 1 :], self.total

    def number_range(self, layout: Layout) -> Reach:
        """The range of the number of visible digits: from 1 to all."""
        return 1, len(self.seen_cells(layout)), "a number of digits"

    def is_satisfied_by(self, digits: Digits, values: range) -> bool:
        """Whether exactly ``total`` digits are visible: positive, with no larger one before."""
        return sum(d == max(0, *digits[: i + 1]) > 0 for i, d in enumerate(digits)) == self.total


@rule("hiddenskyscraper", "the number is the first digit from there with a larger one before it")
class HiddenSkyscraper(_SideClue):
    """A hidden skyscraper: its number is the first digit that a larger one before it hides."""

    iss = "HiddenSkyscraper"
    start = -1

    @staticmethod
    def step(largest: int, digit: int, total: int) -> int | None:
        """The largest digit, or ``_FOUND`` once one is hidden; None if the first hidden is another.

        The digits of a line differ, so the hidden one stands nowhere else.
        """
        if largest != _FOUND and digit <= largest:
            return _FOUND if digit == total else None
        return None if digit == total else max(largest, digit)

    @staticmethod
    def accepts(largest: int, total: int) -> bool:
        """Whether the first hidden digit was read and is the clue's number."""
        return largest == _FOUND

    def number_range(self, layout: Layout) -> Reach:
        """The range of digits that can be hidden: all but the greatest."""
        return layout.values[0], layout.values[-1] - 1, "a digit"

    def is_satisfied_by(self, digits: Digits, values: range) -> bool:
        """Whether the number is the first digit that has a larger one before it."""
        hidden = [d for i, d in enumerate(digits) if max(digits[: i + 1]) > d]
        return hidden[:1] == [self.total]


@rule("numberedroom", "the number is the digit in the Xth cell from there; X is the first digit")
class NumberedRoom(_SideClue):
    """A numbered room: the clue is the line's Xth digit, where X is the line's first digit."""

    iss = "NumberedRoom"
    start = -1

    @staticmethod
    def step(cells_left: int, digit: int, total: int) -> int | None:
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

    @staticmethod
    def accepts(cells_left: int, total: int) -> bool:
        """Whether the Xth cell, where X is the first digit, was read."""
        return cells_left == _FOUND

    def number_range(self, layout: Layout) -> Reach:
        """The range of the clue's number: all digits of the board."""
        return layout.values[0], layout.values[-1], "a digit"

    def is_satisfied_by(self, digits: Digits, values: range) -> bool:
        """Whether the line has an Xth digit, where X is its first, and the clue is that digit."""
        return digits[0] > 0 and digits[digits[0] - 1 : digits[0]] == [self.total]
