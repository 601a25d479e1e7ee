"""Places beside each other, and the marks (strokes, discs, shades, words) that draw rules.

Marks are independent of the rules that they draw. Lengths are in cells: the board spans from 0 to
the number of its columns and rows, x to the right and y downwards, so the cell in row r and column
c (from 0) has its centre at ``(c + 0.5, r + 0.5)``. Colours are names of a palette (grey, blue,
green, orange, pink, purple, red, yellow, black, white), so that light and dark pages may differ.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

from bddsudoku.puzzle.sudoku.places import GroupPlace
from bddsudoku.puzzle.sudoku.places import Place as Place
from bddsudoku.puzzle.sudoku.places import Places as Places
from bddsudoku.puzzle.sudoku.places import cells as cells
from bddsudoku.puzzle.sudoku.places import is_place as is_place
from bddsudoku.puzzle.sudoku.places import parse_place as parse_place


def numbered_cells(numbers: Iterable[int], columns: int) -> Places:
    """The cells that have given numbers on a board with so many columns."""
    return tuple(Place(*divmod(number, columns)) for number in numbers)


def neighbours(place: Place) -> list[Place]:
    """The places that share a side with a given cell (some may lie beside the board)."""
    return [moved_place(place, *step) for step in ((-1, 0), (0, -1), (0, 1), (1, 0))]


def moved_place(place: Place, down: int, right: int) -> Place:
    """The place some rows and columns away, in the grid or the group of a place."""
    row, column = place.row + down, place.column + right
    if isinstance(place, GroupPlace):
        return GroupPlace(row, column, place.group)
    return Place(row, column)


def square_cells(top_left: Place) -> Places:
    """The four cells of the square of 2×2 cells whose top left cell is given, row by row."""
    return tuple(moved_place(top_left, i, j) for i in (0, 1) for j in (0, 1))


def are_neighbours(a: Place, b: Place) -> bool:
    """Whether two cells share a side."""
    return b in neighbours(a)


Point: TypeAlias = "tuple[float, float]"
"""Coordinates (x, y), in cells."""


@dataclass(frozen=True)
class Stroke:
    """A mark that draws a line through two or more points, perhaps with an arrowhead at its end.

    ``behind`` tells whether the line lies under the digits and borders.
    """

    points: tuple[Point, ...]
    colour: str = "grey"
    width: float = 0.1
    arrow: bool = False
    behind: bool = True


@dataclass(frozen=True)
class Disc:
    """A mark that draws a circle, a square, or a pill.

    Attributes:
        at: the centre.
        radius: half of the width.
        shape: ``circle`` or ``square``.
        to: the other end of a pill, in the same row or column as ``at``.
        behind: whether the disc lies under the digits and borders.
    """

    at: Point
    radius: float
    fill: str | None = None
    edge: str | None = "grey"
    shape: str = "circle"
    to: Point | None = None
    behind: bool = True


@dataclass(frozen=True)
class Shade:
    """A mark that gives a set of cells a coloured background."""

    cells: Places
    colour: str = "grey"


@dataclass(frozen=True)
class DashedOutline:
    """A mark that draws a dashed line inside the border of cells, a text in the top left one."""

    cells: Places
    text: str = ""
    colour: str = "black"


@dataclass(frozen=True)
class WordMark:
    """A mark that writes a few characters around a point.

    ``size`` is the height of a letter. The text has a white background if it is ``backed`` (where
    it crosses a border).
    """

    at: Point
    text: str
    size: float = 0.3
    colour: str = "black"
    backed: bool = False


Mark: TypeAlias = "Stroke | Disc | Shade | DashedOutline | WordMark"


def centre_point(*places: Place) -> Point:
    """The centre (x, y) of a cell, or the mean of the centres of several cells."""
    k = len(places)
    return sum(p.column for p in places) / k + 0.5, sum(p.row for p in places) / k + 0.5


def centre_path(places: Places) -> tuple[Point, ...]:
    """The centres (x, y) of cells, in order, as the points of a line."""
    return tuple(centre_point(p) for p in places)
