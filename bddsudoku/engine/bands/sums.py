"""Taking the sums of a plan: a value for every pair of the outermost band's partitions.

Running kernels on threads: they release the GIL; the caller's thread watches. It wakes several
times a second, so progress is reported, Ctrl-C is heard, and whatever the progress callback raises
ends the run.

Counts and marginals of masks from the sums of plans that fit the memory.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from bddsudoku.engine.bands.bandtable import Parallel
from bddsudoku.engine.bands.kernels import Problem, Workspace, run_pairs
from bddsudoku.engine.bands.marginals import (
    ORDERS,
    Fillings,
    Gathered,
    band_marginals,
    completed,
    pieces_of,
)
from bddsudoku.engine.bands.partitions import canonicals
from bddsudoku.engine.bands.plan import (
    ROWS_BYTES,
    Outline,
    Plan,
    bands_to_sum,
    fitting_plans,
    make_plan,
)
from bddsudoku.engine.bands.symmetry import Members, PairOrbits, members_of, pair_orbits
from bddsudoku.jit.decorators import F64, I64, U16, AnyArray
from bddsudoku.work.resources import available_threads


def alone(kernel: Callable[..., None], calls: list[tuple[Any, ...]]) -> None:
    """Call a kernel with each tuple of arguments, on the caller's thread."""
    for call in calls:
        kernel(*call)


class Team:
    """A number of threads.

    Attributes:
        threads: how many.
        stop: one int64 that kernels look at; non-zero asks them to return early.
    """

    def __init__(self, threads: int | None = None) -> None:
        self.threads = max(1, threads or available_threads())
        self.stop = np.zeros(1, dtype=np.int64)

    def run(
        self,
        kernel: Callable[..., None],
        calls: list[tuple[Any, ...]],
        watch: Callable[[], None] = lambda: None,
    ) -> None:
        """Call a kernel with each tuple of arguments, on all threads, watching meanwhile."""
        if len(calls) < 2:
            alone(kernel, calls)
        else:
            self.each(lambda _, call: kernel(*call), calls, watch)

    def each(
        self, work: Callable[[int, Any], None], items: Iterable[Any], watch: Callable[[], None]
    ) -> None:
        """Call ``work(thread, item)`` for all items; call `watch` now and then meanwhile."""
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
_PIECES = 24
#: Multiply-adds that take as long as carrying a member to block fillings does, roughly.
_SPREAD_WORK = 2e5


def exact_dot(values: I64, weights: I64) -> int:
    """Sum of values * weights as a Python int (values < 2**63, sum of weights < 2**31)."""
    low = int((values & 0xFFFFFFFF).astype(np.uint64) @ weights.astype(np.uint64))
    return low + (int((values >> 32).astype(np.uint64) @ weights.astype(np.uint64)) << 32)


@dataclass
class Sums:
    """Band tables and pair values of a plan, or of a part of its pairs.

    Attributes:
        values: (n,) int64 for the n pairs of the problem's orbits: sum of W * T_a, without
            `plan.scale`; 0 where a pair is not of the part.
        total: the number of solutions.
        blocks: see :class:`.Gathered`; without marginals all 0.
    """

    plan: Plan
    problem: Problem
    chunk: int
    values: I64
    total: int
    blocks: AnyArray


@dataclass(frozen=True)
class Pairs:
    """The pairs of a plan, and its frame's orbits of them in the order of summing.

    Attributes:
        orbits: of the board.
        frame: of the frame.
        at: (n,) places in `frame`: all of them, or some.
        madds: (n,) multiply-adds of each.
    """

    orbits: PairOrbits
    frame: Members
    at: I64
    madds: F64

    @classmethod
    def of(cls, plan: Plan, run: Parallel) -> Pairs:
        """List the pairs of a plan that is not empty.

        Pairs that differ by the order of columns follow each other: they need the same parts of the
        tables, and their completions go to the same block fillings.
        """
        p, q = plan.roles.p, plan.roles.q
        living = plan.grid.columns[plan.roles.a]
        board, wider = plan.board, plan.frame if plan.outline.framed else None
        orders = board.orders[p], board.orders[q]
        orbits = pair_orbits((living[p], living[q]), orders, board.groups, run)
        frame = members_of(orbits, wider, p, q, run)
        alike = canonicals(np.arange(ORDERS))
        keys = (frame.firsts, alike[frame.firsts], frame.seconds, alike[frame.seconds])
        at = np.lexsort(keys)
        madds = np.diff(plan.p.ptr)[frame.firsts[at]].astype(np.float64)
        madds *= np.diff(plan.q.ptr)[frame.seconds[at]] * len(plan.dots.c)
        return cls(orbits, frame, at, madds)

    def __getitem__(self, where: slice | I64) -> Pairs:
        """Some of the orbits alone."""
        return replace(self, at=self.at[where], madds=self.madds[where])

    @property
    def members(self) -> I64:
        """(n,) how many members each of the orbits has."""
        return np.diff(self.frame.ptr)[self.at]

    def work(self, marginals: bool) -> float:
        """Multiply-adds, and what takes as long."""
        spread = _SPREAD_WORK * float(self.members.sum()) if marginals else 0.0
        return float(self.madds.sum()) + spread

    def cut(self, pieces: int) -> list[slice]:
        """Slices of about equal work, so many or fewer."""
        sizes = self.members.astype(np.float64)
        done = np.cumsum(self.madds + sizes * self.madds.sum() / sizes.sum())
        cuts = np.searchsorted(done, np.linspace(0, done[-1], pieces + 1)[1:-1])
        ends = sorted({0, *cuts.tolist(), len(self.at)})
        return [slice(lo, hi) for lo, hi in pairwise(ends)]


@dataclass(frozen=True)
class Prepared:
    """What the sums of a plan need: pairs and tables, the same for all parts of the sums.

    A part is asked for with fewer `pairs`, or with some of the problem's `halves` alone. What
    disjoint parts tell adds up: :attr:`Sums.total`, :attr:`Sums.blocks`.

    Attributes:
        pairs: those to sum.
        chunk: length of dot products.
        fillings: with marginals, the block fillings to gather.
    """

    plan: Plan
    pairs: Pairs
    problem: Problem
    chunk: int
    fillings: Fillings | None


def prepare(
    plan: Plan, team: Team, progress: Progress | None = None, pairs: Pairs | None = None
) -> Prepared:
    """Fill the tables of a plan that is not an empty one.

    Args:
        plan: the plan.
        team: its threads do it.
        progress: called several times a second from the calling thread; may raise.
        pairs: of the plan, if they are there already.
    """
    known = Pairs.of(plan, team.run) if pairs is None else pairs
    work = known.work(plan.outline.marginals)

    def watch() -> None:
        if progress:
            progress(0.0, work)

    def run(kernel: Callable[..., None], calls: list[tuple[Any, ...]]) -> None:
        team.run(kernel, calls, watch)

    watch()
    ta, tb, tc = (table.build(run) for table in (plan.ta, plan.tb, plan.tc))
    chunk = plan.chunk(int(tb.values.max(initial=0)), int(tc.values.max(initial=0)))
    fillings = Fillings.of(plan, known.orbits, run) if plan.outline.marginals else None
    problem = plan.problem(known.orbits, known.frame, ta, tb, tc)
    return Prepared(plan, known, problem, chunk, fillings)


def take_sums(
    plan: Plan, team: Team, progress: Progress | None = None, pairs: Pairs | None = None
) -> Sums:
    """Fill the band tables and sum every pair; arguments as for :func:`prepare`."""
    return sum_pairs(prepare(plan, team, progress, pairs), team, progress)


def sum_pairs(prepared: Prepared, team: Team, progress: Progress | None = None) -> Sums:
    """Sum pairs, whose tables are there; with marginals, gather block fillings of band a.

    Args:
        prepared: the pairs, not none of them.
        team: the threads.
        progress: called several times a second from the calling thread; may raise.
    """
    plan, pairs, problem = prepared.plan, prepared.pairs, prepared.problem
    fillings, chunk = prepared.fillings, prepared.chunk
    thirds, threads = len(plan.frame.t_reps), range(team.threads)
    # marginals want W of all pairs of a round, a count of one after the other
    rows = max(1, ROWS_BYTES // (8 * thirds)) if fillings else len(pairs.at)
    kept = min(rows, len(pairs.at)) if fillings else team.threads
    work = pairs.work(fillings is not None)
    counted, gathered = np.zeros((2, team.threads), dtype=np.int64)

    def watch() -> None:
        if progress:
            told = float(counted.sum()) + _SPREAD_WORK * float(gathered.sum())
            progress(min(told, work), work)

    values = np.zeros(len(problem.orbits.firsts), dtype=np.int64)
    w = np.empty((kept, thirds), dtype=np.int64)
    spaces = [Workspace.of(problem, thirds, chunk, team.stop, counted[n : n + 1]) for n in threads]
    shares = [
        Gathered(problem, fillings, team.stop, gathered[n : n + 1])
        for n in (threads if fillings else ())
        if fillings
    ]
    for first in range(0, len(pairs.at), rows):
        mine = pairs[first : first + rows]

        def sums_of(thread: int, piece: slice, at: Any = mine.at) -> None:
            held = w[piece] if fillings else w[thread : thread + 1]
            run_pairs(problem, spaces[thread], at[piece], held, values)

        pieces = _PIECES * team.threads
        team.each(sums_of, mine.cut(pieces), watch)
        if fillings:
            members = pieces_of(problem, fillings, values, mine.at, pieces)
            team.each(lambda thread, piece: shares[thread].gather(piece, w), members, watch)
    team.each(lambda _, share: share.finish(), shares, watch)
    total = exact_dot(values, problem.orbits.weights) * plan.scale
    blocks = sum((share.blocks for share in shares), np.zeros((3, 3, 3, ORDERS, 9), dtype=object))
    return Sums(plan, problem, chunk, values, total, blocks)


@dataclass(frozen=True)
class Summing:
    """How the sums of a board are taken.

    Attributes:
        masks: 81 candidate masks.
        memory: bytes for the whole process.
        team: the threads.
        progress: called from the calling thread; what it raises ends the work.
    """

    masks: U16
    memory: int
    team: Team
    progress: Progress | None

    def count(self) -> Iterator[Sums]:
        """The sums of plans within the limit, one after the other."""
        outline = Outline.of(self.masks)
        return iter(()) if outline is None else self._parts(outline)

    def _parts(
        self, outline: Outline, first: Plan | None = None, pairs: Pairs | None = None
    ) -> Iterator[Sums]:
        """The same, with the first plan and its pairs, if they have been made ahead."""
        finished = 0.0
        for plan, share in fitting_plans(outline, self.memory, self.team.threads, first=first):
            before = finished

            def report(done: float, total: float, share: float = share) -> None:
                assert self.progress is not None
                self.progress(before * total / share + done, total / share)  # noqa: B023

            told = report if self.progress else None
            sums = take_sums(plan, self.team, told, pairs if first is plan else None)
            finished += share
            yield sums

    def _ahead(self, outlines: list[Outline]) -> Generator[tuple[Outline, Plan, Pairs | None]]:
        """Plans and, where they fit, their pairs, made while the one before is summed."""

        def make(outline: Outline) -> tuple[Outline, Plan, Pairs | None]:
            plan = make_plan(outline)
            fits = not plan.empty and plan.nbytes(self.team.threads) <= self.memory
            return outline, plan, Pairs.of(plan, alone) if fits else None

        ahead = ThreadPoolExecutor(1, "bands")
        try:
            coming = [ahead.submit(make, outline) for outline in outlines]
            while coming:
                yield coming.pop(0).result()
        finally:
            ahead.shutdown(cancel_futures=True)

    def marginals(self, count: Callable[[], int]) -> AnyArray:
        """In how many solutions each digit stands in each cell: see `BandSet.marginals`.

        Args:
            count: called where the board's symmetries say all the rest.
        """
        out = np.zeros((9, 9, 9), dtype=object)
        outline = Outline.of(self.masks)
        if outline is None:
            return out.astype(np.int64)
        summed = bands_to_sum(outline)
        total = 0 if summed else count()
        with closing(self._ahead(summed)) as planned:
            for wanted, plan, pairs in planned:
                total = 0
                band = slice(3 * plan.roles.a, 3 * plan.roles.a + 3)
                for sums in self._parts(wanted, plan, pairs):
                    total += sums.total
                    out[band] += band_marginals(sums.plan, sums.blocks)
        return completed(out, total, summed)
