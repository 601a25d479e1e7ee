"""Rules about sums: killer cages and little killers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from math import comb
from typing import ClassVar

from bddsudoku.model.constraints import Automaton, Constraint
from bddsudoku.model.mdd import Layers
from bddsudoku.puzzle.sudoku.layout import Layout
from bddsudoku.puzzle.sudoku.rules.building import MOST_SETS, different, reading, words
from bddsudoku.puzzle.sudoku.rules.marks import Mark, Outline, Sign, Stroke, middle
from bddsudoku.puzzle.sudoku.rules.places import Place, Places
from bddsudoku.puzzle.sudoku.rules.rule import Field, Grid, Rule


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


@dataclass(frozen=True)
class Cage(Rule):
    """A killer cage: different digits; with a total they add up to it."""

    cells: Places
    total: int | None = None
    name: ClassVar[str] = "cage"
    about: ClassVar[str] = "different digits that add up to the total, where there is one"
    aliases: ClassVar[tuple[str, ...]] = ("killercage", "killer")
    fields: ClassVar[Mapping[str, Field]] = {"total": Field.MAYBE, "cells": Field.PLACES}

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


@dataclass(frozen=True)
class LittleKiller(Rule):
    """The digits along a diagonal add up to the number where it begins; they may repeat."""

    clue: Places
    total: int
    direction: str
    name: ClassVar[str] = "littlekiller"
    about: ClassVar[str] = "the digits along the diagonal add up to the total, repeated or not"
    aliases: ClassVar[tuple[str, ...]] = ("littlekillersum",)
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
