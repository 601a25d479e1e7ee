"""Forms of the arguments of ISS's constraints: how they become a rule's fields, and back."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations, groupby
from typing import Any, NamedTuple, TypeAlias

from bddsudoku.errors import PuzzleFormatError
from bddsudoku.number_text import parse_whole_number
from bddsudoku.puzzle.sudoku.rules import FieldKind, Place, Places, Rule
from bddsudoku.puzzle.sudoku.rules.places import are_neighbours
from bddsudoku.puzzle.sudoku.text.symbols import show_symbol

Words: TypeAlias = "Sequence[str]"
"""The arguments of a constraint."""
RuleFields: TypeAlias = "dict[str, Any]"
"""Values of a rule's fields by name."""


class ArgumentForm(NamedTuple):
    """A form that the arguments of a constraint have.

    Attributes:
        read: yields, for a class of rules, arguments and a side n, the fields of each rule that
            the constraint stands for; raises a PuzzleFormatError when an argument is missing,
            unexpected or misplaced.
        write: yields, for a rule and a side n, the arguments of the constraint; nothing if this
            form cannot say the rule.
    """

    read: Callable[[type[Rule], Words, int], Iterator[RuleFields]]
    write: Callable[[Any, int], Iterator[Words]]


# Cells and numbers

_NUMERALS = "0123456789abcdefg"
"""Numerals of rows and columns, to base 17."""


def is_on_board(place: Place, n: int) -> bool:
    """Whether a place is a cell of a board of side n."""
    return min(place) >= 0 and max(place) < n


def read_cell(word: str, n: int) -> Place:
    """The cell of a board of side n with a name such as R1C1; row 10 is a, row 16 is g.

    Raises:
        PuzzleFormatError: the word names no cell of the board.
    """
    if len(word) != 4 or word[0] not in "rR" or word[2] not in "cC":
        raise expected("a cell such as R1C1", word)
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
        raise expected("a number", word)
    return number


def expected(what: str, word: str) -> PuzzleFormatError:
    """An error, not yet raised: what was expected in place of an argument."""
    found = show_symbol(word) if word else "nothing"
    return PuzzleFormatError(f"expected {what}, found {found}")


# Fields, pairs, squares

REST = 0
"""The count of the field that takes all remaining arguments."""


def listed(nothing: str = "", usual: str = "", between: str = "_", **counts: int) -> ArgumentForm:
    """The form of a rule's fields one after the other.

    Args:
        nothing: how an optional number that is missing is written (it may be empty as well).
        usual: the number that holds where the first argument is already a cell.
        between: what separates digits, which are one argument; nothing: each is one symbol.
        counts: number of arguments by field; :data:`REST` for all that remain.
    """

    def read(rule: type[Rule], words: Words, n: int) -> Iterator[RuleFields]:
        left = [usual, *words] if usual and words[:1] and words[0][:1] in "rR" else [*words]
        found: RuleFields = {}
        for field, count in counts.items():
            here, left = (left[:count], left[count:]) if count else (left, [])
            kind = rule.fields[field]
            if len(here) < max(count, 1):
                raise expected(kind.value, "")
            if kind is FieldKind.PLACES:
                found[field] = tuple(read_cell(word, n) for word in here)
            elif kind is FieldKind.DIGITS:
                digits = here[0].split(between) if between else here[0]
                found[field] = tuple(map(read_number, digits))
            elif kind is not FieldKind.MAYBE or here[0] not in ("", nothing):
                found[field] = read_number(here[0])
        if left:
            raise expected("no more arguments", left[0])
        yield found

    def write(rule: Any, n: int) -> Iterator[Words]:
        words: list[str] = []
        for field, count in counts.items():
            value, kind = getattr(rule, field), rule.fields[field]
            if kind is FieldKind.PLACES:
                if count and len(value) != count:
                    return
                words += map(cell_word, value)
            elif kind is FieldKind.DIGITS:
                if not between and max(value) > 9:
                    return
                words.append(between.join(map(str, value)))
            else:
                words.append(nothing if value is None else str(value))
        yield words

    return ArgumentForm(read, write)


def _read_pairs(rule: type[Rule], words: Words, n: int) -> Iterator[RuleFields]:
    places = dict.fromkeys(read_cell(word, n) for word in words)
    pairs = [pair for pair in combinations(places, 2) if are_neighbours(*pair)]
    if not pairs:
        raise PuzzleFormatError("expected cells that share a side")
    yield from ({"cells": pair} for pair in pairs)


NEIGHBOURS = ArgumentForm(_read_pairs, listed(cells=REST).write)
"""Cells, of which every two neighbours make a rule, the earlier one first."""


_SUM_LINE = listed(total=1, cells=REST)


def _read_sum_line(rule: type[Rule], words: Words, n: int) -> Iterator[RuleFields]:
    closed = [*words[:-1], words[1]] if len(words) > 2 and words[-1] == "LOOP" else words
    return _SUM_LINE.read(rule, closed, n)


def _write_sum_line(rule: Any, n: int) -> Iterator[Words]:
    for words in _SUM_LINE.write(rule, n):
        yield [*words[:-1], "LOOP"] if rule.is_closed else words


SUM_LINE = ArgumentForm(_read_sum_line, _write_sum_line)
"""A number, then the cells of a line; if it ends in its first cell, LOOP instead of that."""


def cell_groups(words: Words, n: int) -> list[Places]:
    """The lists of cells in some arguments, with empty ones, ``-`` or names (``_…``) between them.

    Raises:
        PuzzleFormatError: there is no cell, or a word that names none.
    """
    groups = groupby(words, lambda word: word[:1] not in ("", "-", "_"))
    found = [tuple(read_cell(word, n) for word in group) for is_cell, group in groups if is_cell]
    if not found:
        raise expected("cells", "")
    return found


def _read_segments(rule: type[Rule], words: Words, n: int) -> Iterator[RuleFields]:
    first, *others = cell_groups(words, n)
    if not others:
        raise PuzzleFormatError("expected segments of cells, with - between them")
    yield from ({"cells": first, "others": other} for other in others)


def _write_segments(rule: Any, n: int) -> Iterator[Words]:
    yield [*map(cell_word, rule.cells), "-", *map(cell_word, rule.others)]


SEGMENTS = ArgumentForm(_read_segments, _write_segments)
"""Sets of cells with - between them, of which the first makes a rule with each other one."""


def _read_square(rule: type[Rule], words: Words, n: int) -> Iterator[RuleFields]:
    top, left = read_cell(words[0] if words else "", n)
    cells = tuple(Place(top + i, left + j) for i in (0, 1) for j in (0, 1))
    yield {"cells": cells, "digits": tuple(map(read_number, words[1:]))}


def _write_square(rule: Any, n: int) -> Iterator[Words]:
    yield [cell_word(min(rule.cells)), *map(str, rule.digits)]


SQUARE = ArgumentForm(_read_square, _write_square)
"""The top left cell of a square of 2×2 cells, then digits."""


# Clues beside the board


def _clue_beside(word: str, is_far: bool, n: int) -> Places:
    """The place beside a row or column such as R1 or C1: left or above, ``is_far`` opposite."""
    index = _NUMERALS.find(word[1:].lower()) - 1 if len(word) == 2 else -1
    if not (word[:1] in ("R", "C") and 0 <= index < n):
        raise expected("a row or column such as R1 or C1", word)
    beside = n if is_far else -1
    return (Place(index, beside) if word[0] == "R" else Place(beside, index),)


def _line_word(clue: Place, n: int) -> str:
    """ISS's name of the row or column beside which a clue stands."""
    is_row = 0 <= clue.row < n
    return f"R{_NUMERALS[clue.row + 1]}" if is_row else f"C{_NUMERALS[clue.column + 1]}"


def _read_ends(rule: type[Rule], words: Words, n: int) -> Iterator[RuleFields]:
    if not 2 <= len(words) <= 3 or not any(words[1:]):
        raise PuzzleFormatError("expected a row or column, and one or two numbers")
    for is_far, word in enumerate(words[1:]):
        if word:
            yield {"clue": _clue_beside(words[0], bool(is_far), n), "total": read_number(word)}


def _write_ends(rule: Any, n: int) -> Iterator[Words]:
    (clue,) = rule.clue
    number = str(rule.total)
    yield [_line_word(clue, n), *(("", number) if n in clue else (number, ""))]


ENDS = ArgumentForm(_read_ends, _write_ends)
"""A row or column, the number before it, and the number behind it; either may be empty."""


def _read_whole(rule: type[Rule], words: Words, n: int) -> Iterator[RuleFields]:
    number, line = _two_words(words, "a number, and a row or column")
    yield {"clue": _clue_beside(line, False, n), "total": read_number(number)}


def _write_whole(rule: Any, n: int) -> Iterator[Words]:
    yield [str(rule.total), _line_word(rule.clue[0], n)]


WHOLE_LINE = ArgumentForm(_read_whole, _write_whole)
"""A number, then a row or column, both directions of which are the same to the rule."""

_STEPS = {"dr": (1, 1), "ul": (-1, -1), "dl": (1, -1), "ur": (-1, 1)}


def _begins_diagonal(cell: Place, direction: str, n: int) -> bool:
    """Whether ISS names the diagonal from a cell by this cell, and not by its other end.

    Diagonals go down from the left or from the top edge, up from the right or from the bottom
    edge; one that joins two corners goes down.
    """
    row, column = cell
    return {
        "dr": column == 0 and row < n - 1,
        "ul": column == n - 1 and 0 < row < n - 1,
        "dl": row == 0 and column > 0,
        "ur": row == n - 1 and 0 < column < n - 1,
    }[direction]


def _read_diagonal(rule: type[Rule], words: Words, n: int) -> Iterator[RuleFields]:
    number, word = _two_words(words, "a number, and a cell")
    first = read_cell(word, n)
    for direction, (down, right) in _STEPS.items():
        if _begins_diagonal(first, direction, n):
            clue = (Place(first.row - down, first.column - right),)
            yield {"clue": clue, "total": read_number(number), "direction": direction}
            return
    raise PuzzleFormatError(f"no diagonal begins at {word}")


def _write_diagonal(rule: Any, n: int) -> Iterator[Words]:
    line, opposite = rule.seen_cells(n), dict(zip(_STEPS, ("ul", "dr", "ur", "dl"), strict=True))
    for cell, direction in ((line[0], rule.direction), (line[-1], opposite[rule.direction])):
        if len(line) > 1 and _begins_diagonal(cell, direction, n):
            yield [str(rule.total), cell_word(cell)]
            return


DIAGONAL = ArgumentForm(_read_diagonal, _write_diagonal)
"""A number, then the first cell of a diagonal of two or more cells."""


def _two_words(words: Words, wanted: str) -> Words:
    if len(words) != 2:
        raise PuzzleFormatError(f"expected {wanted}, found {len(words)} arguments")
    return words
