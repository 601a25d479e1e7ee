"""Propagation of relations between two cells, and of choices among values of several cells.

The values that a relation leaves to one cell are looked up for the set of values of the other: a
table has them for every set of up to :data:`_CHUNK` values, larger sets are cut into chunks.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from bddsudoku.engine.search.domain_reduction import FAILED, exclude_from_cells, keep_values
from bddsudoku.jit import subroutine
from bddsudoku.jit.decorators import U64, lowest_bit_index

_CHUNK = 10
U0, U1 = np.uint64(0), np.uint64(1)


class RelationTables(NamedTuple):
    """Relations between two cells as flat arrays."""

    pair: U64
    """(relations, 8): two cells; for each the place in ``table`` of what it leaves of the other,
    the bits of a chunk and the number of chunks."""
    table: U64
    """What the sets of values of a chunk leave of another cell."""
    related_at: U64
    related: U64
    """For each cell its related cells, ascending, each with the number of the relation, and 2 or 5:
    where in ``pair`` stands what the cell leaves of the other."""


AT_MOST, EXACTLY, AT_LEAST = range(3)
"""How many of the statements of a choice hold: at most one, exactly one, at least one."""


class ChoiceTables(NamedTuple):
    """Choices as flat arrays: how many statements hold that a cell has one of some values."""

    at: U64
    cell: U64
    values: U64
    """The statements of each choice; each has one value, except in choices of at least one."""
    kind: U64
    """(choices,): :data:`AT_MOST`, :data:`EXACTLY` or :data:`AT_LEAST`."""


Rows = tuple[int, ...]
"""For every value of a cell the set of values that it leaves of another."""


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


def make_relation_tables(
    relations: Sequence[tuple[int, int, Rows, Rows]], cells: int
) -> RelationTables:
    """Make the tables in which the values that one cell allows in a related cell are looked up.

    Args:
        relations: the relations, one for two cells at most.
        cells: number of cells.
    """
    known: dict[Rows, tuple[int, int, int]] = {}
    parts = [np.zeros(0, np.uint64)]
    size = 0

    def place(rows: Rows) -> tuple[int, int, int]:
        nonlocal size
        if rows not in known:
            table, bits, chunks = unions_by_chunks(rows)
            known[rows] = size, bits, chunks
            parts.append(table)
            size += len(table)
        return known[rows]

    pair = [(a, b, *place(one), *place(other)) for a, b, one, other in relations]
    flat = np.array(pair, dtype=np.uint64).reshape(-1, 8)
    related: list[list[tuple[int, int, int]]] = [[] for _ in range(cells)]
    for i, (a, b, _, _) in enumerate(relations):
        related[a].append((b, i, 2))
        related[b].append((a, i, 5))
    lists = [sorted(some) for some in related]
    return RelationTables(
        flat,
        np.concatenate(parts),
        np.cumsum([0, *map(len, lists)], dtype=np.uint64),
        np.array([entry for some in lists for entry in some], dtype=np.uint64).reshape(-1, 3),
    )


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


@subroutine
def _allowed_in_related(e, values, t):  # type: ignore[no-untyped-def]
    """The values that a related cell may have, given the values of a cell."""
    i, k = t.related[e, 1], t.related[e, 2]
    return look_up_union(t.table, values, t.pair[i, k], t.pair[i, k + U1], t.pair[i, k + U1 + U1])


@subroutine
def exclude_from_common_relations(row, changed, n, value, cells, t):  # type: ignore[no-untyped-def]
    """Remove what a value excludes elsewhere from each of three cells, one of which must take it.

    Args:
        row, changed, n: as in :func:`.domain_reduction.keep_values`.
        value: a word with the bit of the value.
        cells: the three cells; one cell may stand several times.
        t: RelationTables.

    Returns:
        As :func:`.domain_reduction.keep_values`.
    """
    related_at, related = t.related_at, t.related
    first = cells[0]
    for e in range(related_at[first], related_at[first + U1]):
        x = related[e, 0]
        left = _allowed_in_related(e, value, t)
        for c in cells[1:]:
            if row[x] & ~left == U0:
                break
            if c != first:
                found = ~U0
                for f in range(related_at[c], related_at[c + U1]):
                    if related[f, 0] == x:
                        found = _allowed_in_related(f, value, t)
                left |= found
        n = keep_values(row, changed, n, x, left)
        if n < 0:
            return n
    return n


@subroutine
def propagate_choice(i, row, changed, places, t, seen):  # type: ignore[no-untyped-def]
    """Propagate how many statements hold that a cell has one of some values.

    Where at least one holds, and all that can hold have the same value, the cells that see all of
    their cells lose it.

    Args:
        i: the choice.
        row, changed: as in :func:`.domain_reduction.keep_values`.
        places: where the bit sets of the places of each value begin in the row.
        t: ChoiceTables.
        seen: (cells, words); for each cell the bit set of those that never have the same value.

    Returns:
        As :func:`.domain_reduction.keep_values`.
    """
    cell, values, kind = t.cell, t.values, t.kind[i]
    begin, end = t.at[i], t.at[i + U1]
    n = 0
    live = U0
    last = begin
    any_value = U0
    for p in range(begin, end):
        left = row[cell[p]]
        common = left & values[p]
        if common != U0:
            live += U1
            last = p
            any_value |= common
            if left == common:
                if kind != AT_LEAST:
                    for q in range(begin, end):
                        if q != p and n >= 0:
                            n = keep_values(row, changed, n, cell[q], ~values[q])
                return n
    if kind != AT_MOST:
        if live == U0:
            return FAILED
        if live == U1:
            return keep_values(row, changed, n, cell[last], values[last])
    if kind == AT_LEAST and any_value & (any_value - U1) == U0:
        words = np.uint64(seen.shape[1])
        at = places + lowest_bit_index(any_value) * words
        for k in range(words):
            common = row[at + k]
            for p in range(begin, end):
                if row[cell[p]] & values[p] != U0:
                    common &= seen[cell[p], k]
            if n >= 0:
                n = exclude_from_cells(row, changed, n, any_value, k, common)
    return n
