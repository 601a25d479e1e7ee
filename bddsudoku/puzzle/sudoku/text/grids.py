"""Rows of cells and borders, collected line by line, become grids.

Everything is decided when a stretch of lines is complete: how wide the board is, whether a line
of dashes is a border or a row of open cells, and what blocks the borders draw.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from bddsudoku.errors import PuzzleFormatError
from bddsudoku.puzzle.sudoku.grid import Layout, Puzzle, cell_name
from bddsudoku.puzzle.sudoku.text.lines import Row
from bddsudoku.puzzle.sudoku.text.shape import block_shape
from bddsudoku.puzzle.sudoku.text.symbols import (
    BLANKS,
    choose_alphabet,
    is_side,
    number_of,
    refuse_two_zeros,
    shared_layout,
    show,
)

__all__ = ["RULE", "SIZES", "SPACE", "Grid", "Item", "Mark", "decode_row", "is_sixteen", "resolve"]


class Mark:
    """What stands between rows."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return self.name


RULE = Mark("RULE")
"""A border line."""
SPACE = Mark("SPACE")
"""A blank line or comment."""

Item = Row | Mark
Grid = tuple[Puzzle, int]
"""A puzzle and the line on which it begins."""

SIZES = "4, 6, 8, 9, 10, 12, 16 or 25"
_FOUR = frozenset("1234" + BLANKS + "xX")


def resolve(
    items: Sequence[Item],
    layout: Layout | None,
    convention: str | None,
    source: str | None,
) -> list[Grid]:
    """The grids in a stretch of rows and borders.

    Args:
        items: rows, :data:`RULE` and :data:`SPACE` in order.
        layout: the layout asked for, or None.
        convention: the symbols asked for, or None.
        source: file name for messages.

    Raises:
        PuzzleFormatError: anything that is not a whole number of grids.
    """
    certain = [i for i in items if isinstance(i, Row) and not i.doubtful]
    doubtful = [i for i in items if isinstance(i, Row) and i.doubtful]
    if not certain:
        lengths = {len(r.symbols) for r in doubtful}
        if len(doubtful) >= 4 and lengths == {len(doubtful)}:
            raise PuzzleFormatError(
                "lines of dashes may be borders or open cells; write . for an open cell",
                source=source,
                line=doubtful[0].line,
            )
        return []
    _drop_trailing_commas(certain)
    if layout is None and _lines_of_four(certain, len(items) - items.count(SPACE)):
        small = shared_layout(4)
        return [(_puzzle([r], r.symbols, small, convention, source), r.line) for r in certain]
    n, numbers = _side(certain, doubtful, layout, source)
    dashes = _dashes_are_cells(certain, [r for r in doubtful if len(r.symbols) == n], n, source)
    kept: list[Item] = [
        RULE if isinstance(i, Row) and i.doubtful and not (dashes and len(i.symbols) == n) else i
        for i in items
    ]
    rows = [i for i in kept if isinstance(i, Row)]
    for index, row in enumerate(rows):
        _check_width(row, index % n, n, numbers and not row.doubtful, layout, source)
    if len(rows) % n:
        _check_symbols(rows, n, numbers, convention, source)
        raise PuzzleFormatError(
            f"the grid ends after {len(rows) % n} of {n} rows", source=source, line=rows[-1].line
        )
    grids = []
    for first in range(0, len(rows), n):
        part = rows[first : first + n]
        low, high = kept.index(part[0]), kept.index(part[-1])
        marks = _marks(kept[low : high + 1])
        shape = block_shape(part, marks[RULE], marks[SPACE], n, numbers, layout, source)
        if numbers:
            puzzle = _numbers(part, shape, source)
        else:
            puzzle = _puzzle(part, "".join(r.symbols for r in part), shape, convention, source)
        grids.append((puzzle, part[0].line))
    return grids


def is_sixteen(rows: Sequence[Row]) -> bool:
    """True when the rows may be 4×4 boards, one a line, as well as rows of a 16×16 board."""
    return all(len(r.symbols) == 16 and r.bare for r in rows)


def _lines_of_four(rows: Sequence[Row], lines: int) -> bool:
    """True when the rows are 4x4 boards, one a line: no borders, nothing past 4 unless alone."""
    if not is_sixteen(rows) or len(rows) != lines:
        return False
    return len(rows) == 1 or all(set(r.symbols) <= _FOUR for r in rows)


def _drop_trailing_commas(rows: Sequence[Row]) -> None:
    """``5,3,4,`` on every line and no other field empty: the comma only ends the line."""
    if all(r.tokens and r.tokens[-1] == "" and r.tokens.count("") == 1 for r in rows):
        for row in rows:
            row.drop_last_field()


def _side(
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
    if packed and len(counts) == 1 and count == width >= 10 and is_side(count):
        return count, True  # few rows show a number with two digits
    if as_numbers and is_side(count) and (len(rows) % count == 0 or not is_side(width)):
        return count, True
    height = len(rows)
    every_row = len(counts) == 1 and count != width and count in (height, height + len(doubtful))
    if every_row and is_side(count):
        return count, True
    if height in widths and (is_side(height) or len(widths) == 1):
        return height, False  # a side without usual blocks may have borders that tell
    if is_side(width):
        return width, False
    if is_side(count) and packed:
        return count, True
    row = rows[0]
    raise PuzzleFormatError(
        f"expected a row of {SIZES} cells or a whole board on one line, "
        f"found {len(row.symbols)} symbols: {show(row.text.strip())}",
        source=source,
        line=row.line,
    )


def _dashes_are_cells(
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


def _check_width(
    row: Row, index: int, n: int, numbers: bool, layout: Layout | None, source: str | None
) -> None:
    cells: Sequence[str] = row.tokens if numbers else row.symbols
    if len(cells) == n:
        return
    of = f" ({layout})" if layout is not None else ""
    longest = max(row.tokens, key=len)
    if not numbers and len(row.tokens) == n and len(longest) > 1:
        what = f"expected one symbol in every cell{of}, found {show(longest)}"
        column = row.tokens.index(longest)
    elif len(cells) < n:
        what = f"row {index + 1} has {len(cells)} cells, expected {n}{of}"
        column = len(cells)
    else:
        what = f"row {index + 1} has {len(cells)} cells, expected {n}{of}: found {show(cells[n])}"
        column = n - 1
    raise PuzzleFormatError(
        what, source=source, line=row.line, cell=cell_name(index * n + column, n)
    )


def _check_symbols(
    rows: Sequence[Row], n: int, numbers: bool, convention: str | None, source: str | None
) -> None:
    """Of an incomplete grid, refuse the first unknown symbol before the missing rows."""
    if numbers:
        return
    symbols = "".join(r.symbols for r in rows)
    letters = choose_alphabet(symbols, n, convention, rows[0].line, source)
    at = letters.first_unknown(symbols)
    if at >= 0:
        raise letters.refusal(symbols[at], at % (n * n), rows[at // n].line, source)


def _marks(items: Sequence[Item]) -> dict[Mark, list[int]]:
    """After how many rows the rules and the blank lines stand (each place once)."""
    out: dict[Mark, list[int]] = {RULE: [], SPACE: []}
    seen = 0
    for item in items:
        if isinstance(item, Row):
            seen += 1
        elif out[item][-1:] != [seen]:
            out[item].append(seen)
    return out


def decode_row(
    symbols: str, n: int, convention: str | None, line: int, source: str | None
) -> bytes:
    """The digits of a whole board on one line.

    Raises:
        PuzzleFormatError: an unknown symbol, or two conventions fit.
    """
    letters = choose_alphabet(symbols, n, convention, line, source)
    digits = letters.digits(symbols)
    if digits is None:
        at = letters.first_unknown(symbols)
        raise letters.refusal(symbols[at], at, line, source)
    return digits


def _puzzle(
    rows: Sequence[Row],
    symbols: str,
    layout: Layout,
    convention: str | None,
    source: str | None,
) -> Puzzle:
    n = layout.n
    letters = choose_alphabet(symbols, n, convention, rows[0].line, source)
    digits = letters.digits(symbols)
    if digits is None:
        at = letters.first_unknown(symbols)
        raise letters.refusal(symbols[at], at, rows[at // n if len(rows) > 1 else 0].line, source)
    return Puzzle.trusted(tuple(digits), layout)


def _numbers(rows: Sequence[Row], layout: Layout, source: str | None) -> Puzzle:
    n = layout.n
    cells: list[int] = []
    present: set[str] = set()
    for row in rows:
        for token in row.symbols if row.doubtful else row.tokens:
            value = number_of(token or ".", n)
            if value is None:
                raise PuzzleFormatError(
                    f"expected a number 1 to {n} or an open cell (. 0 _ * -), found {show(token)}",
                    source=source,
                    line=row.line,
                    cell=cell_name(len(cells), n),
                )
            cells.append(value)
            present.add(str(value) if value else (token[:1] or ".").upper())
    if n >= 10:
        refuse_two_zeros(present, str(n), n, rows[0].line, source)
    return Puzzle.trusted(tuple(cells), layout)
