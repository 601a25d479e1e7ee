"""Many boards at once: how many solutions each has, and one of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bddsudoku.engine.quick.boards import Boards, boards_of, states_of
from bddsudoku.engine.quick.layout import CELLS
from bddsudoku.engine.quick.search import COUNTED, FIRST, new_stack, new_state, run
from bddsudoku.limits import Limits, Progress
from bddsudoku.work.pieces import Pause, each_piece

__all__ = ["SLICE", "Tally", "count_many", "solve_many"]

SLICE = 40_000
"""Nodes between two returns to Python: some 10 ms."""


@dataclass(frozen=True)
class Tally:
    """What is known of the solutions of some boards.

    Attributes:
        counts: uint64, (n,): solutions found. They are visited one by one, so that 2⁶⁴ are out of
            reach.
        exact: bool, (n,): whether that are all; False where the limit or the nodes ended it first.
        nodes: int64, (n,): states that were propagated: 1 where no guess was needed.
        solutions: uint8, (n, 81): a solution of each board, zeros where none was found; (0, 81)
            if none was asked for.
    """

    counts: NDArray[np.uint64]
    exact: NDArray[np.bool_]
    nodes: NDArray[np.int64]
    solutions: NDArray[np.uint8]


def count_many(
    boards: Boards,
    limit: int | None = None,
    *,
    max_nodes: int | None = None,
    jobs: int | None = None,
    limits: Limits | None = None,
    progress: Progress | None = None,
) -> Tally:
    """The number of solutions of many boards, in their order.

    Costs 1 µs for most puzzles with one solution, up to 0.1 ms for the hardest known, and 0.3 µs
    for every solution of those with many; every further thread counts as many again.

    Args:
        boards: digits (uint8, 0 where open) or candidate masks (uint16, bit d - 1 for digit d), of
            shape (n, 81).
        limit: count no further than this (2 tells whether a solution is the only one).
        max_nodes: give a board up after so many nodes.
        jobs: threads; by default as many as there are cores.
        limits: the time.
        progress: called with (boards done, n); may raise to end the work.

    Raises:
        PuzzleFormatError: an array that is none of boards.
        LimitReached: the time is used up.
    """
    return _tally(boards, limit, max_nodes, jobs, limits, progress, COUNTED)


def solve_many(
    boards: Boards,
    limit: int | None = 2,
    *,
    max_nodes: int | None = None,
    jobs: int | None = None,
    limits: Limits | None = None,
    progress: Progress | None = None,
) -> Tally:
    """A solution of many boards each, and how many there are, as :func:`count_many` has it."""
    return _tally(boards, limit, max_nodes, jobs, limits, progress, FIRST)


def _tally(
    boards: NDArray[Any],
    limit: int | None,
    max_nodes: int | None,
    jobs: int | None,
    limits: Limits | None,
    progress: Progress | None,
    keep: int,
) -> Tally:
    checked = boards_of(boards)
    size = len(checked)
    tally = Tally(
        np.zeros(size, dtype=np.uint64),
        np.zeros(size, dtype=np.bool_),
        np.zeros(size, dtype=np.int64),
        np.zeros((size if keep == FIRST else 0, CELLS), dtype=np.uint8),
    )

    def work(begin: int, end: int, pause: Pause) -> None:
        states, stack, at = states_of(checked[begin:end]), new_stack(), new_state()
        counts, exact, nodes = (a[begin:end] for a in (tally.counts, tally.exact, tally.nodes))
        found = tally.solutions[begin:end]
        while not run(
            states, stack, at, counts, exact, nodes, found, keep, limit or 0, max_nodes or 0, SLICE
        ):
            pause()

    if limit is not None and limit <= 0:
        return tally
    each_piece(size, work, jobs=jobs, limits=limits, progress=progress)
    return tally
