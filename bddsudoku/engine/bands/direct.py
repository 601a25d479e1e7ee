"""Counts of boards with many hints: the sums of the bands in one kernel, without preparation.

Where hints leave a block a few dozen partitions, the sums themselves take microseconds, and what
:mod:`~bddsudoku.engine.bands.plan` weighs beforehand (orientation, orbits, classes) takes
thousands of times as long. Here everything is a list of what is alive (:mod:`.direct_lists`):
structures of the bands' row partitions and of the stacks' column partitions, and compatible pairs
of a block. Lists are cut down against each other until nothing changes; then

    count = sum over structures (a_s, b_s, c_s) of the three stacks s of  T_a * T_b * T_c

is taken as it stands. A board that leaves more than the lists hold is *wide*, and is not counted.

Marginals come of the same products. The sum's derivative by an entry of T_a says how many solutions
every one of the band's fillings counted there has. That is added to the pairs (row partition,
column partition) of the band's blocks, along the band's structures, as the table was filled; and at
last from pairs to digits of cells.

Bounds. T <= 1728 (see :mod:`.bandtable`), so a product of three is below 2**33; there are at most
:data:`.direct_lists.MORE_WORK` of them, and the sum stays below 2**63; nothing is larger than it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bddsudoku.context import UNLIMITED, Context
from bddsudoku.engine.bands.direct_lists import (
    MORE_WORK,
    TABLE,
    WIDE,
    WORK,
    block_of,
    cut_down,
    list_pairs,
    list_structures,
    new_room,
    partitions,
    place_singles,
    revive,
)
from bddsudoku.engine.bands.partitions import FULL, PARTITIONS
from bddsudoku.jit import kernel, part
from bddsudoku.work.threads import Pause, each_piece


@part
def work(room: Any, way: int) -> Any:
    """Products, and increments of tables, if the partitions of one way go by the other's."""
    products = 1.0
    for line in range(3):
        products *= room.sizes[3 * (1 - way) + line]
    increments = 0.0
    for line in range(3 * way, 3 * way + 3):
        for n in range(room.sizes[line]):
            wide = 1.0
            for m in range(3):
                starts = room.starts[block_of(line, m)]
                x = room.structures[line, n, m]
                wide *= starts[x + 1] - starts[x]
            increments += wide
    return products, increments


@part
def join(room: Any, way: int) -> None:
    """List the partners of each partition of one way, as places among the living of the other."""
    for block in range(9):
        places, starts = room.places[block], room.starts[block]
        count = 0
        for n in range(PARTITIONS):
            starts[n] = 0
            if room.alive[1 - way, block, n]:
                places[n] = count
                count += 1
        starts[PARTITIONS] = 0
        pairs, size = room.pairs[block], room.sizes[6 + block]
        for n in range(size):
            starts[pairs[n, way] + 1] += 1
        for n in range(PARTITIONS):
            starts[n + 1] += starts[n]
        for n in range(size - 1, -1, -1):
            # from the end on, so that starts are where they were once all are placed
            x = pairs[n, way]
            starts[x + 1] -= 1
            room.partners[block, starts[x + 1]] = places[pairs[n, 1 - way]]
        for n in range(PARTITIONS):
            starts[n] = starts[n + 1]
        starts[PARTITIONS] = size


@part
def walk(room: Any, way: int, band: int, stacks: Any, telling: bool) -> bool:
    """T of a band, its axes in the order of the stacks. False if it has too many entries.

    If telling, the derivatives by the entries are added to the pairs of the blocks instead.
    """
    first, second, third = stacks
    line = 3 * way + band
    a, b, c = block_of(line, first), block_of(line, second), block_of(line, third)
    wide, deep = room.living[0, b], room.living[0, c]
    lines = room.living[0, a] * wide
    if lines * deep > TABLE:
        return False
    table, some, slopes, told = room.tables[band], room.some[band], room.slopes[band], room.told
    if not telling:
        table[: lines * deep] = 0
        some[:lines] = False
    listed = room.structures[line]
    for n in range(room.sizes[line]):
        x, y, z = listed[n, first], listed[n, second], listed[n, third]
        begin, end = room.starts[c, z], room.starts[c, z + 1]
        for i in range(room.starts[a, x], room.starts[a, x + 1]):
            whole = np.int64(0)
            for k in range(room.starts[b, y], room.starts[b, y + 1]):
                at = np.int64(room.partners[a, i]) * wide + room.partners[b, k]
                if telling:
                    row = np.int64(0)
                    for m in range(begin, end):
                        value = slopes[at * deep + room.partners[c, m]]
                        told[c, m] += value
                        row += value
                    told[b, k] += row
                    whole += row
                else:
                    some[at] = True
                    for m in range(begin, end):
                        table[at * deep + room.partners[c, m]] += np.int16(1)
            if telling:
                told[a, i] += whole
    return True


@part
def living(alive: Any) -> int:
    """How many partitions are alive."""
    count = 0
    for n in range(PARTITIONS):
        count += alive[n]
    return count


@part
def place_structures(room: Any, way: int) -> None:
    """The stacks' structures as places among the living."""
    for line in range(3 * (1 - way), 3 * (1 - way) + 3):
        listed = room.structures[line]
        for n in range(room.sizes[line]):
            for m in range(3):
                listed[n, m] = room.places[block_of(line, m), listed[n, m]]


@part
def sum(room: Any, way: int, stacks: Any, derived: bool) -> Any:
    """Products of the bands' tables, over the structures of the stacks.

    If derived, `room.slopes` become the derivatives by the tables' entries.
    """
    first, second, third = stacks
    over = 3 * (1 - way)
    wide, deep = room.living[1], room.living[2]
    for band in range(3):
        wide[band] = room.living[0, block_of(over + second, band)]
        deep[band] = room.living[0, block_of(over + third, band)]
        if derived:
            lines = room.living[0, block_of(over + first, band)] * wide[band]
            room.slopes[band, : lines * deep[band]] = 0
    outer, middle, inner = (
        room.structures[over + first],
        room.structures[over + second],
        room.structures[over + third],
    )
    table0, table1, table2 = room.tables[0], room.tables[1], room.tables[2]
    total = np.int64(0)
    for i in range(room.sizes[over + first]):
        for k in range(room.sizes[over + second]):
            line0 = outer[i, 0] * wide[0] + middle[k, 0]
            line1 = outer[i, 1] * wide[1] + middle[k, 1]
            line2 = outer[i, 2] * wide[2] + middle[k, 2]
            if room.some[0, line0] and room.some[1, line1] and room.some[2, line2]:
                at0, at1, at2 = line0 * deep[0], line1 * deep[1], line2 * deep[2]
                here0, here1, here2 = table0[at0:], table1[at1:], table2[at2:]
                for m in range(room.sizes[over + third]):
                    e0, e1, e2 = inner[m, 0], inner[m, 1], inner[m, 2]
                    x, y, z = np.int64(here0[e0]), np.int64(here1[e1]), np.int64(here2[e2])
                    total += x * y * z
                    if derived:
                        room.slopes[0, at0 + e0] += y * z
                        room.slopes[1, at1 + e1] += x * z
                        room.slopes[2, at2 + e2] += x * y
    return total


@part
def prepare(room: Any, table: Any, most: Any) -> Any:
    """Fill the tables of the masks in ``room.cells``, for so many products at most.

    Returns:
        1 if that is done, else the count: 0 or WIDE; the way of the tables; their axes.
    """
    stacks = (0, 1, 2)
    if not place_singles(room.cells):
        return 0, 0, stacks
    revive(room, table.packed)
    for line in range(6):
        if not list_structures(room, table, line):
            return WIDE, 0, stacks
    for block in range(9):
        if not list_pairs(room, table, block):
            return WIDE, 0, stacks
    cut_down(room)
    for line in range(6):
        if room.sizes[line] == 0:
            return 0, 0, stacks
    way, least = 1, np.inf
    for tried in range(2):
        join(room, tried)
        products, increments = work(room, tried)
        if products <= most and products + increments <= least:
            way, least = tried, products + increments
    if least == np.inf:
        return WIDE, 0, stacks
    if way == 0:
        join(room, 0)
    for block in range(9):
        room.living[0, block] = living(room.alive[1 - way, block])
    first, second, third = 0, 1, 2
    sizes = room.sizes[3 * (1 - way) : 3 * (1 - way) + 3]
    if sizes[0] >= sizes[1] and sizes[0] >= sizes[2]:
        first, third = 2, 0
    elif sizes[1] >= sizes[2]:
        second, third = 2, 1
    stacks = (first, second, third)
    for band in range(3):
        if not walk(room, way, band, stacks, False):
            return WIDE, 0, stacks
    place_structures(room, way)
    return 1, way, stacks


@kernel
def count_direct(boards: Any, room: Any, table: Any, counts: Any) -> None:
    """Count boards with many hints.

    Args:
        boards: uint16, (n, 81): candidate masks.
        room: by :func:`new_room`.
        table: by :func:`partitions`.
        counts: int64, (n,): the numbers of their solutions, :data:`WIDE` where that would take more
            than there is room for.
    """
    for i in range(len(boards)):
        for cell in range(81):
            room.cells[cell] = boards[i, cell]
        done, way, stacks = prepare(room, table, WORK)
        counts[i] = sum(room, way, stacks, False) if done == 1 else done


@part
def tell_cells(room: Any, way: int, block: int, packed: Any, shares: Any) -> None:
    """Add a block's pairs to the digits of its cells."""
    corner = 27 * (block // 3) + 3 * (block % 3)
    other = room.living[1]
    size = 0
    for n in range(PARTITIONS):
        if room.alive[1 - way, block, n]:
            other[size] = n
            size += 1
    for x in range(PARTITIONS):
        for k in range(room.starts[block, x], room.starts[block, x + 1]):
            rows, columns = packed[x], packed[other[room.partners[block, k]]]
            if way == 1:
                rows, columns = columns, rows
            for i in range(3):
                for j in range(3):
                    bit = (rows >> 10 * i) & (columns >> 10 * j) & FULL
                    digit = 0
                    while bit >> digit != 1:
                        digit += 1
                    shares[corner + 9 * i + j, digit] += room.told[block, k]


@kernel
def marginals_direct(cells: Any, room: Any, table: Any, shares: Any) -> Any:
    """In how many solutions of a board with many hints each digit stands in each cell.

    Args:
        cells: uint16, (81,): candidate masks.
        room, table: by :func:`new_room` and :func:`partitions`.
        shares: int64, (81, 9), all zero; they become the answer.

    Returns:
        The number of solutions, :data:`WIDE` where that would take more than there is room for.
    """
    for cell in range(81):
        room.cells[cell] = cells[cell]
    done, way, stacks = prepare(room, table, MORE_WORK)
    if done != 1:
        return done
    count = sum(room, way, stacks, True)
    room.told[:] = 0
    for band in range(3):
        walk(room, way, band, stacks, True)
    for block in range(9):
        tell_cells(room, way, block, table.packed, shares)
    return count


DIRECT_HINTS = 14
"""With fewer hints nearly all boards are wide: not worth trying."""


def direct_counts(
    boards: NDArray[np.uint16], *, jobs: int | None = None, context: Context = UNLIMITED
) -> NDArray[np.int64]:
    """The numbers of solutions of boards with many hints, side by side.

    Args:
        boards: candidate masks, (n, 81).
        jobs: threads; by default as many as there are cores.

    Returns:
        (n,): the counts; :data:`WIDE` for boards that leave too much, which is found out in a
        millisecond or two.
    """
    boards = np.ascontiguousarray(boards)
    counts = np.full(len(boards), WIDE, dtype=np.int64)

    def work(begin: int, end: int, pause: Pause) -> None:
        room = new_room()
        for n in range(begin, end):
            count_direct(boards[n : n + 1], room, partitions(), counts[n : n + 1])
            pause()

    each_piece(len(boards), work, jobs=jobs, context=context)
    return counts


def direct_marginals(masks: NDArray[np.uint16]) -> tuple[int, NDArray[np.int64]]:
    """In how many solutions of a board with many hints each digit stands in each cell.

    Args:
        masks: candidate masks, (81,).

    Returns:
        The number of solutions, and (9, 9, 9): row, column, digit - 1. :data:`WIDE` (and zeros)
        for a board that leaves too much. Some milliseconds.
    """
    shares = np.zeros((81, 9), dtype=np.int64)
    count = marginals_direct(np.ascontiguousarray(masks), new_room(), partitions(), shares)
    return int(count), shares.reshape(9, 9, 9)
