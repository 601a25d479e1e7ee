"""Counts and solutions of many classic boards, by kernels that take them as arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from bddsudoku.context import UNLIMITED, Context
from bddsudoku.engine.calibration import (
    FEW_SOLUTIONS,
    LIST_NODES,
    MAX_SEARCH_NODES,
    SEARCHED_LIMIT,
)

if TYPE_CHECKING:
    from bddsudoku.engine.bitboard import Boards, SolutionTally
    from bddsudoku.jit.decorators import I64, U8, U64, Flags


class BoardCounts(NamedTuple):
    """Counts of many classic boards.

    Attributes:
        counts: uint64, (n,): the numbers of solutions, no further than the limit.
        settled: bool, (n,): whether the count is right; other boards take an engine of their own.
        nodes: int64, (n,): nodes of the searches.
        summed: bool, (n,): which counts are sums by bands.
    """

    counts: U64
    settled: Flags
    nodes: I64
    summed: Flags


def count_boards(
    boards: Boards,
    limit: int | None = None,
    *,
    jobs: int | None = None,
    only_search: bool = False,
    context: Context = UNLIMITED,
) -> BoardCounts:
    """Count the solutions of many classic boards: by search if they are few, else by sums.

    Args:
        boards: digits (uint8, 0 where open) or candidate masks (uint16), of shape (n, 81).
        limit: count no further than this.
        jobs: threads; by default as many as there are cores.
        only_search: however long that takes.

    Raises:
        LimitReached: the time is used up.
    """
    # Imported here, as are the sums: a single board needs them rarely.
    from bddsudoku.engine.bitboard import count_many

    most = np.uint64(2**64 - 1 if limit is None else min(limit, 2**64 - 1))
    few = limit is not None and limit <= SEARCHED_LIMIT
    nodes = None if only_search else MAX_SEARCH_NODES if few else LIST_NODES
    visited = None if limit is None or limit >= 1 << 62 else limit
    tally = count_many(boards, visited, max_nodes=nodes, jobs=jobs, context=context)
    counts, settled = tally.counts, tally.exact | (tally.counts >= most)
    summed = np.zeros(len(boards), np.bool_)
    if not (few or only_search or settled.all()):
        from bddsudoku.engine.bands.many_hints import DIRECT_HINTS, TOO_LARGE, direct_counts
        from bddsudoku.sets.decoder import masks_of_boards

        left = np.flatnonzero(~settled)
        masks = masks_of_boards(boards[left])
        has_many_hints = (masks & (masks - 1) == 0).sum(axis=1) >= DIRECT_HINTS
        left = left[has_many_hints]
        sums = direct_counts(masks[has_many_hints], jobs=jobs, context=context)
        counts[left] = np.where(sums == TOO_LARGE, counts[left], sums.astype(np.uint64))
        settled[left] = summed[left] = sums != TOO_LARGE
    return BoardCounts(np.minimum(counts, most), settled, tally.nodes, summed)


def solve_boards(boards: Boards, context: Context = UNLIMITED) -> SolutionTally:
    """Find a solution of each of many classic boards, and whether it is the only one.

    What takes more than a short search is not ``exact``.
    """
    from bddsudoku.engine.bitboard import PROBE_NODES, solve_many

    return solve_many(boards, 2, max_nodes=PROBE_NODES, context=context.without_progress)


def list_few_solutions(masks: Sequence[int]) -> U8 | None:
    """List all solutions of a classic board, by its candidate masks; None if a probe finds many."""
    from bddsudoku.engine.bitboard import PROBE_NODES, BitboardSearch

    search = BitboardSearch(np.array(masks, dtype=np.uint16))
    rows = search.next_rows(FEW_SOLUTIONS + 1, PROBE_NODES)
    return rows if search.done and len(rows) <= FEW_SOLUTIONS else None
