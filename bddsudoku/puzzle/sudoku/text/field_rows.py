"""Parser of lines into rows of fields: removes quotes and bars, and recognises borders."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import chain

from bddsudoku.errors import PuzzleFormatError
from bddsudoku.puzzle.sudoku.layout import LARGEST, SMALLEST
from bddsudoku.puzzle.sudoku.text.symbols import (
    BLANKS,
    LETTERS,
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
_BLANK_CELLS = re.compile(r"[ \t]*[|!]?[ \t]+[|!][|! \t]*[ |!]")
_GAPS = re.compile(r"[ \t,;]+")
_QUOTED = re.compile(r"""(?<![^,;|! \t])(["'])([^"']*)\1(?![^,;|! \t])""")
"""A field in quotes between separators."""
_STRING = re.compile(r"""(["'])([^"']*)\1[ \t]*[,;]?""")


@dataclass(eq=False, slots=True)
class FieldRow:
    """A line that contains cells or may contain them.

    Attributes:
        groups: tokens between vertical bars, one list for each gap between bars; "" for empty
            fields.
        doubtful: whether the line has only dashes (and frame corners): a border, or open cells.
        symbols: all symbols in order, with "." for empty fields.
        width: number of cells, if these are not lists of candidates.
    """

    line: int
    text: str
    groups: list[list[str]]
    doubtful: bool = False
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


def parse_row(text: str, line: int) -> FieldRow | None:
    """Parse a line, without its comment, as a row of fields; return None for a border."""
    if "#" in text:
        text = text[: text.index("#")].rstrip(" \t")
    chars = {*text}
    if chars == {"\t"}:
        return FieldRow(line, text, [[""] * (len(text) + 1)])
    if _BLANK_CELLS.fullmatch(text):
        raise PuzzleFormatError(
            "a line of bars and spaces may be a border or open cells; write . for an open cell",
            line=line,
        )
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


_LABELS = (
    "".join(map(str, range(1, LARGEST + 1))),
    "".join(map(str, range(LARGEST))),
    LETTERS,
)
"""Labels of rows and columns, one behind the other."""
_BRACKETS = 4
"""Least number of brackets and quotes that cells do not have."""


def is_mostly_words(row: FieldRow) -> bool:
    """Whether most symbols of a line are neither digits nor symbols of open cells."""
    return 2 * sum(s in BLANKS or s.isdigit() for s in row.symbols) < len(row.symbols)


def why_unreadable(rows: Sequence[FieldRow]) -> str | None:
    """The message for rows that are no cells: mostly words or brackets; None if they may be."""
    symbols = "".join(r.symbols for r in rows)
    likely = sum(s in BLANKS or s.isdigit() for s in symbols)
    words = sum(len(t) >= 3 and t.isalpha() for r in rows for t in r.tokens)
    are_words = 5 * likely < len(symbols) and (words >= 2 * len(rows) or len(rows) == 1)
    if are_words or sum(s in "[]()\"'" for s in symbols) >= _BRACKETS:
        return not_a_puzzle(rows[0].text)
    return None


def row_lengths_message(rows: Sequence[FieldRow]) -> str:
    """Return the error message for rows whose lengths do not fit any board."""
    if (other := why_unreadable(rows)) is not None:
        return other
    text = rows[0].text.strip()
    count = len(rows[0].symbols)
    found = f"{count} symbol{'s' * (count > 1)} {show_symbol(text)}"
    if len(rows) > 1:
        widths = sorted({len(r.symbols) for r in rows})
        spread = f"{widths[0]} to {widths[-1]}" if len(widths) > 1 else f"{widths[0]}"
        found = f"{len(rows)} lines of {spread} symbols"
        symbols = "".join(r.symbols for r in rows)
        if len(widths) > 1 and symbols.isdigit() and "0" not in symbols:
            found += " (are spaces open cells? write . for them)"
    return f"found {found}; boards are 4x4 to 25x25, n lines of n symbols or n² on one line"
