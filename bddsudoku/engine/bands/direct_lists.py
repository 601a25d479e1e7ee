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
def list_structures(room: Any, packed: Any, number: Any, line: int) -> bool:
    """List the structures of a band or stack; partitions in none die. False if they are many."""
    way = line // 3
    length0 = length1 = length2 = 0
    for n in range(PARTITIONS):
        for m in range(3):
            room.seen[m, n] = False
        if room.alive[way, block_of(line, 0), n]:
            room.living[0, length0] = n
            length0 += 1
        if room.alive[way, block_of(line, 1), n]:
            room.living[1, length1] = n
            length1 += 1
        if room.alive[way, block_of(line, 2), n]:
            room.living[2, length2] = n
            length2 += 1
    first, second, last = 0, 1, 2  # the last has most
    most = max(length0, length1, length2)
    if most == length0:
        first, second, last = 1, 2, 0
        length0, length1 = length1, length2
    elif most == length1:
        first, second, last = 0, 2, 1
        length1 = length2
    out = room.structures[line]
    alive = room.alive[way, block_of(line, last)]
    size = 0
    for i in range(length0):
        x = room.living[first, i]
        for k in range(length1):
            y = room.living[second, k]
            if packed[x] & packed[y] == 0:
                rest = ALL ^ packed[x] ^ packed[y]
                z = number[rest & FULL, rest >> 10 & FULL]
                if alive[z]:
                    if size == STRUCTURES:
                        return False
                    out[size, first] = x
                    out[size, second] = y
                    out[size, last] = z
                    size += 1
                    room.seen[first, x] = True
                    room.seen[second, y] = True
                    room.seen[last, z] = True
    room.sizes[line] = size
    for m in range(3):
        for n in range(PARTITIONS):
            room.alive[way, block_of(line, m), n] = room.seen[m, n]
    return True


@part
def list_pairs(room: Any, packed: Any, block: int) -> bool:
    """List the compatible pairs of a block; partitions in none die. False if they are many.

    A row and a column partition fit if each of the nine rows' meetings with columns has a
    candidate: there are nine digits, so it has just one.
    """
    corner = 27 * (block // 3) + 3 * (block % 3)
    living = room.living
    columns = 0
    for n in range(PARTITIONS):
        room.seen[0, n] = room.seen[1, n] = False
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
            open0 |= triple & room.cells[corner + 9 * i] << 10 * i
            open1 |= triple & room.cells[corner + 9 * i + 1] << 10 * i
            open2 |= triple & room.cells[corner + 9 * i + 2] << 10 * i
        for k in range(columns):
            met = (open0 & living[1, k]) + ALL
            met &= (open1 & living[2, k]) + ALL
            met &= (open2 & living[3, k]) + ALL
            if met & CARRY == CARRY:
                if size == PAIRS:
                    return False
                c = living[0, k]
                out[size, 0] = r
                out[size, 1] = c
                size += 1
                room.seen[0, r] = True
                room.seen[1, c] = True
    room.sizes[6 + block] = size
    for way in range(2):
        for n in range(PARTITIONS):
            room.alive[way, block, n] = room.seen[way, n]
    return True


@part
def _forget(seen: Any, members: int) -> None:
    """Nobody was seen."""
    for m in range(members):
        for n in range(PARTITIONS):
            seen[m, n] = False


@part
def _die(alive: Any, seen: Any) -> bool:
    """Whoever was not seen dies; whether anybody did."""
    died = False
    for n in range(PARTITIONS):
        if alive[n] and not seen[n]:
            alive[n] = False
            died = True
    return died


@part
def cut_down(room: Any) -> None:
    """Drop from the lists what has died, and who is in none of them, until nothing changes."""
    moved = True
    while moved:
        moved = False
        for line in range(6):
            way = line // 3
            list3 = room.structures[line]
            one = room.alive[way, block_of(line, 0)]
            two = room.alive[way, block_of(line, 1)]
            three = room.alive[way, block_of(line, 2)]
            _forget(room.seen, 3)
            size = 0
            for n in range(room.sizes[line]):
                x, y, z = list3[n, 0], list3[n, 1], list3[n, 2]
                if one[x] and two[y] and three[z]:
                    list3[size, 0] = x
                    list3[size, 1] = y
                    list3[size, 2] = z
                    size += 1
                    room.seen[0, x] = True
                    room.seen[1, y] = True
                    room.seen[2, z] = True
            room.sizes[line] = size
            moved |= _die(one, room.seen[0])
            moved |= _die(two, room.seen[1])
            moved |= _die(three, room.seen[2])
        for block in range(9):
            list2 = room.pairs[block]
            rows, columns = room.alive[0, block], room.alive[1, block]
            _forget(room.seen, 2)
            size = 0
            for n in range(room.sizes[6 + block]):
                x, y = list2[n, 0], list2[n, 1]
                if rows[x] and columns[y]:
                    list2[size, 0] = x
                    list2[size, 1] = y
                    size += 1
                    room.seen[0, x] = True
                    room.seen[1, y] = True
            room.sizes[6 + block] = size
            moved |= _die(rows, room.seen[0])
            moved |= _die(columns, room.seen[1])
