"""What a Sudoku tells engines about its model: item orders and schedules that suit a board."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bddsudoku.model.model import Model
from bddsudoku.model.origin import Orders
from bddsudoku.model.schedule import Order, Schedule
from bddsudoku.puzzle.sudoku.grid import Layout
from bddsudoku.puzzle.sudoku.orders import parse_order, propose_orders, variants_of
from bddsudoku.puzzle.sudoku.procedures import schedule_for

__all__ = ["SudokuOrigin"]


@dataclass(frozen=True, slots=True)
class SudokuOrigin:
    """The advice of a board (see :class:`bddsudoku.model.origin.Origin`).

    Attributes:
        layout: the board.
    """

    layout: Layout

    def item_orders(self, model: Model) -> Orders:
        """Rows and columns under the permutations of bands, and a few more."""
        return propose_orders(self.layout, model)

    def order_variants(self, model: Model, name: str) -> Orders:
        """The other ways to walk through the same lines."""
        return variants_of(name, self.layout, model)

    def item_order(self, model: Model, name: str) -> Sequence[int]:
        """The order behind a name (:mod:`bddsudoku.puzzle.sudoku.orders`)."""
        return parse_order(name, self.layout, model)

    def schedule(
        self, model: Model, order: int | str | Order | Sequence[int] | Schedule | None = None
    ) -> Schedule:
        """A procedure of the paper by its number, or any other schedule; usually procedure 3."""
        return schedule_for(self.layout, model, 3 if order is None else order)
