"""Constant tables over ordered partitions of the nine digits into three triples.

A *partition* is an ordered triple of disjoint 3-subsets of the digits, written as three 9-bit
masks; there are 9!/6**3 = 1680. Its number is its place in lexicographic order of the masks.
A block filling is an orthogonal pair of them (rows, columns); going along a band the row
partitions of the three blocks are position-wise disjoint, and so are the column partitions
going down a stack: such a *structure* of three partitions exists in 1680 * 56 = 94080 ways.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import combinations, permutations

import numpy as np
from numpy.typing import NDArray

__all__ = ["COLUMN_ORDERS", "FULL", "PARTITIONS", "Tables", "tables"]

FULL = 511
PARTITIONS = 1680
#: The six orders of three columns (or rows); the identity comes first.
COLUMN_ORDERS = np.array(list(permutations(range(3))), dtype=np.int64)


@dataclass(frozen=True)
class Tables:
    """All constant tables; built once in some 50 ms.

    Attributes:
        part: (1680, 3) uint16, the masks of each partition.
        triples: (84, 3) uint8, the digits of each 3-subset.
        subset: (512,) int16, number of a 3-subset among the 84, or -1.
        index: (84 * 84,) int16, partition number from the first two subsets' numbers, or -1.
        column: (1680, 9) uint8, the position (0..2) of each digit in each partition.
        reorder: (6, 1680) int16, number of the partition with its triples permuted:
            position k of the new partition is position ``COLUMN_ORDERS[g][k]`` of the old.
        orth: (1680, 216) int16, the partitions that meet each one in single digits everywhere.
        struct: (94080, 3) int16, the structures in lexicographic order.
    """

    part: NDArray[np.uint16]
    triples: NDArray[np.uint8]
    subset: NDArray[np.int16]
    index: NDArray[np.int16]
    column: NDArray[np.uint8]
    reorder: NDArray[np.int16]
    orth: NDArray[np.int16]
    struct: NDArray[np.int16]


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

    def number(masks: NDArray[np.uint16]) -> NDArray[np.int16]:
        at = subset[masks[..., 0]].astype(np.int64) * 84 + subset[masks[..., 1]]
        return np.asarray(index[at], dtype=np.int16)

    held = (part[:, :, None] >> np.arange(9, dtype=np.uint16)) & 1  # (1680, 3, 9)
    column = held.argmax(axis=1).astype(np.uint8)
    reorder = np.stack([number(part[:, order]) for order in COLUMN_ORDERS])
    # Partition 0 is 012 | 345 | 678; relabelling carries its partners over to all others.
    digits = np.argsort(column, axis=1, kind="stable")
    bits = np.uint16(1) << digits.astype(np.uint16)

    def partners(of_first: NDArray[np.bool_]) -> NDArray[np.int16]:
        places = digits[of_first]
        first, second = (
            bits[:, places[:, k]] | bits[:, places[:, k + 1]] | bits[:, places[:, k + 2]]
            for k in (0, 3)
        )
        return np.sort(index[subset[first].astype(np.int32) * 84 + subset[second]], axis=1)

    disjoint = partners(((part & part[0]) == 0).all(axis=1))
    shared = part[:, :, None] & part[0][None, None, :]
    meets = partners(((shared != 0) & (shared & (shared - 1) == 0)).all(axis=(1, 2)))
    first = np.repeat(np.arange(PARTITIONS, dtype=np.int16), disjoint.shape[1])
    second = disjoint.reshape(-1)
    third = number((FULL ^ part[first] ^ part[second]).astype(np.uint16))
    struct = np.stack([first, second, third], axis=1)
    orth = np.ascontiguousarray(meets)
    of_triple = [[d for d in range(9) if mask >> d & 1] for mask in triples]
    return Tables(
        part, np.array(of_triple, dtype=np.uint8), subset, index, column, reorder, orth, struct
    )
