"""Sums derived from the sums of houses and other known sums.

The digits of a house add up to a known number; so do those of houses without a common cell. What
the sums of cages that lie within them, or nearly so, leave of it is the sum of a few cells (innies
and outies).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce
from operator import or_

_MAX_CELLS = 6
"""Most cells of a derived sum."""
_MAX_SUMS = 40
"""Most derived sums, of which those with the fewest cells are best."""
Equation = tuple[int, int]
"""The bit set of some cells, and the sum of their numbers."""
Difference = tuple[int, int, int]
"""Bit sets of two sets of cells, and the sum of the first minus that of the second."""


def derive_sums(houses: Sequence[Equation], sums: Sequence[Equation]) -> list[Difference]:
    """Find sums that follow from the sums of houses and of further sets of cells.

    Args:
        houses: houses with the sum of all their cells.
        sums: further sets of cells with known sums.
    """
    known = {(cells, 0) for cells, _ in (*houses, *sums)}
    found: dict[tuple[int, int], int] = {}
    for cells, total in _unions_of_houses(houses, sums):
        plus, minus, rest = _subtract_sums_mostly_inside(cells, total, sums)
        if not plus:
            plus, minus, rest = minus, 0, -rest
        if 0 < (plus | minus).bit_count() <= _MAX_CELLS and (plus, minus) not in known:
            found[plus, minus] = rest
    derived = [(plus, minus, rest) for (plus, minus), rest in found.items()]
    return sorted(derived, key=lambda one: (one[0] | one[1]).bit_count())[:_MAX_SUMS]


def _unions_of_houses(houses: Sequence[Equation], sums: Sequence[Equation]) -> Iterator[Equation]:
    """Yield each house, and its growing union with disjoint houses that have cells in its sums."""
    seen: set[int] = set()
    near = {
        house: reduce(or_, (some for some, _ in sums if some & house), 0) for house, _ in houses
    }
    for cells, total in houses:
        reached = near[cells]
        left = houses
        while cells not in seen:
            seen.add(cells)
            yield cells, total
            left = [house for house in left if not house[0] & cells]
            best, more = max(left, key=lambda h: (h[0] & reached).bit_count(), default=(0, 0))
            if best & reached:
                cells, total, reached = cells | best, total + more, reached | near[best]


def _subtract_sums_mostly_inside(cells: int, total: int, sums: Sequence[Equation]) -> Difference:
    """Subtract from the total of a set of cells known disjoint sums that lie mostly in the set."""
    inside = []
    for some, known in sums:
        size, outside = some.bit_count(), (some & ~cells).bit_count()
        if 2 * outside < size:
            inside.append((outside, -size, some, known))
    used = 0
    for _, _, some, known in sorted(inside):
        if not some & used:
            used |= some
            total -= known
    return cells & ~used, used & ~cells, total
