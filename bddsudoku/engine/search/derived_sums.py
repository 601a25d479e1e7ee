"""Sums of few cells, derived from the sums of houses and other known sums (innies and outies).

The digits of a house add up to a known number; so do those of houses without a common cell. What
the sums of cages that lie within them, or nearly so, leave of it is the sum of a few cells. So is
what little killers that cover houses have beyond them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce
from math import sqrt
from operator import or_

_MAX_CELLS = 12
"""Most cells of a derived sum."""
_FEW_CELLS = 4
"""Most cells of a derived sum that is used whatever its total."""
_MIN_DEVIATION = 1.5
"""How far, in standard deviations, the total of any other is from that of independent cells. Totals
near the middle exclude little (measured)."""
_MIN_LONG = 5
"""Fewest cells of the sums that are chosen to cover houses."""
_MAX_SUMS = 40
"""Most derived sums of a problem, of which those with the fewest cells are best."""

Equation = tuple[int, int]
"""The bit set of some cells, and the sum of their numbers."""
Difference = tuple[int, int, int]
"""Bit sets of two sets of cells, and the sum of the first minus that of the second."""
_SizedSum = tuple[int, int, int]
"""Number of cells, the bit set of the cells, and the sum of their numbers."""


def derive_sums(houses: Sequence[Equation], sums: Sequence[Equation]) -> list[Difference]:
    """Find sums of few cells that follow from the sums of houses and of further sets of cells.

    Args:
        houses: houses with the sum of all their cells.
        sums: further sets of cells with known sums.
    """
    known = {(cells, 0) for cells, _ in (*houses, *sums)}
    sums = [*sums, *_houses_in_no_partition(houses)]
    sizes = [(some.bit_count(), some, total) for some, total in sums]
    long = [one for one in sizes if one[0] >= _MIN_LONG]
    covered = reduce(or_, (some for _, some, _ in long), 0)
    found: dict[tuple[int, int], int] = {}
    for cells, total in _unions_of_houses(houses, sums):
        chosen = [_subtract_sums_mostly_inside(cells, total, sizes)]
        if not cells & ~covered:
            chosen.append(_subtract_covering_sums(cells, total, long))
        for plus, minus, rest in chosen:
            if not plus:
                plus, minus, rest = minus, 0, -rest
            if 0 < (plus | minus).bit_count() <= _MAX_CELLS and (plus, minus) not in known:
                found[plus, minus] = rest
    longest = max(houses, key=lambda house: house[0].bit_count())
    derived = [
        (plus, minus, rest)
        for (plus, minus), rest in found.items()
        if (plus | minus).bit_count() <= _FEW_CELLS or _is_far_from_mean(plus, minus, rest, longest)
    ]
    return sorted(derived, key=lambda one: (one[0] | one[1]).bit_count())[:_MAX_SUMS]


def _is_far_from_mean(plus: int, minus: int, rest: int, house: Equation) -> bool:
    """Whether a derived total is far from that of independent cells.

    Args:
        plus, minus, rest: the derived sum.
        house: a house; each cell is as likely to have one of its consecutive numbers as another.
    """
    size = house[0].bit_count()
    mean = (plus.bit_count() - minus.bit_count()) * house[1] / size
    variance = (plus | minus).bit_count() * (size * size - 1) / 12
    return abs(rest - mean) >= _MIN_DEVIATION * sqrt(variance)


def _houses_in_no_partition(houses: Sequence[Equation]) -> Iterator[Equation]:
    """Yield the houses, such as diagonals, that with no disjoint ones make up the whole board."""
    everything = reduce(or_, (cells for cells, _ in houses))
    for cells, total in houses:
        union = cells
        for other, _ in houses:
            if not other & union:
                union |= other
        if union != everything:
            yield cells, total


def _unions_of_houses(houses: Sequence[Equation], sums: Sequence[Equation]) -> Iterator[Equation]:
    """Yield each house, and its growing union with disjoint houses that have cells in its sums."""
    seen: set[int] = set()
    for cells, total in houses:
        while cells not in seen:
            seen.add(cells)
            yield cells, total
            reached = 0
            for some, _ in sums:
                if some & cells:
                    reached |= some
            best, more, most = 0, 0, 0
            for house, known in houses:
                if not house & cells and (house & reached).bit_count() > most:
                    best, more, most = house, known, (house & reached).bit_count()
            cells, total = cells | best, total + more


def _subtract_sums_mostly_inside(cells: int, total: int, sums: Sequence[_SizedSum]) -> Difference:
    """Subtract from the total of a set of cells known disjoint sums that lie mostly in the set."""
    inside = []
    for size, some, known in sums:
        outside = (some & ~cells).bit_count()
        if 2 * outside < size:
            inside.append((outside, -size, some, known))
    used = 0
    for _, _, some, known in sorted(inside):
        if not some & used:
            used |= some
            total -= known
    return cells & ~used, used & ~cells, total


def _subtract_covering_sums(cells: int, total: int, sums: Sequence[_SizedSum]) -> Difference:
    """Subtract disjoint sums, those with the most cells inside first, until they cover the set."""
    touching = [(-(some & cells).bit_count(), size, some, known) for size, some, known in sums]
    used = 0
    for _, _, some, known in sorted(touching):
        if not some & used:
            used |= some
            total -= known
            if not cells & ~used:
                break
    return cells & ~used, used & ~cells, total
