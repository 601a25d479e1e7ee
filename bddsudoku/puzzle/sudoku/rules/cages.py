"""Rules about sums: killer cages and little killers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from math import comb
from typing import ClassVar

from bddsudoku.model.constraint import Constraint
from bddsudoku.model.layers import Layers
from bddsudoku.puzzle.sudoku.layout import Layout
from bddsudoku.puzzle.sudoku.rules.building import different, reading, words
from bddsudoku.puzzle.sudoku.rules.marks import Mark, Outline
from bddsudoku.puzzle.sudoku.rules.places import Places
from bddsudoku.puzzle.sudoku.rules.rule import Field, Grid, Rule

__all__ = ["Cage", "different_sum", "sum_of"]

_MOST_SETS = 4_000
"""Sets of digits that a machine may tell apart; beyond, it adds up, and others see to the rest."""


@lru_cache(maxsize=1024)
def sum_of(n: int, length: int, total: int) -> Layers:
    """So many digits, repeated or not, with a sum."""

    def add(state: int, digit: int) -> int | None:
        return state + digit if state + digit <= total else None

    return words(n, length, 0, add, lambda s: s == total)


@lru_cache(maxsize=1024)
def different_sum(n: int, length: int, total: int) -> Layers:
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
        if sum(comb(n, i) for i in range(k + 1)) <= _MOST_SETS:
            layers = different_sum(n, k, self.total)
            return [reading(self, layout, self.cells, layers, commutative=True)]
        adding = reading(
            self, layout, self.cells, sum_of(n, k, self.total), commutative=True, label=self.label
        )
        return [*different(self, layout, self.cells), adding]

    def holds(self, grid: Grid) -> bool:
        """Add up, and look for repeated digits."""
        digits = [grid[place] for place in self.cells]
        return len({*digits}) == len(digits) and self.total in (None, sum(digits))

    def marks(self, layout: Layout) -> Iterator[Mark]:
        """A dashed outline with the sum."""
        yield Outline(self.cells, "" if self.total is None else str(self.total))
