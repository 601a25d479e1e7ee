"""Interpreter of rows of cells, with the borders and blank lines between them, as puzzles.

It decides, once a section of lines is complete, how wide the board is and which blocks the borders
draw.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import accumulate

from bddsudoku.errors import PuzzleFormatError
from bddsudoku.puzzle.sudoku.grid import Puzzle
from bddsudoku.puzzle.sudoku.layout import LARGEST, SMALLEST, Layout, cell_name
from bddsudoku.puzzle.sudoku.text.cell_resolver import CellResolver
from bddsudoku.puzzle.sudoku.text.field_rows import (
    FieldRow,
    is_mostly_words,
    not_a_puzzle,
    without_labels,
)
from bddsudoku.puzzle.sudoku.text.rule_lines import RuleLineError
from bddsudoku.puzzle.sudoku.text.symbols import BLANKS, usual_layout

_NO_CELLS = re.compile(r"[^\w.*?{}-]")
_WORDS = 5
"""If fewer than one of so many symbols can be cells, faulty rows are words."""
_FOUR = frozenset("1234" + BLANKS + "xX")
"""Symbols of 4×4 boards."""


def resolve_grids(rows: Sequence[FieldRow], resolver: CellResolver) -> list[tuple[Puzzle, int]]:
    """Read puzzles from successive rows; return each with its first line's number."""
    try:
        return _boards(rows, resolver)
    except RuleLineError:
        raise
    except PuzzleFormatError:
        symbols = "".join(r.symbols for r in rows)
        if is_mostly_words(symbols, _WORDS) or _NO_CELLS.search(symbols):
            raise PuzzleFormatError(not_a_puzzle(rows[0].text), line=rows[0].line) from None
        raise


def _boards(rows: Sequence[FieldRow], resolver: CellResolver) -> list[tuple[Puzzle, int]]:
    if all(r.tokens[-1:] == [""] and r.tokens.count("") == 1 for r in rows):
        # ``5,3,4,`` on every line: the last comma is no separator
        rows = [replace(row, groups=[row.tokens[:-1]]) for row in rows]
    if resolver.layout is None:
        rows = without_labels(rows)
        if _are_boards(rows):
            return [(resolver.make_puzzle(r.symbols, [r.line] * 25), r.line) for r in rows]
    high, wide, apart = _size(rows, resolver)
    for row in rows:
        dashes = {*row.border} <= {*"-|! \t"} and row.border.count("-") == wide
        if dashes and any("-" in r.symbols for r in rows):
            raise PuzzleFormatError(
                f"above this row {wide} dashes may be a border or open cells; write . for an open "
                "cell",
                line=row.line,
            )
    of = "" if resolver.layout is None else f" ({resolver.layout})"
    for index, row in enumerate(rows):
        if (found := len(row.cells(apart))) != wide:
            place = index % high * wide + min(found, wide - 1)
            what = f"row {index % high + 1} has {found} cells, expected {wide}{of}"
            raise PuzzleFormatError(what, line=row.line, cell=cell_name(place, wide))
    if left := len(rows) % high:
        what = f"the grid ends after {left} of {high} rows{of}"
        raise PuzzleFormatError(what, line=rows[-1].line)
    grids = []
    for first in range(0, len(rows), high):
        part = rows[first : first + high]
        cells = [cell for row in part for cell in row.cells(apart)]
        lines = [row.line for row in part for _ in range(wide)]
        layout = resolver.layout
        if layout is None or layout.is_plain:
            layout = _drawn_layout(part, apart, layout)
        grids.append((resolver.make_puzzle(cells, lines, layout), part[0].line))
    return grids


def _are_boards(rows: Sequence[FieldRow]) -> bool:
    """Whether each row is a 4×4 board, or the only row a 5×5 board.

    Raises:
        PuzzleFormatError: there are 16 rows or more, which may be those of 16×16 boards.
    """
    wide = len(rows[0].symbols)
    if any(len(r.symbols) != wide or r.border or not r.has_no_bars for r in rows):
        return False
    are_small = wide == SMALLEST**2 and all({*r.symbols} <= _FOUR for r in rows)
    if are_small and len(rows) >= wide:
        raise PuzzleFormatError(
            "16 lines of 16 symbols may be 4x4 boards or one 16x16 board; "
            "say '# layout: 2x2' or '# layout: 4x4'",
            line=rows[0].line,
        )
    return are_small or (len(rows) == 1 and wide in (SMALLEST**2, (SMALLEST + 1) ** 2))


def _size(rows: Sequence[FieldRow], resolver: CellResolver) -> tuple[int, int, bool]:
    """The numbers of rows and columns of a board, and whether its cells stand apart.

    Cells that stand apart may have several characters. Where both ways are possible, rows are
    whole boards in the better one, or more of them have one width.
    """
    ways = []
    for apart in (False, True):
        widths = [len(row.cells(apart)) for row in rows]
        wide = max(widths, key=widths.count)
        high = wide
        if resolver.layout is not None:
            high, wide = resolver.layout.row_count, resolver.layout.column_count
        elif not SMALLEST <= wide <= LARGEST:
            continue
        fitting = widths.count(wide)
        is_whole = fitting == len(rows) and len(rows) % high == 0
        numbers = apart and any(row.are_numbers for row in rows)
        ways.append((is_whole, fitting, numbers, high, wide, apart))
    if not ways:
        raise PuzzleFormatError(not_a_puzzle(rows[0].text), line=rows[0].line)
    return max(ways, key=lambda way: way[:3])[3:]


# The blocks that borders draw


def _drawn_layout(rows: Sequence[FieldRow], apart: bool, asked: Layout | None) -> Layout:
    """The layout of one grid, read from borders, blank lines and groups of cells."""
    n = len(rows)
    shape = asked or usual_layout(n)
    shapes = [Layout(high, n // high) for high in range(2, n) if n % high == 0]
    ruled = _inner([i for i, row in enumerate(rows) if row.border], n)
    spaced = _inner([i for i, row in enumerate(rows) if row.is_spaced], n)
    columns = {_ends(row.group_widths(apart), n) for row in rows}
    are_square = shape.box_rows == shape.box_columns
    rows_drawn = ruled if ruled or are_square else spaced
    drawn = [each for each in shapes if _are_drawn(each, rows_drawn, columns)]
    if columns == {()} and not (apart or are_square):
        # Blank lines and spaces between cells show the shape of blocks that are not square.
        columns = {_ends(row.spaced_widths, n) for row in rows}
        drawn = [each for each in drawn if _are_drawn(each, (), columns)] or drawn
    if asked is not None:
        if drawn and 1 < asked.box_rows < n and asked.frame not in drawn:
            raise PuzzleFormatError(
                f"the borders draw blocks of {drawn[0]}, but {asked} was asked for",
                line=rows[0].line,
            )
    elif len(shapes) > 1 and shape not in drawn:
        if not drawn:
            raise PuzzleFormatError(
                "the borders do not draw equal blocks of n cells; "
                f"say '# layout: {shape.box_rows}x{shape.box_columns}' or another shape",
                line=rows[0].line,
            )
        shape = drawn[0]
    if not _are_drawn(shape, spaced, {()}):
        raise PuzzleFormatError(
            f"the grid ends after {spaced[0]} of {n} rows (blank lines or comments within a grid "
            "stand after every band)",
            line=rows[spaced[0] - 1].line,
        )
    return shape


def _are_drawn(shape: Layout, rows: tuple[int, ...], columns: set[tuple[int, ...]]) -> bool:
    """Whether divisions stand after every band, and after every stack; or there are none."""
    n, high, wide = shape.n, shape.box_rows, shape.box_columns
    return rows in ((), (*range(high, n, high),)) and (
        columns == {()} or columns == {(*range(wide, n, wide),)}
    )


def _ends(sizes: Iterable[int], n: int) -> tuple[int, ...]:
    """Where groups of so many of n cells end."""
    return _inner(accumulate(sizes), n)


def _inner(places: Iterable[int], n: int) -> tuple[int, ...]:
    """The divisions within n cells; none if they stand after every cell."""
    inner = tuple(place for place in places if 0 < place < n)
    return inner if len(inner) < n - 1 else ()
