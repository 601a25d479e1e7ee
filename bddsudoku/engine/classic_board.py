"""The classic 9×9 board, recognised by its constraints; ``singles``, an engine for easy puzzles.

A model is of that board when the model before hints consists of exactly its 81 cells and 27 houses
of nine digits: looking at the size of the blocks would take a board with diagonals for it.

The engine ``singles`` counts what unit propagation alone decides; it is tried before all others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np

from bddsudoku.context import Context
from bddsudoku.engine.protocol import Engine, ProbeResult
from bddsudoku.model.allocation import unit_propagate
from bddsudoku.model.constraints import OneHot
from bddsudoku.model.model import Model

if TYPE_CHECKING:
    from bddsudoku.jit.decorators import U16

_N = 9
_LINES = np.arange(81).reshape(9, 9)
HOUSES = np.concatenate(
    [_LINES, _LINES.T, _LINES.reshape(3, 3, 3, 3).transpose(0, 2, 1, 3).reshape(9, 9)]
)
"""The 27 houses as cell numbers: rows, columns, blocks."""
_CELL_HOUSES = (HOUSES[:, :, None] == np.arange(81)).any(axis=1)
PEERS = np.array([np.setdiff1d(HOUSES[_CELL_HOUSES[:, cell]], [cell]) for cell in range(81)])
"""The 20 cells that share a house with each cell."""
_ITEMS = frozenset(
    [tuple(range(c * _N, c * _N + _N)) for c in range(_N * _N)]
    + [tuple(c * _N + d for c in house) for house in HOUSES.tolist() for d in range(_N)]
)
"""The exactly-one constraints of the empty board: variables ``9 * cell + digit - 1``."""


def why_not_classic(model: Model) -> str | None:
    """Why a model is not the classic board; None if it is."""
    return model.original.cached(_why_not_classic)


def _why_not_classic(board: Model) -> str | None:
    if board.fixed or [v.key for v in board.variables] != list(range(_N**3)):
        return "this is not the classic 9x9 board"
    wanted = set(_ITEMS)
    # Rules follow the houses: the first of them refuses a board at once.
    houses, rules = board.constraints[: len(_ITEMS)], board.constraints[len(_ITEMS) :]
    for c in (*rules, *houses):
        if not isinstance(c, OneHot) or c.variables not in wanted or c.total != 1 or c.at_most:
            return f"{c.family} {c.label} is no rule of the classic 9x9 board"
        wanted.remove(c.variables)
    return "the classic 9x9 board has more rules than this one" if wanted else None


def candidate_masks(model: Model) -> U16:
    """Candidate masks of the 81 cells, from a model's variables and fixed variables.

    Bit ``d - 1`` is set when digit d is possible; all are 0 when the model contradicts itself.
    """
    masks = np.zeros(_N * _N, dtype=np.uint16)
    if not model.is_contradictory:
        for v in model.variables:
            masks[v.key // _N] |= 1 << v.key % _N
        # What is said to be true may leave variables beside it that no longer can be.
        fixed_masks = np.full(_N * _N, 0x1FF, dtype=np.uint16)
        for v in model.fixed:
            masks[v.key // _N] |= 1 << v.key % _N
            fixed_masks[v.key // _N] &= 1 << v.key % _N
        masks &= fixed_masks
    return masks


class SinglesEngine(Engine):
    """The engine ``singles``, for models that naked and hidden singles decide completely."""

    name: ClassVar[str] = "singles"
    in_portfolio: ClassVar[bool] = False

    def refuses(self, model: Model) -> str | None:
        """Refuse models that naked and hidden singles do not decide completely."""
        settled = unit_propagate(model)
        if settled.is_contradictory or not settled.variables:
            return None
        return "singles alone do not settle this puzzle; another engine must count it"

    def count(self, model: Model, context: Context) -> int:
        """The number of solutions, 0 or 1."""
        return 0 if unit_propagate(model).is_contradictory else 1

    def probe(self, model: Model, context: Context) -> ProbeResult | None:
        """Count the solutions, 0 or 1, if naked and hidden singles decide the model; else None."""
        settled = unit_propagate(model)
        if settled.is_contradictory:
            return ProbeResult(0, "singles run into a contradiction")
        if not settled.variables:
            return ProbeResult(1, "singles settle every cell")
        return None

    def warm_up(self) -> None:
        """Do nothing, as nothing is compiled."""
