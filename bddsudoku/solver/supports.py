"""What stands in some solution: asked of a search, which need not visit them all."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bddsudoku.context import UNLIMITED, Context
from bddsudoku.engine.bitboard import true_candidates as on_ordinary
from bddsudoku.engine.search.engine import SearchEngine
from bddsudoku.puzzle.sudoku.allocation import allocate
from bddsudoku.puzzle.sudoku.grid import Puzzle


def true_candidates(puzzle: Puzzle, context: Context = UNLIMITED) -> NDArray[np.bool_]:
    """Which digits stand in which cells in some solution.

    Args:
        puzzle: of any layout, with any rules.

    Returns:
        bool, (n, n, n): [row, column, digit - 1]; all False without a solution.

    Raises:
        LimitReached: the time was used up.

    Cost: a search for each candidate that no solution found before holds: milliseconds for a
    puzzle with few solutions, and for most with many.
    """
    n = puzzle.n
    if puzzle.is_ordinary:
        masks = on_ordinary(np.array([puzzle.masks], dtype=np.uint16), context=context)[0]
        bits = masks[:, None] >> np.arange(n, dtype=np.uint16) & 1
        allowed: NDArray[np.bool_] = bits.astype(np.bool_)
        return allowed.reshape(n, n, n)
    model = allocate(puzzle)
    held = np.zeros(n**3, dtype=np.bool_)
    held[SearchEngine().supports(model, context)] = True
    return held.reshape(n, n, n)
