"""Interpreter of rows of cells, and of the border lines between them, as puzzles.

It decides, once a section of lines is complete, how wide the board is, whether a line of dashes is
a border or a row of open cells, whether cells list candidates, and which blocks the borders draw.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate

from bddsudoku.errors import PuzzleFormatError
from bddsudoku.puzzle.sudoku.grid import Puzzle
from bddsudoku.puzzle.sudoku.layout import (
    LARGEST,
    SMALLEST,
    SYMBOLS,
    Layout,
    cell_name,
    has_default_blocks,
    why_no_default_blocks,
)
from bddsudoku.puzzle.sudoku.text.cell_resolver import (
    CellResolver,
    RegionMapError,
    are_candidate_lists,
    may_be_candidate_lists,
)
from bddsudoku.puzzle.sudoku.text.field_rows import (
    FieldRow,
    are_numbers,
    has_labels,
    has_minus_ones,
    row_lengths_message,
    why_unreadable,
)
from bddsudoku.puzzle.sudoku.text.symbols import (
    BLANKS,
    choose_alphabet,
    refuse_ambiguous_zero,
    show_symbol,
    usual_layout,
)

RULE, SPACE = "rule", "space"
"""Items between rows: a border line; a blank line or comment."""
Item = FieldRow | str

_WIDE = 10
"""Least width of a single line that is not read as the first row of a grid."""
FOUR = frozenset("1234" + BLANKS + "xX")
"""Symbols of 4×4 boards."""
_UNEVEN = -1


def resolve_grids(items: Sequence[Item], resolver: CellResolver) -> list[tuple[Puzzle, int]]:
    """Read puzzles from successive rows and borders; return each with its first line's number."""
    items = _without_labels(items, resolver)
    rows = [i for i in items if isinstance(i, FieldRow)]
    cell_rows, dash_lines = [r for r in rows if not r.doubtful], [r for r in rows if r.doubtful]
    if not cell_rows:
        if len(rows) >= 4 and {len(r.symbols) for r in rows} == {len(rows)}:
            raise PuzzleFormatError(
                "lines of dashes may be borders or open cells; write . for an open cell",
                line=rows[0].line,
            )
        return []
    if all(r.tokens and r.tokens[-1] == "" and r.tokens.count("") == 1 for r in cell_rows):
        # ``5,3,4,`` on every line: the last comma is no separator
        short = {r.line: FieldRow(r.line, r.text, [r.tokens[:-1]]) for r in cell_rows}
        items = [short.get(i.line, i) if isinstance(i, FieldRow) else i for i in items]
        cell_rows = [*short.values()]
    n = len(cell_rows[0].tokens)
    if n <= LARGEST and resolver.convention is None and any(map(has_minus_ones, cell_rows)):
        refuse_ambiguous_zero({t.upper() for r in cell_rows for t in r.tokens}, SYMBOLS[n - 1], n)
    is_five = [len(r.symbols) for r in cell_rows] == [25]  # with blocks that a line below defines
    if resolver.layout is None and (
        is_five or is_four_by_four_list(cell_rows, len(items) - items.count(SPACE))
    ):
        return [(resolver.make_puzzle(r.symbols, [r.line] * 25), r.line) for r in cell_rows]
    try:
        return _boards_from_rows(items, cell_rows, dash_lines, resolver)
    except RegionMapError:
        raise
    except PuzzleFormatError:
        if (other := why_unreadable(cell_rows)) is None:
            raise
        raise PuzzleFormatError(other, line=cell_rows[0].line) from None


def _boards_from_rows(
    items: Sequence[Item],
    cell_rows: Sequence[FieldRow],
    dash_lines: Sequence[FieldRow],
    resolver: CellResolver,
) -> list[tuple[Puzzle, int]]:
    """Make boards of rows and borders, after detecting the boards' side."""
    n, numbers = detect_side(cell_rows, dash_lines, resolver)
    if not resolver.allows_side(n):
        # A line below the grid may define its blocks.
        asked = CellResolver(Layout.of_side_or_rows(n), resolver.convention)
        try:
            return _boards_from_rows(items, cell_rows, dash_lines, asked)
        except PuzzleFormatError:
            raise PuzzleFormatError(why_no_default_blocks(n), line=cell_rows[0].line) from None
    dashes = _are_dashes_cells(cell_rows, [r for r in dash_lines if len(r.symbols) == n], n)
    kept = [
        RULE
        if isinstance(i, FieldRow) and i.doubtful and not (dashes and len(i.symbols) == n)
        else i
        for i in items
    ]
    rows = [i for i in kept if isinstance(i, FieldRow)]
    for index, row in enumerate(rows):
        _check_width(row, index % n, n, numbers and not row.doubtful, rows, resolver.layout)
    if len(rows) % n:
        if len(rows) == 1 and n >= _WIDE:
            raise PuzzleFormatError(row_lengths_message(rows), line=rows[0].line)
        if not numbers:
            _check_known_symbols(rows, n, resolver.convention)
        raise PuzzleFormatError(
            f"the grid ends after {len(rows) % n} of {n} rows", line=rows[-1].line
        )
    return _split_into_puzzles(kept, n, numbers, resolver)


def _split_into_puzzles(
    items: Sequence[Item], n: int, numbers: bool, resolver: CellResolver
) -> list[tuple[Puzzle, int]]:
    """Split complete rows into grids of n rows; return each puzzle and its first line number."""
    grids = []
    rows = [i for i in items if isinstance(i, FieldRow)]
    for first in range(0, len(rows), n):
        part = rows[first : first + n]
        rows_above: dict[str, list[int]] = {RULE: [], SPACE: []}
        seen = 0
        for item in items[items.index(part[0]) : items.index(part[-1])]:
            if isinstance(item, FieldRow):
                seen += 1
            elif rows_above[item][-1:] != [seen]:
                rows_above[item].append(seen)
        shape = _detect_layout(part, rows_above, numbers, resolver.layout)
        cells = [c for r in part for c in (r.tokens if numbers and not r.doubtful else r.symbols)]
        lines = [r.line for r in part for _ in range(n)]
        grids.append((resolver.make_puzzle(cells, lines, shape), part[0].line))
    return grids


def _without_labels(items: Sequence[Item], resolver: CellResolver) -> Sequence[Item]:
    """The rows of a table without the labels of its rows and columns; other items as they are."""
    rows = [i for i in items if isinstance(i, FieldRow) and not i.doubtful]
    if resolver.layout is not None or not has_labels([r.tokens for r in rows]):
        return items
    cells = [(r, r.tokens[1:]) for r in rows[1:]]
    return [FieldRow(row.line, " ".join(tokens), [tokens]) for row, tokens in cells]


# The number of cells in a row


def may_be_four_by_four_list(rows: Sequence[FieldRow]) -> bool:
    """Whether rows may be either 4×4 boards, one per line, or rows of a 16×16 board."""
    return all(len(r.symbols) == 16 and r.has_no_bars for r in rows)


def is_four_by_four_list(rows: Sequence[FieldRow], lines: int) -> bool:
    """Whether all rows are 4×4 boards: no borders, and no digit above 4 in two or more rows."""
    if not may_be_four_by_four_list(rows) or len(rows) != lines:
        return False
    return len(rows) == 1 or all({*r.symbols} <= FOUR for r in rows)


def _are_candidate_lists(rows: Sequence[FieldRow], n: int) -> bool:
    """Whether all cells, n in each row, are written as lists of candidates."""
    tokens = [t for r in rows for t in r.tokens]
    if len(rows) % n or any(len(r.tokens) != n for r in rows):
        return may_be_candidate_lists(tokens, n, 2 * len(rows))
    return all(
        are_candidate_lists(tokens[at : at + n * n], n) for at in range(0, len(tokens), n * n)
    )


def detect_side(
    rows: Sequence[FieldRow], dash_lines: Sequence[FieldRow], resolver: CellResolver
) -> tuple[int, bool]:
    """Return a board's side, and whether a cell may have several characters, such as 12."""
    widths = Counter(len(r.symbols) for r in rows)
    counts = Counter(len(r.tokens) for r in rows)
    width, count = widths.most_common(1)[0][0], counts.most_common(1)[0][0]
    if resolver.allows_side(count) and _are_candidate_lists(rows, count):
        return count, True
    is_packed = any(len(t) > 1 for r in rows for t in r.tokens)
    if resolver.layout is not None:
        n = resolver.layout.n
        return n, is_packed and count == n and (width != count or count >= 10)
    height = len(rows)
    # If there are no usual blocks, a line below the board may define others.
    is_side = has_default_blocks(count) or (count == height and SMALLEST <= count <= LARGEST)
    is_even = len(counts) == 1 and is_side
    is_whole = height % max(count, 1) == 0 or not has_default_blocks(width)
    are_all_numbers = has_default_blocks(count) and are_numbers(rows, count)
    ways = (
        (count, True, is_even and is_packed and count == width >= 10),  # few have two digits
        (count, True, count != width and is_whole and are_all_numbers),
        (count, True, count != width and is_even and 0 <= count - height <= len(dash_lines)),
        (height, False, height in widths and has_default_blocks(height)),
        (width, False, has_default_blocks(width)),
        (count, True, is_packed and has_default_blocks(count)),
        (height, False, {*widths} == {height} and SMALLEST <= height <= LARGEST),
    )
    for side, numbers, holds in ways:
        if holds:
            return side, numbers
    what = (
        why_no_default_blocks(height)
        if {*widths} == {height} and height > 1
        else row_lengths_message(rows)
    )
    raise PuzzleFormatError(what, line=rows[0].line)


def _are_dashes_cells(rows: Sequence[FieldRow], dash_lines: Sequence[FieldRow], n: int) -> bool:
    """Whether lines of exactly n dashes are rows of open cells and not borders.

    They are if the grid is incomplete without them, and complete with them, and its open cells
    are dashes or have no symbol.
    """
    if not dash_lines:
        return False
    used = {s for r in rows for s in r.symbols} & {*BLANKS, *"xX"}
    is_complete, is_filled = len(rows) % n == 0, (len(rows) + len(dash_lines)) % n == 0
    if is_complete and is_filled and "-" in used:
        raise PuzzleFormatError(
            f"a line of {n} dashes may be a border or {n} open cells; write . for an open cell",
            line=dash_lines[0].line,
        )
    return ("-" in used or not used) and is_filled and not is_complete


def _check_width(
    row: FieldRow,
    index: int,
    n: int,
    numbers: bool,
    rows: Sequence[FieldRow],
    layout: Layout | None,
) -> None:
    """Raise an error if a row, the ``index``-th of its board, does not have n cells."""
    cells: Sequence[str] = row.tokens if numbers else row.symbols
    if len(cells) == n:
        return
    of = f" ({layout})" if layout is not None else ""
    longest = max(row.tokens, key=len, default="")
    if not numbers and len(row.tokens) == n and len(longest) > 1:
        what = f"expected one symbol in every cell{of}, found {show_symbol(longest)}"
        column = row.tokens.index(longest)
    else:
        what = f"row {index + 1} has {len(cells)} cells, expected {n}{of}"
        what += f": found {show_symbol(cells[n])}" if len(cells) > n else ""
        column = min(len(cells), n - 1)
    of_lists = any(len(r.tokens) == n and len(r.symbols) > n for r in rows)
    has_open = any({*BLANKS} & {*r.symbols} for r in rows)
    if len({len(r.symbols) for r in rows}) > 2 and not has_open and not of_lists:
        what += " (are spaces open cells? write . for them)"
    raise PuzzleFormatError(what, line=row.line, cell=cell_name(index * n + column, n))


def _check_known_symbols(rows: Sequence[FieldRow], n: int, convention: str | None) -> None:
    """Raise an error for the first unknown symbol of an incomplete grid, if any."""
    symbols = "".join(r.symbols for r in rows)
    try:
        letters = choose_alphabet(symbols, n, convention)
    except PuzzleFormatError:
        return  # ambiguous symbols are no error of an incomplete grid
    if letters.digits(symbols) is None:
        raise letters.unknown_symbol_error(symbols, [r.line for r in rows for _ in r.symbols], n)


# The blocks that borders draw


def _detect_layout(
    rows: Sequence[FieldRow],
    rows_above: Mapping[str, Sequence[int]],
    numbers: bool,
    asked: Layout | None,
) -> Layout:
    """The layout of one grid, read from borders, blank lines and groups of cells.

    ``rows_above`` has the numbers of rows above border lines and above blank lines.
    """
    n = len(rows)
    gap = _division_period({tuple(rows_above[SPACE])}, n)
    if gap == _UNEVEN:
        after = next(s for s in rows_above[SPACE] if 0 < s < n)
        raise PuzzleFormatError(
            f"the grid ends after {after} of {n} rows (blank lines or comments within a grid "
            "stand after every band)",
            line=rows[after - 1].line,
        )
    bars = {
        _running_sums(
            len(g) if numbers and not r.doubtful else sum(len(t) or 1 for t in g) for g in r.groups
        )
        for r in rows
    }
    drawn = _division_period({tuple(rows_above[RULE])}, n), _division_period(bars, n)
    high, wide = (max(p, 0) for p in drawn)
    shape = asked or usual_layout(n)
    what = ""
    if asked is not None:
        own = asked.box_rows, asked.box_columns
        for found, requested, lines in zip((high, wide), own, ("rows", "columns"), strict=True):
            if found > 1 and requested not in (1, found, n):
                what = what or f"draw blocks of {found} {lines}, but {asked} was asked for"
    elif sum(n % h == 0 for h in range(2, n)) > 1:
        if high > 1 and wide > 1 and high * wide != n:
            what = f"draw blocks of {high}x{wide} cells on a {n}x{n} board"
        if high < 2 and wide < 2:
            if _UNEVEN in drawn:
                usual = f"{shape.box_rows}x{shape.box_columns}"
                what = f"do not draw equal blocks; say '# layout: {usual}' or another shape"
            if shape.box_rows != shape.box_columns:
                # Spaces between groups of cells show the shape of blocks that are not square.
                high, wide = gap, max(_division_period(_group_ends_by_spaces(rows, numbers), n), 0)
                wide = 0 if high > 1 and wide > 1 and high * wide != n else wide
        if wide > 1 or high > 1:
            shape = Layout(n // wide, wide) if wide > 1 else Layout(high, n // high)
    if what:
        raise PuzzleFormatError(f"the borders {what}", line=rows[0].line)
    if gap not in (0, 1, shape.box_rows):
        bands = f": {asked} has bands of {asked.box_rows}" if asked is not None else ""
        raise PuzzleFormatError(
            f"the grid ends after {gap} of {n} rows{bands}", line=rows[gap - 1].line
        )
    return shape


def _division_period(divisions: set[tuple[int, ...]], n: int) -> int:
    """The p such that rows are divided after every p cells; 0 if undivided, -1 if there is none."""
    inner = {tuple(p for p in row if 0 < p < n) for row in divisions}
    if inner == {()}:
        return 0
    first = min(min(row, default=n) for row in inner)
    return first if n % first == 0 and inner == {tuple(range(first, n, first))} else _UNEVEN


def _running_sums(sizes: Iterable[int]) -> tuple[int, ...]:
    return tuple(accumulate(sizes))


def _group_ends_by_spaces(rows: Sequence[FieldRow], numbers: bool) -> set[tuple[int, ...]]:
    """The ways in which spaces group the cells of rows, each as the positions of group ends."""
    if numbers:
        return {()}
    if any(len(t) > 1 for r in rows for t in r.tokens):
        return {_running_sums(map(len, r.tokens)) for r in rows}
    parts = [r.text.replace("|", " ").strip().split("  ") for r in rows]
    return {_running_sums(len(p.split()) for p in row if p.strip()) for row in parts}
