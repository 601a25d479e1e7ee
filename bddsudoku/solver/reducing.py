"""What makers of puzzles ask of boards: which hints can go, full grids at random, a second voice.

Ordinary boards are worked on by the thousand, on bit boards; all others one by one.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from bddsudoku.engine.dlx import Base
from bddsudoku.engine.protocol import Engine, Lists
from bddsudoku.engine.quick.removing import NONE, reduced, removable
from bddsudoku.engine.registry import engines_for, searcher_for
from bddsudoku.errors import LimitReached
from bddsudoku.limits import Limits
from bddsudoku.model.model import Model
from bddsudoku.puzzle.sudoku.grid import Layout, Puzzle
from bddsudoku.solver.question import question_of

__all__ = ["NONE", "first_at_random", "reduced", "removable", "second_count", "second_counts"]

SECONDS = 30.0
"""For any one engine that is asked as the second voice."""


def first_at_random(puzzle: Puzzle, seed: int, limits: Limits) -> Puzzle | None:
    """The first solution that a search in shuffled order meets; None if there is none.

    Not every solution is equally likely.

    Raises:
        LimitReached: the time is used up.
    """
    from bddsudoku.puzzle.sudoku.decode import SudokuDecoder

    model = question_of(puzzle).model
    found = searcher_for(model).solutions(model, limits, limit=1, seed=seed)
    keys = next(iter(found), None)
    return None if keys is None else SudokuDecoder(puzzle).decode(keys.tolist())


@lru_cache(maxsize=1)
def _empty_board() -> Base:
    """The ordinary board for dancing links, which share nothing with bit boards."""
    return Base(question_of(Puzzle([0] * 81, Layout())).model)


def second_counts(boards: NDArray[np.uint8], limit: int, limits: Limits) -> list[int]:
    """Solutions of ordinary boards by dancing links, no further than a limit: 0.3 ms each.

    Args:
        boards: (n, 81), 0 where open.
        limit: of each.
        limits: the time.

    Raises:
        LimitReached: the time is used up.
    """
    counts = []
    for board in boards:
        cells = np.flatnonzero(board)
        keys = (9 * cells + board[cells] - 1).tolist()
        counts.append(_empty_board().count(keys, limit=limit, limits=limits).count)
        limits.check()
    return counts


def second_count(
    puzzle: Puzzle, first: str, limit: int, limits: Limits
) -> tuple[str | None, int | None]:
    """Solutions of a puzzle, no further than a limit, by an engine that has not spoken yet.

    Args:
        puzzle: of any board and rules.
        first: name of the engine that has.
        limit: of the count.
        limits: the time; no engine gets more than :data:`SECONDS` of it.

    Returns:
        The engine's name and its count; None and None if there is none that ends in time.

    Raises:
        LimitReached: the time is used up.
    """
    model = question_of(puzzle).model
    for engine in engines_for(model, Engine):
        if engine.name == first:
            continue
        try:
            return engine.name, _count(engine, model, limit, limits.within(SECONDS))
        except LimitReached:
            limits.check("while a second engine counted")
    return None, None


def _count(engine: Engine, model: Model, limit: int, limits: Limits) -> int:
    if isinstance(engine, Lists):
        return sum(1 for _ in engine.solutions(model, limits, limit=limit))
    return min(limit, engine.count(model, limits))
