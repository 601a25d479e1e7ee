"""The short way for long lists: one board of 36, 64 or 81 symbols on each line."""

from __future__ import annotations

import re
from operator import eq
from typing import NamedTuple

from bddsudoku.puzzle.sudoku.layout import Layout
from bddsudoku.puzzle.sudoku.text.marks import crowd_in_places, marks_of_four
from bddsudoku.puzzle.sudoku.text.rule_lines import is_one
from bddsudoku.puzzle.sudoku.text.symbols import alphabet, shared_layout

_HEAD = re.compile(r"([^ \t,;:|#]+)[ \t,;:|#]+(.*)", re.DOTALL)


class OneLine(NamedTuple):
    """A board that stood on one line.

    Attributes:
        digits: n² bytes, 0 for an open cell.
        layout: its shape.
        name: what follows the cells, "" for nothing.
    """

    digits: bytes
    layout: Layout
    name: str


class OneLineReader:
    """Reads the lines of long lists: 6×6, 8×8 and 9×9 boards, usual symbols and blocks.

    Args:
        layout: the layout asked for, or None.
        convention: the symbols asked for, or None (with others nothing is read here).
    """

    def __init__(self, layout: Layout | None = None, convention: str | None = None) -> None:
        self._known = {
            n * n: (n, shared_layout(n), alphabet(n))
            for n in (6, 8, 9)
            if convention is None and (layout is None or layout == shared_layout(n))
        }
        self._may_be_marks = layout is None

    def read(self, line: str) -> OneLine | None:
        """The board on a line; None for anything that needs a closer look, good or bad."""
        text = line.strip(" \t\r\n")
        name = ""
        known = self._known.get(len(text))
        if known is None:
            parted = _HEAD.match(text)
            if parted is None:
                return None
            text, name = parted[1], parted[2]
            known = self._known.get(len(text))
            if known is None or not name.isprintable():
                return None
        n, layout, letters = known
        digits = letters.digits(text)
        if digits is None or not text.strip("-"):
            return None
        if digits.count(0) < 2 * n and any(map(eq, digits, digits[n:])):
            return None  # equal digits in a column: perhaps a map of regions
        if len(name) >= len(text) and (name[0] == name[1] or name[0] == name[n]):
            return None  # and so does one that follows its board
        hints = digits.lstrip(b"\0")
        if name and is_one(name):
            return None
        if hints and hints[0] == (len(digits) - len(hints)) % n + 1 and crowd_in_places(text, n):
            return None  # the candidates of a row of cells
        if n == 8 and self._may_be_marks and marks_of_four(digits):
            return None
        return OneLine(digits, layout, name)
