"""What there is room for, and the partitions by number."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bddsudoku.engine.bands.tables import FULL, PARTITIONS

__all__ = [
    "ALL", "CARRY", "GROUPS", "MORE_WORK", "PAIRS", "STRUCTURES", "TABLE", "WIDE", "WORK",
    "Partitions", "Room", "new_room", "partitions",
]  # fmt: skip

WIDE = -1
"""Stands for the count of a board that leaves too much."""
PAIRS = 1 << 15
"""Compatible pairs of one block, at most."""
STRUCTURES = 1 << 14
"""Structures of one band or stack, at most."""
TABLE = 1 << 19
"""Entries of T of one band, at most."""
WORK = 1 << 24
"""Products of a count, at most: some 30 ms."""
MORE_WORK = 1 << 26
"""Products of marginals, at most: some 0.1 s, which the sums of the bands take at least."""

GROUPS = 1 | 1 << 10 | 1 << 20
"""The first bits of three groups of nine, each with a free bit behind it."""
ALL = FULL * GROUPS
"""All digits in each of the three."""
CARRY = GROUPS << 9
"""The free bits."""


class Partitions(NamedTuple):
    """Ordered partitions of the digits into three triples, by number.

    Attributes:
        packed: (1680,) int64, the triples of a partition in groups of ten bits, the first lowest.
        number: (512, 512) int16, a partition's number from its first two triples.
    """

    packed: NDArray[np.int64]
    number: NDArray[np.int16]


class Room(NamedTuple):
    """Working memory of one thread.

    Attributes:
        cells: int64, (81,): candidate masks.
        alive: bool, (2, 9, 1680): row partitions by block, then column partitions.
        seen: bool, (3, 1680).
        living: int64, (6, 1680).
        structures: int16, (6, STRUCTURES, 3): of three bands, then of three stacks; later their
            places among the living.
        pairs: int16, (9, PAIRS, 2): row and column partition, by block.
        sizes: int64, (15,): lengths of the lists.
        starts: int64, (9, 1681): of the partners of a partition.
        partners: int16, (9, PAIRS): places among the living.
        places: int16, (9, 1680).
        tables: int16, (3, TABLE): T of the bands.
        some: bool, (3, TABLE): whether a line of T is not all zero.
    """

    cells: NDArray[np.int64]
    alive: NDArray[np.bool_]
    seen: NDArray[np.bool_]
    living: NDArray[np.int64]
    structures: NDArray[np.int16]
    pairs: NDArray[np.int16]
    sizes: NDArray[np.int64]
    starts: NDArray[np.int64]
    partners: NDArray[np.int16]
    places: NDArray[np.int16]
    tables: NDArray[np.int16]
    some: NDArray[np.bool_]


def new_room() -> Room:
    """Room for the counts of one thread: some 6 MB, of which what is needed is touched."""
    return Room(
        np.empty(81, np.int64),
        np.empty((2, 9, PARTITIONS), np.bool_),
        np.empty((3, PARTITIONS), np.bool_),
        np.empty((6, PARTITIONS), np.int64),
        np.empty((6, STRUCTURES, 3), np.int16),
        np.empty((9, PAIRS, 2), np.int16),
        np.empty(15, np.int64),
        np.empty((9, PARTITIONS + 1), np.int64),
        np.empty((9, PAIRS), np.int16),
        np.empty((9, PARTITIONS), np.int16),
        np.empty((3, TABLE), np.int16),
        np.empty((3, TABLE), np.bool_),
    )


@cache
def partitions() -> Partitions:
    """All partitions, as :mod:`.tables` numbers them."""
    triples = [m for m in range(FULL + 1) if m.bit_count() == 3]
    packed = [
        a | b << 10 | (FULL ^ a ^ b) << 20
        for a in triples
        for b in triples
        if not a & b
    ]  # fmt: skip
    number = np.full((FULL + 1, FULL + 1), -1, np.int16)
    array = np.array(packed, np.int64)
    number[array & FULL, array >> 10 & FULL] = np.arange(PARTITIONS)
    return Partitions(array, number)
