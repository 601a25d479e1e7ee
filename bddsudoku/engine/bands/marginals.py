"""Marginals (solutions by cell and digit), from the number of completions of each block filling.

A pair (a_p, a_q) comes with its completions W by a_t. They belong to every filling of band a with
these column partitions, and a block filling is a row partition with a column partition. Whether a
row partition fits a column partition does not depend on the order of columns with equal masks in
the block: so pairs are gathered by the *classes* of a_p and a_q (see `PartitionClasses`), with sums
of W by the class of a_t, and row structures are read once for each pair of classes. The order of
the columns matters only in the block whose cells are asked for: there are separate sums for each
order of the columns of a_p, of a_q, and of a_t.

Bounds. Arithmetic is that of int64 modulo 2**64, and what is read in the end, solutions with a
block filling, is below `MAX_MEMBERS`: before a thread could have gathered more, its sums are added
up as Python integers. A pair whose own solutions, over its whole orbit, are more is gathered once,
which are at most 3136 * 94080 * 1728**3 < 1.6e18, and then multiplied.

At the end, block fillings weighted by completions become counts for every cell and digit.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import lcm
from typing import NamedTuple, Self

import numpy as np

from bddsudoku.engine.bands.band_plan import BandPlan, PlanInput
from bddsudoku.engine.bands.band_table import (
    Parallel,
    compatible_row_partitions,
    invert_row_lists,
    relabel_partitions,
)
from bddsudoku.engine.bands.kernels import PairSumInput, relabel_subsets
from bddsudoku.engine.bands.partition_pair_orbits import PairOrbits, canonical_pairs
from bddsudoku.engine.bands.partitions import (
    COLUMN_ORDERS,
    PARTITIONS,
    PartitionClasses,
    canonical_partition_flags,
    line_orders_keeping_masks,
    partition_tables,
)
from bddsudoku.jit import kernel, subroutine
from bddsudoku.jit.decorators import I16, I32, I64, U8, U16, AnyArray

#: Orders of three columns.
ORDERS = 6


class StackFillings(NamedTuple):
    """The ways to fill one block of the outermost band, up to column symmetries.

    Attributes:
        columns, rows: (entries,) partition numbers.
        ptr: where the lists start, by class (stacks p, q) or by row partition (t).
        keys: (entries,) what the lists hold: row partitions, or classes (t).
        of: (1680,) the class of a partition.
        orders: numbers of the `COLUMN_ORDERS` that make one of a class of another.
        permutation: (1680,) the column of :attr:`GatherWorkspace.wide` for the order that makes a
            living partition of its representative.
    """

    columns: I32
    rows: I32
    ptr: I64
    keys: U16
    of: I32
    orders: I64
    permutation: I64


class BlockFillings(NamedTuple):
    """The fillings of one band's blocks, and the band's pairs of digit partitions.

    Attributes:
        p, q, t: by stack.
        begin: where the orders of a_t begin in :attr:`GatherWorkspace.wide`.
        keys: (pairs,) numbers, equal for pairs of the same classes.
        permutation: (pairs, 9) uint8, symmetries of the board: what becomes of each digit.
        firsts, seconds: (pairs,) the partitions of the relabelled pairs.
    """

    p: StackFillings
    q: StackFillings
    t: StackFillings
    begin: int
    keys: I64
    permutation: U8
    firsts: I16
    seconds: I16

    @classmethod
    def from_plan(cls, plan: BandPlan, orbits: PairOrbits, run: Parallel) -> Self:
        """List the fillings of band a's blocks, and give equivalent pairs of partitions equal keys.

        One row structure of each orbit of row permutations is read, known by its partition in
        stack p; `band_marginals` adds the others.
        """
        a, roles, grid = plan.roles.a, plan.roles, plan.grid
        canonical = canonical_partition_flags(grid.row_orders_keeping_masks(a))
        stacks: list[StackFillings] = []
        begin = 0
        sides = (roles.p, plan.ta.x), (roles.q, plan.ta.y), (roles.t, plan.ta.z)
        for stack, classes in sides:
            alive = grid.rows[a, stack]
            alive = alive & canonical if stack == roles.p else alive
            listed = compatible_row_partitions(grid.masks[a, stack], alive, classes.reps)
            places = np.repeat(np.arange(len(classes.reps)), np.diff(listed.ptr))
            rows = keys = listed.items
            if stack == roles.t:
                order = np.argsort(rows, kind="stable")
                listed = invert_row_lists(listed)
                places, rows, keys = places[order], rows[order], listed.items
            orders = line_orders_keeping_masks(grid.masks[a, stack].T)
            held = classes.reps[places], rows, listed.ptr, keys.astype(np.uint16)
            stacks.append(
                StackFillings(
                    *held, classes.of, orders, begin + _column_order_by_partition(classes, orders)
                )
            )
            begin += len(orders)
        p, q, t = stacks
        begin -= len(t.orders)
        groups = plan.board.groups
        if len(groups) == 9:
            class_pairs = p.of[orbits.firsts] * np.int64(PARTITIONS) + q.of[orbits.seconds]
            turning = np.tile(np.arange(9, dtype=np.uint8), (len(class_pairs), 1))
        else:
            # marginals are averaged over the board's symmetries anyway
            class_pairs, turning = canonical_pairs(
                orbits.firsts,
                orbits.seconds,
                (p.orders, q.orders),
                plan.board.groups,
                run,
                relabel=True,
            )
        permuted = (relabel_partitions(x, turning) for x in (orbits.firsts, orbits.seconds))
        return cls(p, q, t, begin, class_pairs, turning, *permuted)


def _column_order_by_partition(classes: PartitionClasses, column_orders: I64) -> I64:
    """Find, for each partition, the column order that turns its class's representative into it."""
    permutation = np.zeros(PARTITIONS, dtype=np.int64)
    for n, order in enumerate(column_orders):
        permutation[partition_tables().reorder[order][classes.reps]] = n
    return permutation


class GatherWorkspace(NamedTuple):
    """One thread's arrays for counting the solutions with each filling of a block.

    Attributes:
        p, q, t: (entries, orders) sums by block filling.
        wide: sums by class of a_t and the order of a_p, of a_q, of a_t.
        images: (2, 84).
        places: (1680,) all -1 before and after.
        met: (1680,).
        times: (1680,), all zero before and after: how many row structures end in a row partition.
        sums: (1680, 12): what is in `wide` for the partners of a row partition.
        q_sum: (1680, 6).
        stop: (1,), not 0 to end the work early.
        done: (1,), counts members.
    """

    p: I64
    q: I64
    t: I64
    wide: I64
    images: I32
    places: I32
    met: I32
    times: I64
    sums: I64
    q_sum: I64
    stop: I64
    done: I64

    @classmethod
    def allocate(
        cls, fillings: BlockFillings, class_count: int, stop: AnyArray, done: AnyArray
    ) -> Self:
        """Allocate one thread's arrays for counting the solutions with each filling of a block."""
        p, q, t = (
            np.zeros((len(stack.keys), len(stack.orders)), dtype=np.int64) for stack in fillings[:3]
        )
        return cls(
            p,
            q,
            t,
            np.empty((class_count, fillings.begin + t.shape[1]), dtype=np.int64),
            np.empty((2, 84), dtype=np.int32),
            np.full(PARTITIONS, -1, dtype=np.int32),
            np.empty(PARTITIONS, dtype=np.int32),
            np.zeros(PARTITIONS, dtype=np.int64),
            np.empty((PARTITIONS, 2 * ORDERS), dtype=np.int64),
            np.empty((PARTITIONS, ORDERS), dtype=np.int64),
            stop,
            done,
        )


@subroutine
def _add_to_third_block(problem, fillings, work, completions, times, p_order, q_order):  # type: ignore[no-untyped-def]
    image, permuted, t = work.images[0], work.images[1], fillings.t
    for k in range(len(problem.halves)):
        first, second = problem.halves[k, 0], problem.halves[k, 1]
        value = completions[problem.place[image[first] * 84 + image[second]]] * times
        if value != 0:
            moved = problem.tables.numbers[permuted[first] * 84 + permuted[second]]
            line = work.wide[t.of[moved]]
            line[p_order] += value
            line[q_order] += value
            line[t.permutation[moved]] += value


@subroutine
def _sum_fitting_classes(work, t, row_partition, width):  # type: ignore[no-untyped-def]
    sums = work.sums[row_partition]
    sums[:] = 0
    for n in range(t.ptr[row_partition], t.ptr[row_partition + 1]):
        line = work.wide[t.keys[n]]
        for k in range(width):
            sums[k] += line[k]


@subroutine
def _add_class_sums_to_fillings(triples, fillings, work, p_class, q_class):  # type: ignore[no-untyped-def]
    p, q, t = fillings.p, fillings.q, fillings.t
    n_p, n_q = len(p.orders), len(q.orders)
    places, s, q_sum = work.places, work.sums, work.q_sum
    q0, q1 = q.ptr[q_class], q.ptr[q_class + 1]
    for e in range(q0, q1):
        places[q.keys[e]] = e - q0
        for j in range(n_q):
            q_sum[e - q0, j] = 0
    n_met = 0
    for e in range(p.ptr[p_class], p.ptr[p_class + 1]):
        r = int(p.keys[e])
        for n in range(56 * r, 56 * r + 56):
            place = places[triples[n, 1]]
            if place >= 0:
                r3 = np.int64(triples[n, 2])
                if work.times[r3] == 0:
                    work.met[n_met] = r3
                    n_met += 1
                    _sum_fitting_classes(work, t, r3, fillings.begin)
                work.times[r3] += 1
                for j in range(n_p):
                    work.p[e, j] += s[r3, j]
                for j in range(n_q):
                    q_sum[place, j] += s[r3, n_p + j]
    for e in range(q1 - q0):
        places[q.keys[q0 + e]] = -1
        for j in range(n_q):
            work.q[q0 + e, j] += q_sum[e, j]
    for n in range(n_met):
        r3 = work.met[n]
        times = work.times[r3]
        work.times[r3] = 0
        for k in range(t.ptr[r3], t.ptr[r3 + 1]):
            line = work.wide[t.keys[k]]
            for order in range(len(t.orders)):
                work.t[k, order] += line[fillings.begin + order] * times


@kernel
def add_batch_to_fillings(problem, fillings, work, members, rows, weighted, completions):  # type: ignore[no-untyped-def]
    """For a batch of partition pairs, add the solution counts to the totals by block filling.

    Those of members[n] are in row rows[n] of `completions` (see :func:`.kernels.sum_pair_orbits`).
    If `weighted`, they are multiplied by the size of the pair's orbit. Lists of p and q go by
    class, those of t by row partition: only the rows that a row structure meets are looked at.
    """
    lo = 0
    while lo < len(members) and work.stop[0] == 0:
        pair = problem.members.pairs[members[lo]]
        key = fillings.keys[pair]
        x = fillings.p.of[fillings.firsts[pair]]
        y = fillings.q.of[fillings.seconds[pair]]
        work.wide[:] = 0
        hi = lo
        while hi < len(members):
            pair = problem.members.pairs[members[hi]]
            if fillings.keys[pair] != key:
                break
            relabel_subsets(problem.members.relabel[members[hi]], problem.tables, work.images[0])
            relabel_subsets(fillings.permutation[pair], problem.tables, work.images[1])
            times = problem.orbits.weights[pair] if weighted else np.int64(1)
            one = fillings.p.permutation[fillings.firsts[pair]]
            other = fillings.q.permutation[fillings.seconds[pair]]
            _add_to_third_block(problem, fillings, work, completions[rows[hi]], times, one, other)
            hi += 1
        _add_class_sums_to_fillings(problem.tables.struct, fillings, work, x, y)
        work.done[0] += hi - lo
        lo = hi


@kernel
def _add_filling_sums_to_cells(partition_masks, stack, filling_sums, out):  # type: ignore[no-untyped-def]
    """Add the sum of each block filling to the totals of its nine candidates (cell and digit).

    out[i, j, order, digit] += sums[n, order] for the digit where row i and column j meet.
    """
    for n in range(len(stack.rows)):
        for i in range(3):
            for j in range(3):
                bit = int(partition_masks[stack.rows[n], i] & partition_masks[stack.columns[n], j])
                digit = 0
                while bit >> digit > 1:
                    digit += 1
                for order in range(filling_sums.shape[1]):
                    out[i, j, order, digit] += filling_sums[n, order]


#: Solutions that a thread gathers before it adds them up.
MAX_MEMBERS = float(1 << 62)
#: Nanoseconds for a member and for a pair of classes, roughly; they matter by their ratio.
_MEMBER, _PAIR = 2000.0, 50000.0


class MemberBatch(NamedTuple):
    """The pairs of digit partitions that one kernel call handles, and where their counts are.

    Attributes:
        times: 0; or the size of a single member's orbit, by which its sums are multiplied.
        total: their solutions.
    """

    members: I64
    rows: I64
    times: int
    total: float


def make_pair_batches(
    problem: PairSumInput,
    fillings: BlockFillings,
    values: I64,
    orbit_numbers: I64,
    batch_count: int,
) -> list[MemberBatch]:
    """Divide the digit partition pairs that have solutions into batches, one per kernel call.

    Args:
        problem, fillings: what is summed.
        values: solutions by pair.
        orbit_numbers: places of orbits in the frame; completions of orbit_numbers[n] are in row n.
        batch_count: how many of about equal work, or some more.
    """
    frame = problem.members
    sizes = np.diff(frame.ptr)[orbit_numbers]
    rows = np.repeat(np.arange(len(orbit_numbers)), sizes)
    first = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    members = np.arange(len(rows)) - np.repeat(first - frame.ptr[orbit_numbers], sizes)
    alive = np.flatnonzero(values[frame.pairs[members]])
    alive = alive[np.argsort(fillings.keys[frame.pairs[members[alive]]], kind="stable")]
    members, rows = members[alive], rows[alive]
    pairs = frame.pairs[members]
    weights = problem.orbits.weights[pairs]
    totals = values[pairs].astype(np.float64) * weights
    big = totals >= MAX_MEMBERS / 2
    out = [
        MemberBatch(members[n : n + 1], rows[n : n + 1], int(weights[n]), 0.0)
        for n in np.flatnonzero(big)
    ]
    members, rows, totals = members[~big], rows[~big], totals[~big]
    if not len(members):
        return out
    key = fillings.keys[pairs[~big]]
    cost = np.cumsum(_MEMBER + _PAIR * (np.diff(key, prepend=-1) != 0))
    part = (cost * (batch_count / cost[-1])).astype(np.int64)
    part += (np.cumsum(totals) / (MAX_MEMBERS / 2)).astype(np.int64) * (batch_count + 1)
    cuts = np.flatnonzero(np.diff(part, prepend=part[0]))
    for lo, hi in zip([0, *cuts], [*cuts, len(members)], strict=True):
        out.append(MemberBatch(members[lo:hi], rows[lo:hi], 0, float(totals[lo:hi].sum())))
    return out


class FillingSums:
    """One thread's solution counts for each block filling, and their totals by cell and digit.

    Attributes:
        blocks: (3, 3, 3, 6, 9) Python ints, by stack (p, q, t), row, column of the class's
            representative, order in which the columns stand, digit.
    """

    def __init__(
        self, problem: PairSumInput, fillings: BlockFillings, stop: AnyArray, done: AnyArray
    ) -> None:
        self._problem, self._fillings = problem, fillings
        self._work = GatherWorkspace.allocate(fillings, problem.a.shape[2], stop, done)
        self._total = 0.0
        self.blocks: AnyArray = np.zeros((3, 3, 3, ORDERS, 9), dtype=object)

    def move_sums_to_cells(self, times: int = 1) -> None:
        """Add `times` × the block fillings' sums to the totals by cell, and set the sums to 0."""
        for stack, sums, block in zip(self._fillings[:3], self._work[:3], self.blocks, strict=True):
            found = np.zeros((3, 3, sums.shape[1], 9), dtype=np.int64)
            _add_filling_sums_to_cells(partition_tables().part, stack, sums, found)
            block[:, :, stack.orders] += found.astype(object) * times
            sums[:] = 0
        self._total = 0.0

    def add_batch(self, batch: MemberBatch, completions: I64) -> None:
        """Add the solution counts of a batch of partition pairs to the block fillings' sums."""
        if batch.times or self._total + batch.total > MAX_MEMBERS:
            self.move_sums_to_cells()
        add_batch_to_fillings(
            self._problem, self._fillings, self._work, batch.members, batch.rows,
            not batch.times, completions,
        )  # fmt: skip
        self._total += batch.total
        if batch.times:
            self.move_sums_to_cells(batch.times)


def band_marginals(plan: BandPlan, blocks: AnyArray) -> AnyArray:
    """Compute the marginals of the outermost band's cells, as [row, column, digit - 1].

    The sums hold one row structure of each orbit of row permutations: the others follow by
    permuting rows. They hold one pair of each orbit, times its size. The group is a direct
    product (digits by groups, columns of each stack), so averaging over one factor after the
    other gives what the whole orbit would have given.

    Args:
        plan: not an empty one.
        blocks: see :class:`FillingSums`.
    """
    roles, groups = plan.roles, plan.board.groups
    out = np.zeros((3, 9, 9), dtype=object)
    for stack, by_order in zip((roles.p, roles.q, roles.t), blocks, strict=True):
        block = sum(by_order[:, order, n] for n, order in enumerate(COLUMN_ORDERS))
        group = COLUMN_ORDERS[plan.board.orders[stack]]
        mean = sum(block[:, order] for order in group)  # times len(group)
        factor = 6 // len(group)
        out[:, 3 * stack : 3 * stack + 3] = mean * factor
    rows_too = sum(
        out[order] for order in COLUMN_ORDERS[plan.grid.row_orders_keeping_masks(roles.a)]
    )
    common = lcm(*(len(group) for group in groups))
    averaged = np.zeros_like(out)
    for digits in groups:
        averaged[:, :, digits] = rows_too[:, :, digits].sum(axis=2, keepdims=True) * (
            common // len(digits)
        )
    exact = averaged * (plan.tb.scale * plan.tc.scale * len(plan.board.orders[roles.t]))
    divided = exact // (6 * common)
    if (divided * (6 * common) != exact).any():
        raise AssertionError("marginals of an orbit do not divide evenly")
    return divided


def complete_marginals(marginals: AnyArray, total: int, summed: Sequence[PlanInput]) -> AnyArray:
    """Derive the marginals of the whole board from the marginals of some of its bands.

    Rows that may change places have equal parts of what is left of each column.

    Args:
        marginals: (9, 9, 9) Python ints, rows, columns, digits: those of the bands; changed.
        total: the number of solutions.
        summed: see :func:`.band_plan.plan_inputs_for_marginals`.

    Returns:
        [row, column, digit - 1]: int64 where the total is below 2**63, otherwise Python ints.
    """
    bands = [plan_input.outer for plan_input in summed]
    if len(bands) < 3:
        rest = [row for row in range(9) if row // 3 not in bands]
        left = np.full((9, 9), total, dtype=object) - marginals.sum(axis=0)
        if (left % len(rest) != 0).any():
            raise AssertionError("marginals of equal rows do not divide evenly")
        marginals[rest] = left // len(rest)
    marginals = marginals.transpose(1, 0, 2) if summed and summed[0].transposed else marginals
    return marginals.astype(np.int64) if total < 1 << 63 else marginals
