"""The side of a board, as rows of cells tell it; rows that do not fit are refused."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from bddsudoku.errors import PuzzleFormatError
from bddsudoku.puzzle.sudoku.layout import (
    LARGEST,
    SMALLEST,
    Layout,
    cell_name,
    has_usual_blocks,
    no_usual_blocks,
)
from bddsudoku.puzzle.sudoku.text.forms import not_a_board
from bddsudoku.puzzle.sudoku.text.lines import Row
from bddsudoku.puzzle.sudoku.text.placed import are_irregular
from bddsudoku.puzzle.sudoku.text.symbols import BLANKS, number_of, show

_FOUR = frozenset("1234" + BLANKS + "xX")


def is_sixteen(rows: Sequence[Row]) -> bool:
    """True when the rows may be 4×4 boards, one a line, as well as rows of a 16×16 board."""
    return all(len(r.symbols) == 16 and r.bare for r in rows)


def lines_of_four(rows: Sequence[Row], lines: int) -> bool:
    """True when the rows are 4x4 boards, one a line: no borders, nothing past 4 unless alone."""
    if not is_sixteen(rows) or len(rows) != lines:
        return False
    return len(rows) == 1 or all(set(r.symbols) <= _FOUR for r in rows)


def side_of(
    rows: Sequence[Row], doubtful: Sequence[Row], layout: Layout | None, source: str | None
) -> tuple[int, bool]:
    """Side of the board, and whether cells are numbers (with two digits) instead of symbols."""
    widths = Counter(len(r.symbols) for r in rows)
    counts = Counter(len(r.tokens) for r in rows)
    width, count = widths.most_common(1)[0][0], counts.most_common(1)[0][0]
    as_numbers = count != width and all(
        number_of(t or ".", count) is not None for r in rows for t in r.tokens
    )
    packed = any(len(t) > 1 for r in rows for t in r.tokens)
    if layout is not None:
        return layout.n, packed and count == layout.n and (width != count or count >= 10)
    height = len(rows)
    # Where there are no usual blocks, a line below the board may say others.
    is_square = count == height and SMALLEST <= count <= LARGEST
    is_side = has_usual_blocks(count) or is_square
    if packed and len(counts) == 1 and count == width >= 10 and is_side:
        return count, True  # few rows show a number with two digits
    if (
        as_numbers
        and has_usual_blocks(count)
        and (len(rows) % count == 0 or not has_usual_blocks(width))
    ):
        return count, True
    every_row = len(counts) == 1 and count != width and count in (height, height + len(doubtful))
    if every_row and is_side:
        return count, True
    if height in widths and has_usual_blocks(height):
        return height, False
    if has_usual_blocks(width):
        return width, False
    if has_usual_blocks(count) and packed:
        return count, True
    if set(widths) == {height} and SMALLEST <= height <= LARGEST:
        return height, False
    what = no_usual_blocks(height) if set(widths) == {height} and height > 1 else not_a_board(rows)
    raise PuzzleFormatError(what, source=source, line=rows[0].line)


def dashes_are_cells(
    certain: Sequence[Row], doubtful: Sequence[Row], n: int, source: str | None
) -> bool:
    """Whether lines of exactly n dashes are rows of open cells.

    They are when the grid has too few rows without them and writes its open cells as dashes, or
    no other way.
    """
    if not doubtful:
        return False
    used = {s for r in certain for s in r.symbols} & set(BLANKS + "xX")
    plausible = "-" in used or not used
    complete, filled = len(certain) % n == 0, (len(certain) + len(doubtful)) % n == 0
    if complete and filled and "-" in used:
        raise PuzzleFormatError(
            f"a line of {n} dashes may be a border or {n} open cells; write . for an open cell",
            source=source,
            line=doubtful[0].line,
        )
    return plausible and filled and not complete


def check_width(
    row: Row,
    index: int,
    n: int,
    numbers: bool,
    layout: Layout | None,
    rows: Sequence[Row],
    source: str | None,
) -> None:
    """Refuse a row that has not n cells.

    Args:
        row: the row.
        index: its number on the board.
        n: side of the board.
        numbers: cells are tokens, not symbols.
        layout: the layout asked for, or None.
        rows: all rows.
        source: file name for messages.
    """
    cells: Sequence[str] = row.tokens if numbers else row.symbols
    if len(cells) == n:
        return
    of = f" ({layout})" if layout is not None else ""
    longest = max(row.tokens, key=len, default="")
    if not numbers and len(row.tokens) == n and len(longest) > 1:
        what = f"expected one symbol in every cell{of}, found {show(longest)}"
        column = row.tokens.index(longest)
    elif len(cells) < n:
        what = f"row {index + 1} has {len(cells)} cells, expected {n}{of}"
        column = len(cells)
    else:
        what = f"row {index + 1} has {len(cells)} cells, expected {n}{of}: found {show(cells[n])}"
        column = n - 1
    of_lists = any(len(r.tokens) == n and len(r.symbols) > n for r in rows)
    if len({len(r.symbols) for r in rows}) > 2 and are_irregular(rows) and not of_lists:
        what += " (are spaces open cells? write . for them)"
    raise PuzzleFormatError(
        what, source=source, line=row.line, cell=cell_name(index * n + column, n)
    )
