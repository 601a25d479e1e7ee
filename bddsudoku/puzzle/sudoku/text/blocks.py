"""Forms that are no grids: brackets, f-puzzles' JSON and links, markup, listings of hints.

Each takes lines until it is complete, and then knows its boards. What reads a rarer form is
loaded when one is met.
"""

from __future__ import annotations

import re
from typing import ClassVar

from bddsudoku.errors import PuzzleFormatError
from bddsudoku.numbers import number_in
from bddsudoku.puzzle.sudoku.grid import Puzzle
from bddsudoku.puzzle.sudoku.layout import SYMBOLS, Layout, cell_name
from bddsudoku.puzzle.sudoku.text.cells import Resolver
from bddsudoku.puzzle.sudoku.text.nested import (
    Found,
    board_of_rows,
    board_of_string,
    boards,
    depth_of,
    first_bracket,
    opens,
    tree,
)
from bddsudoku.puzzle.sudoku.text.symbols import is_link, located, show

MOST_IN_BRACKETS = 1_000_000
"""Characters within one pair of brackets."""
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
        self._length = 0
        self.is_complete = False
        self.notes: tuple[str, ...] = ()

    def take(self, number: int, text: str, raw: str) -> bool:
        """Add a line, with look-alikes replaced and as it is; False when it does not belong.

        Raises:
            PuzzleFormatError: there are too many characters.
        """
        self.lines.append(text)
        self._length += len(text)
        if self._length > self.most:
            raise PuzzleFormatError(self.too_many.format(self.most), line=self.line)
        return True

    @property
    def text(self) -> str:
        """All lines."""
        return "\n".join(self.lines)

    def boards(self) -> Found:
        """The puzzles, each with the line on which it begins."""
        raise NotImplementedError


def block_for(number: int, text: str, resolver: Resolver) -> Block | None:
    """The block that a line opens, None when it opens none; the line has to be taken then.

    Args:
        number: of the line.
        text: the line without margins.
        resolver: with what was asked for.
    """
    form: type[Block] | None = None
    if is_link(text):
        form = _FPuzzles
    elif text[0] in "rR" and _LISTED.fullmatch(text):
        form = _Listing
    elif text[0] == "<" and (text[1:2].isalpha() or text[1:2] in ("!", "?")):
        form = _Page
    elif any(c in text for c in "[({=") and opens(text):
        form = _Brackets
    return None if form is None else form(number, resolver)


class _FPuzzles(Block):
    """A link, or JSON, that holds a puzzle of f-puzzles."""

    def take(self, number: int, text: str, raw: str) -> bool:
        self.is_complete = True
        return super().take(number, text, raw)

    def boards(self) -> Found:
        from bddsudoku.puzzle.sudoku.fpuzzles.reading import read_fpuzzles

        found = read_fpuzzles(self.text, self.resolver.layout, None, self.line)
        self.notes = found.notes
        yield found.puzzle, self.line


class _Brackets(_FPuzzles):
    """Brackets to their end: lists, or f-puzzles' JSON.

    Objects are kept as they stand, because a quote that looks like another is none in JSON.
    """

    def __init__(self, line: int, resolver: Resolver) -> None:
        super().__init__(line, resolver)
        self._is_object: bool | None = None
        self._begun = False
        self._depth = 0

    def take(self, number: int, text: str, raw: str) -> bool:
        if self._is_object is None:
            self._is_object = text.lstrip(" \t")[:1] == "{"
        text = raw if self._is_object else text
        super().take(number, text, raw)
        begin = 0 if self._begun else first_bracket(text)
        if begin < 0:
            self.is_complete = False
            if number > self.line:
                first = show(self.lines[0].strip(" \t"))
                raise PuzzleFormatError(f"expected brackets after {first}", line=self.line)
            return True
        self._begun = True
        self._depth += depth_of(text[begin:])
        self.is_complete = self._depth <= 0
        return True

    def boards(self) -> Found:
        text = self.text
        if self._is_object and '"size"' in text and '"grid"' in text:
            from bddsudoku.puzzle.sudoku.fpuzzles.reading import claims

            if claims(text):
                return super().boards()
        return boards(tree(text, self.line), self.resolver)


class _Page(Block):
    """Markup, to the end of the text."""

    most = 500_000
    too_many = "this looks like HTML or XML, more than {:,} characters of it"

    def boards(self) -> Found:
        from bddsudoku.puzzle.sudoku.text.markup import tables

        for line, rows in tables(self.text, self.line):
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
            with located(line=number):
                place = number_in(row) or 0, number_in(column) or 0
                digit = (len(symbol) == 1 and SYMBOLS.find(symbol.upper()) + 1) or number_in(symbol)
            if not digit:
                cell = f"r{place[0]}c{place[1]}"
                raise PuzzleFormatError(
                    f"expected a digit, found {show(symbol)}", line=number, cell=cell
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
