"""Boards as a listing of their hints: ``r1c1=5, r2c7=3, …``."""

from __future__ import annotations

import re
from collections.abc import Iterator

from bddsudoku.errors import PuzzleFormatError
from bddsudoku.numbers import number_in
from bddsudoku.puzzle.sudoku.grid import Puzzle
from bddsudoku.puzzle.sudoku.layout import SYMBOLS, Layout, cell_name
from bddsudoku.puzzle.sudoku.text.symbols import show

_HINT = re.compile(r"r(\d+)c(\d+)\s*[=:]\s*(\w+)", re.IGNORECASE)
_LISTED = re.compile(rf"(?:{_HINT.pattern}[\s,;.]*)+", re.IGNORECASE)


def opens(text: str) -> bool:
    """Whether a line lists hints."""
    return text[0] in "rR" and _LISTED.fullmatch(text) is not None


class Listing:
    """Collects hints line by line (a :class:`~bddsudoku.puzzle.sudoku.text.blocks.Block`).

    Args:
        line: number of the first line.
        layout: the layout asked for, or None.
        source: file name for messages.
    """

    is_complete = False
    notes: tuple[str, ...] = ()

    def __init__(self, line: int, layout: Layout | None, source: str | None) -> None:
        self.line = line
        self._layout = layout
        self._source = source
        self._hints: list[tuple[int, int, int, int]] = []

    def take(self, number: int, text: str, raw: str) -> bool:
        """Add a line; False when it lists no hints.

        Raises:
            PuzzleFormatError: what stands in a cell is no digit.
        """
        text = text.strip(" \t")
        if text.startswith("#") and "layout" not in text.lower():
            return True  # a comment
        if not text or not opens(text):
            return False
        line = number
        for row, column, symbol in _HINT.findall(text):
            digit = SYMBOLS.find(symbol.upper()) + 1 if len(symbol) == 1 else 0
            try:
                digit = digit or number_in(symbol) or 0
                place = number_in(row) or 0, number_in(column) or 0
            except PuzzleFormatError as error:
                raise PuzzleFormatError(error.expected, source=self._source, line=line) from None
            if not digit:
                raise PuzzleFormatError(
                    f"expected a digit, found {show(symbol)}",
                    source=self._source,
                    line=line,
                    cell=f"r{place[0]}c{place[1]}",
                )
            self._hints.append((*place, digit, line))
        return True

    def boards(self) -> Iterator[tuple[Puzzle, int]]:
        """The one puzzle with these hints."""
        yield self._puzzle(), self.line

    def _puzzle(self) -> Puzzle:
        """The puzzle.

        A listing does not say how large its board is: without a layout it is a 9×9 board, and must
        show that by a 9 (a row, column or digit) and nothing beyond.

        Raises:
            PuzzleFormatError: the size stays unknown, or hints contradict each other.
        """
        largest = max(max(hint[:3]) for hint in self._hints)
        if self._layout is None and largest != 9:
            raise PuzzleFormatError(
                f"a listing of hints whose rows, columns and digits reach {largest}: the size of "
                "the board is unknown; say '# layout: 3x3' or another shape above it",
                source=self._source,
                line=self.line,
            )
        layout = self._layout or Layout(3, 3)
        n = layout.n
        cells = [0] * layout.cell_count
        for row, column, digit, line in self._hints:
            if not (1 <= row <= n and 1 <= column <= n and digit <= n):
                raise PuzzleFormatError(
                    f"r{row}c{column}={digit} is not on a board of {layout}",
                    source=self._source,
                    line=line,
                )
            cell = (row - 1) * n + column - 1
            if cells[cell] not in (0, digit):
                raise PuzzleFormatError(
                    f"expected one digit a cell, found {SYMBOLS[cells[cell] - 1]} and "
                    f"{SYMBOLS[digit - 1]}",
                    source=self._source,
                    line=line,
                    cell=cell_name(cell, n),
                )
            cells[cell] = digit
        return Puzzle(cells, layout)
