"""Rules about lines whose ends, middle or stretches say something about one another."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from typing import ClassVar, TypeAlias

from bddsudoku.model.constraints import Constraint
from bddsudoku.model.mdd import Layers, unfold
from bddsudoku.puzzle.sudoku.layout import Layout
from bddsudoku.puzzle.sudoku.rules.balance import equal_sums, plain_side
from bddsudoku.puzzle.sudoku.rules.building import reading
from bddsudoku.puzzle.sudoku.rules.lines import Line
from bddsudoku.puzzle.sudoku.rules.marks import Disc, Mark, Stroke, middle, path
from bddsudoku.puzzle.sudoku.rules.places import Places
from bddsudoku.puzzle.sudoku.rules.rule import Grid

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


@dataclass(frozen=True)
class Between(Line):
    """Digits strictly between those of the two ends."""

    cells: Places
    least: ClassVar[int] = 3
    name: ClassVar[str] = "between"
    about: ClassVar[str] = "digits on the line lie strictly between those at its two ends"
    aliases: ClassVar[tuple[str, ...]] = ("betweenline",)

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

    def marks(self, layout: Layout) -> Iterator[Mark]:
        """A line between two discs."""
        yield Stroke(path(self.cells), "grey", 0.12)
        for end in (self.cells[0], self.cells[-1]):
            yield Disc(middle(end), 0.4, "grey", "grey")


@dataclass(frozen=True)
class DoubleArrow(Line):
    """The cells between the two ends add up to the sum of the two ends."""

    cells: Places
    least: ClassVar[int] = 3
    name: ClassVar[str] = "doublearrow"
    about: ClassVar[str] = "the cells between the two ends add up to the sum of the ends"
    aliases: ClassVar[tuple[str, ...]] = ("doublearrowline",)

    def constraints(self, layout: Layout) -> list[Constraint]:
        """Two equal sums."""
        ends = self.cells[0], self.cells[-1]
        return [*equal_sums(self, layout, [plain_side(ends), plain_side(self.cells[1:-1])])]

    def holds(self, grid: Grid) -> bool:
        """Add up."""
        first, *inner, last = self.digits(grid)
        return sum(inner) == first + last

    def marks(self, layout: Layout) -> Iterator[Mark]:
        """A line between two circles."""
        yield Stroke(path(self.cells), "grey", 0.08)
        for end in (self.cells[0], self.cells[-1]):
            yield Disc(middle(end), 0.4, "white", "grey")


@dataclass(frozen=True)
class Zipper(Line):
    """Cells equally far from the middle add up to the digit there, or all to the same."""

    cells: Places
    least: ClassVar[int] = 3
    colour: ClassVar[str] = "purple"
    name: ClassVar[str] = "zipper"
    about: ClassVar[str] = "cells equally far from the middle add up to its digit, or to the same"
    aliases: ClassVar[tuple[str, ...]] = ("zipperline",)

    def constraints(self, layout: Layout) -> list[Constraint]:
        """The middle, where there is one, and all pairs have equal sums."""
        cells, half = self.cells, len(self.cells) // 2
        pairs = [(cells[i], cells[-1 - i]) for i in range(half)]
        middle_cell = [(cells[half],)] if len(cells) % 2 else []
        return [*equal_sums(self, layout, [plain_side(s) for s in (*middle_cell, *pairs)])]

    def holds(self, grid: Grid) -> bool:
        """Fold the line and add."""
        digits = self.digits(grid)
        sums = {a + b for a, b in zip(digits, digits[::-1], strict=True)}
        if len(digits) % 2:
            # The middle meets itself.
            sums = {a + b for a, b in zip(digits[: len(digits) // 2], digits[::-1], strict=False)}
            sums.add(digits[len(digits) // 2])
        return len(sums) == 1


@dataclass(frozen=True)
class RegionSum(Line):
    """The line's stretches within one block each have the same sum."""

    cells: Places
    colour: ClassVar[str] = "blue"
    name: ClassVar[str] = "regionsum"
    about: ClassVar[str] = "the stretches of the line within a block each add up to the same"
    aliases: ClassVar[tuple[str, ...]] = ("regionsumline",)

    def constraints(self, layout: Layout) -> list[Constraint]:
        """The stretches have equal sums."""
        n = layout.n
        stretches = groupby(self.cells, lambda p: layout.block_of(p.row * n + p.column))
        return [*equal_sums(self, layout, [plain_side(tuple(cells)) for _, cells in stretches])]

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
