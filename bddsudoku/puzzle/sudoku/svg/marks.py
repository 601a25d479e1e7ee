"""Marks of rules as elements, in layers: under the lines of the grid, on them, before the digits.

Which rule a mark belongs to is not known here. Where marks lie upon each other, shades are lowest,
then filled shapes, lines, shapes with an edge, cages, and, above the digits, lines, shapes, words.

The geometry of a board: lines between blocks, lines around cells, places within a cell.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from math import atan2, ceil, cos, dist, hypot, isqrt, pi, sin
from typing import NamedTuple

from bddsudoku.puzzle.sudoku.layout import Layout
from bddsudoku.puzzle.sudoku.rules.places import Disc, Mark, Outline, Point, Shade, Sign, Stroke
from bddsudoku.puzzle.sudoku.svg.elements import (
    LETTER,
    WIDE,
    element,
    length,
    loop,
    polyline,
    safe,
    word,
)


class Wall(NamedTuple):
    """A straight line along borders of cells, in cells; to the right or down."""

    x1: int
    y1: int
    x2: int
    y2: int


def walls(layout: Layout) -> list[Wall]:
    """Lines between cells of different blocks (or of a block and none), as long as can be."""
    n, block = layout.n, layout.block_of

    def runs(at: int, *, below: bool) -> Iterator[tuple[int, int]]:
        """From where to where cells beside the line number `at` are parted."""

        def parted(i: int) -> bool:
            here = at * n + i if below else i * n + at
            return block(here) != block(here - (n if below else 1))

        for wall, run in groupby(range(n), parted):
            along = [*run]
            if wall:
                yield along[0], along[-1] + 1

    level = [Wall(a, y, b, y) for y in range(1, n) for a, b in runs(y, below=True)]
    return level + [Wall(x, a, x, b) for x in range(1, n) for a, b in runs(x, below=False)]


def loops(cells: Iterable[tuple[int, int]], inset: float) -> list[list[Point]]:
    """Closed lines just inside the border of some cells, clockwise (around holes, counter).

    Cells that touch only at a corner are not connected there.

    Args:
        cells: (row, column).
        inset: distance from the border, below half a cell.
    """
    inside = {(r, c) for r, c in cells}
    edges: set[tuple[int, int, int, int]] = set()  # x, y, and a step with the inside to its right
    for r, c in inside:
        for x, y, dx, dy in (
            (c, r, 1, 0),
            (c + 1, r, 0, 1),
            (c + 1, r + 1, -1, 0),
            (c, r + 1, 0, -1),
        ):
            if (r - dx, c + dy) not in inside:
                edges.add((x, y, dx, dy))
    found = []
    while edges:
        edge = min(edges)
        way = []
        while edge in edges:
            edges.discard(edge)
            way.append(edge)
            x, y, dx, dy = edge
            turns = ((-dy, dx), (dx, dy), (dy, -dx))  # right first: it stays in its cell
            ahead = [(x + dx, y + dy, *turn) for turn in turns]
            edge = next((e for e in ahead if e in edges), edge)
        corners = [
            (x + inset * (-before[3] - dy), y + inset * (before[2] + dx))
            for before, (x, y, dx, dy) in zip([way[-1], *way], way, strict=False)
            if before[2:] != (dx, dy)
        ]
        found.append(corners)
    return found


def across(n: int) -> tuple[int, int]:
    """Rows and columns of small digits within a cell, as square as can be: 9 → 3, 3."""
    columns = isqrt(n - 1) + 1
    return ceil(n / columns), columns


CAGE_WORD = 0.165
"""Height of the small word of a cage."""

_CAGE, _SHADE = 0.065, 0.04
"""How far cages and shades keep off the borders of their cells."""
_EDGE = 0.045
"""Width of the edge of a shape."""
_THIN = 0.08
"""Lines as thin as that hide no digit and are drawn stronger."""


@dataclass
class Box:
    """What is to be seen: at first the board itself, then what stands outside, too."""

    left: float
    top: float
    right: float
    bottom: float

    def add(self, points: Iterable[Point], around: float = 0.0, up: float | None = None) -> None:
        """Take in points and what is around them (and above and below, where that differs)."""
        high = around if up is None else up
        for x, y in points:
            self.left, self.right = min(self.left, x - around), max(self.right, x + around)
            self.top, self.bottom = min(self.top, y - high), max(self.bottom, y + high)


@dataclass
class Drawn:
    """Elements of all marks.

    Attributes:
        under: below the lines of the grid.
        cages: above these, below the digits.
        over: above the digits.
        box: what they cover, the board included.
        worded: cells (row, column) with a small word at the top.
    """

    box: Box
    under: list[str] = field(default_factory=list)
    cages: list[str] = field(default_factory=list)
    over: list[str] = field(default_factory=list)
    worded: dict[tuple[int, int], float] = field(default_factory=dict)


def drawn(marks: Sequence[Mark], n: int) -> Drawn:
    """Elements of marks.

    Args:
        marks: in any order.
        n: side of the board.
    """
    found = Drawn(Box(0, 0, n, n))
    grounds = [m for m in marks if isinstance(m, Disc) and not m.behind and m.fill is not None]
    for mark in sorted(marks, key=_depth):
        if isinstance(mark, Shade):
            found.under.append(_shade(mark))
        elif isinstance(mark, Outline):
            found.cages += _cage(mark, found)
        elif isinstance(mark, Sign):
            found.over += _sign(mark, grounds, found.box, n)
        else:
            layer = found.under if mark.behind else found.over
            if isinstance(mark, Disc):
                layer.append(_disc(mark, found.box))
            else:
                layer += _stroke(mark, found.box)
    return found


def _depth(mark: Mark) -> int:
    if isinstance(mark, Disc):
        return 6 if not mark.behind else 3 if _has_edge(mark) else 1
    if isinstance(mark, Stroke):
        return 2 if mark.behind else 5
    return 0 if isinstance(mark, Shade) else 4 if isinstance(mark, Outline) else 7


def _has_edge(disc: Disc) -> bool:
    """Among lines under the digits an edge in the colour of its shape would part the two."""
    return disc.edge is not None and not (disc.behind and disc.edge == disc.fill)


def _shade(shade: Shade) -> str:
    data = "".join(map(loop, loops(shade.cells, _SHADE)))
    return element(
        "path",
        class_=f"soft-fill-{shade.colour} mid-line-{shade.colour}",
        d=data,
        fill_opacity="0.6",
        stroke_width=0.02,
    )


def _stroke(stroke: Stroke, box: Box) -> list[str]:
    tone = "strong" if not stroke.behind else "mid" if stroke.width <= _THIN else "soft"
    classes = f"{tone}-line-{stroke.colour}"
    box.add(stroke.points)
    style: dict[str, str | float] = {"class_": classes, "stroke_width": stroke.width}
    if stroke.dashed:  # round ends make dashes longer and gaps shorter by the width
        style["stroke_dasharray"] = f"{length(0.12)} {length(0.1 + stroke.width)}"
    parts = [element("path", d=polyline(stroke.points), **style)]
    if stroke.arrow:
        (x, y), before = stroke.points[-1], stroke.points[-2]
        back = atan2(before[1] - y, before[0] - x)
        arm = 0.16 + 1.2 * stroke.width
        a, b = ((x + arm * cos(back + t), y + arm * sin(back + t)) for t in (pi / 5, -pi / 5))
        box.add((a, b))
        parts.append(
            element("path", class_=classes, d=polyline((a, (x, y), b)), stroke_width=stroke.width)
        )
    return parts


def _disc(disc: Disc, box: Box) -> str:
    style: dict[str, str | float] = {}
    classes = []
    if disc.fill is None:
        style["fill"] = "none"
    else:
        classes.append(f"{'soft-fill' if disc.behind else 'disc'}-{disc.fill}")
    if _has_edge(disc):
        classes.append(f"{'mid' if disc.behind else 'strong'}-line-{disc.edge}")
        style["stroke_width"] = _EDGE
    if classes:
        style["class_"] = " ".join(classes)
    (x, y), r = disc.at, disc.radius
    box.add([disc.at] if disc.to is None else [disc.at, disc.to], r + _EDGE / 2)
    if disc.shape == "square":
        return element("rect", x=x - r, y=y - r, width=2 * r, height=2 * r, rx=r / 8, **style)
    if disc.shape == "diamond":
        return element("path", d=loop(((x, y - r), (x + r, y), (x, y + r), (x - r, y))), **style)
    if disc.shape == "pill" and disc.to is not None and disc.to != disc.at:
        return element("path", d=_pill(disc.at, disc.to, r), **style)
    return element("circle", cx=x, cy=y, r=r, **style)


def _pill(a: Point, b: Point, r: float) -> str:
    """The data of a path around all points that are within a distance of a line."""
    far = hypot(b[0] - a[0], b[1] - a[1])
    u, v = r * (b[0] - a[0]) / far, r * (b[1] - a[1]) / far
    corners = (
        (a[0] + v, a[1] - u),
        (b[0] + v, b[1] - u),
        (b[0] - v, b[1] + u),
        (a[0] - v, a[1] + u),
    )
    p, q, s, t = (f"{length(x)} {length(y)}" for x, y in corners)
    arc = f"A{length(r)} {length(r)} 0 0 1 "
    return f"M{p}L{q}{arc}{s}L{t}{arc}{p}Z"


def _cage(cage: Outline, found: Drawn) -> list[str]:
    data = "".join(map(loop, loops(cage.cells, _CAGE)))
    parts = [element("path", class_=f"cage strong-line-{cage.colour}", d=data, stroke_width=0.025)]
    if cage.text:
        row, column = min(cage.cells)
        used = found.worded.get((row, column), 0.0)
        found.worded[row, column] = used + (len(cage.text) + 1) * WIDE * CAGE_WORD / LETTER
        parts.append(
            element(
                "text",
                safe(cage.text),
                class_=f"sum strong-fill-{cage.colour}",
                x=column + 0.1 + used,
                y=row + 0.1 + CAGE_WORD,
                font_size=CAGE_WORD / LETTER,
            )
        )
    return parts


def _sign(sign: Sign, grounds: Sequence[Disc], box: Box, n: int) -> list[str]:
    x, y = sign.at
    half = len(sign.text) * WIDE * sign.size / LETTER / 2
    outside = not (0 <= x <= n and 0 <= y <= n)
    pad = 0.1 if outside else 0.0
    box.add([sign.at], half + pad, sign.size / 2 + pad)
    below = [g for g in grounds if dist(g.at, sign.at) < g.radius]
    parts = []
    if sign.backed:
        w, h = half + 0.03, sign.size / 2 + 0.02
        parts.append(
            element("rect", class_="paper", x=x - w, y=y - h, width=2 * w, height=2 * h, rx=0.05)
        )
    colour = f"on-{below[-1].fill}" if below and not sign.backed else f"strong-fill-{sign.colour}"
    return [*parts, word(sign.text, sign.at, sign.size, colour)]
