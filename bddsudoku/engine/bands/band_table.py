"""Band tables: in how many ways a band is filled, by the digits in each column of its blocks.

T_b(x, y, z) sums over the band's row structures (r1, r2, r3) the product of three
compatibility tests. It is kept dense over column *classes* (see `PartitionClasses`), so blocks
with at most one hint have 280 of them instead of 1680.

Two ways of filling it, of which the cheaper is taken: straight over the living row structures
(many hints), or only for one x of each orbit of the digits that the band's hints leave
interchangeable, all others by relabelling (few hints: a free band has a single orbit).

Bound: two orthogonal structures fix a band, and for the empty band no (x, y, z) has more than
1,728 fillings; masks only take some away. So int16 holds every entry.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import prod
from typing import Any, NamedTuple, Self

import numpy as np

from bddsudoku.engine.bands.partitions import (
    PARTITIONS,
    BlockPartitions,
    PartitionClasses,
    allowed_partition_triples,
    are_compatible,
    canonical_partition_flags,
    digit_classes,
    partition_classes,
    partition_number,
    partition_numbers,
    partition_tables,
)
from bddsudoku.jit import kernel
from bddsudoku.jit.decorators import I16, I32, I64, U8, U16, AnyArray, Flags

Parallel = Callable[[Callable[..., None], list[tuple[Any, ...]]], None]
"""Calls a kernel with each tuple of arguments, on some threads."""


class PartitionLists(NamedTuple):
    """Lists of digit partitions in one array: list n is ``items[ptr[n] : ptr[n + 1]]``."""

    ptr: I64
    items: I32

    @classmethod
    def group_by_key(cls, keys: AnyArray, items: AnyArray) -> Self:
        """Make a list of items for each key; the items of a list keep their given order."""
        order = np.argsort(keys, kind="stable")
        ptr = np.searchsorted(keys[order], np.arange(PARTITIONS + 1))
        return cls(ptr, items[order].astype(np.int32))


@kernel
def _compatible_row_partitions(tables, block, alive, columns, ptr, out):  # type: ignore[no-untyped-def]
    """Write, for each column partition, the compatible row partitions; return their number."""
    n = 0
    for k in range(len(columns)):
        for r in tables.orth[columns[k]]:
            if alive[r] and are_compatible(tables, block, r, columns[k]):
                out[n] = r
                n += 1
        ptr[k + 1] = n
    return n


def compatible_row_partitions(block: U16, alive: Flags, columns: I32) -> PartitionLists:
    """List, for each column partition of a block, the compatible row partitions in `alive`."""
    ptr = np.zeros(len(columns) + 1, dtype=np.int64)
    out = np.empty(len(columns) * partition_tables().orth.shape[1], dtype=np.int32)
    n = _compatible_row_partitions(partition_tables(), block, alive, columns, ptr, out)
    return PartitionLists(ptr, out[:n].copy())


def invert_row_lists(lists: PartitionLists) -> PartitionLists:
    """Turn lists of row partitions by column partition into the lists of the inverse relation."""
    of = np.repeat(np.arange(len(lists.ptr) - 1), np.diff(lists.ptr))
    return PartitionLists.group_by_key(lists.items, of)


class BandRows(NamedTuple):
    """The ways to split a band's digits among its rows, and the compatible splits among columns.

    Attributes:
        columns: the partitions along x.
        y, z: classes of the other blocks.
        xs: row partitions by place along x.
        ys, zs: classes by row partition.
        ptr, struct: the living row structures by the first partition.
    """

    columns: I32
    y: PartitionClasses
    z: PartitionClasses
    xs: PartitionLists
    ys: PartitionLists
    zs: PartitionLists
    ptr: I64
    struct: U16

    @classmethod
    def from_partitions(
        cls, masks: U16, rows: Any, columns: Any, x_partitions: I32, row_orders: I64
    ) -> Self:
        """List a band's row partition triples, and the column partitions that fit each of them.

        One row structure is kept of each orbit of the row permutations that leave the masks alone.
        They act freely (the three triples differ): the table comes out divided by their number.
        """
        first = rows[0] & canonical_partition_flags(row_orders)
        struct = allowed_partition_triples((first, rows[1], rows[2]))
        y, z = partition_classes(masks[1], columns[1]), partition_classes(masks[2], columns[2])
        return cls(
            x_partitions,
            y,
            z,
            compatible_row_partitions(masks[0], first, x_partitions),
            invert_row_lists(compatible_row_partitions(masks[1], rows[1], y.reps)),
            invert_row_lists(compatible_row_partitions(masks[2], rows[2], z.reps)),
            np.searchsorted(struct[:, 0], np.arange(PARTITIONS + 1)),
            struct,
        )

    @property
    def shape(self) -> tuple[int, int, int]:
        """The numbers of entries along the table's axes, one axis for each block of the band."""
        return len(self.columns), len(self.y.reps), len(self.z.reps)

    @property
    def increment_count(self) -> float:
        """Return how many increments of table entries :meth:`make_table` performs."""
        per = np.diff(self.ys.ptr)[self.struct[:, 1]].astype(np.float64)
        per *= np.diff(self.zs.ptr)[self.struct[:, 2]]
        by_row = np.bincount(self.struct[:, 0], weights=per, minlength=PARTITIONS)
        return float(by_row[self.xs.items].sum())

    def make_table(self, run: Parallel) -> I16:
        """Make the band table by enumerating fillings; `run` calls kernels on several threads."""
        table = np.zeros(self.shape, dtype=np.int16)
        run(
            _fill_table,
            [(table, *piece, self) for piece in split_range(len(self.columns), 64)],
        )
        return table


@kernel
def _fill_table(table, lo, hi, rows):  # type: ignore[no-untyped-def]
    for x in range(lo, hi):
        for k in range(rows.xs.ptr[x], rows.xs.ptr[x + 1]):
            r = rows.xs.items[k]
            for n in range(rows.ptr[r], rows.ptr[r + 1]):
                ry, rz = rows.struct[n, 1], rows.struct[n, 2]
                for i in range(rows.ys.ptr[ry], rows.ys.ptr[ry + 1]):
                    line = table[x, rows.ys.items[i]]
                    for j in range(rows.zs.ptr[rz], rows.zs.ptr[rz + 1]):
                        line[rows.zs.items[j]] += np.int16(1)


def split_range(size: int, pieces: int) -> list[tuple[int, int]]:
    """Split range(size) into intervals (begin, end) of about size / `pieces` each."""
    step = max(1, size // pieces)
    return [(lo, min(lo + step, size)) for lo in range(0, size, step)]


class SeedRows(NamedTuple):
    """The rows of a band table from which all other rows follow by relabelling digits.

    Attributes:
        table, rows: the table with these rows alone, and what it is filled by.
        y, z: classes of the whole table.
        of: the seed of each row.
        relabel: (n, 9), the digits that the seed's row has for those of each row.
    """

    table: I16
    rows: BandRows
    y: PartitionClasses
    z: PartitionClasses
    of: I64
    relabel: U8


@kernel
def _derive_rows_from_seeds(table, lo, hi, tables, seeds, image, renamed):  # type: ignore[no-untyped-def]
    """Derive rows lo to hi - 1 of a band table from given rows (`seeds`) by relabelling digits.

    table[x, y, z] = seed[d(y), d(z)] with d the relabelling of x. Working memory:
    `image` (512,), `renamed` (2, 1680), both int32.
    """
    image[0] = 0
    for x in range(lo, hi):
        for m in range(1, 512):
            low = m & -m
            d = 0
            while low >> d != 1:
                d += 1
            image[m] = image[m ^ low] | (1 << seeds.relabel[x, d])
        for axis in range(2):
            reps = seeds.y.reps if axis == 0 else seeds.z.reps
            of = seeds.rows.y.of if axis == 0 else seeds.rows.z.of
            for k in range(len(reps)):
                one, other = tables.part[reps[k], 0], tables.part[reps[k], 1]
                renamed[axis, k] = of[partition_number(tables, image[one], image[other])]
        for k in range(len(seeds.y.reps)):
            source = seeds.table[seeds.of[x], renamed[0, k]]
            target = table[x, k]
            for j in range(len(seeds.z.reps)):
                target[j] = source[renamed[1, j]]


def _sorting_relabelling(partition: U8, groups: list[list[int]]) -> U8:
    """Find the permutation within groups of digits that sorts each group by a partition's parts."""
    image = np.empty(9, dtype=np.uint8)
    for group in groups:
        image[sorted(group, key=lambda d: (int(partition[d]), d))] = sorted(group)
    return image


def relabel_partitions(partitions: AnyArray, relabel: U8) -> I16:
    """Relabel the digits of partitions: in the n-th, digit d becomes ``relabel[n, d]``."""
    column, bits = partition_tables().column[partitions], np.int64(1) << relabel.astype(np.int64)
    return partition_numbers(
        [np.where(column == position, bits, 0).sum(axis=1) for position in range(2)]
    )


@dataclass(frozen=True)
class TablePlan:
    """How a band's table of fillings is made: enumerated in full, or derived from a few rows.

    Attributes:
        x, y, z: classes of the three blocks, in the order asked for.
        scale: what every entry has to be multiplied by (row permutations divided out).
        rows: what it is filled by; of the seeds, if there are any.
        seed_of, relabel: see :class:`SeedRows`; None where the table is filled straight.
    """

    x: PartitionClasses
    y: PartitionClasses
    z: PartitionClasses
    scale: int
    rows: BandRows
    seed_of: I64 | None = None
    relabel: U8 | None = None

    @property
    def shape(self) -> tuple[int, int, int]:
        """The numbers of entries along the table's axes, one axis for each block of the band."""
        return len(self.x.reps), len(self.y.reps), len(self.z.reps)

    @property
    def nbytes(self) -> int:
        """Bytes of the finished table."""
        return 2 * prod(self.shape)

    @property
    def scratch_bytes(self) -> int:
        """Bytes needed beyond the table itself while it is filled."""
        return 0 if self.seed_of is None else 2 * prod(self.rows.shape)

    def build(self, run: Parallel) -> I16:
        """Build the table; `run` calls kernels on several threads."""
        made = self.rows.make_table(run)
        if self.seed_of is None or self.relabel is None:
            return made
        table = np.zeros(self.shape, dtype=np.int16)
        seeds = SeedRows(made, self.rows, self.y, self.z, self.seed_of, self.relabel)
        calls = []
        for piece in split_range(len(self.x.reps), 16):
            memory = np.empty(512, dtype=np.int32), np.empty((2, PARTITIONS), dtype=np.int32)
            calls.append((table, *piece, partition_tables(), seeds, *memory))
        run(_derive_rows_from_seeds, calls)
        return table


def plan_table(grid: BlockPartitions, band: int, stacks: tuple[int, int, int]) -> TablePlan:
    """Choose the cheaper way to fill a band's table, with its axes in the order of `stacks`."""
    order = list(stacks)
    masks, rows, columns = (of[band][order] for of in (grid.masks, grid.rows, grid.columns))
    orders = grid.row_orders_keeping_masks(band)
    x = partition_classes(masks[0], columns[0])
    straight = BandRows.from_partitions(masks, rows, columns, x.reps, orders)
    plan = TablePlan(x, straight.y, straight.z, len(orders), straight)
    groups = digit_classes(masks.reshape(27))
    if straight.increment_count <= 3e6 or len(groups) == 9:
        return plan
    relabel = np.stack([_sorting_relabelling(partition_tables().column[p], groups) for p in x.reps])
    reps, seed_of = np.unique(relabel_partitions(x.reps, relabel), return_inverse=True)
    # Relabelling takes living classes anywhere, so the seeds cover all that this band's own
    # masks allow, whatever the other bands have pruned.
    everything = np.ones((3, PARTITIONS), dtype=np.bool_)
    seeds = BandRows.from_partitions(masks, everything, everything, reps.astype(np.int32), orders)
    if seeds.increment_count + 2.0 * prod(plan.shape) >= straight.increment_count:
        return plan
    return TablePlan(x, straight.y, straight.z, len(orders), seeds, seed_of, relabel)
