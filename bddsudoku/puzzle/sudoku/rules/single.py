"""Rules about single cells: their parity, and those that stand out among their neighbours."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from bddsudoku.model.constraints import OneHot
from bddsudoku.puzzle.sudoku.layout import Layout
from bddsudoku.puzzle.sudoku.rules.building import only, pairwise
from bddsudoku.puzzle.sudoku.rules.marks import Disc, Mark, Shade, Stroke, middle
from bddsudoku.puzzle.sudoku.rules.places import Place, Places, neighbours
from bddsudoku.puzzle.sudoku.rules.rule import Field, Grid, Rule


@dataclass(frozen=True)
class _Parity(Rule):
    """Every other digit.

    Attributes:
        first: the least of them.
    """

    cells: Places
    fields: ClassVar[Mapping[str, Field]] = {"cells": Field.PLACES}
    first: ClassVar[int]

    def constraints(self, layout: Layout) -> list[OneHot]:
        """No digit of the other kind in any cell."""
        digits = range(self.first, layout.n + 1, 2)
        return [c for place in self.cells for c in only(self, layout, place, digits)]


@dataclass(frozen=True)
class Even(_Parity):
    """Even digits."""

    name: ClassVar[str] = "even"
    about: ClassVar[str] = "even digits"
    first: ClassVar[int] = 2

    def holds(self, grid: Grid) -> bool:
        """Divide by two."""
        return not any(grid[place] % 2 for place in self.cells)

    def marks(self, layout: Layout) -> Iterator[Mark]:
        """Squares."""
        return (Disc(middle(place), 0.38, "grey", None, "square") for place in self.cells)


@dataclass(frozen=True)
class Odd(_Parity):
    """Odd digits."""

    name: ClassVar[str] = "odd"
    about: ClassVar[str] = "odd digits"
    first: ClassVar[int] = 1

    def holds(self, grid: Grid) -> bool:
        """Divide by two."""
        return all(grid[place] % 2 for place in self.cells)

    def marks(self, layout: Layout) -> Iterator[Mark]:
        """Discs."""
        return (Disc(middle(place), 0.38, "grey", None) for place in self.cells)


@dataclass(frozen=True)
class _Extreme(Rule):
    """Cells that stand out among their neighbours. Marked cells are not compared with each other.

    Attributes:
        cells: the marked ones.
        spared: others with which they are not compared either.
    """

    cells: Places
    spared: Places = ()
    fields: ClassVar[Mapping[str, Field]] = {"cells": Field.PLACES, "spared": Field.PLACES}

    def check(self, layout: Layout) -> None:
        """Marked cells, and others."""
        self.check_places(self.cells, layout)
        self.check_places((*self.cells, *self.spared), layout)

    def beside(self, rules: Sequence[Rule]) -> Rule:
        """The cells that other rules of its kind mark are spared."""
        marked = {
            p for r in rules if isinstance(r, _Extreme) and r.name == self.name for p in r.cells
        }
        return replace(self, spared=(*self.spared, *sorted(marked - {*self.cells, *self.spared})))

    def around(self, layout: Layout) -> Iterator[tuple[Place, Place]]:
        """Each cell with each neighbour that it is compared with."""
        among = {*self.cells, *self.spared}
        for place in self.cells:
            for other in neighbours(place, layout.n):
                if other not in among:
                    yield place, other

    @abstractmethod
    def allowed(self, mine: int, other: int) -> bool:
        """Whether a cell and a neighbour may hold these digits."""

    def constraints(self, layout: Layout) -> list[OneHot]:
        """For each pair of neighbours."""
        return [
            c
            for a, b in self.around(layout)
            for c in pairwise(self, layout, a, b, self.allowed, f"{self.label} {a} {b}")
        ]

    def marks(self, layout: Layout) -> Iterator[Mark]:
        """The cells shaded, with a point towards what is smaller at each border."""
        yield Shade(self.cells)
        towards = 0.08 if self.allowed(1, 2) else -0.08
        for a, b in self.around(layout):
            (x, y), (dx, dy) = middle(a, b), (a.column - b.column, a.row - b.row)
            tip = (x + towards * dx, y + towards * dy)
            ends = [(x + s * 0.14 * dy, y + s * 0.14 * dx) for s in (1, -1)]
            yield Stroke((ends[0], tip, ends[1]), "black", 0.03, behind=False)


@dataclass(frozen=True)
class Minimum(_Extreme):
    """Cells smaller than all their neighbours."""

    name: ClassVar[str] = "minimum"
    about: ClassVar[str] = "smaller than every cell at its sides that is not marked, too"

    def allowed(self, mine: int, other: int) -> bool:
        """Smaller."""
        return mine < other

    def holds(self, grid: Grid) -> bool:
        """Look at the neighbours."""
        return all(
            grid[r, c] < grid[r + a, c + b]
            for r, c in self.cells
            for a, b in ((-1, 0), (0, -1), (0, 1), (1, 0))
            if 0 <= r + a < grid.n
            and 0 <= c + b < grid.n
            and (r + a, c + b) not in (*self.cells, *self.spared)
        )


@dataclass(frozen=True)
class Maximum(_Extreme):
    """Cells larger than all their neighbours."""

    name: ClassVar[str] = "maximum"
    about: ClassVar[str] = "larger than every cell at its sides that is not marked, too"

    def allowed(self, mine: int, other: int) -> bool:
        """Larger."""
        return mine > other

    def holds(self, grid: Grid) -> bool:
        """Look at the neighbours."""
        return all(
            grid[r, c] > grid[r + a, c + b]
            for r, c in self.cells
            for a, b in ((-1, 0), (0, -1), (0, 1), (1, 0))
            if 0 <= r + a < grid.n
            and 0 <= c + b < grid.n
            and (r + a, c + b) not in (*self.cells, *self.spared)
        )
