"""Propagation of MDD constraints in the constraint search.

An MDD keeps its live states as bit sets in the row of the search, layer by layer: those that lie on
a path from its first to its last layer along possible values. Values on no such path are removed.
Only the levels from the first changed one to where nothing changes any more are visited (Pesant, *A
regular language membership constraint*, CP 2004). Values that lead from every state to the same
one, such as the low digits of an entropic line, are a *class*: the tables of a level have a column
for each class, and a level has changed when its cell has lost a whole class.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from bddsudoku.engine.search.domain_reduction import FAILED, keep_values
from bddsudoku.engine.search.relations import (
    look_up_union,
    transpose_relation,
    unions_by_chunks,
)
from bddsudoku.jit import kernel, subroutine
from bddsudoku.jit.decorators import I32, I64, U32, U64, Flags, flat_lists, lowest_bit_index
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
    classes: U64
    """(levels,): number of classes of values."""
    projection: U64
    """(levels, 6): for each direction where the unions begin by which sets of values are replaced
    by sets of their classes, and back; the bits of a chunk and the number of chunks."""
    unions: U64
    table_at: U64
    table: U32
    """The next state by state and class, where there is one."""
    options_at: U64
    options: U64
    """For each state the bit set of the classes with a next state."""


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
        columns: for each level the choice of every value of its cell; any for those it has not.
    """

    cells: tuple[int, ...]
    mdd: Mdd
    columns: tuple[tuple[int, ...], ...]

    @property
    def tables(self) -> list[I32]:
        """For each level, the table of next states by state (row) and value (column); -1: none."""
        return [t[:, list(of)] for t, of in zip(self.mdd.tables, self.columns, strict=True)]


class _ClassTables(NamedTuple):
    """The tables of an MDD with a column for each class of choices.

    Attributes:
        of_choice: for each level the class of each choice.
        counts: number of classes of each level.
        table, options: as in :class:`MddTables`.
    """

    of_choice: tuple[tuple[int, ...], ...]
    counts: list[int]
    table: U32
    options: U64


_merged: WeakKeyDictionary[Mdd, _ClassTables] = WeakKeyDictionary()
"""The tables of MDDs that still exist."""


def _merge_equal_choices(mdd: Mdd) -> _ClassTables:
    """Merge the choices of each level that lead from every state to the same one."""
    if (known := _merged.get(mdd)) is not None:
        return known
    rows = np.array(mdd.widths[:-1], dtype=np.int64)
    choices = np.array(mdd.choices, dtype=np.int64)
    entries = np.concatenate([t.ravel() for t in mdd.tables])
    of_choice = np.empty(int(choices.sum()), dtype=np.int64)
    counts = np.empty(len(choices), dtype=np.int64)
    table = np.empty(len(entries), dtype=np.uint32)
    options = np.empty(int(rows.sum()), dtype=np.uint64)
    size = _write_class_tables(entries, rows, choices, of_choice, counts, table, options)
    flat = of_choice.tolist()
    ends = np.cumsum(choices).tolist()
    _merged[mdd] = _ClassTables(
        tuple([tuple(flat[end - n : end]) for end, n in zip(ends, mdd.choices, strict=True)]),
        counts.tolist(),
        table[:size].copy(),
        options,
    )
    return _merged[mdd]


@lru_cache(maxsize=256)
def _classes_of_values(
    columns: tuple[tuple[int, ...], ...], of_choice: tuple[tuple[int, ...], ...]
) -> tuple[tuple[int, ...], ...]:
    """For each level the class of every value, from its choice and the class of that."""
    levels = zip(columns, of_choice, strict=True)
    return tuple([tuple(map(classes.__getitem__, column)) for column, classes in levels])


@kernel
def _write_class_tables(
    entries: I32,
    rows: I64,
    choices: I64,
    of_choice: I64,
    counts: I64,
    table: U32,
    options: U64,
) -> int:
    """Write the classes of the choices, and the tables; returns the length of ``table``.

    A choice that no state has is in a class of its own, the last one. An MDD over a cell of 64
    values has 65 choices, but choice 0 then stands for no value.

    Args:
        entries, rows, choices: see :func:`bddsudoku.model.mdd_reduction.reduce_layers`.
        of_choice, table, options: receive the fields of :class:`_ClassTables`.
        counts: (levels,); receives the field ``counts``.
    """
    at = first = end = state = 0
    for level in range(len(rows)):
        wide = choices[level]
        count = 0
        has_dead = False
        for k in range(wide):
            mine = -1
            is_dead = True
            for s in range(rows[level]):
                is_dead &= entries[at + s * wide + k] < 0
            for j in range(k):
                if mine < 0 and not is_dead and of_choice[first + j] >= 0:
                    s = 0
                    while (
                        s < rows[level] and entries[at + s * wide + j] == entries[at + s * wide + k]
                    ):
                        s += 1
                    if s == rows[level]:
                        mine = of_choice[first + j]
            if mine < 0 and not is_dead:
                mine = count
                count += 1
            has_dead |= is_dead
            of_choice[first + k] = mine
        dead = min(count, 63)
        counts[level] = dead + 1 if has_dead else count
        for s in range(rows[level]):
            options[state] = 0
            for k in range(wide):
                to = entries[at + s * wide + k]
                if to >= 0:
                    table[end + of_choice[first + k]] = to
                    options[state] |= U1 << np.uint64(of_choice[first + k])
            end += counts[level]
            state += 1
        for k in range(wide):
            if of_choice[first + k] < 0:
                of_choice[first + k] = dead
        at += rows[level] * wide
        first += wide
    return end


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
    classes: list[int] = []
    states: list[int] = []
    projections: list[tuple[int, ...]] = []
    flat = [np.zeros(0, np.uint32)]
    options = [np.zeros(0, np.uint64)]
    unions = [np.zeros(0, np.uint64)]
    sizes = [0, 0, 0]  # of these three
    table_at: list[int] = []
    options_at: list[int] = []
    begins: dict[int, tuple[int, int]] = {}
    """Where the tables of an MDD begin: constraints of equal MDDs share them."""
    known: dict[tuple[int, ...], tuple[int, ...]] = {}
    """The projection of a level by the class of each value."""
    for m, one in enumerate(mdds):
        merged = _merge_equal_choices(one.mdd)
        if id(one.mdd) not in begins:
            begins[id(one.mdd)] = sizes[0], sizes[1]
            flat.append(merged.table)
            options.append(merged.options)
            sizes[0] += len(merged.table)
            sizes[1] += len(merged.options)
        at, option = begins[id(one.mdd)]
        classes_of = _classes_of_values(one.columns, merged.of_choice)
        levels = zip(one.cells, classes_of, merged.counts, strict=True)
        for (c, of_value, count), width in zip(levels, one.mdd.widths, strict=False):
            uses[c].append(len(read))
            read.append(c)
            states.append(width)
            classes.append(count)
            table_at.append(at)
            options_at.append(option)
            at += width * count
            option += width
            if of_value not in known:
                to_classes = tuple(1 << k for k in of_value)
                back = transpose_relation(to_classes, count)
                entry: list[int] = []
                for rows in (to_classes, back):
                    table, bits, chunks = unions_by_chunks(rows)
                    entry += (sizes[2], bits, chunks)
                    unions.append(table)
                    sizes[2] += len(table)
                known[of_value] = tuple(entry)
            projections.append(known[of_value])
        read.append(0)
        states.append(1)
        classes.append(0)
        projections.append((0,) * 6)
        table_at.append(at)
        options_at.append(option)
        owner += [m] * (len(read) - len(owner))
    layers = np.array(states, dtype=np.int64)
    words_at = np.cumsum([begin, *(-(-layers // 64)).tolist()], dtype=np.uint64)
    row = np.full(int(words_at[-1]) - begin, ~np.uint64(0))
    last = words_at[1:].astype(np.int64) - (1 + begin)
    row[last] >>= (-layers % 64).astype(np.uint64)
    found = MddTables(
        *flat_lists(uses),
        np.array(owner, dtype=np.uint64),
        np.zeros(len(mdds), dtype=np.uint64),
        np.cumsum([0, *(len(one.cells) + 1 for one in mdds)], dtype=np.uint64),
        np.array([len({*one.cells}) == len(one.cells) for one in mdds], dtype=np.bool_),
        np.array(read, dtype=np.uint64),
        words_at,
        np.array(classes, dtype=np.uint64),
        np.array(projections, dtype=np.uint64).reshape(-1, 6),
        np.concatenate(unions),
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
def project(level, values, projection, unions):  # type: ignore[no-untyped-def]
    """The classes of some values of the cell that a level reads."""
    return look_up_union(
        unions, values, projection[level, 0], projection[level, 1], projection[level, 2]
    )


@subroutine
def propagate_mdd(m, row, changed, t, w):  # type: ignore[no-untyped-def]
    """Remove values that are on no path of an MDD; see :func:`.domain_reduction.keep_values`."""
    cell, words_at, classes = t.cell, t.words_at, t.classes
    projection, unions = t.projection, t.unions
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
        wide = classes[level]
        values = project(level, row[cell[level]], projection, unions)
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
            kept = look_up_union(
                unions, supported, projection[level, 3], projection[level, 4], projection[level, 5]
            )
            count = keep_values(row, changed, count, cell[level], kept)
            if count < 0:
                return count
        if level == begin or (level <= start and not moved):
            break
        level -= U1
    return count
