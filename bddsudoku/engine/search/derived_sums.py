"""Sums derived from the sums of houses and other known sums.

The digits of a house add up to a known number; so do those of houses without a common cell. What
the sums of cages that lie within them, or nearly so, leave of it is the sum of a few cells (innies
and outies). So is what little killers that cover houses have beyond them.

Little killers without a common cell are added up, too. Each may repeat a digit; but several have
cells in one house, where digits differ, and together they can need more great digits than it has.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce
from heapq import nlargest
from itertools import combinations
from operator import or_

_MAX_CELLS = 12
"""Most cells of a derived sum."""
_FEW_CELLS = 4
"""Most cells of a derived sum that is used whatever its total."""
_MIN_DEVIATION = 1.5
"""How far, in standard deviations, the total of any other is from that of independent cells. Totals
near the middle exclude little (measured)."""
_MIN_LONG = 5
"""Fewest cells of the sums that are chosen to cover houses, or to be added up."""
_MIN_JOINT_DEVIATION = 2.5
"""How far, in standard deviations, an added-up total is from that of houses in any order; it takes
longer to propagate than a sum of few cells (measured)."""
_MAX_SUMS = 40
"""Most derived sums of few cells, of which those with the fewest cells are best."""
_MAX_ADDENDS = 32
"""Most sums that are tried in pairs; the unlikeliest ones."""

Equation = tuple[int, int]
"""The bit set of some cells, and the sum of their numbers."""
Difference = tuple[int, int, int]
"""Bit sets of two sets of cells, and the sum of the first minus that of the second."""
_SizedSum = tuple[int, int, int]
"""Number of cells, the bit set of the cells, and the sum of their numbers."""


def derive_sums(houses: Sequence[Equation], sums: Sequence[Equation]) -> list[Difference]:
    """Find sums that follow from the sums of houses and of further sets of cells.

    Args:
        houses: houses with the sum of all their cells.
        sums: further sets of cells with known sums.
    """
    known = {(cells, 0) for cells, _ in (*houses, *sums)}
    longest = max(houses, key=lambda house: house[0].bit_count())
    joint = _add_up_unlikely_sums(longest, [cells for cells, _ in houses], sums)
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
    derived = [
        (plus, minus, rest)
        for (plus, minus), rest in found.items()
        if (plus | minus).bit_count() <= _FEW_CELLS
        or _squared_deviation(longest, [], plus, minus, rest) >= _MIN_DEVIATION**2
    ]
    derived.sort(key=lambda one: (one[0] | one[1]).bit_count())
    return derived[:_MAX_SUMS] + [(cells, 0, total) for cells, total in joint]


def _squared_deviation(
    house: Equation, houses: Sequence[int], plus: int, minus: int, total: int
) -> float:
    """The squared deviation of a derived total from its mean, divided by the variance.

    Args:
        house: a house; each cell is as likely to have one of its consecutive numbers as another.
        houses: sets of cells with different numbers; other cells are independent.
        plus, minus, total: the derived sum.
    """
    size = house[0].bit_count()
    difference = total - (plus.bit_count() - minus.bit_count()) * house[1] / size
    variance = 0.0
    for cells in (plus, minus):
        while cells:
            part = max([whole & cells for whole in houses], key=int.bit_count, default=0)
            part = part or cells & -cells
            k = part.bit_count()
            variance += k * (size - k) * (size + 1) / 12
            cells &= ~part
    return difference * difference / variance if variance else 0.0


def _add_up_unlikely_sums(
    house: Equation, houses: Sequence[int], sums: Sequence[Equation]
) -> list[Equation]:
    """Add up sums without a common cell whose total is less likely than all of them together.

    The likelihood of a total falls with its squared deviation, as in a normal distribution; that of
    independent totals with the sum of these. The unlikeliest two sums are replaced by theirs, again
    and again.
    """

    def deviation(cells: int, total: int) -> float:
        return _squared_deviation(house, houses, cells, 0, total)

    rated = [(deviation(c, total), c, total) for c, total in sums if c.bit_count() >= _MIN_LONG]
    left = {c: (rating, total) for rating, c, total in nlargest(_MAX_ADDENDS, rated)}
    seen = {c: reduce(or_, (whole for whole in houses if whole & c), 0) for c in left}
    added: list[int] = []
    pairs: list[tuple[float, int, int]] = []
    fresh = [*combinations(left, 2)]
    while fresh or pairs:
        for a, b in fresh:
            # Without a common house they are independent: neither makes the other less likely.
            if not a & b and seen[a] & b:
                joint = deviation(a | b, left[a][1] + left[b][1])
                if joint > left[a][0] + left[b][0]:
                    pairs.append((joint, a, b))
        fresh = []
        if pairs:
            joint, a, b = max(pairs)
            total = left.pop(a)[1] + left.pop(b)[1]
            fresh = [(a | b, other) for other in left]
            left[a | b] = joint, total
            seen[a | b] = seen[a] | seen[b]
            added.append(a | b)
            pairs = [pair for pair in pairs if pair[1] in left and pair[2] in left]
    least = _MIN_JOINT_DEVIATION**2
    return [(c, left[c][1]) for c in added if c in left and left[c][0] >= least]


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


def _subtract_sums_mostly_inside(cells: int, total: int, sums: Sequence[_SizedSum]) -> Difference:
    """Subtract from the total of a set of cells known disjoint sums that lie mostly in the set."""
    inside = [
        (outside, -size, some, known)
        for size, some, known in sums
        if 2 * (outside := (some & ~cells).bit_count()) < size
    ]
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
