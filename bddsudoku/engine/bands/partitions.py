"""Constant tables over ordered partitions of the nine digits into three triples.

A *partition* is an ordered triple of disjoint 3-subsets of the digits, written as three 9-bit
masks; there are 9!/6**3 = 1680. Its number is its place in lexicographic order of the masks.
A block filling is an orthogonal pair of them (rows, columns); going along a band the row
partitions of the three blocks are position-wise disjoint, and so are the column partitions
going down a stack: such a *structure* of three partitions exists in 1680 * 56 = 94080 ways.

Block level: which row and column partitions each block can still take.

The grid is looked at as nine blocks, ``masks[band, stack, i, j]``. A row partition r and a
column partition c of a block are *compatible* when they are orthogonal and each of the nine
single digits r_i & c_j is a candidate of cell (i, j). Partitions without a compatible partner,
or in no structure of partitions that are still alive, are dropped until nothing changes.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import combinations, permutations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bddsudoku.jit import inlined, kernel

FULL = 511
PARTITIONS = 1680
#: The six orders of three columns (or rows); the identity comes first.
COLUMN_ORDERS = np.array(list(permutations(range(3))), dtype=np.int64)


class Tables(NamedTuple):
    """All constant tables; built once in some 50 ms.

    Attributes:
        part: (1680, 3) uint16, the masks of each partition.
        triples: (84, 3) uint8, the digits of each 3-subset.
        subset: (512,) int16, number of a 3-subset among the 84, or -1.
        numbers: (84 * 84,) int16, partition number from the first two subsets' numbers, or -1.
        column: (1680, 9) uint8, the position (0..2) of each digit in each partition.
        reorder: (6, 1680) int16, number of the partition with its triples permuted:
            position k of the new partition is position ``COLUMN_ORDERS[g][k]`` of the old.
        orth: (1680, 216) int16, the partitions that meet each one in single digits everywhere.
        struct: (94080, 3) uint16, the structures in lexicographic order.
    """

    part: NDArray[np.uint16]
    triples: NDArray[np.uint8]
    subset: NDArray[np.int16]
    numbers: NDArray[np.int16]
    column: NDArray[np.uint8]
    reorder: NDArray[np.int16]
    orth: NDArray[np.int16]
    struct: NDArray[np.uint16]


def _number(subset: NDArray[np.int16], index: NDArray[np.int16], masks: Any) -> NDArray[np.int16]:
    return np.asarray(index[subset[masks[0]].astype(np.int64) * 84 + subset[masks[1]]])


def number(masks: Any) -> NDArray[np.int16]:
    """Numbers of partitions from the masks of their first triples, and of their second ones."""
    return _number(tables().subset, tables().numbers, masks)


@cache
def tables() -> Tables:
    """The constant tables (cached)."""
    triples = sorted(sum(1 << d for d in c) for c in combinations(range(9), 3))
    subset = np.full(512, -1, dtype=np.int16)
    subset[triples] = np.arange(84)
    rows = [
        (a, b, FULL ^ a ^ b) for a in triples for b in triples if a & b == 0
    ]  # the third triple is what is left
    part = np.array(rows, dtype=np.uint16)
    index = np.full(84 * 84, -1, dtype=np.int16)
    index[subset[part[:, 0]].astype(np.int64) * 84 + subset[part[:, 1]]] = np.arange(PARTITIONS)

    held = (part[:, :, None] >> np.arange(9, dtype=np.uint16)) & 1  # (1680, 3, 9)
    column = held.argmax(axis=1).astype(np.uint8)
    reorder = np.stack([_number(subset, index, part[:, order].T) for order in COLUMN_ORDERS])
    # Partition 0 is 012 | 345 | 678; relabelling carries its partners over to all others.
    digits = np.argsort(column, axis=1, kind="stable")
    bits = np.uint16(1) << digits.astype(np.uint16)

    def partners(of_first: NDArray[np.bool_]) -> NDArray[np.int16]:
        places = digits[of_first]
        first, second = (
            bits[:, places[:, k]] | bits[:, places[:, k + 1]] | bits[:, places[:, k + 2]]
            for k in (0, 3)
        )
        return np.sort(_number(subset, index, (first, second)), axis=1)

    disjoint = partners(((part & part[0]) == 0).all(axis=1))
    shared = part[:, :, None] & part[0][None, None, :]
    meets = partners(((shared != 0) & (shared & (shared - 1) == 0)).all(axis=(1, 2)))
    first = np.repeat(np.arange(PARTITIONS, dtype=np.int16), disjoint.shape[1])
    second = disjoint.reshape(-1)
    third = _number(subset, index, (FULL ^ part[first] ^ part[second]).T)
    struct = np.stack([first, second, third], axis=1).astype(np.uint16)
    orth = np.ascontiguousarray(meets)
    of_triple = [[d for d in range(9) if mask >> d & 1] for mask in triples]
    return Tables(
        part, np.array(of_triple, dtype=np.uint8), subset, index, column, reorder, orth, struct
    )


@inlined
def numbered(tables: Any, first: Any, second: Any) -> Any:
    """The number of a partition from the masks of its first two triples."""
    return tables.numbers[tables.subset[first] * np.int64(84) + tables.subset[second]]


@inlined
def compatible(tables: Any, block: Any, row: Any, column: Any) -> bool:
    """Whether orthogonal partitions of rows and columns fit a block's 3 x 3 masks."""
    for i in range(3):
        for j in range(3):
            if block[i, j] & tables.part[row, i] & tables.part[column, j] == 0:
                return False
    return True


@inlined
def _keep_seen(alive: Any, seen: Any) -> bool:
    """Drop partitions that were not seen; whether any went."""
    went = False
    for x in range(PARTITIONS):
        if alive[x] and not seen[x]:
            alive[x] = False
            went = True
    return went


@inlined
def _keep_structures(struct: Any, alive: Any, seen: Any) -> bool:
    """Drop partitions (alive: 3 x 1680) that are in no living structure; whether any went."""
    seen[:] = False
    for n in range(len(struct)):
        x, y, z = struct[n, 0], struct[n, 1], struct[n, 2]
        if alive[0, x] and alive[1, y] and alive[2, z]:
            seen[0, x] = seen[1, y] = seen[2, z] = True
    went = False
    for s in range(3):
        if _keep_seen(alive[s], seen[s]):
            went = True
    return went


@inlined
def _keep_supported(tables: Any, block: Any, rows: Any, columns: Any, seen: Any) -> bool:
    """Drop a block's partitions without a living compatible partner; whether any went."""
    seen[:] = False
    went = False
    for r in range(PARTITIONS):
        if rows[r]:
            found = False
            for c in tables.orth[r]:
                # A row that is known to live need not be tested against columns that are, too.
                known = found and seen[c]
                if columns[c] and not known and compatible(tables, block, r, c):
                    found = True
                    seen[c] = True
            if not found:
                rows[r] = False
                went = True
    return _keep_seen(columns, seen) or went


@kernel
def _narrow(tables: Any, masks: Any, free: Any, alive: Any, seen: Any) -> None:
    """Narrow living partitions down to the fixpoint.

    Args:
        masks: (3, 3, 3, 3), see `Grid`.
        free: (3, 3) bool; the block's masks forbid nothing. Such a block supports whatever it may
            take: 36 x 6 partners of each partition, of which the neighbours leave some in all but
            tiny cases. Skipping it only weakens the pruning, never the result.
        alive: (6, 3, 1680) bool; row partitions by band and stack, then column partitions by stack
            and band.
        seen: (3, 1680) bool, working memory.
    """
    moved = True
    while moved:
        moved = False
        for n in range(6):
            if _keep_structures(tables.struct, alive[n], seen):
                moved = True
        for b in range(3):
            for s in range(3):
                if not free[b, s] and _keep_supported(
                    tables, masks[b, s], alive[b, s], alive[3 + s, b], seen[0]
                ):
                    moved = True


def as_blocks(masks: NDArray[np.uint16], transposed: bool) -> NDArray[np.uint16]:
    """81 masks as (band, stack, i, j); rows become columns when `transposed`."""
    grid = masks.reshape(9, 9)
    grid = grid.T if transposed else grid
    return np.ascontiguousarray(grid.reshape(3, 3, 3, 3).transpose(0, 2, 1, 3))


def mask_orders(lines: NDArray[np.uint16]) -> NDArray[np.int64]:
    """Which of `COLUMN_ORDERS` leave `lines` (three equal-shaped arrays) as they are."""
    keep = [g for g, order in enumerate(COLUMN_ORDERS) if (lines[order] == lines).all()]
    return np.array(keep, dtype=np.int64)


def canonicals(orders: NDArray[np.int64]) -> NDArray[np.int16]:
    """(1680,) the least partition that some `COLUMN_ORDERS` make of each."""
    return np.asarray(tables().reorder[orders].min(axis=0))


def least(orders: NDArray[np.int64]) -> NDArray[np.bool_]:
    """(1680,) whether a partition is the least that some `COLUMN_ORDERS` make of it."""
    return np.asarray(canonicals(orders) == np.arange(PARTITIONS))


def structures(alive: Any) -> NDArray[np.uint16]:
    """The structures of three blocks' living partitions."""
    struct = tables().struct
    keep = alive[0][struct[:, 0]]
    keep &= alive[1][struct[:, 1]]
    keep &= alive[2][struct[:, 2]]
    return np.asarray(struct[keep])


@dataclass(frozen=True)
class Grid:
    """The nine blocks with their living partitions.

    Attributes:
        masks: (3, 3, 3, 3) uint16: band, stack, row in block, column in block.
        rows, columns: (3, 3, 1680) bool: band, stack, partition.
    """

    masks: NDArray[np.uint16]
    rows: NDArray[np.bool_]
    columns: NDArray[np.bool_]

    @classmethod
    def of(cls, masks: NDArray[np.uint16], transposed: bool) -> Grid:
        """Narrow 81 (normalised) masks; some ms up to 0.1 s."""
        t = tables()
        blocks = as_blocks(masks, transposed)
        # a partition may stand where every digit of it has a candidate in its line of the block
        lines = np.stack(
            [
                np.bitwise_or.reduce(blocks, axis=3),
                np.bitwise_or.reduce(blocks, axis=2).transpose(1, 0, 2),
            ]
        ).reshape(6, 3, 1, 3)
        alive = ((t.part & ~lines) == 0).all(axis=3)
        free = (blocks == FULL).all(axis=(2, 3))
        seen = np.empty((3, PARTITIONS), dtype=np.bool_)
        _narrow(t, blocks, free, alive, seen)
        rows, columns = alive[:3], np.ascontiguousarray(alive[3:].transpose(1, 0, 2))
        return cls(blocks, rows, columns)

    def row_orders(self, band: int) -> NDArray[np.int64]:
        """Permutations of a band's rows that leave its masks as they are."""
        return mask_orders(self.masks[band].transpose(1, 0, 2))

    def column_orders(self, stack: int) -> NDArray[np.int64]:
        """Permutations of a stack's columns that leave its masks as they are."""
        return mask_orders(self.masks[:, stack].transpose(2, 0, 1))


class Classes(NamedTuple):
    """Column partitions of one block, up to the column permutations that its masks allow.

    Attributes:
        of: (1680,) int32, class of each living partition, -1 of the others.
        reps: (n,) int32, one living partition of each class.
    """

    of: NDArray[np.int32]
    reps: NDArray[np.int32]


def classes(block: NDArray[np.uint16], alive: NDArray[np.bool_]) -> Classes:
    """Classes of a block's living column partitions (the block's own masks decide)."""
    living = np.nonzero(alive)[0]
    canonical = canonicals(mask_orders(block.T))[living]
    _, first, inverse = np.unique(canonical, return_index=True, return_inverse=True)
    of = np.full(PARTITIONS, -1, dtype=np.int32)
    of[living] = inverse
    return Classes(of, living[first].astype(np.int32))
