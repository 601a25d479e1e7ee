"""Readers of boards on one line: a fast one for long lists, and one for all other forms."""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import isqrt
from operator import eq

from bddsudoku.errors import PuzzleFormatError
from bddsudoku.puzzle.sudoku.grid import Puzzle
from bddsudoku.puzzle.sudoku.layout import (
    LARGEST,
    SMALLEST,
    has_default_blocks,
    why_no_default_blocks,
)
from bddsudoku.puzzle.sudoku.text.cell_resolver import (
    CellResolver,
    are_candidate_lists,
    are_complete_positional_candidates,
    are_positional_candidates,
    are_row_candidates,
    may_be_candidate_lists,
    refuse_region_map,
)
from bddsudoku.puzzle.sudoku.text.field_rows import FieldRow, why_unreadable
from bddsudoku.puzzle.sudoku.text.rule_lines import why_no_name
from bddsudoku.puzzle.sudoku.text.symbols import (
    make_alphabet,
    show_symbol,
    usual_layout,
)

OneLineBoard = tuple[Puzzle, str]
"""A board and its name."""

_HEAD = re.compile(r"([^ \t,;:|#]+)(?:[ \t,;:|#]+(.*))?", re.DOTALL)
_LIBRARY = re.compile(r":[\dx-]*:[^:]*:((?:\+?[1-9]|[.0]){81}):((?:[1-9]{3}\s*)*)(?::(.*))?")
"""HoDoKu's line: technique, digits, cells, eliminated candidates, what the technique finds."""
_PLACED = re.compile(r"(?:\+?[1-9]|[.0])+")
"""Cells of HoDoKu, in which a plus stands before digits that are no givens."""
_LINK = re.compile(r"\s*https?://", re.IGNORECASE)
_LINK_WORDS = re.compile(r"[\s=&?#/:]+")
_LONGEST_ROW = 35
"""Greatest number of symbols that are read as a row (boards may be too large)."""
_SMALLEST_LONE = 36
"""Least number of symbols of a board in a link: more than any row has."""
_COMMON = (4, 6, 8, 9, 10, 12, 16, 25)
_SIZES = {n * n: f"{n}x{n}" for n in _COMMON} | {
    n**3: f"the candidates of {n}x{n}" for n in _COMMON[1:]
}
"""Numbers of symbols of boards of common sizes, and of their candidates, for messages."""
_LONG = 70
"""Number of symbols above which a line is no row, even with a name."""


class FastLineReader:
    """Fast reader of one-line boards of side 6, 8 or 9 with usual symbols and blocks."""

    def __init__(self, resolver: CellResolver) -> None:
        layout = resolver.layout
        self._known = {
            n * n: (n, usual_layout(n), make_alphabet(n))
            for n in (6, 8, 9)
            if resolver.convention is None and layout in (None, usual_layout(n))
        }
        self._may_be_marks = layout is None

    def read_board(self, line: str) -> OneLineBoard | None:
        """The board on a line; None for any line that the general reader must check."""
        text = line.strip(" \t\r\n")
        name = ""
        known = self._known.get(len(text))
        if known is None:
            parted = _HEAD.fullmatch(text)
            if parted is None or not parted[2]:
                return None
            text, name = parted[1], parted[2]
            known = self._known.get(len(text))
            if known is None or not name.isprintable() or why_no_name(name):
                return None
        n, layout, letters = known
        digits = letters.digits(text)
        if digits is None or not text.strip("-"):
            return None
        if digits.count(0) < 2 * n and any(map(eq, digits, digits[n:])):
            return None  # equal digits in a column: perhaps a map of regions
        if len(name) >= len(text) and (name[0] == name[1] or name[0] == name[n]):
            return None  # perhaps the map of regions follows its board
        hints = digits.lstrip(b"\0")
        if hints and hints[0] == (len(digits) - len(hints)) % n + 1 and are_row_candidates(text, n):
            return None  # the candidates of a row of cells
        if n == 8 and self._may_be_marks and are_complete_positional_candidates(text, 4):
            return None
        return Puzzle.trusted(tuple(digits), layout), name


Cells = tuple[Sequence[str], str]
"""(text of each cell, name of the board)."""


def board_on_line(row: FieldRow, text: str, resolver: CellResolver) -> OneLineBoard | None:
    """The board on a line, with its name; None for a row of a grid.

    The text is the complete line with its comment. It is read, in this order, as candidates in
    their places, a board in the first word, separated cells, or single symbols before a name; of a
    link the only board in it is read.
    """
    tokens, symbols = row.tokens, row.symbols
    if text.lstrip(" \t").startswith(":"):
        return _library_board(text.strip(" \t"), row, resolver)
    if _LINK.match(text):
        found: Cells | None = _board_in_link(text, resolver)
    else:
        match = _HEAD.match(text.strip(" \t"))
        head, name = (match[1], (match[2] or "").strip()) if match else ("", "")
        if side := resolver.side_from_candidates(head):
            return resolver.puzzle_from_candidates(
                head, row.line, resolver.default_layout(side)
            ), name
        side = resolver.side_from_candidates(symbols)  # separated after every cell or every row
        if (
            side
            and {*map(len, tokens)} in ({side}, {side * side})
            and are_positional_candidates(symbols, side)
        ):
            return resolver.puzzle_from_candidates(
                symbols, row.line, resolver.default_layout(side)
            ), ""
        found = _board_in_first_word(head, name, row, resolver)
        if found is None:
            n = len(tokens)
            if n <= LARGEST and may_be_candidate_lists(tokens, n):
                return None  # a row of cells, each with its candidates
            if len(symbols) == n * n and resolver.allows_side(n) and are_row_candidates(symbols, n):
                return None  # a row of cells, candidates in their places
            found = _board_with_separators(row, resolver) or _board_before_name(
                row, head, name, resolver
            )
    if found is None:
        return None
    cells, name = found
    return resolver.make_puzzle(cells, [row.line] * len(cells)), name


def _board_in_first_word(
    head: str, name: str, row: FieldRow, resolver: CellResolver
) -> Cells | None:
    """The cells in a line's first word, and the name after it; None if the word is no board.

    A line that begins with 16 symbols may be a row of a 16×16 board, or a complete one. Dots may
    part its rows.
    """
    if "+" in head and _PLACED.fullmatch(head):
        head = head.replace("+", "")
    rows = head.split(".")
    if {*map(len, rows)} == {len(rows)} and len(rows) >= SMALLEST:
        head = "".join(rows)
    side = resolver.side_from_cells(len(head))
    if side == 4 and resolver.layout is None:
        is_alone = not name or name.startswith("#")
        if is_alone or len(row.symbols) == 256 or not row.has_no_bars:
            return None
    if not side:
        return None
    refuse_region_map(name.split()[0] if name else "", side)
    return head, name


def _library_board(text: str, row: FieldRow, resolver: CellResolver) -> OneLineBoard:
    """The board of a line of HoDoKu's library, without the candidates that are eliminated in it."""
    library = _LIBRARY.fullmatch(text)
    if library is None:
        raise PuzzleFormatError(
            "expected a line of HoDoKu's library (81 cells, then candidates such as 427)"
        )
    board = resolver.make_puzzle(library[1].replace("+", ""), [row.line] * 81)
    masks = [*board.masks]
    for digit, high, wide in (map(int, word) for word in library[2].split()):
        masks[9 * high + wide - 10] &= ~(1 << digit - 1)
    return Puzzle.from_masks(masks, board.layout), (library[3] or "").strip(":")


def _board_with_separators(row: FieldRow, resolver: CellResolver) -> Cells | None:
    """Read a one-line board with separators between its rows or cells; None for other lines."""
    tokens, symbols = row.tokens, row.symbols
    count, longest = len(tokens), max(map(len, tokens), default=0)
    side = resolver.side_from_cells(len(symbols))
    may_be_packed = longest <= side or all(len(t) == longest for t in tokens)
    if side and len(symbols) > LARGEST and may_be_packed and not row.may_be_numbers:
        return symbols, ""
    side = resolver.side_from_cells(count) if count != len(symbols) else 0
    is_certain = side >= 10 or resolver.layout is not None or count > LARGEST
    return (tokens, "") if side and (is_certain or are_candidate_lists(tokens, side)) else None


def _board_before_name(row: FieldRow, head: str, name: str, resolver: CellResolver) -> Cells | None:
    """Read a board's cells, as single symbols or (unusual sides) as one word, and its name."""
    tokens, count = row.tokens, len(row.tokens)
    is_long = len(head) > _LONGEST_ROW
    if not is_long and len(row.symbols) <= _LONG:
        return None
    singles = next((i for i, t in enumerate(tokens) if len(t) != 1), count)
    if len(head) == 1 and resolver.side_from_cells(singles):
        return tokens[:singles], " ".join(tokens[singles:])
    side = isqrt(len(head)) if resolver.layout is None and is_long else 0
    if 0 < side <= LARGEST and side * side == len(head) and why_unreadable([row]) is None:
        return head, name
    if is_long or count > _LONGEST_ROW:
        raise _line_length_error(row, head, resolver)
    return None


def _board_in_link(text: str, resolver: CellResolver) -> Cells:
    """The only long word of a link, which must be a board; its other words are the name."""
    words = [w for w in _LINK_WORDS.split(text) if w]
    board, *others = [w for w in words if len(w) >= _SMALLEST_LONE] or [""]
    side = resolver.side_from_cells(len(board))
    if others or not side or make_alphabet(side).digits(board) is None or board.isalpha():
        raise PuzzleFormatError(
            f"expected a link with n² symbols (81 for 9x9), found {show_symbol(text.strip())}; "
            "is the puzzle on its server?"
        )
    return board, " ".join(w for w in words if w != board)


def _line_length_error(row: FieldRow, head: str, resolver: CellResolver) -> PuzzleFormatError:
    """The error for a line that is too long for a row and is no board."""
    if better := why_unreadable([row]):
        return PuzzleFormatError(better)
    count = len(row.tokens)
    symbols = "".join(row.tokens) if count > _LONGEST_ROW else head
    cells = count if count > _LONGEST_ROW else len(head)
    what = f"{cells} cells on one line, expected "
    if (layout := resolver.layout) is not None:
        n = layout.n
        return PuzzleFormatError(f"{what}{n * n} for {layout} (or {n**3}, its candidates)")
    if cells == len(symbols) and cells % 2 == 0:
        side = resolver.side_from_cells(cells // 2)
        refuse_region_map(symbols[cells // 2 :], side)
        if side == 9:
            return PuzzleFormatError(
                f"{cells} symbols on one line: two 9x9 boards? write one a line"
            )
    side = isqrt(cells)
    if side * side == cells and not has_default_blocks(side):
        return PuzzleFormatError(why_no_default_blocks(side))
    below = max((size for size in _SIZES if size < cells), default=0)
    above = min((size for size in _SIZES if size > cells), default=0)
    sizes = " or ".join(f"{size} for {_SIZES[size]}" for size in (below, above) if size)
    return PuzzleFormatError(what + sizes)
