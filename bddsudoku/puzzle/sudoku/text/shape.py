"""The shape of the blocks, read from borders, blank lines and groups of cells."""

from __future__ import annotations

from collections.abc import Sequence

from bddsudoku.errors import PuzzleFormatError
from bddsudoku.puzzle.sudoku.layout import Layout, has_usual_blocks, no_usual_blocks
from bddsudoku.puzzle.sudoku.text.lines import Row
from bddsudoku.puzzle.sudoku.text.symbols import shared_layout

_UNEVEN = -1


def block_shape(
    rows: Sequence[Row],
    rules: Sequence[int],
    spaces: Sequence[int],
    n: int,
    numbers: bool,
    layout: Layout | None,
    source: str | None,
) -> Layout:
    """The layout of one grid.

    Args:
        rows: its n rows.
        rules: after how many rows border lines stand.
        spaces: after how many rows blank lines stand.
        n: side of the board.
        numbers: whether cells are numbers.
        layout: the layout asked for, or None.
        source: file name for messages.

    Raises:
        PuzzleFormatError: blank lines that do not part the bands; borders that contradict each
            other or the layout asked for; a side without a usual layout and no borders.
    """
    line = rows[0].line
    gap = _period(spaces, n)
    if gap == _UNEVEN:
        after = next(s for s in spaces if 0 < s < n)
        raise PuzzleFormatError(
            f"the grid ends after {after} of {n} rows (blank lines or comments within a grid "
            "stand after every band)",
            source=source,
            line=rows[after - 1].line,
        )
    height, width = _period(rules, n), _bar_width(rows, numbers, n)
    drawn_rows, drawn_columns = _drawn(height, n), _drawn(width, n)
    if layout is not None:
        if gap not in (0, 1, layout.box_rows):
            raise PuzzleFormatError(
                f"the grid ends after {gap} of {n} rows: {layout} has bands of {layout.box_rows}",
                source=source,
                line=rows[gap - 1].line,
            )
        for drawn, own, what in (
            (drawn_rows, layout.box_rows, "rows"),
            (drawn_columns, layout.box_columns, "columns"),
        ):
            if drawn and drawn != own and 1 < own < n:
                raise PuzzleFormatError(
                    f"the borders draw blocks of {drawn} {what}, but {layout} was asked for",
                    source=source,
                    line=line,
                )
        return layout
    if not has_usual_blocks(n):
        raise PuzzleFormatError(no_usual_blocks(n), source=source, line=line)
    usual = shared_layout(n)
    only = sum(n % h == 0 for h in range(2, n)) == 1
    if only:
        if gap not in (0, 1, usual.box_rows):
            raise PuzzleFormatError(
                f"the grid ends after {gap} of {n} rows", source=source, line=rows[gap - 1].line
            )
        return usual
    if drawn_rows and drawn_columns and drawn_rows * drawn_columns != n:
        raise PuzzleFormatError(
            f"the borders draw blocks of {drawn_rows}x{drawn_columns} cells on a {n}x{n} board",
            source=source,
            line=line,
        )
    if not (drawn_rows or drawn_columns) and _UNEVEN in (height, width):
        raise PuzzleFormatError(
            f"the borders do not draw equal blocks; say '# layout: "
            f"{usual.box_rows}x{usual.box_columns}' or another shape",
            source=source,
            line=line,
        )
    if not (drawn_rows or drawn_columns) and usual.box_rows != usual.box_columns:
        # Groups of cells without bars: a hint for boards that are not square in blocks.
        drawn_rows, drawn_columns = _drawn(gap, n), _drawn(_group_width(rows, numbers, n), n)
        if drawn_rows and drawn_columns and drawn_rows * drawn_columns != n:
            drawn_columns = 0
    if drawn_columns:
        usual = Layout(n // drawn_columns, drawn_columns)
    elif drawn_rows:
        usual = Layout(drawn_rows, n // drawn_rows)
    if gap not in (0, 1, usual.box_rows):
        raise PuzzleFormatError(
            f"the grid ends after {gap} of {n} rows", source=source, line=rows[gap - 1].line
        )
    return usual


def _drawn(period: int, n: int) -> int:
    """A period that says something about the blocks, else 0."""
    return period if 1 < period < n else 0


def _period(places: Sequence[int], n: int) -> int:
    """Marks after every p rows: p; none within the grid: 0; irregular: -1."""
    inner = [p for p in places if 0 < p < n]
    if not inner:
        return 0
    first = inner[0]
    return first if n % first == 0 and inner == list(range(first, n, first)) else _UNEVEN


def _common(widths: set[tuple[int, ...]], n: int) -> int:
    """The width of all groups in all rows; 0 when there are none, -1 when they differ."""
    sizes = {w for row in widths for w in row}
    if widths == {(n,)}:
        return 0
    return sizes.pop() if len(sizes) == 1 else _UNEVEN


def _bar_width(rows: Sequence[Row], numbers: bool, n: int) -> int:
    """Cells between vertical bars."""
    if all(r.bare for r in rows):
        return 0
    return _common(
        {
            tuple(
                len(g) if numbers and not r.doubtful else sum(len(t) or 1 for t in g)
                for g in r.groups
            )
            for r in rows
        },
        n,
    )


def _group_width(rows: Sequence[Row], numbers: bool, n: int) -> int:
    """Cells in groups parted by a space, or by two where single cells are parted by one."""
    if numbers:
        return 0
    if any(len(t) > 1 for r in rows for t in r.tokens):
        return max(0, _common({tuple(len(t) for t in r.tokens) for r in rows}, n))
    widths = set()
    for row in rows:
        parts = row.text.replace("|", " ").strip().split("  ")
        widths.add(tuple(len(p.split()) for p in parts if p.strip()))
    return max(0, _common(widths, n))
