"""Forms of several lines that are no grids: brackets, markup, listings of hints.

What reads them is imported when a line looks like one.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Protocol

from bddsudoku.puzzle.sudoku.grid import Puzzle
from bddsudoku.puzzle.sudoku.layout import Layout

if TYPE_CHECKING:
    from bddsudoku.puzzle.sudoku.text.nested import NestedReader

__all__ = ["Block", "block_for"]


_MARKS = frozenset("[({=")
"""One of these stands in the first line of brackets."""


class Block(Protocol):
    """Takes lines until it is complete, and then knows its boards."""

    @property
    def is_complete(self) -> bool:
        """Whether the last line ended it."""
        ...

    def take(self, number: int, text: str) -> bool:
        """Add a line; False when it does not belong here."""
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
    return _Nested(number, text, reader, source) if brackets.opens(text) else None


class _Nested:
    """Brackets, to their end."""

    def __init__(self, number: int, text: str, reader: NestedReader, source: str | None) -> None:
        from bddsudoku.puzzle.sudoku.text.brackets import Brackets

        self._brackets = Brackets(number, text, source)
        self._reader = reader
        self._source = source
        self.is_complete = False

    def take(self, number: int, text: str) -> bool:
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

    def __init__(self, number: int, reader: NestedReader, source: str | None) -> None:
        from bddsudoku.puzzle.sudoku.text.markup import Markup

        self._page = Markup(number, source)
        self._reader = reader

    def take(self, number: int, text: str) -> bool:
        """Add a line."""
        self._page.take(text)
        return True

    def boards(self) -> Iterator[tuple[Puzzle, int]]:
        """The tables of the page."""
        for board in self._page.finish():
            yield self._reader.table(board.rows, board.lines), board.line
