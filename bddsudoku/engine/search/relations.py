"""Propagation of relations between two cells.

The values that a relation leaves to one cell are looked up for the set of values of the other: a
table has them for every set of up to :data:`_CHUNK` values, larger sets are cut into chunks.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from bddsudoku.engine.search.domain_reduction import keep_values
from bddsudoku.jit import subroutine
from bddsudoku.jit.decorators import U64, as_words

_CHUNK = 10
U0, U1 = np.uint64(0), np.uint64(1)


class RelationTables(NamedTuple):
    """Relations between two cells as flat arrays."""

    pair: U64
    """(relations, 8): two cells; for each the place in ``table`` of what it leaves of the other,
    the bits of a chunk and the number of chunks."""
    table: U64
    """What the sets of values of a chunk leave of another cell."""


Rows = tuple[int, ...]
"""For every value of a cell the set of values that it leaves of another."""


class Relation(NamedTuple):
    """Two cells, and what every value of each leaves of the other."""

    cells: tuple[int, int]
    rows: Rows
    back: Rows


@lru_cache(maxsize=4096)
def transpose_relation(rows: Rows, values: int) -> Rows:
    """Transpose a relation to rows for the second cell, which has ``values`` values."""
    return tuple(sum(1 << v for v, row in enumerate(rows) if row >> k & 1) for k in range(values))


@lru_cache(maxsize=4096)
def _unions_of_rows(rows: Rows) -> U64:
    """The unions of all sets of rows; the index of a union is the bit mask of its rows."""
    found = np.zeros(1, dtype=np.uint64)
    for row in rows:
        found = np.concatenate((found, found | np.uint64(row)))
    return found


def unions_by_chunks(rows: Rows) -> tuple[U64, int, int]:
    """The unions of all sets of rows, chunk by chunk; the rows of a chunk; the number of chunks."""
    chunks = -(-len(rows) // _CHUNK)
    bits = -(-len(rows) // chunks)
    padded = rows + (0,) * (bits * chunks - len(rows))
    parts = [_unions_of_rows(padded[k * bits : (k + 1) * bits]) for k in range(chunks)]
    return np.concatenate(parts), bits, chunks


class UnionTables:
    """Tables of unions, see :func:`unions_by_chunks`, one behind the other; equal ones once."""

    def __init__(self) -> None:
        self.places: dict[tuple[Rows, ...], tuple[int, int, int]] = {}
        self.parts: list[U64] = [np.zeros(0, dtype=np.uint64)]
        self.size: int = 0

    def place(self, *several: Rows) -> tuple[int, int, int]:
        """Add tables, of as many rows each; where they begin, rows of a chunk, number of chunks."""
        if several not in self.places:
            begin = self.size
            for rows in several:
                table, bits, chunks = unions_by_chunks(rows)
                self.parts.append(table)
                self.size += len(table)
            self.places[several] = begin, bits, chunks
        return self.places[several]


def make_relation_tables(relations: Sequence[Relation]) -> RelationTables:
    """Make the tables in which the values that one cell allows in a related cell are looked up.

    Args:
        relations: the relations, one for two cells at most.
    """
    unions = UnionTables()
    pair = [(*cells, *unions.place(rows), *unions.place(back)) for cells, rows, back in relations]
    return RelationTables(as_words(pair).reshape(-1, 8), np.concatenate(unions.parts))


@subroutine
def look_up_union(table, values, at, bits, chunks):  # type: ignore[no-untyped-def]
    """Return the values that a set of values allows in a related cell, by a look-up per chunk."""
    low = (U1 << bits) - U1
    found = table[at + (values & low)]
    for _ in range(U1, chunks):
        values >>= bits
        at += low + U1
        found |= table[at + (values & low)]
    return found


@subroutine
def propagate_relation(i, row, changed, t):  # type: ignore[no-untyped-def]
    """Make two cells arc consistent; see :func:`.domain_reduction.keep_values`."""
    pair = t.pair
    a, b = pair[i, 0], pair[i, 1]
    n = keep_values(
        row, changed, 0, b, look_up_union(t.table, row[a], pair[i, 2], pair[i, 3], pair[i, 4])
    )
    if n >= 0:
        n = keep_values(
            row,
            changed,
            n,
            a,
            look_up_union(t.table, row[b], pair[i, 5], pair[i, 6], pair[i, 7]),
        )
    return n
