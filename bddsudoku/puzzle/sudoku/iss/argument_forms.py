"""Argument forms of Interactive-Sudoku-Solver (ISS): how a constraint's arguments give a rule."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations, groupby
from typing import Any, NamedTuple, TypeAlias

from bddsudoku.errors import PuzzleFormatError
from bddsudoku.puzzle.sudoku.exchanged_values import expected_error, read_number
from bddsudoku.puzzle.sudoku.layout import Layout
from bddsudoku.puzzle.sudoku.rules import FieldKind, Place, Places, Rule
from bddsudoku.puzzle.sudoku.rules.outside_clues import DIRECTIONS
from bddsudoku.puzzle.sudoku.rules.places_and_marks import are_neighbours, square_cells

Words: TypeAlias = "Sequence[str]"
"""The arguments of a constraint."""
RuleFields: TypeAlias = "dict[str, Any]"
"""Values of a rule's fields by name."""


class ArgumentForm(NamedTuple):
    """How the arguments of a constraint are read and written.

    Attributes:
        read: yields, for a class of rules, arguments and a board, the fields of each rule that
            the constraint stands for; raises a PuzzleFormatError when an argument is missing,
            unexpected or misplaced.
        write: the arguments of the constraint for a rule and a board; None if this form cannot say
            the rule.
    """

    read: Callable[[type[Rule], Words, Layout], Iterator[RuleFields]]
    write: Callable[[Any, Layout], Words | None]


# Cells and numbers

_NUMERALS = "0123456789abcdefg"
"""Numerals of rows and columns, to base 17."""


def read_cell(word: str, layout: Layout) -> Place:
    """Parse a cell such as R1C1 (row 10 is ``Ra``); an error if it is not on the board."""
    if len(word) != 4 or word[0] not in "rR" or word[2] not in "cC":
        raise expected_error("a cell such as R1C1", word)
    place = Place(*(_NUMERALS.find(numeral) - 1 for numeral in word[1::2].lower()))
    if not layout.has_cell(place):
        size = f"{layout.row_count}x{layout.column_count}"
        raise PuzzleFormatError(f"{word} is not on a board of {size} cells")
    return place


def cell_word(place: Place) -> str:
    """The name of a cell in Interactive-Sudoku-Solver, such as R1C1."""
    return f"R{_NUMERALS[place.row + 1]}C{_NUMERALS[place.column + 1]}"


# Fields, pairs, squares

REST = 0
"""The count of the field that takes all remaining arguments."""


def fields_form(
    missing: str = "", default: str = "", separator: str = "_", **counts: int
) -> ArgumentForm:
    """An argument form: the arguments are the values of the rule's fields, field by field.

    Args:
        missing: how an optional number that is missing is written (it may be empty as well).
        default: the number that holds where the first argument is already a cell.
        separator: what separates digits, which are one argument; "" if each is one symbol.
        counts: number of arguments by field; :data:`REST` for all that remain.
    """

    def read(rule: type[Rule], words: Words, layout: Layout) -> Iterator[RuleFields]:
        left = [default, *words] if default and words[:1] and words[0][:1] in "rR" else [*words]
        found: RuleFields = {}
        for field, count in counts.items():
            here, left = (left[:count], left[count:]) if count else (left, [])
            kind = rule.fields[field]
            if len(here) < max(count, 1):
                raise expected_error(kind.value, "")
            if kind is FieldKind.PLACES:
                found[field] = tuple(read_cell(word, layout) for word in here)
            elif kind is FieldKind.DIGITS:
                digits = here[0].split(separator) if separator else here[0]
                found[field] = tuple(map(read_number, digits))
            elif kind is not FieldKind.MAYBE or here[0] not in ("", missing):
                found[field] = read_number(here[0])
        if left:
            raise expected_error("no more arguments", left[0])
        yield found

    def write(rule: Any, layout: Layout) -> Words | None:
        words: list[str] = []
        for field, count in counts.items():
            value, kind = getattr(rule, field), rule.fields[field]
            if kind is FieldKind.PLACES:
                if count and len(value) != count:
                    return None
                words += map(cell_word, value)
            elif kind is FieldKind.DIGITS:
                if not separator and max(value) > 9:
                    return None
                words.append(separator.join(map(str, value)))
            else:
                words.append(missing if value is None else str(value))
        return words

    return ArgumentForm(read, write)


def _read_neighbour_pairs(rule: type[Rule], words: Words, layout: Layout) -> Iterator[RuleFields]:
    """Yield every pair of neighbours among the cells that the arguments name."""
    places = dict.fromkeys(read_cell(word, layout) for word in words)
    pairs = [pair for pair in combinations(places, 2) if are_neighbours(*pair)]
    if not pairs:
        raise PuzzleFormatError("expected cells that share a side")
    yield from ({"cells": pair} for pair in pairs)


NEIGHBOURS = ArgumentForm(_read_neighbour_pairs, fields_form(cells=REST).write)
"""Cells, of which every two neighbours make a rule, the earlier one first."""


_SUM_LINE = fields_form(total=1, cells=REST)


def _read_sum_line(rule: type[Rule], words: Words, layout: Layout) -> Iterator[RuleFields]:
    """Read a sum and the cells of a line; the line is closed if the last argument is LOOP."""
    closed = [*words[:-1], words[1]] if len(words) > 2 and words[-1] == "LOOP" else words
    return _SUM_LINE.read(rule, closed, layout)


def _write_sum_line(rule: Any, layout: Layout) -> Words | None:
    """A sum and the cells of a line, with LOOP at the end if the line is closed."""
    words = _SUM_LINE.write(rule, layout)
    return [*words[:-1], "LOOP"] if words and rule.is_closed else words


SUM_LINE = ArgumentForm(_read_sum_line, _write_sum_line)
"""A number, then the cells of a line; if it ends in its first cell, LOOP instead of that."""


def read_cell_groups(words: Words, layout: Layout) -> list[Places]:
    """Read groups of cells; arguments that are empty or start with ``-`` or ``_`` separate them."""
    groups = groupby(words, lambda word: word[:1] not in ("", "-", "_"))
    found = [
        tuple(read_cell(word, layout) for word in group) for is_cell, group in groups if is_cell
    ]
    if not found:
        raise expected_error("cells", "")
    return found


def _read_cell_set_pairs(rule: type[Rule], words: Words, layout: Layout) -> Iterator[RuleFields]:
    """Yield the first set of cells together with each of the other sets."""
    first, *others = read_cell_groups(words, layout)
    if not others:
        raise PuzzleFormatError("expected segments of cells, with - between them")
    yield from ({"cells": first, "others": other} for other in others)


def _write_cell_set_pair(rule: Any, layout: Layout) -> Words:
    """The names of the cells of a rule's two sets, with ``-`` between them."""
    return [*map(cell_word, rule.cells), "-", *map(cell_word, rule.others)]


SEGMENTS = ArgumentForm(_read_cell_set_pairs, _write_cell_set_pair)
"""Sets of cells with - between them, of which the first makes a rule with each other one."""


def _read_quadruple(rule: type[Rule], words: Words, layout: Layout) -> Iterator[RuleFields]:
    """Read the top left cell of a square of 2×2 cells, and the digits in it."""
    top_left = read_cell(words[0] if words else "", layout)
    yield {"cells": square_cells(top_left), "digits": tuple(map(read_number, words[1:]))}


def _write_quadruple(rule: Any, layout: Layout) -> Words:
    """The top left cell of a square of 2×2 cells, and the digits in it."""
    return [cell_word(min(rule.cells)), *map(str, rule.digits)]


SQUARE = ArgumentForm(_read_quadruple, _write_quadruple)
"""The top left cell of a square of 2×2 cells, then digits."""


# Clues beside the board


def _clue_place(line: str, is_behind: bool, layout: Layout) -> Places:
    """The place of a clue before a row or column (R1, C1), or behind it if ``is_behind``."""
    index = _NUMERALS.find(line[1:].lower()) - 1 if len(line) == 2 else -1
    rows, columns = layout.row_count, layout.column_count
    if line[:1] == "R" and 0 <= index < rows:
        return (Place(index, columns if is_behind else -1),)
    if line[:1] == "C" and 0 <= index < columns:
        return (Place(rows if is_behind else -1, index),)
    raise expected_error("a row or column such as R1 or C1", line)


def _line_name(clue: Place, layout: Layout) -> str:
    """The name, such as R1 or C1, of the row or column beside which a clue stands."""
    is_row = 0 <= clue.row < layout.row_count
    return f"R{_NUMERALS[clue.row + 1]}" if is_row else f"C{_NUMERALS[clue.column + 1]}"


def _read_clues_at_ends(rule: type[Rule], words: Words, layout: Layout) -> Iterator[RuleFields]:
    """Read a row or column, and the clue at its beginning, at its end, or both."""
    if not 2 <= len(words) <= 3 or not any(words[1:]):
        raise PuzzleFormatError("expected a row or column, and one or two numbers")
    for is_behind, word in enumerate(words[1:]):
        if word:
            yield {
                "clue": _clue_place(words[0], bool(is_behind), layout),
                "total": read_number(word),
            }


def _write_clue_at_end(rule: Any, layout: Layout) -> Words:
    """A line's name, then the clue before it and the clue after it; one of the two is empty."""
    (clue,) = rule.clue
    number = str(rule.total)
    is_behind = clue.row == layout.row_count or clue.column == layout.column_count
    return [_line_name(clue, layout), *(("", number) if is_behind else (number, ""))]


ENDS = ArgumentForm(_read_clues_at_ends, _write_clue_at_end)
"""A row or column, the number before it, and the number behind it; either may be empty."""


def _read_line_clue(rule: type[Rule], words: Words, layout: Layout) -> Iterator[RuleFields]:
    """Read a number, and the row or column of which it is the clue."""
    number, line = _require_two_arguments(words, "a number, and a row or column")
    yield {"clue": _clue_place(line, False, layout), "total": read_number(number)}


def _write_line_clue(rule: Any, layout: Layout) -> Words:
    """A clue's number, and the name of its row or column."""
    return [str(rule.total), _line_name(rule.clue[0], layout)]


WHOLE_LINE = ArgumentForm(_read_line_clue, _write_line_clue)
"""A number, then a row or column, both directions of which are the same to the rule."""


def _is_diagonal_start(cell: Place, direction: str, layout: Layout) -> bool:
    """Whether ISS names the diagonal that runs from a cell in a direction by this first cell.

    Diagonals go down from the left or from the top edge; only those that do not end there go up
    from the right or from the bottom edge.
    """
    (row, column), last_row, last = cell, layout.row_count - 1, layout.column_count - 1
    return {
        "dr": column == 0 and row < last_row,
        "ul": column == last and 0 < row < min(last_row, last),
        "dl": row == 0 and column > 0,
        "ur": row == last_row and max(0, last - last_row) < column < last,
    }[direction]


def _read_diagonal(rule: type[Rule], words: Words, layout: Layout) -> Iterator[RuleFields]:
    """Read a number, and the cell by which ISS names a diagonal."""
    number, word = _require_two_arguments(words, "a number, and a cell")
    first = read_cell(word, layout)
    for direction, (down, right) in DIRECTIONS.items():
        if _is_diagonal_start(first, direction, layout):
            clue = (Place(first.row - down, first.column - right),)
            yield {"clue": clue, "total": read_number(number), "direction": direction}
            return
    raise PuzzleFormatError(f"no diagonal begins at {word}")


def _write_diagonal_sum(rule: Any, layout: Layout) -> Words | None:
    """The sum along a diagonal, and the cell by which ISS names the diagonal."""
    line, (down, right) = rule.seen_cells(layout), rule.direction_step(layout)
    opposite = next(d for d, step in DIRECTIONS.items() if step == (-down, -right))
    for cell, direction in ((line[0], rule.direction), (line[-1], opposite)):
        if len(line) > 1 and _is_diagonal_start(cell, direction, layout):
            return [str(rule.total), cell_word(cell)]
    return None


DIAGONAL = ArgumentForm(_read_diagonal, _write_diagonal_sum)
"""A number, then the first cell of a diagonal of two or more cells."""


def _require_two_arguments(words: Words, wanted: str) -> Words:
    """Return the arguments; raise an error that says what was ``wanted`` if they are not two."""
    if len(words) != 2:
        raise PuzzleFormatError(f"expected {wanted}, found {len(words)} arguments")
    return words
