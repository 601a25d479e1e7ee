"""Rows of cells, and the boards of which they are the rows.

A line becomes a row of fields, without quotes and bars, or is a border. Once a section of lines is
complete it is decided how wide the board is and which blocks the borders and blank lines draw.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate, chain

from bddsudoku.errors import PuzzleFormatError
from bddsudoku.puzzle.sudoku.grid import Puzzle
from bddsudoku.puzzle.sudoku.layout import LARGEST, SMALLEST, Layout, cell_name
from bddsudoku.puzzle.sudoku.text.cell_resolver import CellResolver
from bddsudoku.puzzle.sudoku.text.rule_lines import RuleLineError
from bddsudoku.puzzle.sudoku.text.symbols import (
    BLANKS,
    LETTERS,
    show_symbol,
    token_digit,
    usual_layout,
)

_BOX_DRAWING = frozenset("+=:'`")
"""Characters that occur only in borders."""
_BORDER = _BOX_DRAWING | {*"|! \t"}
_FRAME = re.compile(r"[.*,]-[-.*,|! \t]*-[.*,]|[.*,]-+[.*,]")
_BAR = re.compile(r"[|!]")
_BLANK_CELLS = re.compile(r"[ \t]*[|!]?[ \t]+[|!][|! \t]*[ |!]")
_GAPS = re.compile(r"[ \t,;]+")
_QUOTED = re.compile(r"""(?<![^,;|! \t])(["'])([^"']*)\1(?![^,;|! \t])""")
"""A field in quotes between separators."""
_LABELS = (
    "".join(map(str, range(1, LARGEST + 1))),
    "".join(map(str, range(LARGEST))),
    LETTERS,
)
"""Labels of rows and columns, one behind the other."""


@dataclass(eq=False, slots=True)
class FieldRow:
    """A line of cells.

    Attributes:
        groups: tokens between vertical bars, one list for each gap between bars; "" for empty
            fields.
        symbols: all symbols in order, with "." for empty fields and -1.
        are_numbers: whether all tokens can be numbers of one row, with one above 9 or below 0.
        width: number of cells, if these are not lists of candidates.
        border: the border above the line; empty if there is none.
        is_spaced: whether a blank line or a comment does.
    """

    line: int
    text: str
    groups: list[list[str]]
    border: str = ""
    is_spaced: bool = False
    tokens: list[str] = field(init=False)
    symbols: str = field(init=False)
    are_numbers: bool = field(init=False)
    width: int = field(init=False)

    def __post_init__(self) -> None:
        self.tokens = [*chain(*self.groups)]
        n = len(self.tokens)
        has_minus = n >= SMALLEST and "-1" in self.tokens  # else two symbols
        self.symbols = "".join(
            ["." if not t or (has_minus and t == "-1") else t for t in self.tokens]
        )
        self.are_numbers = has_minus or (
            10 <= n <= LARGEST
            and len(self.symbols) != n
            and all(token_digit(t or ".", range(1, n + 1)) is not None for t in self.tokens)
        )
        self.width = n if self.are_numbers else len(self.symbols)

    @property
    def has_no_bars(self) -> bool:
        """True if the line has no vertical bars."""
        return _BAR.search(self.text) is None

    def cells(self, apart: bool) -> Sequence[str]:
        """The texts of the cells: one symbol each, or what stands apart."""
        return self.tokens if apart else self.symbols

    def group_widths(self, apart: bool) -> list[int]:
        """The numbers of cells between bars."""
        return [len(g) if apart else sum(len(t) or 1 for t in g) for g in self.groups]

    @property
    def spaced_widths(self) -> list[int]:
        """The numbers of symbols between spaces; if these part all symbols, between two spaces."""
        if any(len(t) > 1 for t in self.tokens):
            return [*map(len, self.tokens)]
        parts = self.text.replace("|", " ").strip().split("  ")
        return [len(part.split()) for part in parts if part.strip()]


def strip_quotes(text: str) -> str:
    """A line without quotes around it or around its fields, as spreadsheets write them."""
    is_quoted = text.strip()[:1] in ('"', "'", ",", ";") or text[:1] == "\t"
    is_border = '"' not in text and not any(map(str.isalnum, text))
    return _QUOTED.sub(r"\2", text) if is_quoted and not is_border else text


def parse_row(text: str, line: int) -> FieldRow | None:
    """Parse a line, without its comment, as a row of fields; return None for a border."""
    if "#" in text:
        text = text[: text.index("#")].rstrip(" \t")
    if _BLANK_CELLS.fullmatch(text):
        raise PuzzleFormatError(
            "a line of bars and spaces may be a border or open cells; write . for an open cell",
            line=line,
        )
    chars = {*text}
    fields = None if _BAR.search(text) else _fields_if_some_empty(text)
    if fields is None and (
        chars <= _BORDER
        or ("-" in chars and chars & _BOX_DRAWING and chars <= _BORDER | {*"-.*,"})
        or ("--" in text and chars <= {*"-|! \t"})  # single dashes are cells
        or _FRAME.fullmatch(text.strip(" \t"))
    ):
        return None
    groups = [[f for f in _GAPS.split(part) if f] for part in _BAR.split(text)]
    return FieldRow(line, text, [g for g in groups if g] if fields is None else [fields])


def _fields_if_some_empty(text: str) -> list[str] | None:
    """The fields of a line with empty fields (``5,3,,,7``); None for other lines."""
    for separator in ",;\t":
        if separator in text:
            fields = [f.strip(" \t") for f in text.split(separator)]
            is_whole = len(fields) >= SMALLEST and "" in fields
            return fields if is_whole and not any(map(_GAPS.search, fields)) else None
    return None


def without_labels(rows: Sequence[FieldRow]) -> Sequence[FieldRow]:
    """The rows of a table without the labels of its rows and columns (0, 1, …; 1, 2, …; A, B, …).

    The first field of such a table is empty or missing, as data frames are written. No board begins
    like this: the digits of its first row and column would repeat in the first block.

    Raises:
        PuzzleFormatError: the columns have labels from 0 on, the rows have none.
    """
    side = len(rows)
    above, below = rows[0].tokens, [row.tokens[:1] for row in rows[1:]]
    if above[:1] in ([""], ["-1"]):
        above = above[1:]
    if {len(above) + 1, *(len(row.tokens) for row in rows[1:])} != {side} or not _are_labels(above):
        return rows
    if _are_labels([*chain(*below)]):
        return [replace(row, groups=[row.tokens[1:]]) for row in rows[1:]]
    if above[0] == "0":
        raise PuzzleFormatError("the columns seem to have labels (0, 1, …): leave them out")
    return rows


def _are_labels(fields: Sequence[str]) -> bool:
    return (
        len(fields) >= SMALLEST
        and all(fields)
        and any(labels.startswith("".join(fields).upper()) for labels in _LABELS)
    )


def not_a_puzzle(text: str) -> str:
    """The message for a text that is none of the accepted forms."""
    return (
        f"expected a puzzle, found {show_symbol(text.strip())}; a board (4x4 to 25x25) is n² "
        "symbols on one line, n lines of n symbols or lists in brackets"
    )


def is_mostly_words(symbols: str, least: int = 2) -> bool:
    """Whether less than one of ``least`` symbols is a digit or stands for an open cell."""
    return least * sum(s in BLANKS or s.isdigit() for s in symbols) < len(symbols)


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
