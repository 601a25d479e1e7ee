"""Rules about cells that a chess piece's move, or a step, takes to one another."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from bddsudoku.model.constraints import OneHot
from bddsudoku.puzzle.sudoku.layout import Layout
from bddsudoku.puzzle.sudoku.rules.building import pairwise
from bddsudoku.puzzle.sudoku.rules.places import Place
from bddsudoku.puzzle.sudoku.rules.rule import Grid, Rule


class _Steps(Rule):
    """Pairs of cells, one step from each other, whose digits stand in a relation."""

    steps: ClassVar[tuple[tuple[int, int], ...]]
    """(rows, columns), one of each two opposite ones."""

    def allowed(self, a: int, b: int) -> bool:
        """Whether two digits may stand one step from each other."""
        return a != b

    def constraints(self, layout: Layout) -> list[OneHot]:
        """For each pair."""
        n = layout.n
        found: list[OneHot] = []
        for down, right in self.steps:
            for a in (Place(r, c) for r in range(n - down) for c in range(n)):
                b = Place(a.row + down, a.column + right)
                if 0 <= b.column < n:
                    found += pairwise(self, layout, a, b, self.allowed, f"{a} {b}")
        return found


@dataclass(frozen=True)
class Knight(_Steps):
    """Cells a knight's move apart differ."""

    name: ClassVar[str] = "antiknight"
    about: ClassVar[str] = "cells a knight's move apart have different digits"
    aliases: ClassVar[tuple[str, ...]] = ("knight",)
    steps: ClassVar[tuple[tuple[int, int], ...]] = ((1, -2), (1, 2), (2, -1), (2, 1))

    def holds(self, grid: Grid) -> bool:
        """Look from every cell."""
        return all(
            grid[r, c] != grid[r + a, c + b]
            for r, c in _all(grid)
            for a, b in ((1, 2), (2, 1), (2, -1), (1, -2))
            if r + a < grid.n and 0 <= c + b < grid.n
        )


@dataclass(frozen=True)
class King(_Steps):
    """Cells that touch at a corner differ (as those at a side do in their row or column)."""

    name: ClassVar[str] = "antiking"
    about: ClassVar[str] = "cells that touch, at a corner too, have different digits"
    aliases: ClassVar[tuple[str, ...]] = ("king",)
    steps: ClassVar[tuple[tuple[int, int], ...]] = ((1, -1), (1, 1))

    def holds(self, grid: Grid) -> bool:
        """Look from every cell."""
        return all(
            grid[r, c] != grid[r + 1, c + b]
            for r, c in _all(grid)
            for b in (-1, 0, 1)
            if r + 1 < grid.n and 0 <= c + b < grid.n
        )


@dataclass(frozen=True)
class NonConsecutive(_Steps):
    """Neighbours are never consecutive."""

    name: ClassVar[str] = "nonconsecutive"
    about: ClassVar[str] = "cells that share a side never have consecutive digits"
    steps: ClassVar[tuple[tuple[int, int], ...]] = ((0, 1), (1, 0))

    def allowed(self, a: int, b: int) -> bool:
        """Not next to each other."""
        return abs(a - b) != 1

    def holds(self, grid: Grid) -> bool:
        """Look right and down from every cell."""
        n = grid.n
        return all(
            (c + 1 == n or grid[r, c] - grid[r, c + 1] not in (-1, 1))
            and (r + 1 == n or grid[r, c] - grid[r + 1, c] not in (-1, 1))
            for r, c in _all(grid)
        )


def _all(grid: Grid) -> Iterator[tuple[int, int]]:
    return ((r, c) for r in range(grid.n) for c in range(grid.n))
