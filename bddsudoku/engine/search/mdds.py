"""Propagation of MDD constraints in the constraint search.

An MDD keeps its live states as bit sets in the row of the search, layer by layer: those that lie on
a path from its first to its last layer along possible values. Values on no such path are removed.
Only the levels from the first changed one to where nothing changes any more are visited (Pesant, *A
regular language membership constraint*, CP 2004).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from bddsudoku.engine.search.domain_reduction import FAILED, keep_values
from bddsudoku.jit import subroutine
from bddsudoku.jit.decorators import I32, U32, U64, Flags, lowest_bit_index
from bddsudoku.model.mdd import Mdd

U0, U1, U2, U6, LOW = (np.uint64(k) for k in (0, 1, 2, 6, 63))


class MddTables(NamedTuple):
    """MDDs as flat arrays, in which every MDD has an additional level for its last layer."""

    uses_at: U64
    uses: U64
    """The levels that read a cell."""
    owner: U64
    """The MDD of a level."""
    slot: U64
    """(MDDs,): the slot of each in the queue of propagators."""
    first: U64
    """(MDDs + 1,): the first level of each MDD."""
    once: Flags
    """Whether an MDD reads each of its cells at one level only."""
    cell: U64
    """(levels,): the cell that a level reads."""
    words_at: U64
    """(levels + 1,): where the words of a layer's states begin in a row."""
    columns: U64
    """(levels,): values of a cell in a transition table."""
    table_at: U64
    table: U32
    """The next state by state and value, where there is one."""
    options_at: U64
    options: U64
    """For each state the bit set of the values with a next state."""


class MddWorkspace(NamedTuple):
    """Scratch arrays of :func:`propagate_mdd`."""

    low: U64
    high: U64
    """(MDDs,): first and last changed level of those in the queue."""
    reached: U64
    """The reached states of one layer."""


class CellMdd(NamedTuple):
    """An MDD with the cells that its levels read.

    Attributes:
        columns: for each level the choice of every value of its cell.
    """

    cells: tuple[int, ...]
    mdd: Mdd
    columns: Sequence[Sequence[int]]

    @property
    def tables(self) -> list[I32]:
        """For each level, the table of next states by state (row) and value (column); -1: none."""
        return [t[:, list(of)] for t, of in zip(self.mdd.tables, self.columns, strict=True)]


def make_mdd_tables(mdds: Sequence[CellMdd], cells: int, begin: int) -> tuple[MddTables, U64]:
    """Make the tables of MDDs, and the bit sets of the states that are live at the start.

    Args:
        mdds: the MDDs.
        cells: number of cells.
        begin: number of words of a row before those of the MDDs.
    """
    uses: list[list[int]] = [[] for _ in range(cells)]
    owner: list[int] = []
    read: list[int] = []
    columns: list[int] = []
    states: list[int] = []
    flat = [np.zeros(0, np.uint32)]
    options = [np.zeros(0, np.uint64)]
    size = count = 0
    table_at: list[int] = []
    options_at: list[int] = []
    begins: dict[tuple[int, tuple[tuple[int, ...], ...]], tuple[int, int]] = {}
    """Where the tables of an MDD begin: constraints of equal MDDs share them."""
    for m, one in enumerate(mdds):
        key = id(one.mdd), tuple(map(tuple, one.columns))
        is_new = key not in begins
        at, option = begins.setdefault(key, (size, count))
        for c, of, width in zip(one.cells, one.columns, one.mdd.widths, strict=False):
            uses[c].append(len(read))
            read.append(c)
            states.append(width)
            columns.append(len(of))
            table_at.append(at)
            options_at.append(option)
            at += width * len(of)
            option += width
        for table in one.tables if is_new else ():
            flat.append(table.astype(np.uint32).ravel())
            bits = np.uint64(1) << np.arange(table.shape[1], dtype=np.uint64)
            options.append((table >= 0) @ bits)
        if is_new:
            size, count = at, option
        read.append(0)
        states.append(1)
        columns.append(0)
        table_at.append(at)
        options_at.append(option)
        owner += [m] * (len(read) - len(owner))
    words = np.array([-(-n // 64) for n in states], dtype=np.uint64)
    words_at = np.cumsum([begin, *words.tolist()], dtype=np.uint64)
    row = np.full(int(words.sum()), ~np.uint64(0))
    unused = np.array([-n % 64 for n in states], dtype=np.uint64)
    row[(words_at[1:] - np.uint64(1 + begin)).astype(np.int64)] >>= unused
    found = MddTables(
        np.cumsum([0, *map(len, uses)], dtype=np.uint64),
        np.array([level for some in uses for level in some], dtype=np.uint64),
        np.array(owner, dtype=np.uint64),
        np.zeros(len(mdds), dtype=np.uint64),
        np.cumsum([0, *(len(one.cells) + 1 for one in mdds)], dtype=np.uint64),
        np.array([len({*one.cells}) == len(one.cells) for one in mdds], dtype=np.bool_),
        np.array(read, dtype=np.uint64),
        words_at,
        np.array(columns, dtype=np.uint64),
        np.array(table_at, dtype=np.uint64),
        np.concatenate(flat),
        np.array(options_at, dtype=np.uint64),
        np.concatenate(options),
    )
    return found, row


def new_mdd_workspace(t: MddTables) -> MddWorkspace:
    """Make the scratch arrays of one search, in which every level counts as changed."""
    layer = int(np.diff(t.words_at).max(initial=1))
    return MddWorkspace(
        t.first[:-1].copy(),
        t.first[1:] - np.uint64(2),
        np.zeros(layer, dtype=np.uint64),
    )


@subroutine
def propagate_mdd(m, row, changed, t, w):  # type: ignore[no-untyped-def]
    """Remove values that are on no path of an MDD; see :func:`.domain_reduction.keep_values`."""
    cell, words_at, columns = t.cell, t.words_at, t.columns
    table_at, table, options_at, options = t.table_at, t.table, t.options_at, t.options
    reached = w.reached
    begin = t.first[m]
    end = t.first[m + U1] - U1
    start = w.low[m]
    until = w.high[m]
    level = start
    forward = True
    count = 0
    while True:
        a = words_at[level]
        b = words_at[level + U1]
        c = words_at[level + U2]
        wide = columns[level]
        values = row[cell[level]]
        moved = False
        if forward:
            some = U0
            if c - b == U1:
                need = row[b]
                for k in range(a, b):
                    word = row[k]
                    while word != U0 and need & ~some != U0:
                        state = ((k - a) << U6) + lowest_bit_index(word)
                        word &= word - U1
                        target = table_at[level] + state * wide
                        left = options[options_at[level] + state] & values
                        while left != U0:
                            some |= U1 << np.uint64(table[target + lowest_bit_index(left)])
                            left &= left - U1
                some &= need
                moved = some != need
                row[b] = some
            else:
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
                for k in range(b, c):
                    word = row[k] & reached[k - b]
                    moved |= word != row[k]
                    row[k] = word
                    some |= word
            if some == U0:
                return FAILED
            if level + U1 == end or (level >= until and not moved):
                forward = False
            else:
                level += U1
            continue
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
                    moved = True
            row[k] = kept
        if missing != U0:
            count = keep_values(row, changed, count, cell[level], supported)
            if count < 0:
                return count
        if level == begin or (level <= start and not moved):
            break
        level -= U1
    return count
