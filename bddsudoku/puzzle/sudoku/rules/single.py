"""Rules about single cells: their parity, and those that stand out among their neighbours.

Rules about single cells and what stands elsewhere: quadruples, clones, indexers.
"""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar, TypeAlias

from bddsudoku.model.constraints import Automaton, OneHot
from bddsudoku.model.mdd import Layers
from bddsudoku.puzzle.sudoku.layout import SYMBOLS, Layout
from bddsudoku.puzzle.sudoku.rules.building import only, reading, variables, words
from bddsudoku.puzzle.sudoku.rules.places import (
    Disc,
    Mark,
    Place,
    Places,
    Shade,
    Sign,
    middle,
)
from bddsudoku.puzzle.sudoku.rules.rule import Grid, Rule, rule


@dataclass(frozen=True)
class _Parity(Rule):
    """Every other digit.

    Attributes:
        first: the least of them.
        shape: in which a cell is drawn.
    """

    cells: Places
    first: ClassVar[int]
    shape: ClassVar[str]

    def constraints(self, layout: Layout) -> list[OneHot]:
        """No digit of the other kind in any cell."""
        digits = range(self.first, layout.n + 1, 2)
        return [c for place in self.cells for c in only(self, layout, place, digits)]

    def marks(self, layout: Layout) -> Iterator[Mark]:
        """Squares or discs."""
        return (Disc(middle(place), 0.38, "grey", None, self.shape) for place in self.cells)


@rule("even", "even digits")
class Even(_Parity):
    """Even digits."""

    first = 2
    shape = "square"

    def holds(self, grid: Grid) -> bool:
        """Divide by two."""
        return not any(grid[place] % 2 for place in self.cells)


@rule("odd", "odd digits")
class Odd(_Parity):
    """Odd digits."""

    first = 1
    shape = "circle"

    def holds(self, grid: Grid) -> bool:
        """Divide by two."""
        return all(grid[place] % 2 for place in self.cells)


@lru_cache(maxsize=1024)
def _all_of(n: int, length: int, digits: tuple[int, ...]) -> Layers:
    """Words that hold some digits; the state is what is still to come."""

    def step(state: tuple[int, ...], digit: int) -> tuple[int, ...]:
        if digit not in state:
            return state
        at = state.index(digit)
        return state[:at] + state[at + 1 :]

    return words(n, length, digits, step, lambda s: not s)


@rule("quadruple", "the four cells hold these digits, repeated ones as often")
class Quadruple(Rule):
    """Digits that stand among four cells around a corner, repeated ones as often as they are."""

    cells: Places
    digits: tuple[int, ...]

    def check(self, layout: Layout) -> None:
        """A square of 2x2 cells, one to four digits."""
        self.check_places(self.cells, layout, 4, 4)
        top, left = min(self.cells)
        if {*self.cells} != {Place(top + i, left + j) for i in (0, 1) for j in (0, 1)}:
            raise self.refuse("expected a square of 2x2 cells")
        self.check_number(len(self.digits), 1, 4, "digits,")
        for digit in self.digits:
            self.check_number(digit, 1, layout.n, "a digit")

    def constraints(self, layout: Layout) -> list[Automaton]:
        """One machine."""
        layers = _all_of(layout.n, 4, tuple(sorted(self.digits)))
        return [reading(self, layout, self.cells, layers, commutative=True)]

    def holds(self, grid: Grid) -> bool:
        """Count them."""
        return not Counter(self.digits) - Counter(grid[place] for place in self.cells)

    def marks(self, layout: Layout) -> Iterator[Mark]:
        """The digits on a disc."""
        at = middle(*self.cells)
        yield Disc(at, 0.3, "white", "black", behind=False)
        digits = "".join(SYMBOLS[d - 1] for d in self.digits)
        for i, line in enumerate((digits,) if len(digits) < 3 else (digits[:2], digits[2:])):
            y = at[1] if len(digits) < 3 else at[1] - 0.12 + 0.24 * i
            yield Sign((at[0], y), line, 0.22)


_Candidate: TypeAlias = "tuple[Place, int]"


def _alike(
    rule: Rule, layout: Layout, pairs: Iterable[tuple[_Candidate, _Candidate]]
) -> list[OneHot]:
    """Of two candidates both stand, or neither: exactly one of the first and what else could stand
    in the second's cell; and the other way round, so that either takes the other along."""
    found: dict[str, OneHot] = {}
    for pair in pairs:
        for (place, digit), (other, value) in (pair, pair[::-1]):
            label = f"{rule.label} {place} {SYMBOLS[digit - 1]} {other} {SYMBOLS[value - 1]}"
            some = [v for d, v in enumerate(variables(layout, other), 1) if d != value]
            some.append(variables(layout, place)[digit - 1])
            found[label] = OneHot(rule.name, label, tuple(sorted(some)))
    return [*found.values()]


@rule("clone", "the cells and their copies hold the same digits, one by one")
class Clone(Rule):
    """Cells that hold the same digits as others, one by one."""

    cells: Places
    copies: Places

    def check(self, layout: Layout) -> None:
        """As many copies as cells, no cell its own copy."""
        self.check_places(self.cells, layout)
        self.check_places(self.copies, layout)
        if len(self.cells) != len(self.copies):
            raise self.refuse(f"{len(self.cells)} cells and {len(self.copies)} copies")
        for place, copy in zip(self.cells, self.copies, strict=True):
            if place == copy:
                raise self.refuse(f"{place} is a copy of itself")

    def constraints(self, layout: Layout) -> list[OneHot]:
        """A digit in one just when it is in the other."""
        return _alike(
            self,
            layout,
            (
                ((place, d), (copy, d))
                for place, copy in zip(self.cells, self.copies, strict=True)
                for d in range(1, layout.n + 1)
            ),
        )

    def holds(self, grid: Grid) -> bool:
        """Compare."""
        return [grid[place] for place in self.cells] == [grid[place] for place in self.copies]

    def marks(self, layout: Layout) -> Iterator[Mark]:
        """Both shaded."""
        yield Shade(self.cells, "grey")
        yield Shade(self.copies, "grey")


@dataclass(frozen=True)
class _Indexer(Rule):
    """Cells that say where in their line the line's own number stands."""

    cells: Places
    colour: ClassVar[str]

    @abstractmethod
    def line(self, layout: Layout, place: Place) -> Places:
        """The n cells that the digits of a cell number, among them the cell itself."""

    def check(self, layout: Layout) -> None:
        """At least one cell."""
        self.check_places(self.cells, layout)

    def constraints(self, layout: Layout) -> list[OneHot]:
        """A digit in the cell just when the cell's number is where the digit points to."""
        return _alike(self, layout, self._pairs(layout))

    def _pairs(self, layout: Layout) -> Iterator[tuple[_Candidate, _Candidate]]:
        for place in self.cells:
            line = self.line(layout, place)
            own = line.index(place) + 1
            for digit, other in enumerate(line, 1):
                if digit != own:
                    yield (place, digit), (other, own)

    def marks(self, layout: Layout) -> Iterator[Mark]:
        """The cells shaded."""
        yield Shade(self.cells, self.colour)


@rule("rowindexer", "a cell in row R with digit V: the cell in row V of its column holds R")
class RowIndexer(_Indexer):
    """In row R a digit V: row V of the same column holds R."""

    colour = "green"

    def line(self, layout: Layout, place: Place) -> Places:
        """Its column."""
        return tuple(Place(row, place.column) for row in range(layout.n))

    def holds(self, grid: Grid) -> bool:
        """Follow each."""
        return all(grid[grid[r, c] - 1, c] == r + 1 for r, c in self.cells)


@rule("columnindexer", "a cell in column C with digit V: the cell in column V of its row holds C")
class ColumnIndexer(_Indexer):
    """In column C a digit V: column V of the same row holds C."""

    colour = "red"

    def line(self, layout: Layout, place: Place) -> Places:
        """Its row."""
        return tuple(Place(place.row, column) for column in range(layout.n))

    def holds(self, grid: Grid) -> bool:
        """Follow each."""
        return all(grid[r, grid[r, c] - 1] == c + 1 for r, c in self.cells)


@rule(
    "boxindexer", "a cell at position P of its block with digit V: the cell at position V holds P"
)
class BoxIndexer(_Indexer):
    """At position P of a block a digit V: position V of the same block holds P."""

    colour = "blue"

    def line(self, layout: Layout, place: Place) -> Places:
        """Its block, in reading order."""
        n = layout.n
        block = layout.blocks[layout.block_of(place.row * n + place.column)]
        return tuple(Place(*divmod(cell, n)) for cell in block.cells)

    def check(self, layout: Layout) -> None:
        """Cells in blocks."""
        super().check(layout)
        self.check_blocks(self.cells, layout)

    def holds(self, grid: Grid) -> bool:
        """Follow each."""
        n = grid.n
        for block in grid.layout.blocks:
            for at, cell in enumerate(block.cells, 1):
                row, column = divmod(cell, n)
                if (row, column) in self.cells:
                    there = block.cells[grid[row, column] - 1]
                    if grid[divmod(there, n)] != at:
                        return False
        return True
