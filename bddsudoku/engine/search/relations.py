"""Relations of two cells, and choices: exactly or at most one of some cells has a given value.

The values that a relation leaves to one cell are looked up for the set of values of the other: a
table has them for every set of up to :data:`_CHUNK` values, larger sets are cut into chunks.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from bddsudoku.engine.search.narrowing import FAILED, narrow
from bddsudoku.jit import subroutine
from bddsudoku.jit.decorators import U64

_CHUNK = 10
U0, U1 = np.uint64(0), np.uint64(1)


class RelationTables(NamedTuple):
    """Relations of two cells."""

    pair: U64
    """(relations, 8): two cells; for each the place in ``table`` of what it leaves of the other,
    the bits of a chunk and the number of chunks."""
    table: U64
    """What the sets of values of a chunk leave of another cell."""


class ChoiceTables(NamedTuple):
    """Choices of one among some values of cells."""

    at: U64
    cell: U64
    bit: U64
    """The cells of each choice, and their value as a word with one bit."""
    exactly: U64
    """1 if exactly one is true, 0 if at most one is."""


Rows = tuple[int, ...]
"""For every value of a cell the set of values that it leaves of another."""


def transposed(rows: Rows, values: int) -> Rows:
    """The relation seen from the other cell, which has ``values`` values."""
    return tuple(sum(1 << v for v, row in enumerate(rows) if row >> k & 1) for k in range(values))


@lru_cache(maxsize=4096)
def _chunk_table(rows: Rows) -> U64:
    found = np.zeros(1, dtype=np.uint64)
    for row in rows:
        found = np.concatenate((found, found | np.uint64(row)))
    return found


def relation_tables(relations: Sequence[tuple[int, int, Rows, Rows]]) -> RelationTables:
    """Make the tables of relations: two cells, and what each leaves of the other."""
    at: dict[tuple[Rows, int], int] = {}
    parts = [np.zeros(0, np.uint64)]
    size = 0

    def place(rows: Rows) -> tuple[int, int, int]:
        nonlocal size
        chunks = -(-len(rows) // _CHUNK)
        bits = -(-len(rows) // chunks)
        padded = rows + (0,) * (bits * chunks - len(rows))
        if (key := (padded, bits)) not in at:
            at[key] = size
            for k in range(chunks):
                parts.append(_chunk_table(padded[k * bits : (k + 1) * bits]))
                size += len(parts[-1])
        return at[key], bits, chunks

    pair = [(a, b, *place(one), *place(other)) for a, b, one, other in relations]
    flat = np.array(pair, dtype=np.uint64).reshape(-1, 8)
    return RelationTables(flat, np.concatenate(parts))


@subroutine
def _look_up(table, values, at, bits, chunks):  # type: ignore[no-untyped-def]
    low = (U1 << bits) - U1
    found = table[at + (values & low)]
    for _ in range(U1, chunks):
        values >>= bits
        at += low + U1
        found |= table[at + (values & low)]
    return found


@subroutine
def propagate_relation(i, row, changed, t):  # type: ignore[no-untyped-def]
    """Make two cells arc consistent; see :func:`.narrowing.narrow`."""
    pair = t.pair
    a, b = pair[i, 0], pair[i, 1]
    n = narrow(row, changed, 0, b, _look_up(t.table, row[a], pair[i, 2], pair[i, 3], pair[i, 4]))
    if n >= 0:
        n = narrow(
            row, changed, n, a, _look_up(t.table, row[b], pair[i, 5], pair[i, 6], pair[i, 7])
        )
    return n


@subroutine
def propagate_choice(i, row, changed, t):  # type: ignore[no-untyped-def]
    """Find the only one left of a choice, or remove the others of one that is true."""
    cell, bit = t.cell, t.bit
    begin, end = t.at[i], t.at[i + U1]
    live = U0
    last = begin
    for p in range(begin, end):
        values = row[cell[p]]
        if values & bit[p] != U0:
            live += U1
            last = p
            if values == bit[p]:
                n = 0
                for q in range(begin, end):
                    if q != p and n >= 0 and row[cell[q]] & bit[q] != U0:
                        n = narrow(row, changed, n, cell[q], ~bit[q])
                return n
    if t.exactly[i] != U0:
        if live == U0:
            return FAILED
        if live == U1:
            return narrow(row, changed, 0, cell[last], bit[last])
    return 0
