"""Readers of the forms of boards on one line."""

from __future__ import annotations

import re
from collections.abc import Sequence

from bddsudoku.errors import PuzzleFormatError
from bddsudoku.puzzle.sudoku.grid import Puzzle
from bddsudoku.puzzle.sudoku.layout import LARGEST, SMALLEST
from bddsudoku.puzzle.sudoku.text.cell_resolver import (
    CellResolver,
    are_positional_candidates,
    are_row_candidates,
    refuse_region_map,
)
from bddsudoku.puzzle.sudoku.text.grid_rows import FieldRow, is_mostly_words, not_a_puzzle
from bddsudoku.puzzle.sudoku.text.symbols import make_alphabet, show_symbol

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


def board_on_line(row: FieldRow, text: str, resolver: CellResolver) -> OneLineBoard | None:
    """The board on a line, with its name; None for a row of a grid.

    The text is the complete line with its comment. The forms are tried in this order.
    """
    text = text.strip(" \t")
    for form in (_library_board, _board_in_link, _candidates, _cells):
        if (found := form(row, text, resolver)) is not None:
            return found
    count = max(len(row.tokens), len(_head_and_name(text)[0]))
    if count > _LONGEST_ROW and row.has_no_bars:
        raise PuzzleFormatError(
            not_a_puzzle(text)
            if is_mostly_words(row.symbols)
            else f"{count} cells on one line, expected n² (81 for 9x9) or n³ candidates (729)"
            if (layout := resolver.layout) is None
            else f"{count} cells on one line, expected {layout.cell_count} for {layout} "
            f"(or {layout.cell_count * layout.digit_count}, its candidates)"
        )
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


def _cells(row: FieldRow, text: str, resolver: CellResolver) -> OneLineBoard | None:
    """Cells that stand apart, in one word or in rows apart; behind symbols or a word the name.

    Without a layout up to 25 cells are the row of a grid, but for 16 symbols with a name.
    """
    head, name = _head_and_name(text)
    tokens, symbols, count = row.tokens, row.symbols, len(row.tokens)
    singles = next((i for i, t in enumerate(tokens) if len(t) != 1), count)
    word = _without_marks(head)
    ways: list[tuple[Sequence[str], str]] = [
        (tokens, ""),
        (tokens[:singles], " ".join(tokens[singles:])),
        (word, name),
    ]
    is_even = len({*map(len, tokens)}) == 1 and not resolver.is_board_unusual
    if is_even and not (len(symbols) == count**2 and are_row_candidates(symbols, count)):
        ways.append((symbols, ""))
    is_row = not name or name.startswith("#") or len(symbols) == 256 or not row.has_no_bars
    for cells, called in ways:
        layout = resolver.layout_of(len(cells))
        if layout is None or "{" in cells:
            continue
        is_short = resolver.layout is None and len(cells) <= LARGEST
        if is_short and (is_row or cells is not word or len(word) > SMALLEST**2):
            continue
        if called and layout.is_plain:
            refuse_region_map(called.split()[0], layout.n)
        return resolver.make_puzzle(cells, [row.line] * len(cells)), called
    return None


def _without_marks(word: str) -> str:
    """A word without a plus before digits that were placed, and without dots between rows."""
    if "+" in word and _PLACED.fullmatch(word):
        word = word.replace("+", "")
    rows = word.split(".")
    return "".join(rows) if {*map(len, rows)} == {len(rows)} and len(rows) >= SMALLEST else word
