"""Readers of boards that are not lines of cells: lists, JSON, links, HTML tables, hint listings.

A form collects lines until it is complete, and is then read as boards. The readers of rarer forms
are imported on demand.
"""

from __future__ import annotations

import re

from bddsudoku.errors import PuzzleFormatError
from bddsudoku.number_text import parse_whole_number
from bddsudoku.puzzle.sudoku.grid import Puzzle
from bddsudoku.puzzle.sudoku.layout import SYMBOLS, Layout, cell_name
from bddsudoku.puzzle.sudoku.text.cell_resolver import CellResolver
from bddsudoku.puzzle.sudoku.text.headers import COMMENT, find_header
from bddsudoku.puzzle.sudoku.text.nested_lists import (
    BoardsWithLines,
    TextField,
    board_from_rows,
    board_from_string,
    bracket_depth_change,
    find_boards,
    is_declaration,
    opens_brackets,
    parse_brackets,
)
from bddsudoku.puzzle.sudoku.text.symbols import (
    LETTERS,
    adding_error_place,
    goes_on_iss,
    is_iss,
    is_link,
    show_symbol,
)

MAX_BRACKET_BYTES = 1_000_000
"""Limit on the characters within one pair of brackets."""
_MAX_PAGE_BYTES = 500_000
_HINT = re.compile(r"r(\d+)c(\d+)\s*[=:]\s*(\w+)", re.IGNORECASE)
_HINT_LISTING = re.compile(rf"(?:{_HINT.pattern}[\s,;.]*)+", re.IGNORECASE)


_CLASSIC = re.compile(r"(?:/|puzzleid=)classic(\w+)$")
"""The cells of a classic board in a link to SudokuPad."""
_CELLS_AND_BLANKS = "0123456789" + LETTERS + LETTERS.lower()[:24]
_OLDER_BLANKS = LETTERS + LETTERS.lower()


def _classic_cells(code: str) -> str:
    """The 81 cells of a link to SudokuPad: a sign is a cell and up to 5 open ones after it.

    Older links have digits, and letters for the number of open cells between them.
    """
    signs = [_CELLS_AND_BLANKS.find(sign) for sign in code]
    older = sum(1 if sign in "123456789" else _OLDER_BLANKS.find(sign) for sign in code)
    cells = "".join(str(sign % 10) + "0" * (sign // 10) for sign in signs)
    if len(cells) != 81 or min(signs) < 0 or older == 81:
        raise PuzzleFormatError(
            f"expected the code of 81 cells in a link 'classic…' to SudokuPad, found {len(cells)}"
        )
    return cells


def detect_form(text: str) -> str:
    """The form of input, such as ``list``, that a first line shows; "" for a line of cells."""
    if is_iss(text):
        return "string"
    if is_link(text):
        return "link"
    if text[0] in "rR" and _HINT_LISTING.fullmatch(text):
        return "listing"
    if text[0] == "<" and (text[1:2].isalpha() or text[1:2] in ("!", "?")):
        return "page"
    if any(c in text for c in "[({=") and opens_brackets(text):
        return "object" if text[0] == "{" else "list"
    return ""


class FormCollector:
    """Collects the lines of a link, listing of hints, HTML or XML page, JSON object or list.

    A page extends to the end of the text, a string of Interactive-Sudoku-Solver over the lines
    below its first that are indented or begin as a string does. Once the boards are read, ``notes``
    has messages for the user about them.
    """

    def __init__(self, form: str, line: int, resolver: CellResolver) -> None:
        self.form = form
        self.line = line
        self.resolver = resolver
        self.is_complete = form == "link"
        self.notes: tuple[str, ...] = ()
        self._lines: list[tuple[int, str]] = []
        self._bytes_left = _MAX_PAGE_BYTES if form == "page" else MAX_BRACKET_BYTES
        self._depth = 0

    def add_line(self, number: int, text: str, raw: str) -> bool:
        """Add a line and return True; return False if it does not belong to this form of input.

        ``raw`` is the line as it stands in the file, with look-alikes of ASCII characters.
        """
        if self.form == "listing":
            text = text.strip(" \t")
            if text.startswith(COMMENT) and find_header(text) is None:
                return True
            if not _HINT_LISTING.fullmatch(text):
                return False
        elif self.form == "string":
            if self._lines and text[:1] not in (" ", "\t"):
                begun = self._lines[0][1].lstrip(" \t")
                if not (begun[0] == text[:1] == "." and goes_on_iss(text)):
                    return False
        elif self.form == "object":
            text = raw  # JSON knows ASCII quotes only
        self._lines.append((number, text))
        self._bytes_left -= len(text)
        if self._bytes_left < 0:
            raise PuzzleFormatError(
                f"this looks like HTML or XML, more than {_MAX_PAGE_BYTES:,} characters of it"
                if self.form == "page"
                else f"more than {MAX_BRACKET_BYTES:,} characters in brackets",
                line=self.line,
            )
        if self.form in ("object", "list"):
            self._depth += bracket_depth_change(text)
            is_begun = number > self.line or not is_declaration(text.strip(" \t"))
            self.is_complete = is_begun and self._depth <= 0
        return True

    def read_boards(self) -> BoardsWithLines:
        """Read the collected lines as puzzles, each with the number of its first line."""
        text = "\n".join(text for _, text in self._lines)
        if self.form == "listing":
            yield self._read_hint_listing(), self.line
        elif self.form == "string":
            from bddsudoku.puzzle.sudoku.iss.reading import read_iss

            puzzle = read_iss(text, self.resolver.layout)
            if puzzle.dead_cells and "\n." in text:
                name = puzzle.layout.cell_name(puzzle.dead_cells[0])
                raise PuzzleFormatError(
                    f"the lines of one string leave {name} no digit; strings of several puzzles "
                    "stand after blank lines"
                )
            yield puzzle, self.line
        elif self.form == "page":
            from bddsudoku.puzzle.sudoku.text.html_tables import find_tables

            for line, rows in find_tables(text, self.line):
                if len(rows) == len(rows[0]) == 1:
                    yield board_from_string(rows[0][0], self.resolver), line
                else:
                    yield board_from_rows(rows, rows[0][0].line, self.resolver), line
        else:
            from bddsudoku.puzzle.sudoku.fpuzzles.reading import is_fpuzzles, read_fpuzzles

            if self.form == "link" and (classic := _CLASSIC.search(text)):
                with adding_error_place(line=self.line):
                    cells = TextField(_classic_cells(classic[1]), self.line)
                    yield board_from_string(cells, self.resolver), self.line
            elif self.form == "link" or (self.form == "object" and is_fpuzzles(text)):
                found = read_fpuzzles(text, self.resolver.layout, None, self.line)
                self.notes = found.notes
                yield found.puzzle, self.line
            else:
                yield from find_boards(parse_brackets(text, self.line), self.resolver)

    def _read_hint_listing(self) -> Puzzle:
        """Read the board that a listing of hints describes: ``r1c1=5, r2c7=3, …``.

        A listing does not contain the board's size: without a requested layout the board is 9×9,
        and the greatest row, column or digit must be 9.
        """
        hints = []
        for line, text in self._lines:
            for row, column, symbol in _HINT.findall(text):
                with adding_error_place(line=line):
                    place = parse_whole_number(row) or 0, parse_whole_number(column) or 0
                    letter = SYMBOLS.find(symbol.upper()) + 1 if len(symbol) == 1 else 0
                    digit = letter or parse_whole_number(symbol)
                cell = f"r{place[0]}c{place[1]}"
                if not digit:
                    what = f"expected a digit, found {show_symbol(symbol)}"
                    raise PuzzleFormatError(what, line=line, cell=cell)
                hints.append((*place, digit, line))
        largest = max(max(hint[:3]) for hint in hints)
        if self.resolver.layout is None and largest != 9:
            raise PuzzleFormatError(
                f"a listing of hints whose rows, columns and digits reach {largest}: the size of "
                "the board is unknown; say '# layout: 3x3' or another shape above it"
            )
        layout = self.resolver.layout or Layout(3, 3)
        n = layout.n
        cells = [0] * layout.cell_count
        for row, column, digit, line in hints:
            if not (1 <= row <= n and 1 <= column <= n and digit <= n):
                what = f"r{row}c{column}={digit} is not on a board of {layout}"
                raise PuzzleFormatError(what, line=line)
            at = (row - 1) * n + column - 1
            if cells[at] not in (0, digit):
                raise PuzzleFormatError(
                    f"expected one digit a cell, found {SYMBOLS[cells[at] - 1]} and "
                    f"{SYMBOLS[digit - 1]}",
                    line=line,
                    cell=cell_name(at, n),
                )
            cells[at] = digit
        return Puzzle(cells, layout)
