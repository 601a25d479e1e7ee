"""Rules about two neighbouring cells, their signs, and what it means that there is no sign.

Rules about cells that a chess piece's move, or a step, takes to one another.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
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
    Sign,
    are_neighbours,
    middle,
)
from bddsudoku.puzzle.sudoku.rules.rule import Field, Grid, Rule


class _Pair(Rule):
    """Two neighbouring cells whose digits stand in a relation."""

    cells: Places

    @abstractmethod
    def allowed(self, a: int, b: int) -> bool:
        """Whether two digits stand in the relation."""

    def constraints(self, layout: Layout) -> list[OneHot]:
        """A digit in the first cell, or those in the second that it forbids."""
        one, other = self.cells
        return [*pairwise(self, layout, one, other, self.allowed)]

    def check(self, layout: Layout) -> None:
        """Two neighbours."""
        self.check_places(self.cells, layout, 2, 2)
        if not are_neighbours(*self.cells):
            raise self.refuse("the cells do not share a side")

    def dot(self, colour: str, text: str) -> Iterator[Mark]:
        """A dot on the border, with a number where it is not the usual one."""
        at = middle(*self.cells)
        yield Disc(at, 0.14, colour, "black", behind=False)
        if text:
            yield Sign(at, text, 0.2, "black" if colour == "white" else "white")


@dataclass(frozen=True)
class Difference(_Pair):
    """A white dot: digits that differ by a value, 1 where none is said."""

    cells: Places
    value: int = 1
    name: ClassVar[str] = "difference"
    about: ClassVar[str] = "the two digits differ by the value"
    aliases: ClassVar[tuple[str, ...]] = ("kropkiwhite", "whitekropki", "whitedot", "consecutive")
    fields: ClassVar[Mapping[str, Field]] = {"value": Field.MAYBE, "cells": Field.PLACES}

    def allowed(self, a: int, b: int) -> bool:
        """So far apart."""
        return abs(a - b) == self.value

    def check(self, layout: Layout) -> None:
        """Two neighbours, and a difference that there is."""
        super().check(layout)
        self.check_number(self.value, 1, layout.n - 1, "a difference")

    def holds(self, grid: Grid) -> bool:
        """Subtract."""
        one, other = self.cells
        return grid[one] - grid[other] in (self.value, -self.value)

    def marks(self, layout: Layout) -> Iterator[Mark]:
        """A white dot."""
        return self.dot("white", "" if self.value == 1 else str(self.value))


@dataclass(frozen=True)
class Ratio(_Pair):
    """A black dot: one digit is the other times a value, 2 where none is said."""

    cells: Places
    value: int = 2
    name: ClassVar[str] = "ratio"
    about: ClassVar[str] = "one of the two digits is the other times the value"
    aliases: ClassVar[tuple[str, ...]] = ("kropkiblack", "blackkropki", "blackdot", "double")
    fields: ClassVar[Mapping[str, Field]] = {"value": Field.MAYBE, "cells": Field.PLACES}

    def allowed(self, a: int, b: int) -> bool:
        """One is so many times the other."""
        return max(a, b) == self.value * min(a, b)

    def check(self, layout: Layout) -> None:
        """Two neighbours, and a ratio that there is."""
        super().check(layout)
        self.check_number(self.value, 2, layout.n, "a ratio")

    def holds(self, grid: Grid) -> bool:
        """Multiply either."""
        one, other = self.cells
        return grid[one] == self.value * grid[other] or grid[other] == self.value * grid[one]

    def marks(self, layout: Layout) -> Iterator[Mark]:
        """A black dot."""
        return self.dot("black", "" if self.value == 2 else str(self.value))


@dataclass(frozen=True)
class XV(_Pair):
    """X: two digits that add up to 10; V: to 5."""

    cells: Places
    kind: str
    name: ClassVar[str] = "xv"
    about: ClassVar[str] = "the two digits add up to 10 (x) or 5 (v)"
    fields: ClassVar[Mapping[str, Field]] = {"kind": Field.WORD, "cells": Field.PLACES}

    @property
    def total(self) -> int:
        """The sum."""
        return {"x": 10, "v": 5}[self.kind]

    def allowed(self, a: int, b: int) -> bool:
        """They add up."""
        return a + b == self.total

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


_USUAL = {"difference": (1,), "ratio": (2,), "xv": (5, 10)}


@dataclass(frozen=True)
class Negative(Rule):
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
    name: ClassVar[str] = "negative"
    about: ClassVar[str] = "no neighbours without a sign stand in the relation"
    fields: ClassVar[Mapping[str, Field]] = {
        "kind": Field.WORD,
        "values": Field.DIGITS,
        "spared": Field.PLACES,
    }

    def related(self, a: int, b: int) -> bool:
        """Whether two digits stand in the relation."""
        values = self.values or _USUAL[self.kind]
        match self.kind:
            case "difference":
                return abs(a - b) in values
            case "ratio":
                return any(max(a, b) == value * min(a, b) for value in values)
            case _:
                return a + b in values

    def constraints(self, layout: Layout) -> list[OneHot]:
        """For each pair of neighbours that is not spared."""
        n = layout.n
        digits, said = range(1, n + 1), self.label
        related = {(d, e) for d in digits for e in digits if self.related(d, e)}
        spared = self.pairs
        found: list[OneHot] = []
        for a in (Place(*divmod(cell, n)) for cell in range(n * n)):
            for b in (Place(a.row, a.column + 1), Place(a.row + 1, a.column)):
                if max(b) < n and (a, b) not in spared:
                    label = f"{said} {a} {b}"
                    found += pairwise(self, layout, a, b, lambda d, e: (d, e) not in related, label)
        return found

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
    def pairs(self) -> set[Places]:
        """The spared pairs, each in reading order."""
        return {tuple(sorted(self.spared[i : i + 2])) for i in range(0, len(self.spared), 2)}

    def beside(self, rules: Sequence[Rule]) -> Negative:
        """The pairs with a sign are spared; where no values are said, those that occur are meant.

        A pair with a white dot may deserve a black one as well, and a pair with a black dot a white
        one: both spare it. Of sums always 5 and 10 are meant, whichever sign occurs.
        """
        kinds = (XV,) if self.kind == "xv" else (Difference, Ratio)
        signs = [r for r in rules if isinstance(r, kinds)]
        more = {tuple(sorted(sign.cells)) for sign in signs} - self.pairs
        spared = (*self.spared, *(place for pair in sorted(more) for place in pair))
        values = self.values
        if not values and self.kind != "xv":
            dots = {r.value for r in signs if not isinstance(r, XV) and r.name == self.kind}
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
