"""Numbering the solutions of one plan: rank and unrank, each by four short walks.

Order (the plan's own): by the outermost band's column partitions in stack p, then q, then t,
ascending by partition number; then by its row structure; then by the other bands' column
partitions (stack p, t, q), then by their row structures, band b before band c.

Kernels for ranking: places inside one (a_p, a_q, a_t), and inside one band filling.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bddsudoku.engine.bands.bandtable import flat_table
from bddsudoku.engine.bands.kernels import LANES, run_pairs
from bddsudoku.engine.bands.partitions import compatible, tables
from bddsudoku.engine.bands.sums import Sums, exact_dot, working_memory
from bddsudoku.jit import kernel


@kernel
def walk_structures(
    pb: Any, pc: Any, qb: Any, qc: Any, tb: Any, tc: Any, table_b: Any, table_c: Any,
    target: int, until: Any, out: Any,
) -> Any:  # fmt: skip
    """Walk the (b, c) of one a in order, adding up T_b * T_c.

    Stops at `until` = (i, j, k), places in the lists of stacks p, q, t, when target < 0; else at
    the entry whose interval holds `target`. The place goes to `out`.

    Returns:
        The sum before the place (at most 56**3 * 1728**2 < 2**39); -1 when it is never reached.
    """
    total = np.int64(0)
    for i in range(pb.shape[0]):
        for k in range(tb.shape[0]):
            for j in range(qb.shape[0]):
                value = np.int64(table_b[qb[j], pb[i], tb[k]])
                value *= np.int64(table_c[qc[j], pc[i], tc[k]])
                if target < 0:
                    here = i == until[0] and j == until[1] and k == until[2]
                else:
                    here = target < total + value
                if here:
                    out[0], out[1], out[2] = i, j, k
                    return total
                total += value
    return -1


@kernel
def walk_fillings(
    masks: Any, part: Any, orth: Any, struct: Any, columns: Any, target: int, until: Any, out: Any
) -> int:
    """Walk the row structures of a band with given column partitions, in order.

    Stops at row structure `until` when target < 0, else at number `target`; puts the row
    partitions into `out`.

    Returns:
        How many came before; -1 when it is never reached.
    """
    n = 0
    for e in range(orth.shape[1]):
        r = np.int64(orth[columns[0], e])
        if compatible(masks[0], part[r], part[columns[0]]):
            for k in range(56 * r, 56 * r + 56):
                r2, r3 = struct[k, 1], struct[k, 2]
                if compatible(masks[1], part[r2], part[columns[1]]) and compatible(
                    masks[2], part[r3], part[columns[2]]
                ):
                    named = r == until[0] and r2 == until[1]
                    if n == target or (target < 0 and named):
                        out[0], out[1], out[2] = r, r2, r3
                        return n
                    n += 1
    return -1


Triple = NDArray[np.int64]
_WALK: Callable[..., int] = walk_structures
_NOWHERE = np.full(3, -1, dtype=np.int64)


@dataclass(frozen=True)
class _Slice:
    """One pair (a_p, a_q): its partitions a_t with the completions of each.

    Attributes:
        seconds: partition numbers a_t with solutions, ascending.
        w: completions W of each, rows of bands b and c divided out.
        before: W * T_a summed before each, and the total at the end.
    """

    seconds: NDArray[np.int64]
    w: NDArray[np.int64]
    before: NDArray[np.int64]


Rooms = dict[int, tuple[NDArray[np.int64], tuple[Any, ...]]]
"""By the length of dot products: completions, and the working memory that makes them."""


class Ranking:
    """Ranks and unranks grids of a plan's orientation; safe to call from several threads."""

    def __init__(self, sums: Sums) -> None:
        self.sums = sums
        plan = sums.plan
        roles = plan.roles
        self._firsts = np.nonzero(plan.grid.columns[roles.a, roles.p])[0].tolist()
        self._seconds = np.nonzero(plan.grid.columns[roles.a, roles.q])[0]
        self._thirds = np.nonzero(plan.grid.columns[roles.a, roles.t])[0]
        self._unit = plan.ta.scale * plan.tb.scale * plan.tc.scale

    def _row(self, first: int) -> NDArray[np.int64]:
        """Values of (first, every second), all a_t, scales of rows divided out."""
        o = self.sums.orbits
        values = self.sums.values[o.orbit[o.place1[first], o.place2[self._seconds]]]
        return np.asarray(values * len(self.sums.plan.t_orders), dtype=np.int64)

    @cached_property
    def _before(self) -> list[int]:
        """Solutions before each first partition, and the total at the end (in units)."""
        ones = np.ones(len(self._seconds), dtype=np.int64)
        return list(accumulate((exact_dot(self._row(a), ones) for a in self._firsts), initial=0))

    def _slice(self, first: int, second: int, rooms: Rooms) -> _Slice:
        plan, sums = self.sums.plan, self.sums
        t_ptr, t_c, t_a = plan.dots
        halves, place = plan.images
        t = tables()
        wide = int(plan.p.ptr[first + 1] - plan.p.ptr[first])
        wide *= int(plan.q.ptr[second + 1] - plan.q.ptr[second])
        chunk = max(LANES, min(sums.chunk, -(-wide // LANES) * LANES))
        if chunk not in rooms:
            w = np.empty((1, len(plan.frame.t_reps)), dtype=np.int64)
            rooms[chunk] = w, working_memory(plan, chunk, w)
        w, room = rooms[chunk]
        none = np.zeros(1, dtype=np.int64)
        pair = np.array([first], dtype=np.int32), np.array([second], dtype=np.int32)
        run_pairs(
            none, 0, 1, *pair, none.copy(), none.copy(), none.copy(),
            np.arange(2), none, np.arange(9, dtype=np.uint8)[None], *pair,
            sums.ta, np.stack([plan.ta.x.of, plan.ta.y.of]), halves, place, t.triples, t.subset,
            flat_table(sums.tb), sums.tb.shape, flat_table(sums.tc), sums.tc.shape,
            plan.p.ptr, plan.p.b, plan.p.c, plan.q.ptr, plan.q.b, plan.q.c,
            t_ptr, t_c, t_a, chunk, *room,
        )  # fmt: skip
        weight = sums.ta[plan.ta.x.of[first], plan.ta.y.of[second], plan.ta.z.of[self._thirds]]
        each = w[0, plan.frame.t_place[self._thirds]]
        keep = (each != 0) & (weight != 0)
        products = each[keep] * weight[keep].astype(np.int64)
        before = np.concatenate([[0], np.cumsum(products)])
        return _Slice(self._thirds[keep], each[keep], before)

    def _lists(self, a: tuple[int, int, int]) -> list[Any]:
        """Classes of b and c along the structures of a: p, q, t."""
        plan = self.sums.plan
        out: list[Any] = []
        for links, at in zip((plan.p, plan.q, plan.t), a, strict=True):
            piece = slice(links.ptr[at], links.ptr[at + 1])
            out += [links.b[piece], links.c[piece]]
        return out

    def _fillings(self, band: int, columns: Triple, target: int, until: Triple, out: Triple) -> int:
        """`walk_fillings` of one band; partitions stand in the order of the stacks p, q, t."""
        roles, t = self.sums.plan.roles, tables()
        masks = self.sums.plan.grid.masks[band][[roles.p, roles.q, roles.t]]
        return int(walk_fillings(masks, t.part, t.orth, t.struct, columns, target, until, out))

    def unrank_sorted(self, numbers: list[int]) -> NDArray[np.uint8]:
        """Grids (n, 9, 9), in the plan's orientation, of ascending numbers."""
        out = np.zeros((len(numbers), 9, 9), dtype=np.uint8)
        row: list[int] = []
        rooms: Rooms = {}
        at_first, pair, cut = -1, (-1, -1), None
        for n, number in enumerate(numbers):
            i = bisect_right(self._before, number // self._unit) - 1
            if i != at_first:
                at_first = i
                row = list(accumulate(self._row(self._firsts[i]).tolist(), initial=0))
            rest = number - self._before[i] * self._unit
            j = bisect_right(row, rest // self._unit) - 1
            rest -= row[j] * self._unit
            if cut is None or pair != (i, j):
                pair, cut = (i, j), self._slice(self._firsts[i], self._seconds[j], rooms)
            k = int(np.searchsorted(cut.before, rest // self._unit, side="right")) - 1
            rest -= int(cut.before[k]) * self._unit
            a = (int(self._firsts[i]), int(self._seconds[j]), int(cut.seconds[k]))
            self._finish(out[n], a, rest, int(cut.w[k]))
        return out

    def _finish(self, grid: NDArray[np.uint8], a: tuple[int, int, int], rest: int, w: int) -> None:
        """Fill in solution number `rest` of those whose outermost band has the columns a."""
        plan, sums = self.sums.plan, self.sums
        roles, sb, sc = plan.roles, plan.tb.scale, plan.tc.scale
        bands = {roles.a: np.array(a, dtype=np.int64)}
        numbers = {}
        numbers[roles.a], rest = divmod(rest, w * sb * sc)
        where = np.zeros(3, dtype=np.int64)
        lists = self._lists(a)
        rest -= sb * sc * int(_WALK(*lists, sums.tb, sums.tc, rest // (sb * sc), _NOWHERE, where))
        structs = [
            links.struct[links.ptr[x] + where[n]]
            for n, (links, x) in enumerate(zip((plan.p, plan.q, plan.t), a, strict=True))
        ]
        bands[roles.b] = np.array([s[1] for s in structs], dtype=np.int64)
        bands[roles.c] = np.array([s[2] for s in structs], dtype=np.int64)
        pc, qc, tc = (lists[m][where[n]] for n, m in enumerate((1, 3, 5)))
        numbers[roles.b], numbers[roles.c] = divmod(rest, sc * int(sums.tc[qc, pc, tc]))
        for band, columns in bands.items():
            rows = np.zeros(3, dtype=np.int64)
            self._fillings(band, columns, numbers[band], _NOWHERE, rows)
            self._write(grid, band, rows, columns)

    def _write(self, grid: NDArray[np.uint8], band: int, rows: Triple, columns: Triple) -> None:
        roles, part = self.sums.plan.roles, tables().part
        for stack, r, c in zip((roles.p, roles.q, roles.t), rows, columns, strict=True):
            for i in range(3):
                for j in range(3):
                    bit = int(part[r, i] & part[c, j])
                    grid[3 * band + i, 3 * stack + j] = bit.bit_length()

    def rank(self, grid: NDArray[np.uint8]) -> int:
        """Number of a 9 x 9 solution in the plan's orientation (it must be one)."""
        plan, sums = self.sums.plan, self.sums
        roles, unit, sb, sc = plan.roles, self._unit, plan.tb.scale, plan.tc.scale
        rows, columns = _partitions(grid, (roles.p, roles.q, roles.t))
        a = (int(columns[roles.a][0]), int(columns[roles.a][1]), int(columns[roles.a][2]))
        i = int(np.searchsorted(self._firsts, a[0]))
        j = int(np.searchsorted(self._seconds, a[1]))
        ones = np.ones(j, dtype=np.int64)
        number = (self._before[i] + exact_dot(self._row(a[0])[:j], ones)) * unit
        cut = self._slice(a[0], a[1], {})
        k = int(np.searchsorted(cut.seconds, a[2]))
        number += int(cut.before[k]) * unit
        out = np.zeros(3, dtype=np.int64)
        filling = {
            band: self._fillings(band, columns[band], -1, rows[band], out) for band in range(3)
        }
        where = np.array(
            [
                np.nonzero(links.struct[links.ptr[x] : links.ptr[x + 1], 1] == columns[roles.b][n])[
                    0
                ][0]
                for n, (links, x) in enumerate(zip((plan.p, plan.q, plan.t), a, strict=True))
            ],
            dtype=np.int64,
        )
        lists = self._lists(a)
        before = int(_WALK(*lists, sums.tb, sums.tc, -1, where, out))
        pc, qc, tc = (lists[m][where[n]] for n, m in enumerate((1, 3, 5)))
        number += filling[roles.a] * int(cut.w[k]) * sb * sc
        number += before * sb * sc
        number += filling[roles.b] * sc * int(sums.tc[qc, pc, tc])
        return number + filling[roles.c]


def _partitions(
    grid: NDArray[np.uint8], stacks: tuple[int, int, int]
) -> tuple[list[Triple], list[Triple]]:
    """Row and column partition numbers of every band's blocks, in the order of `stacks`."""
    t = tables()
    bits = np.int64(1) << (grid.astype(np.int64) - 1)

    def number(lines: NDArray[np.int64]) -> int:
        return int(t.index[int(t.subset[lines[0]]) * 84 + int(t.subset[lines[1]])])

    rows, columns = [], []
    for band in range(3):
        blocks = [bits[3 * band : 3 * band + 3, 3 * s : 3 * s + 3] for s in stacks]
        rows.append(np.array([number(np.bitwise_or.reduce(x, axis=1)) for x in blocks]))
        columns.append(np.array([number(np.bitwise_or.reduce(x, axis=0)) for x in blocks]))
    return rows, columns
