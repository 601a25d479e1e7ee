"""How many solutions without each hint: many related counts, as cheap as they can be.

On the ordinary board all of them are searched for a fraction of a millisecond, and what is left is
counted by bands: a millisecond each, on as many threads as there are cores. What leaves more than
that takes (25 ms and more, and kernels of their own) is mostly preparation on one thread, so that
the cores take different hints; with few hints every count keeps them all busy. On other boards
a search by dancing links comes first, and a hint that singles bring back at once is redundant.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from itertools import chain, repeat
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bddsudoku.context import UNLIMITED, Context
from bddsudoku.engine.bitboard import Tally, count_many
from bddsudoku.errors import LimitReached
from bddsudoku.puzzle.sudoku.allocation import Allocation, allocate
from bddsudoku.puzzle.sudoku.grid import Puzzle
from bddsudoku.puzzle.sudoku.layout import cell_name
from bddsudoku.solver.short import short_count
from bddsudoku.solver.solving import counted
from bddsudoku.work.cores import available_threads

NARROW_HINTS = 14
"""From so many hints on, a count by bands is shorter than the preparation for it."""
NODES = 2_000
"""Nodes of a search after which bands are sooner done: some 0.3 ms."""


class Searched(NamedTuple):
    """What a search has found for each hint of a puzzle.

    Attributes:
        counts: uint64, the solutions without it.
        exact: whether these are all.
    """

    counts: NDArray[np.uint64]
    exact: NDArray[np.bool_]


def search_removals(
    puzzles: Sequence[Puzzle], context: Context = UNLIMITED
) -> list[Searched | None]:
    """A short search for every hint of every puzzle, and a short sum, all of them side by side.

    Returns:
        None for what is not an ordinary board, or has few hints.

    Raises:
        LimitReached: the time is used up.
    """
    context.check()
    fits = [p.is_ordinary and p.hint_count >= NARROW_HINTS for p in puzzles]
    fitting = [p for p, fit in zip(puzzles, fits, strict=True) if fit]
    boards = np.concatenate([np.empty((0, 81), np.uint16), *map(_without_each, fitting)])
    tally = count_many(boards, max_nodes=NODES, context=context.silent)
    _summed(boards, tally, context)
    ends = np.cumsum([p.hint_count for p in fitting])
    parts = zip(np.split(tally.counts, ends), np.split(tally.exact, ends), strict=True)
    found = map(Searched._make, parts)
    return [next(found) if fit else None for fit in fits]


def _summed(boards: NDArray[np.uint16], tally: Tally, context: Context) -> None:
    """Settle those boards that the search has left and bands count at once."""
    left = np.flatnonzero(~tally.exact)
    if not len(left):
        return
    # Only now: most puzzles with many hints are searched sooner than this is loaded.
    from bddsudoku.engine.bands.direct import narrow_counts
    from bddsudoku.engine.bands.direct_lists import WIDE

    counts = narrow_counts(boards[left], progress=context.silent.report)
    known = counts != WIDE
    tally.counts[left[known]] = counts[known]
    tally.exact[left[known]] = True


def _without_each(puzzle: Puzzle) -> NDArray[np.uint16]:
    """The masks of an ordinary board without each of its hints."""
    hints = list(puzzle.hints)
    boards = np.repeat(np.array([puzzle.masks], dtype=np.uint16), len(hints), axis=0)
    boards[np.arange(len(hints)), hints] = 0x1FF
    return boards


def removal_answers(
    puzzle: Puzzle,
    total: int | None,
    context: Context = UNLIMITED,
    *,
    searched: Searched | None = None,
    each: float | None = None,
) -> dict[str, Any]:
    """The number of solutions without each hint, exact.

    Args:
        puzzle: of any layout.
        total: its number of solutions; None when that is open.
        searched: what :func:`search_removals` has found, where it was asked already.
        each: seconds for any one count.

    Returns:
        ``without``: a list of {cell, digit, count (decimal string or None), redundant (None when
        open)}; ``redundant``: number of hints whose removal, each by itself, changes nothing;
        ``minimal``: True when none is redundant, None when a limit left that open.

    Cost: up to one count a hint; a millisecond each for 9×9 with 17 hints, less with more; a second
    with 8.
    """
    cells = list(puzzle.hints)
    rows: list[dict[str, Any]] = []
    with closing(_each(puzzle, cells, total, context, searched, each)) as counts:
        for cell, number in zip(cells, counts, strict=True):
            rows.append(
                {
                    "cell": cell_name(cell, puzzle.n),
                    "digit": puzzle[cell],
                    "count": None if number is None else str(number),
                    "redundant": None if None in (number, total) else number == total,
                }
            )
            if context.progress is not None:
                context.progress(len(rows), len(cells))
    known = [row["redundant"] for row in rows]
    minimal = False if True in known else None if None in known else True
    return {"without": rows, "redundant": known.count(True), "minimal": minimal}


def _each(
    puzzle: Puzzle,
    cells: list[int],
    total: int | None,
    context: Context,
    searched: Searched | None,
    each: float | None,
) -> Generator[int | None, None, None]:
    """The counts in the order of the cells, None for one that a limit ended."""
    try:
        searched = searched or search_removals([puzzle], context)[0]
    except LimitReached:
        yield from repeat(None, len(cells))
        return
    if searched is not None:
        yield from _on_ordinary(puzzle, searched, context)
        return
    for cell in cells:
        wider = puzzle.without(cell)
        try:
            found = short_count(wider, context=context)
        except LimitReached:
            yield None
            continue
        if found is not None:
            yield found
            continue
        key = cell * puzzle.n + puzzle[cell] - 1
        model = allocate(wider, Allocation.SINGLES)
        if not model.is_contradictory and any(v.key == key for v in model.fixed):
            yield total
            continue
        try:
            context.check()
            number = counted(wider, context=context.within(each).silent).count
        except LimitReached:
            yield None
        else:
            yield number


def _on_ordinary(
    puzzle: Puzzle, searched: Searched, context: Context
) -> Generator[int | None, None, None]:
    """The same for the ordinary board: what is left is counted by bands, one by one."""
    counts, exact = searched.counts.tolist(), searched.exact.tolist()
    if all(exact):
        yield from counts
        return
    # Only now: their kernels take longer to load than most puzzles to search.
    from bddsudoku.engine.bands.bandset import BandSet

    def one(board: NDArray[np.uint16]) -> int | None:
        try:
            context.check()
            held = BandSet(
                board, memory_limit=context.memory, threads=1, progress=context.silent.report
            )
            return held.count()
        except LimitReached:
            return None

    left = _without_each(puzzle)[~searched.exact]
    pool = ThreadPoolExecutor(available_threads(), "removals")
    try:
        # the first one compiles, or loads from the cache, for all
        rest = chain([one(left[0])], pool.map(one, left[1:]))
        for number, settled in zip(counts, exact, strict=True):
            yield number if settled else next(rest)
    finally:
        pool.shutdown(cancel_futures=True)
