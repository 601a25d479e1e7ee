"""Lines of which only the set of digits counts."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from math import comb
from typing import ClassVar

from bddsudoku.model.constraints import Constraint, OneHot
from bddsudoku.model.mdd import Layers
from bddsudoku.puzzle.sudoku.layout import SYMBOLS, Layout
from bddsudoku.puzzle.sudoku.rules.building import (
    MOST_SETS,
    different,
    reading,
    variables,
    words,
)
from bddsudoku.puzzle.sudoku.rules.lines import Line
from bddsudoku.puzzle.sudoku.rules.places import Places
from bddsudoku.puzzle.sudoku.rules.rule import Grid


@lru_cache(maxsize=1024)
def _run(n: int, length: int) -> Layers:
    """Consecutive digits in any order; the state is the set of those that were read."""

    def add(state: int, digit: int) -> int | None:
        after = state | 1 << digit
        wide = after.bit_length() - (after & -after).bit_length() + 1
        return None if state >> digit & 1 or wide > length else after

    return words(n, length, 0, add, bool)


@lru_cache(maxsize=1024)
def _within(n: int, length: int) -> Layers:
    """Digits less than so many apart; the state is the least and the greatest."""

    def add(state: tuple[int, int], digit: int) -> tuple[int, int] | None:
        low, high = min(state[0], digit), max(state[1], digit)
        return (low, high) if high - low < length else None

    return words(n, length, (n, 1), add, bool)


@lru_cache(maxsize=1024)
def _scattered(n: int, length: int) -> Layers:
    """Digits no two of which are equal or consecutive; the state is the set of those read."""

    def add(state: int, digit: int) -> int | None:
        return None if state >> digit - 1 & 7 else state | 1 << digit

    return words(n, length, 0, add, bool)


@dataclass(frozen=True)
class Renban(Line):
    """Consecutive digits, none twice, in any order."""

    cells: Places
    colour: ClassVar[str] = "pink"
    loops: ClassVar[bool] = True
    name: ClassVar[str] = "renban"
    about: ClassVar[str] = "consecutive digits, none twice, in any order"
    aliases: ClassVar[tuple[str, ...]] = ("renbanline",)

    def constraints(self, layout: Layout) -> list[Constraint]:
        """One machine that knows the digits it has read, or the least and greatest of them."""
        n, cells = layout.n, tuple(dict.fromkeys(self.cells))
        k = len(cells)
        if k > n:
            return [OneHot(self.name, self.label, (), 1)]
        if k == n:
            return [*different(self, layout, cells)]
        if (n - k + 1) << k <= MOST_SETS:
            return [reading(self, layout, cells, _run(n, k), commutative=True)]
        near = reading(self, layout, cells, _within(n, k), commutative=True)
        return [*different(self, layout, cells), near]

    def holds(self, grid: Grid) -> bool:
        """Sort."""
        digits = sorted(grid[place] for place in {*self.cells})
        return digits == [*range(digits[0], digits[0] + len(digits))]


@dataclass(frozen=True)
class Nabner(Line):
    """No two digits are equal or consecutive."""

    cells: Places
    colour: ClassVar[str] = "yellow"
    loops: ClassVar[bool] = True
    name: ClassVar[str] = "nabner"
    about: ClassVar[str] = "no two digits on the line are equal or consecutive"
    aliases: ClassVar[tuple[str, ...]] = ("nabnerline",)

    def constraints(self, layout: Layout) -> list[Constraint]:
        """One machine that knows the digits it has read; or one of each two digits at most."""
        n, cells = layout.n, tuple(dict.fromkeys(self.cells))
        k = len(cells)
        if 2 * k - 1 > n:
            return [OneHot(self.name, self.label, (), 1)]
        if sum(comb(n - i + 1, i) for i in range(k + 1)) <= MOST_SETS:
            return [reading(self, layout, cells, _scattered(n, k), commutative=True)]
        found: list[Constraint] = []
        for d in range(n - 1):
            two = sorted(v for p in cells for v in variables(layout, p)[d : d + 2])
            label = f"{self.label} {SYMBOLS[d : d + 2]}"
            found.append(OneHot(self.name, label, tuple(two), 1, True))
        return found

    def holds(self, grid: Grid) -> bool:
        """Sort; each is two more than the one before, or farther."""
        digits = sorted(grid[place] for place in {*self.cells})
        return all(b > a + 1 for a, b in pairwise(digits))
