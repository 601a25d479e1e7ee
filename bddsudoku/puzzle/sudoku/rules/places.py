"""Places on and around a board, by row and column, and how rules write them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import pairwise
from typing import NamedTuple, TypeAlias

from bddsudoku.errors import PuzzleFormatError


class Place(NamedTuple):
    """A cell, or a place beside the board (row or column -1 or n); both from 0.

    Written ``r1c1``, from 1: places outside are in row or column 0 or n + 1.
    """

    row: int
    column: int

    def __str__(self) -> str:
        return f"r{self.row + 1}c{self.column + 1}"


Places: TypeAlias = "tuple[Place, ...]"
"""In the order in which a rule reads them."""

_WRITTEN = re.compile(r"r(\d{1,2})c(\d{1,2})", re.IGNORECASE)


def is_place(word: str) -> bool:
    """Whether a word is written like a place."""
    return _WRITTEN.fullmatch(word) is not None


def place_of(word: str) -> Place:
    """The place that ``r1c1`` names.

    Raises:
        PuzzleFormatError: it names none.
    """
    match = _WRITTEN.fullmatch(word)
    if match is None:
        raise PuzzleFormatError(f"expected a cell such as r1c1, found {word[:20]!r}")
    return Place(int(match[1]) - 1, int(match[2]) - 1)


def cells(text: str | Iterable[str | tuple[int, int]]) -> Places:
    """The cells that a text names, as ``cells("r1c1 r1c2 r2c2")``; or (row, column) pairs, from 0.

    Raises:
        PuzzleFormatError: something is no cell.
    """
    parts = re.split(r"[\s,]+", text.strip()) if isinstance(text, str) else text
    return tuple(place_of(p) if isinstance(p, str) else Place(*p) for p in parts if p)


def neighbours(place: Place, n: int) -> list[Place]:
    """The cells that share a side with a cell."""
    row, column = place
    around = [(row - 1, column), (row, column - 1), (row, column + 1), (row + 1, column)]
    return [Place(r, c) for r, c in around if 0 <= r < n and 0 <= c < n]


def are_neighbours(a: Place, b: Place) -> bool:
    """Whether two cells share a side."""
    return abs(a.row - b.row) + abs(a.column - b.column) == 1


def is_connected_line(line: Places) -> bool:
    """Whether each cell of a line touches the one before, at a side or a corner."""
    return all(max(abs(a.row - b.row), abs(a.column - b.column)) == 1 for a, b in pairwise(line))
