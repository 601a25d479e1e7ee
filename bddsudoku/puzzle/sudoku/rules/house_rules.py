"""Rules that make sets of cells hold every digit, or no digit twice."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping
from typing import ClassVar

from bddsudoku.model.constraints import Constraint
from bddsudoku.puzzle.sudoku.layout import Layout
from bddsudoku.puzzle.sudoku.rules.places import Mark, Place, Places, Shade, Stroke
from bddsudoku.puzzle.sudoku.rules.rule import FilledGrid, Rule, rule
from bddsudoku.puzzle.sudoku.rules.rule_constraints import all_different


class _Sets(Rule):
    """Some sets of cells in which no digit stands twice."""

    @abstractmethod
    def sets(self, layout: Layout) -> Mapping[str, Places]:
        """The sets by name."""

    def constraints(self, layout: Layout) -> list[Constraint]:
        """Each digit at most once in each set; exactly once where a set has n cells."""
        return [
            c
            for name, places in self.sets(layout).items()
            for c in all_different(self, layout, places, name)
        ]

    def marks(self, layout: Layout) -> Iterable[Mark]:
        """The cells shaded."""
        return map(Shade, self.sets(layout).values())


class _Diagonals(_Sets):
    """Diagonals of the board, by where they lead."""

    ways: ClassVar[tuple[str, ...]]

    def sets(self, layout: Layout) -> Mapping[str, Places]:
        """One or two."""
        n = layout.n
        lines = {
            "down": tuple(Place(i, i) for i in range(n)),
            "up": tuple(Place(i, n - 1 - i) for i in range(n)),
        }
        return {direction_step: lines[direction_step] for direction_step in self.ways}

    def holds(self, grid: FilledGrid) -> bool:
        """No digit twice on any."""
        n = grid.n
        found = {
            "down": {grid[i, i] for i in range(n)},
            "up": {grid[i, n - 1 - i] for i in range(n)},
        }
        return all(len(found[direction_step]) == n for direction_step in self.ways)

    def marks(self, layout: Layout) -> Iterable[Mark]:
        """Lines."""
        n = layout.n
        ends = {"down": ((0, 0), (n, n)), "up": ((0, n), (n, 0))}
        return (Stroke(ends[direction_step], "blue", 0.06) for direction_step in self.ways)


@rule("diagonal", "every digit once on the diagonal from top left to bottom right")
class Diagonal(_Diagonals):
    """Every digit once on the diagonal from the first to the last cell."""

    ways = ("down",)


@rule("antidiagonal", "every digit once on the diagonal from bottom left to top right")
class Antidiagonal(_Diagonals):
    """Every digit once on the other diagonal."""

    ways = ("up",)


@rule("diagonals", "every digit once on each of the two diagonals")
class Diagonals(_Diagonals):
    """Every digit once on both diagonals (Sudoku X)."""

    ways = ("down", "up")


@rule("windoku", "every digit once in each of the inner blocks, one cell from the border")
class Windoku(_Sets):
    """Every digit once in each inner block (Windoku, Hyper Sudoku)."""

    def sets(self, layout: Layout) -> Mapping[str, Places]:
        """As many as fit when each is one row and column away from the border and the next."""
        deep, wide, n = layout.box_rows, layout.box_columns, layout.n
        return {
            f"r{top + 1}c{left + 1}": tuple(
                Place(top + r, left + c) for r in range(deep) for c in range(wide)
            )
            for top in range(1, n - deep, deep + 1)
            for left in range(1, n - wide, wide + 1)
        }

    def check(self, layout: Layout) -> None:
        """On boards that have usual blocks."""
        if min(layout.box_rows, layout.box_columns) < 2:
            raise self.error(f"a {layout.n}x{layout.n} board has no usual blocks")

    def holds(self, grid: FilledGrid) -> bool:
        """No digit twice in any."""
        deep, wide, n = grid.layout.box_rows, grid.layout.box_columns, grid.n
        return all(
            len({grid[r + i // wide, c + i % wide] for i in range(n)}) == n
            for r in range(1, n - deep, deep + 1)
            for c in range(1, n - wide, wide + 1)
        )


@rule("disjointgroups", "every digit once among the cells at the same place of their blocks")
class DisjointGroups(_Sets):
    """Every digit once among the cells at the same place of their blocks; only words say it."""

    marks = Rule.marks

    def sets(self, layout: Layout) -> Mapping[str, Places]:
        """n, by place within the block."""
        groups = zip(*(block.cells for block in layout.blocks), strict=True)
        return {
            f"place {i}": tuple(Place(*divmod(cell, layout.n)) for cell in group)
            for i, group in enumerate(groups, 1)
        }

    def check(self, layout: Layout) -> None:
        """On boards that have blocks."""
        if not layout.blocks:
            raise self.error("the board has no blocks")

    def holds(self, grid: FilledGrid) -> bool:
        """No digit twice at the first place of all blocks, the second, ...."""
        n = grid.n
        blocks = [[grid[divmod(cell, n)] for cell in b.cells] for b in grid.layout.blocks]
        return all(len({*group}) == len(group) for group in zip(*blocks, strict=True))


@rule("extraregion", "no digit twice in the region")
class ExtraRegion(_Sets):
    """No digit twice in some cells; every digit once where they are n."""

    cells: Places

    def sets(self, layout: Layout) -> Mapping[str, Places]:
        """One."""
        return {self.label: self.cells}

    def check(self, layout: Layout) -> None:
        """At most n cells."""
        self.check_fields(layout, 1, layout.n)

    def holds(self, grid: FilledGrid) -> bool:
        """No digit twice."""
        return len({grid[place] for place in self.cells}) == len(self.cells)
