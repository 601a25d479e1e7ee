"""Propagation of MDD constraints in the constraint search.

An MDD keeps its live states as bit sets in the row of the search, layer by layer: those that lie on
a path from its first to its last layer along possible values. Values on no such path are removed
(Pesant, *A regular language membership constraint*, CP 2004).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from bddsudoku.engine.search.domain_reduction import FAILED, keep_values
from bddsudoku.jit import subroutine
from bddsudoku.jit.decorators import I32, U32, U64, Flags, lowest_bit_index
from bddsudoku.model.mdd import Mdd

U0, U1, U2, U6, LOW = (np.uint64(k) for k in (0, 1, 2, 6, 63))


class MddTables(NamedTuple):
    """MDDs as flat arrays, in which every MDD has an additional level for its last layer."""

    first: U64
    """(MDDs + 1,): the first level of each MDD."""
    once: Flags
    """Whether an MDD reads each of its cells at one level only."""
    cell: U64
    """(levels,): the cell that a level reads."""
    words_at: U64
    """(levels + 1,): where the words of a layer's states begin in a row."""
    values: U64
    """(levels,): number of values of the level's cell."""
    table_at: U64
    table: U32
    """The next state by state and value, where there is one."""
    options_at: U64
    options: U64
    """For each state the bit set of the values with a next state."""


class CellMdd(NamedTuple):
    """An MDD with the cells that its levels read.

    Attributes:
        columns: for each level the choice of every value of its cell; any for those it has not.
    """

    cells: tuple[int, ...]
    mdd: Mdd
    columns: tuple[tuple[int, ...], ...]

    @property
    def tables(self) -> list[I32]:
        """For each level, the table of next states by state (row) and value (column); -1: none."""
        return [t[:, list(of)] for t, of in zip(self.mdd.tables, self.columns, strict=True)]


@lru_cache(maxsize=256)
def _value_tables(mdd: Mdd, columns: tuple[tuple[int, ...], ...]) -> tuple[U32, U64]:
    """The tables of an MDD by the values of its cells, as fields of :class:`MddTables`."""
    tables = CellMdd((), mdd, columns).tables
    has_next = [(t >= 0) @ (np.uint64(1) << np.arange(t.shape[1], dtype=np.uint64)) for t in tables]
    return np.concatenate([t.ravel() for t in tables]).astype(np.uint32), np.concatenate(has_next)


def make_mdd_tables(mdds: Sequence[CellMdd], begin: int) -> tuple[MddTables, U64]:
    """Make the tables of MDDs, and the bit sets of the states that are live at the start.

    Args:
        mdds: the MDDs.
        begin: number of words of a row before those of the MDDs.
    """
    levels: list[tuple[int, ...]] = []
    """Of each level the cell, its values and the states; where the tables begin."""
    tables = [np.zeros(0, np.uint32)]
    options = [np.zeros(0, np.uint64)]
    begins: dict[tuple[Mdd, tuple[tuple[int, ...], ...]], tuple[int, int]] = {}
    """Where the tables of an MDD begin: constraints of equal MDDs share them."""
    for scope, mdd, columns in mdds:
        if (mdd, columns) not in begins:
            begins[mdd, columns] = sum(map(len, tables)), sum(map(len, options))
            table, has_next = _value_tables(mdd, columns)
            tables.append(table)
            options.append(has_next)
        at, option = begins[mdd, columns]
        for c, column, states in zip(scope, columns, mdd.widths, strict=False):
            levels.append((c, len(column), states, at, option))
            at += states * len(column)
            option += states
        levels.append((0, 0, 1, at, option))
    cell, values, layers, table_at, options_at = (
        np.array(levels, dtype=np.int64).reshape(-1, 5).T.copy()
    )
    words_at = np.cumsum([begin, *(-(-layers // 64)).tolist()], dtype=np.uint64)
    row = np.full(int(words_at[-1]) - begin, ~np.uint64(0))
    last = words_at[1:].astype(np.int64) - (1 + begin)
    row[last] >>= (-layers % 64).astype(np.uint64)
    found = MddTables(
        first=np.cumsum([0, *(len(one.cells) + 1 for one in mdds)], dtype=np.uint64),
        once=np.array([len({*one.cells}) == len(one.cells) for one in mdds], dtype=np.bool_),
        cell=cell.astype(np.uint64),
        words_at=words_at,
        values=values.astype(np.uint64),
        table_at=table_at.astype(np.uint64),
        table=np.concatenate(tables),
        options_at=options_at.astype(np.uint64),
        options=np.concatenate(options),
    )
    return found, row


@subroutine
def propagate_mdd(m, row, changed, t, reached):  # type: ignore[no-untyped-def]
    """Remove values that are on no path of an MDD.

    Args:
        m: the MDD.
        row, changed: as in :func:`.domain_reduction.keep_values`.
        t: MddTables.
        reached: scratch array, for the states of one layer.

    Returns:
        As :func:`.domain_reduction.keep_values`.
    """
    cell, words_at = t.cell, t.words_at
    table_at, table, options_at, options = t.table_at, t.table, t.options_at, t.options
    begin = t.first[m]
    end = t.first[m + U1] - U1
    for level in range(begin, end):
        a, b, c = words_at[level], words_at[level + U1], words_at[level + U2]
        wide = t.values[level]
        values = row[cell[level]]
        for k in range(c - b):
            reached[k] = U0
        for k in range(a, b):
            word = row[k]
            while word != U0:
                state = ((k - a) << U6) + lowest_bit_index(word)
                word &= word - U1
                target = table_at[level] + state * wide
                left = options[options_at[level] + state] & values
                while left != U0:
                    s = np.uint64(table[target + lowest_bit_index(left)])
                    left &= left - U1
                    reached[s >> U6] |= U1 << (s & LOW)
        some = U0
        for k in range(b, c):
            row[k] &= reached[k - b]
            some |= row[k]
        if some == U0:
            return FAILED
    count = 0
    level = end
    while level > begin:
        level -= U1
        a, b = words_at[level], words_at[level + U1]
        wide = t.values[level]
        values = row[cell[level]]
        supported = U0
        missing = values
        for k in range(a, b):
            word = row[k]
            kept = word
            while word != U0:
                bit = word & ~(word - U1)
                word ^= bit
                state = ((k - a) << U6) + lowest_bit_index(bit)
                target = table_at[level] + state * wide
                left = options[options_at[level] + state] & values
                some = U0
                while left != U0 and (some == U0 or missing != U0):
                    v = lowest_bit_index(left)
                    left &= left - U1
                    s = np.uint64(table[target + v])
                    hit = row[b + (s >> U6)] >> (s & LOW) & U1
                    some |= hit
                    supported |= hit << v
                missing &= ~supported
                if some == U0:
                    kept ^= bit
            row[k] = kept
        if missing != U0:
            count = keep_values(row, changed, count, cell[level], supported)
            if count < 0:
                return count
    return count
