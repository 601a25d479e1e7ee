"""Parser of lines into rows of fields: removes quotes and bars, and recognises borders.

Rows with blank open cells are completed by :func:`replace_blanks`, which finds every cell by its
place in the line. There are two such forms, each accepted only if no other reading is possible:

* every cell between two bars (``| 5 | 3 |   | | 7 |``; Markdown tables, their header and
  the line of dashes below it are allowed);
* blocks between bars at the same places in every row (``|5 3  |  7  |     |``, as py-sudoku
  prints), or no bars: n lines of n symbols (or 2n - 1, every second a space), where the first
  and last columns are used or every line is padded.

Other texts and file formats are recognised for error messages (:func:`describe_unreadable_rows`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import chain

from bddsudoku.errors import PuzzleFormatError
from bddsudoku.puzzle.sudoku.layout import LARGEST, SMALLEST, SYMBOLS, has_default_blocks
from bddsudoku.puzzle.sudoku.text.cell_resolver import CellResolver
from bddsudoku.puzzle.sudoku.text.symbols import (
    BLANKS,
    LETTERS,
    make_alphabet,
    show_symbol,
    token_digit,
)

_BOX_DRAWING = frozenset("+=:'`")
"""Characters that occur only in borders."""
_BARS = frozenset("|! \t")
_BORDER = _BARS | _BOX_DRAWING
_FRAMED = _BORDER | {*"-.*,"}
_FRAME = re.compile(r"[.*,]-[-.*,]*-[.*,]|[.*,]-+[.*,]")
_BAR = re.compile(r"[|!]")
_GAPS = re.compile(r"[ \t,;]+")
_QUOTED = re.compile(r"""(?<![^,;|! \t])(["'])([^"']*)\1(?![^,;|! \t])""")
"""A field in quotes between separators."""
_STRING = re.compile(r"""(["'])([^"']*)\1[ \t]*[,;]?""")
_OPEN = frozenset(BLANKS + "xX")


@dataclass(eq=False, slots=True)
class FieldRow:
    """A line that contains cells or may contain them.

    Attributes:
        groups: tokens between vertical bars, one list for each gap between bars; "" for empty
            fields.
        doubtful: whether the line has only dashes (and frame corners): a border, or open cells.
        hollow: whether the line has only bars and spaces: a border, or blank open cells.
        symbols: all symbols in order, with "." for empty fields.
        width: number of cells, if these are not lists of candidates.
    """

    line: int
    text: str
    groups: list[list[str]]
    doubtful: bool = False
    hollow: bool = False
    tokens: list[str] = field(init=False)
    symbols: str = field(init=False)
    width: int = field(init=False)

    def __post_init__(self) -> None:
        self.tokens = [t for group in self.groups for t in group]
        self.symbols = "".join([t or "." for t in self.tokens])
        self.width = len(self.tokens if self.may_be_numbers else self.symbols)

    @property
    def has_no_bars(self) -> bool:
        """True if the line has no vertical bars."""
        return "|" not in self.text and "!" not in self.text

    @property
    def is_space_separated(self) -> bool:
        """True if spaces separate the symbols: the line has no comma, semicolon or tab."""
        text = self.text.strip(" ")
        return " " in text and not any(c in text for c in ",;\t")

    @property
    def may_be_numbers(self) -> bool:
        """Whether all tokens can be numbers of one row of a board, with at least one above 9."""
        count = len(self.tokens)
        return 10 <= count <= LARGEST and len(self.symbols) != count and are_numbers([self], count)


def are_numbers(rows: Sequence[FieldRow], n: int) -> bool:
    """Whether every token is a number of an n×n board or an open cell."""
    return all(token_digit(t or ".", n) is not None for r in rows for t in r.tokens)


def has_minus_ones(row: FieldRow) -> bool:
    """Whether -1 stands for open cells in a row, so that 0 may be a digit."""
    return "." in row.tokens and "-1" in re.split(r"[\s,;|!]+", row.text)


def strip_quotes(text: str) -> str:
    """A line without quotes around it or around its fields, as spreadsheets write them."""
    if ('"' in text or "'" in text) and any(map(str.isalnum, text)):
        if match := _STRING.fullmatch(text.strip(" \t")):
            return match[2]
        if text.count('"') >= 4 or text.count("'") >= 4:
            return _QUOTED.sub(r"\2", text)
    return text


def split_at_bars(text: str) -> list[str]:
    """The texts between vertical bars; an outer bar is a boundary, not a separator."""
    parts = _BAR.split(text.strip(" \t"))
    if len(parts) > 1 and not parts[0]:
        del parts[0]
    if len(parts) > 1 and not parts[-1]:
        del parts[-1]
    return parts


def parse_row(text: str, line: int) -> FieldRow | None:
    """Parse a line, without its comment, as a row of fields; return None for a border."""
    if "#" in text:
        text = text[: text.index("#")].rstrip(" \t")
    chars = {*text}
    if chars == {"\t"}:
        return FieldRow(line, text, [[""] * (len(text) + 1)])
    if chars <= _BARS and " " in chars and len(split_at_bars(text)) > 1:
        return FieldRow(line, text, [[]], hollow=True)
    if chars <= _BORDER:
        return None
    doubtful = False
    if "-" in chars and chars <= _FRAMED:
        if chars & _BOX_DRAWING:
            return None
        if chars & {*".*,"}:
            doubtful = _FRAME.fullmatch(text.strip(" \t")) is not None
        else:
            # Single dashes between bars are cells; a border's dashes touch.
            doubtful = "--" in text or not chars & {*"|!"}
    fields = None if _BAR.search(text) else _fields_if_some_empty(text)
    groups = [[f for f in _GAPS.split(part) if f] for part in _BAR.split(text)]
    tokens = [*chain(*groups)]
    if "-1" in tokens and len(tokens) >= SMALLEST and any(map(str.isdigit, tokens)):
        groups = [["." if f == "-1" else f for f in group] for group in groups]
    return FieldRow(line, text, [g for g in groups if g] if fields is None else [fields], doubtful)


def _fields_if_some_empty(text: str) -> list[str] | None:
    """The fields of a line with empty fields (``5,3,,,7``); None for other lines."""
    for separator in ",;\t":
        if separator in text:
            fields = [f.strip(" \t") for f in text.split(separator)]
            is_whole = len(fields) >= 4 and "" in fields and not any(map(_GAPS.search, fields))
            return fields if is_whole else None
    return None


# Blank open cells


def may_have_blank_cells(rows: Sequence[FieldRow]) -> bool:
    """Whether open cells in some of the rows may be written as spaces.

    That is the case if spaces separate the symbols of some rows, in different columns, and no
    symbol stands for an open cell; unless the rows fit a board as they are.
    """
    if not any(r.is_space_separated for r in rows) or any(_OPEN & {*r.symbols} for r in rows):
        return False
    counts = {len(r.tokens) for r in rows}
    if len(counts) == 1 and counts.pop() >= 10:
        return False  # numbers, some of them of two digits
    if len({tuple(i for i, c in enumerate(r.text) if c not in _BARS) for r in rows}) == 1:
        return False
    n = len(rows[0].symbols)
    if not has_default_blocks(n) or any(len(r.symbols) != n for r in rows):
        return True
    return make_alphabet(n).digits("".join(r.symbols for r in rows)) is None


Cells = list[list[list[str]]]
"""Cells by row and by gap between bars; "" for an open cell."""

_SCHEMES = ((1, 1, 0), (1, 2, 0), (1, 2, 1), (1, 3, 1), (2, 3, 0), (2, 3, 1))
"""(characters of a cell, characters from cell to cell, spaces at a block's ends)."""


def replace_blanks(
    rows: Sequence[FieldRow], resolver: CellResolver, may_have_header: bool
) -> list[FieldRow] | None:
    """The rows with ``.`` for every blank cell; None if the positions of cells are unclear.

    If the only border is below the first row, as in Markdown (``may_have_header``), the first row
    may be a header, which is dropped.
    """
    if may_have_header:
        names = [s.strip(" ") for s in split_at_bars(rows[0].text)]
        if len(rows) == len(names) + 1 and _is_header(names):
            rows = rows[1:]
        elif len(rows) != len(names) or not any(names):
            return None  # a wrong number of rows, or a first row that may be header or cells
    blocks = [_BAR.split(row.text.rstrip(" ")) for row in rows]
    is_open = any(b[0].strip(" ") or b[-1] for b in blocks)
    if not is_open:
        blocks = [b[1:-1] for b in blocks]
    parts = len(blocks[0])
    if any(len(b) != parts or {*",;\t"} & {*r.text} for b, r in zip(blocks, rows, strict=True)):
        return None
    # If some lines end in spaces and others are shorter, cells may have been lost.
    is_even = not is_open or len({len(r.text) for r in rows}) == 1
    may_be_blank = (
        not any(_OPEN & {*r.symbols} for r in rows if not r.hollow)
        and (any(r.hollow for r in rows) or may_have_blank_cells(rows))
        and (is_even or not any(r.text.endswith(" ") for r in rows))
    )
    found: list[Cells] = []
    for n in range(SMALLEST, LARGEST + 1):
        if len(rows) % n or n % parts or not resolver.allows_side(n):
            continue
        if n == parts:
            read = [_cells_between_bars(blocks, n, may_have_header)]
        elif not may_be_blank:
            continue
        elif parts > 1:
            schemes = _SCHEMES[: None if n >= 10 else 4]
            read = [_cut_at_fixed_places(blocks, n // parts, scheme, is_open) for scheme in schemes]
        else:
            read = [
                _cut_at_fixed_places(blocks, n, s, True)
                for s in _SCHEMES[:2]
                if _are_digits_and_spaces(rows, n, s[1])
            ]
        found += [cells for cells in read if cells is not None and cells not in found]
    if len(found) != 1:
        return None
    bar = "" if rows[0].has_no_bars else "|"
    return [
        FieldRow(
            row.line, bar + bar.join(" ".join(c or "." for c in g) for g in groups) + bar, groups
        )
        for row, groups in zip(rows, found[0], strict=True)
    ]


def _is_header(names: Sequence[str]) -> bool:
    """Whether a table's first row is a header: empty fields, ``1, 2, …``, ``A, B, …`` or words."""
    text, symbols = "".join(names), SYMBOLS[: len(names)]
    return text in ("", symbols, LETTERS[: len(names)]) or any(
        len(name) > 1 or name.upper() not in symbols for name in names
    )


def _cells_between_bars(blocks: Sequence[Sequence[str]], n: int, has_header: bool) -> Cells | None:
    """Return the cells between bars if they fit and there is a blank one or a header, else None."""
    cells = [[[s.strip(" ")] for s in row] for row in blocks]
    texts = {s for row in cells for (s,) in row}
    is_blank = has_header or "" in texts
    return (
        cells if is_blank and all(len(s) <= 1 + (n >= 10) and " " not in s for s in texts) else None
    )


def _cut_at_fixed_places(
    blocks: Sequence[Sequence[str]], width: int, scheme: tuple[int, int, int], has_open_ends: bool
) -> Cells | None:
    """Cut rows into cells at fixed places; None if rows do not fit or have too few blank cells.

    If ``has_open_ends``, rows begin and end without bars, and perhaps without margins.
    """
    size, step, pad = scheme
    places = range(pad, pad + step * width, step)
    length = places[-1] + size + pad
    out: Cells = []
    for row in blocks:
        row = [*row]
        if has_open_ends:
            row[0] = row[0].rjust(length) if len(row[0]) == length - pad else row[0]
            row[-1] = row[-1].ljust(length)
        out.append([[block[at : at + size].strip(" ") for at in places] for block in row])
        for block, cells in zip(row, out[-1], strict=True):
            if len(block) != length or "".join(cells) != block.replace(" ", ""):
                return None
    flat = [c for groups in out for group in groups for c in group]
    # too few blanks: rather a full grid that lost a cell or two
    return None if flat.count("") < len(flat) // len(out) else out


def _are_digits_and_spaces(rows: Sequence[FieldRow], n: int, step: int) -> bool:
    """Whether n rows have a digit or blank at every ``step``-th place, and n // 2 or more blanks.

    Too few blanks may come from a full grid that lacks a cell.
    """
    length = step * (n - 1) + 1
    texts = [r.text.rstrip(" ") for r in rows]
    is_padded = {len(r.text) for r in rows} <= {length, length + step - 1}
    is_spanned = max(map(len, texts)) == length and any(t[0] != " " for t in texts)
    return (
        n == len(rows)
        and (is_padded or is_spanned)
        and sum(t[::step].count(" ") for t in texts) >= n // 2
        and {*"".join(r.symbols for r in rows).upper()} <= {*SYMBOLS[:n]}
    )


def has_labels(table: Sequence[Sequence[str]]) -> bool:
    """Whether a table's first row and first column are labels (0, 1, …; 1, 2, …; A, B, …).

    Its first field is empty or missing, as data frames are written. No board begins like this: the
    digits of its first row and column would repeat in the first block.

    Raises:
        PuzzleFormatError: the columns have labels from 0 on, the rows have none.
    """
    side = len(table)
    if side < SMALLEST or {*map(len, table[1:])} != {side}:
        return False
    above, below = [*table[0]], [row[0] for row in table[1:]]
    if above[:1] == [""]:
        del above[0]
    if len(above) != side - 1 or not _are_labels(above):
        return False
    if not _are_labels(below) and above[0] == "0":
        raise PuzzleFormatError("the columns seem to have labels (0, 1, …): leave them out")
    return _are_labels(below)


def _are_labels(fields: Sequence[str]) -> bool:
    return any(labels.startswith("".join(fields).upper()) for labels in _LABELS)


READABLE_FORMS = "a board is n² symbols on one line, a grid of n lines or lists in brackets"
"""The accepted forms, as a phrase for messages."""


def not_a_puzzle(text: str) -> str:
    """The message for a text that is none of the accepted forms."""
    return f"expected a puzzle, found {show_symbol(text.strip())}; {READABLE_FORMS}"


_FORMS: tuple[tuple[str, str], ...] = (
    (r":", "a line of HoDoKu's library (81 cells, then candidates such as 427)"),
    (r"https?://", "a link; the puzzle is elsewhere"),
    (r"(scl|scf|ctc)[A-Za-z0-9]{8}", "a SudokuPad export (compressed)"),
    (r"SumoCue\w*", "a SumoCue code (killer or jigsaw), whose rules cannot be read yet"),
    (r"\d+x\d+(:\w?)+:", "a killer or jigsaw code, whose rules cannot be read yet"),
    (r"\\(begin|documentclass|hline|usepackage|setsudoku)|.*&.*\\\\", "LaTeX"),
    (r"%PDF", "a PDF document"),
    (r"\{\\rtf", "a document in rich text (RTF)"),
    (r"[\[{]\s*([\"']\s*\w+\s*[\"'])\s*:", "JSON"),
    (r".*\breshape\s*\(\s*\(/|.*\(/.*/\)", "Fortran, which counts columns first"),
    (r".*\bmatrix\s*\(\s*c\s*\(", "R, which counts columns first"),
)  # fmt: skip
_VAGUE: tuple[tuple[str, str], ...] = (
    (r"(import|from|def|class|for|if|while|return|using|package|public|let|var|const|print)\b"
     r"|#include|.*[;{}]\s*$", "program text"),
)  # fmt: skip
_LABELS = (
    "".join(map(str, range(1, LARGEST + 1))),
    "".join(map(str, range(LARGEST))),
    LETTERS,
)
"""Labels of rows and columns, one behind the other."""
_FRAGMENT = 4
"""Least number of brackets and quotes that show a part of a list."""
_MAGIC = (
    (b"\x1f\x8b", "compressed data (gzip)"),
    (b"BZh", "compressed data (bzip2)"),
    (b"\xfd7zXZ", "compressed data (xz)"),
    (b"\x28\xb5\x2f\xfd", "compressed data (zstandard)"),
    (b"PK\x03\x04", "a ZIP archive or a spreadsheet (.xlsx, .ods); export it as CSV"),
    (b"\xd0\xcf\x11\xe0", "an old spreadsheet or document (.xls, .doc); export it as CSV"),
    (b"%PDF", "a PDF document"),
    (b"\x89PNG", "a picture (PNG)"),
    (b"\xff\xd8\xff", "a picture (JPEG)"),
    (b"GIF8", "a picture (GIF)"),
    (b"SQLite format", "a database (SQLite)"),
)


def is_mostly_words(row: FieldRow) -> bool:
    """Whether most symbols of a line are neither digits nor symbols of open cells."""
    return 2 * sum(s in BLANKS or s.isdigit() for s in row.symbols) < len(row.symbols)


def describe_format(text: str) -> str | None:
    """A phrase that says which foreign format a text seems to have; None if it shows none."""
    return _first_matching_name(text, _FORMS) or _first_matching_name(text, _VAGUE)


def _first_matching_name(text: str, forms: Sequence[tuple[str, str]]) -> str | None:
    """The name of the first form whose regular expression matches a text's beginning, if any."""
    return next((name for p, name in forms if re.match(p, text.strip(), re.IGNORECASE)), None)


def binary_format_name(start: bytes) -> str | None:
    """The name of the binary file format that some first bytes show; None if they show none."""
    return next((name for magic, name in _MAGIC if start.startswith(magic)), None)


def describe_unreadable_rows(rows: Sequence[FieldRow]) -> str | None:
    """A message that guesses the format of unreadable rows; None if they may be rows of a board."""
    row = rows[0]
    text = row.text.strip()
    symbols = "".join(r.symbols for r in rows)
    likely = sum(s in BLANKS or s.isdigit() for s in symbols)
    form = _first_matching_name(text, _FORMS)
    if form is None and 2 * likely < len(symbols):
        form = _first_matching_name(text, _VAGUE)
    if form is not None:
        return f"this looks like {form}; {READABLE_FORMS}"
    if sum(s in "[]()\"'" for s in symbols) >= _FRAGMENT:
        return f"this looks like a part of a list; {READABLE_FORMS}"
    if labels := _row_labels(rows):
        return f"the rows seem to begin with labels ({labels}): leave them out"
    words = sum(len(t) >= 3 and t.isalpha() for r in rows for t in r.tokens)
    if 5 * likely < len(symbols) and (words >= 2 * len(rows) or len(rows) == 1):
        return not_a_puzzle(text)
    return None


def row_lengths_message(rows: Sequence[FieldRow]) -> str:
    """Return the error message for rows whose lengths do not fit any board."""
    if (other := describe_unreadable_rows(rows)) is not None:
        return other
    text = rows[0].text.strip()
    count = len(rows[0].symbols)
    found = f"{count} symbol{'s' * (count > 1)} {show_symbol(text)}"
    if len(rows) > 1:
        widths = sorted({len(r.symbols) for r in rows})
        spread = f"{widths[0]} to {widths[-1]}" if len(widths) > 1 else f"{widths[0]}"
        found = f"{len(rows)} lines of {spread} symbols"
    return f"found {found}; boards are 4x4 to 25x25, n lines of n symbols or n² on one line"


def _row_labels(rows: Sequence[FieldRow]) -> str:
    """The labels at the beginning of the rows, as ``A, B, …``; "" if some row has none."""
    if all(len(r.tokens) == len(rows) for r in rows):
        return ""  # the first column belongs to the board
    firsts = [r.tokens[0].rstrip(".:)") for r in rows if len(r.tokens) > SMALLEST]
    for labels in (firsts[:9], firsts[1:10]):
        joined = "".join(labels).upper()
        if len(joined) == len(labels) >= SMALLEST and any(s.startswith(joined) for s in _LABELS):
            return f"{labels[0]}, {labels[1]}, …"
    return ""
