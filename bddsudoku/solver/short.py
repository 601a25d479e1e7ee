"""A short search of boards of any size: one layout's model is prepared once for all its puzzles."""

from __future__ import annotations

from functools import lru_cache

from bddsudoku.context import UNLIMITED, Context
from bddsudoku.engine.dlx import engine as dlx
from bddsudoku.puzzle.sudoku.allocation import families_of, full_model
from bddsudoku.puzzle.sudoku.grid import Puzzle
from bddsudoku.puzzle.sudoku.layout import Layout


@lru_cache(maxsize=8)
def _base(layout: Layout) -> dlx.Base:
    return dlx.Base(full_model(layout, families_of(layout)))


def short_count(
    puzzle: Puzzle, limit: int | None = None, context: Context = UNLIMITED
) -> int | None:
    """The number of solutions, no further than a limit, if a short search settles that.

    Boards with rules are left to searches that know more than covers.

    Raises:
        LimitReached: the time is used up.
    """
    if puzzle.rules:
        return None
    n = puzzle.n
    given = [n * cell + digit - 1 for cell, digit in puzzle.hints.items()]
    struck = [
        n * cell + d
        for cell, mask in enumerate(puzzle.candidates or ())
        if not puzzle.cells[cell]
        for d in range(n)
        if not mask >> d & 1
    ]
    base = _base(puzzle.layout)
    found = base.count(
        given, struck, limit=limit, node_limit=dlx.TRIAL_NODES, context=context.silent
    )
    if found.exact or (limit is not None and found.count >= limit):
        return found.count if limit is None else min(found.count, limit)
    if context is not None:
        context.check()
    return None
