"""Counts of boards with many hints: the sums of the bands in one kernel, without preparation.

Where hints leave a block a few dozen partitions, the sums themselves take microseconds, and what
:mod:`~bddsudoku.engine.bands.plan` weighs beforehand (orientation, orbits, classes) takes
thousands of times as long. Here everything is a list of what is alive (:mod:`.lists`): structures
of the bands' row partitions and of the stacks' column partitions, and compatible pairs of a block.
Lists are cut down against each other until nothing changes; then

    count = sum over structures (a_s, b_s, c_s) of the three stacks s of  T_a * T_b * T_c

is taken as it stands (:mod:`.products`). A board that leaves more than the lists hold
(:mod:`.room`) is *wide*, and is not counted. Marginals come of the same products (:mod:`.shares`).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from bddsudoku.engine.bands.narrow.products import count_narrow
from bddsudoku.engine.bands.narrow.room import PAIRS, TABLE, WIDE, new_room, partitions
from bddsudoku.engine.bands.narrow.shares import share_narrow
from bddsudoku.engine.bands.parallel import Team
from bddsudoku.work.cores import available_threads

__all__ = ["NARROW_HINTS", "WIDE", "narrow_counts", "narrow_shares"]

NARROW_HINTS = 14
"""With fewer hints nearly all boards are wide: not worth trying."""


def narrow_counts(
    boards: NDArray[np.uint16],
    threads: int | None = None,
    progress: Callable[[float, float], None] | None = None,
) -> NDArray[np.int64]:
    """The numbers of solutions of boards with many hints, side by side.

    Args:
        boards: candidate masks, (n, 81).
        threads: by default as many as there are cores.
        progress: called with (boards done, n) from the calling thread; may raise to end the work.

    Returns:
        (n,): the counts; :data:`WIDE` for boards that leave too much, which is found out in a
        millisecond or two.
    """
    boards = np.ascontiguousarray(boards)
    counts = np.full(len(boards), WIDE, dtype=np.int64)
    team = Team(max(1, min(threads or available_threads(), len(boards))))
    queue = iter(range(len(boards)))

    def worker(thread: int) -> None:
        room = new_room()
        for n in queue:  # the next of a shared iterator is one step under the GIL
            if team.stop[0]:
                return
            count_narrow(boards[n : n + 1], room, partitions(), counts[n : n + 1])
            team.done[thread] += 1
            if team.threads == 1:
                watch()

    def watch() -> None:
        if progress is not None:
            progress(float(team.done.sum()), float(len(boards)))

    if team.threads == 1:
        worker(0)
    else:
        team.each(worker, watch)
    return counts


def narrow_shares(masks: NDArray[np.uint16]) -> tuple[int, NDArray[np.int64]]:
    """In how many solutions of a board with many hints each digit stands in each cell.

    Args:
        masks: candidate masks, (81,).

    Returns:
        The number of solutions, and (9, 9, 9): row, column, digit - 1. :data:`WIDE` (and zeros)
        for a board that leaves too much. Some milliseconds.
    """
    count = np.empty(1, dtype=np.int64)
    shares = np.zeros((81, 9), dtype=np.int64)
    slopes = np.empty((3, TABLE), dtype=np.int64)
    told = np.zeros((9, PAIRS), dtype=np.int64)
    cells = np.ascontiguousarray(masks)
    share_narrow(cells, new_room(), partitions(), slopes, told, shares, count)
    return int(count[0]), shares.reshape(9, 9, 9)
