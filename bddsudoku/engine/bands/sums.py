"""Taking the sums of a plan: a value for every pair of the outermost band's partitions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bddsudoku.engine.bands.bandtable import compatible_rows, flat_table
from bddsudoku.engine.bands.frames import Members, members_of
from bddsudoku.engine.bands.kernels import run_pairs, spread_pairs
from bddsudoku.engine.bands.orbits import PairOrbits, pair_orbits
from bddsudoku.engine.bands.parallel import Team
from bddsudoku.engine.bands.plan import Plan
from bddsudoku.engine.bands.tables import PARTITIONS, tables

__all__ = [
    "Prepared",
    "Progress",
    "Sums",
    "exact_dot",
    "pieces_of",
    "prepare",
    "sum_pairs",
    "take_sums",
    "working_memory",
]

#: Called with (multiply-adds done, multiply-adds in all).
Progress = Callable[[float, float], None]

Work = NDArray[np.float64]

_RUN: Callable[..., None] = run_pairs
_SPREAD_PAIRS: Callable[..., None] = spread_pairs

#: Pieces of the work for each thread.
_PIECES = 24

#: Orbits that are summed before the marginals of their members are.
_SPREAD = 16


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
    return x, y, np.empty(16, dtype=np.int64), w, image, wanted


@dataclass
class RowSums:
    """Marginal accumulators of one stack: completions of each (column, row) partition pair.

    Attributes:
        columns, rows: (entries,) partition numbers.
        ptr: where the lists start, by column partition (stacks p, q) or by row partition (t).
        keys: (entries,) what the lists hold: row partitions, or places in the plan's `t_reps`.
        acc: (entries, 2) uint64, limbs of weight 1 and 2**32.
    """

    columns: NDArray[np.int64]
    rows: NDArray[np.int64]
    ptr: NDArray[np.int64]
    keys: NDArray[np.int16]
    acc: NDArray[np.uint64]


@dataclass
class Sums:
    """Band tables and pair values of a plan.

    Attributes:
        values: (n,) int64 for the n pairs of `orbits`: sum of W * T_a, without `plan.scale`.
        total: the number of solutions.
        rows: with marginals, accumulators of the stacks p, q and t.
    """

    plan: Plan
    orbits: PairOrbits
    ta: NDArray[np.int16]
    tb: NDArray[np.int16]
    tc: NDArray[np.int16]
    chunk: int
    values: NDArray[np.int64]
    total: int
    rows: list[RowSums]


def _row_sums(plan: Plan) -> list[RowSums]:
    out = []
    a = plan.roles.a
    # One row structure of each orbit of row permutations, told by its partition in stack p;
    # `band_marginals` adds the others.
    orders = plan.grid.row_orders(a)
    canonical = tables().reorder[orders].min(axis=0) == np.arange(PARTITIONS)
    for stack in (plan.roles.p, plan.roles.q, plan.roles.t):
        alive = plan.grid.rows[a, stack]
        alive = alive & canonical if stack == plan.roles.p else alive
        by_row = stack == plan.roles.t
        living = plan.t_reps if by_row else np.nonzero(plan.grid.columns[a, stack])[0]
        ptr, rows = compatible_rows(plan.grid.masks[a, stack], alive, living.astype(np.int32))
        places = np.repeat(np.arange(len(living)), np.diff(ptr))
        columns, wide = living[places], rows.astype(np.int64)
        if by_row:
            order = np.argsort(wide, kind="stable")
            columns, wide, places = columns[order], wide[order], places[order]
        starts = np.searchsorted(wide if by_row else columns, np.arange(PARTITIONS + 1))
        keys = places if by_row else wide
        acc = np.zeros((len(rows), 2), dtype=np.uint64)
        out.append(RowSums(columns, wide, starts.astype(np.int64), keys.astype(np.int16), acc))
    return out


@dataclass(frozen=True)
class Prepared:
    """What every part of a plan's sums needs: tables of the bands, pairs and their orbits."""

    plan: Plan
    orbits: PairOrbits
    frame: Members
    ta: NDArray[np.int16]
    tb: NDArray[np.int16]
    tc: NDArray[np.int16]
    chunk: int


def pieces_of(prepared: Prepared, pieces: int) -> list[NDArray[np.int64]]:
    """Orbits in so many pieces of about equal work, or fewer."""
    return _batches(prepared.frame, prepared.plan, pieces)[0]


def _batches(orbits: Members, plan: Plan, pieces: int) -> tuple[list[NDArray[np.int64]], Work]:
    """Orbits in pieces of about equal work, and the multiply-adds of each orbit."""
    wide1, wide2 = np.diff(plan.p.ptr), np.diff(plan.q.ptr)
    dots = len(plan.dots[1])
    work = wide1[orbits.firsts].astype(np.float64) * wide2[orbits.seconds] * dots
    order = np.lexsort((orbits.firsts, orbits.seconds))
    sizes = np.diff(orbits.ptr)[order].astype(np.float64)
    done = np.cumsum(work[order] + sizes * work.sum() / sizes.sum())
    cuts = np.searchsorted(done, np.linspace(0, done[-1], pieces + 1)[1:-1])
    return [piece for piece in np.split(order, cuts) if len(piece)], work


def prepare(plan: Plan, team: Team, watch: Callable[[], None] = lambda: None) -> Prepared:
    """Fill the tables of a plan that is not an empty one.

    Args:
        plan: the plan.
        team: its threads do it.
        watch: called several times a second from the calling thread; may raise.
    """
    grid, roles = plan.grid, plan.roles
    a = roles.a
    orbits = pair_orbits(
        grid.columns[a, roles.p],
        grid.columns[a, roles.q],
        plan.p_orders,
        plan.q_orders,
        plan.groups,
        team.run,
    )
    frame = members_of(orbits, plan.frame, roles.p, roles.q, team.run)

    def run(kernel: Callable[..., None], calls: list[tuple[Any, ...]]) -> None:
        team.run(kernel, calls, watch)

    ta, tb, tc = (table.build(run) for table in (plan.ta, plan.tb, plan.tc))
    chunk = plan.chunk(int(tb.max(initial=0)), int(tc.max(initial=0)))
    return Prepared(plan, orbits, frame, ta, tb, tc, chunk)


def take_sums(
    plan: Plan, team: Team, progress: Progress | None = None, marginals: bool = False
) -> Sums:
    """Fill the band tables and sum every pair, on the team's threads.

    Args:
        plan: not an empty one.
        team: the threads.
        progress: called several times a second from the calling thread; may raise.
        marginals: also accumulate block fillings of band a.
    """

    def watch() -> None:
        if progress:
            progress(0.0, 1.0)

    return sum_pairs(prepare(plan, team, watch), team, progress, marginals)


def sum_pairs(
    prepared: Prepared,
    team: Team,
    progress: Progress | None = None,
    marginals: bool = False,
    chosen: list[NDArray[np.int64]] | None = None,
) -> Sums:
    """Sum pairs, or some pieces of them: what the pieces hold adds up.

    Args:
        prepared: a plan with its tables.
        team: the threads.
        progress: called several times a second from the calling thread; may raise.
        marginals: also accumulate block fillings of band a.
        chosen: some of :func:`pieces_of` it; the others' values are 0.
    """
    plan, orbits, frame = prepared.plan, prepared.orbits, prepared.frame
    ta, tb, tc, chunk = prepared.ta, prepared.tb, prepared.tc, prepared.chunk
    batches, each = _batches(frame, plan, _PIECES * team.threads)
    batches = batches if chosen is None else chosen
    work = float(sum(each[batch].sum() for batch in batches))
    if progress:
        progress(0.0, work)

    def watch() -> None:
        if progress:
            progress(float(team.done.sum()), work)

    team.done[:] = 0
    values = np.zeros(len(orbits.firsts), dtype=np.int64)
    rows = _row_sums(plan) if marginals else []
    every_acc = [rows if n == 0 else _copies(rows) for n in range(team.threads)]
    queue = iter(batches)
    t_ptr, t_c, t_a = plan.dots
    halves, place = plan.images
    t = tables()
    a_class = np.stack([plan.ta.x.of, plan.ta.y.of])
    members: tuple[Any, ...] = (frame.ptr, frame.pairs, frame.relabel)
    members += (orbits.firsts, orbits.seconds)
    flat: tuple[Any, ...] = flat_table(tb), tb.shape, flat_table(tc), tc.shape
    images: tuple[Any, ...] = (halves, place, t.triples, t.subset)

    def worker(thread: int) -> None:
        # marginals want W of some pairs at a time, a count of one after the other
        w = np.empty((_SPREAD if marginals else 1, len(plan.frame.t_reps)), dtype=np.int64)
        lists = np.empty((3, PARTITIONS), dtype=np.int32)
        lists[0] = -1
        sums = np.zeros((4, PARTITIONS), dtype=np.int64)
        space = working_memory(plan, chunk, w)
        fillings: list[Any] = []
        for acc in every_acc[thread]:
            fillings += [acc.ptr, acc.keys, acc.acc]
        done = team.done[thread : thread + 1]
        for at in queue:
            step = len(w) if marginals else len(at)
            for lo in range(0, len(at), step):
                if team.stop[0]:
                    return
                hi = min(lo + step, len(at))
                _RUN(
                    at, lo, hi, frame.firsts, frame.seconds, values, team.stop, done,
                    *members, ta, a_class, *images, *flat,
                    plan.p.ptr, plan.p.b, plan.p.c, plan.q.ptr, plan.q.b, plan.q.c,
                    t_ptr, t_c, t_a, chunk, *space,
                )  # fmt: skip
                if marginals and not team.stop[0]:
                    _SPREAD_PAIRS(
                        at, lo, hi, *members, orbits.weights, values, w, *images, t.struct,
                        team.stop, lists, sums, *fillings,
                    )  # fmt: skip

    team.each(worker, watch)
    for other in every_acc[1:]:
        for mine, theirs in zip(rows, other, strict=True):
            mine.acc += theirs.acc
    total = exact_dot(values, orbits.weights) * plan.scale
    return Sums(plan, orbits, ta, tb, tc, chunk, values, total, rows)


def _copies(rows: list[RowSums]) -> list[RowSums]:
    return [replace(r, acc=np.zeros_like(r.acc)) for r in rows]
