"""Rank solutions (number them in a fixed order) and unrank them, by counts from band tables.

Order (the plan's own): by the outermost band's column partitions in stack p, then q, then t,
ascending by partition number; then by its row structure; then by the other bands' column
partitions (stack p, t, q), then by their row structures, band b before band c.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Any

import numpy as np

from bddsudoku.engine.bands.kernels import DotWorkspace, sum_pair_orbits
from bddsudoku.engine.bands.partition_pair_orbits import OrbitMembers
from bddsudoku.engine.bands.partitions import are_compatible, partition_numbers, partition_tables
from bddsudoku.engine.bands.summation import BandSums, exact_dot
from bddsudoku.jit import kernel
from bddsudoku.jit.decorators import I64, U8


@kernel
def rank_or_unrank_triples(table_b, table_c, stack_triples, partitions, rank, place):  # type: ignore[no-untyped-def]
    """Rank the column partitions of bands b and c if `rank` < 0; otherwise unrank them.

    `place` are places in the lists of stacks p, q, t: those to stop at when rank < 0; else it
    becomes the place whose interval holds `rank`.

    Returns:
        The sum before the place (at most 56**3 * 1728**2 < 2**39); -1 when it is never reached.
    """
    p, q, t = stack_triples
    total = np.int64(0)
    p0, q0, t0 = p.ptr[partitions[0]], q.ptr[partitions[1]], t.ptr[partitions[2]]
    for i in range(p.ptr[partitions[0] + 1] - p0):
        for k in range(t.ptr[partitions[2] + 1] - t0):
            for j in range(q.ptr[partitions[1] + 1] - q0):
                value = np.int64(table_b[q.b[q0 + j], p.b[p0 + i], t.b[t0 + k]])
                value *= np.int64(table_c[q.c[q0 + j], p.c[p0 + i], t.c[t0 + k]])
                if rank < 0:
                    is_hit = i == place[0] and j == place[1] and k == place[2]
                else:
                    is_hit = rank < total + value
                if is_hit:
                    place[0], place[1], place[2] = i, j, k
                    return total
                total += value
    return -1


@kernel
def rank_or_unrank_filling(tables, masks, columns, rank, rows):  # type: ignore[no-untyped-def]
    """Find a band's filling of a given rank or, if `rank` < 0, the rank of a given filling.

    `rows` are row partitions: those to stop at when rank < 0; else they become those of number
    `rank`.

    Returns:
        How many came before; -1 when it is never reached.
    """
    n = 0
    for e in range(tables.orth.shape[1]):
        r = np.int64(tables.orth[columns[0], e])
        if are_compatible(tables, masks[0], r, columns[0]):
            for k in range(56 * r, 56 * r + 56):
                r2, r3 = np.int64(tables.struct[k, 1]), np.int64(tables.struct[k, 2])
                if are_compatible(tables, masks[1], r2, columns[1]) and are_compatible(
                    tables, masks[2], r3, columns[2]
                ):
                    if n == rank or (rank < 0 and r == rows[0] and r2 == rows[1]):
                        rows[0], rows[1], rows[2] = r, r2, r3
                        return n
                    n += 1
    return -1


Triple = I64
"""Three partitions, or places in three lists: of the stacks p, q, t."""


@dataclass(frozen=True)
class _PairSlice:
    """Numbers of ways to complete two blocks of a band, listed by the third block's partition.

    Attributes:
        thirds: partition numbers a_t with solutions, ascending.
        w: completions W of each, rows of bands b and c divided out.
        offsets: W * T_a summed before each, and the total at the end.
    """

    thirds: I64
    w: I64
    offsets: I64


class Ranking:
    """Maps solutions to ranks (numbers from 0) and back; thread-safe."""

    def __init__(self, sums: BandSums) -> None:
        self.sums = sums
        plan, roles = sums.plan, sums.plan.roles
        self._stacks = roles.p, roles.q, roles.t
        self._firsts, self._seconds, self._thirds = (
            np.nonzero(plan.grid.columns[roles.a, stack])[0] for stack in self._stacks
        )
        self._rest = plan.tb.scale * plan.tc.scale
        self._unit = plan.ta.scale * self._rest
        self._links = plan.p, plan.q, plan.t
        self._stack_orders = len(plan.board.orders[roles.t])

    def _pair_counts(self, first: Any) -> I64:
        """Count the solutions for `first` and each second digit partition; divide by `_unit`."""
        o = self.sums.problem.orbits
        values = self.sums.values[o.orbit[o.place1[first], o.place2[self._seconds]]]
        return np.asarray(values * self._stack_orders, dtype=np.int64)

    @cached_property
    def _cumulative_counts_by_first(self) -> list[int]:
        """Return running totals of the solutions by first digit partition, divided by `_unit`."""
        ones = np.ones(len(self._seconds), dtype=np.int64)
        return list(
            accumulate((exact_dot(self._pair_counts(a), ones) for a in self._firsts), initial=0)
        )

    def _allocate_workspace(self) -> DotWorkspace:
        """Allocate the working memory of one thread."""
        stop, done = np.zeros((2, 1), dtype=np.int64)
        thirds = len(self.sums.plan.frame.t_reps)
        return DotWorkspace.allocate(self.sums.problem, thirds, self.sums.chunk, stop, done)

    def _list_pair_completions(self, first: int, second: int, work: DotWorkspace) -> _PairSlice:
        """Given a band's first two digit partitions, count the completions for each third one."""
        plan, problem = self.sums.plan, self.sums.problem
        none = np.zeros(1, dtype=np.int64)
        w = np.empty((1, len(plan.frame.t_reps)), dtype=np.int64)
        firsts, seconds = (np.array([x], dtype=np.int32) for x in (first, second))
        itself = np.arange(9, dtype=np.uint8)[None]
        one = problem._replace(
            orbits=problem.orbits._replace(firsts=firsts, seconds=seconds),
            members=OrbitMembers(firsts, seconds, np.arange(2), none, itself),
        )
        sum_pair_orbits(one, work, none, w, none.copy())
        weight = problem.a[plan.ta.x.of[first], plan.ta.y.of[second], plan.ta.z.of[self._thirds]]
        each = w[0, plan.frame.t_place[self._thirds]]
        keep = (each != 0) & (weight != 0)
        before = np.concatenate([[0], np.cumsum(each[keep] * weight[keep].astype(np.int64))])
        return _PairSlice(self._thirds[keep], each[keep], before)

    def _rank_or_unrank_triples(self, partitions: Triple, rank: int, place: Triple) -> int:
        b, c = self.sums.problem.b, self.sums.problem.c
        return int(self._rest * rank_or_unrank_triples(b, c, self._links, partitions, rank, place))

    def _rank_or_unrank_filling(self, band: int, columns: Triple, rank: int, rows: Triple) -> int:
        masks = self.sums.plan.grid.masks[band][list(self._stacks)]
        return int(rank_or_unrank_filling(partition_tables(), masks, columns, rank, rows))

    def _band_c_filling_count(self, columns: Triple) -> int:
        plan = self.sums.plan.tc
        p, q, t = columns
        return plan.scale * int(self.sums.problem.c[plan.x.of[q], plan.y.of[p], plan.z.of[t]])

    def unrank_ascending(self, ascending_ranks: list[int]) -> U8:
        """Return the solutions of ascending ranks, as rows of 81 digits."""
        roles = self.sums.plan.roles
        out = np.zeros((len(ascending_ranks), 9, 9), dtype=np.uint8)
        row: list[int] = []
        work = self._allocate_workspace()
        at_first, pair, cut = -1, (-1, -1), None
        for n, wanted in enumerate(ascending_ranks):
            i = bisect_right(self._cumulative_counts_by_first, wanted // self._unit) - 1
            if i != at_first:
                at_first = i
                row = list(accumulate(self._pair_counts(self._firsts[i]).tolist(), initial=0))
            rest = wanted - self._cumulative_counts_by_first[i] * self._unit
            j = bisect_right(row, rest // self._unit) - 1
            rest -= row[j] * self._unit
            if cut is None or pair != (i, j):
                pair = i, j
                cut = self._list_pair_completions(self._firsts[i], self._seconds[j], work)
            k = int(np.searchsorted(cut.offsets, rest // self._unit, side="right")) - 1
            rest -= int(cut.offsets[k]) * self._unit
            a = np.array([self._firsts[i], self._seconds[j], cut.thirds[k]])
            self._write_solution(out[n], a, rest, int(cut.w[k]))
        return (out.transpose(0, 2, 1) if roles.transposed else out).reshape(-1, 81)

    def _write_solution(self, grid: U8, partitions: Triple, rank: int, completions: int) -> None:
        roles, part = self.sums.plan.roles, partition_tables().part
        number_a, rank = divmod(rank, completions * self._rest)
        place = np.zeros(3, dtype=np.int64)
        rank -= self._rank_or_unrank_triples(partitions, rank // self._rest, place)
        structs = [
            links.struct[links.ptr[x] + at]
            for links, x, at in zip(self._links, partitions, place, strict=True)
        ]
        _, b, c = np.ascontiguousarray(np.array(structs, dtype=np.int64).T)
        number_b, number_c = divmod(rank, self._band_c_filling_count(c))
        bands = (roles.a, partitions, number_a), (roles.b, b, number_b), (roles.c, c, number_c)
        for band, columns, filling in bands:
            rows = np.zeros(3, dtype=np.int64)
            self._rank_or_unrank_filling(band, columns, filling, rows)
            for stack, r, c in zip(self._stacks, rows, columns, strict=True):
                bits = part[r][:, None] & part[c]
                block = grid[3 * band : 3 * band + 3, 3 * stack : 3 * stack + 3]
                block[:] = np.bitwise_count(bits - np.uint16(1)) + 1

    def rank(self, grid: U8) -> int:
        """Return the rank of a solution, a row of 81 digits."""
        roles = self.sums.plan.roles
        square = grid.reshape(9, 9).T if roles.transposed else grid
        bits = np.int64(1) << (square.astype(np.int64) - 1)
        blocks = bits.reshape(3, 3, 3, 3).transpose(0, 2, 1, 3)[:, list(self._stacks)]
        rows, columns = (
            partition_numbers(np.moveaxis(np.bitwise_or.reduce(blocks, axis=axis), 2, 0)).astype(
                np.int64, "C"
            )
            for axis in (3, 2)
        )  # band, stack
        a, b, c = (columns[band] for band in (roles.a, roles.b, roles.c))
        i, j = np.searchsorted(self._firsts, a[0]), np.searchsorted(self._seconds, a[1])
        pairs = self._cumulative_counts_by_first[i] + exact_dot(
            self._pair_counts(a[0])[:j], np.ones(j, dtype=np.int64)
        )
        cut = self._list_pair_completions(a[0], a[1], self._allocate_workspace())
        k = int(np.searchsorted(cut.thirds, a[2]))
        at_a, at_b, at_c = (
            self._rank_or_unrank_filling(band, columns[band], -1, rows[band])
            for band in (roles.a, roles.b, roles.c)
        )
        place = [
            np.flatnonzero(links.struct[links.ptr[x] : links.ptr[x + 1], 1] == other)[0]
            for links, x, other in zip(self._links, a, b, strict=True)
        ]
        return int(
            (pairs + int(cut.offsets[k])) * self._unit
            + at_a * int(cut.w[k]) * self._rest
            + self._rank_or_unrank_triples(a, -1, np.array(place))
            + at_b * self._band_c_filling_count(c)
            + at_c
        )
