"""True candidates of many boards: what stands in some solution, and in how many."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bddsudoku.engine.quick.boards import Boards, boards_of, states_of
from bddsudoku.engine.quick.layout import CELLS, DIGITS
from bddsudoku.engine.quick.search import new_stack
from bddsudoku.engine.quick.support import CANDIDATES, new_place, support
from bddsudoku.engine.quick.tally import SLICE
from bddsudoku.limits import Limits, Progress
from bddsudoku.work.pieces import Pause, each_piece

__all__ = ["candidate_counts", "true_candidates"]


def true_candidates(
    boards: Boards,
    *,
    jobs: int | None = None,
    limits: Limits | None = None,
    progress: Progress | None = None,
) -> NDArray[np.uint16]:
    """The candidates that stand in some solution, of many boards, in their order.

    A solution found for one candidate is a witness for all that it holds; only what no witness
    holds is searched for, so that all solutions need not be visited.

    Args:
        boards: digits (uint8, 0 where open) or candidate masks (uint16), of shape (n, 81).
        jobs: threads; by default as many as there are cores.
        limits: the time.
        progress: called with (boards done, n); may raise to end the work.

    Returns:
        Masks, (n, 81): bit d - 1 is set if a solution has digit d in the cell; all 0 where there is
        no solution.

    Raises:
        PuzzleFormatError: an array that is none of boards.
        LimitReached: the time is used up.
    """
    checked = boards_of(boards)
    masks = np.empty((len(checked), CELLS), dtype=np.uint16)
    weights = (1 << np.arange(DIGITS)).astype(np.uint16)

    def keep(begin: int, counts: NDArray[np.uint32]) -> None:
        held = counts.reshape(-1, CELLS, DIGITS) > 0
        masks[begin : begin + len(counts)] = held.astype(np.uint16) @ weights

    _supported(checked, 1, keep, jobs, limits, progress)
    return masks


def candidate_counts(
    boards: Boards,
    cap: int,
    *,
    jobs: int | None = None,
    limits: Limits | None = None,
    progress: Progress | None = None,
) -> NDArray[np.uint32]:
    """In how many solutions every candidate stands, counted no further than some number.

    Args:
        boards: as for :func:`true_candidates`.
        cap: at least 1; a count of ``cap`` means so many or more.
        jobs: likewise.
        limits: likewise.
        progress: likewise.

    Returns:
        Counts, (n, 81, 9).

    Raises:
        ValueError: a cap below 1 or past 2³² - 1.
        PuzzleFormatError: an array that is none of boards.
        LimitReached: the time is used up.
    """
    if not 1 <= cap < 1 << 32:
        raise ValueError(f"expected a cap of at least 1, found {cap}")
    checked = boards_of(boards)
    out = np.empty((len(checked), CELLS, DIGITS), dtype=np.uint32)

    def keep(begin: int, counts: NDArray[np.uint32]) -> None:
        out[begin : begin + len(counts)] = counts.reshape(-1, CELLS, DIGITS)

    _supported(checked, cap, keep, jobs, limits, progress)
    return out


def _supported(
    boards: Boards,
    cap: int,
    keep: Any,
    jobs: int | None,
    limits: Limits | None,
    progress: Progress | None,
) -> None:
    """Count for every candidate; ``keep(begin, counts)`` takes what a piece has come to."""

    def work(begin: int, end: int, pause: Pause) -> None:
        states, stack, at = states_of(boards[begin:end]), new_stack(), new_place()
        met = np.zeros(CANDIDATES, dtype=np.int64)
        counts = np.empty((end - begin, CANDIDATES), dtype=np.uint32)
        while not support(states, stack, at, met, cap, counts, SLICE):
            pause()
        keep(begin, counts)

    each_piece(len(boards), work, jobs=jobs, limits=limits, progress=progress)
