"""Deciding how to sum: orientation, roles of bands and stacks, memory and work beforehand."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import prod

import numpy as np
from numpy.typing import NDArray

from bddsudoku.engine.bands.bandtable import TablePlan, plan_table
from bddsudoku.engine.bands.blocks import Grid
from bddsudoku.engine.bands.frames import Frame, without_band
from bddsudoku.engine.bands.kernels import LANES
from bddsudoku.engine.bands.masks import as_masks, digit_classes, place_singles, relax
from bddsudoku.engine.bands.roles import Roles, best_roles
from bddsudoku.engine.bands.tables import PARTITIONS, tables

__all__ = ["BASE_BYTES", "ROWS_BYTES", "Links", "Plan", "make_plan", "predicted_cost"]

#: Bytes that the process holds besides tables: interpreter, libraries, plan.
BASE_BYTES = 150_000_000
#: Bytes of the two operand arrays of the dot products: some part of a second-level cache.
_CACHE = 450_000
#: Bytes of completions that are kept for marginals.
ROWS_BYTES = 128 << 20
#: Seconds that a count takes besides: narrowing, planning, starting threads.
OVERHEAD_SECONDS = 0.1


@dataclass(frozen=True)
class Links:
    """Structures of one stack, listed by the partition of band a: CSR with classes of b and c."""

    ptr: NDArray[np.int64]
    b: NDArray[np.int32]
    c: NDArray[np.int32]
    struct: NDArray[np.int16]


def predicted_cost(masks: NDArray[np.uint16] | list[int]) -> float:
    """Seconds that counting will take on two cores, roughly, compiled code being there.

    An estimate from column candidates after singles, meant for choosing between engines: it
    tends to be too high when hints pin blocks down. Takes some 5 ms (the first call 60 ms more).

    Args:
        masks: 81 candidate masks.
    """
    singles = place_singles(as_masks(masks))
    if singles is None:
        return 0.0
    return OVERHEAD_SECONDS + best_roles(singles)[3] / 2e9


def _links(
    grid: Grid, roles: Roles, stack: int, of_b: NDArray[np.int32], of_c: NDArray[np.int32]
) -> Links:
    struct = grid.structures(grid.columns[:, stack])[:, [roles.a, roles.b, roles.c]]
    struct = struct[np.lexsort((struct[:, 1], struct[:, 0]))]
    ptr = np.searchsorted(struct[:, 0], np.arange(PARTITIONS + 1)).astype(np.int64)
    return Links(ptr, of_b[struct[:, 1]], of_c[struct[:, 2]], struct)


class Plan:
    """Everything that can be said before the sums are taken.

    Attributes:
        singles: the 81 masks, singles placed, rows first.
        grid: blocks with their living partitions, in the plan's orientation.
        roles: bands and stacks.
        frame: what completions do not distinguish; its grid is that of bands b and c.
        ta, tb, tc: how the band tables will be filled, axes (p, q, t), (q, p, t), (q, p, t).
        p, q, t: structures of the stacks, as the frame has them.
        t_reps: partitions a_t, one per orbit of stack t's column permutations.
        t_orders, p_orders, q_orders: those permutations.
        groups: interchangeable digits.
    """

    def __init__(
        self,
        singles: NDArray[np.uint16],
        relaxed: NDArray[np.uint16],
        grid: Grid,
        frame: Frame,
        roles: Roles,
    ) -> None:
        self.singles, self.grid, self.roles = singles, grid, roles
        a, b, c, p, q, t = roles.a, roles.b, roles.c, roles.p, roles.q, roles.t
        self.empty = not (grid.rows.any(axis=2).all() and grid.columns.any(axis=2).all())
        self.groups = digit_classes(relaxed)
        if self.empty:
            return
        self.frame = frame
        held = frame.grid
        self.ta = plan_table(grid, a, (p, q, t))
        self.tb = plan_table(held, b, (q, p, t))
        self.tc = plan_table(held, c, (q, p, t))
        self.p = _links(held, roles, p, self.tb.y.of, self.tc.y.of)
        self.q = _links(held, roles, q, self.tb.x.of, self.tc.x.of)
        self.t = _links(held, roles, t, self.tb.z.of, self.tc.z.of)
        self.p_orders, self.q_orders, self.t_orders = (grid.column_orders(s) for s in (p, q, t))
        canonical = tables().reorder[self.t_orders].min(axis=0)
        self.t_reps = np.nonzero(grid.columns[a, t] & (canonical == np.arange(PARTITIONS)))[0]

    @cached_property
    def dots(self) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int32]]:
        """The frame's structures of stack t by class of b_t: (ptr, class of c_t, place of a_t)."""
        first = self.t.struct[:, 0]
        is_rep = np.zeros(PARTITIONS, dtype=np.bool_)
        is_rep[self.frame.t_reps] = True
        keep = is_rep[first]
        b, c, first = self.t.b[keep], self.t.c[keep], first[keep]
        order = np.lexsort((c, b))
        ptr = np.searchsorted(b[order], np.arange(self.tb.z.size + 1)).astype(np.int64)
        return ptr, c[order], self.frame.t_place[first[order]]

    @cached_property
    def images(self) -> tuple[NDArray[np.int16], NDArray[np.int32]]:
        """How a_t is carried into the frame: (halves, place), see `run_pairs`."""
        t = tables()
        numbers = t.subset[t.part[self.t_reps]][:, :2]
        halves = np.column_stack([numbers, self.ta.z.of[self.t_reps]]).astype(np.int16)
        return halves, np.where(t.index >= 0, self.frame.t_place[t.index], -1).astype(np.int32)

    @property
    def scale(self) -> int:
        """Factor of W * T_a that was divided out: row and stack-t column permutations."""
        return self.ta.scale * self.tb.scale * self.tc.scale * len(self.t_orders)

    def chunk(self, most_b: int, most_c: int) -> int:
        """Length of dot products: for the second-level cache, and so that int32 holds them."""
        fits = _CACHE // (2 * (self.tb.z.size + self.tc.z.size))
        exact = (2**31 - 1) // max(1, most_b * most_c)
        return max(LANES, min(fits, exact, 1024) // LANES * LANES)

    @property
    def work(self) -> float:
        """Multiply-adds if every pair had to be visited (orbits make it less)."""
        orders = self.frame.orders
        p = len(self.p.struct) / len(orders[self.roles.p])
        q = len(self.q.struct) / len(orders[self.roles.q])
        return p * q * len(self.dots[1])

    def nbytes(self, threads: int, marginals: bool = False) -> int:
        """Peak bytes: band tables, their scratch, operands, pair values."""
        plans: tuple[TablePlan, ...] = (self.ta, self.tb, self.tc)
        total = sum(plan.nbytes for plan in plans) + max(plan.scratch for plan in plans)
        one = 2 * 1100 * (self.tb.z.size + self.tc.z.size)
        pairs = prod(int(self.grid.columns[self.roles.a, s].sum()) for s in (0, 1, 2))
        pairs //= max(1, int(self.grid.columns[self.roles.a, self.roles.t].sum()))
        if marginals:
            fillings = 216 * sum(axis.size for axis in (self.ta.x, self.ta.y, self.ta.z))
            one += 8 * 6 * fillings + 8 * 18 * PARTITIONS
            total += min(8 * len(self.frame.t_reps) * pairs, ROWS_BYTES) + 64 * pairs
        return int(total + one * threads + 96 * pairs + BASE_BYTES)


def _orbits(alive: NDArray[np.bool_], orders: NDArray[np.int64], groups: list[list[int]]) -> int:
    """Orbits of living partitions under relabelling by groups and permuting columns."""
    t = tables()
    keys = np.full(PARTITIONS, np.iinfo(np.int64).max)
    for order in t.reorder[orders]:
        column = t.column[order]
        key = np.zeros(PARTITIONS, dtype=np.int64)
        for group in groups:
            for position in (0, 1):  # how many of the group stand there; the third follows
                key = key * 4 + (column[:, group] == position).sum(axis=1)
        keys = np.minimum(keys, key)
    return len(np.unique(keys[alive]))


def _all_roles(frame: Frame, transposed: bool, a: int, t: int) -> Roles:
    """Of the other stacks, q is the one with fewer orbits: tables are read from there on."""
    x, y = (s for s in range(3) if s != t)
    alive = frame.grid.columns[a]
    orbits = {s: _orbits(alive[s], frame.orders[s], frame.groups) for s in (x, y)}
    q, p = sorted((x, y), key=lambda s: (orbits[s], s))
    b, c = (n for n in range(3) if n != a)
    return Roles(transposed, a, b, c, p, q, t)


@lru_cache(maxsize=4)
def _narrowed(singles: bytes, transposed: bool) -> tuple[NDArray[np.uint16], Grid]:
    """Relaxed masks and their blocks; marginals ask three times for the same."""
    relaxed = relax(np.frombuffer(singles, dtype=np.uint16))
    return relaxed, Grid.of(relaxed, transposed)


def make_plan(
    singles: NDArray[np.uint16],
    *,
    outer: int | None = None,
    transposed: bool | None = None,
    marginals: bool = False,
    framed: bool = True,
) -> Plan:
    """Plan: orientation, outermost band and roles by predicted time.

    Args:
        singles: 81 masks with singles placed.
        outer: the outermost band, if it has to be this one.
        transposed: the orientation, if it has to be this one.
        marginals: whether marginals will be accumulated.
        framed: whether the symmetries of two bands may be used, for which tables are larger.
    """
    way, a, t, _ = best_roles(singles, outer=outer, transposed=transposed, marginals=marginals)
    relaxed, grid = _narrowed(singles.tobytes(), way)
    others = Grid.of(without_band(relaxed, a, way), way) if framed else None
    frame = Frame.of(grid, others, a, t)
    return Plan(singles, relaxed, grid, frame, _all_roles(frame, way, a, t))
