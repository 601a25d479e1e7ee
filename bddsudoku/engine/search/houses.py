"""Houses: sets of cells in which each of certain values must occur exactly once."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bddsudoku.engine.search.domain_reduction import FAILED, exclude_from_common_peers, keep_values
from bddsudoku.engine.search.relations import exclude_from_common_relations
from bddsudoku.jit import subroutine
from bddsudoku.jit.decorators import U64

U0, U1 = np.uint64(0), np.uint64(1)


class HouseTables(NamedTuple):
    """Houses as flat arrays."""

    at: U64
    cell: U64
    """The cells of each house."""
    required: U64
    """(houses,): the set of values that one of the cells takes."""
    others: U64
    """(houses, words): the bit set of the cells that are not in a house."""


@subroutine
def propagate_house(i, row, changed, t, seen, relations):  # type: ignore[no-untyped-def]
    """Place values with one cell left, and remove those with 2 or 3 from the cells' common peers.

    See :func:`.domain_reduction.keep_values`.
    """
    cell = t.cell
    begin, end = t.at[i], t.at[i + U1]
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
    required = t.required[i]
    if once & required != required:
        return FAILED
    hidden = required & once & ~twice & ~fixed
    n = 0
    if hidden != U0:
        for p in range(begin, end):
            found = row[cell[p]] & hidden
            if found != U0:
                if found & (found - U1) != U0:
                    return FAILED
                n = keep_values(row, changed, n, cell[p], found)
    values = required & twice & ~fixed
    if len(relations.related) > 0 and n >= 0:
        n = exclude_from_common_relations(
            row, changed, n, cell[begin:end], values & ~often, relations
        )
    if n >= 0:
        n = exclude_from_common_peers(
            row, changed, n, cell[begin:end], t.others[i], values & ~often, seen
        )
    return n
