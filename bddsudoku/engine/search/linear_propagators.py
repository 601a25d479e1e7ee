"""Propagators of linear constraints: sums, counts of values, and sums derived from these.

The digits of a house add up to a known number; so do those of houses without a common cell. What
the sums of cages that lie within them, or nearly so, leave of it is the sum of a few cells (innies
and outies).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import reduce
from itertools import combinations
from operator import or_

from bddsudoku.engine.search.cells import CellProblem, Equation
from bddsudoku.engine.search.choices import Choice
from bddsudoku.engine.search.domain_reduction import bit_numbers
from bddsudoku.engine.search.sums import find_sum
from bddsudoku.model.constraints import Linear

_MIN_SUM_CELLS = 3
"""Fewest cells of a sum that is stated: of fewer ones an MDD makes a relation."""
_MAX_CELLS = 6
"""Most cells of a derived sum."""
_MAX_SUMS = 40
"""Most derived sums, of which those with the fewest cells are best."""
Difference = tuple[int, int, int]
"""Bit sets of two sets of cells, and the sum of the first minus that of the second."""


def add_linear(p: CellProblem, linear: Linear) -> bool:
    """Add a linear constraint; False if it has to be added as an MDD."""
    by_cell = p.variables_by_cell(linear.variables)
    weight = dict(zip(linear.variables, linear.weights, strict=True))
    cells = sorted(by_cell)
    if len(cells) < _MIN_SUM_CELLS:
        return False
    values = [{weight[v]: k for k, v in by_cell[c].items()} for c in cells]
    if any(len(of) < p.domain[c].bit_count() for c, of in zip(cells, values, strict=True)):
        if _add_count(p, linear, by_cell, weight):
            return True
        for c, of in zip(cells, values, strict=True):
            weightless = [k for k in bit_numbers(p.domain[c]) if k not in by_cell[c]]
            if weightless:
                of.setdefault(0, weightless[0])
            if len(of) < p.domain[c].bit_count():
                return False
    if not _add_sum(p, linear.low, linear.high, cells, values):
        return False
    if linear.low == linear.high and linear.low is not None:
        note_linear(p, cells, values, linear.low)
    return True


def _add_count(
    p: CellProblem,
    linear: Linear,
    by_cell: Mapping[int, Mapping[int, int]],
    weight: Mapping[int, int],
) -> bool:
    """Add a linear constraint that counts cells with certain values; False for any other.

    Args:
        linear: the constraint.
        by_cell: its variables, by cell and value.
        weight: the weight of each variable.
    """
    unit = max(map(abs, weight.values()))
    places: list[tuple[int, int]] = []
    subtracted = 0
    for c, of in by_cell.items():
        kinds = {weight[v] for v in of.values()} - {0}
        if len(kinds) > 1 or not kinds <= {unit, -unit}:
            return False
        values = sum(1 << k for k, v in of.items() if weight[v])
        # A cell that is subtracted counts -1, and 1 more where it has another value.
        subtracted += -unit in kinds
        places.append((c, p.domain[c] & ~values if -unit in kinds else values))
    if not unit:
        return False
    least = 0 if linear.low is None else max(0, subtracted - (-linear.low // unit))
    most = len(places)
    if linear.high is not None:
        most = min(most, subtracted + linear.high // unit)
    p.possible &= least <= most
    if least <= most:
        p.choices.append(Choice(places, least, most))
    return True


def _add_sum(
    p: CellProblem,
    low: int | None,
    high: int | None,
    cells: Sequence[int],
    values: Sequence[Mapping[int, int]],  # of each cell, by weight
) -> bool:
    """Bound a weighted sum of cells; False if its weights or its totals range too widely."""
    differ = [0] * len(cells)
    related = {c for pair in p.allowed for c in pair}
    some = [i for i, c in enumerate(cells) if p.different[c] or c in related]
    for i, j in combinations(some, 2):
        if _weights_always_differ(p, cells[i], cells[j], values[i], values[j]):
            differ[i] |= 1 << j
            differ[j] |= 1 << i
    found = find_sum(low, high, cells, values, differ)
    if found is not None:
        p.sums.append(found)
    return found is not None


def note_linear(
    p: CellProblem, cells: Sequence[int], values: Sequence[Mapping[int, int]], total: int
) -> None:
    """Record an equation for deriving sums if each value has the same weight in all cells."""
    weight = {k: w for of in values for w, k in of.items()}
    if all(weight[k] == w for of in values for w, k in of.items()):
        note_equation(p, cells, weight, total)


def note_equation(
    p: CellProblem, cells: Sequence[int], weight: Mapping[int, int], total: int
) -> None:
    """Record an equation for deriving sums if each weight is the value's number plus a constant."""
    offsets = {w - p.number[k] for k, w in weight.items() if k < len(p.number)}
    if len(offsets) == 1 and max(weight) < len(p.number):
        total -= offsets.pop() * len(cells)
        p.equations.append((sum(1 << c for c in cells), total))


def add_derived_sums(p: CellProblem) -> None:
    """Add sums that follow from houses and known sums; call this last."""
    houses = []
    for whole, needed in p.houses:
        values = bit_numbers(needed)
        if whole.bit_count() == len(values) and max(values) < len(p.number):
            houses.append((whole, sum(p.number[k] for k in values)))
    if not houses or not p.equations:
        return
    for plus, minus, total in derive_sums(houses, p.equations):
        cells = bit_numbers(plus | minus)
        weights = []
        for c in cells:
            sign, values = 1 if plus >> c & 1 else -1, bit_numbers(p.domain[c])
            weights.append({sign * p.number[k]: k for k in values if k < len(p.number)})
        if len(cells) == 1:
            p.restrict_cell(cells[0], 1 << weights[0][total] if total in weights[0] else 0)
        else:
            _add_sum(p, total, total, cells, weights)


def _weights_always_differ(
    p: CellProblem, a: int, b: int, one: Mapping[int, int], other: Mapping[int, int]
) -> bool:
    """Whether two cells have weights in common, but never take the same weight."""
    is_different = p.different[a] >> b & 1
    allowed = p.allowed.get((a, b))
    common = one.keys() & other.keys()
    return bool(common) and all(
        (is_different and one[w] == other[w])
        or (allowed is not None and not allowed[one[w]] >> other[w] & 1)
        for w in common
    )


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
