"""Readers of boards that are not lines of cells: lists, JSON, links, strings of ISS.

A form collects lines until it is complete, and is then read as a puzzle or taken apart into lines
of cells. The readers of rarer forms are imported on demand.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from bddsudoku.errors import PuzzleFormatError
from bddsudoku.puzzle.sudoku.grid import Puzzle
from bddsudoku.puzzle.sudoku.layout import Layout
from bddsudoku.puzzle.sudoku.text.nested_lists import (
    Lines,
    bracket_depth_change,
    lines_in_brackets,
    opens_brackets,
)
from bddsudoku.puzzle.sudoku.text.symbols import LETTERS, goes_on_iss, is_iss, is_link

MAX_BRACKET_BYTES = 1_000_000
"""Limit on the characters within one pair of brackets."""
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
    """The form of input, such as ``link``, that a first line shows; "" for a line of cells."""
    if is_iss(text):
        return "string"
    if is_link(text):
        return "link"
    if opens_brackets(text):
        return "brackets"
    return ""


_CONSTRAINT = re.compile(r"\.(?!(?:Or|And|End)\b)[A-Za-z~]")
"""The beginning of a constraint in a string of Interactive-Sudoku-Solver."""


class FormCollector:
    """Collects the lines of a link, JSON object, list or string of Interactive-Sudoku-Solver.

    Such a string extends over the lines below its first that are indented or, where each line has
    one constraint, begin as a string does. Once the puzzle is read, ``notes`` has messages for the
    user about it.

    Args:
        form: see :func:`detect_form`.
        line: number of the first line.
        is_on_one_line: whether a string on one line stands directly above: then this is another.
    """

    def __init__(self, form: str, line: int, is_on_one_line: bool) -> None:
        self.form = form
        self.line = line
        self.is_on_one_line = is_on_one_line
        self.is_complete = form == "link"
        self.notes: tuple[str, ...] = ()
        self._lines: list[str] = []
        self._bytes_left = MAX_BRACKET_BYTES
        self._depth = 0

    def add_line(self, text: str, raw: str) -> bool:
        """Add a line and return True; return False if it does not belong to this form of input.

        ``raw`` is the line as it stands in the file, with look-alikes of ASCII characters.
        """
        if self.form == "string":
            has_several = len(_CONSTRAINT.findall(text)) > 1
            if not self._lines:
                self.is_on_one_line |= has_several
            elif text[:1] not in (" ", "\t"):
                begun = self._lines[0].lstrip(" \t")
                goes_on = begun[0] == text[:1] == "." and goes_on_iss(text)
                if self.is_on_one_line or not goes_on:
                    return False
                if has_several:
                    if len(self._lines) > 1:
                        raise PuzzleFormatError(
                            "expected one constraint as in the lines above, or a blank line "
                            f"before another puzzle, found '{text[:40]}'"
                        )
                    return False
        elif self.form == "brackets":
            text = raw  # JSON and Python know ASCII quotes only
            self._depth += bracket_depth_change(text)
            self.is_complete = self._depth <= 0
        self._lines.append(text)
        self._bytes_left -= len(text)
        if self._bytes_left < 0:
            raise PuzzleFormatError(
                f"more than {MAX_BRACKET_BYTES:,} characters in brackets", line=self.line
            )
        return True

    def read(self, layout: Layout | None) -> Puzzle | Iterable[Lines]:
        """Read the collected lines: as a puzzle, or as the lines of cells of each board."""
        text = "\n".join(self._lines)
        if self.form == "string":
            from bddsudoku.puzzle.sudoku.iss.reading import read_iss

            puzzle = read_iss(text, layout)
            if puzzle.dead_cells and "\n." in text:
                name = puzzle.layout.cell_name(puzzle.dead_cells[0])
                raise PuzzleFormatError(
                    f"the lines of one string leave {name} no digit; strings of several puzzles "
                    "stand after blank lines"
                )
            return puzzle
        from bddsudoku.puzzle.sudoku.fpuzzles.reading import is_fpuzzles, read_fpuzzles

        if self.form == "link" and (classic := _CLASSIC.search(text)):
            return [[(self.line, _classic_cells(classic[1]))]]
        if self.form == "link" or is_fpuzzles(text):
            found = read_fpuzzles(text, layout, None, self.line)
            self.notes = found.notes
            return found.puzzle
        return lines_in_brackets(text, self.line)
