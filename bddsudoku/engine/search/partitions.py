"""Propagation of regions that are to be found: cells of one region never have the same value.

What a cell of a region has, the region's other cells do not; a cell that has no other value is in
another region. Where a region has as many cells as there are values, a value that one cell only can
give to it has this cell, and the cell this region.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np

from bddsudoku.engine.search.domain_reduction import FAILED, keep_values
from bddsudoku.jit import subroutine
from bddsudoku.jit.decorators import U64, as_words, flat_lists

U0, U1 = np.uint64(0), np.uint64(1)


class Partition(NamedTuple):
    """Cells with a region and a value each.

    Attributes:
        places: the cells of the region and of the value of each.
        regions: the bit set of all regions.
        needed: the bit set of the values that every region needs.
    """

    places: tuple[tuple[int, int], ...]
    regions: int
    needed: int

    @property
    def cells(self) -> list[int]:
        """The cells of regions and values."""
        return [*dict.fromkeys(chain(*self.places))]


class PartitionTables(NamedTuple):
    """Partitions as flat arrays."""

    at: U64
    """(partitions + 1,): the first place of each."""
    place: U64
    """(places, 2): as in :class:`Partition`."""
    masks: U64
    """(partitions, 2): all regions, and the needed values."""


def make_partition_tables(partitions: Sequence[Partition]) -> PartitionTables:
    """Make the tables of partitions."""
    at, places = flat_lists([one.places for one in partitions])
    masks = as_words([(one.regions, one.needed) for one in partitions])
    return PartitionTables(at, places.reshape(-1, 2), masks.reshape(-1, 2))


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
            mine, values = row[place[p, 0]], row[place[p, 1]]
            if mine & region != U0:
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
            mine, values = row[place[p, 0]], row[place[p, 1]]
            if mine & region == U0:
                continue
            if mine != region:
                if values & ~fixed == U0:
                    n = keep_values(row, changed, n, place[p, 0], ~region)
                elif values & lone != U0:
                    n = keep_values(row, changed, n, place[p, 0], region)
                    n = keep_values(row, changed, n, place[p, 1], lone)
            elif values & (values - U1) != U0:
                n = keep_values(row, changed, n, place[p, 1], ~fixed)
                if n >= 0 and values & lone & ~fixed != U0:
                    n = keep_values(row, changed, n, place[p, 1], lone)
            if n < 0:
                return n
    return n
