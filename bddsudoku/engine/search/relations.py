"""Propagation of relations between two cells.

What a relation leaves to one cell is the union of what each value of the other leaves.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import chain
from typing import NamedTuple

import numpy as np

from bddsudoku.engine.search.domain_reduction import keep_values
from bddsudoku.jit import subroutine
from bddsudoku.jit.decorators import U64, as_words, lowest_bit_index

U0, U1 = np.uint64(0), np.uint64(1)


class RelationTables(NamedTuple):
    """Relations between two cells as flat arrays."""

    pair: U64
    """(relations, 4): two cells; for each where in ``table`` begins what it leaves of the other."""
    table: U64
    """What each value of a cell leaves of another cell."""


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


class RowTables:
    """Rows, one behind the other; equal ones once."""

    def __init__(self) -> None:
        self.places: dict[tuple[Rows, ...], int] = {}
        self.rows: list[int] = []

    def place(self, *several: Rows) -> int:
        """Add rows; returns where they begin."""
        if several not in self.places:
            self.places[several] = len(self.rows)
            self.rows += chain(*several)
        return self.places[several]


def make_relation_tables(relations: Sequence[Relation]) -> RelationTables:
    """Make the tables in which the values that one cell allows in a related cell are looked up.

    Args:
        relations: the relations, one for two cells at most.
    """
    tables = RowTables()
    pair = [(*cells, tables.place(rows), tables.place(back)) for cells, rows, back in relations]
    return RelationTables(as_words(pair).reshape(-1, 4), as_words(tables.rows))


@subroutine
def common_with_rows(wanted, table, values, at):  # type: ignore[no-untyped-def]
    """What ``wanted`` has in common with the union of the rows of a set of values.

    Args:
        wanted: a word; the union is not looked at further once it has all of it.
        table: rows, of which those of the values begin at ``at``.
        values: the set.
    """
    left = wanted
    while values != U0 and left != U0:
        left &= ~table[at + lowest_bit_index(values)]
        values &= values - U1
    return wanted ^ left


@subroutine
def propagate_relation(i, row, changed, t):  # type: ignore[no-untyped-def]
    """Make two cells arc consistent; see :func:`.domain_reduction.keep_values`."""
    a, b = t.pair[i, 0], t.pair[i, 1]
    n = keep_values(row, changed, 0, b, common_with_rows(row[b], t.table, row[a], t.pair[i, 2]))
    if n >= 0:
        n = keep_values(row, changed, n, a, common_with_rows(row[a], t.table, row[b], t.pair[i, 3]))
    return n
