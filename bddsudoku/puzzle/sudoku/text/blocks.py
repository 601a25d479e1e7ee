"""Forms that are no grids: brackets, f-puzzles' JSON and links, markup, listings of hints.

What reads them is imported when a line looks like one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Protocol

from bddsudoku.errors import PuzzleFormatError
from bddsudoku.puzzle.sudoku.grid import Puzzle
from bddsudoku.puzzle.sudoku.layout import Layout
from bddsudoku.puzzle.sudoku.text.forms import MOST_IN_BRACKETS, is_link

if TYPE_CHECKING:
    from bddsudoku.puzzle.sudoku.text.nested import NestedReader

_JSON_STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"')
_MARKS = frozenset("[({=")
"""One of these stands in the first line of brackets."""


class Block(Protocol):
    """Takes lines until it is complete, and then knows its boards."""

    @property
    def is_complete(self) -> bool:
        """Whether the last line ended it."""
        ...

    @property
    def notes(self) -> tuple[str, ...]:
        """What the user should know of its boards, once they were read."""
        ...

    def take(self, number: int, text: str, raw: str) -> bool:
        """Add a line, as it is and with look-alikes replaced; False when it does not belong."""
        ...

    def boards(self) -> Iterator[tuple[Puzzle, int]]:
        """The puzzles, each with the line on which it begins."""
        ...


def block_for(
    number: int,
    text: str,
    layout: Layout | None,
    convention: str | None,
    source: str | None,
) -> Block | None:
    """The block that a line opens, None when it opens none; the line has to be taken then.

    Args:
        number: of the line.
        text: the line without margins.
        layout: the layout asked for, or None.
        convention: the symbols asked for, or None.
        source: file name for messages.
    """
    if is_link(text):
        return _Link(number, layout, source)
    if text[0] in "rR":
        from bddsudoku.puzzle.sudoku.text import listing

        if listing.opens(text):
            return listing.Listing(number, layout, source)
    if text[0] != "<" and _MARKS.isdisjoint(text):
        return None
    from bddsudoku.puzzle.sudoku.text import brackets, markup
    from bddsudoku.puzzle.sudoku.text.nested import NestedReader

    reader = NestedReader(layout, convention, source)
    if markup.opens(text):
        return _Page(number, reader, source)
    if not brackets.opens(text):
        return None
    nested = _Nested(number, text, reader, source)
    return _Object(number, nested, layout, source) if text[0] == "{" else nested


class _Link:
    """One line that holds a puzzle of f-puzzles."""

    is_complete = False
    notes: tuple[str, ...] = ()

    def __init__(self, number: int, layout: Layout | None, source: str | None) -> None:
        self._line = number
        self._layout = layout
        self._source = source
        self._text = ""

    def take(self, number: int, text: str, raw: str) -> bool:
        """The line."""
        self._text = text
        self.is_complete = True
        return True

    def boards(self) -> Iterator[tuple[Puzzle, int]]:
        """Its puzzle."""
        from bddsudoku.puzzle.sudoku.fpuzzles.reading import read_fpuzzles

        found = read_fpuzzles(self._text, self._layout, self._source, self._line)
        self.notes = found.notes
        yield found.puzzle, self._line


class _Object:
    """Braces: f-puzzles' JSON, or else what any brackets may be.

    In JSON only plain quotes are quotes, and nothing in them is a bracket.
    """

    is_complete = False
    notes: tuple[str, ...] = ()

    def __init__(
        self, number: int, other: _Nested, layout: Layout | None, source: str | None
    ) -> None:
        self._line = number
        self._other = other
        self._layout = layout
        self._source = source
        self._lines: list[str] = []
        self._depth = self._length = 0

    def take(self, number: int, text: str, raw: str) -> bool:
        """Add a line."""
        if not self._other.is_complete:
            self._other.take(number, text, raw)
        self._length += len(raw)
        if self._length > MOST_IN_BRACKETS:
            what = f"more than {MOST_IN_BRACKETS:,} characters in brackets"
            raise PuzzleFormatError(what, source=self._source, line=self._line)
        self._lines.append(raw)
        bare = _JSON_STRING.sub("", raw)
        self._depth += sum(bare.count(c) for c in "[{") - sum(bare.count(c) for c in "]}")
        if self._other.is_complete or self._depth <= 0:
            self.is_complete = self._depth <= 0 if self._is_likely() else self._other.is_complete
        return True

    def _is_likely(self) -> bool:
        return any('"size"' in line for line in self._lines) and any(
            '"grid"' in line for line in self._lines
        )

    def boards(self) -> Iterator[tuple[Puzzle, int]]:
        """The puzzle of f-puzzles, or the boards in the brackets."""
        if self._is_likely():
            from bddsudoku.puzzle.sudoku.fpuzzles.document import claims
            from bddsudoku.puzzle.sudoku.fpuzzles.reading import read_fpuzzles

            text = "\n".join(self._lines)
            if claims(text):
                found = read_fpuzzles(text, self._layout, self._source, self._line)
                self.notes = found.notes
                yield found.puzzle, self._line
                return
        yield from self._other.boards()


class _Nested:
    """Brackets, to their end."""

    def __init__(self, number: int, text: str, reader: NestedReader, source: str | None) -> None:
        from bddsudoku.puzzle.sudoku.text.brackets import Brackets

        self._brackets = Brackets(number, text, source)
        self._reader = reader
        self._source = source
        self.is_complete = False
        self.notes: tuple[str, ...] = ()

    def take(self, number: int, text: str, raw: str) -> bool:
        """Add a line."""
        self.is_complete = self._brackets.take(text)
        return True

    def boards(self) -> Iterator[tuple[Puzzle, int]]:
        """What the brackets hold."""
        from bddsudoku.puzzle.sudoku.text.brackets import tree

        return self._reader.boards(tree(self._brackets, self._source))


class _Page:
    """Markup, to the end of the text."""

    is_complete = False
    notes: tuple[str, ...] = ()

    def __init__(self, number: int, reader: NestedReader, source: str | None) -> None:
        from bddsudoku.puzzle.sudoku.text.markup import Markup

        self._page = Markup(number, source)
        self._reader = reader

    def take(self, number: int, text: str, raw: str) -> bool:
        """Add a line."""
        self._page.take(text)
        return True

    def boards(self) -> Iterator[tuple[Puzzle, int]]:
        """The tables of the page."""
        for board in self._page.finish():
            yield self._reader.table(board.rows, board.lines), board.line
