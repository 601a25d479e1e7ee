"""Parser of lines into rows of fields: takes away quotes, bars and labels, recognises borders."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import chain

from bddsudoku.errors import PuzzleFormatError
from bddsudoku.puzzle.sudoku.layout import LARGEST, SMALLEST
from bddsudoku.puzzle.sudoku.text.symbols import BLANKS, LETTERS, show_symbol, token_digit

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
    return _QUOTED.sub(r"\2", text) if is_quoted and any(map(str.isalnum, text)) else text


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
