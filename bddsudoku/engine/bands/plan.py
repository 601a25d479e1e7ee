"""Deciding how to sum: orientation, roles of bands and stacks, memory and work beforehand."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import factorial, prod

import numpy as np
from numpy.typing import NDArray

from bddsudoku.engine.bands.bandtable import TablePlan, plan_table
from bddsudoku.engine.bands.blocks import Grid, as_blocks, mask_orders
from bddsudoku.engine.bands.kernels import LANES
from bddsudoku.engine.bands.masks import as_masks, digit_classes, place_singles, relax
from bddsudoku.engine.bands.tables import PARTITIONS, tables

__all__ = ["BASE_BYTES", "Links", "Plan", "Roles", "make_plan", "predicted_cost"]

#: Multiply-adds that one core makes in a second (int16 pairs; an average over 3 to 10 hints).
MADDS_PER_SECOND = 1.3e10
#: Bytes that the process holds besides tables and slabs: interpreter, libraries, plan.
BASE_BYTES = 150_000_000
#: Bytes of the two operand arrays of the dot products: some part of a second-level cache.
_CACHE = 450_000
#: Seconds that a count takes besides: narrowing, planning, starting threads.
OVERHEAD_SECONDS = 0.1


@dataclass(frozen=True)
class Roles:
    """Bands a (outermost), b, c and stacks p (pairs), q (outer loop), t (dot products)."""

    transposed: bool
    a: int
    b: int
    c: int
    p: int
    q: int
    t: int


@dataclass(frozen=True)
class Links:
    """Structures of one stack, listed by the partition of band a: CSR with classes of b and c."""

    ptr: NDArray[np.int64]
    b: NDArray[np.int32]
    c: NDArray[np.int32]
    struct: NDArray[np.int16]

    @property
    def widest(self) -> int:
        """Most structures of one partition."""
        return int(np.diff(self.ptr).max(initial=0))


def _stack_sizes(blocks: NDArray[np.uint16], orders: int, stack: int) -> tuple[float, float]:
    """Structures of a stack and partitions of its band 0, up to `orders` permutations."""
    t = tables()
    alive = np.ones((3, PARTITIONS), dtype=np.bool_)
    for b in range(3):
        union = np.bitwise_or.reduce(blocks[b, stack], axis=0)
        alive[b] = ((t.part & ~union) == 0).all(axis=1)
    keep = alive[0][t.struct[:, 0]]
    keep &= alive[1][t.struct[:, 1]]
    keep &= alive[2][t.struct[:, 2]]
    return float(np.count_nonzero(keep)) / orders, float(alive[0].sum()) / orders


def _rough_work(
    singles: NDArray[np.uint16], relaxed: NDArray[np.uint16], transposed: bool
) -> float:
    """Multiply-adds, from column candidates alone (an upper estimate, a few ms)."""
    blocks, free = as_blocks(singles, transposed), as_blocks(relaxed, transposed)
    orders = [len(mask_orders(free[:, s].transpose(2, 0, 1))) for s in range(3)]
    sizes = [_stack_sizes(blocks, orders[s], s) for s in range(3)]
    work = prod(size for size, _ in sizes)
    # Orbits of pairs: at best every group element moves every pair, and one pair stays.
    symmetries = prod(factorial(len(g)) for g in digit_classes(relaxed))
    pairs = sorted(max(partitions, 1.0) for _, partitions in sizes)
    return max(work / symmetries, work / (pairs[0] * pairs[1]), 1.0)


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
    relaxed = relax(singles)
    work = min(_rough_work(singles, relaxed, way) for way in (False, True))
    return OVERHEAD_SECONDS + work / (2 * MADDS_PER_SECOND)


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
        ta, tb, tc: how the band tables will be filled, axes (p, q, t), (p, t, q), (p, t, q).
        p, q, t: structures of the stacks.
        t_reps: partitions a_t, one per orbit of stack t's column permutations.
        t_orders, p_orders, q_orders: those permutations.
        groups: interchangeable digits.
    """

    def __init__(
        self, singles: NDArray[np.uint16], relaxed: NDArray[np.uint16], grid: Grid, roles: Roles
    ) -> None:
        self.singles, self.grid, self.roles = singles, grid, roles
        a, b, c, p, q, t = roles.a, roles.b, roles.c, roles.p, roles.q, roles.t
        self.empty = not (grid.rows.any(axis=2).all() and grid.columns.any(axis=2).all())
        self.groups = digit_classes(relaxed)
        if self.empty:
            return
        self.ta = plan_table(grid, a, (p, q, t))
        self.tb = plan_table(grid, b, (p, t, q))
        self.tc = plan_table(grid, c, (p, t, q))
        self.p = _links(grid, roles, p, self.tb.x.of, self.tc.x.of)
        self.q = _links(grid, roles, q, self.tb.z.of, self.tc.z.of)
        self.t = _links(grid, roles, t, self.tb.y.of, self.tc.y.of)
        self.p_orders, self.q_orders, self.t_orders = (grid.column_orders(s) for s in (p, q, t))
        canonical = tables().reorder[self.t_orders].min(axis=0)
        self.t_reps = np.nonzero(grid.columns[a, t] & (canonical == np.arange(PARTITIONS)))[0]
        #: (1680,) place in `t_reps` of each living partition's orbit.
        self.t_place = np.searchsorted(self.t_reps, canonical).astype(np.int32)

    @cached_property
    def dots(self) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int32]]:
        """Structures of stack t by class of b_t: (ptr, class of c_t, (place, class) of a_t)."""
        first = self.t.struct[:, 0]
        is_rep = np.zeros(PARTITIONS, dtype=np.bool_)
        is_rep[self.t_reps] = True
        keep = is_rep[first]
        b, c, first = self.t.b[keep], self.t.c[keep], first[keep]
        order = np.lexsort((c, b))
        ptr = np.searchsorted(b[order], np.arange(self.tb.y.size + 1)).astype(np.int64)
        of_a = np.stack([self.t_place[first], self.ta.z.of[first]], axis=1)[order]
        return ptr, c[order], np.ascontiguousarray(of_a)

    @property
    def scale(self) -> int:
        """Factor of W * T_a that was divided out: row and stack-t column permutations."""
        return self.ta.scale * self.tb.scale * self.tc.scale * len(self.t_orders)

    def chunk(self, most_b: int, most_c: int) -> int:
        """Length of dot products: for the second-level cache, and so that int32 holds them."""
        fits = _CACHE // (2 * (self.tb.y.size + self.tc.y.size))
        exact = (2**31 - 1) // max(1, most_b * most_c)
        return max(LANES, min(fits, exact, 1024) // LANES * LANES)

    @property
    def work(self) -> float:
        """Multiply-adds if every pair had to be visited (orbits make it less)."""
        p, q = len(self.p.struct) / len(self.p_orders), len(self.q.struct) / len(self.q_orders)
        return p * q * len(self.dots[1])

    def nbytes(self, threads: int, marginals: bool = False) -> int:
        """Peak bytes: band tables, their scratch, per-thread slabs, pair values."""
        plans: tuple[TablePlan, ...] = (self.ta, self.tb, self.tc)
        total = sum(plan.nbytes for plan in plans) + max(plan.scratch for plan in plans)
        slab = self.q.widest * 2
        one = slab * (self.tb.x.size * self.tb.y.size + self.tc.x.size * self.tc.y.size)
        one += 2 * 1100 * (self.tb.y.size + self.tc.y.size)
        if marginals:
            one += 16 * 216 * int(self.grid.columns[self.roles.a].sum())
        pairs = prod(int(self.grid.columns[self.roles.a, s].sum()) for s in (0, 1, 2))
        pairs //= max(1, int(self.grid.columns[self.roles.a, self.roles.t].sum()))
        return int(total + one * threads + 48 * pairs + BASE_BYTES)


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


def _roles(grid: Grid, transposed: bool, outer: int | None, groups: list[list[int]]) -> Roles:
    """Band a and stack t by predicted time, stack q by orbits (slabs are gathered per a_q)."""
    orders = [grid.column_orders(s) for s in range(3)]
    sizes = [len(grid.structures(grid.columns[:, s])) for s in range(3)]
    spread = grid.columns.sum(axis=2).astype(np.float64)  # band, stack
    kept = np.array([[len(mask_orders(grid.masks[b, s].T)) for s in range(3)] for b in range(3)])

    def nanoseconds(way: tuple[int, int]) -> float:
        a, t = way
        x, y = (s for s in range(3) if s != t)
        pairs = max(spread[a, x] * spread[a, y], 1.0)
        products = sizes[x] * sizes[y] / pairs
        pairs /= len(orders[x]) * len(orders[y])
        dots = sizes[t] / len(orders[t])
        classes = sum(spread[b, t] / kept[b, t] for b in range(3) if b != a)
        padded = LANES * np.ceil(products / LANES)
        return float(pairs * (dots * (4 + padded / 25) + 0.3 * products * classes))

    bands = range(3) if outer is None else (outer,)
    a, t = min(((b, s) for b in bands for s in range(3)), key=nanoseconds)
    x, y = (s for s in range(3) if s != t)
    orbits = {s: _orbits(grid.columns[a, s], orders[s], groups) for s in (x, y)}
    q, p = sorted((x, y), key=lambda s: (orbits[s], s))
    b, c = (n for n in range(3) if n != a)
    return Roles(transposed, a, b, c, p, q, t)


@lru_cache(maxsize=4)
def _narrowed(singles: bytes, transposed: bool | None) -> tuple[NDArray[np.uint16], Grid, bool]:
    """Relaxed masks, their blocks and the orientation; marginals ask three times for the same."""
    masks = np.frombuffer(singles, dtype=np.uint16)
    relaxed = relax(masks)
    if transposed is None:
        works = [_rough_work(masks, relaxed, way) for way in (False, True)]
        transposed = works[1] < works[0]
    return relaxed, Grid.of(relaxed, transposed), transposed


def make_plan(
    singles: NDArray[np.uint16], *, outer: int | None = None, transposed: bool | None = None
) -> Plan:
    """Plan: the orientation with less work, roles by size.

    Args:
        singles: 81 masks with singles placed.
        outer: the outermost band, if it has to be this one.
        transposed: the orientation, if it has to be this one.
    """
    relaxed, grid, way = _narrowed(singles.tobytes(), transposed)
    return Plan(singles, relaxed, grid, _roles(grid, way, outer, digit_classes(relaxed)))
