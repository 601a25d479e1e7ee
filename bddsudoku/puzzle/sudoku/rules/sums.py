"""Rules about sums: killer cages and little killers.

Arrows: a shaft of cells that add up to what stands in the circle.

Rules about lines whose ends, middle or stretches say something about one another.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import groupby, pairwise
from math import comb
from typing import ClassVar, TypeAlias

from bddsudoku.model.constraints import Automaton, Constraint
from bddsudoku.model.mdd import Layers, unfold
from bddsudoku.puzzle.sudoku.layout import Layout
from bddsudoku.puzzle.sudoku.rules.building import (
    MOST_SETS,
    different,
    equal_sums,
    reading,
    words,
)
from bddsudoku.puzzle.sudoku.rules.lines import Line
from bddsudoku.puzzle.sudoku.rules.places import (
    Disc,
    Mark,
    Outline,
    Place,
    Places,
    Sign,
    Stroke,
    are_neighbours,
    is_connected_line,
    middle,
    path,
)
from bddsudoku.puzzle.sudoku.rules.rule import Field, Grid, Rule, rule


def _few_sets(n: int, length: int) -> bool:
    """Whether a machine may know the digits it has read; else it adds up, others do the rest."""
    return sum(comb(n, i) for i in range(length + 1)) <= MOST_SETS


@lru_cache(maxsize=1024)
def _sum(n: int, length: int, total: int) -> Layers:
    """So many digits, repeated or not, with a sum."""

    def add(state: int, digit: int) -> int | None:
        return state + digit if state + digit <= total else None

    return words(n, length, 0, add, lambda s: s == total)


@lru_cache(maxsize=1024)
def _different_sum(n: int, length: int, total: int) -> Layers:
    """So many different digits with a sum; the state is the set of those that were read."""

    def add(state: int, digit: int) -> int | None:
        return None if state >> digit & 1 else state | 1 << digit

    def fits(state: int) -> bool:
        return sum(d for d in range(1, n + 1) if state >> d & 1) == total

    return words(n, length, 0, add, fits)


@rule(
    "cage", "different digits that add up to the total, where there is one", "killercage", "killer"
)
class Cage(Rule):
    """A killer cage: different digits; with a total they add up to it."""

    cells: Places
    total: int | None = None

    def check(self, layout: Layout) -> None:
        """At most n cells, and a sum within reach."""
        n = layout.n
        self.check_places(self.cells, layout, 1, n)
        if self.total is not None:
            k = len(self.cells)
            least, most = k * (k + 1) // 2, k * (2 * n - k + 1) // 2
            self.check_number(self.total, least, most, f"a sum of {k} different digits")

    def constraints(self, layout: Layout) -> list[Constraint]:
        """One machine that knows the digits it has read, or one that adds up."""
        n, k = layout.n, len(self.cells)
        if self.total is None:
            return [*different(self, layout, self.cells)]
        if _few_sets(n, k):
            layers = _different_sum(n, k, self.total)
            return [reading(self, layout, self.cells, layers, commutative=True)]
        adding = reading(self, layout, self.cells, _sum(n, k, self.total), commutative=True)
        return [*different(self, layout, self.cells), adding]

    def holds(self, grid: Grid) -> bool:
        """Add up, and look for repeated digits."""
        digits = [grid[place] for place in self.cells]
        return len({*digits}) == len(digits) and self.total in (None, sum(digits))

    def marks(self, layout: Layout) -> Iterator[Mark]:
        """A dashed outline with the sum."""
        yield Outline(self.cells, "" if self.total is None else str(self.total))


DIRECTIONS = {"ur": (-1, 1), "ul": (-1, -1), "dr": (1, 1), "dl": (1, -1)}
"""Rows and columns of a step in each direction: up or down, right or left."""


@rule(
    "littlekiller",
    "the digits along the diagonal add up to the total, repeated or not",
    "littlekillersum",
)
class LittleKiller(Rule):
    """The digits along a diagonal add up to the number where it begins; they may repeat."""

    clue: Places
    total: int
    direction: str
    fields: ClassVar[Mapping[str, Field]] = {
        "clue": Field.PLACES,
        "total": Field.NUMBER,
        "direction": Field.WORD,
    }

    def line(self, n: int) -> Places:
        """The cells of the diagonal, from the clue on."""
        down, right = DIRECTIONS[self.direction]
        row, column = self.clue[0]
        steps = range(1, n + 1)
        line = (Place(row + i * down, column + i * right) for i in steps)
        return tuple(p for p in line if 0 <= p.row < n and 0 <= p.column < n)

    def check(self, layout: Layout) -> None:
        """One place beside the board from which a step leads onto it, and a sum within reach."""
        n = layout.n
        if self.direction not in DIRECTIONS:
            raise self.refuse(f"expected a direction ({', '.join(DIRECTIONS)})")
        if len(self.clue) != 1 or all(0 <= i < n for i in self.clue[0]):
            raise self.refuse(f"expected one place beside a board of {n}x{n} cells")
        line = self.line(n)
        if not line or abs(line[0].row - self.clue[0].row) != 1:
            raise self.refuse(f"no cell is {self.direction} of {self.clue[0]}")
        k = len(line)
        self.check_number(self.total, k, k * n, f"a sum of {k} digits")

    def constraints(self, layout: Layout) -> list[Automaton]:
        """One machine that adds up; it knows the digits where they stand in one house."""
        n = layout.n
        line = self.line(n)
        shared = {*layout.houses_of[line[0].row * n + line[0].column]}
        for place in line:
            shared.intersection_update(layout.houses_of[place.row * n + place.column])
        summing = _different_sum if shared and _few_sets(n, len(line)) else _sum
        return [reading(self, layout, line, summing(n, len(line), self.total), commutative=True)]

    def holds(self, grid: Grid) -> bool:
        """Walk and add up."""
        (row, column), found = self.clue[0], 0
        down = 1 if self.direction.startswith("d") else -1
        right = 1 if self.direction.endswith("r") else -1
        while True:
            row, column = row + down, column + right
            if not (0 <= row < grid.n and 0 <= column < grid.n):
                return found == self.total
            found += grid[row, column]

    def marks(self, layout: Layout) -> Iterator[Mark]:
        """The number, and an arrow towards the board."""
        down, right = DIRECTIONS[self.direction]
        x, y = middle(*self.clue)
        yield Sign((x - 0.1 * right, y - 0.1 * down), str(self.total))
        ends = ((x + 0.2 * right, y + 0.2 * down), (x + 0.45 * right, y + 0.45 * down))
        yield Stroke(ends, "black", 0.04, arrow=True)


@rule("arrow", "the cells along the arrow add up to the number in its circle")
class Arrow(Rule):
    """A circle, or a pill of two or three cells, holds the sum of the shaft.

    Attributes:
        circle: one cell; or neighbours in a straight line that are read as a number along it,
            tens before units.
        shaft: from the circle to the tip.
    """

    circle: Places
    shaft: Places

    def constraints(self, layout: Layout) -> list[Constraint]:
        """Two equal sums, of which the circle's counts tens tenfold."""
        return equal_sums(self, layout, [self.shaft], number=self.circle)

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


_Seen: TypeAlias = "tuple[tuple[int, ...], int, int]"
"""The ends that are known, ascending; the least and the greatest digit between them."""


@lru_cache(maxsize=1024)
def _between(n: int, ends: tuple[bool, ...], room: int) -> Layers:
    """Digits strictly between those of two ends.

    Args:
        n: digits are 1 to n.
        ends: for every cell whether it is an end; two are.
        room: so many digits must lie between those of the ends.

    What lies between no longer matters when both ends are known.
    """

    def step(level: int, state: _Seen, digit: int) -> _Seen | None:
        known, low, high = state
        if not digit:
            return None
        if ends[level]:
            known = tuple(sorted((*known, digit)))
        elif len(known) == 2:
            return state if known[0] < digit < known[1] else None
        else:
            low, high = min(low, digit), max(high, digit)
        if len(known) == 2:
            fits = known[0] < low and high < known[1] and known[1] - known[0] > room
            return (known, n, 1) if fits else None
        return (known, low, high) if not (known and low <= known[0] <= high) else None

    start: _Seen = ((), n, 1)
    return unfold([1 + n] * len(ends), start, step)


@rule("between", "digits on the line lie strictly between those at its two ends", "betweenline")
class Between(Line):
    """Digits strictly between those of the two ends."""

    cells: Places
    width = 0.12
    bulbs = (0.4, "grey", "grey")
    ends = (0, -1)
    least = 3

    def constraints(self, layout: Layout) -> list[Constraint]:
        """One machine that knows the ends, or what lies between; and how many differ there."""
        ordered = sorted(self.cells)
        ends = tuple(place in (self.cells[0], self.cells[-1]) for place in ordered)
        inner = {place.row * layout.n + place.column for place in self.cells[1:-1]}
        room = max(len(inner.intersection(house.cells)) for house in layout.houses)
        return [reading(self, layout, ordered, _between(layout.n, ends, room))]

    def holds(self, grid: Grid) -> bool:
        """Compare each with both ends."""
        first, *inner, last = self.digits(grid)
        return all(first < d < last or last < d < first for d in inner)


@rule(
    "doublearrow", "the cells between the two ends add up to the sum of the ends", "doublearrowline"
)
class DoubleArrow(Line):
    """The cells between the two ends add up to the sum of the two ends."""

    cells: Places
    width = 0.08
    bulbs = (0.4, "white", "grey")
    ends = (0, -1)
    least = 3

    def constraints(self, layout: Layout) -> list[Constraint]:
        """Two equal sums."""
        first, *inner, last = self.cells
        return equal_sums(self, layout, [(first, last), inner])

    def holds(self, grid: Grid) -> bool:
        """Add up."""
        first, *inner, last = self.digits(grid)
        return sum(inner) == first + last


@rule(
    "zipper", "cells equally far from the middle add up to its digit, or to the same", "zipperline"
)
class Zipper(Line):
    """Cells equally far from the middle add up to the digit there, or all to the same."""

    cells: Places
    least = 3
    colour = "purple"

    def constraints(self, layout: Layout) -> list[Constraint]:
        """The middle, where there is one, and all pairs have equal sums."""
        cells, half = self.cells, len(self.cells) // 2
        pairs = [(cells[i], cells[-1 - i]) for i in range(half)]
        middle_cell = [cells[half : half + 1]] if len(cells) % 2 else []
        return equal_sums(self, layout, [*middle_cell, *pairs])

    def holds(self, grid: Grid) -> bool:
        """Fold the line and add."""
        digits = self.digits(grid)
        sums = {a + b for a, b in zip(digits, digits[::-1], strict=True)}
        if len(digits) % 2:
            # The middle meets itself.
            sums = {a + b for a, b in zip(digits[: len(digits) // 2], digits[::-1], strict=False)}
            sums.add(digits[len(digits) // 2])
        return len(sums) == 1


@rule(
    "regionsum", "the stretches of the line within a block each add up to the same", "regionsumline"
)
class RegionSum(Line):
    """The line's stretches within one block each have the same sum."""

    cells: Places
    colour = "blue"

    def constraints(self, layout: Layout) -> list[Constraint]:
        """The stretches have equal sums."""
        n = layout.n
        stretches = groupby(self.cells, lambda p: layout.block_of(p.row * n + p.column))
        return equal_sums(self, layout, [[*cells] for _, cells in stretches])

    def check(self, layout: Layout) -> None:
        """A line through blocks."""
        super().check(layout)
        self.check_blocks(self.cells, layout)

    def holds(self, grid: Grid) -> bool:
        """Add up until the block changes."""
        sums: list[int] = []
        before: tuple[int, ...] | None = None
        for place in self.cells:
            here = next(
                b.cells for b in grid.layout.blocks if place.row * grid.n + place.column in b.cells
            )
            if here == before:
                sums[-1] += grid[place]
            else:
                sums.append(grid[place])
            before = here
        return len({*sums}) == 1
