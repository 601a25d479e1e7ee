"""Sets of values as words, and the steps by which propagators remove values of cells."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Protocol

import numpy as np

from bddsudoku.jit import subroutine
from bddsudoku.jit.decorators import lowest_bit_index

U0, U1, U6 = np.uint64(0), np.uint64(1), np.uint64(6)
EMPTY, FAILED = -1, -2
"""What a propagator returns at a dead end: a cell, the first entry of ``changed``, has no value
left, or the constraint cannot be met. Else it returns the number of entries in ``changed``."""


class Propagated(Protocol):
    """A constraint in the form that its propagator reads.

    The module of each kind has this form, the tables of all constraints of the kind, and the step
    of the search that removes values: ``propagate_…(number, row, changed, …, tables)``, which
    returns what :func:`keep_values` does.
    """

    @property
    def cells(self) -> Sequence[int]:
        """The cells that wake the propagator when they lose values."""


@lru_cache(maxsize=1024)
def bit_numbers(word: int) -> tuple[int, ...]:
    """The ascending positions of the bits of a word that are set."""
    found = []
    while word:
        bit = word & -word
        found.append(bit.bit_length() - 1)
        word ^= bit
    return tuple(found)


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
def exclude_from_cells(row, changed, n, value, k, cells):  # type: ignore[no-untyped-def]
    """Remove a value from cells.

    Args:
        row, changed, n: as in :func:`keep_values`.
        value: a word with the bit of the value.
        k: number of a word of the bit set of all cells.
        cells: the cells, as bits of this word.

    Returns:
        As :func:`keep_values`.
    """
    while cells != U0:
        c = (k << U6) + lowest_bit_index(cells)
        cells &= cells - U1
        n = keep_values(row, changed, n, c, ~value)
        if n < 0:
            return n
    return n
