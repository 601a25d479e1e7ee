"""Boards in HTML tables and in the XML of OpenSudoku.

A table is a board when it has n rows of n cells; a cell's text (or the value of an input field in
it) is a digit, or nothing. Tables within tables are refused: their order is the page's secret.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser

from bddsudoku.errors import PuzzleFormatError
from bddsudoku.puzzle.sudoku.text.symbols import fold

_MOST = 500_000
"""Characters of one page."""


def opens(text: str) -> bool:
    """Whether a line begins markup."""
    return text[0] == "<" and (text[1:2].isalpha() or text[1:2] in ("!", "?"))


@dataclass(slots=True)
class Board:
    """Cells of a table, or the symbols of a game.

    Attributes:
        line: where it begins.
        rows: the cells' texts, row by row; for a game one row with one text.
        lines: the line of every row.
    """

    line: int
    rows: list[list[str]] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)


class Markup(HTMLParser):
    """Collects the lines of a page and finds its boards.

    Args:
        line: number of the first line.
        source: file name for messages.
    """

    def __init__(self, line: int, source: str | None) -> None:
        super().__init__()
        self.boards: list[Board] = []
        self._first = line
        self._source = source
        self._lines: list[str] = []
        self._length = 0
        self._open: Board | None = None
        self._in_cell = False
        self._hidden = 0

    def take(self, text: str) -> None:
        """Add a line.

        Raises:
            PuzzleFormatError: too long a page.
        """
        self._length += len(text)
        if self._length > _MOST:
            raise self._refusal(
                f"this looks like HTML or XML, more than {_MOST:,} characters of it"
            )
        self._lines.append(text)

    def finish(self) -> list[Board]:
        """The boards, once all lines were taken.

        Raises:
            PuzzleFormatError: there are none, or a table is no grid of cells.
        """
        self.feed("\n".join(self._lines))
        self.close()
        if self._open is not None:
            raise self._refusal("the table is not closed")
        if not self.boards:
            raise self._refusal(
                "this looks like HTML or XML without a table; a board is a table of n rows and n "
                "cells, or a <game data=…> of OpenSudoku"
            )
        return self.boards

    @property
    def line(self) -> int:
        """Where the page has been read to."""
        return self._first + self.getpos()[0] - 1

    def _refusal(self, what: str) -> PuzzleFormatError:
        return PuzzleFormatError(what, source=self._source, line=self.line)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Tables, rows, cells, fields, games."""
        given = dict(attrs)
        if tag in ("script", "style", "sub", "sup"):
            self._hidden += 1
        elif tag == "table":
            if self._open is not None:
                raise self._refusal("a table within a table: which of them is the board?")
            self._open = Board(self.line)
        elif tag == "game" and given.get("data") is not None:
            self.boards.append(Board(self.line, [[str(given["data"]).strip()]], [self.line]))
        elif self._open is not None:
            self._in_table(tag, given)

    def _in_table(self, tag: str, given: dict[str, str | None]) -> None:
        assert self._open is not None
        if tag == "tr":
            self._open.rows.append([])
            self._open.lines.append(self.line)
            self._in_cell = False
        elif tag in ("td", "th"):
            if given.get("colspan", "1") != "1" or given.get("rowspan", "1") != "1":
                raise self._refusal("a cell that spans several")
            if not self._open.rows:
                raise self._refusal("a cell outside the rows of the table")
            self._open.rows[-1].append("")
            self._in_cell = True
        elif tag == "input" and self._in_cell:
            self._open.rows[-1][-1] += given.get("value") or ""

    def handle_endtag(self, tag: str) -> None:
        """The end of a table or cell."""
        if tag in ("script", "style", "sub", "sup"):
            self._hidden = max(0, self._hidden - 1)
        elif tag in ("td", "th"):
            self._in_cell = False
        elif tag == "table" and self._open is not None:
            board, self._open = self._open, None
            filled = [(r, at) for r, at in zip(board.rows, board.lines, strict=True) if r]
            board.rows, board.lines = [r for r, _ in filled], [at for _, at in filled]
            if board.rows:
                self.boards.append(board)

    def handle_data(self, data: str) -> None:
        """The text of a cell."""
        if self._open is not None and self._in_cell and not self._hidden:
            self._open.rows[-1][-1] += "".join(fold(data).split())
