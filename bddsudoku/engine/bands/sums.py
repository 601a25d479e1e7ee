"""Taking the sums of a plan: a value for every pair of the outermost band's partitions.

Running kernels on threads: they release the GIL; the caller's thread watches.

The watching thread wakes several times a second, so progress is reported, Ctrl-C is heard, and
whatever the progress callback raises ends the run.

Counts and marginals of masks from the sums of plans that fit the memory.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bddsudoku.engine.bands.bandtable import Parallel, flat_table
from bddsudoku.engine.bands.kernels import run_pairs
from bddsudoku.engine.bands.marginals import (
    ORDERS,
    Fillings,
    Gathered,
    Images,
    Turned,
    band_marginals,
    completed,
    fillings_of,
    pieces_of,
    turned,
)
from bddsudoku.engine.bands.masks import place_singles
from bddsudoku.engine.bands.partitions import tables
from bddsudoku.engine.bands.plan import ROWS_BYTES, Plan, bands_to_sum, fitting_plans, make_plan
from bddsudoku.engine.bands.symmetry import Members, PairOrbits, members_of, pair_orbits
from bddsudoku.work.threads import available_threads


def alone(kernel: Callable[..., None], calls: list[tuple[Any, ...]]) -> None:
    """Call a kernel with each tuple of arguments, on the caller's thread."""
    for call in calls:
        kernel(*call)


class Team:
    """A number of threads.

    Attributes:
        threads: how many.
        stop: one int64 that kernels look at; non-zero asks them to return early.
        done: (threads,) int64, counters for kernels that report their progress.
    """

    def __init__(self, threads: int | None = None) -> None:
        self.threads = max(1, threads or available_threads())
        self.stop = np.zeros(1, dtype=np.int64)
        self.done = np.zeros(self.threads, dtype=np.int64)

    def run(
        self,
        kernel: Callable[..., None],
        calls: list[tuple[Any, ...]],
        watch: Callable[[], None] = lambda: None,
    ) -> None:
        """Call a kernel with each tuple of arguments, on all threads, watching meanwhile."""
        queue = iter(calls)
        if len(calls) < 2:
            for call in queue:
                kernel(*call)
            return

        def worker(_: int) -> None:
            # next() on a shared list iterator is one step under the GIL.
            for call in queue:
                if self.stop[0]:
                    return
                kernel(*call)

        self.each(worker, watch)

    def each(self, worker: Callable[[int], None], watch: Callable[[], None]) -> None:
        """Run ``worker(thread)`` once on every thread; call `watch` now and then meanwhile."""
        self.stop[0] = 0
        with ThreadPoolExecutor(self.threads, "bands") as pool:
            futures = [pool.submit(worker, n) for n in range(self.threads)]
            pending = set(futures)
            try:
                while pending:
                    _, pending = wait(pending, timeout=0.1, return_when=FIRST_EXCEPTION)
                    for future in futures:
                        if future.done() and future.exception() is not None:
                            self.stop[0] = 1
                    watch()
            except BaseException:
                self.stop[0] = 1
                raise
        for future in futures:
            future.result()


#: Called with (multiply-adds done, multiply-adds in all).
Progress = Callable[[float, float], None]

_RUN: Callable[..., None] = run_pairs

#: Pieces of the work for each thread.
_PIECES = 24
#: Multiply-adds that take as long as carrying a member to block fillings does, roughly.
_SPREAD_WORK = 2e5


def exact_dot(values: NDArray[np.int64], weights: NDArray[np.int64]) -> int:
    """Sum of values * weights as a Python int (values < 2**63, sum of weights < 2**31)."""
    low = int((values & 0xFFFFFFFF).astype(np.uint64) @ weights.astype(np.uint64))
    return low + (int((values >> 32).astype(np.uint64) @ weights.astype(np.uint64)) << 32)


def operands(rows: int, width: int) -> NDArray[np.int16]:
    """Uninitialised rows for dot products, each of them on a cache line boundary (64 bytes)."""
    space = np.empty(rows * width + 32, dtype=np.int16)
    shift = (-space.ctypes.data // 2) % 32
    return space[shift : shift + rows * width].reshape(rows, width)


def working_memory(plan: Plan, chunk: int, w: NDArray[np.int64]) -> tuple[Any, ...]:
    """The last arguments of `run_pairs`, for one thread."""
    x, y = operands(plan.tb.z.size + 7, chunk), operands(plan.tc.z.size + 7, chunk)
    image, wanted = np.empty(84, dtype=np.int32), np.empty(w.shape[1], dtype=np.bool_)
    offsets, four = np.empty(16, dtype=np.int64), np.empty(4, dtype=np.int32)
    return x, y, offsets, four, w, image, wanted


@dataclass
class Sums:
    """Band tables and pair values of a plan, or of a part of its pairs.

    Attributes:
        values: (n,) int64 for the n pairs of `orbits`: sum of W * T_a, without `plan.scale`; 0
            where a pair is not of the part.
        total: the number of solutions.
        blocks: see :class:`.Gathered`; without marginals all 0.
    """

    plan: Plan
    orbits: PairOrbits
    ta: NDArray[np.int16]
    tb: NDArray[np.int16]
    tc: NDArray[np.int16]
    chunk: int
    values: NDArray[np.int64]
    total: int
    blocks: NDArray[Any]


@dataclass(frozen=True)
class Ready:
    """The pairs of a plan, and its frame's orbits of them in the order of summing.

    Attributes:
        orbits: of the board.
        frame: of the frame.
        at: (n,) places in `frame`: all of them, or some.
        madds: (n,) multiply-adds of each.
    """

    orbits: PairOrbits
    frame: Members
    at: NDArray[np.int64]
    madds: NDArray[np.float64]

    def __getitem__(self, where: slice | NDArray[np.int64]) -> Ready:
        """Some of the orbits alone."""
        return replace(self, at=self.at[where], madds=self.madds[where])

    @property
    def members(self) -> NDArray[np.int64]:
        """(n,) how many members each of the orbits has."""
        return np.diff(self.frame.ptr)[self.at]

    def cut(self, pieces: int) -> list[slice]:
        """Slices of about equal work, so many or fewer."""
        sizes = self.members.astype(np.float64)
        done = np.cumsum(self.madds + sizes * self.madds.sum() / sizes.sum())
        cuts = np.searchsorted(done, np.linspace(0, done[-1], pieces + 1)[1:-1])
        ends = sorted({0, *cuts.tolist(), len(self.at)})
        return [slice(lo, hi) for lo, hi in pairwise(ends)]


def ready(plan: Plan, run: Parallel) -> Ready:
    """List the pairs of a plan that is not empty.

    Pairs that differ by the order of columns follow each other: they need the same parts of the
    tables, and their completions go to the same block fillings.
    """
    grid, roles = plan.grid, plan.roles
    a = roles.a
    orbits = pair_orbits(
        grid.columns[a, roles.p],
        grid.columns[a, roles.q],
        plan.p_orders,
        plan.q_orders,
        plan.groups,
        run,
    )
    frame = members_of(orbits, plan.frame, roles.p, roles.q, run)
    alike = tables().reorder.min(axis=0)
    keys = (frame.firsts, alike[frame.firsts], frame.seconds, alike[frame.seconds])
    at = np.lexsort(keys)
    wide1, wide2 = np.diff(plan.p.ptr), np.diff(plan.q.ptr)
    madds = wide1[frame.firsts[at]].astype(np.float64) * wide2[frame.seconds[at]]
    return Ready(orbits, frame, at, madds * len(plan.dots[1]))


@dataclass(frozen=True)
class Prepared:
    """What the sums of a plan need: pairs and tables, the same for all parts of the sums.

    A part is asked for with fewer `pairs`, or with some rows of `halves` alone. What disjoint parts
    tell adds up: :attr:`Sums.total`, :attr:`Sums.blocks`.

    Attributes:
        pairs: those to sum.
        halves: (m, 3) int16, the a_t to sum (see :attr:`.Plan.images`).
        ta, tb, tc: the tables.
        chunk: length of dot products.
        gathering: with marginals, block fillings and the pairs turned for them.
    """

    plan: Plan
    pairs: Ready
    halves: NDArray[np.int16]
    ta: NDArray[np.int16]
    tb: NDArray[np.int16]
    tc: NDArray[np.int16]
    chunk: int
    gathering: tuple[Fillings, Turned] | None


def prepare(
    plan: Plan,
    team: Team,
    watch: Callable[[], None] = lambda: None,
    marginals: bool = False,
    pairs: Ready | None = None,
) -> Prepared:
    """Fill the tables of a plan that is not an empty one.

    Args:
        plan: the plan.
        team: its threads do it.
        watch: called several times a second from the calling thread; may raise.
        marginals: whether block fillings of band a will be gathered.
        pairs: of the plan, if they are there already.
    """
    pairs = ready(plan, team.run) if pairs is None else pairs

    def run(kernel: Callable[..., None], calls: list[tuple[Any, ...]]) -> None:
        team.run(kernel, calls, watch)

    ta, tb, tc = (table.build(run) for table in (plan.ta, plan.tb, plan.tc))
    chunk = plan.chunk(int(tb.max(initial=0)), int(tc.max(initial=0)))
    gathering = None
    if marginals:
        fillings = fillings_of(plan)
        gathering = fillings, turned(fillings, pairs.orbits, run)
    return Prepared(plan, pairs, plan.images[0], ta, tb, tc, chunk, gathering)


def take_sums(
    plan: Plan,
    team: Team,
    progress: Progress | None = None,
    marginals: bool = False,
    pairs: Ready | None = None,
) -> Sums:
    """Fill the band tables and sum every pair, on the team's threads.

    Args:
        plan: not an empty one.
        team: the threads.
        progress: called several times a second from the calling thread; may raise.
        marginals: also gather block fillings of band a.
        pairs: of the plan, if they are there already.
    """
    known = ready(plan, team.run) if pairs is None else pairs
    work = _work(known, marginals)

    def watch() -> None:
        if progress:
            progress(0.0, work)

    watch()
    return sum_pairs(prepare(plan, team, watch, marginals, known), team, progress)


def _work(pairs: Ready, marginals: bool) -> float:
    """Multiply-adds, and what takes as long."""
    spread = _SPREAD_WORK * float(pairs.members.sum()) if marginals else 0.0
    return float(pairs.madds.sum()) + spread


def sum_pairs(prepared: Prepared, team: Team, progress: Progress | None = None) -> Sums:
    """Sum pairs, whose tables are there; with marginals, gather block fillings of band a.

    Args:
        prepared: the pairs, not none of them.
        team: the threads.
        progress: called several times a second from the calling thread; may raise.
    """
    plan, pairs, gathering = prepared.plan, prepared.pairs, prepared.gathering
    orbits, frame = pairs.orbits, pairs.frame
    ta, tb, tc, chunk = prepared.ta, prepared.tb, prepared.tc, prepared.chunk
    # marginals want W of all pairs of a round, a count of one after the other
    rows = max(1, ROWS_BYTES // (8 * len(plan.frame.t_reps))) if gathering else len(pairs.at)
    kept = min(rows, len(pairs.at)) if gathering else team.threads
    work = _work(pairs, gathering is not None)
    counted, gathered = np.zeros((2, team.threads), dtype=np.int64)

    def watch() -> None:
        if progress:
            told = float(counted.sum()) + _SPREAD_WORK * float(gathered.sum())
            progress(min(told, work), work)

    values = np.zeros(len(orbits.firsts), dtype=np.int64)
    t_ptr, t_c, t_a = plan.dots
    images = prepared.halves, plan.images[1]
    t = tables()
    a_class = np.stack([plan.ta.x.of, plan.ta.y.of])
    members: tuple[Any, ...] = (frame.ptr, frame.pairs, frame.relabel)
    members += (orbits.firsts, orbits.seconds)
    flat: tuple[Any, ...] = flat_table(tb), tb.shape, flat_table(tc), tc.shape
    w = np.empty((kept, len(plan.frame.t_reps)), dtype=np.int64)
    shares = [Gathered(gathering[0]) for _ in range(team.threads)] if gathering else []
    spaces = [working_memory(plan, chunk, w[:1]) for _ in range(team.threads)]

    for first in range(0, len(pairs.at), rows):
        mine = pairs[first : first + rows]
        queue = iter(mine.cut(_PIECES * team.threads))

        def sums_of(thread: int, at: Any = mine.at, queue: Any = queue) -> None:
            x, y, offsets, four, _, image, wanted = spaces[thread]
            for piece in queue:
                if team.stop[0]:
                    return
                _RUN(
                    at, piece.start, piece.stop, frame.firsts, frame.seconds, values, team.stop,
                    counted[thread : thread + 1],
                    *members, ta, a_class, *images, t.triples, t.subset, *flat,
                    plan.p.ptr, plan.p.b, plan.p.c, plan.q.ptr, plan.q.b, plan.q.c,
                    t_ptr, t_c, t_a, chunk,
                    x, y, offsets, four, w[piece] if gathering else w[thread : thread + 1],
                    image, wanted,
                )  # fmt: skip

        team.each(sums_of, watch)
        if gathering:
            turns = gathering[1]
            pieces = pieces_of(turns, orbits, frame, values, mine.at, _PIECES * team.threads)
            rest = iter(pieces)

            def spread_of(thread: int, rest: Any = rest, turns: Any = turns) -> None:
                done = gathered[thread : thread + 1]
                for piece in rest:
                    if team.stop[0]:
                        return
                    shares[thread].gather(piece, frame, orbits, turns, images, w, team.stop, done)

            team.each(spread_of, watch)
    if shares:
        team.each(lambda thread: shares[thread].finish(), watch)
    total = exact_dot(values, orbits.weights) * plan.scale
    blocks = np.zeros((3, 3, 3, ORDERS, 9), dtype=object)
    for share in shares:
        blocks += share.blocks
    return Sums(plan, orbits, ta, tb, tc, chunk, values, total, blocks)


@dataclass(frozen=True)
class _First:
    """A plan that was made ahead, for bands `outer` of a board or its transpose.

    Attributes:
        pairs: None if the plan is empty or too large.
    """

    outer: int
    transposed: bool
    plan: Plan
    pairs: Ready | None


@dataclass(frozen=True)
class Summing:
    """How the sums of a board are taken.

    Attributes:
        masks: 81 candidate masks.
        memory: bytes for the whole process.
        team: the threads.
        progress: called from the calling thread; what it raises ends the work.
    """

    masks: NDArray[np.uint16]
    memory: int
    team: Team
    progress: Progress | None

    def parts(self, first: _First | None = None) -> Iterator[tuple[Plan, Sums]]:
        """Plans within the limit with their sums taken, one after the other.

        Args:
            first: for marginals, what has to be outermost.
        """
        singles = place_singles(self.masks)
        if singles is None:
            return
        finished = 0.0
        marginals = first is not None
        plans = fitting_plans(
            singles,
            self.memory,
            self.team.threads,
            marginals=marginals,
            outer=first.outer if first else None,
            transposed=first.transposed if first else None,
            first=first.plan if first else None,
        )
        for plan, share in plans:
            before = finished

            def report(done: float, total: float, share: float = share) -> None:
                assert self.progress is not None
                self.progress(before * total / share + done, total / share)  # noqa: B023

            told = report if self.progress else None
            pairs = first.pairs if first and first.plan is plan else None
            sums = take_sums(plan, self.team, told, marginals, pairs)
            finished += share
            yield plan, sums

    def _ahead(
        self, singles: NDArray[np.uint16], bands: list[int], transposed: bool
    ) -> Generator[_First, None, None]:
        """Plans with one band after the other outermost, made while the one before is summed."""

        def make(band: int) -> _First:
            plan = make_plan(singles, outer=band, transposed=transposed, marginals=True)
            fits = not plan.empty and plan.nbytes(self.team.threads, True) <= self.memory
            return _First(band, transposed, plan, ready(plan, alone) if fits else None)

        ahead = ThreadPoolExecutor(1, "bands")
        try:
            coming = [ahead.submit(make, band) for band in bands]
            while coming:
                yield coming.pop(0).result()
        finally:
            ahead.shutdown(cancel_futures=True)

    def marginals(self, count: Callable[[], int]) -> NDArray[Any]:
        """In how many solutions each digit stands in each cell: see `BandSet.marginals`.

        Args:
            count: called where the board's symmetries say all the rest.
        """
        out = np.zeros((9, 9, 9), dtype=object)
        singles = place_singles(self.masks)
        if singles is None:
            return out.astype(np.int64)
        way, bands = bands_to_sum(singles)
        total = 0 if bands else count()
        with closing(self._ahead(singles, bands, way)) as planned:
            for first in planned:
                total = 0
                rows = out[3 * first.outer : 3 * first.outer + 3]
                for plan, sums in self.parts(first):
                    total += sums.total
                    rows += band_marginals(Images.of(plan), sums.blocks)
        return completed(out, total, way, bands)
