"""Planning a count by bands: in which order to sum, and how much memory and time that takes.

The outermost band, the roles of the stacks and the orientation are those of least predicted time.
The estimate looks at each block's own candidates and at structures of stacks, not at what blocks
do to each other along a band; it takes some ms.

Tables of boards with hints take a few hundred MiB at the most. Masks that leave no two columns of a
block alike, and cut little else, would take tens of GiB, and a count hours: within a memory limit
they are refused.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import factorial, prod
from typing import NamedTuple, Self

import numpy as np

from bddsudoku.engine.bands.band_table import TablePlan, plan_table
from bddsudoku.engine.bands.kernels import LANES, DotProducts, PairSumInput, StackTriples
from bddsudoku.engine.bands.partition_pair_orbits import (
    BandSymmetries,
    OrbitMembers,
    PairOrbits,
    masks_with_open_band,
)
from bddsudoku.engine.bands.partitions import (
    PARTITIONS,
    BlockPartitions,
    allowed_partition_triples,
    as_blocks,
    as_masks,
    digit_classes,
    line_orders_keeping_masks,
    masks_after_singles,
    partition_tables,
    restore_implied_candidates,
)
from bddsudoku.errors import LimitReached
from bddsudoku.jit.decorators import I16, I32, U16, Flags
from bddsudoku.number_text import format_size
from bddsudoku.work.resources import memory_allowance

#: Multiply-adds that one core makes in a nanosecond (int16 pairs).
MULTIPLY_ADDS_PER_NS = 32
#: Nanoseconds for a dot product besides, and for an entry of an operand.
DOT, ENTRY = 2.0, 0.4


@dataclass(frozen=True)
class BandRoles:
    """Which bands and stacks the letters a, b, c and p, q, t of the counting formula stand for."""

    transposed: bool
    a: int
    b: int
    c: int
    p: int
    q: int
    t: int


class _StackSizes(NamedTuple):
    """The numbers of digit partitions that a stack allows, as input of the cost prediction.

    Attributes:
        structures: structures of the stack that bands b and c allow.
        partitions: a's partitions in them.
        orders: column permutations that keep the masks of b and c.
        classes: classes of b's and c's partitions.
    """

    structures: float
    partitions: float
    orders: int
    classes: float


def _partitions_allowed_by_candidates(blocks: U16) -> Flags:
    masks = blocks.reshape(9, 9)
    single = (masks & (masks - 1)) == 0
    placed = np.bitwise_or.reduce(np.where(single, masks, 0), axis=1)
    possible = np.where(single, masks, masks & ~placed[:, None]).reshape(3, 3, 3, 3)
    columns = np.bitwise_or.reduce(possible, axis=2)
    return np.asarray(((partition_tables().part & ~columns[:, :, None, :]) == 0).all(axis=3))


def _count_partitions_by_stack(blocks: U16) -> list[list[_StackSizes]]:
    alive = _partitions_allowed_by_candidates(blocks)
    struct = partition_tables().struct
    kept = [[len(line_orders_keeping_masks(blocks[b, s].T)) for s in range(3)] for b in range(3)]
    out: list[list[_StackSizes]] = [[], [], []]
    for s in range(3):
        fits = [alive[n, s][struct[:, n]] for n in range(3)]
        for a in range(3):
            rest = [n for n in range(3) if n != a]
            firsts = struct[fits[rest[0]] & fits[rest[1]], a]
            out[a].append(
                _StackSizes(
                    float(max(len(firsts), 1)),
                    float(max(len(np.unique(firsts)), 1)),
                    len(line_orders_keeping_masks(blocks[rest][:, s].transpose(2, 0, 1))),
                    sum(float(alive[n, s].sum()) / kept[n][s] for n in rest),
                )
            )
    return out


def _predict_nanoseconds(
    p: _StackSizes, q: _StackSizes, t: _StackSizes, digit_groups: list[list[int]]
) -> float:
    """Predict how many nanoseconds a count takes on one core, from the sizes of its loops.

    Args:
        p, q, t: the stacks in their roles.
        digit_groups: digits that bands b and c leave interchangeable.
    """
    pairs = PARTITIONS**2 / prod(factorial(len(group)) for group in digit_groups) + 20.0
    living = (p.partitions / PARTITIONS) * (q.partitions / PARTITIONS)
    orbits = max(pairs * living / (p.orders * q.orders), 1.0)
    products = (p.structures / p.partitions) * (q.structures / q.partitions)
    dots = t.structures / t.orders
    return orbits * (dots * (DOT + products / MULTIPLY_ADDS_PER_NS) + ENTRY * products * t.classes)


class PlanInput(NamedTuple):
    """What a plan is made from: a board's masks after unit propagation, and what is wanted.

    Attributes:
        singles: 81 masks (uint16), singles placed.
        outer: the outermost band, if it is prescribed.
        transposed: the orientation, if it is prescribed.
        marginals: whether the outermost band's block fillings are summed, too.
    """

    singles: bytes
    outer: int | None = None
    transposed: bool | None = None
    marginals: bool = False

    @classmethod
    def from_masks(cls, masks: U16, marginals: bool = False) -> Self | None:
        """Propagate 81 candidate masks and make a plan's input of them; None at a contradiction."""
        singles = masks_after_singles(masks)
        return None if singles is None else cls(singles.tobytes(), marginals=marginals)

    @property
    def masks(self) -> U16:
        """The 81 candidate masks after unit propagation."""
        return np.frombuffer(self.singles, dtype=np.uint16)


@lru_cache(maxsize=8)
def _predict_times_by_loop_order(
    mask_bytes: bytes, transposed: bool
) -> list[tuple[float, int, int, bool]]:
    """Predict a count's time for each choice of band a (outer loop) and stack t (inner loop)."""
    relaxed = restore_implied_candidates(np.frombuffer(mask_bytes, dtype=np.uint16))
    blocks = as_blocks(relaxed, transposed)
    stacks = _count_partitions_by_stack(blocks)
    out = []
    for a in range(3):
        groups = digit_classes(blocks[[n for n in range(3) if n != a]].reshape(-1))
        for t in range(3):
            p, q = (stacks[a][s] for s in range(3) if s != t)
            out.append((_predict_nanoseconds(p, q, stacks[a][t], groups), a, t, transposed))
    return out


def fastest_loop_order(plan_input: PlanInput) -> tuple[float, int, int, bool]:
    """Choose the orientation, the outer loop's band and the inner loop's stack for least time."""
    ways = (False, True) if plan_input.transposed is None else (plan_input.transposed,)
    return min(
        found
        for way in ways
        for found in _predict_times_by_loop_order(plan_input.singles, way)
        if plan_input.outer in (None, found[1])
    )


def plan_inputs_for_marginals(plan_input: PlanInput) -> list[PlanInput]:
    """Choose the bands whose marginals are summed (others follow); return a plan input for each.

    Rows of a band that have equal masks may change places, and so may bands whose rows all have.
    The marginals of bands of one such kind are equal in all rows: they are what the other bands
    leave of each column, in equal parts. Of the ways to leave out one kind, or none, this is the
    one of the least predicted time.
    """
    square = restore_implied_candidates(plan_input.masks).reshape(9, 9)
    found: list[tuple[float, list[PlanInput]]] = []
    for way in (False, True):
        rows = [row.tobytes() for row in (square.T if way else square)]
        kinds = {rows[3 * n] for n in range(3) if len(set(rows[3 * n : 3 * n + 3])) == 1}
        for kind in (None, *sorted(kinds)):
            summed = [
                plan_input._replace(outer=n, transposed=way, marginals=True)
                for n in range(3)
                if set(rows[3 * n : 3 * n + 3]) != {kind}
            ]
            found.append((sum(fastest_loop_order(each)[0] for each in summed), summed))
    return min(found, key=lambda way: way[0])[1]


#: Bytes that the process holds besides tables: interpreter, libraries, plan.
BASE_BYTES = 150_000_000
#: Bytes of the two operand arrays of the dot products: some part of a second-level cache.
_CACHE = 450_000
#: Bytes of completions that are kept for marginals.
ROWS_BYTES = 128 << 20
#: Seconds that a count takes besides: narrowing, planning, starting threads.
OVERHEAD_SECONDS = 0.1


def predicted_cost(masks: U16 | list[int]) -> float:
    """Predict how many seconds a count by bands takes on two cores, compilation excluded.

    An estimate from column candidates after singles, meant for choosing between engines: it
    tends to be too high when hints pin blocks down. Takes some 5 ms (the first call 60 ms more).

    Args:
        masks: 81 candidate masks.
    """
    plan_input = PlanInput.from_masks(as_masks(masks))
    return 0.0 if plan_input is None else OVERHEAD_SECONDS + fastest_loop_order(plan_input)[0] / 2e9


def _list_stack_triples(
    grid: BlockPartitions, roles: BandRoles, stack: int, b_classes: I32, c_classes: I32
) -> StackTriples:
    """List the ways in which a stack's three blocks can split the digits among their columns."""
    struct = allowed_partition_triples(grid.columns[:, stack])[:, [roles.a, roles.b, roles.c]]
    struct = struct[np.lexsort((struct[:, 1], struct[:, 0]))]
    ptr = np.searchsorted(struct[:, 0], np.arange(PARTITIONS + 1))
    return StackTriples(ptr, b_classes[struct[:, 1]], c_classes[struct[:, 2]], struct)


class BandPlan:
    """How a board's solutions will be counted, decided before any table is filled.

    Attributes:
        plan_input: the given one, with orientation and outermost band decided.
        grid: blocks with their living partitions, in the plan's orientation.
        roles: bands and stacks.
        board: the symmetries of the board.
        frame: the symmetries of bands b and c, with the grid of these two bands; or `board`.
        ta, tb, tc: how the band tables will be filled, axes (p, q, t), (q, p, t), (q, p, t).
        p, q, t: structures of the stacks, as the frame has them.
    """

    def __init__(
        self, plan_input: PlanInput, board: BandSymmetries, frame: BandSymmetries, roles: BandRoles
    ) -> None:
        self.plan_input: PlanInput = plan_input._replace(outer=roles.a, transposed=roles.transposed)
        self.grid: BlockPartitions = board.grid
        self.board: BandSymmetries = board
        self.frame: BandSymmetries = frame
        self.roles: BandRoles = roles
        self.empty: bool = not (
            self.grid.rows.any(axis=2).all() and self.grid.columns.any(axis=2).all()
        )
        if self.empty:
            return
        held, p, q, t = frame.grid, roles.p, roles.q, roles.t
        self.ta: TablePlan = plan_table(self.grid, roles.a, (p, q, t))
        self.tb: TablePlan = plan_table(held, roles.b, (q, p, t))
        self.tc: TablePlan = plan_table(held, roles.c, (q, p, t))
        self.p: StackTriples = _list_stack_triples(held, roles, p, self.tb.y.of, self.tc.y.of)
        self.q: StackTriples = _list_stack_triples(held, roles, q, self.tb.x.of, self.tc.x.of)
        self.t: StackTriples = _list_stack_triples(held, roles, t, self.tb.z.of, self.tc.z.of)

    @cached_property
    def dot_triples(self) -> DotProducts:
        """List the digit partition triples of stack t for which kernels compute dot products."""
        first = self.t.struct[:, 0]
        keep = np.isin(first, self.frame.t_reps)
        b, c, first = self.t.b[keep], self.t.c[keep], first[keep]
        order = np.lexsort((c, b))
        ptr = np.searchsorted(b[order], np.arange(self.tb.shape[2] + 1))
        return DotProducts(ptr, c[order], self.frame.t_place[first[order]])

    def make_pair_sum_input(
        self, orbits: PairOrbits, members: OrbitMembers, ta: I16, tb: I16, tc: I16
    ) -> PairSumInput:
        """Collect the arguments of the kernels that sum over pairs of digit partitions."""
        t, reps = partition_tables(), self.board.t_reps
        numbers = t.subset[t.part[reps]][:, :2]
        halves = np.column_stack([numbers, self.ta.z.of[reps]]).astype(np.uint16)
        place = np.where(t.numbers >= 0, self.frame.t_place[t.numbers], -1).astype(np.int32)
        of = np.stack([self.ta.x.of, self.ta.y.of, self.ta.z.of])
        return PairSumInput(
            t, orbits, members, self.p, self.q, self.dot_triples, ta, tb, tc, of, halves, place
        )

    @property
    def symmetry_factor(self) -> int:
        """The factor by which the plan's sum is multiplied to give the number of solutions."""
        return self.ta.scale * self.tb.scale * self.tc.scale * len(self.board.orders[self.roles.t])

    def choose_dot_length(self, max_entry_b: int, max_entry_c: int) -> int:
        """Choose the dot products' length so that operands fit the cache and sums fit an int32."""
        fits = _CACHE // (2 * (self.tb.shape[2] + self.tc.shape[2]))
        exact = (2**31 - 1) // max(1, max_entry_b * max_entry_c)
        return max(LANES, min(fits, exact, 1024) // LANES * LANES)

    def peak_bytes(self, threads: int) -> int:
        """Predict the peak memory, in bytes, of a count by this plan."""
        plans: tuple[TablePlan, ...] = (self.ta, self.tb, self.tc)
        total = sum(plan.nbytes for plan in plans) + max(plan.scratch_bytes for plan in plans)
        one = 2 * 1100 * (self.tb.shape[2] + self.tc.shape[2])
        living = self.grid.columns[self.roles.a].sum(axis=1).tolist()
        pairs = living[self.roles.p] * living[self.roles.q]
        if self.plan_input.marginals:
            one += 8 * 6 * 216 * sum(self.ta.shape) + 8 * 18 * PARTITIONS
            total += min(8 * len(self.frame.t_reps) * pairs, ROWS_BYTES) + 64 * pairs
        return int(total + one * threads + 96 * pairs + BASE_BYTES)

    def check_memory(self, limit: int, threads: int) -> None:
        """Raise LimitReached if a count by this plan needs more than `limit` bytes of memory."""
        need = self.peak_bytes(threads)
        if need > limit:
            raise LimitReached(
                f"the bands engine needs {format_size(need)} for this puzzle; "
                f"the memory limit is {format_size(limit)}",
                limit="memory",
                details={"bytes": need, "limit": limit},
            )


@lru_cache(maxsize=4)
def _cached_block_partitions(mask_bytes: bytes, transposed: bool) -> tuple[U16, BlockPartitions]:
    relaxed = restore_implied_candidates(np.frombuffer(mask_bytes, dtype=np.uint16))
    return relaxed, BlockPartitions.from_masks(relaxed, transposed)


def make_plan(plan_input: PlanInput) -> BandPlan:
    """Plan how to count a board in the least predicted time."""
    _, a, t, way = fastest_loop_order(plan_input)
    relaxed, grid = _cached_block_partitions(plan_input.singles, way)
    board = frame = BandSymmetries.find(grid, grid.masks, a, t)
    rest = grid.masks[[n for n in range(3) if n != a]]
    if BandSymmetries.find(grid, rest, a, t).is_larger_than(board):
        frame = BandSymmetries.find(
            BlockPartitions.from_masks(masks_with_open_band(relaxed, a, way), way), rest, a, t
        )
    band_b, band_c = (n for n in range(3) if n != a)
    stack_q, stack_p = (s for s in range(3) if s != t)
    roles = BandRoles(way, a, band_b, band_c, stack_p, stack_q, t)
    return BandPlan(plan_input, board, frame, roles)


_DEFAULT_MEMORY = 8 << 30


def memory_limit_bytes(requested: int | None) -> int:
    """The requested memory limit in bytes; by default 8 GiB, or less where less is available."""
    return memory_allowance(_DEFAULT_MEMORY) or _DEFAULT_MEMORY if requested is None else requested
