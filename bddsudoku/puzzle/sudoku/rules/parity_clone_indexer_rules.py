"""Rules about the digits of marked cells: parity, clones, indexers."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from typing import ClassVar, TypeAlias

from bddsudoku.model.constraints import Constraint
from bddsudoku.puzzle.sudoku.layout import Layout
from bddsudoku.puzzle.sudoku.rules.places_and_marks import (
    Disc,
    Mark,
    Place,
    Places,
    centre_point,
)
from bddsudoku.puzzle.sudoku.rules.rule import CellRule, FilledGrid, Rule, rule
from bddsudoku.puzzle.sudoku.rules.rule_constraints import (
    allowed_digits,
    at_most_one,
    cell_variables,
)


class _Parity(CellRule):
    """Base class of the rules that cells hold even or odd digits."""

    first: ClassVar[int]
    """The least allowed digit from 1 on."""
    shape: ClassVar[str]
    """The shape drawn behind a cell."""

    def constraints(self, layout: Layout) -> list[Constraint]:
        """Constraints that forbid digits of the other parity in each cell."""
        digits = [d for d in layout.values if d % 2 == self.first % 2]
        return [c for place in self.cells for c in allowed_digits(self, layout, place, digits)]

    def holds(self, grid: FilledGrid) -> bool:
        """Whether all digits of the cells have the rule's parity."""
        return {digit % 2 for digit in self.digits_in(grid)} == {self.first % 2}

    def marks(self, layout: Layout) -> Iterable[Mark]:
        """A grey square or disc in each cell."""
        return (Disc(centre_point(place), 0.38, "grey", None, self.shape) for place in self.cells)


@rule("even", "even digits")
class Even(_Parity):
    """The rule that all of its cells hold even digits."""

    fpuzzles = "even"
    first = 2
    shape = "square"


@rule("odd", "odd digits")
class Odd(_Parity):
    """The rule that all of its cells hold odd digits."""

    fpuzzles = "odd"
    first = 1
    shape = "circle"


_Candidate: TypeAlias = "tuple[Place, int]"
"""A cell and the value of a digit."""


def _candidate_equivalences(
    rule: Rule, layout: Layout, candidate_pairs: Iterable[tuple[_Candidate, _Candidate]]
) -> list[Constraint]:
    """Constraints that the two candidates (cell, digit) of each pair are both true or both false.

    For candidates a and b: exactly one of a and the other digits of b's cell, and vice versa. A
    candidate whose digit the board does not have is false."""
    found: dict[str, Constraint] = {}
    values = layout.values
    for pair in candidate_pairs:
        for (place, digit), (other, value) in (pair, pair[::-1]):
            label = f"{rule.label} {place} {digit} {other} {value}"
            both = zip(values, cell_variables(layout, other), strict=True)
            some = [v for d, v in both if d != value]
            if digit in values:
                some.append(cell_variables(layout, place)[digit - values.start])
            found[label] = at_most_one(rule, label, some, exact=True)
    return [*found.values()]


@rule("clone", "each cell and its copy have the same digit")
class Clone(CellRule):
    """A clone: each cell of one list holds the same digit as its copy, a cell of a second list."""

    fpuzzles = "clone"
    shades = "grey", "grey"
    copies: Places

    def check(self, layout: Layout) -> None:
        """Check that there are as many copies as cells and no cell is its own copy."""
        super().check(layout)
        if len(self.cells) != len(self.copies):
            raise self.error(f"{len(self.cells)} cells and {len(self.copies)} copies")
        for place, copy in zip(self.cells, self.copies, strict=True):
            if place == copy:
                raise self.error(f"{place} is a copy of itself")

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

    @abstractmethod
    def indexed_cells(self, layout: Layout, place: Place) -> Places:
        """The cells, in order, that the digit in the given cell indexes."""

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

    def indexed_cells(self, layout: Layout, place: Place) -> Places:
        """The cells of the given cell's column, from top to bottom."""
        return tuple(Place(row, place.column) for row in range(layout.row_count))


@rule("columnindexer", "if the cell in column C is V, the cell in column V of its row is C")
class ColumnIndexer(_Indexer):
    """A column indexer: if a cell in column C holds V, column V of the same row holds C."""

    iss = "Indexing~C"
    fpuzzles = "columnindexer"
    shades = ("red",)

    def indexed_cells(self, layout: Layout, place: Place) -> Places:
        """The cells of the given cell's row, from left to right."""
        return tuple(Place(place.row, column) for column in range(layout.column_count))


@rule("boxindexer", "if the cell at position P of its block is V, the cell at position V is P")
class BoxIndexer(_Indexer):
    """A box indexer: if a cell at position P of a block holds V, the block's position V holds P."""

    fpuzzles = "boxindexer"
    shades = ("blue",)

    def indexed_cells(self, layout: Layout, place: Place) -> Places:
        """The cells of the given cell's block, in reading order."""
        block = layout.blocks[layout.block_index(layout.cell(place))]
        return tuple(Place(*divmod(cell, layout.column_count)) for cell in block.cells)

    def check(self, layout: Layout) -> None:
        """Check that the cells lie in blocks."""
        super().check(layout)
        self.check_cells_in_blocks(layout)
