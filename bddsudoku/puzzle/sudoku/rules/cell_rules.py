"""Rules about sets of cells, single cells, and all cells of the board.

Regions and diagonals in which no digit repeats; parity, clones and indexers; rules of all columns
or of cells at a given distance.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable, Iterable, Iterator, Mapping
from typing import ClassVar, TypeAlias

from bddsudoku.model.constraints import Constraint
from bddsudoku.puzzle.sudoku.layout import SYMBOLS, Layout
from bddsudoku.puzzle.sudoku.rules.pair_rules import pairs_at_steps
from bddsudoku.puzzle.sudoku.rules.places_and_marks import (
    Mark,
    Place,
    Places,
    Shade,
    Stroke,
    numbered_cells,
)
from bddsudoku.puzzle.sudoku.rules.rule import CellRule, FilledGrid, Rule, rule
from bddsudoku.puzzle.sudoku.rules.rule_constraints import (
    Digits,
    WordRule,
    all_different,
    allowed_digits,
    at_most_one,
    variable_by_digit,
)


class _DistinctSets(Rule):
    """Base class of rules that forbid repeated digits in sets of cells."""

    @abstractmethod
    def sets(self, layout: Layout) -> Mapping[str, Places]:
        """The sets of cells in which no digit may be repeated, by name."""

    def constraints(self, layout: Layout) -> list[Constraint]:
        """One-hot constraints: each digit at most once per set, exactly once in sets of n cells."""
        return [
            c
            for name, places in self.sets(layout).items()
            for c in all_different(self, layout, places, name)
        ]

    def holds(self, grid: FilledGrid) -> bool:
        """Whether the digits in each set are all different."""
        sets = self.sets(grid.layout).values()
        return all(len({grid[place] for place in places}) == len(places) for places in sets)


class _Diagonals(_DistinctSets):
    """Base class of rules about long diagonals, which are named ``down`` and ``up``."""

    ways: ClassVar[tuple[str, ...]]

    def sets(self, layout: Layout) -> Mapping[str, Places]:
        """The diagonals of the rule by name, each from the top row to the bottom row."""
        n = layout.row_count
        lines = {
            "down": tuple(Place(i, i) for i in range(n)),
            "up": tuple(Place(i, n - 1 - i) for i in range(n)),
        }
        return {way: lines[way] for way in self.ways}

    def faults(self, layout: Layout) -> Iterator[str]:
        """Other numbers of rows and columns."""
        if layout.row_count != layout.column_count:
            yield f"the diagonals of {layout} do not end in its corners"

    def marks(self, layout: Layout) -> Iterable[Mark]:
        """A line along each diagonal."""
        n = layout.row_count
        ends = {"down": ((0, 0), (n, n)), "up": ((0, n), (n, 0))}
        return (Stroke(ends[way], "blue", 0.06) for way in self.ways)


@rule("diagonal", "every digit once on the diagonal from top left to bottom right")
class Diagonal(_Diagonals):
    """Every digit once on the diagonal from top left to bottom right."""

    iss = "Diagonal~-1"
    fpuzzles = "diagonal-"
    ways = ("down",)


@rule("antidiagonal", "every digit once on the diagonal from bottom left to top right")
class Antidiagonal(_Diagonals):
    """Every digit once on the diagonal from bottom left to top right."""

    iss = "Diagonal~1"
    fpuzzles = "diagonal+"
    ways = ("up",)


@rule("diagonals", "every digit once on each of the two diagonals")
class Diagonals(_Diagonals):
    """Every digit once on both diagonals (Sudoku X)."""

    ways = ("down", "up")


@rule("windoku", "every digit once in each of the inner blocks, one cell from the border")
class Windoku(_DistinctSets):
    """Every digit once in each inner block (Windoku, Hyper Sudoku)."""

    iss = "Windoku"

    def sets(self, layout: Layout) -> Mapping[str, Places]:
        """The inner blocks by name, with one row or column between them and before the first."""
        deep, wide = layout.box_rows, layout.box_columns
        return {
            f"r{top + 1}c{left + 1}": tuple(
                Place(top + r, left + c) for r in range(deep) for c in range(wide)
            )
            for top in range(1, layout.row_count - deep, deep + 1)
            for left in range(1, layout.column_count - wide, wide + 1)
        }

    def marks(self, layout: Layout) -> Iterable[Mark]:
        """A background shade for each inner block."""
        return map(Shade, self.sets(layout).values())

    def faults(self, layout: Layout) -> Iterator[str]:
        """Blocks of one row or column."""
        if min(layout.box_rows, layout.box_columns) < 2:
            yield f"a {layout.row_count}x{layout.column_count} board has no usual blocks"


@rule("disjointgroups", "every digit once among the cells at the same position in their blocks")
class DisjointGroups(_DistinctSets):
    """Every digit once among the cells at the same position of their blocks; not drawn."""

    iss = "DisjointSets"
    fpuzzles = "disjointgroups"

    def sets(self, layout: Layout) -> Mapping[str, Places]:
        """The groups of cells at the same position of their blocks, by name."""
        groups = zip(*(block.cells for block in layout.blocks), strict=True)
        return {
            f"place {i}": numbered_cells(group, layout.column_count)
            for i, group in enumerate(groups, 1)
        }

    def faults(self, layout: Layout) -> Iterator[str]:
        """No blocks, or blocks of several sizes."""
        if not layout.blocks:
            yield "the board has no blocks"
        if len({len(block.cells) for block in layout.blocks}) > 1:
            yield "the blocks have different numbers of cells"


@rule("extraregion", "no digit twice in the region")
class ExtraRegion(_DistinctSets):
    """An extra region: no digit twice in its cells; with n cells, every digit once."""

    iss = "AllDifferent"
    fpuzzles = "extraregion"
    shades: ClassVar[tuple[str, ...]] = ("grey",)
    cells: Places
    differ = True

    def sets(self, layout: Layout) -> Mapping[str, Places]:
        """One set: the region's cells, named by the rule's label."""
        return {self.label: self.cells}


class _Parity(CellRule):
    """Base class of the rules that cells hold even or odd digits."""

    first: ClassVar[int]
    """The least allowed digit from 1 on."""

    def constraints(self, layout: Layout) -> list[Constraint]:
        """Constraints that forbid digits of the other parity in each cell."""
        digits = [d for d in layout.values if d % 2 == self.first % 2]
        return [c for place in self.cells for c in allowed_digits(self, layout, place, digits)]

    def holds(self, grid: FilledGrid) -> bool:
        """Whether all digits of the cells have the rule's parity."""
        return {digit % 2 for digit in self.digits_in(grid)} == {self.first % 2}


@rule("even", "even digits")
class Even(_Parity):
    """The rule that all of its cells hold even digits."""

    fpuzzles = "even"
    first = 2
    discs = 0.38, "grey", None, "square"


@rule("odd", "odd digits")
class Odd(_Parity):
    """The rule that all of its cells hold odd digits."""

    fpuzzles = "odd"
    first = 1
    discs = 0.38, "grey", None, "circle"


_Candidate: TypeAlias = "tuple[Place, int]"
"""A cell and the value of a digit."""


def _candidate_equivalences(
    rule: Rule, layout: Layout, candidate_pairs: Iterable[tuple[_Candidate, _Candidate]]
) -> list[Constraint]:
    """Constraints that the two candidates (cell, digit) of each pair are both true or both false.

    For candidates a and b: exactly one of a and the other digits of b's cell, and vice versa. A
    candidate whose digit the board does not have is false.
    """
    found: dict[str, Constraint] = {}
    for pair in candidate_pairs:
        for (place, digit), (other, value) in (pair, pair[::-1]):
            label = f"{rule.label} {place} {digit} {other} {value}"
            some = [v for d, v in variable_by_digit(layout, other).items() if d != value]
            if digit in layout.values:
                some.append(layout.key(layout.cell(place), digit))
            found[label] = at_most_one(rule, label, some, exact=True)
    return [*found.values()]


@rule("clone", "each cell and its copy have the same digit")
class Clone(CellRule):
    """A clone: each cell of one list holds the same digit as its copy, a cell of a second list."""

    fpuzzles = "clone"
    shades = "grey", "grey"
    copies: Places

    def faults(self, layout: Layout) -> Iterator[str]:
        """Not as many copies as cells, or a cell that is its own copy."""
        if len(self.cells) != len(self.copies):
            yield f"{len(self.cells)} cells and {len(self.copies)} copies"
        for place, copy in zip(self.cells, self.copies, strict=True):
            if place == copy:
                yield f"{place} is a copy of itself"

    def constraints(self, layout: Layout) -> list[Constraint]:
        """Constraints that a digit is in a cell exactly when it is in the cell's copy."""
        both = zip(self.cells, self.copies, strict=True)
        return _candidate_equivalences(
            self, layout, (((p, d), (copy, d)) for p, copy in both for d in layout.values)
        )

    def holds(self, grid: FilledGrid) -> bool:
        """Whether the digits of cells and copies agree."""
        return self.digits_in(grid) == [grid[place] for place in self.copies]


class _Indexer(CellRule):
    """Base class of indexers: cell p of a line (row, column, block) holds v if cell v holds p."""

    house_family: ClassVar[str]
    """The family of the houses that are the lines."""

    def indexed_cells(self, layout: Layout, place: Place) -> Places:
        """The cells, in order, that the digit in the given cell indexes: those of its house."""
        houses, cell = getattr(layout, f"{self.house_family}s"), layout.cell(place)
        house = next(house for house in houses if cell in house.cells)
        return numbered_cells(house.cells, layout.column_count)

    def faults(self, layout: Layout) -> Iterator[str]:
        """Cells outside the grid, which are in no line, or in no block."""
        if self.house_family == "block":
            yield from self.cells_without_block(layout)
        for place in self.cells:
            if layout.cell(place) >= layout.grid_cell_count:
                yield f"{place} is in no {self.house_family}"

    def constraints(self, layout: Layout) -> list[Constraint]:
        """Constraints that cell p of a row, column or block holds d exactly if cell d holds p."""
        pairs = []
        found: list[Constraint] = []
        for place in self.cells:
            line = self.indexed_cells(layout, place)
            own = line.index(place) + 1
            pairs += [((place, d), (other, own)) for d, other in enumerate(line, 1) if d != own]
            found += allowed_digits(self, layout, place, range(1, len(line) + 1))
        return [*found, *_candidate_equivalences(self, layout, pairs)]

    def holds(self, grid: FilledGrid) -> bool:
        """Whether, for each cell p with digit v of its row, column or block, cell v holds p."""
        for place in self.cells:
            line = self.indexed_cells(grid.layout, place)
            at = grid[place] - 1
            if at < 0 or [grid[other] for other in line[at : at + 1]] != [1 + line.index(place)]:
                return False
        return True


@rule("rowindexer", "if the cell in row R is V, the cell in row V of its column is R")
class RowIndexer(_Indexer):
    """A row indexer: if a cell in row R holds V, the cell in row V of the same column holds R."""

    iss = "Indexing~R"
    fpuzzles = "rowindexer"
    shades = ("green",)
    house_family = "column"


@rule("columnindexer", "if the cell in column C is V, the cell in column V of its row is C")
class ColumnIndexer(_Indexer):
    """A column indexer: if a cell in column C holds V, column V of the same row holds C."""

    iss = "Indexing~C"
    fpuzzles = "columnindexer"
    shades = ("red",)
    house_family = "row"


@rule("boxindexer", "if the cell at position P of its block is V, the cell at position V is P")
class BoxIndexer(_Indexer):
    """A box indexer: if a cell at position P of a block holds V, the block's position V holds P."""

    fpuzzles = "boxindexer"
    shades = ("blue",)
    house_family = "block"


_NOTHING, _AFTER_LEAST, _NEEDS_GREATEST = range(3)


@rule(
    "dutchflatmates",
    "each middle digit (5 of 9) has 1 directly above or the largest directly below",
)
class DutchFlatmates(WordRule):
    """Dutch flatmates: each middle digit (5 of 9) has 1 directly above it or n directly below."""

    start = _NOTHING

    def sequences(self, layout: Layout) -> Mapping[str, Places]:
        """The columns from top to bottom."""
        wide = layout.column_count
        return {f"column {h.index + 1}": numbered_cells(h.cells, wide) for h in layout.columns}

    @staticmethod
    def step(state: int, digit: int, n: int) -> int | None:
        """The next state: 1 was just read, n must follow, or neither; None if n is missing."""
        if state == _NEEDS_GREATEST and digit != n:
            return None
        if 2 * digit in (n, n + 1) and state != _AFTER_LEAST:
            return _NEEDS_GREATEST
        return _AFTER_LEAST if digit == 1 else _NOTHING

    @staticmethod
    def accepts(state: int, n: int) -> bool:
        """Whether the column may end; False if its last digit still needs n below it."""
        return state != _NEEDS_GREATEST

    def parameters(self, layout: Layout) -> tuple[Hashable, ...]:
        """The greatest digit."""
        return (layout.digit_count,)

    def faults(self, layout: Layout) -> Iterator[str]:
        """Digits that do not begin with 1, or fewer than three."""
        if layout.digit_count < 3:
            yield f"{layout.digit_count} digits have no middle one"
        if layout.values[0] != 1:
            yield "expected a board with digits from 1 on"

    def is_satisfied_by(self, digits: Digits, values: range) -> bool:
        """Whether each middle digit has 1 directly before it or n directly behind it."""
        framed, n = [0, *digits, 0], len(values)
        return all(
            digit != -(-n // 2) or above == 1 or below == n
            for above, digit, below in zip(framed, framed[1:], framed[2:], strict=False)
        )


@rule("antitaxicab", "cells with the digit d are never d steps along rows and columns apart")
class AntiTaxicab(Rule):
    """Anti-taxicab: two cells with the digit d are not d steps (up, down, left, right) apart."""

    iss = "AntiTaxicab"

    def meetings(self, layout: Layout) -> Iterator[tuple[int, Place, Place]]:
        """Yield each digit d with every two cells, in no common row or column, d steps apart."""
        for d in layout.values:
            steps = [(i, j * (d - i)) for i in range(1, d) for j in (1, -1)]
            yield from ((d, a, b) for a, b in pairs_at_steps(layout, steps))

    def constraints(self, layout: Layout) -> list[Constraint]:
        """For each two cells d steps apart, the constraint that at most one of them holds d."""
        found: list[Constraint] = []
        for d, a, b in self.meetings(layout):
            ones = (layout.key(layout.cell(place), d) for place in (a, b))
            found.append(at_most_one(self, f"{a} {b} {SYMBOLS[d - 1]}", ones))
        return found

    def faults(self, layout: Layout) -> Iterator[str]:
        """The digit 0, since each cell is 0 steps apart from itself."""
        if layout.values[0] == 0:
            yield "expected a board without the digit 0"

    def holds(self, grid: FilledGrid) -> bool:
        """Whether no two cells that are d steps apart both hold the digit d."""
        return all({grid[a], grid[b]} != {d} for d, a, b in self.meetings(grid.layout))
