"""What a Sudoku tells engines about its model: what it is, and the orders that suit a board."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import ClassVar

from bddsudoku.model.model import Model
from bddsudoku.model.ordering import Definition, Order, Orders, Origin, Schedule, schedule
from bddsudoku.puzzle.sudoku.grid import Puzzle
from bddsudoku.puzzle.sudoku.layout import Layout
from bddsudoku.puzzle.sudoku.orders import hinted_first, parse_order, propose_orders, variants_of
from bddsudoku.puzzle.sudoku.procedures import FAMILIES, schedule_for
from bddsudoku.puzzle.sudoku.rules.rule import Rule


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
        return propose_orders(self.layout, model)

    def order_variants(self, model: Model, name: str) -> Orders:
        """The other ways to walk through the same lines."""
        return variants_of(name, self.layout, model)

    def count_orders(self, model: Model, marked: Sequence[int]) -> Orders:
        """Rows and columns, those of many marked cells first."""
        return hinted_first(self.layout, model, {key // self.layout.n for key in marked})

    def item_order(self, model: Model, name: str) -> Sequence[int]:
        """The order behind a name (:mod:`bddsudoku.puzzle.sudoku.orders`)."""
        return parse_order(name, self.layout, model)

    def schedule(
        self, model: Model, order: int | str | Order | Sequence[int] | Schedule | None = None
    ) -> Schedule:
        """A procedure of the paper by its number, or any other schedule.

        Usually procedure 3; where a family that it speaks of is missing, the model's own order.
        """
        if order is None:
            order = 3 if {*FAMILIES} <= {*self.families} else schedule(model)
        return schedule_for(self.layout, model, order)


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
