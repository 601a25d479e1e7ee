"""Propagation of choices and requirements: how many statements about values of cells hold.

A *statement* says that one of some cells has one of some values, or, negated, that none has; no two
of its cells have such values at once. At most one of the marks of a rule is there, two lines have
the same number of fives: the fives of a line are counted row by row, so that the count knows the
houses.

A *requirement* follows from an MDD: some cell of a square has one of the low digits. While several
of these are left it says nothing new; the last one is excluded from the cells that see all its
places.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import reduce
from itertools import chain
from operator import or_
from typing import NamedTuple

import numpy as np

from bddsudoku.engine.search.domain_reduction import FAILED, exclude_from_cells, keep_values
from bddsudoku.jit import subroutine
from bddsudoku.jit.decorators import U64, flat_lists, lowest_bit_index

U0, U1 = np.uint64(0), np.uint64(1)
MAX_GAPPED = 63
"""Most statements of a choice whose possible numbers have gaps."""


class Choice(NamedTuple):
    """Statements with the numbers of them that may hold.

    Attributes:
        places: cells, each with the bit set of some of its values, statement after statement.
        counts: bit set of the numbers that may hold, not empty.
        sizes: the number of places of each statement; by default it is one.
        negated: whether each statement is negated; by default none is.
    """

    places: Sequence[tuple[int, int]]
    counts: int
    sizes: Sequence[int] = ()
    negated: Sequence[bool] = ()


class ChoiceTables(NamedTuple):
    """Choices as flat arrays."""

    at: U64
    """(choices + 1,): the first statement of each choice."""
    bounds: U64
    """(choices, 3): the least and the greatest number of its statements that may hold; as a bit set
    the numbers between them that are not possible, all below 64."""
    first: U64
    """(statements + 1,): the first place of each statement."""
    negated: U64
    """(statements,): 1 for the statement that no place holds."""
    cell: U64
    values: U64
    """Each place: a cell, and values of it."""


class Requirements(NamedTuple):
    """Requirements on the same cells, each that some cell has one of some values.

    Attributes:
        places: the cells, each with all its values in the requirements.
        values: the values of each requirement; two have none in common.
    """

    places: Sequence[tuple[int, int]]
    values: Sequence[int]


class RequiredTables(NamedTuple):
    """Requirements as flat arrays."""

    at: U64
    """(groups + 1,): the first place of each group of requirements on the same cells."""
    cell: U64
    values: U64
    """Each place: a cell, and values of it."""
    required_at: U64
    """(groups + 1,): the first requirement of each group."""
    required: U64
    """The values of each requirement."""


def group_requirements(required: Iterable[Sequence[tuple[int, int]]]) -> list[Requirements]:
    """Group requirements, given as cells with values, by their cells."""
    groups: dict[tuple[int, ...], list[Requirements]] = {}
    for places in map(sorted, required):
        values = reduce(or_, (of for _, of in places))
        alike = groups.setdefault(tuple([c for c, _ in places]), [])
        i = next((i for i, one in enumerate(alike) if not any(map(values.__and__, one.values))), -1)
        if i < 0:
            alike.append(Requirements(places, [values]))
        else:
            both = zip(places, alike[i].places, strict=True)
            places = [(c, of | before) for (c, of), (_, before) in both]
            alike[i] = Requirements(places, [*alike[i].values, values])
    return [*chain.from_iterable(groups.values())]


def make_required_tables(groups: Sequence[Requirements]) -> RequiredTables:
    """Make the tables of requirements."""
    return RequiredTables(
        *flat_lists([[c for c, _ in one.places] for one in groups]),
        np.array([values for one in groups for _, values in one.places], dtype=np.uint64),
        *flat_lists([one.values for one in groups]),
    )


def make_choice_tables(choices: Sequence[Choice]) -> ChoiceTables:
    """Make the tables of choices."""
    sizes = [choice.sizes or (1,) * len(choice.places) for choice in choices]
    pairs = zip(choices, sizes, strict=True)
    at, negated = flat_lists([choice.negated or [0] * len(some) for choice, some in pairs])
    bounds = []
    for _, counts, *_ in choices:
        least, most = (counts & -counts).bit_length() - 1, counts.bit_length() - 1
        bounds.append((least, most, ((1 << most) - (1 << least)) & ~counts))
    return ChoiceTables(
        at,
        np.array(bounds, dtype=np.uint64).reshape(-1, 3),
        np.cumsum([0, *chain.from_iterable(sizes)], dtype=np.uint64),
        negated,
        np.array([c for choice in choices for c, _ in choice.places], dtype=np.uint64),
        np.array([values for choice in choices for _, values in choice.places], dtype=np.uint64),
    )


@subroutine
def _truth(s, row, t):  # type: ignore[no-untyped-def]
    """Whether a statement must hold, and whether it may (1 or 0)."""
    must = may = U0
    for p in range(t.first[s], t.first[s + U1]):
        left = row[t.cell[p]]
        if left & t.values[p] != U0:
            may = U1
            if left & ~t.values[p] == U0:
                must = U1
    if t.negated[s] != U0:
        must, may = U1 - may, U1 - must
    return must, may


@subroutine
def _decide(s, holds, row, changed, n, t):  # type: ignore[no-untyped-def]
    """Remove the values with which a statement would not hold, or would; as ``keep_values``."""
    begin, end = t.first[s], t.first[s + U1]
    if holds == (t.negated[s] == U0):
        count = 0
        last = begin
        for p in range(begin, end):
            if row[t.cell[p]] & t.values[p] != U0:
                count += 1
                last = p
        if count == 1:
            n = keep_values(row, changed, n, t.cell[last], t.values[last])
    else:
        for p in range(begin, end):
            if n >= 0:
                n = keep_values(row, changed, n, t.cell[p], ~t.values[p])
    return n


@subroutine
def propagate_choice(i, row, changed, t):  # type: ignore[no-untyped-def]
    """Propagate how many statements hold; see :func:`.domain_reduction.keep_values`."""
    begin, end = t.at[i], t.at[i + U1]
    least, most, gaps = t.bounds[i, 0], t.bounds[i, 1], t.bounds[i, 2]
    certain = possible = U0
    for s in range(begin, end):
        must, may = _truth(s, row, t)
        certain += must
        possible += may
    least = max(least, certain)
    most = min(most, possible)
    if gaps != U0:
        while gaps >> least & U1 != U0:
            least += U1
        while gaps >> most & U1 != U0:
            most -= U1
    if least > most:
        return FAILED
    n = 0
    if certain < possible and (certain == most or possible == least):
        for s in range(begin, end):
            must, may = _truth(s, row, t)
            if must != may and n >= 0:
                n = _decide(s, possible == least, row, changed, n, t)
    return n


@subroutine
def propagate_required(i, row, changed, places, t, seen):  # type: ignore[no-untyped-def]
    """Exclude the only value that is left of some required ones from what sees all its places.

    Args:
        i: the number of a group of requirements on the same cells.
        row, changed: as in :func:`.domain_reduction.keep_values`.
        places: where the bit sets of the places of each value begin in the row.
        t: RequiredTables.
        seen: (cells, words); for each cell the bit set of those that never have the same value.

    Returns:
        As :func:`.domain_reduction.keep_values`.
    """
    begin, end = t.at[i], t.at[i + U1]
    left = U0
    for p in range(begin, end):
        left |= row[t.cell[p]] & t.values[p]
    n = 0
    words = np.uint64(seen.shape[1])
    for q in range(t.required_at[i], t.required_at[i + U1]):
        value = left & t.required[q]
        if value == U0:
            return FAILED
        if value & (value - U1) == U0:
            at = places + lowest_bit_index(value) * words
            for k in range(words):
                common = row[at + k]
                for p in range(begin, end):
                    if row[t.cell[p]] & t.values[p] & value != U0:
                        common &= seen[t.cell[p], k]
                if n >= 0:
                    n = exclude_from_cells(row, changed, n, value, k, common)
    return n
