"""Lists of what is alive: structures of bands and stacks, compatible pairs of blocks.

A *line* is a band (0 to 2) or a stack (3 to 5); its three members are blocks. Of a band's blocks
the row partitions (way 0) make structures, of a stack's the column partitions (way 1).

What there is room for, and the partitions by number.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bddsudoku.engine.bands.masks import HOUSES, PEERS
from bddsudoku.engine.bands.partitions import FULL, PARTITIONS
from bddsudoku.jit import part

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
        slopes: int64, (3, TABLE): derivatives by the tables' entries, for marginals.
        told: int64, (9, PAIRS): solutions by pair, for marginals.
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
    slopes: NDArray[np.int64]
    told: NDArray[np.int64]


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
        np.empty((3, TABLE), np.int64),
        np.empty((9, PAIRS), np.int64),
    )


@cache
def partitions() -> Partitions:
    """All partitions, as :mod:`.partitions` numbers them."""
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


_HOUSES = np.array(HOUSES)
_PEERS = np.array(PEERS)


@part
def block_of(line: int, member: int) -> int:
    """The block of a band (0 to 2) or a stack (3 to 5)."""
    return 3 * line + member if line < 3 else 3 * member + line - 3


@part
def place_singles(cells: Any) -> bool:
    """Naked and hidden singles to the fixpoint; False at a contradiction."""
    moved = True
    while moved:
        moved = False
        for cell in range(81):
            mask = cells[cell]
            if mask == 0:
                return False
            if mask & (mask - 1) == 0:
                for k in range(20):
                    peer = _PEERS[cell, k]
                    if cells[peer] & mask:
                        cells[peer] &= ~mask
                        moved = True
        for h in range(27):
            once = twice = 0
            for k in range(9):
                mask = cells[_HOUSES[h, k]]
                twice |= once & mask
                once |= mask
            if once != FULL:
                return False
            once &= ~twice
            for k in range(9):
                mask = cells[_HOUSES[h, k]]
                single = mask & once
                if single & (single - 1):
                    return False
                if single and mask != single:
                    cells[_HOUSES[h, k]] = single
                    moved = True
    return True


@part
def revive(room: Any, packed: Any) -> None:
    """Partitions whose every digit has a candidate in its line of the block."""
    cells = room.cells
    for block in range(9):
        corner = 27 * (block // 3) + 3 * (block % 3)
        rows = columns = 0
        for i in range(3):
            for j in range(3):
                rows |= cells[corner + 9 * i + j] << 10 * i
                columns |= cells[corner + 9 * i + j] << 10 * j
        for n in range(PARTITIONS):
            room.alive[0, block, n] = packed[n] & ~rows == 0
            room.alive[1, block, n] = packed[n] & ~columns == 0


@part
def _drop(alive: Any, seen: Any) -> bool:
    """Partitions that were not seen die; whether any did."""
    died = False
    for n in range(PARTITIONS):
        if alive[n] and not seen[n]:
            alive[n] = False
            died = True
    return died


@part
def _trim_structures(room: Any, line: int) -> bool:
    """Drop structures that hold a dead partition; partitions in none die: whether any did."""
    way, listed, seen = line // 3, room.structures[line], room.seen
    one, two, three = (
        room.alive[way, block_of(line, 0)],
        room.alive[way, block_of(line, 1)],
        room.alive[way, block_of(line, 2)],
    )
    seen[:] = False
    size = 0
    for n in range(room.sizes[line]):
        x, y, z = listed[n, 0], listed[n, 1], listed[n, 2]
        if one[x] and two[y] and three[z]:
            listed[size, 0], listed[size, 1], listed[size, 2] = x, y, z
            size += 1
            seen[0, x] = seen[1, y] = seen[2, z] = True
    room.sizes[line] = size
    died = _drop(one, seen[0])
    died |= _drop(two, seen[1])
    return died | _drop(three, seen[2])


@part
def _trim_pairs(room: Any, block: int) -> bool:
    """The same for the compatible pairs of a block."""
    listed, seen = room.pairs[block], room.seen
    rows, columns = room.alive[0, block], room.alive[1, block]
    seen[:] = False
    size = 0
    for n in range(room.sizes[6 + block]):
        x, y = listed[n, 0], listed[n, 1]
        if rows[x] and columns[y]:
            listed[size, 0], listed[size, 1] = x, y
            size += 1
            seen[0, x] = seen[1, y] = True
    room.sizes[6 + block] = size
    died = _drop(rows, seen[0])
    return died | _drop(columns, seen[1])


@part
def cut_down(room: Any) -> None:
    """Drop from the lists what has died, and who is in none of them, until nothing changes."""
    moved = True
    while moved:
        moved = False
        for line in range(6):
            moved |= _trim_structures(room, line)
        for block in range(9):
            moved |= _trim_pairs(room, block)


@part
def list_structures(room: Any, table: Any, line: int) -> bool:
    """List the structures of a band or stack; partitions in none die. False if they are many."""
    way, packed, living = line // 3, table.packed, room.living
    last, most = 0, -1  # the last has most
    for m in range(3):
        length = 0
        for n in range(PARTITIONS):
            if room.alive[way, block_of(line, m), n]:
                living[m, length] = n
                length += 1
        living[3, m] = length
        if length > most:
            last, most = m, length
    first, second = (last + 1) % 3, (last + 2) % 3
    out = room.structures[line]
    alive = room.alive[way, block_of(line, last)]
    size = 0
    for i in range(living[3, first]):
        x = living[first, i]
        for k in range(living[3, second]):
            y = living[second, k]
            if packed[x] & packed[y] == 0:
                rest = ALL ^ packed[x] ^ packed[y]
                z = table.number[rest & FULL, rest >> 10 & FULL]
                if alive[z]:
                    if size == STRUCTURES:
                        return False
                    out[size, first], out[size, second], out[size, last] = x, y, z
                    size += 1
    room.sizes[line] = size
    _trim_structures(room, line)
    return True


@part
def list_pairs(room: Any, table: Any, block: int) -> bool:
    """List the compatible pairs of a block; partitions in none die. False if they are many.

    A row and a column partition fit if each of the nine rows' meetings with columns has a
    candidate: there are nine digits, so it has just one.
    """
    corner = 27 * (block // 3) + 3 * (block % 3)
    living, packed, cells = room.living, table.packed, room.cells
    columns = 0
    for n in range(PARTITIONS):
        if room.alive[1, block, n]:
            living[0, columns] = n
            for j in range(3):
                living[1 + j, columns] = (packed[n] >> 10 * j & FULL) * GROUPS
            columns += 1
    out = room.pairs[block]
    size = 0
    for r in range(PARTITIONS):
        if not room.alive[0, block, r]:
            continue
        open0 = open1 = open2 = 0
        for i in range(3):
            triple = packed[r] & FULL << 10 * i
            open0 |= triple & cells[corner + 9 * i] << 10 * i
            open1 |= triple & cells[corner + 9 * i + 1] << 10 * i
            open2 |= triple & cells[corner + 9 * i + 2] << 10 * i
        for k in range(columns):
            met = (open0 & living[1, k]) + ALL
            met &= (open1 & living[2, k]) + ALL
            met &= (open2 & living[3, k]) + ALL
            if met & CARRY == CARRY:
                if size == PAIRS:
                    return False
                out[size, 0], out[size, 1] = r, living[0, k]
                size += 1
    room.sizes[6 + block] = size
    _trim_pairs(room, block)
    return True
