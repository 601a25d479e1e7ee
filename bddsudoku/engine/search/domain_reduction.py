"""Steps by which propagators remove values of cells."""

from __future__ import annotations

import numpy as np

from bddsudoku.jit import subroutine
from bddsudoku.jit.decorators import lowest_bit_index

U0, U1, U6 = np.uint64(0), np.uint64(1), np.uint64(6)
EMPTY, FAILED = -1, -2
"""What a propagator returns at a dead end: a cell, the first entry of ``changed``, has no value
left, or the constraint cannot be met. Else it returns the number of entries in ``changed``."""


@subroutine
def keep_values(row, changed, n, c, values):  # type: ignore[no-untyped-def]
    """Remove the values of a cell that are not in ``values``.

    Args:
        row: uint64; the possible values of the cells.
        changed: uint64; the list of cells that have lost values.
        n: int64; its length.
        c: the cell.
        values: the values that it may keep.

    Returns:
        The new length, or EMPTY if no value is left.
    """
    old = row[c]
    new = old & values
    if new != old:
        row[c] = new
        changed[n] = c
        n += 1
        if new == U0:
            changed[0] = c
            return EMPTY
    return n


@subroutine
def exclude_from_common_peers(row, changed, n, cells, others, values, seen):  # type: ignore[no-untyped-def]
    """Remove a value from every cell that sees all possible places of the value in ``cells``.

    Args:
        row, changed, n: as in :func:`keep_values`.
        cells: the cells.
        others: (words,); the bit set of all other cells.
        values: the values, each of which one of ``cells`` must take.
        seen: (cells, words); for each cell the bit set of those that never have the same value.

    Returns:
        As :func:`keep_values`; FAILED if a value has no place.
    """
    size = np.uint64(len(cells))
    while values != U0:
        bit = values & ~(values - U1)
        values ^= bit
        first = U0
        while first < size and row[cells[first]] & bit == U0:
            first += U1
        if first == size:
            return FAILED
        for k in range(np.uint64(len(others))):
            common = others[k] & seen[cells[first], k]
            p = first + U1
            while p < size and common != U0:
                if row[cells[p]] & bit != U0:
                    common &= seen[cells[p], k]
                p += U1
            while common != U0:
                c = (np.uint64(k) << U6) + lowest_bit_index(common)
                common &= common - U1
                if row[c] & bit != U0:
                    n = keep_values(row, changed, n, c, ~bit)
                    if n < 0:
                        return n
    return n
