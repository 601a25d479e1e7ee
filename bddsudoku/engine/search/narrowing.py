"""How propagators take values from cells."""

from __future__ import annotations

import numpy as np

from bddsudoku.jit import subroutine

U0, U1 = np.uint64(0), np.uint64(1)
EMPTY, FAILED = -1, -2
"""What a propagator returns at a dead end: a cell, the first entry of ``changed``, has no value
left, or the constraint cannot be met. Else it returns the number of entries in ``changed``."""


@subroutine
def narrow(row, changed, n, c, values):  # type: ignore[no-untyped-def]
    """Take from a cell what is not in ``values``.

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
