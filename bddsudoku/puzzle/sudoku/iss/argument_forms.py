"""Forms of the arguments of ISS's constraints: how they become a rule's fields, and back.

Each form reads the arguments of one constraint as the fields of one or more rules, and writes a
rule as the arguments of one or more constraints.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any, TypeAlias

from bddsudoku.errors import PuzzleFormatError
from bddsudoku.number_text import parse_whole_number
from bddsudoku.puzzle.sudoku.rules import FieldKind, Place, Places, Rule
from bddsudoku.puzzle.sudoku.rules.places import are_neighbours
from bddsudoku.puzzle.sudoku.text.symbols import show_symbol

REST = 0
"""The count of the field that takes all remaining arguments."""
_NUMERALS = "0123456789abcdefg"
"""ISS's numerals of rows and columns, to base 17."""

RuleFields: TypeAlias = "dict[str, Any]"
"""Values of a rule's fields by name."""


def is_on_board(place: Place, n: int) -> bool:
    """Whether a place is a cell of a board of side n."""
    return min(place) >= 0 and max(place) < n


def read_cell(word: str, n: int) -> Place:
    """The cell of a board of side n with a name such as R1C1; row 10 is a, row 16 is g.

    Raises:
        PuzzleFormatError: the word names no cell of the board.
    """
    if len(word) != 4 or word[0] not in "rR" or word[2] not in "cC":
        raise PuzzleFormatError(f"expected a cell such as R1C1, found {_shown(word)}")
    place = Place(*(_NUMERALS.find(numeral) - 1 for numeral in word[1::2].lower()))
    if not is_on_board(place, n):
        raise PuzzleFormatError(f"{word} is not on a board of {n}x{n} cells")
    return place


def cell_word(place: Place) -> str:
    """ISS's name of a cell."""
    return f"R{_NUMERALS[place.row + 1]}C{_NUMERALS[place.column + 1]}"


def read_number(word: str) -> int:
    """The number that an argument writes.

    Raises:
        PuzzleFormatError: the argument is no whole number.
    """
    number = parse_whole_number(word)
    if number is None:
        raise PuzzleFormatError(f"expected a number, found {_shown(word)}")
    return number


def _shown(word: str) -> str:
    return show_symbol(word) if word else "nothing"


class ArgumentForm(ABC):
    """A form that the arguments of a constraint have."""

    @abstractmethod
    def read(self, rule: type[Rule], words: Sequence[str], n: int) -> Iterator[RuleFields]:
        """Yield the fields of each rule that a constraint's arguments describe, on side n.

        Raises:
            PuzzleFormatError: an argument is missing, unexpected or misplaced.
        """

    @abstractmethod
    def write(self, rule: Any, n: int) -> Iterator[Sequence[str]]:
        """Yield the arguments of each constraint that together say what a rule says, on side n."""


class Listed(ArgumentForm):
    """The rule's fields one after the other.

    Args:
        nothing: how an optional number that is missing is written; other spellings than this and
            the empty argument are numbers.
        usual: the number that holds where the first argument is already a cell.
        counts: number of arguments by field; :data:`REST` for all that remain. Digits in one
            argument are separated by ``_``.
    """

    def __init__(self, nothing: str = "", usual: str | None = None, **counts: int) -> None:
        self._nothing, self._usual, self._counts = nothing, usual, counts

    def read(self, rule: type[Rule], words: Sequence[str], n: int) -> Iterator[RuleFields]:
        """Yield the fields, in order."""
        left = [*words]
        if self._usual is not None and left and left[0][:1] in ("r", "R"):
            left.insert(0, self._usual)
        found: RuleFields = {}
        for field, count in self._counts.items():
            here, left = (left[:count], left[count:]) if count else (left, [])
            kind = rule.fields[field]
            if len(here) < (count or 1):
                raise PuzzleFormatError(f"expected {kind.value}, found the end")
            if kind is FieldKind.PLACES:
                found[field] = tuple(read_cell(word, n) for word in here)
            elif kind is FieldKind.DIGITS:
                digits = here[0].split("_") if count else here
                found[field] = tuple(map(read_number, digits))
            elif kind is not FieldKind.MAYBE or here[0] not in ("", self._nothing):
                found[field] = read_number(here[0])
        if left:
            raise PuzzleFormatError(f"{_shown(left[0])} does not belong there")
        yield found

    def write(self, rule: Any, n: int) -> Iterator[Sequence[str]]:
        """Yield the fields, in order, unless one has another length."""
        words: list[str] = []
        for field, count in self._counts.items():
            value, kind = getattr(rule, field), rule.fields[field]
            if kind is FieldKind.PLACES:
                if count and len(value) != count:
                    return
                words += map(cell_word, value)
            elif kind is FieldKind.DIGITS:
                words += ["_".join(map(str, value))] if count else map(str, value)
            else:
                words.append(self._nothing if value is None else str(value))
        yield words


class NeighbourPairs(ArgumentForm):
    """Cells, of which every two neighbours make a rule, the earlier one first."""

    def read(self, rule: type[Rule], words: Sequence[str], n: int) -> Iterator[RuleFields]:
        """Yield the pairs of neighbours among the cells."""
        places = [read_cell(word, n) for word in words]
        pairs = [pair for pair in combinations(places, 2) if are_neighbours(*pair)]
        if not pairs:
            raise PuzzleFormatError("expected cells that share a side")
        yield from ({"cells": pair} for pair in pairs)

    def write(self, rule: Any, n: int) -> Iterator[Sequence[str]]:
        """Yield the two cells."""
        yield [cell_word(place) for place in rule.cells]


class Square(ArgumentForm):
    """The top left cell of a square of 2×2 cells, then digits."""

    def read(self, rule: type[Rule], words: Sequence[str], n: int) -> Iterator[RuleFields]:
        """Yield the four cells and the digits."""
        top, left = read_cell(words[0] if words else "", n)
        cells = tuple(Place(top + i, left + j) for i in (0, 1) for j in (0, 1))
        yield {"cells": cells, "digits": tuple(map(read_number, words[1:]))}

    def write(self, rule: Any, n: int) -> Iterator[Sequence[str]]:
        """Yield the first of the cells, and the digits."""
        yield [cell_word(min(rule.cells)), *map(str, rule.digits)]


def _read_line(word: str, is_far: bool, n: int) -> Places:
    """The place beside a row or column such as R1 or C1: left or above, ``is_far`` opposite."""
    index = _NUMERALS.find(word[1:].lower()) - 1 if len(word) == 2 else -1
    if not (word[:1] in ("R", "C") and 0 <= index < n):
        raise PuzzleFormatError(f"expected a row or column such as R1 or C1, found {_shown(word)}")
    beside = n if is_far else -1
    return (Place(index, beside) if word[0] == "R" else Place(beside, index),)


def _line_word(clue: Place, n: int) -> str:
    """ISS's name of the row or column beside which a clue stands."""
    row = 0 <= clue.row < n
    return f"R{_NUMERALS[clue.row + 1]}" if row else f"C{_NUMERALS[clue.column + 1]}"


class BothEnds(ArgumentForm):
    """A row or column, the number before it, and the number behind it; either may be empty."""

    def read(self, rule: type[Rule], words: Sequence[str], n: int) -> Iterator[RuleFields]:
        """Yield a clue for each number."""
        if not 2 <= len(words) <= 3 or not any(words[1:]):
            raise PuzzleFormatError("expected a row or column, and one or two numbers")
        for is_far, word in enumerate(words[1:]):
            if word:
                clue = _read_line(words[0], bool(is_far), n)
                yield {"clue": clue, "total": read_number(word)}

    def write(self, rule: Any, n: int) -> Iterator[Sequence[str]]:
        """Yield the clue's line and number."""
        (clue,) = rule.clue
        before, behind = ("", str(rule.total)) if n in clue else (str(rule.total), "")
        yield [_line_word(clue, n), before, behind]


class WholeLine(ArgumentForm):
    """A number, then a row or column, whose two directions are the same to the rule."""

    def read(self, rule: type[Rule], words: Sequence[str], n: int) -> Iterator[RuleFields]:
        """Yield the clue, left of the row or above the column."""
        number, line = _two_words(words, "a number, and a row or column")
        yield {"clue": _read_line(line, False, n), "total": read_number(number)}

    def write(self, rule: Any, n: int) -> Iterator[Sequence[str]]:
        """Yield the number, and the line of the clue."""
        yield [str(rule.total), _line_word(rule.clue[0], n)]


class Diagonally(ArgumentForm):
    """A number, then the first cell of a diagonal.

    The diagonals go down from the left or from the top edge, up from the right or from the bottom
    edge; one that joins two corners goes down.
    """

    def read(self, rule: type[Rule], words: Sequence[str], n: int) -> Iterator[RuleFields]:
        """Yield the clue beside the diagonal's first cell."""
        number, word = _two_words(words, "a number, and a cell")
        first = read_cell(word, n)
        for direction, (down, right) in _WAYS.items():
            last = Place(first.row + down, first.column + right)
            if is_on_board(last, n) and _first_cell((first, last), n) == first:
                clue = (Place(first.row - down, first.column - right),)
                yield {"clue": clue, "total": read_number(number), "direction": direction}
                return
        raise PuzzleFormatError(f"no diagonal begins at {word}")

    def write(self, rule: Any, n: int) -> Iterator[Sequence[str]]:
        """Yield the number and the diagonal's first cell; nothing for a diagonal of one cell."""
        line = rule.seen_cells(n)
        for cells in (line, line[::-1]) if len(line) > 1 else ():
            if (first := _first_cell(cells, n)) is not None:
                yield [str(rule.total), cell_word(first)]
                return


_WAYS = {"dr": (1, 1), "ul": (-1, -1), "dl": (1, -1), "ur": (-1, 1)}


def _first_cell(diagonal: Places, n: int) -> Place | None:
    """The first cell of a diagonal in ISS's order; None if it runs the other way."""
    (r, c), (below, beside) = diagonal[:2]
    begins = {
        (1, 1): c == 0,
        (-1, -1): c == n - 1 and r < n - 1,
        (1, -1): r == 0,
        (-1, 1): r == n - 1 and 0 < c < n - 1,
    }
    return diagonal[0] if begins[below - r, beside - c] else None


def _two_words(words: Sequence[str], expected: str) -> Sequence[str]:
    if len(words) != 2:
        raise PuzzleFormatError(f"expected {expected}, found {len(words)} arguments")
    return words
