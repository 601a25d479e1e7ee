"""Marginals from the same products: each of them told to the three entries that made it.

The count is a sum of products of three table entries, so its derivative by an entry of T_a says
how many solutions every one of the band's fillings counted there has. That is added to the pairs
(row partition, column partition) of the band's blocks, along the band's structures, as the table
was filled; and at last from pairs to digits of cells.

Bounds. Nothing is larger than the count, which is below 2**63 (see :mod:`.products`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from bddsudoku.engine.bands.narrow.lists import block_of
from bddsudoku.engine.bands.narrow.products import prepare
from bddsudoku.engine.bands.narrow.room import MORE_WORK
from bddsudoku.engine.bands.tables import FULL, PARTITIONS
from bddsudoku.jit import kernel, part

__all__ = ["share_narrow"]


@part
def derive(room: Any, way: int, stacks: Any, slopes: Any) -> Any:
    """The sum of the products; `slopes` become its derivatives by the tables' entries."""
    first, second, third = stacks
    over = 3 * (1 - way)
    for band in range(3):
        entries = np.int64(1)
        for stack in range(3):
            entries *= room.living[0, block_of(over + stack, band)]
        for n in range(entries):
            slopes[band, n] = 0
    wide, deep = room.living[1], room.living[2]
    for band in range(3):
        wide[band] = room.living[0, block_of(over + second, band)]
        deep[band] = room.living[0, block_of(over + third, band)]
    outer, middle, inner = (
        room.structures[over + first],
        room.structures[over + second],
        room.structures[over + third],
    )
    total = np.int64(0)
    for i in range(room.sizes[over + first]):
        for k in range(room.sizes[over + second]):
            line0 = outer[i, 0] * wide[0] + middle[k, 0]
            line1 = outer[i, 1] * wide[1] + middle[k, 1]
            line2 = outer[i, 2] * wide[2] + middle[k, 2]
            if room.some[0, line0] and room.some[1, line1] and room.some[2, line2]:
                at0, at1, at2 = line0 * deep[0], line1 * deep[1], line2 * deep[2]
                for m in range(room.sizes[over + third]):
                    e0, e1, e2 = at0 + inner[m, 0], at1 + inner[m, 1], at2 + inner[m, 2]
                    x = np.int64(room.tables[0, e0])
                    y = np.int64(room.tables[1, e1])
                    z = np.int64(room.tables[2, e2])
                    slopes[0, e0] += y * z
                    slopes[1, e1] += x * z
                    slopes[2, e2] += x * y
                    total += x * y * z
    return total


@part
def tell_pairs(room: Any, way: int, band: int, stacks: Any, slope: Any, told: Any) -> None:
    """Add a band's derivatives to the pairs of its blocks: told[block, place of the pair]."""
    first, second, third = stacks
    line = 3 * way + band
    a, b, c = block_of(line, first), block_of(line, second), block_of(line, third)
    wide, deep = room.living[0, b], room.living[0, c]
    listed = room.structures[line]
    for n in range(room.sizes[line]):
        x, y, z = listed[n, first], listed[n, second], listed[n, third]
        begin, end = room.starts[c, z], room.starts[c, z + 1]
        for i in range(room.starts[a, x], room.starts[a, x + 1]):
            whole = np.int64(0)
            for k in range(room.starts[b, y], room.starts[b, y + 1]):
                at = (np.int64(room.partners[a, i]) * wide + room.partners[b, k]) * deep
                row = np.int64(0)
                for m in range(begin, end):
                    value = slope[at + room.partners[c, m]]
                    told[c, m] += value
                    row += value
                told[b, k] += row
                whole += row
            told[a, i] += whole


@part
def tell_cells(room: Any, way: int, block: int, packed: Any, told: Any, shares: Any) -> None:
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
                    shares[corner + 9 * i + j, digit] += told[block, k]


@kernel
def share_narrow(
    cells: Any, room: Any, table: Any, slopes: Any, told: Any, shares: Any, count: Any
) -> None:
    """In how many solutions of a board with many hints each digit stands in each cell.

    Args:
        cells: uint16, (81,): candidate masks.
        room, table: by :func:`new_room` and :func:`partitions`.
        slopes: int64, (3, TABLE), working memory.
        told: int64, (9, PAIRS), all zero.
        shares: int64, (81, 9), all zero; they become the answer.
        count: int64, (1,): the number of solutions, :data:`WIDE` where that would take more than
            there is room for.
    """
    for cell in range(81):
        room.cells[cell] = cells[cell]
    done, way, stacks = prepare(room, table.packed, table.number, MORE_WORK)
    count[0] = done
    if done == 1:
        count[0] = derive(room, way, stacks, slopes)
        for band in range(3):
            tell_pairs(room, way, band, stacks, slopes[band], told)
        for block in range(9):
            tell_cells(room, way, block, table.packed, told, shares)
