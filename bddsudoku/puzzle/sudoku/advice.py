"""What a Sudoku tells engines about its model: what it is, and the orders that suit a board.

The conjunction schedules are the procedures (手順1–3) of Tateishi & Minato, section 4.1. How
procedure 3 is read here: "the variables enter the formulas from the bottom of the order, ii9
… aa1" fixes the direction of cells, rows *and* blocks within their band, and "three rows, three
blocks, three times" makes a band a stage, the lowest first; the columns come last, from a to i.
On the puzzle of Figure 1 this reading peaks at 9,784 nodes (blocks from the first to the last
would peak at 7,824).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import ClassVar

from bddsudoku.errors import ScheduleError
from bddsudoku.model.constraints import Constraint
from bddsudoku.model.model import Definition, Model, Orders, Origin, StageFunction
from bddsudoku.puzzle.sudoku.grid import Puzzle
from bddsudoku.puzzle.sudoku.layout import Layout
from bddsudoku.puzzle.sudoku.orders import (
    cell_order,
    item_order,
    names_by_hints,
    names_like,
    proposed_names,
)
from bddsudoku.puzzle.sudoku.rules.rule import Rule

FAMILIES = ("cell", "row", "column", "block")
"""The families of constraints, in the paper's order (1) to (4)."""

PROCEDURES = {
    1: "cell>row>column>block",
    2: "cell>row>block>column",
    3: "staged:cell>row>block:bottom-up; column",
}
"""The paper's procedures in the text form of :mod:`bddsudoku.model.ordering`."""


@dataclass(frozen=True)
class SudokuOrigin(Origin):
    """A board or a puzzle on it.

    Attributes:
        layout: the board.
        families: of constraints that the model has; ``cell`` and those of houses.
        rules: what is demanded besides.
        puzzle: the hints; None on the empty board.
    """

    layout: Layout
    families: Sequence[str]
    rules: tuple[Rule, ...] = ()
    puzzle: Puzzle | None = None

    settles: ClassVar[bool] = True

    def definition(self) -> Definition | None:
        """Each cell takes a digit, and each digit stands at most once in a house."""
        if "cell" not in self.families:
            return None
        board, n, puzzle = _board(self.layout, tuple(self.families)), self.layout.n, self.puzzle
        if self.rules:
            meant = tuple(rule.beside(self.rules) for rule in self.rules)
            board = replace(board, holds=_Obeys(self.layout, meant))
        if puzzle is None:
            return board
        given, uses = tuple(cell * n + d - 1 for cell, d in puzzle.hints.items()), board.uses
        if (masks := puzzle.candidates) is not None:
            uses = {key: used for key, used in uses.items() if masks[key // n] >> key % n & 1}
        return replace(board, uses=uses, given=given)

    def item_orders(self, model: Model) -> Orders:
        """Rows and columns under the permutations of bands, and a few more."""
        return self._named(model, proposed_names(self.layout, model))

    def order_variants(self, model: Model, name: str) -> Orders:
        """The other ways to walk through the same lines."""
        return self._named(model, names_like(name, self.layout))

    def count_orders(self, model: Model, marked: Sequence[int]) -> Orders:
        """Rows and columns, those of many marked cells first."""
        cells = {key // self.layout.n for key in marked}
        return self._named(model, names_by_hints(self.layout, cells))

    def item_order(self, model: Model, name: str) -> Sequence[int]:
        """The order behind a name (:mod:`bddsudoku.puzzle.sudoku.orders`)."""
        return item_order(cell_order(name, self.layout, model), self.layout, model)

    def _named(self, model: Model, names: Iterable[str]) -> Orders:
        return {name: self.item_order(model, name) for name in names}

    @property
    def usual_procedure(self) -> int | None:
        """The paper's third; where a family that it speaks of is missing, the model's own order."""
        return 3 if {*FAMILIES} <= {*self.families} else None

    def procedure(self, model: Model, number: int) -> str:
        """Procedure 1, 2 or 3 of the paper."""
        if number not in PROCEDURES:
            raise ScheduleError(f"the paper has procedures 1, 2 and 3, not {number!r}")
        # What the paper does not know comes last.
        more = any(family not in FAMILIES for family in model.families)
        text = PROCEDURES[number] + "; *" * more
        return text if self.layout.blocks else text.replace(">block", "")

    def stages(self, model: Model) -> StageFunction:
        """The band of a constraint, None for one that spans several.

        An irregular block is of the highest band that it reaches, to which stages come last.
        """
        full = model.original
        cells_of_band = self.layout.box_rows * self.layout.n
        bands = {
            (c.family, c.label): {
                full.variables[v].key // self.layout.n // cells_of_band for v in c.variables
            }
            for c in full.constraints
        }

        def band(constraint: Constraint) -> int | None:
            here = bands.get((constraint.family, constraint.label), set())
            if constraint.family == "block":
                return min(here, default=None)
            return next(iter(here)) if len(here) == 1 else None

        return band


@dataclass(frozen=True)
class _Obeys:
    """Whether a filled board obeys rules, each by its own plain definition.

    Attributes:
        layout: the board.
        rules: as they are meant beside each other.
    """

    layout: Layout
    rules: tuple[Rule, ...]

    def __call__(self, keys: Sequence[int]) -> bool:
        cells = [0] * self.layout.cell_count
        for key in keys:
            cell, digit = divmod(key, self.layout.n)
            cells[cell] = digit + 1
        grid = Puzzle.trusted(tuple(cells), self.layout)
        return all(rule.holds(grid) for rule in self.rules)


@lru_cache(maxsize=32)
def _board(layout: Layout, families: tuple[str, ...]) -> Definition:
    """The empty board: cells in reading order, digits ascending, as the textbook program goes."""
    n = layout.n
    return Definition(
        tuple(("cell", cell) for cell in range(layout.cell_count)),
        {
            cell * n + d: (
                *((h.family, h.index, d) for h in layout.houses_of[cell] if h.family in families),
                ("cell", cell),
            )
            for cell in range(layout.cell_count)
            for d in range(n)
        },
    )
