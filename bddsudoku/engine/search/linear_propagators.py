"""Propagators of linear constraints: relations, sums, counts of values, and derived sums."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations

from bddsudoku.engine.search.cells_from_booleans import Cells, bit_numbers
from bddsudoku.engine.search.choices import Choice
from bddsudoku.engine.search.derived_sums import Equation, derive_sums
from bddsudoku.engine.search.one_hot_propagators import OneHotPropagators
from bddsudoku.engine.search.relations import transpose_relation
from bddsudoku.engine.search.sums import Sum, find_sum
from bddsudoku.model.constraints import Linear


class LinearPropagators(OneHotPropagators):
    """The one-hot and linear constraints of a problem.

    Args:
        cells: the cells of the problem.
    """

    def __init__(self, cells: Cells) -> None:
        super().__init__(cells)
        self.sums: list[Sum] = []
        self.number: dict[int, int] = {}
        """The number that sums add for a value, but for a constant."""
        self.equations: list[Equation] = []
        """Cells, as a bit set, of which the numbers have a known sum."""

    def restrict_relation(self, a: int, b: int, rows: Sequence[int]) -> None:
        """Restrict a relation: ``rows`` has, for each value of cell a, the allowed values of b."""
        if a > b:
            rows = transpose_relation(tuple(rows), self.domain[b].bit_length())
            a, b = b, a
        allowed = self.relation_rows(a, b)
        for v in range(len(allowed)):
            allowed[v] &= rows[v]

    def add_linear(self, linear: Linear) -> bool:
        """Add a linear constraint; False if it has to be added as an MDD."""
        by_cell = self.cells.variables_by_cell(linear.variables)
        weight = dict(zip(linear.variables, linear.weights, strict=True))
        cells = sorted(by_cell)
        if not cells:
            return False
        if len(cells) <= 2:
            weights = [{k: weight[v] for k, v in by_cell[c].items()} for c in cells]
            if len(cells) == 2:
                self._relate_by_sum(linear.low, linear.high, cells, weights)
            else:
                weighted = self._weigh_values(cells[0], weights[0])
                self.restrict_cell(cells[0], _union_between(weighted, linear.low, linear.high))
            return True
        values: list[dict[int, int]] = []
        for cell in cells:
            of = {weight[v]: k for k, v in by_cell[cell].items()}
            if len(of) < self.domain[cell].bit_count():
                return self._add_count(linear, by_cell, weight)
            values.append(of)
        if not self._add_sum(linear.low, linear.high, cells, values):
            return False
        if linear.low == linear.high and linear.low is not None:
            self.note_linear(cells, values, linear.low)
        return True

    def _add_count(
        self, linear: Linear, by_cell: Mapping[int, Mapping[int, int]], weight: Mapping[int, int]
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
            places.append((c, self.domain[c] & ~values if -unit in kinds else values))
        if not unit:
            return False
        least = 0 if linear.low is None else max(0, subtracted - (-linear.low // unit))
        most = len(places)
        if linear.high is not None:
            most = min(most, subtracted + linear.high // unit)
        self.possible &= least <= most
        if least <= most:
            self.choices.append(Choice(places, least, most))
        return True

    def _weigh_values(self, c: int, weight: Mapping[int, int]) -> list[tuple[int, int]]:
        """The bit and the weight of each value of a cell, 0 if none is given."""
        return [(1 << k, weight.get(k, 0)) for k in bit_numbers(self.domain[c])]

    def _relate_by_sum(
        self,
        low: int | None,
        high: int | None,
        cells: Sequence[int],
        weights: Sequence[Mapping[int, int]],  # of each cell, by value; 0 for the other values
    ) -> None:
        """Bound the weighted sum of two cells by a relation."""
        rows = [0] * self.domain[cells[0]].bit_length()
        others = self._weigh_values(cells[1], weights[1])
        for value in bit_numbers(self.domain[cells[0]]):
            own = weights[0].get(value, 0)
            least = None if low is None else low - own
            most = None if high is None else high - own
            rows[value] = _union_between(others, least, most)
        self.restrict_relation(cells[0], cells[1], rows)

    def _add_sum(
        self,
        low: int | None,
        high: int | None,
        cells: Sequence[int],
        values: Sequence[Mapping[int, int]],  # of each cell, by weight
    ) -> bool:
        """Bound a weighted sum of cells; False if its weights or its totals range too widely."""
        differ = [0] * len(cells)
        for i, j in combinations(range(len(cells)), 2):
            if self._weights_always_differ(cells[i], cells[j], values[i], values[j]):
                differ[i] |= 1 << j
                differ[j] |= 1 << i
        found = find_sum(low, high, cells, values, differ)
        if found is not None:
            self.sums.append(found)
        return found is not None

    def note_linear(
        self, cells: Sequence[int], values: Sequence[Mapping[int, int]], total: int
    ) -> None:
        """Record an equation for deriving sums if each value has the same weight in all cells."""
        weight = {k: w for of in values for w, k in of.items()}
        if all(weight[k] == w for of in values for w, k in of.items()):
            self.note_equation(cells, weight, total)

    def note_equation(self, cells: Sequence[int], weight: Mapping[int, int], total: int) -> None:
        """Record an equation for deriving sums if its weights equal known ones up to a constant."""
        offsets = {w - self.number[k] for k, w in weight.items() if k in self.number} or {0}
        if len(offsets) == 1:
            offset = offsets.pop()
            self.number.update((k, w - offset) for k, w in weight.items())
            self.equations.append((sum(1 << c for c in cells), total - offset * len(cells)))

    def add_derived_sums(self) -> None:
        """Add sums that follow from houses and known sums; call this last."""
        houses = []
        for whole, of in self.houses:
            values = [bit.bit_length() - 1 for bit in of]
            if whole.bit_count() == len(values) and all(k in self.number for k in values):
                houses.append((whole, sum(self.number[k] for k in values)))
        if not houses or not self.equations:
            return
        number = [
            [(self.number[k], k) for k in bit_numbers(domain) if k in self.number]
            for domain in self.domain
        ]
        for plus, minus, total in derive_sums(houses, self.equations):
            cells = bit_numbers(plus | minus)
            signs = [1 if plus >> c & 1 else -1 for c in cells]
            weights = [{s * w: k for w, k in number[c]} for s, c in zip(signs, cells, strict=True)]
            if any(len(w) < len(number[c]) for w, c in zip(weights, cells, strict=True)):
                continue  # two values of a cell have one number: neither may be lost
            if len(cells) == 1:
                self.restrict_cell(cells[0], 1 << weights[0][total] if total in weights[0] else 0)
            elif len(cells) == 2:
                by_value = [{k: w for w, k in of.items()} for of in weights]
                self._relate_by_sum(total, total, cells, by_value)
            else:
                self._add_sum(total, total, cells, weights)

    def _weights_always_differ(
        self, a: int, b: int, one: Mapping[int, int], other: Mapping[int, int]
    ) -> bool:
        """Whether two cells have weights in common, but never take the same weight."""
        if self.different[a] >> b & 1:
            if one == other:
                return True
        elif (a, b) not in self.peers and (a, b) not in self.allowed:
            return False
        apart = self.excluded_values(a, b)
        allowed = self.allowed.get((a, b))
        common = one.keys() & other.keys()
        return bool(common) and all(
            (one[w] == other[w] and apart >> one[w] & 1)
            or (allowed is not None and not allowed[one[w]] >> other[w] & 1)
            for w in common
        )


def _union_between(weighted: Iterable[tuple[int, int]], low: int | None, high: int | None) -> int:
    """The union of the bits whose weight lies between two bounds; None is no bound."""
    return sum(
        bit
        for bit, weight in weighted
        if (low is None or low <= weight) and (high is None or weight <= high)
    )
