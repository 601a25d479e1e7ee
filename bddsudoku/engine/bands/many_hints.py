"""Counting boards with many hints: one kernel fills the band tables and sums their products.

Where hints leave a block a few dozen partitions, the sums themselves take microseconds, and what
:mod:`~bddsudoku.engine.bands.band_plan` weighs beforehand (orientation, orbits, classes) takes
thousands of times as long. Here everything is a list of what is alive once masks are narrowed
(:func:`.partitions.filter_partitions`): structures of the bands' row partitions and of the stacks'
column partitions, and compatible pairs of a block. Then

    count = sum over structures (a_s, b_s, c_s) of the three stacks s of  T_a * T_b * T_c

is taken as it stands. A board whose lists exceed the workspace is *wide*, and is not counted.

The same products yield the marginals. The sum's derivative by an entry of T_a is the number of
solutions of every filling of the band that the entry counts. It is added to the pairs (row
partition, column partition) of the band's blocks, along the band's structures, as the table was
filled; and at last from pairs to digits of cells.

Bounds. T <= 1728 (see :mod:`.band_table`), so a product of three is below 2**33; there are at most
:data:`MAX_MARGINAL_PRODUCTS` of them, and the sum stays below 2**63; nothing is larger than it.
"""

from __future__ import annotations

from typing import NamedTuple, Self

import numpy as np

from bddsudoku.context import UNLIMITED, Context
from bddsudoku.engine.bands.partitions import (
    FULL,
    PARTITIONS,
    are_compatible,
    fill_singles,
    filter_partitions,
    partition_tables,
)
from bddsudoku.jit import inlined, kernel, subroutine
from bddsudoku.jit.decorators import I16, I64, U16, Flags
from bddsudoku.work.resources import CheckPoint, run_slices

TOO_LARGE = -1
"""The count reported for a wide board."""
MAX_PAIRS = 1 << 15
"""Compatible pairs of one block, at most."""
MAX_STRUCTURES = 1 << 14
"""Structures of one band or stack, at most."""
MAX_ENTRIES = 1 << 19
"""Entries of T of one band, at most."""
MAX_PRODUCTS = 1 << 24
"""Products of a count, at most: some 30 ms."""
MAX_MARGINAL_PRODUCTS = 1 << 26
"""Products of marginals, at most: some 0.1 s, which the sums of the bands take at least."""


class DirectWorkspace(NamedTuple):
    """Workspace of one thread for counting boards with many hints.

    A *line* is a band (0 to 2) or a stack (3 to 5); its three members are blocks. Of a band's
    blocks the row partitions make structures, of a stack's the column partitions. `transposed` is
    1 where stacks are taken as bands, else 0.

    Attributes:
        cells: (81,): candidate masks.
        masks, alive, seen: see :func:`.partitions.filter_partitions`.
        structures: (6, STRUCTURES, 3): by line; later their places among the living.
        sizes: (6,): how many.
        living: (9,): number of column partitions (row partitions if transposed), by block.
        places: (9, 1680): their places among the living.
        starts: (9, 1681): of the partners of a partition.
        partners: (9, PAIRS): places among the living.
        wide, deep: (3,): living partitions along a table's axes.
        tables: (3, TABLE): T of the bands.
        some: (3, TABLE): whether a line of T is not all zero.
        slopes: (3, TABLE): derivatives by the tables' entries, for marginals.
        digit_counts: (9, PAIRS): solutions by pair, for marginals.
    """

    cells: I64
    masks: U16
    alive: Flags
    seen: Flags
    structures: I16
    sizes: I64
    living: I64
    places: I16
    starts: I64
    partners: I16
    wide: I64
    deep: I64
    tables: I16
    some: Flags
    slopes: I64
    digit_counts: I64

    @classmethod
    def new(cls) -> Self:
        """Allocate a workspace: 21 MB of address space, of which few pages are touched."""
        return cls(
            np.empty(81, np.int64),
            np.empty((3, 3, 3, 3), np.uint16),
            np.empty((6, 3, PARTITIONS), np.bool_),
            np.empty((3, PARTITIONS), np.bool_),
            np.empty((6, MAX_STRUCTURES, 3), np.int16),
            np.empty(6, np.int64),
            np.empty(9, np.int64),
            np.empty((9, PARTITIONS), np.int16),
            np.empty((9, PARTITIONS + 1), np.int64),
            np.empty((9, MAX_PAIRS), np.int16),
            np.empty(3, np.int64),
            np.empty(3, np.int64),
            np.empty((3, MAX_ENTRIES), np.int16),
            np.empty((3, MAX_ENTRIES), np.bool_),
            np.empty((3, MAX_ENTRIES), np.int64),
            np.empty((9, MAX_PAIRS), np.int64),
        )


@subroutine
def block_index(line, member):  # type: ignore[no-untyped-def]
    """Return the number of block `member` in band `line` (0 to 2) or stack `line` - 3 (3 to 5)."""
    return 3 * line + member if line < 3 else 3 * member + line - 3


@inlined
def allowed_partition_flags(workspace, transposed, block):  # type: ignore[no-untyped-def]
    """The flags of a block's allowed digit partitions by row or, if transposed, by column."""
    return workspace.alive[
        3 + block % 3 if transposed else block // 3, block // 3 if transposed else block % 3
    ]


@subroutine
def list_partition_triples(workspace, all_triples, line):  # type: ignore[no-untyped-def]
    """List the ways in which a band or stack can split the digits among its rows or columns."""
    one, two, three = workspace.alive[line, 0], workspace.alive[line, 1], workspace.alive[line, 2]
    out = workspace.structures[line]
    size = 0
    for x in range(PARTITIONS):
        if one[x]:
            for n in range(56 * x, 56 * x + 56):
                y, z = all_triples[n, 1], all_triples[n, 2]
                if two[y] and three[z]:
                    out[size, 0], out[size, 1], out[size, 2] = x, y, z
                    size += 1
    workspace.sizes[line] = size


@subroutine
def list_block_fillings(workspace, tables, transposed):  # type: ignore[no-untyped-def]
    """List every block's fillings as row and column partition pairs; False if there are too many.

    Returns:
        False if a block has more than :data:`MAX_PAIRS`.
    """
    for block in range(9):
        places, starts = workspace.places[block], workspace.starts[block]
        partners = workspace.partners[block]
        mine = allowed_partition_flags(workspace, transposed, block)
        others = allowed_partition_flags(workspace, 1 - transposed, block)
        masks = workspace.masks[block // 3, block % 3]
        count = 0
        for n in range(PARTITIONS):
            if others[n]:
                places[n] = count
                count += 1
        workspace.living[block] = count
        size = 0
        for n in range(PARTITIONS):
            starts[n] = size
            if mine[n]:
                for other in tables.orth[n]:
                    if others[other]:
                        row, column = (other, n) if transposed else (n, other)
                        if are_compatible(tables, masks, row, column):
                            if size == MAX_PAIRS:
                                return False
                            partners[size] = places[other]
                            size += 1
        starts[PARTITIONS] = size
    return True


@subroutine
def fill_band_table(workspace, transposed, band, stacks, add_derivatives):  # type: ignore[no-untyped-def]
    """Count a band's fillings by the digit sets of its columns; False if the table is too large.

    The axes are in the order of `stacks`. If `add_derivatives`, the table is read instead: the
    derivatives by its entries are added to the pairs of partitions of the blocks.
    """
    first, second, third = stacks
    line = 3 * transposed + band
    a, b, c = block_index(line, first), block_index(line, second), block_index(line, third)
    wide, deep = workspace.living[b], workspace.living[c]
    lines = workspace.living[a] * wide
    if lines * deep > MAX_ENTRIES:
        return False
    table, some = workspace.tables[band], workspace.some[band]
    slopes, digit_counts = workspace.slopes[band], workspace.digit_counts
    if not add_derivatives:
        table[: lines * deep] = 0
        some[:lines] = False
    listed = workspace.structures[line]
    for n in range(workspace.sizes[line]):
        x, y, z = listed[n, first], listed[n, second], listed[n, third]
        begin, end = workspace.starts[c, z], workspace.starts[c, z + 1]
        for i in range(workspace.starts[a, x], workspace.starts[a, x + 1]):
            whole = np.int64(0)
            for k in range(workspace.starts[b, y], workspace.starts[b, y + 1]):
                at = np.int64(workspace.partners[a, i]) * wide + workspace.partners[b, k]
                if add_derivatives:
                    row = np.int64(0)
                    for m in range(begin, end):
                        value = slopes[at * deep + workspace.partners[c, m]]
                        digit_counts[c, m] += value
                        row += value
                    digit_counts[b, k] += row
                    whole += row
                else:
                    some[at] = True
                    for m in range(begin, end):
                        table[at * deep + workspace.partners[c, m]] += np.int16(1)
            if add_derivatives:
                digit_counts[a, i] += whole
    return True


@subroutine
def renumber_stack_triples(workspace, transposed):  # type: ignore[no-untyped-def]
    """In the stacks' triples, replace partitions by their indices among those the block allows."""
    for line in range(3 * (1 - transposed), 3 * (1 - transposed) + 3):
        listed = workspace.structures[line]
        for n in range(workspace.sizes[line]):
            for m in range(3):
                listed[n, m] = workspace.places[block_index(line, m), listed[n, m]]


@subroutine
def count_board(workspace, transposed, stacks, with_derivatives):  # type: ignore[no-untyped-def]
    """Count the solutions: sum products of the band tables over the ways to fill the stacks.

    If `with_derivatives`, `workspace.slopes` become the derivatives by the tables' entries.
    """
    first, second, third = stacks
    over = 3 * (1 - transposed)
    wide, deep = workspace.wide, workspace.deep
    for band in range(3):
        wide[band] = workspace.living[block_index(over + second, band)]
        deep[band] = workspace.living[block_index(over + third, band)]
        if with_derivatives:
            lines = workspace.living[block_index(over + first, band)] * wide[band]
            workspace.slopes[band, : lines * deep[band]] = 0
    outer, middle = workspace.structures[over + first], workspace.structures[over + second]
    inner = workspace.structures[over + third]
    table0, table1, table2 = workspace.tables[0], workspace.tables[1], workspace.tables[2]
    total = np.int64(0)
    for i in range(workspace.sizes[over + first]):
        for k in range(workspace.sizes[over + second]):
            line0 = outer[i, 0] * wide[0] + middle[k, 0]
            line1 = outer[i, 1] * wide[1] + middle[k, 1]
            line2 = outer[i, 2] * wide[2] + middle[k, 2]
            if workspace.some[0, line0] and workspace.some[1, line1] and workspace.some[2, line2]:
                at0, at1, at2 = line0 * deep[0], line1 * deep[1], line2 * deep[2]
                here0, here1, here2 = table0[at0:], table1[at1:], table2[at2:]
                for m in range(workspace.sizes[over + third]):
                    e0, e1, e2 = inner[m, 0], inner[m, 1], inner[m, 2]
                    x, y, z = np.int64(here0[e0]), np.int64(here1[e1]), np.int64(here2[e2])
                    total += x * y * z
                    if with_derivatives:
                        workspace.slopes[0, at0 + e0] += y * z
                        workspace.slopes[1, at1 + e1] += x * z
                        workspace.slopes[2, at2 + e2] += x * y
    return total


@subroutine
def propagate_and_fill_tables(workspace, tables, max_products):  # type: ignore[no-untyped-def]
    """Propagate a board and fill its band tables; stop if it has no solution or is too large.

    Returns:
        1 if that is done, else the count: 0 or TOO_LARGE; whether transposed; the tables' axes.
    """
    stacks = (0, 1, 2)
    if not fill_singles(workspace.cells):
        return 0, 0, stacks
    for cell in range(81):
        row, column = cell // 9, cell % 9
        workspace.masks[row // 3, column // 3, row % 3, column % 3] = workspace.cells[cell]
    if not filter_partitions(
        tables, workspace.masks, workspace.alive, workspace.seen, MAX_STRUCTURES
    ):
        return TOO_LARGE, 0, stacks
    for line in range(6):
        list_partition_triples(workspace, tables.struct, line)
        if workspace.sizes[line] == 0:
            return 0, 0, stacks
    over = np.float64(1) * workspace.sizes[0] * workspace.sizes[1] * workspace.sizes[2]
    others = np.float64(1) * workspace.sizes[3] * workspace.sizes[4] * workspace.sizes[5]
    transposed = 0 if others < over else 1
    if min(over, others) > max_products or not list_block_fillings(workspace, tables, transposed):
        return TOO_LARGE, 0, stacks
    first, second, third = 0, 1, 2
    lines = workspace.sizes[3 * (1 - transposed) : 3 * (1 - transposed) + 3]
    if lines[0] >= lines[1] and lines[0] >= lines[2]:
        first, third = 2, 0
    elif lines[1] >= lines[2]:
        second, third = 2, 1
    stacks = (first, second, third)
    for band in range(3):
        if not fill_band_table(workspace, transposed, band, stacks, False):
            return TOO_LARGE, 0, stacks
    renumber_stack_triples(workspace, transposed)
    return 1, transposed, stacks


@subroutine
def add_cell_counts(workspace, transposed, block, packed, counts):  # type: ignore[no-untyped-def]
    """Add the solution counts of a block's fillings to the counts by cell and digit."""
    corner = 27 * (block // 3) + 3 * (block % 3)
    alive = allowed_partition_flags(workspace, 1 - transposed, block)
    others = workspace.places[block]  # from here on by place
    size = 0
    for n in range(PARTITIONS):
        if alive[n]:
            others[size] = n
            size += 1
    for x in range(PARTITIONS):
        for k in range(workspace.starts[block, x], workspace.starts[block, x + 1]):
            rows, columns = packed[x], packed[others[workspace.partners[block, k]]]
            if transposed == 1:
                rows, columns = columns, rows
            for i in range(3):
                for j in range(3):
                    bit = (rows >> 10 * i) & (columns >> 10 * j) & FULL
                    digit = 0
                    while bit >> digit != 1:
                        digit += 1
                    counts[corner + 9 * i + j, digit] += workspace.digit_counts[block, k]


@kernel
def count_boards(boards, workspace, tables, counts, marginals):  # type: ignore[no-untyped-def]
    """Count the solutions of boards with many hints and, if asked for, compute marginals.

    Args:
        boards: uint16, (n, 81): candidate masks.
        workspace: a :class:`DirectWorkspace`.
        tables: by :func:`.partitions.partition_tables`.
        counts: int64, (n,): output, the numbers of solutions, :data:`TOO_LARGE` for wide boards.
        marginals: int64, (n, 81, 9), all zero, or (0, 81, 9): in how many solutions each digit
            stands in each cell.
    """
    with_derivatives = len(marginals) > 0
    for i in range(len(boards)):
        for cell in range(81):
            workspace.cells[cell] = boards[i, cell]
        done, transposed, stacks = propagate_and_fill_tables(
            workspace, tables, MAX_MARGINAL_PRODUCTS if with_derivatives else MAX_PRODUCTS
        )
        total = count_board(workspace, transposed, stacks, with_derivatives) if done == 1 else done
        counts[i] = total
        if with_derivatives and done == 1:
            workspace.digit_counts[:] = 0
            for band in range(3):
                fill_band_table(workspace, transposed, band, stacks, True)
            for block in range(9):
                add_cell_counts(workspace, transposed, block, tables.packed, marginals[i])


DIRECT_HINTS = 14
"""With fewer hints nearly all boards are wide: not worth trying."""
_NONE = np.zeros((0, 81, 9), dtype=np.int64)


def direct_counts(boards: U16, *, jobs: int | None = None, context: Context = UNLIMITED) -> I64:
    """Count the solutions of boards with many hints, on several threads.

    Args:
        boards: candidate masks, (n, 81).
        jobs: threads; by default as many as there are cores.

    Returns:
        (n,): the counts; :data:`TOO_LARGE` for wide boards, which are recognised in a millisecond
        or two.
    """
    boards = np.array(boards, order="C")  # a kernel for arrays that may be written is enough
    counts = np.full(len(boards), TOO_LARGE, dtype=np.int64)

    def work(begin: int, end: int, pause: CheckPoint) -> None:
        workspace = DirectWorkspace.new()
        for n in range(begin, end):
            count_boards(boards[n : n + 1], workspace, partition_tables(), counts[n : n + 1], _NONE)
            pause()

    run_slices(len(boards), work, jobs=jobs, context=context)
    return counts


def direct_marginals(masks: U16) -> tuple[int, I64]:
    """Compute the marginals of a board with many hints.

    Args:
        masks: candidate masks, (81,).

    Returns:
        The number of solutions, and (9, 9, 9): row, column, digit - 1. :data:`TOO_LARGE` (and
        zeros) for a wide board. Takes some milliseconds.
    """
    found, count = np.zeros((1, 81, 9), dtype=np.int64), np.empty(1, dtype=np.int64)
    boards = np.array(masks[None], order="C")  # of the type that counts have, too
    count_boards(boards, DirectWorkspace.new(), partition_tables(), count, found)
    return int(count[0]), found.reshape(9, 9, 9)
