"""Orbits of pairs of digit partitions: how two blocks of a band split digits by column.

Such a partition is a column partition. The group: relabellings of digits with equal masks, and the
column permutations of the stacks p and q that leave the masks as they are (they commute). The
column permutations act freely on partitions; under the relabellings a pair is known by how many
digits of each group stand in each of the nine (position in a_p, position in a_q) combinations.

The completions W(a_p, a_q, a_t) of a filling of band a know of that band nothing but its column
partitions: hints of band a have no say in them. So W is kept by every relabelling of digits, and
by every permutation of columns, that leaves the masks of the bands b and c alone, which are more
than those of the whole board. This group is the *frame*. W is taken for one pair (a_p, a_q) of
each of its orbits; a *member* of the orbit is a pair of living partitions (one of each orbit under
the symmetries of the board), with the relabelling that takes it to the orbit's representative.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from bddsudoku.engine.bands.band_table import Parallel, split_range
from bddsudoku.engine.bands.partitions import (
    FULL,
    PARTITIONS,
    BlockPartitions,
    PartitionTables,
    canonical_partition_flags,
    canonical_partitions,
    digit_classes,
    line_orders_keeping_masks,
    partition_number,
    partition_tables,
)
from bddsudoku.jit import kernel
from bddsudoku.jit.decorators import I32, I64, U8, U16, Flags


class PairSymmetries(NamedTuple):
    """Pairs of digit partitions with their symmetries, and the least pair equivalent to each.

    Attributes:
        orders1, orders2: numbers of the `COLUMN_ORDERS` of the stacks p and q.
        digits: all digits, those that are interchangeable beside each other.
        ptr: where each set of those begins.
        firsts, seconds: (n,) partition numbers.
        images: (n,), p + 1680 * q for the least image (p, q).
        relabel: (n, 9), or (0, 9) if not wanted: which digit of the image each digit becomes.
    """

    tables: PartitionTables
    orders1: I64
    orders2: I64
    digits: I64
    ptr: I64
    firsts: I32
    seconds: I32
    images: I64
    relabel: U8


@kernel
def _fill_canonical_pairs(lo, hi, pairs, count):  # type: ignore[no-untyped-def]
    """For each of the digit partition pairs lo to hi - 1, find the least equivalent pair.

    Digits are handed out group by group, ascending, to the nine combinations in order: a
    counting sort, so equal counts give equal images. `count` (24,) int64 is working memory.
    """
    tables, digits, ptr = pairs.tables, pairs.digits, pairs.ptr
    for i in range(lo, hi):
        best = np.int64(1) << 40
        for g1 in pairs.orders1:
            c1 = tables.column[tables.reorder[g1, pairs.firsts[i]]]
            for g2 in pairs.orders2:
                c2 = tables.column[tables.reorder[g2, pairs.seconds[i]]]
                for z in range(9, 15):
                    count[z] = 0
                for g in range(len(ptr) - 1):
                    for z in range(9):
                        count[z] = 0
                    for n in range(ptr[g], ptr[g + 1]):
                        d = digits[n]
                        count[c1[d] * 3 + c2[d]] += 1
                    n = ptr[g]
                    for z1 in range(3):
                        for z2 in range(3):
                            for _ in range(count[z1 * 3 + z2]):
                                count[9 + z1] |= 1 << digits[n]
                                count[12 + z2] |= 1 << digits[n]
                                n += 1
                p = partition_number(tables, count[9], count[10])
                q = partition_number(tables, count[12], count[13])
                image = np.int64(q) * PARTITIONS + p
                if image < best:
                    best = image
                    count[22] = g1
                    count[23] = g2
        pairs.images[i] = best
        if len(pairs.relabel) > 0:
            c1 = tables.column[tables.reorder[count[22], pairs.firsts[i]]]
            c2 = tables.column[tables.reorder[count[23], pairs.seconds[i]]]
            for g in range(len(ptr) - 1):
                n = ptr[g]
                for z in range(9):
                    for k in range(ptr[g], ptr[g + 1]):
                        d = digits[k]
                        if c1[d] * 3 + c2[d] == z:
                            pairs.relabel[i, d] = digits[n]
                            n += 1


class PairOrbits(NamedTuple):
    """Classes of equivalent digit partition pairs: representatives, sizes, and each pair's class.

    Attributes:
        firsts, seconds: (n,) int32, partition numbers of the representatives.
        weights: (n,) int64, pairs in each orbit (the living ordered pairs, all of them).
        place1, place2: (1680,) int32, row and column of a partition in `orbit`, -1 when dead.
        orbit: int32 matrix, the representative of each pair.
    """

    firsts: I32
    seconds: I32
    weights: I64
    place1: I32
    place2: I32
    orbit: I32


def _column_order_orbits(allowed: Flags, column_orders: I64) -> tuple[I32, I32]:
    """Find the orbits of digit partitions under column orders, and the orbit of each partition."""
    canonical = np.where(allowed, canonical_partitions(column_orders), -1)
    reps, inverse = np.unique(canonical, return_inverse=True)
    shift = int(reps[0] == -1)
    return reps[shift:].astype(np.int32), (inverse - shift).astype(np.int32)


def canonical_pairs(
    firsts: I32,
    seconds: I32,
    column_orders: tuple[I64, I64],
    digit_groups: list[list[int]],
    run: Parallel,
    *,
    relabel: bool = False,
) -> tuple[I64, U8]:
    """For each digit partition pair, find the least equivalent pair and the relabelling to it.

    Args:
        firsts, seconds: (n,) partition numbers.
        column_orders: numbers of column orders, of the stacks p and q.
        digit_groups: interchangeable digits.
        run: maps kernel calls onto threads.
        relabel: whether relabellings are asked for.

    Returns:
        (n,) and (n, 9), or (0, 9) if they are not: digit d becomes ``relabelling[d]``.
    """
    size = len(firsts)
    digits = np.array([d for group in digit_groups for d in group], dtype=np.int64)
    ptr = np.cumsum([0, *(len(group) for group in digit_groups)]).astype(np.int64)
    images = np.empty(size, dtype=np.int64)
    names = np.empty((size if relabel else 0, 9), dtype=np.uint8)
    pairs = PairSymmetries(
        partition_tables(), *column_orders, digits, ptr, firsts, seconds, images, names
    )
    run(
        _fill_canonical_pairs,
        [(*piece, pairs, np.empty(24, dtype=np.int64)) for piece in split_range(size, 16)],
    )
    return images, names


def pair_orbits(
    allowed: tuple[Flags, Flags],
    column_orders: tuple[I64, I64],
    digit_groups: list[list[int]],
    run: Parallel,
) -> PairOrbits:
    """Compute the orbits of pairs of allowed digit partitions under a board's symmetries."""
    (reps1, place1), (reps2, place2) = map(_column_order_orbits, allowed, column_orders)
    n1, n2 = len(reps1), len(reps2)
    firsts, seconds = np.repeat(reps1, n2), np.tile(reps2, n1)
    orbit, counts = np.arange(n1 * n2), np.ones(n1 * n2, dtype=np.int64)
    if len(digit_groups) < 9:  # else no two digits can be swapped: the column permutations are all
        keys, _ = canonical_pairs(firsts, seconds, column_orders, digit_groups, run)
        unique, orbit, counts = np.unique(keys, return_inverse=True, return_counts=True)
        seconds, firsts = (x.astype(np.int32) for x in np.divmod(unique, PARTITIONS))
    weights = counts * (len(column_orders[0]) * len(column_orders[1]))
    return PairOrbits(
        firsts, seconds, weights, place1, place2, orbit.reshape(n1, n2).astype(np.int32)
    )


def masks_with_open_band(masks: U16, band: int, transposed: bool) -> U16:
    """Copy 81 masks with all nine candidates in every cell of one band (stack, if transposed)."""
    square = masks.reshape(9, 9).copy()
    (square.T if transposed else square)[3 * band : 3 * band + 3] = FULL
    return square.reshape(81)


@dataclass(frozen=True)
class BandSymmetries:
    """A board's interchangeable digits and columns, and a block's digit partitions up to these.

    Attributes:
        grid: the blocks, as the masks allow them.
        groups: interchangeable digits.
        orders: column permutations of each stack.
        t_reps: partitions a_t, one per orbit of stack t's column permutations.
        t_place: (1680,) int32, place in `t_reps` of each partition's orbit; none for dead ones.
    """

    grid: BlockPartitions
    groups: list[list[int]]
    orders: list[I64]
    t_reps: I64
    t_place: I32

    @classmethod
    def find(cls, grid: BlockPartitions, masks: U16, band: int, stack: int) -> BandSymmetries:
        """Find the symmetries of candidate masks, and the orbits of a block's digit partitions."""
        orders = [line_orders_keeping_masks(masks[:, s].transpose(2, 0, 1)) for s in range(3)]
        t_reps = np.nonzero(grid.columns[band, stack] & canonical_partition_flags(orders[stack]))[0]
        t_place = np.searchsorted(t_reps, canonical_partitions(orders[stack])).astype(np.int32)
        return cls(grid, digit_classes(masks.reshape(-1)), orders, t_reps, t_place)

    def is_larger_than(self, other: BandSymmetries) -> bool:
        """Whether this symmetry group is larger than `other`, which is one of its subgroups."""
        more = sum(map(len, self.orders)) > sum(map(len, other.orders))
        return more or len(self.groups) < len(other.groups)


class OrbitMembers(NamedTuple):
    """Classes of digit partition pairs of one band that the other two bands do not distinguish.

    Attributes:
        firsts, seconds: (n,) int32, partition numbers of the representatives.
        ptr: (n + 1,) int64, where the members of each begin.
        pairs: (m,) int64, the members as places in the board's own :class:`PairOrbits`.
        relabel: (m, 9) uint8, which digit of the representative each digit of a member becomes.
    """

    firsts: I32
    seconds: I32
    ptr: I64
    pairs: I64
    relabel: U8


def merge_orbits(
    orbits: PairOrbits, frame: BandSymmetries, p: int, q: int, run: Parallel
) -> OrbitMembers:
    """Merge orbits of partition pairs into orbits under the symmetry group `frame`."""
    orders = frame.orders[p], frame.orders[q]
    keys, relabel = canonical_pairs(
        orbits.firsts, orbits.seconds, orders, frame.groups, run, relabel=True
    )
    order = np.argsort(keys, kind="stable")
    reps, sizes = np.unique(keys, return_counts=True)
    seconds, firsts = (x.astype(np.int32) for x in np.divmod(reps, PARTITIONS))
    ptr = np.concatenate([[0], np.cumsum(sizes)])
    return OrbitMembers(firsts, seconds, ptr, order, np.ascontiguousarray(relabel[order]))
