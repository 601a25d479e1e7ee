"""Set constraints: the values of some cells differ and form one of several listed sets.

For every set of values a table has the listed sets that it meets, as bits of words. Those remain
possible of which every cell has a value, and whose values each have a cell. A value of such a set
that only one cell has must be taken by that cell, if the set is the one that the cells form.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from bddsudoku.engine.search.domain_reduction import FAILED, exclude_from_cells, keep_values
from bddsudoku.engine.search.relations import Rows, UnionTables, look_up_union
from bddsudoku.jit import subroutine
from bddsudoku.jit.decorators import U64, as_words, flat_lists, lowest_bit_index
from bddsudoku.model.mdd import Mdd

U0, U1, U6 = (np.uint64(k) for k in (0, 1, 6))
_MAX_SETS = 1 << 10
"""Most listed sets, and most sets that are begun."""


class SetConstraint(NamedTuple):
    """Different cells that differ, and the sets of values that they may form, as bit sets."""

    cells: tuple[int, ...]
    family: tuple[int, ...]


class SetTables(NamedTuple):
    """Set constraints as flat arrays."""

    entry: U64
    """(constraints, 7): where the cells of a constraint begin and end; where its table begins, the
    bits of a chunk of values, and the number of chunks; where the listed sets begin, and how many
    words their bits take."""
    cell: U64
    table: U64
    """For each word of listed sets and each set of values of a chunk: those that have one of them.
    """
    family: U64
    """The listed sets."""


def make_set_tables(constraints: Sequence[SetConstraint]) -> SetTables:
    """Make the tables of set constraints."""
    entries: list[tuple[int, ...]] = []
    unions = UnionTables()
    begins: dict[tuple[int, ...], int] = {}
    families: list[int] = []
    at, scope = flat_lists([cells for cells, _ in constraints])
    for begin, (cells, family) in zip(at.tolist(), constraints, strict=False):
        if family not in begins:
            begins[family] = len(families)
            families += family
        rows = _sets_by_value(family)
        entries.append((begin, begin + len(cells), *unions.place(*rows), begins[family], len(rows)))
    return SetTables(
        entry=as_words(entries).reshape(-1, 7),
        cell=scope,
        table=np.concatenate(unions.parts),
        family=as_words(families),
    )


@lru_cache(maxsize=1024)
def completing_symbols(
    mdd: Mdd, known: tuple[int, ...], symbols: tuple[int, ...]
) -> tuple[tuple[int, ...], ...] | None:
    """The sets of different symbols that complete known ones to a word, in whatever order.

    Args:
        mdd: an MDD whose acceptance does not depend on the order of the symbols (a cage).
        known: the known symbols.
        symbols: ascending; those that the other places may have.

    Returns:
        None if two of these places may have the same symbol, or the sets are too many.
    """
    state = -1 if mdd.is_empty else 0
    for table, s in zip(mdd.tables, known, strict=False):
        state = int(table[state, s]) if state >= 0 else -1
    if state < 0:
        return ()
    tables = mdd.tables[len(known) :]
    if len(tables) > 1:
        onward = tables[0][state, symbols]
        if (tables[1][onward, symbols] >= 0)[onward >= 0].any():
            return None
    # The words with ascending symbols, by the state that they lead to.
    words: list[tuple[int, tuple[int, ...]]] = [(state, ())]
    for table in tables:
        words = [
            (int(table[state, s]), (*word, s))
            for state, word in words
            for s in symbols
            if (not word or s > word[-1]) and table[state, s] >= 0
        ]
        if len(words) > _MAX_SETS:
            return None
    return tuple([word for _, word in words])


@lru_cache(maxsize=256)
def _sets_by_value(family: tuple[int, ...]) -> tuple[Rows, ...]:
    """For each word of a family of sets of values, and each value, the bit set of those with it."""
    values = range(max(family).bit_length())
    parts = [family[w : w + 64] for w in range(0, len(family), 64)]
    return tuple(
        tuple(sum((s >> v & 1) << i for i, s in enumerate(part)) for v in values) for part in parts
    )


@subroutine
def propagate_set(i, row, changed, places, kept, t, seen, possible):  # type: ignore[no-untyped-def]
    """Remove the values that cells take in no possible set; place the values of all these sets.

    Args:
        i: the constraint.
        row, changed: as in :func:`.domain_reduction.keep_values`.
        places: where the bit sets of the places of each value begin in the row.
        kept: where the row has the values with two, and those with three places in this constraint
            that were excluded from their common peers.
        t: SetTables.
        seen: (cells, words); for each cell the bit set of those that never have the same value.
        possible: scratch array; see :class:`.arrays.SearchWorkspace`.

    Returns:
        As :func:`.domain_reduction.keep_values`.
    """
    entry, cell, family = t.entry, t.cell, t.family
    words = np.uint64(seen.shape[1])
    begin, end = entry[i, 0], entry[i, 1]
    once = U0
    twice = U0
    thrice = U0
    often = U0
    fixed = U0
    for p in range(begin, end):
        values = row[cell[p]]
        often |= thrice & values
        thrice |= twice & values
        twice |= once & values
        once |= values
        if values & (values - U1) == U0:
            fixed |= values
        possible[U0, p - begin] = values
        possible[U1, p - begin] = U0
    is_met = False
    free = U0
    every = ~U0
    at, bits, chunks = entry[i, 2], entry[i, 3], entry[i, 4]
    for w in range(entry[i, 6]):
        live = ~look_up_union(t.table, ~once, at, bits, chunks)
        for p in range(end - begin):
            live &= look_up_union(t.table, possible[U0, p], at, bits, chunks)
        while live != U0:
            listed = family[entry[i, 5] + (w << U6) + lowest_bit_index(live)]
            live &= live - U1
            lone = listed & ~twice & ~fixed
            if lone == U0:
                free |= listed
            else:
                for p in range(end - begin):
                    values = possible[U0, p] & lone
                    if values & (values - U1) != U0:  # a cell cannot take both
                        listed = U0
                for p in range(end - begin):
                    values = possible[U0, p] & listed
                    possible[U1, p] |= values & lone if values & lone != U0 else values
            if listed != U0:
                every &= listed
                is_met = True
        at += chunks << bits
    if not is_met:
        return FAILED
    n = 0
    for p in range(begin, end):
        n = keep_values(row, changed, n, cell[p], free | possible[U1, p - begin])
        if n < 0:
            return n
    sure = every & twice & ~fixed
    left = sure & ~(row[kept] & ~thrice | row[kept + U1] & thrice & ~often)
    row[kept] = sure & ~thrice
    row[kept + U1] = sure & thrice
    while left != U0:
        v = lowest_bit_index(left)
        left &= left - U1
        value = U1 << v
        for k in range(words):
            common = row[places + v * words + k]
            for p in range(begin, end):
                common &= seen[cell[p], k] | (row[cell[p]] >> v & U1) - U1
            n = exclude_from_cells(row, changed, n, value, k, common)
            if n < 0:
                return n
    return n
