"""Constant tables over ordered partitions of the nine digits into three triples.

A *partition* is an ordered triple of disjoint 3-subsets of the digits, written as three 9-bit
masks; there are 9!/6**3 = 1680. Its number is its place in lexicographic order of the masks.
A block filling is an orthogonal pair of them (rows, columns); going along a band the row
partitions of the three blocks are position-wise disjoint, and so are the column partitions
going down a stack: such a *structure* of three partitions exists in 1680 * 56 = 94080 ways.

The module also finds the partitions that 81 candidate masks allow, and the masks' symmetries.

Masks are 81 ints in row-major order; bit d - 1 says that digit d is allowed. First singles are
placed. Then the grid is looked at as nine blocks, ``masks[band, stack, i, j]``: a row partition r
and a column partition c of a block are *compatible* when they are orthogonal and each of the nine
single digits r_i & c_j is a candidate of cell (i, j). Partitions without a compatible partner, or
in no structure of partitions that are still alive, are dropped until nothing changes.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import combinations, permutations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from bddsudoku.engine.classic_board import HOUSES, PEERS
from bddsudoku.errors import PuzzleFormatError
from bddsudoku.jit import inlined, kernel, subroutine
from bddsudoku.jit.decorators import I16, I32, I64, U8, U16, Flags

FULL = 511
PARTITIONS = 1680
#: The six orders of three columns (or rows); the identity comes first.
COLUMN_ORDERS = np.array(list(permutations(range(3))), dtype=np.int64)


class PartitionTables(NamedTuple):
    """Constant tables of the partitions of nine digits into triples; built once in some 50 ms.

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


def _look_up_partitions(subset: I16, index: I16, triple_masks: Any) -> I16:
    return np.asarray(
        index[subset[triple_masks[0]].astype(np.int64) * 84 + subset[triple_masks[1]]]
    )


def partition_numbers(triple_masks: Any) -> I16:
    """The serial number of each digit partition, from the masks of its first and second triples."""
    return _look_up_partitions(partition_tables().subset, partition_tables().numbers, triple_masks)


@cache
def partition_tables() -> PartitionTables:
    """Build the constant tables of digit partitions, once per process."""
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
    reorder = np.stack(
        [_look_up_partitions(subset, index, part[:, order].T) for order in COLUMN_ORDERS]
    )
    # Partition 0 is 012 | 345 | 678; relabelling carries its partners over to all others.
    digits = np.argsort(column, axis=1, kind="stable")
    bits = np.uint16(1) << digits.astype(np.uint16)

    def partners(of_first: Flags) -> I16:
        places = digits[of_first]
        first, second = (
            bits[:, places[:, k]] | bits[:, places[:, k + 1]] | bits[:, places[:, k + 2]]
            for k in (0, 3)
        )
        return np.sort(_look_up_partitions(subset, index, (first, second)), axis=1)

    disjoint = partners(((part & part[0]) == 0).all(axis=1))
    shared = part[:, :, None] & part[0][None, None, :]
    meets = partners(((shared != 0) & (shared & (shared - 1) == 0)).all(axis=(1, 2)))
    first = np.repeat(np.arange(PARTITIONS, dtype=np.int16), disjoint.shape[1])
    second = disjoint.reshape(-1)
    third = _look_up_partitions(subset, index, (FULL ^ part[first] ^ part[second]).T)
    struct = np.stack([first, second, third], axis=1).astype(np.uint16)
    orth = np.ascontiguousarray(meets)
    packed = (part.astype(np.int64) << np.array([0, 10, 20])).sum(axis=1)
    each = np.array(of_triple, dtype=np.uint8)
    return PartitionTables(part, packed, each, subset, index, column, reorder, orth, struct)


@inlined
def partition_number(tables, first, second):  # type: ignore[no-untyped-def]
    """The serial number of a digit partition, from the masks of its first two triples."""
    return tables.numbers[tables.subset[first] * np.int64(84) + tables.subset[second]]


@inlined
def are_compatible(tables, block, row, column):  # type: ignore[no-untyped-def]
    """Whether a block's candidates allow the digits that a row and a column partition determine."""
    for i in range(3):
        for j in range(3):
            if block[i, j] & tables.part[row, i] & tables.part[column, j] == 0:
                return False
    return True


def line_orders_keeping_masks(mask_lines: U16) -> I64:
    """Return the indices of the permutations of three rows or columns that preserve the masks."""
    keep = [g for g, order in enumerate(COLUMN_ORDERS) if (mask_lines[order] == mask_lines).all()]
    return np.array(keep, dtype=np.int64)


def canonical_partitions(column_orders: I64) -> I16:
    """For each of the 1680 digit partitions, find its least reordering by `column_orders`."""
    return np.asarray(partition_tables().reorder[column_orders].min(axis=0))


def canonical_partition_flags(column_orders: I64) -> Flags:
    """Flag digit partitions with the least number among their reorderings by `column_orders`."""
    return np.asarray(canonical_partitions(column_orders) == np.arange(PARTITIONS))


def allowed_partition_triples(allowed: Any) -> U16:
    """List the triples of allowed digit partitions that the blocks of a band or stack can have."""
    struct = partition_tables().struct
    keep = allowed[0][struct[:, 0]]
    keep &= allowed[1][struct[:, 1]]
    keep &= allowed[2][struct[:, 2]]
    return np.asarray(struct[keep])


class PartitionClasses(NamedTuple):
    """Classes of a block's digit partitions that permuting equal columns makes equivalent.

    Attributes:
        of: (1680,) int32, class of each living partition, -1 of the others.
        reps: (n,) int32, one living partition of each class.
    """

    of: I32
    reps: I32


def partition_classes(block: U16, allowed: Flags) -> PartitionClasses:
    """Group a block's allowed digit partitions up to permutations of columns with equal masks."""
    living = np.nonzero(allowed)[0]
    canonical = canonical_partitions(line_orders_keeping_masks(block.T))[living]
    _, first, inverse = np.unique(canonical, return_index=True, return_inverse=True)
    of = np.full(PARTITIONS, -1, dtype=np.int32)
    of[living] = inverse
    return PartitionClasses(of, living[first].astype(np.int32))


def as_masks(masks: ArrayLike) -> U16:
    """Check 81 candidate masks and convert them to uint16.

    Args:
        masks: 81 (or 9 x 9) integers from 0 to 511.

    Raises:
        PuzzleFormatError: not 81 integers, or one outside 0..511.
    """
    array = np.asarray(masks)
    if array.size != 81 or array.dtype.kind not in "iu":
        raise PuzzleFormatError(
            f"81 candidate masks expected, got {array.size} values of type {array.dtype}"
        )
    array = array.reshape(81)
    for cell in np.flatnonzero((array < 0) | (array > FULL)):
        raise PuzzleFormatError(
            f"candidate mask from 0 to {FULL} expected, got {array[cell]}",
            cell=f"r{cell // 9 + 1}c{cell % 9 + 1}",
        )
    return array.astype(np.uint16)


@subroutine
def fill_singles(cells):  # type: ignore[no-untyped-def]
    """Fill naked and hidden singles to the fixpoint; False at a contradiction."""
    moved = True
    while moved:
        moved = False
        for cell in range(81):
            mask = cells[cell]
            if mask == 0:
                return False
            if mask & (mask - 1) == 0:
                for k in range(20):
                    peer = PEERS[cell, k]
                    if cells[peer] & mask:
                        cells[peer] &= ~mask
                        moved = True
        for h in range(27):
            once = twice = 0
            for k in range(9):
                mask = cells[HOUSES[h, k]]
                twice |= once & mask
                once |= mask
            if once != FULL:
                return False
            once &= ~twice
            for k in range(9):
                mask = cells[HOUSES[h, k]]
                single = mask & once
                if single & (single - 1):
                    return False
                if single and mask != single:
                    cells[HOUSES[h, k]] = single
                    moved = True
    return True


@kernel
def _fill_singles(cells):  # type: ignore[no-untyped-def]
    """Fill naked and hidden singles, by a call of :func:`fill_singles` from Python."""
    return fill_singles(cells)


def masks_after_singles(masks: U16) -> U16 | None:
    """Place naked and hidden singles in a copy of masks; None if that shows no solution exists."""
    cells = masks.astype(np.int64)
    return cells.astype(np.uint16) if _fill_singles(cells) else None


def restore_implied_candidates(masks: U16) -> U16:
    """Put back candidates that are excluded only by a placed digit; this adds no solutions.

    A digit that is missing from an open cell only because a peer holds it is put back: rows,
    columns and blocks forbid it anyway, and without such traces interchangeable digits and
    columns have equal masks.

    Args:
        masks: as :func:`masks_after_singles` returns them.
    """
    single = masks & (masks - 1) == 0
    held = np.bitwise_or.reduce(np.where(single, masks, 0)[PEERS], axis=1)
    return np.where(single, masks, masks | held)


def digit_classes(masks: U16) -> list[list[int]]:
    """The digits (0 to 8) grouped by the set of cells that have them as candidates.

    Swapping two digits of a group is a symmetry of the masks."""
    groups: dict[bytes, list[int]] = {}
    for digit in range(9):
        groups.setdefault(((masks >> digit) & 1).tobytes(), []).append(digit)
    return list(groups.values())


@subroutine
def _keep_seen(alive, seen):  # type: ignore[no-untyped-def]
    """Clear the flags of `alive` that are not set in `seen`; return whether any were cleared."""
    went = False
    for x in range(PARTITIONS):
        if alive[x] and not seen[x]:
            alive[x] = False
            went = True
    return went


@subroutine
def _filter_band_or_stack(triples, alive, seen):  # type: ignore[no-untyped-def]
    """Keep those digit partitions of a band or stack that belong to a triple of allowed ones.

    Returns:
        Whether any were removed, and the number of living structures.
    """
    one, two, three = alive[0], alive[1], alive[2]
    size = 0
    seen[:] = False
    for x in range(PARTITIONS):
        if one[x]:
            for n in range(56 * x, 56 * x + 56):
                y, z = triples[n, 1], triples[n, 2]
                if two[y] and three[z]:
                    seen[0, x] = seen[1, y] = seen[2, z] = True
                    size += 1
    went = False
    for s in range(3):
        went |= _keep_seen(alive[s], seen[s])
    return went, size


@subroutine
def _keep_supported(tables, block, rows, columns, seen):  # type: ignore[no-untyped-def]
    """Drop row and column partitions that fit none of the other kind; True if any was dropped."""
    seen[:] = False
    went = False
    for r in range(PARTITIONS):
        if rows[r]:
            found = False
            for c in tables.orth[r]:
                # A row that is known to live need not be tested against columns that are, too.
                known = found and seen[c]
                if columns[c] and not known and are_compatible(tables, block, r, c):
                    found = True
                    seen[c] = True
            if not found:
                rows[r] = False
                went = True
    return _keep_seen(columns, seen) or went


@subroutine
def _is_unconstrained(block):  # type: ignore[no-untyped-def]
    """Whether all nine cells of a block have all nine candidates."""
    for i in range(3):
        for j in range(3):
            if block[i, j] != FULL:
                return False
    return True


@subroutine
def filter_partitions(tables, masks, alive, seen, max_triples):  # type: ignore[no-untyped-def]
    """Drop impossible digit partitions of all blocks; False if too many triples of them remain.

    A block whose masks forbid nothing supports whatever it may take: 36 x 6 partners of each
    partition, of which the neighbours leave some in all but pathological masks. Dropping less than
    possible costs time, never correctness.

    Args:
        masks: (3, 3, 3, 3), by band, stack, row and column of the block.
        alive: (6, 3, 1680) bool: row partitions by band and stack, column partitions by stack and
            band.
        seen: (3, 1680) bool, scratch.
        max_triples: greatest number of triples of partitions in a band or stack (a line).
    """
    for b in range(3):
        for s in range(3):
            # a partition may stand where every digit has a candidate in its line of the block
            across, down = np.int64(0), np.int64(0)
            for i in range(3):
                for j in range(3):
                    across |= np.int64(masks[b, s, i, j]) << 10 * i
                    down |= np.int64(masks[b, s, i, j]) << 10 * j
            for n in range(PARTITIONS):
                alive[b, s, n] = tables.packed[n] & ~across == 0
                alive[3 + s, b, n] = tables.packed[n] & ~down == 0
    lines, blocks = 0o77, 0o777  # those to look at (again), as bits
    while lines | blocks:
        for n in range(6):
            if lines >> n & 1:
                went, size = _filter_band_or_stack(tables.struct, alive[n], seen)
                if size > max_triples:
                    return False
                if went:
                    blocks |= 7 << 3 * n if n < 3 else 0o111 << n - 3
        lines = 0
        for b in range(3):
            for s in range(3):
                if blocks >> 3 * b + s & 1 and not _is_unconstrained(masks[b, s]):
                    rows, columns = alive[b, s], alive[3 + s, b]
                    if _keep_supported(tables, masks[b, s], rows, columns, seen[0]):
                        lines |= 1 << b | 8 << s
        blocks = 0
    return True


@kernel
def _filter_partitions(tables, masks, alive, seen):  # type: ignore[no-untyped-def]
    """Drop impossible digit partitions, by a call of :func:`filter_partitions` from Python."""
    filter_partitions(tables, masks, alive, seen, len(tables.struct))


def as_blocks(masks: U16, transposed: bool) -> U16:
    """Reshape 81 masks to [band, stack, row, column], of the transposed board if so asked."""
    grid = masks.reshape(9, 9)
    grid = grid.T if transposed else grid
    return np.ascontiguousarray(grid.reshape(3, 3, 3, 3).transpose(0, 2, 1, 3))


@dataclass(frozen=True)
class BlockPartitions:
    """The nine blocks' masks, and the allowed ways to divide digits among their rows and columns.

    Attributes:
        masks: (3, 3, 3, 3) uint16: band, stack, row in block, column in block.
        rows, columns: (3, 3, 1680) bool: band, stack, partition.
    """

    masks: U16
    rows: Flags
    columns: Flags

    @classmethod
    def from_masks(cls, masks: U16, transposed: bool) -> BlockPartitions:
        """For each block, find the digit partitions by row and by column that 81 masks allow."""
        blocks = as_blocks(masks, transposed)
        alive = np.empty((6, 3, PARTITIONS), dtype=np.bool_)
        _filter_partitions(
            partition_tables(), blocks, alive, np.empty((3, PARTITIONS), dtype=np.bool_)
        )
        return cls(blocks, alive[:3], np.ascontiguousarray(alive[3:].transpose(1, 0, 2)))

    def row_orders_keeping_masks(self, band: int) -> I64:
        """List the indices of those orders of a band's rows that leave the masks unchanged."""
        return line_orders_keeping_masks(self.masks[band].transpose(1, 0, 2))
