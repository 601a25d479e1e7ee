"""Taking the sums of a plan: a value for every pair of the outermost band's partitions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bddsudoku.engine.bands.bandtable import Parallel, flat_table
from bddsudoku.engine.bands.fillings import Gathered, fillings_of, pieces_of, turned
from bddsudoku.engine.bands.frames import Members, members_of
from bddsudoku.engine.bands.kernels import run_pairs
from bddsudoku.engine.bands.orbits import PairOrbits, pair_orbits
from bddsudoku.engine.bands.parallel import Team
from bddsudoku.engine.bands.plan import ROWS_BYTES, Plan
from bddsudoku.engine.bands.spreading import ORDERS
from bddsudoku.engine.bands.tables import tables

__all__ = ["Progress", "Ready", "Sums", "exact_dot", "ready", "take_sums", "working_memory"]

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
    """Band tables and pair values of a plan.

    Attributes:
        values: (n,) int64 for the n pairs of `orbits`: sum of W * T_a, without `plan.scale`.
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


def _batches(
    at: NDArray[np.int64], orbits: Members, plan: Plan, pieces: int
) -> tuple[list[tuple[int, int]], float]:
    """Slices of some orbits of about equal work; with the multiply-adds of all of them."""
    wide1, wide2 = np.diff(plan.p.ptr), np.diff(plan.q.ptr)
    dots = len(plan.dots[1])
    work = wide1[orbits.firsts[at]].astype(np.float64) * wide2[orbits.seconds[at]] * dots
    sizes = np.diff(orbits.ptr)[at].astype(np.float64)
    done = np.cumsum(work + sizes * work.sum() / sizes.sum())
    cuts = np.searchsorted(done, np.linspace(0, done[-1], pieces + 1)[1:-1])
    ends = sorted({0, *cuts.tolist(), len(at)})
    return list(pairwise(ends)), float(work.sum())


@dataclass(frozen=True)
class Ready:
    """The pairs of a plan, and its frame's orbits of them in the order of summing."""

    orbits: PairOrbits
    frame: Members
    at: NDArray[np.int64]


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
    return Ready(orbits, frame, np.lexsort(keys))


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
    orbits, frame = known.orbits, known.frame
    rows = max(1, ROWS_BYTES // (8 * len(plan.frame.t_reps))) if marginals else 1 << 62
    rounds = [known.at[lo : lo + rows] for lo in range(0, len(known.at), rows)]
    batches = [_batches(at, frame, plan, _PIECES * team.threads) for at in rounds]
    work = sum(part for _, part in batches)
    spread = _SPREAD_WORK * len(frame.pairs) if marginals else 0.0
    counted, gathered = np.zeros((2, team.threads), dtype=np.int64)

    def watch() -> None:
        if progress:
            told = float(counted.sum()) + _SPREAD_WORK * float(gathered.sum())
            progress(min(told, work + spread), work + spread)

    watch()

    def run(kernel: Callable[..., None], calls: list[tuple[Any, ...]]) -> None:
        team.run(kernel, calls, watch)

    ta, tb, tc = (table.build(run) for table in (plan.ta, plan.tb, plan.tc))
    chunk = plan.chunk(int(tb.max(initial=0)), int(tc.max(initial=0)))
    values = np.zeros(len(orbits.firsts), dtype=np.int64)
    t_ptr, t_c, t_a = plan.dots
    halves, place = plan.images
    t = tables()
    a_class = np.stack([plan.ta.x.of, plan.ta.y.of])
    members: tuple[Any, ...] = (frame.ptr, frame.pairs, frame.relabel)
    members += (orbits.firsts, orbits.seconds)
    flat: tuple[Any, ...] = flat_table(tb), tb.shape, flat_table(tc), tc.shape
    # marginals want W of all pairs of a round, a count of one after the other
    kept = min(rows, len(known.at)) if marginals else team.threads
    w = np.empty((kept, len(plan.frame.t_reps)), dtype=np.int64)
    fillings = fillings_of(plan) if marginals else None
    turns = turned(fillings, orbits, run) if fillings else None
    shares = [Gathered(fillings) for _ in range(team.threads)] if fillings else []
    spaces = [working_memory(plan, chunk, w[:1]) for _ in range(team.threads)]

    for at, (slices, _) in zip(rounds, batches, strict=True):
        queue = iter(slices)

        def sums_of(thread: int, at: Any = at, queue: Any = queue) -> None:
            x, y, offsets, four, _, image, wanted = spaces[thread]
            for lo, hi in queue:
                if team.stop[0]:
                    return
                _RUN(
                    at, lo, hi, frame.firsts, frame.seconds, values, team.stop,
                    counted[thread : thread + 1],
                    *members, ta, a_class, halves, place, t.triples, t.subset, *flat,
                    plan.p.ptr, plan.p.b, plan.p.c, plan.q.ptr, plan.q.b, plan.q.c,
                    t_ptr, t_c, t_a, chunk,
                    x, y, offsets, four, w[lo:hi] if marginals else w[thread : thread + 1],
                    image, wanted,
                )  # fmt: skip

        team.each(sums_of, watch)
        if turns:
            pieces = pieces_of(turns, orbits, frame, values, at, _PIECES * team.threads)
            rest = iter(pieces)

            def spread_of(thread: int, rest: Any = rest, turns: Any = turns) -> None:
                for piece in rest:
                    if team.stop[0]:
                        return
                    shares[thread].gather(
                        piece, frame, orbits, turns, w, team.stop, gathered[thread : thread + 1]
                    )

            team.each(spread_of, watch)
    if shares:
        team.each(lambda thread: shares[thread].finish(), watch)
    total = exact_dot(values, orbits.weights) * plan.scale
    blocks = np.zeros((3, 3, 3, ORDERS, 9), dtype=object)
    for share in shares:
        blocks += share.blocks
    return Sums(plan, orbits, ta, tb, tc, chunk, values, total, blocks)
