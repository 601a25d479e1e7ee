"""Rules about pairs of cells whose digits stand in a relation.

Pairs are marked by a sign between neighbours, or are those without one; they are all that a chess
piece's move takes to one another; or they are a marked cell and its neighbours.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from bddsudoku.model.constraints import OneHot
from bddsudoku.puzzle.sudoku.layout import Layout
from bddsudoku.puzzle.sudoku.rules.building import pairwise
from bddsudoku.puzzle.sudoku.rules.places import (
    Disc,
    Mark,
    Place,
    Places,
    Shade,
    Sign,
    Stroke,
    are_neighbours,
    middle,
    neighbours,
)
from bddsudoku.puzzle.sudoku.rules.rule import Grid, Rule, rule

_RELATIONS: dict[str, Callable[[int, int, int], bool]] = {
    "difference": lambda a, b, value: abs(a - b) == value,
    "ratio": lambda a, b, value: max(a, b) == value * min(a, b),
    "xv": lambda a, b, value: a + b == value,
}
"""Whether two digits stand in the relation of a sign."""

_USUAL = {"difference": (1,), "ratio": (2,), "xv": (5, 10)}
"""The differences, ratios and sums that are meant where none is said."""


class _Related(Rule):
    """Some pairs of cells, in each of which the two digits stand in a relation."""

    @abstractmethod
    def pairs(self, layout: Layout) -> Iterator[tuple[Place, Place]]:
        """The pairs."""

    @abstractmethod
    def allowed(self, a: int, b: int) -> bool:
        """Whether the cells of a pair may hold these digits."""

    def constraints(self, layout: Layout) -> list[OneHot]:
        """A digit in the first cell of a pair, or those in the second that it forbids."""
        digits = range(1, layout.n + 1)
        fits = {(a, b): self.allowed(a, b) for a in digits for b in digits}
        label = f"{self.label} " if self.fields else ""
        return [
            c
            for a, b in self.pairs(layout)
            for c in pairwise(self, layout, a, b, lambda d, e: fits[d, e], f"{label}{a} {b}")
        ]


class _Sign(Rule):
    """A sign between two neighbours."""

    cells: Places

    @property
    @abstractmethod
    def total(self) -> int:
        """The difference, ratio or sum."""

    def constraints(self, layout: Layout) -> list[OneHot]:
        """A digit in the first cell, or those in the second that it forbids."""
        related, (one, other) = _RELATIONS[self.name], self.cells
        return [*pairwise(self, layout, one, other, lambda a, b: related(a, b, self.total))]

    def check(self, layout: Layout) -> None:
        """Two neighbours."""
        self.check_places(self.cells, layout, 2, 2)
        if not are_neighbours(*self.cells):
            raise self.refuse("the cells do not share a side")


class _Dot(_Sign):
    """A dot on the border, with a number where it is not the usual one."""

    value: int
    colours: ClassVar[tuple[str, str]]
    """Of the dot, and of its number."""

    @property
    def total(self) -> int:
        """The value."""
        return self.value

    def marks(self, layout: Layout) -> Iterator[Mark]:
        """The dot."""
        at, (colour, ink) = middle(*self.cells), self.colours
        yield Disc(at, 0.14, colour, "black", behind=False)
        if self.value not in _USUAL[self.name]:
            yield Sign(at, str(self.value), 0.2, ink)


@rule(
    "difference",
    "the two digits differ by the value",
    "kropkiwhite",
    "whitekropki",
    "whitedot",
    "consecutive",
)
class Difference(_Dot):
    """A white dot: digits that differ by a value, 1 where none is said."""

    cells: Places
    value: int = 1
    colours = ("white", "black")

    def check(self, layout: Layout) -> None:
        """Two neighbours, and a difference that there is."""
        super().check(layout)
        self.check_number(self.value, 1, layout.n - 1, "a difference")

    def holds(self, grid: Grid) -> bool:
        """Subtract."""
        one, other = self.cells
        return grid[one] - grid[other] in (self.value, -self.value)


@rule(
    "ratio",
    "one of the two digits is the other times the value",
    "kropkiblack",
    "blackkropki",
    "blackdot",
    "double",
)
class Ratio(_Dot):
    """A black dot: one digit is the other times a value, 2 where none is said."""

    cells: Places
    value: int = 2
    colours = ("black", "white")

    def check(self, layout: Layout) -> None:
        """Two neighbours, and a ratio that there is."""
        super().check(layout)
        self.check_number(self.value, 2, layout.n, "a ratio")

    def holds(self, grid: Grid) -> bool:
        """Multiply either."""
        one, other = self.cells
        return grid[one] == self.value * grid[other] or grid[other] == self.value * grid[one]


@rule("xv", "the two digits add up to 10 (x) or 5 (v)")
class XV(_Sign):
    """X: two digits that add up to 10; V: to 5."""

    cells: Places
    kind: str

    @property
    def total(self) -> int:
        """The sum."""
        return {"x": 10, "v": 5}[self.kind]

    def check(self, layout: Layout) -> None:
        """Two neighbours, and a sum that two different digits have."""
        super().check(layout)
        if self.kind not in ("x", "v"):
            raise self.refuse(f"expected x or v, found {self.kind[:20]!r}")
        self.check_number(self.total, 3, 2 * layout.n - 1, "a sum")

    def holds(self, grid: Grid) -> bool:
        """Add."""
        return sum(grid[place] for place in self.cells) == (10 if self.kind == "x" else 5)

    def marks(self, layout: Layout) -> Iterator[Mark]:
        """The letter on the border."""
        yield Sign(middle(*self.cells), self.kind.upper(), 0.26, backed=True)


@rule("negative", "no neighbours without a sign stand in the relation")
class Negative(_Related):
    """All signs are given: neighbours without one do not stand in its relation.

    Attributes:
        kind: the relation: ``difference``, ``ratio`` or ``xv``.
        values: the differences, ratios or sums; none for those of the puzzle's signs, and where
            there are none for 1 and 2; of sums for 5 and 10.
        spared: pairs of neighbours, one after the other, of which nothing is said, beside those
            with a sign.
    """

    kind: str
    values: tuple[int, ...] = ()
    spared: Places = ()

    def allowed(self, a: int, b: int) -> bool:
        """Not in the relation by any value."""
        related = _RELATIONS[self.kind]
        return not any(related(a, b, value) for value in self.values or _USUAL[self.kind])

    def pairs(self, layout: Layout) -> Iterator[tuple[Place, Place]]:
        """All neighbours that are not spared."""
        n, spared = layout.n, self.spared_pairs
        for a in (Place(*divmod(cell, n)) for cell in range(n * n)):
            for b in (Place(a.row, a.column + 1), Place(a.row + 1, a.column)):
                if max(b) < n and (a, b) not in spared:
                    yield a, b

    def check(self, layout: Layout) -> None:
        """A relation that there is, and pairs of neighbours."""
        if self.kind not in _USUAL:
            raise self.refuse(f"expected {', '.join(_USUAL)}, found {self.kind[:20]!r}")
        for value in self.values:
            self.check_number(value, 1, 2 * layout.n if self.kind == "xv" else layout.n)
        if len(self.spared) % 2:
            raise self.refuse("the spared cells are no pairs")
        for pair in zip(self.spared[::2], self.spared[1::2], strict=True):
            self.check_places(pair, layout)
            if not are_neighbours(*pair):
                raise self.refuse(f"{pair[0]} and {pair[1]} do not share a side")

    @property
    def spared_pairs(self) -> set[Places]:
        """The spared pairs, each in reading order."""
        return {tuple(sorted(self.spared[i : i + 2])) for i in range(0, len(self.spared), 2)}

    def beside(self, rules: Sequence[Rule]) -> Negative:
        """The pairs with a sign are spared; where no values are said, those that occur are meant.

        A pair with a white dot may deserve a black one as well, and a pair with a black dot a white
        one: both spare it. Of sums always 5 and 10 are meant, whichever sign occurs.
        """
        signs = [r for r in rules if isinstance(r, XV if self.kind == "xv" else _Dot)]
        more = {tuple(sorted(sign.cells)) for sign in signs} - self.spared_pairs
        spared = (*self.spared, *(place for pair in sorted(more) for place in pair))
        values = self.values
        if not values and self.kind != "xv":
            dots = {sign.total for sign in signs if sign.name == self.kind}
            values = tuple(sorted(dots)) or _USUAL[self.kind]
        return replace(self, values=values, spared=spared)

    def holds(self, grid: Grid) -> bool:
        """Look right and down from every cell."""
        n = grid.n
        spared = [{*self.spared[i : i + 2]} for i in range(0, len(self.spared), 2)]
        values = self.values or {"difference": [1], "ratio": [2], "xv": [5, 10]}[self.kind]
        for r in range(n):
            for c in range(n):
                for place in ((r, c + 1), (r + 1, c)):
                    if max(place) == n or {(r, c), place} in spared:
                        continue
                    one, other = sorted((grid[r, c], grid[place]))
                    found = {"difference": other - one, "ratio": other / one, "xv": one + other}
                    if found[self.kind] in values:
                        return False
        return True


class _Steps(_Related):
    """Pairs of cells one step from each other, which differ."""

    steps: ClassVar[tuple[tuple[int, int], ...]]
    """(rows, columns), one of each two opposite ones."""

    def pairs(self, layout: Layout) -> Iterator[tuple[Place, Place]]:
        """A step from every cell from which it stays on the board."""
        n = layout.n
        for down, right in self.steps:
            for a in (Place(r, c) for r in range(n - down) for c in range(n)):
                if 0 <= a.column + right < n:
                    yield a, Place(a.row + down, a.column + right)

    def allowed(self, a: int, b: int) -> bool:
        """Different."""
        return a != b


@rule("antiknight", "cells a knight's move apart have different digits", "knight")
class Knight(_Steps):
    """Cells a knight's move apart differ."""

    steps = ((1, -2), (1, 2), (2, -1), (2, 1))

    def holds(self, grid: Grid) -> bool:
        """Look from every cell."""
        return all(
            grid[r, c] != grid[r + a, c + b]
            for r, c in _all(grid)
            for a, b in ((1, 2), (2, 1), (2, -1), (1, -2))
            if r + a < grid.n and 0 <= c + b < grid.n
        )


@rule("antiking", "cells that touch, at a corner too, have different digits", "king")
class King(_Steps):
    """Cells that touch at a corner differ (as those at a side do in their row or column)."""

    steps = ((1, -1), (1, 1))

    def holds(self, grid: Grid) -> bool:
        """Look from every cell."""
        return all(
            grid[r, c] != grid[r + 1, c + b]
            for r, c in _all(grid)
            for b in (-1, 0, 1)
            if r + 1 < grid.n and 0 <= c + b < grid.n
        )


@rule("nonconsecutive", "cells that share a side never have consecutive digits")
class NonConsecutive(_Steps):
    """Neighbours are never consecutive."""

    steps = ((0, 1), (1, 0))

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


@dataclass(frozen=True)
class _Extreme(_Related):
    """Cells that stand out among their neighbours. Marked cells are not compared with each other.

    Attributes:
        cells: the marked ones.
        spared: others with which they are not compared either.
    """

    cells: Places
    spared: Places = ()

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

    def pairs(self, layout: Layout) -> Iterator[tuple[Place, Place]]:
        """Each cell with each neighbour that it is compared with."""
        among = {*self.cells, *self.spared}
        for place in self.cells:
            for other in neighbours(place, layout.n):
                if other not in among:
                    yield place, other

    def compared(self, grid: Grid) -> Iterator[tuple[int, int]]:
        """The digit of each cell with those at its sides, for a plain test."""
        for r, c in self.cells:
            for place in ((r - 1, c), (r, c - 1), (r, c + 1), (r + 1, c)):
                if {*place} <= {*range(grid.n)} and place not in (*self.cells, *self.spared):
                    yield grid[r, c], grid[place]

    def marks(self, layout: Layout) -> Iterator[Mark]:
        """The cells shaded, with a point towards what is smaller at each border."""
        yield Shade(self.cells)
        towards = 0.08 if self.allowed(1, 2) else -0.08
        for a, b in self.pairs(layout):
            (x, y), (dx, dy) = middle(a, b), (a.column - b.column, a.row - b.row)
            tip = (x + towards * dx, y + towards * dy)
            ends = [(x + s * 0.14 * dy, y + s * 0.14 * dx) for s in (1, -1)]
            yield Stroke((ends[0], tip, ends[1]), "black", 0.03, behind=False)


@rule("minimum", "smaller than every cell at its sides that is not marked, too")
class Minimum(_Extreme):
    """Cells smaller than all their neighbours."""

    def allowed(self, a: int, b: int) -> bool:
        """Smaller."""
        return a < b

    def holds(self, grid: Grid) -> bool:
        """Look at the neighbours."""
        return all(mine < other for mine, other in self.compared(grid))


@rule("maximum", "larger than every cell at its sides that is not marked, too")
class Maximum(_Extreme):
    """Cells larger than all their neighbours."""

    def allowed(self, a: int, b: int) -> bool:
        """Larger."""
        return a > b

    def holds(self, grid: Grid) -> bool:
        """Look at the neighbours."""
        return all(mine > other for mine, other in self.compared(grid))
