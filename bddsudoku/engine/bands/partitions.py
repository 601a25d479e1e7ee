"""Constant tables over ordered partitions of the nine digits into three triples.

A *partition* is an ordered triple of disjoint 3-subsets of the digits, written as three 9-bit
masks; there are 9!/6**3 = 1680. Its number is its place in lexicographic order of the masks.
A block filling is an orthogonal pair of them (rows, columns); going along a band the row
partitions of the three blocks are position-wise disjoint, and so are the column partitions
going down a stack: such a *structure* of three partitions exists in 1680 * 56 = 94080 ways.
"""

from __future__ import annotations

from functools import cache
from itertools import combinations, permutations
from typing import Any, NamedTuple

import numpy as np

from bddsudoku.jit import inlined
from bddsudoku.jit.arrays import I16, I32, I64, U8, U16, Flags

FULL = 511
PARTITIONS = 1680
#: The six orders of three columns (or rows); the identity comes first.
COLUMN_ORDERS = np.array(list(permutations(range(3))), dtype=np.int64)


class Tables(NamedTuple):
    """All constant tables; built once in some 50 ms.

    Attributes:
        part: (1680, 3) uint16, the masks of each partition.
        packed: (1680,) int64, the same in groups of ten bits, the first lowest.
        triples: (84, 3) uint8, the digits of each 3-subset.
        subset: (512,) int16, number of a 3-subset among the 84, or -1.
        numbers: (84 * 84,) int16, partition number from the first two subsets' numbers, or -1.
        column: (1680, 9) uint8, the position (0..2) of each digit in each partition.
        reorder: (6, 1680) int16, number of the partition with its triples permuted:
            position k of the new partition is position ``COLUMN_ORDERS[g][k]`` of the old.
        orth: (1680, 216) int16, the partitions that meet each one in single digits everywhere.
        struct: (94080, 3) uint16, the structures in lexicographic order.
    """

    part: U16
    packed: I64
    triples: U8
    subset: I16
    numbers: I16
    column: U8
    reorder: I16
    orth: I16
    struct: U16


def _number(subset: I16, index: I16, masks: Any) -> I16:
    return np.asarray(index[subset[masks[0]].astype(np.int64) * 84 + subset[masks[1]]])


def number(masks: Any) -> I16:
    """Numbers of partitions from the masks of their first triples, and of their second ones."""
    return _number(tables().subset, tables().numbers, masks)


@cache
def tables() -> Tables:
    """The constant tables (cached)."""
    of_triple = sorted(combinations(range(9), 3), key=lambda digits: digits[::-1])
    triples = [sum(1 << d for d in digits) for digits in of_triple]  # ascending
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

    def partners(of_first: Flags) -> I16:
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
    packed = (part.astype(np.int64) << np.array([0, 10, 20])).sum(axis=1)
    each = np.array(of_triple, dtype=np.uint8)
    return Tables(part, packed, each, subset, index, column, reorder, orth, struct)


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


def mask_orders(lines: U16) -> I64:
    """Which of `COLUMN_ORDERS` leave `lines` (three equal-shaped arrays) as they are."""
    keep = [g for g, order in enumerate(COLUMN_ORDERS) if (lines[order] == lines).all()]
    return np.array(keep, dtype=np.int64)


def canonicals(orders: I64) -> I16:
    """(1680,) the least partition that some `COLUMN_ORDERS` make of each."""
    return np.asarray(tables().reorder[orders].min(axis=0))


def least(orders: I64) -> Flags:
    """(1680,) whether a partition is the least that some `COLUMN_ORDERS` make of it."""
    return np.asarray(canonicals(orders) == np.arange(PARTITIONS))


def structures(alive: Any) -> U16:
    """The structures of three blocks' living partitions."""
    struct = tables().struct
    keep = alive[0][struct[:, 0]]
    keep &= alive[1][struct[:, 1]]
    keep &= alive[2][struct[:, 2]]
    return np.asarray(struct[keep])


class Classes(NamedTuple):
    """Column partitions of one block, up to the column permutations that its masks allow.

    Attributes:
        of: (1680,) int32, class of each living partition, -1 of the others.
        reps: (n,) int32, one living partition of each class.
    """

    of: I32
    reps: I32


def classes(block: U16, alive: Flags) -> Classes:
    """Classes of a block's living column partitions (the block's own masks decide)."""
    living = np.nonzero(alive)[0]
    canonical = canonicals(mask_orders(block.T))[living]
    _, first, inverse = np.unique(canonical, return_index=True, return_inverse=True)
    of = np.full(PARTITIONS, -1, dtype=np.int32)
    of[living] = inverse
    return Classes(of, living[first].astype(np.int32))
