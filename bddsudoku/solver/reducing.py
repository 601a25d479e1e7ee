"""What makers of puzzles ask of boards: which hints can go, full grids at random, a second voice.

Ordinary boards are worked on by the thousand, on bit boards; all others one by one.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from bddsudoku.context import Context
from bddsudoku.engine.dlx.engine import Base
from bddsudoku.engine.protocol import Engine, Lists, searcher_for
from bddsudoku.engine.protocol import engine as engine_of
from bddsudoku.errors import LimitReached
from bddsudoku.model.model import Model
from bddsudoku.puzzle.sudoku.decode import SudokuDecoder
from bddsudoku.puzzle.sudoku.grid import Puzzle
from bddsudoku.puzzle.sudoku.layout import Layout
from bddsudoku.solver.question import question_of

MEMORY = 512 << 20
"""Bytes for a diagram that is asked as the second voice."""
NODES = 1_000_000
"""Nodes for a search that is."""
SECOND = ("dlx", "search", "frontier", "backtrack")
"""Who is asked, in this order; none shares code with another."""


def first_at_random(
    puzzle: Puzzle, seed: int, nodes: int, context: Context
) -> tuple[Puzzle | None, bool]:
    """The first solution that a search in shuffled order meets, unless it takes too many nodes.

    Not every solution is equally likely.

    Returns:
        The solution, if one was found, and whether the search was over: there is none if not.

    Raises:
        LimitReached: the time is used up.
    """
    model = question_of(puzzle).model
    found = searcher_for(model).solutions(model, context, limit=1, node_limit=nodes, seed=seed)
    try:
        keys = next(iter(found), None)
    except LimitReached as stop:
        if stop.limit != "nodes":
            raise
        return None, False
    return (None if keys is None else SudokuDecoder(puzzle).decode(keys.tolist())), True


@lru_cache(maxsize=1)
def _empty_board() -> Base:
    """The ordinary board for dancing links, which share nothing with bit boards."""
    return Base(question_of(Puzzle([0] * 81, Layout())).model)


def second_counts(boards: NDArray[np.uint8], limit: int, context: Context) -> list[int]:
    """Solutions of ordinary boards by dancing links, no further than a limit: 0.3 ms each.

    Args:
        boards: (n, 81), 0 where open.
        limit: of each.

    Raises:
        LimitReached: the time is used up.
    """
    counts = []
    for board in boards:
        cells = np.flatnonzero(board)
        keys = (9 * cells + board[cells] - 1).tolist()
        counts.append(_empty_board().count(keys, limit=limit, context=context.silent).count)
        context.check()
    return counts


def search_count(
    puzzle: Puzzle, limit: int, nodes: int, context: Context
) -> tuple[int | None, str]:
    """Solutions of a puzzle, no further than a limit, by the search that suits it.

    Returns:
        The number, None where so many nodes were too few; and the engine's name.

    Raises:
        LimitReached: the time is used up.
    """
    model = question_of(puzzle).model
    searcher = searcher_for(model)
    return _count(searcher, model, limit, nodes, context), searcher.name


def second_count(
    puzzle: Puzzle, first: str, limit: int, context: Context
) -> tuple[str | None, int | None]:
    """Solutions of a puzzle, no further than a limit, by an engine that has not spoken yet.

    Engines are asked one after the other, those with diagrams within :data:`MEMORY`, those that
    search within :data:`NODES`: who answers does not depend on the machine.

    Args:
        puzzle: of any board and rules.
        first: name of the engine that has.
        limit: of the count.

    Returns:
        The engine's name and its count; None and None if all give up.

    Raises:
        LimitReached: the time is used up.
    """
    model = question_of(puzzle).model
    for name in SECOND:
        engine = engine_of(name)
        if name != first and engine.refuses(model) is None:
            number = _count(engine, model, limit, NODES, context)
            if number is not None:
                return name, number
    return None, None


def _count(engine: Engine, model: Model, limit: int, nodes: int, context: Context) -> int | None:
    memory = MEMORY if context.memory is None else min(MEMORY, context.memory)
    try:
        if isinstance(engine, Lists):
            found = engine.solutions(model, context, limit=limit, node_limit=nodes)
            return sum(1 for _ in found)
        return min(limit, engine.count(model, replace(context, memory=memory).silent))
    except LimitReached:
        context.check("while solutions were counted")
        return None
