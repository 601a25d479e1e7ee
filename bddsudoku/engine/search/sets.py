"""Set constraints: the values of some cells differ and form one of several listed sets."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bddsudoku.engine.search.domain_reduction import FAILED, exclude_from_common_peers, keep_values
from bddsudoku.jit import subroutine
from bddsudoku.jit.decorators import U64

U0, U1 = np.uint64(0), np.uint64(1)


class SetTables(NamedTuple):
    """Set constraints as flat arrays."""

    at: U64
    cell: U64
    """The cells of each constraint."""
    others: U64
    """(constraints, words): the bit set of the cells that are not in a constraint."""
    family_at: U64
    family: U64
    """The possible sets of values of each constraint."""


@subroutine
def propagate_set(i, row, changed, t, seen):  # type: ignore[no-untyped-def]
    """Remove values that are in no set still possible, and place values that are in all of them.

    See :func:`.domain_reduction.keep_values`.
    """
    cell, family = t.cell, t.family
    begin, end = t.at[i], t.at[i + U1]
    once = U0
    twice = U0
    fixed = U0
    for p in range(begin, end):
        values = row[cell[p]]
        twice |= once & values
        once |= values
        if values & (values - U1) == U0:
            fixed |= values
    some = U0
    every = ~U0
    for k in range(t.family_at[i], t.family_at[i + U1]):
        values = family[k]
        if fixed & ~values == U0 and values & ~once == U0:
            live = True
            for p in range(begin, end):
                if row[cell[p]] & values == U0:
                    live = False
                    break
            if live:
                some |= values
                every &= values
    if some == U0:
        return FAILED
    n = 0
    hidden = every & ~twice
    if once & ~some != U0 or hidden & ~fixed != U0:
        for p in range(begin, end):
            keep = row[cell[p]] & some
            only = keep & hidden
            if only != U0:
                if only & (only - U1) != U0:
                    return FAILED
                keep = only
            n = keep_values(row, changed, n, cell[p], keep)
            if n < 0:
                return n
    sure = every & twice & ~fixed
    return exclude_from_common_peers(row, changed, n, cell[begin:end], t.others[i], sure, seen)
