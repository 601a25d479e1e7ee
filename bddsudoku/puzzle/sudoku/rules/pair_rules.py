"""Rules about pairs of cells whose digits stand in a relation.

Pairs are marked by a sign between neighbours, or are those without one; they are all that a chess
piece's move takes to one another; or they are a marked cell and its neighbours.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import ClassVar

from bddsudoku.model.constraints import Constraint
from bddsudoku.puzzle.sudoku.layout import Layout
from bddsudoku.puzzle.sudoku.rules.places import (
    Disc,
    Mark,
    Place,
    Places,
    Shade,
    Stroke,
    WordMark,
    are_neighbours,
    centre,
    neighbours,
)
from bddsudoku.puzzle.sudoku.rules.rule import CellRule, FilledGrid, Reach, Rule, rule
from bddsudoku.puzzle.sudoku.rules.rule_constraints import allowed_pairs

_RELATIONS: dict[str, Callable[[int, int, int], bool]] = {
    "difference": lambda a, b, value: abs(a - b) == value,
    "ratio": lambda a, b, value: max(a, b) == value * min(a, b),
    "xv": lambda a, b, value: a + b == value,
}
"""Whether two digits stand in the relation of a sign."""

_DEFAULT_VALUES: dict[str, Callable[[int, int], float]] = {
    "difference": lambda low, high: high - low,
    "ratio": lambda low, high: high / low,
    "xv": lambda low, high: low + high,
}
"""The same for plain tests: the value of two digits."""

_USUAL = {"difference": (1,), "ratio": (2,), "xv": (5, 10)}
"""The differences, ratios and sums that are meant where none is said."""


class _PairRule(Rule):
    """Some pairs of cells, in each of which the two digits stand in a relation."""

    @abstractmethod
    def pairs(self, layout: Layout) -> Iterable[tuple[Place, Place]]:
        """The pairs."""

    @abstractmethod
    def allowed(self, a: int, b: int) -> bool:
        """Whether the cells of a pair may hold these digits."""

    def constraints(self, layout: Layout) -> list[Constraint]:
        """A digit in the first cell of a pair, or those in the second that it forbids."""
        digits = range(1, layout.n + 1)
        fits = {(a, b): self.allowed(a, b) for a in digits for b in digits}
        label = f"{self.label} " if self.fields else ""
        return [
            c
            for a, b in self.pairs(layout)
            for c in allowed_pairs(self, layout, a, b, lambda d, e: fits[d, e], f"{label}{a} {b}")
        ]


class _NeighbourSign(CellRule):
    """A sign between two neighbours."""

    @property
    @abstractmethod
    def value(self) -> int:
        """The difference, ratio or sum."""

    def constraints(self, layout: Layout) -> list[Constraint]:
        """A digit in the first cell, or those in the second that it forbids."""
        related, (one, other), value = _RELATIONS[self.name], self.cells, self.value
        return [*allowed_pairs(self, layout, one, other, lambda a, b: related(a, b, value))]

    def check(self, layout: Layout) -> None:
        """Two neighbours."""
        self.check_fields(layout, 2, 2)
        if not are_neighbours(*self.cells):
            raise self.error("the cells do not share a side")

    def holds(self, grid: FilledGrid) -> bool:
        """Work it out."""
        return _DEFAULT_VALUES[self.name](*sorted(self.digits_in(grid))) == self.value


class _KropkiDot(_NeighbourSign):
    """A dot on the border, with a number where it is not the usual one."""

    colours: ClassVar[tuple[str, str]]
    """Of the dot, and of its number."""

    def marks(self, layout: Layout) -> Iterator[Mark]:
        """The dot."""
        at, (colour, ink) = centre(*self.cells), self.colours
        yield Disc(at, 0.14, colour, "black", behind=False)
        if self.value not in _USUAL[self.name]:
            yield WordMark(at, str(self.value), 0.2, ink)


@rule(
    "difference",
    "the two digits differ by the value",
    "kropkiwhite",
    "whitekropki",
    "whitedot",
    "consecutive",
)
class Difference(_KropkiDot):
    """A white dot: digits that differ by a value, 1 where none is said."""

    value: int = 1
    colours = ("white", "black")

    def number_range(self, n: int) -> Reach:
        """A difference that there is."""
        return 1, n - 1, "a difference"


@rule(
    "ratio",
    "one of the two digits is the other times the value",
    "kropkiblack",
    "blackkropki",
    "blackdot",
    "double",
)
class Ratio(_KropkiDot):
    """A black dot: one digit is the other times a value, 2 where none is said."""

    value: int = 2
    colours = ("black", "white")

    def number_range(self, n: int) -> Reach:
        """A ratio that there is."""
        return 2, n, "a ratio"


@rule("xv", "the two digits add up to 10 (x) or 5 (v)")
class XV(_NeighbourSign):
    """X: two digits that add up to 10; V: to 5."""

    kind: str

    @property
    def value(self) -> int:
        """The sum."""
        return {"x": 10, "v": 5}[self.kind]

    def check(self, layout: Layout) -> None:
        """Two neighbours, and a sum that two different digits have."""
        super().check(layout)
        if self.kind not in ("x", "v"):
            raise self.error(f"expected x or v, found {self.kind[:20]!r}")
        self.check_number(self.value, 3, 2 * layout.n - 1, "a sum")

    def marks(self, layout: Layout) -> Iterable[Mark]:
        """The letter on the border."""
        return [WordMark(centre(*self.cells), self.kind.upper(), 0.26, backed=True)]


_Ways = tuple[tuple[int, int], ...]
_SIDES: _Ways = ((0, 1), (1, 0))


def _pairs_at_steps(n: int, steps: _Ways) -> Iterator[tuple[Place, Place]]:
    """The pairs of cells that are one of some steps (rows down, columns right) apart."""
    for (down, right), r, c in product(steps, range(n), range(n)):
        if r + down < n and 0 <= c + right < n:
            yield Place(r, c), Place(r + down, c + right)


@rule("negative", "no neighbours without a sign stand in the relation")
class Negative(_PairRule):
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

    def pairs(self, layout: Layout) -> Iterable[tuple[Place, Place]]:
        """All neighbours that are not spared."""
        spared = self.spared_pairs
        return (pair for pair in sorted(_pairs_at_steps(layout.n, _SIDES)) if pair not in spared)

    def check(self, layout: Layout) -> None:
        """A relation that there is, and pairs of neighbours."""
        if self.kind not in _USUAL:
            raise self.error(f"expected {', '.join(_USUAL)}, found {self.kind[:20]!r}")
        for value in self.values:
            self.check_number(value, 1, 2 * layout.n if self.kind == "xv" else layout.n)
        if len(self.spared) % 2:
            raise self.error("the spared cells are no pairs")
        for pair in zip(self.spared[::2], self.spared[1::2], strict=True):
            self.check_places(pair, layout)
            if not are_neighbours(*pair):
                raise self.error(f"{pair[0]} and {pair[1]} do not share a side")

    @property
    def spared_pairs(self) -> set[Places]:
        """The spared pairs, each in reading order."""
        return {tuple(sorted(self.spared[i : i + 2])) for i in range(0, len(self.spared), 2)}

    def in_company(self, rules: Sequence[Rule]) -> Negative:
        """The pairs with a sign are spared; where no values are said, those that occur are meant.

        A pair with a white dot may deserve a black one as well, and a pair with a black dot a white
        one: both spare it. Of sums always 5 and 10 are meant, whichever sign occurs.
        """
        signs = [r for r in rules if isinstance(r, XV if self.kind == "xv" else _KropkiDot)]
        more = {tuple(sorted(sign.cells)) for sign in signs} - self.spared_pairs
        spared = (*self.spared, *(place for pair in sorted(more) for place in pair))
        values = self.values
        if not values and self.kind != "xv":
            dots = {sign.value for sign in signs if sign.name == self.kind}
            values = tuple(sorted(dots)) or _USUAL[self.kind]
        return replace(self, values=values, spared=spared)

    def holds(self, grid: FilledGrid) -> bool:
        """Look right and down from every cell."""
        spared = [{*self.spared[i : i + 2]} for i in range(0, len(self.spared), 2)]
        values = self.values or {"difference": [1], "ratio": [2], "xv": [5, 10]}[self.kind]
        return not any(
            max(place) < grid.n
            and {(r, c), place} not in spared
            and _DEFAULT_VALUES[self.kind](*sorted((grid[r, c], grid[place]))) in values
            for r, c in product(range(grid.n), repeat=2)
            for place in ((r, c + 1), (r + 1, c))
        )


class _MoveRule(_PairRule):
    """Pairs of cells one step from each other, whose digits never differ by some number."""

    steps: ClassVar[_Ways]
    """(rows, columns), one of each two opposite ones."""
    squares: ClassVar[tuple[int, ...]]
    """The same for plain tests: squares of the distances (Pythagoras)."""
    never: ClassVar[int] = 0

    def pairs(self, layout: Layout) -> Iterable[tuple[Place, Place]]:
        """A step from every cell from which it stays on the board."""
        return _pairs_at_steps(layout.n, self.steps)

    def allowed(self, a: int, b: int) -> bool:
        """Farther from each other, or nearer."""
        return abs(a - b) != self.never

    def holds(self, grid: FilledGrid) -> bool:
        """Look down from every cell."""
        near = [(a, b) for a in range(3) for b in range(-2, 3) if a * a + b * b in self.squares]
        return all(
            grid[r, c] - grid[r + a, c + b] not in (self.never, -self.never)
            for r, c in product(range(grid.n), repeat=2)
            for a, b in near
            if r + a < grid.n and 0 <= c + b < grid.n
        )


@rule("antiknight", "cells a knight's move apart have different digits", "knight")
class Knight(_MoveRule):
    """Cells a knight's move apart differ."""

    steps = ((1, -2), (1, 2), (2, -1), (2, 1))
    squares = (5,)


@rule("antiking", "cells that touch, at a corner too, have different digits", "king")
class King(_MoveRule):
    """Cells that touch at a corner differ (as those at a side do in their row or column)."""

    steps = ((1, -1), (1, 1))
    squares = (1, 2)


@rule("nonconsecutive", "cells that share a side never have consecutive digits")
class NonConsecutive(_MoveRule):
    """Neighbours are never consecutive."""

    steps = _SIDES
    squares = (1,)
    never = 1


@dataclass(frozen=True)
class _ExtremeCells(_PairRule):
    """Cells that stand out among their neighbours. Marked cells are not compared with each other.

    Attributes:
        cells: the marked ones.
        spared: others with which they are not compared either.
        end: where a marked cell's digit stands when those around it are sorted.
    """

    cells: Places
    spared: Places = ()
    end: ClassVar[int]

    def check(self, layout: Layout) -> None:
        """Marked cells, and others."""
        self.check_places(self.cells, layout)
        self.check_places((*self.cells, *self.spared), layout)

    def in_company(self, rules: Sequence[Rule]) -> Rule:
        """The cells that other rules of its kind mark are spared."""
        marked = {p for r in rules if isinstance(r, type(self)) for p in r.cells}
        return replace(self, spared=(*self.spared, *sorted(marked - {*self.cells, *self.spared})))

    def pairs(self, layout: Layout) -> Iterable[tuple[Place, Place]]:
        """Each cell with each neighbour that it is compared with."""
        among = {*self.cells, *self.spared}
        for place in self.cells:
            for other in neighbours(place, layout.n):
                if other not in among:
                    yield place, other

    def holds(self, grid: FilledGrid) -> bool:
        """Look at the neighbours."""
        side = {*range(grid.n)}
        for r, c in self.cells:
            around = {(r - 1, c), (r, c - 1), (r, c + 1), (r + 1, c)} - {*self.cells, *self.spared}
            others = {grid[place] for place in around if {*place} <= side}
            if grid[r, c] in others or sorted((grid[r, c], *others))[self.end] != grid[r, c]:
                return False
        return True

    def marks(self, layout: Layout) -> Iterator[Mark]:
        """The cells shaded, with a point towards what is smaller at each border."""
        yield Shade(self.cells)
        towards = 0.08 if self.allowed(1, 2) else -0.08
        for a, b in self.pairs(layout):
            (x, y), (dx, dy) = centre(a, b), (a.column - b.column, a.row - b.row)
            tip = (x + towards * dx, y + towards * dy)
            ends = [(x + s * 0.14 * dy, y + s * 0.14 * dx) for s in (1, -1)]
            yield Stroke((ends[0], tip, ends[1]), "black", 0.03, behind=False)


@rule("minimum", "smaller than every cell at its sides that is not marked, too")
class Minimum(_ExtremeCells):
    """Cells smaller than all their neighbours."""

    end = 0

    def allowed(self, a: int, b: int) -> bool:
        """Smaller."""
        return a < b


@rule("maximum", "larger than every cell at its sides that is not marked, too")
class Maximum(_ExtremeCells):
    """Cells larger than all their neighbours."""

    end = -1

    def allowed(self, a: int, b: int) -> bool:
        """Larger."""
        return a > b
