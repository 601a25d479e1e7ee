"""Propagation of sums over cells, in which cells that always differ are taken together.

A linear constraint over cells is propagated without an MDD. Every value of a cell has a weight. The
cells are partitioned into *cliques*: the cells of a clique have different weights. The weights of a
clique are evenly spaced, with the clique's *unit* as the step; they are numbered from 0.

The k cells of a clique, with the weights U between them, add up to the sum of k different elements
of U. A table has these sums, as a bit set, for every U and k. The sums of all cliques are combined
as the states of a line of dynamic programming: forward the totals of the first cliques, backward
the totals from which the others reach the bounds. What remains are the sums of each clique that
are part of some total within the bounds; a weight that none of them can contain is removed from the
cells of the clique.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache
from itertools import repeat
from math import gcd
from typing import NamedTuple

import numpy as np

from bddsudoku.engine.search.domain_reduction import FAILED, keep_values
from bddsudoku.jit import subroutine
from bddsudoku.jit.decorators import I64, U64, as_words, highest_bit_index, lowest_bit_index

MAX_WEIGHTS = 11
"""Most weights of a clique: 0 to 10 add up to 55, less than the bits of a word."""
_MAX_RANGE = 1 << 12
"""Greatest difference between totals of a sum; larger ones are left to MDDs."""
U0, U1, U6, LOW = np.uint64(0), np.uint64(1), np.uint64(6), np.uint64(63)
NONE = ~U0


class Sum(NamedTuple):
    """A linear constraint over cells, which are partitioned into cliques.

    Attributes:
        low, high: bounds of the sum of unit times weight number.
        cliques: unit of each clique, and each of its cells with the value of every weight number
            (-1 for none).
    """

    low: int
    high: int
    cliques: tuple[tuple[int, tuple[tuple[int, tuple[int, ...]], ...]], ...]

    @property
    def cells(self) -> list[int]:
        """The cells, clique by clique."""
        return [c for _, rows in self.cliques for c, _ in rows]


class SumTables(NamedTuple):
    """The sums of a search as flat arrays; ``…_at`` says where each list begins."""

    bounds: I64
    """(sums, 2): least and greatest sum of unit times weight number."""
    clique_at: I64
    """(sums + 1,): the first clique of each sum."""
    unit: I64
    """(cliques,): difference of neighbouring weights."""
    cell_at: I64
    """(cliques + 1,): the first cell of each clique."""
    cell: U64
    value: U64
    """(cells of cliques, weights): the value of a weight number, as a word with one bit, or 0."""
    totals: U64
    """(subsets of weights, sizes): the bit set of sums of that many elements of a subset."""


class SumWorkspace(NamedTuple):
    """Scratch arrays of :func:`propagate_sum`."""

    line: U64
    """(2 * cliques + 2, words): bit sets of totals. Row 2i has those of the first i cliques, row
    2i + 1 those with which the cliques from i on lead to a total within the bounds."""
    now: U64
    """(cliques, 4): of the cells with several values their weights, as a bit set, and their
    number; the bit set of their sums, less the least of these; the least."""


class _Clique(NamedTuple):
    """A clique: cells that never take equal weights, with the range and step of the weights."""

    cells: tuple[int, ...]
    low: int
    high: int
    unit: int

    def joined(self, other: _Clique) -> _Clique | None:
        """The union of two cliques; None if it would have too many weights."""
        low, high = min(self.low, other.low), max(self.high, other.high)
        unit = gcd(self.unit, other.unit, self.low - other.low)
        if high - low >= MAX_WEIGHTS * unit:
            return None
        return _Clique(self.cells + other.cells, low, high, unit)


def find_sum(
    low: int | None,
    high: int | None,
    cells: Sequence[int],
    values: Sequence[Mapping[int, int]],
    differ: Sequence[int],
) -> Sum | None:
    """Partition the cells of a linear constraint into cliques; None if weights range too widely.

    Args:
        low, high: bounds of the sum; None for no bound.
        cells: its cells.
        values: for each of them the value of every weight.
        differ: for each of them the bit set of the numbers of those of other weights.
    """
    singles = []
    for i, of in enumerate(values):
        least, greatest = min(of), max(of)
        unit = gcd(*(w - least for w in of)) or 1
        if greatest - least >= MAX_WEIGHTS * unit:
            return None
        singles.append(_Clique((i,), least, greatest, unit))
    least, greatest = sum(one.low for one in singles), sum(one.high for one in singles)
    if greatest - least > _MAX_RANGE:
        return None
    cliques = []
    offset = 0
    for best in _partition_into_cliques(tuple(singles), tuple(differ)):
        offset += best.low * len(best.cells)
        weights = range(best.low, best.high + 1, best.unit)
        rows = ((cells[i], tuple(map(values[i].get, weights, repeat(-1)))) for i in best.cells)
        cliques.append((best.unit, tuple(rows)))
    low = least if low is None else low
    high = greatest if high is None else high
    return Sum(low - offset, high - offset, tuple(cliques))


@lru_cache(maxsize=1024)
def _partition_into_cliques(
    singles: tuple[_Clique, ...], differ: tuple[int, ...]
) -> tuple[_Clique, ...]:
    """Partition cells into cliques, each the largest that can be grown from a cell that is left."""
    cliques = []
    left = [*range(len(singles))]
    while left:
        grown = (_largest_clique_from(i, left, singles, differ) for i in left)
        cliques.append(max(grown, key=lambda clique: len(clique.cells)))
        left = [i for i in left if i not in cliques[-1].cells]
    return tuple(cliques)


def _largest_clique_from(
    first: int, left: Iterable[int], singles: Sequence[_Clique], differ: Sequence[int]
) -> _Clique:
    """Grow a clique from cell ``first`` by cells of ``left`` until no other cell fits.

    The next cell is always one that leaves the most others that fit.
    """
    clique = singles[first]
    others = [i for i in left if differ[first] >> i & 1]
    while others:
        some = sum(1 << i for i in others)
        i = max(others, key=lambda j: (some & differ[j]).bit_count())
        larger = clique.joined(singles[i])
        others = [j for j in others if j != i and (not larger or differ[i] >> j & 1)]
        clique = larger or clique
    return clique


@cache
def _sums_of_subsets(values: int) -> U64:
    """Tabulate, for every subset of range(values) and every k, the possible sums of k elements."""
    found = np.zeros((1 << values, values + 1), dtype=np.uint64)
    found[0, 0] = 1
    for v in range(values):
        half = 1 << v
        found[half : 2 * half] = found[:half]
        found[half : 2 * half, 1:] |= found[:half, :-1] << np.uint64(v)
    return found


def make_sum_tables(sums: Sequence[Sum]) -> SumTables:
    """Make the flat arrays in which the kernel reads the sums."""
    cliques = [clique for one in sums for clique in one.cliques]
    wide = max((len(rows[0][1]) for _, rows in cliques), default=1)
    flat = [row for _, rows in cliques for row in rows]
    bits = [[0 if v < 0 else 1 << v for v in of] + [0] * (wide - len(of)) for _, of in flat]
    return SumTables(
        np.array([(one.low, one.high) for one in sums], dtype=np.int64).reshape(-1, 2),
        np.cumsum([0, *(len(one.cliques) for one in sums)]),
        np.array([unit for unit, _ in cliques], dtype=np.int64),
        np.cumsum([0, *(len(rows) for _, rows in cliques)]),
        as_words([c for c, _ in flat]),
        as_words(bits).reshape(-1, wide),
        _sums_of_subsets(wide),
    )


def new_sum_workspace(sums: SumTables) -> SumWorkspace:
    """Make the scratch arrays of one search."""
    words = (int(sums.bounds.max(initial=0)) >> 6) + 1
    cliques = int(np.diff(sums.clique_at).max(initial=0))
    return SumWorkspace(
        np.zeros((2 * cliques + 2, words), np.uint64), np.zeros((cliques, 4), np.uint64)
    )


@subroutine
def _values_to_weights(values, c, sums):  # type: ignore[no-untyped-def]
    """Translate a cell's set of values to the numbers of their weights in the cell's clique."""
    found = U0
    for k in range(sums.value.shape[1]):
        if values & sums.value[c, k] != U0:
            found |= U1 << np.uint64(k)
    return found


@subroutine
def _weights_to_values(weights, c, sums):  # type: ignore[no-untyped-def]
    """Translate a set of weight numbers in a cell's clique to the cell's values."""
    found = U0
    while weights != U0:
        found |= sums.value[c, lowest_bit_index(weights)]
        weights &= weights - U1
    return found


@subroutine
def _shift_up_word(words, k, shift):  # type: ignore[no-untyped-def]
    """Word k of a bit set after adding ``shift`` (at most 64 * k + 63) to each element."""
    source, bits = k - (shift >> 6), np.uint64(shift & 63)
    word = words[source] << bits
    if bits != U0 and source > 0:
        word |= words[source - 1] >> (np.uint64(64) - bits)
    return word


@subroutine
def _shift_down_word(words, k, shift, size):  # type: ignore[no-untyped-def]
    """Word k of a bit set of ``size`` words after subtracting ``shift`` from each element."""
    source, bits = k + (shift >> 6), np.uint64(shift & 63)
    word = words[source] >> bits
    if bits != U0 and source + 1 < size:
        word |= words[source + 1] << (np.uint64(64) - bits)
    return word


@subroutine
def propagate_sum(s, row, changed, sums, w):  # type: ignore[no-untyped-def]
    """Remove each value of a cell that would force the sum out of its bounds.

    See :func:`.domain_reduction.keep_values`.
    """
    cell, totals, line, now = sums.cell, sums.totals, w.line, w.now
    begin, end = sums.clique_at[s], sums.clique_at[s + 1]
    low, high = sums.bounds[s]
    spread = np.int64(0)
    for q in range(begin, end):
        values = U0
        size = np.int64(0)
        settled = np.int64(0)
        for c in range(sums.cell_at[q], sums.cell_at[q + 1]):
            live = _values_to_weights(row[cell[c]], c, sums)
            if live & (live - U1) != U0:
                values |= live
                size += 1
            elif live == U0:
                return FAILED
            else:
                settled += np.int64(lowest_bit_index(live))
        found = totals[values, size]
        if found == U0:
            return FAILED
        least = lowest_bit_index(found)
        found >>= least
        i = q - begin
        now[i, 0], now[i, 1], now[i, 2], now[i, 3] = values, np.uint64(size), found, least
        low -= sums.unit[q] * (settled + np.int64(least))
        high -= sums.unit[q] * (settled + np.int64(least))
        spread += sums.unit[q] * np.int64(highest_bit_index(found))
    if high < 0 or spread < low:
        return FAILED
    if low <= 0 and spread <= high:
        return 0
    high = min(high, spread)
    words = (high >> 6) + 1
    for k in range(words):
        line[0, k] = U0
    line[0, 0] = U1
    for q in range(begin, end):
        i = 2 * (q - begin)
        for k in range(words):
            line[i + 2, k] = line[i, k]
        left = now[q - begin, 2] & ~U1
        while left != U0:
            shift = sums.unit[q] * np.int64(lowest_bit_index(left))
            left &= left - U1
            if shift > high:
                break
            for k in range(shift >> 6, words):
                line[i + 2, k] |= _shift_up_word(line[i], k, shift)
    last = 2 * (end - begin) + 1
    for k in range(words):
        line[last, k] = ~U0
    if low > 0:
        for k in range(low >> 6):
            line[last, k] = U0
        line[last, low >> 6] &= ~U0 << np.uint64(low & 63)
    line[last, words - 1] &= ~U0 >> np.uint64(63 - (high & 63))
    n = 0
    for q in range(end - 1, begin - 1, -1):
        i = 2 * (q - begin)
        for k in range(words):
            line[i + 1, k] = U0
        found = U0
        left = now[q - begin, 2]
        while left != U0:
            bit = left & ~(left - U1)
            left ^= bit
            shift = sums.unit[q] * np.int64(lowest_bit_index(bit))
            if shift > high:
                break
            for k in range(words - (shift >> 6)):
                word = _shift_down_word(line[i + 3], k, shift, words)
                line[i + 1, k] |= word
                if word & line[i, k] != U0:
                    found |= bit
        if found == U0:
            return FAILED
        if found == now[q - begin, 2]:
            continue
        found <<= now[q - begin, 3]
        excluded = U0
        values, size = now[q - begin, 0], np.int64(now[q - begin, 1])
        left = values
        while left != U0:
            bit = left & ~(left - U1)
            left ^= bit
            if totals[values ^ bit, size - 1] << lowest_bit_index(bit) & found == U0:
                excluded |= bit
        if excluded == U0:
            continue
        for c in range(sums.cell_at[q], sums.cell_at[q + 1]):
            live = row[cell[c]]
            if live & (live - U1) != U0:
                n = keep_values(row, changed, n, cell[c], ~_weights_to_values(excluded, c, sums))
                if n < 0:
                    return n
    return n
