"""The lines above a board that state its shape, digits, blocks or symbols, and what else they are.

A line whose first character is ``#`` or ``%`` is a comment. It is a *header* if it begins with
``digits``, ``shape``, ``layout`` or ``symbols`` and then has a colon, an equals sign or a number:
``# digits: 0-8``, ``# shape 8x9``. Such a line is obeyed or refused, never passed over; in
``# digits are from 0`` or ``# shapes`` the words are only words.
"""

from __future__ import annotations

import csv
import re

from bddsudoku.errors import PuzzleFormatError
from bddsudoku.number_text import parse_whole_number
from bddsudoku.puzzle.sudoku.layout import SMALLEST, Layout, why_no_default_blocks
from bddsudoku.puzzle.sudoku.text.symbols import show_symbol

COMMENT = ("#", "%")
"""First characters of comments."""
_CELL = re.compile(r"r\d+c\d+", re.IGNORECASE)
"""The name of a cell, as the heading of a column."""
_HEADING = re.compile(r"[A-Za-z_#][\w .()/#%-]*")
_PUZZLE = re.compile(
    r"(?:puzzles?|quizz?(?:es)?|questions?|sudokus?|boards?|grids?|clues|unsolved|givens?|mission)",
    re.IGNORECASE,
)
_HEADER = re.compile(
    r"(layout|symbols|shape|digits)(?:\s*[:=]\s*|\s+(?=[-+]?\d|auto$))(.*)",
    re.IGNORECASE | re.ASCII,
)
_VALUES = {
    "digits": (r"(\d+)\s*(?:-|\.\.|…|to)\s*(\d+)", "0-8' (the least and the greatest)"),
    "shape": (r"(\d+)\s*[x*]\s*(\d+)", "8x9' (rows x columns)"),
    "layout": (r"(\d+)\s*[x*]\s*(\d+)", "3x2' (rows x columns of a block)"),
}


def find_header(comment: str) -> tuple[str, str] | None:
    """A header's first word and what it says; None for a mere comment."""
    match = _HEADER.fullmatch(comment.lstrip("#% \t").strip())
    return (match[1].lower(), match[2].strip()) if match else None


class Headers:
    """What the headers read so far state about the boards below them.

    Attributes:
        symbols: the digits in order, if they are not the usual ones.
        line: the number of the last header.
    """

    def __init__(self, layout: Layout | None, symbols: str | None) -> None:
        self.symbols = symbols
        self.line = 0
        self._asked = layout
        self._stated: dict[str, tuple[int, int]] = {}

    def add(self, name: str, value: str, line: int) -> None:
        """Note a header, such as ``layout`` and ``3x2``.

        ``auto`` ends what was stated in this way, with ``layout`` all but the symbols.

        Raises:
            PuzzleFormatError: it does not have two numbers.
        """
        self.line = line
        is_auto = value.lower() == "auto"
        if name == "symbols":
            self.symbols = None if is_auto else value
            return
        for each in (*_VALUES,) if is_auto and name == "layout" else (name,):
            self._stated.pop(each, None)
        if is_auto:
            return
        pattern, example = _VALUES[name]
        match = re.fullmatch(pattern, value, re.IGNORECASE)
        if match is None:
            raise PuzzleFormatError(f"expected '# {name}: {example}, found {show_symbol(value)}")
        high, wide = (parse_whole_number(number) or 0 for number in match.groups())
        self._stated[name] = high, wide

    @property
    def layout(self) -> Layout | None:
        """The layout that ``layout``, ``shape`` and ``digits`` state together, or the asked one.

        Where only the digits are stated there are as many rows and columns.
        """
        digits, shape = self._stated.get("digits"), self._stated.get("shape")
        if not self._stated:
            return self._asked
        if "layout" in self._stated:
            layout = Layout(*self._stated["layout"], shape=shape, digits=digits)
            if [*self._stated] == ["layout"] and layout.n < SMALLEST:
                raise PuzzleFormatError(why_no_default_blocks(layout.n))
        else:
            if digits is not None and digits[0] > digits[1]:
                raise PuzzleFormatError(
                    f"expected the least and the greatest digit, found {digits}"
                )
            side = 0 if digits is None else digits[1] - digits[0] + 1
            layout = Layout.of_shape(*(shape or (side, side)), digits)
        if self._asked is not None and layout.frame != self._asked.frame:
            raise PuzzleFormatError(f"the file says {layout}, but {self._asked} was asked for")
        return self._asked or layout


# Tables of puzzles: one per line, in a column that the first line names

Column = tuple[str, int]
"""A table's separator, and the index of the column with the puzzles."""


def find_column(text: str) -> Column | None:
    """Return a table's separator and puzzle column from its header line; None for other lines.

    A line that names every cell (``r1c1,r1c2,…``, as ``enumerate --format csv`` writes) means that
    the columns are cells; its column is 0.
    """
    for separator in ",;\t":
        names = [n.strip(" \"'") for n in text.split(separator)]
        if all(_CELL.fullmatch(n) for n in names):
            return separator, 0
        if len(names) > 1 and all(_HEADING.fullmatch(n) for n in names):
            for index, name in enumerate(names):
                if _PUZZLE.fullmatch(name):
                    return separator, index
    return None


def move_puzzle_first(text: str, column: Column) -> str:
    """A line of a table with the puzzle's field moved to the front."""
    separator, index = column
    (fields,) = csv.reader([text], delimiter=separator)
    if len(fields) <= index:
        raise PuzzleFormatError(
            f"expected the puzzle in column {index + 1}, found {len(fields)} columns"
        )
    first = fields.pop(index).strip()
    return separator.join([first, *filter(None, fields)])
