"""The geometry of a board: lines between blocks, lines around cells, places within a cell."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from math import ceil, isqrt
from typing import NamedTuple

from bddsudoku.puzzle.sudoku.layout import Layout
from bddsudoku.puzzle.sudoku.rules.marks import Point


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
