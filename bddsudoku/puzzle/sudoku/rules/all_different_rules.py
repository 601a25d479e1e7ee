"""Rules about sets of cells that contain no digit twice: diagonals, inner blocks, regions."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping
from typing import ClassVar

from bddsudoku.model.constraints import Constraint
from bddsudoku.puzzle.sudoku.layout import Layout
from bddsudoku.puzzle.sudoku.rules.places_and_marks import Mark, Place, Places, Shade, Stroke
from bddsudoku.puzzle.sudoku.rules.rule import FilledGrid, Rule, rule
from bddsudoku.puzzle.sudoku.rules.rule_constraints import all_different


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

    def marks(self, layout: Layout) -> Iterable[Mark]:
        """A background shade for the cells of each set."""
        return map(Shade, self.sets(layout).values())


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

    def check(self, layout: Layout) -> None:
        """Check that there are as many rows as columns."""
        if layout.row_count != layout.column_count:
            raise self.error(f"the diagonals of {layout} do not end in its corners")

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

    def check(self, layout: Layout) -> None:
        """Check that the board's rectangular blocks have at least two rows and two columns."""
        if min(layout.box_rows, layout.box_columns) < 2:
            size = f"{layout.row_count}x{layout.column_count}"
            raise self.error(f"a {size} board has no usual blocks")


@rule("disjointgroups", "every digit once among the cells at the same position in their blocks")
class DisjointGroups(_DistinctSets):
    """Every digit once among the cells at the same position of their blocks; not drawn."""

    iss = "DisjointSets"
    fpuzzles = "disjointgroups"
    marks = Rule.marks

    def sets(self, layout: Layout) -> Mapping[str, Places]:
        """The groups of cells at the same position of their blocks, by name."""
        groups = zip(*(block.cells for block in layout.blocks), strict=True)
        return {
            f"place {i}": tuple(Place(*divmod(cell, layout.column_count)) for cell in group)
            for i, group in enumerate(groups, 1)
        }

    def check(self, layout: Layout) -> None:
        """Check that the board has blocks."""
        if not layout.blocks:
            raise self.error("the board has no blocks")
        if len({len(block.cells) for block in layout.blocks}) > 1:
            raise self.error("the blocks have different numbers of cells")


@rule("extraregion", "no digit twice in the region")
class ExtraRegion(_DistinctSets):
    """An extra region: no digit twice in its cells; with n cells, every digit once."""

    iss = "AllDifferent"
    fpuzzles = "extraregion"
    cells: Places
    differ = True

    def sets(self, layout: Layout) -> Mapping[str, Places]:
        """One set: the region's cells, named by the rule's label."""
        return {self.label: self.cells}
