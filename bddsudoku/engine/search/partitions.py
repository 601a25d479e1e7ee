"""Propagation of regions that are to be found: cells of one region never have the same value.

What a cell of a region has, the region's other cells do not; a cell that has no other value is in
another region. Where a region has as many cells as there are values, a value that one cell only can
give to it has this cell, and the cell this region.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from bddsudoku.engine.search.domain_reduction import FAILED, keep_values
from bddsudoku.jit import subroutine
from bddsudoku.jit.decorators import U64, as_words, flat_lists

U0, U1 = np.uint64(0), np.uint64(1)


class Partition(NamedTuple):
    """Cells with a region and a value each.

    Attributes:
        places: for each cell: the cell of its region and 0, or 0 and the bit of the known region;
            the cell of its value and 0, or 0 and the bit of the known value.
        regions: the bit set of all regions.
        needed: the bit set of the values that every region needs.
    """

    places: tuple[tuple[int, int, int, int], ...]
    regions: int
    needed: int

    @property
    def cells(self) -> list[int]:
        """The cells of regions and values that are not known."""
        found = [place[at] for place in self.places for at in (0, 2) if not place[at + 1]]
        return [*dict.fromkeys(found)]


class PartitionTables(NamedTuple):
    """Partitions as flat arrays."""

    at: U64
    """(partitions + 1,): the first place of each."""
    place: U64
    """(places, 4): as in :class:`Partition`."""
    masks: U64
    """(partitions, 2): all regions, and the needed values."""


def make_partition_tables(partitions: Sequence[Partition]) -> PartitionTables:
    """Make the tables of partitions."""
    at, places = flat_lists([one.places for one in partitions])
    masks = as_words([(one.regions, one.needed) for one in partitions])
    return PartitionTables(at, places.reshape(-1, 4), masks.reshape(-1, 2))


@subroutine
def _keep(row, changed, n, cell, known, values):  # type: ignore[no-untyped-def]
    """Leave a cell, or what is known instead, only certain values."""
    if n < 0:
        return n
    if known != U0:
        return n if known & values != U0 else np.int64(FAILED)
    return keep_values(row, changed, n, cell, values)


@subroutine
def propagate_partition(i, row, changed, t):  # type: ignore[no-untyped-def]
    """Propagate that values differ in regions; see :func:`.domain_reduction.keep_values`."""
    if t is None:
        return np.int64(FAILED)
    begin, end = t.at[i], t.at[i + U1]
    regions, needed = t.masks[i, 0], t.masks[i, 1]
    place = t.place
    n = np.int64(0)
    while regions != U0:
        region = regions & ~(regions - U1)
        regions ^= region
        fixed = once = twice = U0
        for p in range(begin, end):
            mine = place[p, 1] if place[p, 1] != U0 else row[place[p, 0]]
            if mine & region != U0:
                values = place[p, 3] if place[p, 3] != U0 else row[place[p, 2]]
                twice |= once & values
                once |= values
                if mine == region and values & (values - U1) == U0:
                    if fixed & values != U0:
                        return np.int64(FAILED)
                    fixed |= values
        if needed & ~once != U0:
            return np.int64(FAILED)
        lone = needed & ~twice
        for p in range(begin, end):
            mine = place[p, 1] if place[p, 1] != U0 else row[place[p, 0]]
            if mine & region == U0:
                continue
            values = place[p, 3] if place[p, 3] != U0 else row[place[p, 2]]
            if mine != region:
                if values & ~fixed == U0:
                    n = _keep(row, changed, n, place[p, 0], place[p, 1], ~region)
                elif values & lone != U0:
                    n = _keep(row, changed, n, place[p, 0], place[p, 1], region)
                    n = _keep(row, changed, n, place[p, 2], place[p, 3], lone)
            elif values & (values - U1) != U0:
                n = _keep(row, changed, n, place[p, 2], place[p, 3], ~fixed)
                if n >= 0 and values & lone & ~fixed != U0:
                    n = _keep(row, changed, n, place[p, 2], place[p, 3], lone)
            if n < 0:
                return n
    return n
