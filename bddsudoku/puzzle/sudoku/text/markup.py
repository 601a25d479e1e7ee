"""Tables of HTML, and the games of OpenSudoku's XML, as rows of fields.

A table is a board when it has n rows of n cells; a cell's text (or the value of an input field in
it) is a digit, or nothing. Tables within tables are refused: their order is the page's secret. A
game of OpenSudoku's XML is one row with one text.
"""

from __future__ import annotations

from html.parser import HTMLParser

from bddsudoku.errors import PuzzleFormatError
from bddsudoku.puzzle.sudoku.text.nested import Field
from bddsudoku.puzzle.sudoku.text.symbols import fold

Rows = list[list[Field]]
_HIDDEN = ("script", "style", "sub", "sup")


def tables(text: str, line: int) -> list[tuple[int, Rows]]:
    """The rows of all tables and games, with the line where each begins.

    Raises:
        PuzzleFormatError: there are none, or their cells have no certain place.
    """
    page = _Tables(line)
    page.feed(text)
    page.close()
    if page.open is not None:
        raise page.refusal("the table is not closed")
    if not page.found:
        raise page.refusal(
            "this looks like HTML or XML without a table; a board is a table of n rows and n "
            "cells, or a <game data=…> of OpenSudoku"
        )
    return page.found


class _Tables(HTMLParser):
    """Finds the tables."""

    def __init__(self, line: int) -> None:
        super().__init__()
        self.found: list[tuple[int, Rows]] = []
        self.open: Rows | None = None
        self._first = line
        self._began = self._line = line  # of the table, of the row
        self._in_cell = False
        self._hidden = 0

    @property
    def line(self) -> int:
        """Where the page has been read to."""
        return self._first + self.getpos()[0] - 1

    def refusal(self, what: str) -> PuzzleFormatError:
        """An error at this place."""
        return PuzzleFormatError(what, line=self.line)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Tables, rows, cells, fields, games."""
        given = dict(attrs)
        if tag in _HIDDEN:
            self._hidden += 1
        elif tag == "table":
            if self.open is not None:
                raise self.refusal("a table within a table: which of them is the board?")
            self.open = []
            self._began = self.line
        elif tag == "game" and given.get("data") is not None:
            self.found.append((self.line, [[Field(str(given["data"]).strip(), self.line)]]))
        elif self.open is not None and tag == "tr":
            self.open.append([])
            self._line = self.line
            self._in_cell = False
        elif self.open is not None and tag in ("td", "th"):
            if given.get("colspan", "1") != "1" or given.get("rowspan", "1") != "1":
                raise self.refusal("a cell that spans several")
            if not self.open:
                raise self.refusal("a cell outside the rows of the table")
            self.open[-1].append(Field("", self._line))
            self._in_cell = True
        elif tag == "input":
            self._add(given.get("value") or "")

    def handle_endtag(self, tag: str) -> None:
        """The end of a table or cell."""
        if tag in _HIDDEN:
            self._hidden = max(0, self._hidden - 1)
        elif tag in ("td", "th"):
            self._in_cell = False
        elif tag == "table" and self.open is not None:
            rows = [row for row in self.open if row]
            self.found += [(self._began, rows)] if rows else []
            self.open = None

    def handle_data(self, data: str) -> None:
        """The text of a cell."""
        if not self._hidden:
            self._add("".join(fold(data).split()))

    def _add(self, text: str) -> None:
        if self.open and self._in_cell:
            cell = self.open[-1][-1]
            self.open[-1][-1] = cell._replace(text=cell.text + text)
