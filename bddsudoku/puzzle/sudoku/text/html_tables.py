"""Parser of HTML tables and OpenSudoku's XML, as rows of text fields.

A board is a table of n rows of n cells, where the text of a cell (or the value of its input field)
is a digit or empty. Nested tables are refused, since they are ambiguous. A game of OpenSudoku's XML
is returned as one row with one text.
"""

from __future__ import annotations

from html.parser import HTMLParser

from bddsudoku.errors import PuzzleFormatError
from bddsudoku.puzzle.sudoku.text.nested_lists import TextField
from bddsudoku.puzzle.sudoku.text.symbols import fold_lookalikes

Rows = list[list[TextField]]
_HIDDEN = ("script", "style", "sub", "sup")


def find_tables(text: str, first_line: int) -> list[tuple[int, Rows]]:
    """Return the rows of each HTML table and OpenSudoku game, with the number of its first line."""
    page = _TableParser(first_line)
    page.feed(text)
    page.close()
    if page.is_open:
        raise page.error_here("the table is not closed")
    found = [(at, [row for row in rows if row]) for at, rows in page.found if any(rows)]
    if not found:
        raise page.error_here(
            "this looks like HTML or XML without a table; a board is a table of n rows and n "
            "cells, or a <game data=…> of OpenSudoku"
        )
    return found


class _TableParser(HTMLParser):
    """HTML parser that collects the rows of tables and the texts of OpenSudoku games."""

    def __init__(self, line: int) -> None:
        super().__init__()
        self.found: list[tuple[int, Rows]] = []
        self.is_open = False
        self._before = line - 1
        self._cells: list[TextField] | None = None  # the row of the cell being read
        self._hidden = 0

    @property
    def line(self) -> int:
        """Number of the line that is being read."""
        return self._before + self.getpos()[0]

    def error_here(self, what: str) -> PuzzleFormatError:
        """The error with a message and the number of the line that is being read."""
        return PuzzleFormatError(what, line=self.line)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Handle the start tag of a table, row, cell, input field or OpenSudoku ``game``."""
        given = {name: value or "" for name, value in attrs}
        if tag in _HIDDEN:
            self._hidden += 1
        elif tag == "table":
            if self.is_open:
                raise self.error_here("a table within a table: which of them is the board?")
            self.found.append((self.line, []))
            self.is_open = True
        elif tag == "game" and "data" in given:
            self.found.append((self.line, [[TextField(given["data"].strip(), self.line)]]))
        elif tag == "input":
            self._add_to_cell(given.get("value", ""))
        elif self.is_open and tag == "tr":
            self.found[-1][1].append([])
            self._cells = None
        elif self.is_open and tag in ("td", "th"):
            if {given.get("colspan", "1"), given.get("rowspan", "1")} != {"1"}:
                raise self.error_here("a cell that spans several")
            rows = self.found[-1][1]
            if not rows:
                raise self.error_here("a cell outside the rows of the table")
            self._cells = rows[-1]
            self._cells.append(TextField("", self.line))

    def handle_endtag(self, tag: str) -> None:
        """Handle the end of a table or cell."""
        if tag in _HIDDEN:
            self._hidden = max(0, self._hidden - 1)
        elif tag in ("td", "th", "table"):
            self._cells = None
            self.is_open &= tag != "table"

    def handle_data(self, data: str) -> None:
        """Add text to the current cell."""
        if not self._hidden:
            self._add_to_cell("".join(fold_lookalikes(data).split()))

    def _add_to_cell(self, text: str) -> None:
        """Append text to the cell that is being read, if there is one."""
        if self._cells:
            cell = self._cells[-1]
            self._cells[-1] = cell._replace(text=cell.text + text)
