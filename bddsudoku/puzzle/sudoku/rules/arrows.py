"""Arrows: a shaft of cells that add up to what stands in the circle."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

from bddsudoku.model.constraints import Constraint
from bddsudoku.puzzle.sudoku.layout import Layout
from bddsudoku.puzzle.sudoku.rules.balance import equal_sums, plain_side
from bddsudoku.puzzle.sudoku.rules.marks import Disc, Mark, Stroke, middle, path
from bddsudoku.puzzle.sudoku.rules.places import Places, are_neighbours, is_connected_line
from bddsudoku.puzzle.sudoku.rules.rule import Field, Grid, Rule


@dataclass(frozen=True)
class Arrow(Rule):
    """A circle, or a pill of two or three cells, holds the sum of the shaft.

    Attributes:
        circle: one cell; or neighbours in a straight line that are read as a number along it,
            tens before units.
        shaft: from the circle to the tip.
    """

    circle: Places
    shaft: Places
    name: ClassVar[str] = "arrow"
    about: ClassVar[str] = "the cells along the arrow add up to the number in its circle"
    fields: ClassVar[Mapping[str, Field]] = {"circle": Field.PLACES, "shaft": Field.PLACES}

    def constraints(self, layout: Layout) -> list[Constraint]:
        """Two equal sums, of which the circle's counts tens tenfold."""
        most = len(self.circle) - 1
        number = tuple((place, 10 ** (most - i)) for i, place in enumerate(self.circle))
        return [*equal_sums(self, layout, [number, plain_side(self.shaft)])]

    def check(self, layout: Layout) -> None:
        """A circle or pill, and a shaft of other cells."""
        self.check_places(self.circle, layout, 1, 3)
        self.check_places(self.shaft, layout)
        self.check_places((*self.circle, *self.shaft), layout)
        ways = {(b.row - a.row, b.column - a.column) for a, b in pairwise(self.circle)}
        if len(ways) > 1 or not all(are_neighbours(a, b) for a, b in pairwise(self.circle)):
            raise self.refuse("the cells of the pill must stand side by side in a straight line")

    def holds(self, grid: Grid) -> bool:
        """Read the number and add up."""
        number = 0
        for place in self.circle:
            number = 10 * number + grid[place]
        return number == sum(grid[place] for place in self.shaft)

    def marks(self, layout: Layout) -> Iterator[Mark]:
        """An arrow from the circle."""
        beside = (p for p in self.circle[::-1] if is_connected_line((p, self.shaft[0])))
        start = next(beside, self.circle[-1])
        yield Stroke(path((start, *self.shaft)), "grey", 0.06, arrow=True)
        first, last = self.circle[0], self.circle[-1]
        if first == last:
            yield Disc(middle(first), 0.4, "white", "grey")
        else:
            yield Disc(middle(first), 0.4, "white", "grey", "pill", middle(last))
