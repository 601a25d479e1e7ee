"""Rows of cells and borders, collected line by line, become grids.

Everything is decided when a stretch of lines is complete: how wide the board is, whether a line
of dashes is a border or a row of open cells, whether cells list candidates, and what blocks the
borders draw.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from bddsudoku.errors import PuzzleFormatError
from bddsudoku.puzzle.sudoku.grid import Puzzle
from bddsudoku.puzzle.sudoku.layout import Layout, cell_name, has_usual_blocks, no_usual_blocks
from bddsudoku.puzzle.sudoku.text.cells import puzzle_of_cells
from bddsudoku.puzzle.sudoku.text.forms import not_a_board, what_else
from bddsudoku.puzzle.sudoku.text.lines import Row
from bddsudoku.puzzle.sudoku.text.marks import (
    are_marks,
    crowd_in_places,
    lists_candidates,
    marks_in_cells,
)
from bddsudoku.puzzle.sudoku.text.placed import placed
from bddsudoku.puzzle.sudoku.text.regions import RegionMapError
from bddsudoku.puzzle.sudoku.text.shape import block_shape
from bddsudoku.puzzle.sudoku.text.sides import (
    check_width,
    dashes_are_cells,
    lines_of_four,
    side_of,
)
from bddsudoku.puzzle.sudoku.text.symbols import (
    BLANKS,
    choose_alphabet,
    shared_layout,
)


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

_WIDE = 10
"""One line as wide as this and no other is no beginning of a grid."""
_SMALLEST_CELLS = 6
"""Below this side a board's digits may stand in their own columns by accident."""


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
    items = _in_place(items, layout)
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
    if layout is None and lines_of_four(certain, len(items) - items.count(SPACE)):
        small = shared_layout(4)
        return [
            (puzzle_of_cells(r.symbols, [r.line], small, convention, source), r.line)
            for r in certain
        ]
    if marked := _marked(certain, layout, source):
        return _grids(
            [i for i in items if not (isinstance(i, Row) and i.doubtful)],
            marked, True, layout, convention, source, marks=True,
        )  # fmt: skip
    try:
        return _plain(items, certain, doubtful, layout, convention, source)
    except RegionMapError:
        raise
    except PuzzleFormatError:
        if (other := what_else(certain)) is None:
            raise
        raise PuzzleFormatError(other, source=source, line=certain[0].line) from None


def _plain(
    items: Sequence[Item],
    certain: Sequence[Row],
    doubtful: Sequence[Row],
    layout: Layout | None,
    convention: str | None,
    source: str | None,
) -> list[Grid]:
    """Grids of symbols or numbers.

    Args:
        items: as for :func:`resolve`.
        certain: the rows among them that can be nothing else.
        doubtful: the lines of dashes among them.
        layout: the layout asked for, or None.
        convention: the symbols asked for, or None.
        source: file name for messages.
    """
    n, numbers = side_of(certain, doubtful, layout, source)
    if layout is None and not has_usual_blocks(n):
        # A line below it may say its blocks.
        try:
            return _plain(items, certain, doubtful, Layout.of_side(n), convention, source)
        except PuzzleFormatError:
            what = no_usual_blocks(n)
            raise PuzzleFormatError(what, source=source, line=certain[0].line) from None
    dashes = dashes_are_cells(certain, [r for r in doubtful if len(r.symbols) == n], n, source)
    kept: list[Item] = [
        RULE if isinstance(i, Row) and i.doubtful and not (dashes and len(i.symbols) == n) else i
        for i in items
    ]
    rows = [i for i in kept if isinstance(i, Row)]
    if n >= _SMALLEST_CELLS:
        _refuse_a_cell_a_line(rows, n, source)
    for index, row in enumerate(rows):
        check_width(row, index % n, n, numbers and not row.doubtful, layout, rows, source)
    if len(rows) % n:
        if len(rows) == 1 and n >= _WIDE:
            raise PuzzleFormatError(not_a_board(rows), source=source, line=rows[0].line)
        _check_symbols(rows, n, numbers, convention, source)
        raise PuzzleFormatError(
            f"the grid ends after {len(rows) % n} of {n} rows", source=source, line=rows[-1].line
        )
    return _grids(kept, n, numbers, layout, convention, source)


def _grids(
    items: Sequence[Item],
    n: int,
    numbers: bool,
    layout: Layout | None,
    convention: str | None,
    source: str | None,
    *,
    marks: bool = False,
) -> list[Grid]:
    """Whole grids of n rows each.

    Args:
        items: the rows, a multiple of n of them, and what stands between.
        n: side of the board.
        numbers: cells are tokens (numbers or candidates), not symbols.
        layout: the layout asked for, or None.
        convention: the symbols asked for, or None.
        source: file name for messages.
        marks: cells list candidates.
    """
    rows = [i for i in items if isinstance(i, Row)]
    grids = []
    for first in range(0, len(rows), n):
        part = rows[first : first + n]
        low, high = items.index(part[0]), items.index(part[-1])
        between = _marks(items[low : high + 1])
        shape = block_shape(part, between[RULE], between[SPACE], n, numbers, layout, source)
        if numbers:
            cells = [t for r in part for t in (r.symbols if r.doubtful else r.tokens)]
        else:
            cells = [s for r in part for s in r.symbols]
        lines = [r.line for r in part for _ in range(n)]
        if marks:
            puzzle = marks_in_cells(cells, lines, shape, convention, source)
        else:
            puzzle = puzzle_of_cells(cells, lines, shape, convention, source)
        grids.append((puzzle, part[0].line))
    return grids


def _in_place(items: Sequence[Item], layout: Layout | None) -> Sequence[Item]:
    """The items, open cells that were left blank filled in; hollow rows are borders elsewhere."""
    rows = [i for i in items if isinstance(i, Row) and not i.doubtful]
    full = [r for r in rows if not r.hollow]
    if not full:
        return [i for i in items if not (isinstance(i, Row) and i.hollow)]
    if tabbed := {len(r.tokens) for r in rows if r.hollow and r.bare}:
        # lines of tabs: rows of open cells where the others are too few for a board
        n = tabbed.pop()
        lack = len(full) % n != 0 and len(rows) % n == 0 and not tabbed
        return [
            i
            if not (isinstance(i, Row) and i.hollow)
            else Row(i.line, i.text, i.groups)
            if lack
            else SPACE
            for i in items
        ]
    ruled: list[int] = []
    seen = 0
    for item in items:
        if item is RULE or (isinstance(item, Row) and item.doubtful):
            if 0 < seen < len(rows) and ruled[-1:] != [seen]:
                ruled.append(seen)
        elif isinstance(item, Row):
            seen += 1
    headed = ruled == [1]
    found = placed(rows, layout, headed)
    if found is None:
        return [RULE if isinstance(i, Row) and i.hollow else i for i in items]
    new = {row.line: row for row in found}
    out: list[Item] = []
    for item in items:
        if not isinstance(item, Row):
            if not (headed and item is RULE):
                out.append(item)
        elif item.line in new:
            out.append(new[item.line])
    return out


def _marked(rows: Sequence[Row], layout: Layout | None, source: str | None) -> int:
    """Side of the boards whose cells list candidates; 0 when they do not."""
    n = len(rows[0].tokens)
    fits = has_usual_blocks(n) if layout is None else n == layout.n
    if not fits or len(rows) % n or any(len(r.tokens) != n for r in rows):
        _refuse_part_of_marks(rows, layout, source)
        return 0
    boards = range(0, len(rows), n)
    cells = [[t for r in rows[at : at + n] for t in r.tokens] for at in boards]
    return n if all(are_marks(tokens, n) for tokens in cells) else 0


def _refuse_part_of_marks(rows: Sequence[Row], layout: Layout | None, source: str | None) -> None:
    """Rows that are certainly candidates, but do not make whole boards."""
    n = Counter(len(r.tokens) for r in rows).most_common(1)[0][0]
    fits = has_usual_blocks(n) if layout is None else n == layout.n
    if not fits or not lists_candidates([t for r in rows for t in r.tokens], n, 2 * len(rows)):
        return
    for number, row in enumerate(rows):
        if len(row.tokens) != n:
            raise PuzzleFormatError(
                f"row {number % n + 1} of candidates has {len(row.tokens)} cells, expected {n}",
                source=source,
                line=row.line,
                cell=cell_name(number % n * n + min(len(row.tokens), n - 1), n),
            )
    raise PuzzleFormatError(
        f"the grid of candidates ends after {len(rows) % n} of {n} rows",
        source=source,
        line=rows[-1].line,
    )


def _refuse_a_cell_a_line(rows: Sequence[Row], n: int, source: str | None) -> None:
    """n lines whose digits all stand in their own column are the candidates of n cells."""
    for first in range(0, len(rows) - n + 1, n):
        part = rows[first : first + n]
        filled = all(set(r.symbols) - set(BLANKS) for r in part)
        if filled and crowd_in_places("".join(r.symbols[:n] for r in part), n):
            raise PuzzleFormatError(
                f"every digit stands in its own column: these look like the candidates of a "
                f"{n}x{n} board, a cell a line; write all cells on one line",
                source=source,
                line=part[0].line,
            )


def _drop_trailing_commas(rows: Sequence[Row]) -> None:
    """``5,3,4,`` on every line and no other field empty: the comma only ends the line."""
    if all(r.tokens and r.tokens[-1] == "" and r.tokens.count("") == 1 for r in rows):
        for row in rows:
            row.drop_last_field()


def _check_symbols(
    rows: Sequence[Row], n: int, numbers: bool, convention: str | None, source: str | None
) -> None:
    """Of an incomplete grid, refuse the first unknown symbol before the missing rows."""
    if numbers:
        return
    symbols = "".join(r.symbols for r in rows)
    try:
        letters = choose_alphabet(symbols, n, convention, rows[0].line, source)
    except PuzzleFormatError:
        return  # two conventions fit what there is
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
