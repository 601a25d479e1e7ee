"""Propagation of connected regions: the cells that have certain values are connected.

A walk in depth from a cell that is inside reaches, through cells that may be inside, all that can
be: other cells are outside. A cell that cuts off another one inside is inside, too (an articulation
point; Tarjan, *Depth-first search and linear graph algorithms*, SIAM J. Comput. 1972). If the size
is known, what is too far away is outside, and what the region cannot do without is inside.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from bddsudoku.engine.search.domain_reduction import FAILED, keep_values
from bddsudoku.jit import subroutine
from bddsudoku.jit.decorators import I64, U64, flat_lists

U0, U1 = np.uint64(0), np.uint64(1)
OUTSIDE, POSSIBLE, INSIDE = range(3)
ANY = -1
"""The size of a region of any size."""


class Region(NamedTuple):
    """A connected region: for each cell of a rectangle the values with which it is inside.

    Attributes:
        places: a cell and the bit set of these values; any cell and 0 for a place outside.
        neighbours: the numbers of each place's neighbours.
        size: the number of places inside, or :data:`ANY`.
        columns: the width of the rectangle.
    """

    places: tuple[tuple[int, int], ...]
    neighbours: tuple[tuple[int, ...], ...]
    size: int
    columns: int

    @property
    def cells(self) -> list[int]:
        """The cells that decide what is inside."""
        return [c for c, values in self.places if values]


class RegionTables(NamedTuple):
    """Connected regions as flat arrays."""

    at: U64
    """(regions + 1,): the first place of each region."""
    size: I64
    cell: U64
    values: U64
    """Each place: a cell, and the values with which it is inside."""
    near_at: U64
    near: U64
    """The neighbours of each place, as numbers of places of all regions."""


class RegionWorkspace(NamedTuple):
    """Scratch arrays of :func:`propagate_region`, with an entry for each place."""

    status: I64
    number: I64
    """In which order the walk entered places, from 1; 0 for never."""
    low: I64
    """The least number next to what the walk has entered from a place on."""
    inside: I64
    total: I64
    """How many places it has entered from there, inside and in all."""
    cut: I64
    """How many a place cuts off; all if one of them is inside."""
    entry: U64
    """The next neighbour to look at."""
    path: U64
    order: U64
    """The places from the start of the walk on; all that were entered."""


def make_region_tables(regions: Sequence[Region]) -> RegionTables:
    """Make the tables of connected regions."""
    at, places = flat_lists([region.places for region in regions])
    cell, values = places.reshape(-1, 2).T.copy()
    near_at, near = flat_lists(
        [
            [begin + n for n in of]
            for begin, region in zip(at.tolist(), regions, strict=False)
            for of in region.neighbours
        ]
    )
    size = np.array([region.size for region in regions], dtype=np.int64)
    return RegionTables(at, size, cell, values, near_at, near)


def new_region_workspace(t: RegionTables) -> RegionWorkspace:
    """Make the scratch arrays of one search."""
    size = len(t.cell)
    return RegionWorkspace(*np.zeros((6, size), np.int64), *np.zeros((3, size), np.uint64))


@subroutine
def _walk(start, whole, t, w):  # type: ignore[no-untyped-def]
    """Walk in depth through what may be inside; return the number of places entered.

    Args:
        start: the first place.
        whole: what :attr:`RegionWorkspace.cut` counts for a cut before a place inside.
        t: RegionTables.
        w: RegionWorkspace.
    """
    status, number, low, inside, total, cut = w.status, w.number, w.low, w.inside, w.total, w.cut
    entered = np.int64(0)
    depth = U0
    p = start
    is_new = True
    while True:
        if is_new:
            w.path[depth] = p
            w.order[np.uint64(entered)] = p
            w.entry[p] = t.near_at[p]
            entered += 1
            number[p] = low[p] = entered
            inside[p] = status[p] == INSIDE
            total[p] = 1
            cut[p] = 0
            is_new = False
        if w.entry[p] < t.near_at[p + U1]:
            q = t.near[w.entry[p]]
            w.entry[p] += U1
            if status[q] != OUTSIDE:
                if number[q] == 0:
                    p = q
                    depth += U1
                    is_new = True
                else:
                    low[p] = min(low[p], number[q])
        elif depth == U0:
            return entered
        else:
            q = p
            depth -= U1
            p = w.path[depth]
            low[p] = min(low[p], low[q])
            inside[p] += inside[q]
            total[p] += total[q]
            if low[q] >= number[p]:
                cut[p] += whole if inside[q] > 0 else total[q]


@subroutine
def _reach(start, budget, t, w):  # type: ignore[no-untyped-def]
    """Number the places that as many further places as ``budget`` connect with the start."""
    status, number = w.status, w.number
    have, later = U1, U0
    w.path[U0] = start
    number[start] = 1
    while have > U0:
        while have > U0:
            have -= U1
            p = w.path[have]
            for k in range(t.near_at[p], t.near_at[p + U1]):
                q = t.near[k]
                if number[q] == 0 and status[q] == INSIDE:
                    number[q] = 1
                    w.path[have] = q
                    have += U1
                elif number[q] == 0 and status[q] == POSSIBLE and budget > 0:
                    number[q] = 1
                    w.order[later] = q
                    later += U1
        for k in range(later):
            w.path[k] = w.order[k]
        have, later = later, U0
        budget -= 1


@subroutine
def propagate_region(i, row, changed, t, w):  # type: ignore[no-untyped-def]
    """Propagate that a region is connected; see :func:`.domain_reduction.keep_values`."""
    if t is None:
        return np.int64(FAILED)
    begin, end = t.at[i], t.at[i + U1]
    size = t.size[i]
    status, number = w.status, w.number
    certain = possible = np.int64(0)
    start = begin
    for p in range(begin, end):
        values, held = row[t.cell[p]], t.values[p]
        number[p] = 0
        status[p] = OUTSIDE
        if values & held != U0:
            possible += 1
            status[p] = POSSIBLE
            if values & ~held == U0:
                status[p] = INSIDE
                certain += 1
                start = p
    least = max(size, np.int64(1))
    if possible < least or (size != ANY and certain > size):
        return FAILED
    n = np.int64(0)
    if certain == 0:
        return n
    entered = _walk(start, possible, t, w)
    if w.inside[start] < certain or entered < least:
        return FAILED
    for p in range(begin, end):
        if status[p] == POSSIBLE:
            if number[p] == 0:
                n = keep_values(row, changed, n, t.cell[p], ~t.values[p])
            elif entered - 1 - w.cut[p] < least:
                n = keep_values(row, changed, n, t.cell[p], t.values[p])
    if size != ANY:
        for p in range(begin, end):
            number[p] = 0
        _reach(start, size - certain, t, w)
        for p in range(begin, end):
            if number[p] == 0 and status[p] == INSIDE:
                return FAILED
            if number[p] == 0 and status[p] == POSSIBLE:
                n = keep_values(row, changed, n, t.cell[p], ~t.values[p])
                if n < 0:
                    return n
    return n
