"""Reader of boards, on one or many lines, whose unusual shape or digits are stated above them.

::

    # digits: 0-2
    # shape: 2x3
    # layout: 1x3        rows x columns of a block, if they are not the usual ones of that shape
    0..
    1.2

Nothing is to be recognised here: a row has one symbol a cell, or between blanks or commas a number
(where digits have two figures) or the candidates of each cell in braces; borders are passed over. A
board on one line has all of its cells, or for each cell every digit in its place or an open cell,
and then its name.
"""

from __future__ import annotations

from collections.abc import Sequence

from bddsudoku.errors import PuzzleFormatError
from bddsudoku.puzzle.sudoku.grid import Puzzle
from bddsudoku.puzzle.sudoku.layout import Layout
from bddsudoku.puzzle.sudoku.text.cell_resolver import CellResolver
from bddsudoku.puzzle.sudoku.text.field_rows import FieldRow
from bddsudoku.puzzle.sudoku.text.symbols import BLANKS


def shaped_board_on_line(row: FieldRow, resolver: CellResolver) -> tuple[Puzzle, str] | None:
    """The board at the beginning of a line, and its name; None for a row of a grid."""
    layout, tokens = resolver.layout, row.tokens
    assert layout is not None
    size, count = layout.cell_count, len(tokens)
    head = tokens[0] if tokens and row.has_no_bars else ""
    name = " ".join(tokens[1:])
    if "{" in head:
        return None  # a row of candidates
    if count > 1 and count in (size, layout.column_count) and are_numbers(tokens, layout):
        head = ""
    if len(head) == size:
        return resolver.make_puzzle(head, [row.line] * size), name
    if len(head) == size * layout.digit_count:
        return resolver.puzzle_from_candidates(head, row.line, layout), name
    if count == size > layout.column_count:
        return resolver.make_puzzle(tokens, [row.line] * size), ""
    return None


def are_numbers(tokens: Sequence[str], layout: Layout) -> bool:
    """Whether cells are written as numbers, which may have two digits on this board."""
    return layout.values[-1] >= 10 and all(t.isdigit() or t in BLANKS for t in tokens)


def shaped_grids(rows: Sequence[FieldRow], resolver: CellResolver) -> list[tuple[Puzzle, int]]:
    """Divide rows into boards of the requested layout; return each with its first line's number."""
    layout, found = resolver.layout, []
    assert layout is not None
    high, wide = layout.row_count, layout.column_count
    for index, row in enumerate(rows):
        if wide not in (len(row.tokens), len(row.symbols)):
            raise PuzzleFormatError(
                f"row {index % high + 1} has {len(row.symbols)} cells, expected {wide} ({layout})",
                line=row.line,
            )
    for first in range(0, len(rows), high):
        part = rows[first : first + high]
        if len(part) < high:
            raise PuzzleFormatError(
                f"the grid ends after {len(part)} of {high} rows ({layout})", line=part[-1].line
            )
        cells = [c for r in part for c in (r.tokens if len(r.tokens) == wide else r.symbols)]
        lines = [row.line for row in part for _ in range(wide)]
        found.append((resolver.make_puzzle(cells, lines), part[0].line))
    return found
