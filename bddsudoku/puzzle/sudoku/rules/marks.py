"""How a rule looks: strokes, discs, shades and words, for a drawer that knows no rules.

Lengths are in cells: the board spans 0 to n both ways, x to the right and y downwards, so that the
cell in row r and column c (from 0) has its middle at ``(c + 0.5, r + 0.5)``. Colours are names of a
palette (:data:`COLOURS`), so that light and dark pages may differ.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from bddsudoku.puzzle.sudoku.rules.places import Place, Places

Point: TypeAlias = "tuple[float, float]"
"""(x, y)."""

COLOURS = ("grey", "blue", "green", "orange", "pink", "purple", "red", "yellow", "black", "white")
"""The palette."""


@dataclass(frozen=True)
class Stroke:
    """A line through points.

    Attributes:
        points: at least two.
        colour: of the palette.
        width: 0.1 is a tenth of a cell.
        arrow: whether it ends in a point.
        dashed: whether it is broken.
        behind: whether it lies under the digits and borders.
    """

    points: tuple[Point, ...]
    colour: str = "grey"
    width: float = 0.1
    arrow: bool = False
    dashed: bool = False
    behind: bool = True


@dataclass(frozen=True)
class Disc:
    """A circle, square or diamond.

    Attributes:
        at: its middle.
        radius: half its width.
        fill, edge: colours; None for none.
        shape: ``circle``, ``square``, ``diamond``, or ``pill`` from ``at`` to ``to``.
        to: the other end of a pill.
        behind: as for strokes.
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
    """Cells in a colour."""

    cells: Places
    colour: str = "grey"


@dataclass(frozen=True)
class Outline:
    """A dashed line just inside the border of some cells, and a small word in the top left one."""

    cells: Places
    text: str = ""
    colour: str = "black"


@dataclass(frozen=True)
class Sign:
    """A word.

    Attributes:
        at: its middle.
        text: short.
        size: height of a letter, in cells.
        colour: of the palette.
        backed: whether it stands on a white ground (across a border).
    """

    at: Point
    text: str
    size: float = 0.3
    colour: str = "black"
    backed: bool = False


Mark: TypeAlias = "Stroke | Disc | Shade | Outline | Sign"


def middle(*places: Place) -> Point:
    """The middle of a cell, or of several."""
    k = len(places)
    return (
        sum(p.column for p in places) / k + 0.5,
        sum(p.row for p in places) / k + 0.5,
    )


def path(places: Places) -> tuple[Point, ...]:
    """Through the middles of cells."""
    return tuple(middle(p) for p in places)
