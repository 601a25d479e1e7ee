"""Counts and marginals, as sums over pairs of digit partitions of two blocks of a band.

Kernels run on threads and release the GIL. The caller's thread wakes several times a second to
report progress and to notice Ctrl-C; an exception of the progress callback ends the run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from bddsudoku.engine.bands.band_plan import ROWS_BYTES, BandPlan
from bddsudoku.engine.bands.band_table import Parallel
from bddsudoku.engine.bands.kernels import DotWorkspace, PairSumInput, sum_pair_orbits
from bddsudoku.engine.bands.marginals import (
    ORDERS,
    BlockFillings,
    FillingSums,
    make_pair_batches,
)
from bddsudoku.engine.bands.partition_pair_orbits import (
    OrbitMembers,
    PairOrbits,
    merge_orbits,
    pair_orbits,
)
from bddsudoku.engine.bands.partitions import canonical_partitions
from bddsudoku.jit.decorators import F64, I64, AnyArray
from bddsudoku.work.resources import available_threads


class ThreadTeam:
    """A team of threads that run kernels, with a flag that stops them early.

    Attributes:
        threads: how many.
        stop: one int64 that kernels look at; non-zero asks them to return early.
    """

    def __init__(self, threads: int | None = None) -> None:
        self.threads: int = max(1, threads or available_threads())
        self.stop: I64 = np.zeros(1, dtype=np.int64)

    def run(
        self,
        kernel: Callable[..., None],
        calls: list[tuple[Any, ...]],
        watch: Callable[[], None] = lambda: None,
    ) -> None:
        """Call a kernel with each tuple of arguments, on all threads; call `watch` meanwhile."""
        if len(calls) == 1:
            kernel(*calls[0])
        else:
            self.for_each(lambda _, call: kernel(*call), calls, watch)

    def for_each(
        self, work: Callable[[int, Any], None], items: Iterable[Any], watch: Callable[[], None]
    ) -> None:
        """Call ``work(thread, item)`` for all items; call `watch` about ten times a second."""
        self.stop[0] = 0
        queue = iter(items)

        def worker(thread: int) -> None:
            # next() on a shared list iterator is one step under the GIL.
            for item in queue:
                if self.stop[0]:
                    return
                work(thread, item)

        with ThreadPoolExecutor(self.threads, "bands") as pool:
            futures = [pool.submit(worker, n) for n in range(self.threads)]
            pending = set(futures)
            try:
                while pending:
                    _, pending = wait(pending, timeout=0.1, return_when=FIRST_EXCEPTION)
                    if any(future.done() and future.exception() for future in futures):
                        self.stop[0] = 1
                    watch()
            except BaseException:
                self.stop[0] = 1
                raise
        for future in futures:
            future.result()


#: Called with (multiply-adds done, multiply-adds in all).
Progress = Callable[[float, float], None]

#: Pieces of the work for each thread.
_PIECES_PER_THREAD = 24
#: Multiply-adds that take as long as carrying a member to block fillings does, roughly.
_MARGINAL_WORK = 2e5


def exact_dot(values: I64, weights: I64) -> int:
    """Scalar product as an exact Python int (values < 2**63, sum of weights < 2**31)."""
    low = int((values & 0xFFFFFFFF).astype(np.uint64) @ weights.astype(np.uint64))
    return low + (int((values >> 32).astype(np.uint64) @ weights.astype(np.uint64)) << 32)


@dataclass
class BandSums:
    """The number of solutions of a plan, in total and by pair of digit partitions.

    Attributes:
        values: (n,) int64 for the n pairs of the problem's orbits: sum of W * T_a, without
            `plan.symmetry_factor`.
        total: the number of solutions.
        blocks: see :class:`.FillingSums`; without marginals all 0.
    """

    plan: BandPlan
    problem: PairSumInput
    chunk: int
    values: I64
    total: int
    blocks: AnyArray


@dataclass(frozen=True)
class PlannedPairs:
    """The pairs of digit partitions to sum over, grouped by symmetry, in the order of the work.

    Attributes:
        orbits: of the board.
        frame: of the frame.
        at: (n,) places in `frame`: all of them, or some.
        madds: (n,) multiply-adds of each.
    """

    orbits: PairOrbits
    frame: OrbitMembers
    at: I64
    madds: F64

    @classmethod
    def from_plan(cls, plan: BandPlan, run: Parallel) -> PlannedPairs:
        """List the pairs of digit partitions that a plan sums over; the plan must not be `empty`.

        Pairs that differ by the order of columns follow each other: they need the same parts of the
        tables, and their completions go to the same block fillings.
        """
        p, q = plan.roles.p, plan.roles.q
        living = plan.grid.columns[plan.roles.a]
        board = plan.board
        orders = board.orders[p], board.orders[q]
        orbits = pair_orbits((living[p], living[q]), orders, board.groups, run)
        frame = merge_orbits(orbits, plan.frame, p, q, run)
        canonical = canonical_partitions(np.arange(ORDERS))
        keys = (frame.firsts, canonical[frame.firsts], frame.seconds, canonical[frame.seconds])
        at = np.lexsort(keys)
        madds = np.diff(plan.p.ptr)[frame.firsts[at]].astype(np.float64)
        madds *= np.diff(plan.q.ptr)[frame.seconds[at]] * len(plan.dot_triples.c)
        return cls(orbits, frame, at, madds)

    def __getitem__(self, where: slice) -> PlannedPairs:
        """The same object restricted to some of the orbits."""
        return replace(self, at=self.at[where], madds=self.madds[where])

    @property
    def orbit_sizes(self) -> I64:
        """The number of pairs in each orbit, (n,)."""
        return np.diff(self.frame.ptr)[self.at]

    def total_work(self, marginals: bool) -> float:
        """Predict the multiply-adds of the count and, if wanted, of the marginals."""
        spread = _MARGINAL_WORK * float(self.orbit_sizes.sum()) if marginals else 0.0
        return float(self.madds.sum()) + spread

    def slices(self, pieces: int) -> list[slice]:
        """Divide the orbits of partition pairs into at most `pieces` slices of about equal work."""
        sizes = self.orbit_sizes.astype(np.float64)
        done = np.cumsum(self.madds + sizes * self.madds.sum() / sizes.sum())
        cuts = np.searchsorted(done, np.linspace(0, done[-1], pieces + 1)[1:-1])
        ends = sorted({0, *cuts.tolist(), len(self.at)})
        return [slice(lo, hi) for lo, hi in pairwise(ends)]


def plan_sums(plan: BandPlan, team: ThreadTeam, progress: Progress | None = None) -> BandSums:
    """Fill a plan's band tables and count the solutions, for marginals also by block filling.

    Args:
        plan: the plan; it must not be `empty`.
        team: the threads.
        progress: called several times a second from the calling thread; may raise.
    """
    pairs = PlannedPairs.from_plan(plan, team.run)
    work = pairs.total_work(plan.plan_input.marginals)
    counted, gathered = np.zeros((2, team.threads), dtype=np.int64)

    def watch() -> None:
        if progress:
            done = float(counted.sum()) + _MARGINAL_WORK * float(gathered.sum())
            progress(min(done, work), work)

    watch()
    run = partial(team.run, watch=watch)
    ta, tb, tc = (table.build(run) for table in (plan.ta, plan.tb, plan.tc))
    chunk = plan.choose_dot_length(int(tb.max(initial=0)), int(tc.max(initial=0)))
    wanted = plan.plan_input.marginals
    fillings = BlockFillings.from_plan(plan, pairs.orbits, run) if wanted else None
    problem = plan.make_pair_sum_input(pairs.orbits, pairs.frame, ta, tb, tc)
    thirds, threads = len(plan.frame.t_reps), range(team.threads)
    # marginals want W of all pairs of a round, a count of one after the other
    rows = max(1, ROWS_BYTES // (8 * thirds)) if fillings else len(pairs.at)
    kept = min(rows, len(pairs.at)) if fillings else team.threads
    values = np.zeros(len(problem.orbits.firsts), dtype=np.int64)
    w = np.empty((kept, thirds), dtype=np.int64)
    spaces = [
        DotWorkspace.allocate(problem, thirds, chunk, team.stop, counted[n : n + 1])
        for n in threads
    ]
    all_sums = [
        FillingSums(problem, fillings, team.stop, gathered[n : n + 1]) for n in threads if fillings
    ]
    for first in range(0, len(pairs.at), rows):
        mine = pairs[first : first + rows]

        def sums_of(thread: int, piece: slice, at: Any = mine.at) -> None:
            held = w[piece] if fillings else w[thread : thread + 1]
            sum_pair_orbits(problem, spaces[thread], at[piece], held, values)

        pieces = _PIECES_PER_THREAD * team.threads
        team.for_each(sums_of, mine.slices(pieces), watch)
        if fillings:
            members = make_pair_batches(problem, fillings, values, mine.at, pieces)
            team.for_each(
                lambda thread, piece: all_sums[thread].add_batch(piece, w), members, watch
            )
    team.for_each(lambda _, part_sums: part_sums.move_sums_to_cells(), all_sums, watch)
    total = exact_dot(values, problem.orbits.weights) * plan.symmetry_factor
    blocks = sum(
        (part_sums.blocks for part_sums in all_sums), np.zeros((3, 3, 3, ORDERS, 9), dtype=object)
    )
    return BandSums(plan, problem, chunk, values, total, blocks)
