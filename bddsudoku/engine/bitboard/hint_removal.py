"""Removing hints from boards with known solutions while the number of solutions stays bounded.

All boards take a step at the same time, each in its own order, and the boards of a step are counted
as one list. Whether a hint alone can go is a search for a solution with another digit in its cell.
"""

from __future__ import annotations

import numpy as np

from bddsudoku.context import UNLIMITED, Context
from bddsudoku.engine.bitboard.engine import count_many
from bddsudoku.engine.bitboard.propagation import CELLS
from bddsudoku.jit.decorators import I16, I64, U8, Flags
from bddsudoku.sets.decoder import masks_of_boards


def remove_hints(
    grids: U8,
    orders: I16,
    units: list[list[int]],
    *,
    required: int = 0,
    max_solutions: int = 1,
    min_hints: I64 | int = 0,
    jobs: int | None = None,
    context: Context = UNLIMITED,
) -> tuple[U8, I64]:
    """Remove hints, one group at a time, while each board has at most `max_solutions` solutions.

    What cannot go at its turn could not go later: with fewer hints there are no fewer solutions.
    So each is tried once, and no unit of what is left can go, unless ``min_hints`` forbade it. That
    is 60 to 80 searches a grid for single cells: some 0.3 ms.

    Args:
        grids: full grids, (n, 81), uint8; not changed.
        orders: numbers of units in the order in which they are tried, (n, m).
        units: cells that go together.
        required: the first so many of an order have to go; a board where one cannot is given up.
        max_solutions: greatest number of solutions of a board.
        min_hints: hints that stay at least, for each or for all.
        jobs: threads; by default as many as there are cores.

    Returns:
        The boards, and their numbers of solutions (0: given up).

    Raises:
        LimitReached: the time is used up.
    """
    boards = grids.copy()
    counts = np.ones(len(boards), dtype=np.int64)
    in_unit = np.zeros((len(units), CELLS), dtype=np.bool_)
    for unit, cells in enumerate(units):
        in_unit[unit, cells] = True
    for step, unit_of_board in enumerate(orders.T):
        fewer = np.where(in_unit[unit_of_board], np.uint8(0), boards)
        goes = (np.count_nonzero(fewer, axis=1) >= min_hints) & (counts > 0)
        asked = np.flatnonzero(goes & (fewer != boards).any(axis=1))
        found = count_many(fewer[asked], max_solutions + 1, jobs=jobs, context=context)
        goes[asked] = found.counts <= max_solutions
        counts[asked] = np.where(goes[asked], found.counts, counts[asked])
        boards[goes] = fewer[goes]
        if step < required:
            counts[~goes] = 0
    return boards, counts


def removable_hints(
    boards: U8, tested: Flags, *, jobs: int | None = None, context: Context = UNLIMITED
) -> Flags:
    """Find the hints that can be removed, each alone, without adding a solution to the board.

    Args:
        boards: (n, 81), uint8, 0 where open.
        tested: the hints that are asked about, (n, 81): what could not go before cannot now.
        jobs: threads; by default as many as there are cores.

    Returns:
        A part of ``tested``, (n, 81).

    Raises:
        LimitReached: the time is used up.
    """
    masks = masks_of_boards(boards)
    found = tested.copy()
    for cell in range(CELLS):
        asked = np.flatnonzero(tested[:, cell])
        other = masks[asked]
        other[:, cell] ^= 0x1FF
        tally = count_many(other, 1, jobs=jobs, context=context.without_progress)
        found[asked, cell] = tally.counts == 0
    return found
