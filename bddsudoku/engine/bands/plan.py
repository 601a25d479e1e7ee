"""Deciding how to sum: orientation, roles of bands and stacks, memory and work beforehand.

Which band is outermost, which stack plays which role, rows or columns: by predicted time.

The estimate looks at each block's own candidates and at structures of stacks, not at what blocks
do to each other along a band; it takes some ms.

Keeping to the memory limit: a plan that fits, or several that split the solutions.

When the band tables of a set of masks are too large, one digit's column in one stack is
branched on: in every band it stands in one of the three columns, a different one in each, which
makes up to six disjoint sets of masks whose tables are about a third as large.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import permutations
from math import factorial, prod

import numpy as np
from numpy.typing import NDArray

from bddsudoku.engine.bands.bandtable import TablePlan, plan_table
from bddsudoku.engine.bands.kernels import LANES, STEP
from bddsudoku.engine.bands.masks import as_masks, digit_classes, place_singles, relax
from bddsudoku.engine.bands.partitions import PARTITIONS, Grid, as_blocks, mask_orders, tables
from bddsudoku.engine.bands.symmetry import Frame, without_band
from bddsudoku.errors import LimitReached
from bddsudoku.work.memory import memory_to_use

#: Multiply-adds that one core makes in a nanosecond (int16 pairs).
MADDS = 32
#: Nanoseconds for a dot product besides, for an entry of an operand, for a member's partition.
DOT, ENTRY, IMAGE = 2.0, 0.4, 3.0
#: Nanoseconds for a row structure that a pair's marginals look at.
ROWS = 4.0


@dataclass(frozen=True)
class Roles:
    """Bands a (outermost), b, c and stacks p and q (pairs), t (dot products)."""

    transposed: bool
    a: int
    b: int
    c: int
    p: int
    q: int
    t: int


@dataclass(frozen=True)
class _Stack:
    """One stack beside one outermost band: sizes with that band's masks and (frame) without.

    Attributes:
        structures, partitions: of the frame: structures of the stack, and a's partitions in them.
        living: a's partitions that its own masks allow.
        frame, orders: column permutations without and with a's masks.
        classes: classes of b's and c's partitions.
    """

    structures: float
    partitions: float
    living: float
    frame: int
    orders: int
    classes: float


def _alive(blocks: NDArray[np.uint16]) -> NDArray[np.bool_]:
    """Column partitions that each block's own masks seem to allow: band, stack, partition."""
    flat = blocks.reshape(9, 9)
    single = (flat & (flat - 1)) == 0
    placed = np.bitwise_or.reduce(np.where(single, flat, 0), axis=1)
    own = np.where(single, flat, flat & ~placed[:, None]).reshape(3, 3, 3, 3)
    columns = np.bitwise_or.reduce(own, axis=2)
    return np.asarray(((tables().part & ~columns[:, :, None, :]) == 0).all(axis=3))


def _stacks(blocks: NDArray[np.uint16]) -> list[list[_Stack]]:
    """Sizes by outermost band and stack."""
    alive = _alive(blocks)
    struct = tables().struct
    kept = [[len(mask_orders(blocks[b, s].T)) for s in range(3)] for b in range(3)]
    out: list[list[_Stack]] = [[], [], []]
    for s in range(3):
        fits = [alive[n, s][struct[:, n]] for n in range(3)]
        orders = len(mask_orders(blocks[:, s].transpose(2, 0, 1)))
        for a in range(3):
            rest = [n for n in range(3) if n != a]
            firsts = struct[fits[rest[0]] & fits[rest[1]], a]
            held = np.bincount(firsts, minlength=PARTITIONS) > 0
            out[a].append(
                _Stack(
                    float(max(len(firsts), 1)),
                    float(max(held.sum(), 1)),
                    float(max((held & alive[a, s]).sum(), 1)),
                    len(mask_orders(blocks[rest][:, s].transpose(2, 0, 1))),
                    orders,
                    sum(float(alive[n, s].sum()) / kept[n][s] for n in rest),
                )
            )
    return out


def _pairs(groups: list[list[int]]) -> float:
    """Orbits of pairs of partitions under relabelling, roughly."""
    return PARTITIONS**2 / prod(factorial(len(group)) for group in groups) + 20.0


def _nanoseconds(
    p: _Stack, q: _Stack, t: _Stack, groups: list[list[int]], frame: list[list[int]],
    rows: float,
) -> float:  # fmt: skip
    """Time of one core for the sums; with `rows` row structures to look at for each pair."""
    share = (p.living / PARTITIONS) * (q.living / PARTITIONS)
    pairs = max(_pairs(groups) * share / (p.orders * q.orders), 1.0)
    share = (p.partitions / PARTITIONS) * (q.partitions / PARTITIONS)
    orbits = max(_pairs(frame) * share / (p.frame * q.frame), 1.0)
    pairs, orbits = max(pairs, 1.0), min(orbits, pairs)
    products = (p.structures / p.partitions) * (q.structures / q.partitions)
    wanted = t.living / t.orders * pairs / orbits / (t.partitions / t.frame)
    dots = t.structures / t.frame * min(wanted, 1.0)
    padded = STEP * np.ceil(products / STEP)
    one = dots * (DOT + padded / MADDS) + ENTRY * products * t.classes
    return float(orbits * one + pairs * (2 * IMAGE * t.living / t.orders + ROWS * rows))


@lru_cache(maxsize=8)
def _ways(singles: bytes, transposed: bool) -> dict[tuple[int, int, bool], float]:
    """Predicted nanoseconds of all roles in one orientation: by band a, stack t, marginals."""
    relaxed = relax(np.frombuffer(singles, dtype=np.uint16))
    blocks = as_blocks(relaxed, transposed)
    stacks = _stacks(blocks)
    groups = digit_classes(relaxed)
    out = {}
    for a in range(3):
        rest = [n for n in range(3) if n != a]
        frame = digit_classes(blocks[rest].reshape(-1))
        held = (blocks[a] & (blocks[a] - 1)) == 0
        rows = 94080 / 36 / 3.0 ** held.sum()
        for t in range(3):
            p, q = (stacks[a][s] for s in range(3) if s != t)
            wide = 216 * stacks[a][t].living / PARTITIONS / stacks[a][t].orders
            for marginals in (False, True):
                more = rows * (1 + wide / 5) if marginals else 0.0
                out[a, t, marginals] = _nanoseconds(p, q, stacks[a][t], groups, frame, more)
    return out


def _best(key: bytes, way: bool, band: int, marginals: bool) -> tuple[float, int, int]:
    """Nanoseconds, band a and stack t of the best roles with an outermost band."""
    return min((_ways(key, way)[band, t, marginals], band, t) for t in range(3))


def best_roles(
    singles: NDArray[np.uint16],
    *,
    outer: int | None = None,
    transposed: bool | None = None,
    marginals: bool = False,
) -> tuple[bool, int, int, float]:
    """Orientation, band a and stack t of the least predicted time.

    Args:
        singles: 81 masks with singles placed.
        outer: the outermost band, if it has to be this one.
        transposed: the orientation, if it has to be this one.
        marginals: whether block fillings are summed, too.

    Returns:
        (transposed, a, t, nanoseconds of one core)
    """
    key = np.ascontiguousarray(singles).tobytes()
    ways = (False, True) if transposed is None else (transposed,)
    bands = range(3) if outer is None else (outer,)
    cost, a, t, way = min((*_best(key, w, band, marginals), w) for w in ways for band in bands)
    return way, a, t, cost


def bands_to_sum(singles: NDArray[np.uint16]) -> tuple[bool, list[int]]:
    """The bands whose marginals have to be summed, and the orientation that they are bands of.

    Rows of a band that have equal masks may change places, and so may bands whose rows all have.
    The marginals of bands of one such kind are equal in all rows: they are what the other bands
    leave of each column, in equal parts. Of the ways to leave out one kind, or none, this is the
    one of the least predicted time.

    Args:
        singles: 81 masks with singles placed.
    """
    key = np.ascontiguousarray(singles).tobytes()
    square = relax(singles).reshape(9, 9)
    found: list[tuple[float, bool, list[int]]] = []
    for way in (False, True):
        rows = [row.tobytes() for row in (square.T if way else square)]
        kinds = {rows[3 * n] for n in range(3) if len(set(rows[3 * n : 3 * n + 3])) == 1}
        for kind in (None, *sorted(kinds)):
            summed = [n for n in range(3) if set(rows[3 * n : 3 * n + 3]) != {kind}]
            cost = sum(_best(key, way, band, True)[0] for band in summed)
            found.append((cost, way, summed))
    _, way, summed = min(found)
    return way, summed


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


_USUAL = 8 << 30


def allowed_memory(told: int | None) -> int:
    """Bytes to keep to: those told, else 8 GiB, or less where less is available."""
    return memory_to_use(_USUAL) or _USUAL if told is None else told


_SMALLEST = 1e-3
"""Share of the work below which masks are not split again: each part is planned for itself, some
0.1 s, and has fewer symmetries."""


def _readable(nbytes: float) -> str:
    for unit in ("bytes", "KiB", "MiB"):
        if nbytes < 1024:
            return f"{nbytes:.4g} {unit}"
        nbytes /= 1024
    return f"{nbytes:.4g} GiB"


def _column_choices(grid: NDArray[np.uint16], stack: int, digit: int) -> list[tuple[int, ...]]:
    """Columns (0..2) that a digit can have in the three bands of a stack."""
    bit = (grid[:, 3 * stack : 3 * stack + 3] >> digit) & 1
    by_band = np.asarray(bit.reshape(3, 3, 3).any(axis=1))  # band, column
    return [way for way in permutations(range(3)) if all(by_band[b, way[b]] for b in range(3))]


def _split(masks: NDArray[np.uint16], plan: Plan) -> list[NDArray[np.uint16]]:
    """Disjoint masks whose solutions make up the given ones, [] when nothing is left to split."""
    grid = masks.reshape(9, 9)
    grid = grid.T if plan.roles.transposed else grid
    spread = [int(plan.grid.columns[:, s].sum()) for s in range(3)]
    ways, _, stack, digit = max(
        (len(_column_choices(grid, s, d)), spread[s], -s, -d) for s in range(3) for d in range(9)
    )
    if ways < 2:
        return []
    stack, digit = -stack, -digit
    out = []
    for way in _column_choices(grid, stack, digit):
        child = grid.copy()
        for band in range(3):
            block = child[3 * band : 3 * band + 3, 3 * stack : 3 * stack + 3]
            for column in range(3):
                if column != way[band]:
                    block[:, column] &= ~np.uint16(1 << digit)
        singles = place_singles((child.T if plan.roles.transposed else child).reshape(81))
        if singles is not None:
            out.append(singles)
    return out


def fitting_plans(
    singles: NDArray[np.uint16],
    memory_limit: int,
    threads: int,
    *,
    marginals: bool = False,
    outer: int | None = None,
    transposed: bool | None = None,
    share: float = 1.0,
    first: Plan | None = None,
) -> Iterator[tuple[Plan, float]]:
    """Non-empty plans within a memory limit, each with its rough share of the work.

    Args:
        singles: masks with singles placed.
        memory_limit: bytes for the whole process.
        threads: how many threads will hold operands of their own.
        marginals: whether marginals will be accumulated.
        outer: the outermost band, when it has to be this one.
        transposed: the orientation, when it has to be this one.
        share: what share of the work these masks are.
        first: the plan of these masks with a frame, if it has been made.

    Where tables of a frame are too large, those of the board's own symmetries may fit.

    Raises:
        LimitReached: nothing is left to split, or parts would be too many, and the plan is still
            too large.
    """
    for framed in (True, False):
        if first is not None and framed:
            plan = first
        else:
            plan = make_plan(
                singles, outer=outer, transposed=transposed, marginals=marginals, framed=framed
            )
        if plan.empty:
            return
        need = plan.nbytes(threads, marginals)
        if need <= memory_limit:
            yield plan, share
            return
    children = _split(singles, plan) if share > _SMALLEST else []
    if not children:
        raise LimitReached(
            f"the bands engine needs {_readable(need)} for this puzzle"
            + (f", were it split into {1 / share:,.0f} parts" if share < 1 else "")
            + f"; the memory limit is {_readable(memory_limit)}",
            limit="memory",
            details={"bytes": need, "limit": memory_limit},
        )
    way = plan.roles.transposed
    del plan  # its lists are not needed while the children run
    for child in children:
        yield from fitting_plans(
            child,
            memory_limit,
            threads,
            marginals=marginals,
            outer=outer,
            transposed=way,
            share=share / len(children),
        )
