"""Propagators of linear constraints: relations, sums, counts of values, and derived sums."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

from bddsudoku.engine.search.cells import CellProblem, bit_numbers
from bddsudoku.engine.search.choices import Choice
from bddsudoku.engine.search.derived_sums import derive_sums
from bddsudoku.engine.search.sums import find_sum
from bddsudoku.model.constraints import Linear

_MIN_SUM_CELLS = 3
"""Fewest cells of a sum that is stated: of fewer ones an MDD makes a relation."""


def add_linear(p: CellProblem, linear: Linear) -> bool:
    """Add a linear constraint; False if it has to be added as an MDD."""
    by_cell = p.variables_by_cell(linear.variables)
    weight = dict(zip(linear.variables, linear.weights, strict=True))
    cells = sorted(by_cell)
    if len(cells) < _MIN_SUM_CELLS:
        return False
    values: list[dict[int, int]] = []
    for cell in cells:
        of = {weight[v]: k for k, v in by_cell[cell].items()}
        if len(of) < p.domain[cell].bit_count():
            return _add_count(p, linear, by_cell, weight)
        values.append(of)
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
    for i, j in combinations(range(len(cells)), 2):
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
    """Record an equation for deriving sums if its weights equal known ones up to a constant."""
    offsets = {w - p.number[k] for k, w in weight.items() if k in p.number} or {0}
    if len(offsets) == 1:
        offset = offsets.pop()
        p.number.update((k, w - offset) for k, w in weight.items())
        p.equations.append((sum(1 << c for c in cells), total - offset * len(cells)))


def add_derived_sums(p: CellProblem) -> None:
    """Add sums that follow from houses and known sums; call this last."""
    houses = []
    for whole, needed in p.houses:
        values = bit_numbers(needed)
        if whole.bit_count() == len(values) and all(k in p.number for k in values):
            houses.append((whole, sum(p.number[k] for k in values)))
    if not houses or not p.equations:
        return
    number = [
        [(p.number[k], k) for k in bit_numbers(domain) if k in p.number] for domain in p.domain
    ]
    for plus, minus, total in derive_sums(houses, p.equations):
        cells = bit_numbers(plus | minus)
        signs = [1 if plus >> c & 1 else -1 for c in cells]
        weights = [{s * w: k for w, k in number[c]} for s, c in zip(signs, cells, strict=True)]
        if any(len(w) < len(number[c]) for w, c in zip(weights, cells, strict=True)):
            continue  # two values of a cell have one number: neither may be lost
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
