"""Houses: sets of cells in which each of certain values must occur exactly once.

The row of the search has the *places* of every value: the bit set of the cells that may have it.
Where cells have lost a value, it is counted how many places are left for it in their houses.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from bddsudoku.engine.search.domain_reduction import (
    FAILED,
    bit_numbers,
    exclude_from_cells,
    keep_values,
)
from bddsudoku.jit import subroutine
from bddsudoku.jit.decorators import U64, as_words, lowest_bit_index, popcount

U0, U1, U2, U3, U6 = (np.uint64(k) for k in (0, 1, 2, 3, 6))


class HouseTables(NamedTuple):
    """Houses as flat arrays. Bit sets are lists of the words that are not 0, with their numbers."""

    at: U64
    word: U64
    bits: U64
    """The bit set of the cells of each house."""
    of_at: U64
    of_word: U64
    of_bits: U64
    """The bit set of the houses of each cell."""
    required: U64
    """(values, words): the bit set of the houses in which one of the cells takes a value."""
    seen: U64
    """(cells, words): for each cell the bit set of those that never have the same value."""


def _bit_sets(sets: Sequence[int], words: int) -> U64:
    """Pack sets of cells, given as integers, into rows of ``words`` words."""
    # Never read-only: for arrays of another type the whole search would be compiled again.
    flat = bytearray().join(cells.to_bytes(8 * words, "little") for cells in sets)
    return np.frombuffer(flat, "<u8").reshape(len(sets), words)


def sparse_bit_sets(sets: Sequence[int]) -> tuple[U64, U64, U64]:
    """List the words of bit sets that are not 0: where each begins, word numbers, words."""
    at, numbers, words = [0], [], []
    for bits in sets:
        while bits:
            numbers.append((bits & -bits).bit_length() - 1 >> 6)
            words.append(bits >> 64 * numbers[-1] & (1 << 64) - 1)
            bits ^= words[-1] << 64 * numbers[-1]
        at.append(len(words))
    return as_words(at), as_words(numbers), as_words(words)


def make_house_tables(
    houses: Sequence[tuple[int, int]], values: int, seen: Sequence[int], words: int
) -> HouseTables:
    """Make the tables of houses, and of the cells that each cell sees.

    Args:
        houses: the bit sets of the cells and of the required values of each.
        values: the greatest number of values.
        seen: for each cell the bit set of the cells that never have the same value.
        words: words of such a bit set.
    """
    houses_of = [0] * len(seen)
    required = [0] * values
    for i, (whole, needed) in enumerate(houses):
        for c in bit_numbers(whole):
            houses_of[c] |= 1 << i
        for v in bit_numbers(needed):
            required[v] |= 1 << i
    return HouseTables(
        *sparse_bit_sets([whole for whole, _ in houses]),
        *sparse_bit_sets(houses_of),
        required=_bit_sets(required, -(-len(houses) // 64)),
        seen=_bit_sets(seen, words),
    )


@subroutine
def propagate_houses(v, row, changed, places, pairs, pending, t):  # type: ignore[no-untyped-def]
    """Place a value in houses with one place for it; with 2 or 3, exclude it from their peers.

    Args:
        v: the value.
        row, changed: as in :func:`.domain_reduction.keep_values`.
        places: where the row has the places of this value.
        pairs: where the row has the bit set of the houses with two places for this value.
        pending: (values, words); the houses in which the value has lost a place.
        t: HouseTables.

    Returns:
        As :func:`.domain_reduction.keep_values`; if FAILED, ``changed`` begins with the house.
    """
    word, bits, seen = t.word, t.bits, t.seen
    value = U1 << v
    n = 0
    for k in range(np.uint64(pending.shape[1])):
        left = pending[v, k] & t.required[v, k]
        pending[v, k] = U0
        while left != U0:
            bit = left & ~(left - U1)
            left ^= bit
            i = (k << U6) + lowest_bit_index(bit)
            begin, end = t.at[i], t.at[i + U1]
            count = U0
            for p in range(begin, end):
                count += popcount(row[places + word[p]] & bits[p])
            if count > U3:
                continue
            if count == U0:
                changed[U0] = i
                return FAILED
            cells = (U0, U0, U0)
            first = True
            for p in range(begin, end):
                found = row[places + word[p]] & bits[p]
                while found != U0:
                    c = (word[p] << U6) + lowest_bit_index(found)
                    found &= found - U1
                    cells = (c, c, c) if first else (cells[0], cells[2], c)
                    first = False
            if count == U1:
                row[pairs + k] &= ~bit
                n = keep_values(row, changed, n, cells[0], value)
            else:
                if count == U2:
                    row[pairs + k] |= bit
                a, b, c = cells
                for w in range(np.uint64(seen.shape[1])):
                    if n >= 0:
                        found = row[places + w] & seen[a, w] & seen[b, w] & seen[c, w]
                        n = exclude_from_cells(row, changed, n, value, w, found)
            if n < 0:
                return n
    return n
