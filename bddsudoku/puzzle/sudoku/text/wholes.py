"""Whole boards on one line, in every form but the commonest: names, numbers, candidates, tables."""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import isqrt

from bddsudoku.errors import PuzzleFormatError
from bddsudoku.puzzle.sudoku.grid import Puzzle
from bddsudoku.puzzle.sudoku.layout import LARGEST, Layout, has_usual_blocks, no_usual_blocks
from bddsudoku.puzzle.sudoku.text.cells import puzzle_of_cells
from bddsudoku.puzzle.sudoku.text.forms import what_else
from bddsudoku.puzzle.sudoku.text.lines import Row
from bddsudoku.puzzle.sudoku.text.marks import (
    are_marks,
    crowd_in_places,
    in_places,
    lists_candidates,
    marks_in_cells,
    marks_in_places,
    marks_of_four,
    marks_side,
)
from bddsudoku.puzzle.sudoku.text.regions import is_map, refuse_map
from bddsudoku.puzzle.sudoku.text.symbols import (
    BLANKS,
    alphabet,
    number_of,
    shared_layout,
)

Whole = tuple[Puzzle, str]
"""A board, and its name."""

_HEAD = re.compile(r"([^ \t,;:|#]+)(?:[ \t,;:|#]+(.*))?", re.DOTALL)
_WORDS = re.compile(r"[\s,;:|=#\"'<>()]+")
_LINK = re.compile(r"\s*https?://", re.IGNORECASE)
_LINK_WORDS = re.compile(r"[\s=&?#/:]+")
_LONGEST_ROW = 35
"""Symbols that are taken for a row, be it of a board that is too large."""
_SMALLEST_LONE = 36
"""Symbols of a board that is found among other words: more than any row has."""
_COMMON = (4, 6, 8, 9, 10, 12, 16, 25)
_SIZES = {n * n: f"{n}x{n}" for n in _COMMON} | {
    n**3: f"the candidates of {n}x{n}" for n in _COMMON[1:]
}
"""Symbols of a whole board of a common size, and of its candidates."""
_SMALLEST_ROW_OF_CELLS = 6
"""Below this side a board's digits may stand in their own columns by accident."""
_LONG = 70
"""Symbols of a line that is certainly no row, whatever name it bears."""


def in_numbers(row: Row) -> bool:
    """Whether a line can be a row of numbers, some of them with two digits."""
    count = len(row.tokens)
    return (
        10 <= count <= LARGEST
        and len(row.symbols) != count
        and all(number_of(t or ".", count) is not None for t in row.tokens)
    )


def board_on_line(
    row: Row, text: str, layout: Layout | None, convention: str | None, source: str | None
) -> Whole | None:
    """A whole board on one line, with its name; None for a row of a grid.

    Args:
        row: the line, scanned.
        text: the line as it stood, comment included.
        layout: the layout asked for, or None.
        convention: the symbols asked for, or None.
        source: file name for messages.

    Raises:
        PuzzleFormatError: a board that is malformed, or a line that can be neither.
    """

    def whole(symbols: Sequence[str], side: int, name: str = "") -> Whole:
        shape = layout or shared_layout(side)
        return puzzle_of_cells(symbols, [row.line], shape, convention, source), name

    def marked(symbols: str, side: int, name: str = "") -> Whole:
        shape = layout or shared_layout(side)
        return marks_in_places(symbols, shape, convention, row.line, source), name

    if _LINK.match(text):
        lone = _lone(text, layout)
        if lone is None:
            raise PuzzleFormatError(str(what_else([row])), source=source, line=row.line)
        return whole(lone[0], _square(len(lone[0]), layout), lone[1])
    match = _HEAD.match(text.strip(" \t"))
    head, rest = (match[1], (match[2] or "").strip()) if match else ("", "")
    width, count = len(row.symbols), len(row.tokens)
    if side := marks_side(len(head), layout):
        return marked(head, side, rest)
    digits = alphabet(8, convention).digits(head) if layout is None and len(head) == 64 else None
    if digits is not None and marks_of_four(digits):
        return marked(head, 4, rest)
    if (side := marks_side(width, layout)) and _in_cells_or_rows(row, side):
        return marked(row.symbols, side)
    side = _square(len(head), layout)
    if side >= _SMALLEST_ROW_OF_CELLS and crowd_in_places(head, side):
        raise PuzzleFormatError(
            f"every digit stands in its own column: these look like the candidates of one row of a "
            f"{side}x{side} board, not all {side} of them ({side**3} symbols)",
            source=source,
            line=row.line,
        )
    if side and not (side == 4 and layout is None and _may_be_wide(row, rest)):
        second = rest.split()[0] if rest else ""
        if len(second) == side * side and is_map(second, side):
            raise refuse_map(side, row.line, source)
        return whole(head, side, rest)
    if count <= LARGEST and lists_candidates(row.tokens, count):
        return None  # a row of cells, each with its candidates
    even = len({len(t) for t in row.tokens}) == 1
    side = _square(width, layout) if width > LARGEST and not in_numbers(row) else 0
    if side and (even or max(map(len, row.tokens)) <= side):
        if count == side and crowd_in_places(row.symbols, side):
            return None  # the same, in their places
        return whole(row.symbols, side)
    if (side := _square(count, layout)) and count != width:
        if are_marks(row.tokens, side):
            shape = layout or shared_layout(side)
            lines = [row.line] * count
            return marks_in_cells(row.tokens, lines, shape, convention, source), ""
        if side >= 10 or layout is not None or count > LARGEST:
            return whole(row.tokens, side)
    if (found := _lone(text, layout)) is not None:
        return whole(found[0], _square(len(found[0]), layout), found[1])
    if (
        width > LARGEST
        and (side := _square(width, layout))
        and count < side
        and _is_likely(row.symbols)
    ):
        raise PuzzleFormatError(
            f"{width} symbols on one line, but in unequal parts of "
            f"{' and '.join(str(len(t)) for t in row.tokens[:3])}{' …' * (count > 3)}",
            source=source,
            line=row.line,
        )
    if len(head) > _LONGEST_ROW or width > _LONG:
        singles = next((i for i, t in enumerate(row.tokens) if len(t) != 1), count)
        if len(head) == 1 and (side := _square(singles, layout)):
            return whole("".join(row.tokens[:singles]), side, " ".join(row.tokens[singles:]))
        side = isqrt(len(head)) if layout is None and len(head) > _LONGEST_ROW else 0
        if 0 < side <= LARGEST and side * side == len(head) and what_else([row]) is None:
            # No usual blocks; a line below it may say others.
            layout = Layout.of_side(side)
            return whole(head, side, rest)
        if count > _LONGEST_ROW or len(head) > _LONGEST_ROW:
            raise _wrong_length(row, head, layout, source)
    return None


def _in_cells_or_rows(row: Row, n: int) -> bool:
    """Whether n³ symbols are parted after every cell or every row, and stand in their places."""
    parts = {len(t) for t in row.tokens}
    return parts in ({n}, {n * n}) and in_places(row.symbols, n)


def _may_be_wide(row: Row, rest: str) -> bool:
    """A line that begins with 16 symbols may be a row of a 16×16 board, or all of one."""
    return (not rest or rest.startswith("#") or len(row.symbols) == 256) or not row.bare


def _square(cells: int, layout: Layout | None) -> int:
    """Side of the board with so many cells, 0 when there is none."""
    if layout is not None:
        return layout.n if cells == layout.cell_count else 0
    side = round(cells**0.5)
    return side if side * side == cells and has_usual_blocks(side) else 0


def _is_board(word: str, layout: Layout | None) -> bool:
    """Whether a word, taken by itself, can be nothing but a board."""
    side = _square(len(word), layout)
    if not side or len(word) < _SMALLEST_LONE:
        return False
    return alphabet(side).digits(word) is not None and any(c.isdigit() and c != "0" for c in word)


def _lone(text: str, layout: Layout | None) -> tuple[str, str] | None:
    """The one board among the words of a line that begins with something else, and the others.

    A second one is passed over where it is the solution of the first; any other word that is as
    long leaves the line to be refused.
    """
    parting = _LINK_WORDS if _LINK.match(text) else _WORDS
    words = [w for w in parting.split(text) if w]
    boards = [w for w in words if _is_board(w, layout)]
    others = [w for w in words if w not in boards]
    if not boards or any(len(w) >= _SMALLEST_LONE for w in others):
        return None
    solution = (
        len(boards) == 2
        and len(boards[0]) == len(boards[1])
        and not (set(boards[1]) & set(BLANKS))
        and all(a == b or a in BLANKS for a, b in zip(*boards, strict=True))
    )
    if len(boards) > 1 and not solution:
        return None
    return boards[0], " ".join(w for w in words if w != boards[0])


def _is_likely(word: str) -> bool:
    """Whether a word is made of digits and open cells, but for a few characters."""
    return 10 * sum(c.isdigit() or c in BLANKS + "xX" for c in word) >= 9 * len(word)


def _wrong_length(
    row: Row, head: str, layout: Layout | None, source: str | None
) -> PuzzleFormatError:
    """The error for a line too long for a row that is no board."""

    def error(what: str, cell: str | None = None) -> PuzzleFormatError:
        return PuzzleFormatError(what, source=source, line=row.line, cell=cell)

    count = len(row.tokens)
    cells = count if count > _LONGEST_ROW else len(head)
    symbols = "".join(row.tokens) if count > _LONGEST_ROW else head
    if better := what_else([row]):
        return error(better)
    if layout is not None:
        n = layout.n
        return error(
            f"{cells} cells on one line, expected {n * n} for {layout} (or {n**3}, its candidates)"
        )
    half = cells // 2
    if cells == len(symbols) and cells % 2 == 0 and (side := _square(half, None)):
        if is_map(symbols[half:], side):
            return refuse_map(side, row.line, source)
        if side == 9:
            return error(f"{cells} symbols on one line: two 9x9 boards? write one a line")
    side = isqrt(cells)
    if side * side == cells and not has_usual_blocks(side):
        return error(no_usual_blocks(side))
    below = max((size for size in _SIZES if size < cells), default=0)
    above = min((size for size in _SIZES if size > cells), default=0)
    expected = " or ".join(f"{size} for {_SIZES[size]}" for size in (below, above) if size)
    return error(f"{cells} cells on one line, expected {expected}")
