"""Forms that are no grids: brackets, f-puzzles' JSON and links, markup, listings of hints.

Each takes lines until it is complete, and then knows its boards.

A table of HTML is a board when it has n rows of n cells; a cell's text (or the value of an input
field in it) is a digit, or nothing. Tables within tables are refused: their order is the page's
secret. A game of OpenSudoku's XML is one row with one text.
"""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import ClassVar

from bddsudoku.errors import PuzzleFormatError
from bddsudoku.numbers import number_in
from bddsudoku.puzzle.sudoku.fpuzzles.links import is_link
from bddsudoku.puzzle.sudoku.fpuzzles.reading import claims, read_fpuzzles
from bddsudoku.puzzle.sudoku.grid import Puzzle
from bddsudoku.puzzle.sudoku.layout import SYMBOLS, Layout, cell_name
from bddsudoku.puzzle.sudoku.text.cells import Resolver
from bddsudoku.puzzle.sudoku.text.nested import (
    Atom,
    Found,
    board_of_rows,
    board_of_string,
    boards,
    depth_of,
    first_bracket,
    opens,
    tree,
)
from bddsudoku.puzzle.sudoku.text.symbols import fold, show

Rows = list[list[Atom]]
_HIDDEN = ("script", "style", "sub", "sup")


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
            self.found.append((self.line, [[Atom(str(given["data"]).strip(), self.line)]]))
        elif self.open is not None and tag == "tr":
            self.open.append([])
            self._line = self.line
            self._in_cell = False
        elif self.open is not None and tag in ("td", "th"):
            if given.get("colspan", "1") != "1" or given.get("rowspan", "1") != "1":
                raise self.refusal("a cell that spans several")
            if not self.open:
                raise self.refusal("a cell outside the rows of the table")
            self.open[-1].append(Atom("", self._line))
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


MOST_IN_BRACKETS = 1_000_000
"""Characters within one pair of brackets."""
_JSON_STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"')
_HINT = re.compile(r"r(\d+)c(\d+)\s*[=:]\s*(\w+)", re.IGNORECASE)
_LISTED = re.compile(rf"(?:{_HINT.pattern}[\s,;.]*)+", re.IGNORECASE)


class Block:
    """Lines of one form.

    Args:
        line: number of the first line.
        resolver: with what was asked for.

    Attributes:
        is_complete: whether the last line ended it.
        notes: what the user should know of its boards, once they were read.
    """

    most: ClassVar[int] = MOST_IN_BRACKETS
    too_many: ClassVar[str] = "more than {:,} characters in brackets"

    def __init__(self, line: int, resolver: Resolver) -> None:
        self.line = line
        self.resolver = resolver
        self.lines: list[str] = []
        self.length = 0
        self.is_complete = False
        self.notes: tuple[str, ...] = ()

    def take(self, number: int, text: str, raw: str) -> bool:
        """Add a line, with look-alikes replaced and as it is; False when it does not belong.

        Raises:
            PuzzleFormatError: there are too many characters.
        """
        self.lines.append(text)
        self.length += len(text)
        if self.length > self.most:
            raise PuzzleFormatError(self.too_many.format(self.most), line=self.line)
        return True

    def boards(self) -> Found:
        """The puzzles, each with the line on which it begins."""
        raise NotImplementedError

    def of_fpuzzles(self, text: str) -> Found:
        """The puzzle in f-puzzles' JSON or a link to it."""
        found = read_fpuzzles(text, self.resolver.layout, None, self.line)
        self.notes = found.notes
        yield found.puzzle, self.line


def block_for(number: int, text: str, resolver: Resolver) -> Block | None:
    """The block that a line opens, None when it opens none; the line has to be taken then.

    Args:
        number: of the line.
        text: the line without margins.
        resolver: with what was asked for.
    """
    if is_link(text):
        return _Link(number, resolver)
    if text[0] in "rR" and _LISTED.fullmatch(text):
        return _Listing(number, resolver)
    if text[0] == "<" and (text[1:2].isalpha() or text[1:2] in ("!", "?")):
        return _Page(number, resolver)
    if any(c in text for c in "[({=") and opens(text):
        return _Brackets(number, resolver)
    return None


class _Link(Block):
    """One line that holds a puzzle of f-puzzles."""

    def take(self, number: int, text: str, raw: str) -> bool:
        self.lines, self.is_complete = [text], True
        return True

    def boards(self) -> Found:
        return self.of_fpuzzles(self.lines[0])


class _Brackets(Block):
    """Brackets to their end: lists, or f-puzzles' JSON.

    In JSON only plain quotes are quotes, and nothing in them is a bracket.
    """

    def __init__(self, line: int, resolver: Resolver) -> None:
        super().__init__(line, resolver)
        self._raw: list[str] = []
        self._begun = False
        self._depth = self._depth_of_json = 0

    def take(self, number: int, text: str, raw: str) -> bool:
        super().take(number, text, raw)
        self._raw.append(raw)
        begin = 0 if self._begun else first_bracket(text)
        if begin < 0:
            if self._raw[1:]:
                first = show(self.lines[0].strip(" \t"))
                raise PuzzleFormatError(f"expected brackets after {first}", line=self.line)
            return True
        self._begun = True
        self._depth += depth_of(text[begin:])
        bare = _JSON_STRING.sub("", raw)
        self._depth_of_json += sum(map(bare.count, "[{")) - sum(map(bare.count, "]}"))
        self.is_complete = (self._depth_of_json if self._is_likely() else self._depth) <= 0
        return True

    def _is_likely(self) -> bool:
        """Whether this may be f-puzzles' JSON."""
        return self.lines[0].lstrip(" \t")[:1] == "{" and all(
            any(name in line for line in self._raw) for name in ('"size"', '"grid"')
        )

    def boards(self) -> Found:
        if self._is_likely() and claims(text := "\n".join(self._raw)):
            return self.of_fpuzzles(text)
        return boards(tree("\n".join(self.lines), self.line), self.resolver)


class _Page(Block):
    """Markup, to the end of the text."""

    most = 500_000
    too_many = "this looks like HTML or XML, more than {:,} characters of it"

    def boards(self) -> Found:
        page = _Tables(self.line)
        page.feed("\n".join(self.lines))
        page.close()
        if page.open is not None:
            raise page.refusal("the table is not closed")
        if not page.found:
            raise page.refusal(
                "this looks like HTML or XML without a table; a board is a table of n rows and n "
                "cells, or a <game data=…> of OpenSudoku"
            )
        for line, rows in page.found:
            if len(rows) == len(rows[0]) == 1:
                yield board_of_string(rows[0][0], self.resolver), line
            else:
                yield board_of_rows(rows, rows[0][0].line, self.resolver), line


class _Listing(Block):
    """A board as a listing of its hints: ``r1c1=5, r2c7=3, …``.

    It does not say how large its board is: without a layout it is a 9×9 board, and must show that
    by a 9 (a row, column or digit) and nothing beyond.
    """

    def __init__(self, line: int, resolver: Resolver) -> None:
        super().__init__(line, resolver)
        self._hints: list[tuple[int, int, int, int]] = []

    def take(self, number: int, text: str, raw: str) -> bool:
        text = text.strip(" \t")
        if text.startswith("#") and "layout" not in text.lower():
            return True  # a comment
        if not _LISTED.fullmatch(text):
            return False
        for row, column, symbol in _HINT.findall(text):
            try:
                place = number_in(row) or 0, number_in(column) or 0
                digit = (len(symbol) == 1 and SYMBOLS.find(symbol.upper()) + 1) or number_in(symbol)
            except PuzzleFormatError as error:
                raise PuzzleFormatError(error.expected, line=number) from None
            if not digit:
                raise PuzzleFormatError(
                    f"expected a digit, found {show(symbol)}",
                    line=number,
                    cell=f"r{place[0]}c{place[1]}",
                )
            self._hints.append((*place, digit, number))
        return True

    def boards(self) -> Found:
        largest = max(max(hint[:3]) for hint in self._hints)
        if self.resolver.layout is None and largest != 9:
            raise PuzzleFormatError(
                f"a listing of hints whose rows, columns and digits reach {largest}: the size of "
                "the board is unknown; say '# layout: 3x3' or another shape above it",
                line=self.line,
            )
        layout = self.resolver.layout or Layout(3, 3)
        n = layout.n
        cells = [0] * layout.cell_count
        for row, column, digit, line in self._hints:
            if not (1 <= row <= n and 1 <= column <= n and digit <= n):
                raise PuzzleFormatError(
                    f"r{row}c{column}={digit} is not on a board of {layout}", line=line
                )
            cell = (row - 1) * n + column - 1
            if cells[cell] not in (0, digit):
                raise PuzzleFormatError(
                    f"expected one digit a cell, found {SYMBOLS[cells[cell] - 1]} and "
                    f"{SYMBOLS[digit - 1]}",
                    line=line,
                    cell=cell_name(cell, n),
                )
            cells[cell] = digit
        yield Puzzle(cells, layout), self.line
