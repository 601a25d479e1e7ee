"""Readers of boards on one line: a fast one for long lists, and one for all other forms."""

from __future__ import annotations

import re
from operator import eq

from bddsudoku.errors import PuzzleFormatError
from bddsudoku.puzzle.sudoku.grid import Puzzle
from bddsudoku.puzzle.sudoku.layout import LARGEST, SMALLEST
from bddsudoku.puzzle.sudoku.text.cell_resolver import (
    CellResolver,
    are_complete_positional_candidates,
    are_positional_candidates,
    are_row_candidates,
    refuse_region_map,
)
from bddsudoku.puzzle.sudoku.text.field_rows import FieldRow, is_mostly_words, not_a_puzzle
from bddsudoku.puzzle.sudoku.text.rule_lines import why_no_name
from bddsudoku.puzzle.sudoku.text.symbols import make_alphabet, show_symbol, usual_layout

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
_COMMON = (4, 6, 8, 9, 10, 12, 16, 25)
_SIZES = {n * n: f"{n}x{n}" for n in _COMMON} | {
    n**3: f"the candidates of {n}x{n}" for n in _COMMON[1:]
}
"""Numbers of symbols of boards of common sizes, and of their candidates, for messages."""


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


def board_on_line(row: FieldRow, text: str, resolver: CellResolver) -> OneLineBoard | None:
    """The board on a line, with its name; None for a row of a grid.

    The text is the complete line with its comment. The forms are tried in this order.
    """
    text = text.strip(" \t")
    for form in (
        _library_board,
        _board_in_link,
        _candidates,
        _cells_apart,
        _first_word,
        _rows_apart,
    ):
        if (found := form(row, text, resolver)) is not None:
            return found
    if max(len(row.tokens), len(_head_and_name(text)[0])) > _LONGEST_ROW and row.has_no_bars:
        raise PuzzleFormatError(_why_no_board(row, text, resolver))
    return None


def _head_and_name(text: str) -> tuple[str, str]:
    """The first word of a line, and what stands behind it."""
    match = _HEAD.match(text)
    return (match[1], (match[2] or "").strip()) if match else ("", "")


def _library_board(row: FieldRow, text: str, resolver: CellResolver) -> OneLineBoard | None:
    """The board of a line of HoDoKu's library, without the candidates that are eliminated in it."""
    if not text.startswith(":"):
        return None
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


def _board_in_link(row: FieldRow, text: str, resolver: CellResolver) -> OneLineBoard | None:
    """The only long word of a link, which must be a board; its other words are the name."""
    if not _LINK.match(text):
        return None
    words = [w for w in _LINK_WORDS.split(text) if w]
    board, *others = [w for w in words if len(w) > _LONGEST_ROW] or [""]
    layout = resolver.layout_of(len(board))
    if others or layout is None or make_alphabet(layout.n).digits(board) is None or board.isalpha():
        raise PuzzleFormatError(
            f"expected a link with n² symbols (81 for 9x9), found {show_symbol(text)}; "
            "is the puzzle on its server?"
        )
    name = " ".join(w for w in words if w != board)
    return resolver.make_puzzle(board, [row.line] * len(board)), name


def _candidates(row: FieldRow, text: str, resolver: CellResolver) -> OneLineBoard | None:
    """The candidates of all cells, each digit in its place, in one word or apart."""
    head, name = _head_and_name(text)
    if layout := resolver.layout_of_candidates(head):
        return resolver.puzzle_from_candidates(head, row.line, layout), name
    layout = resolver.layout_of_candidates(row.symbols)
    if layout is None or not layout.is_plain:
        return None
    n, lengths = layout.n, {*map(len, row.tokens)}
    if lengths not in ({n}, {n * n}) or not are_positional_candidates(row.symbols, n):
        return None
    return resolver.puzzle_from_candidates(row.symbols, row.line, layout), ""


def _cells_apart(row: FieldRow, text: str, resolver: CellResolver) -> OneLineBoard | None:
    """Cells that stand apart: all words of a line, or single symbols before a name."""
    tokens = row.tokens
    singles = next((i for i, t in enumerate(tokens) if len(t) != 1), len(tokens))
    for count in (len(tokens), singles):
        layout = resolver.layout_of(count)
        if layout is not None and (count > LARGEST or resolver.layout is not None):
            cells = tokens[:count]
            return resolver.make_puzzle(cells, [row.line] * count), " ".join(tokens[count:])
    return None


def _first_word(row: FieldRow, text: str, resolver: CellResolver) -> OneLineBoard | None:
    """A board in a line's first word, in which dots may part the rows, and the name behind it.

    Without a layout 16 symbols may be a row of a 16×16 board, or its first one on a line.
    """
    head, name = _head_and_name(text)
    if "+" in head and _PLACED.fullmatch(head):
        head = head.replace("+", "")
    rows = head.split(".")
    if len(rows) >= SMALLEST and {*map(len, rows)} == {len(rows)}:
        head = "".join(rows)
    layout = resolver.layout_of(len(head))
    if layout is None or "{" in head:
        return None
    is_small = resolver.layout is None and len(head) <= LARGEST
    if is_small and (
        len(head) > SMALLEST**2
        or not name
        or name.startswith("#")
        or len(row.symbols) == 256
        or not row.has_no_bars
    ):
        return None
    if layout.is_plain and name:
        refuse_region_map(name.split()[0], layout.n)
    return resolver.make_puzzle(head, [row.line] * len(head)), name


def _rows_apart(row: FieldRow, text: str, resolver: CellResolver) -> OneLineBoard | None:
    """A board whose rows or blocks stand apart, and not a row of cells with their candidates."""
    layout, symbols, n = resolver.layout_of(len(row.symbols)), row.symbols, len(row.tokens)
    if (
        layout is None
        or not layout.is_plain
        or len(symbols) <= (LARGEST if resolver.layout is None else layout.n)
        or len({*map(len, row.tokens)}) > 1
        or (n == layout.n and are_row_candidates(symbols, n))
    ):
        return None
    return resolver.make_puzzle(symbols, [row.line] * len(symbols)), ""


def _why_no_board(row: FieldRow, text: str, resolver: CellResolver) -> str:
    """The message for a line that is too long for a row and is no board."""
    if is_mostly_words(row.symbols):
        return not_a_puzzle(text)
    count = max(len(row.tokens), len(_head_and_name(text)[0]))
    layout = resolver.layout
    if layout is not None:
        size = layout.cell_count
        sizes = f"{size} for {layout} (or {size * layout.digit_count}, its candidates)"
    else:
        below = max((size for size in _SIZES if size < count), default=0)
        above = min((size for size in _SIZES if size > count), default=0)
        sizes = " or ".join(f"{size} for {_SIZES[size]}" for size in (below, above) if size)
    return f"{count} cells on one line, expected {sizes}"
