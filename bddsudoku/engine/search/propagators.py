"""Translation of each constraint of a model to a propagator of the constraint search.

Constraints of two cells become relations; sums with cells of many values are propagated by cliques;
automata whose words are all orders of some sets by these sets; everything else but one-hot
constraints by MDDs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from itertools import combinations

import numpy as np

from bddsudoku.context import MemoryCheck
from bddsudoku.engine.search.automaton_symbols import (
    accepted_symbol_sets,
    completing_value_sets,
    symbol_numbers,
)
from bddsudoku.engine.search.cells_from_booleans import (
    MAX_VALUES,
    Cells,
    Members,
    bit_numbers,
)
from bddsudoku.engine.search.choices import Choice
from bddsudoku.engine.search.derived_sums import Equation, derive_sums
from bddsudoku.engine.search.mdds import CellMdd
from bddsudoku.engine.search.one_hot_propagators import OneHotPropagators
from bddsudoku.engine.search.relations import transpose_relation
from bddsudoku.engine.search.repetition import MAX_DIFFERENT_VALUES, without_repetitions
from bddsudoku.engine.search.sums import Sum, find_sum
from bddsudoku.model.constraints import TRUE, Automaton, Constraint, Formula, Linear
from bddsudoku.model.expression import (
    Expression,
    Operation,
    as_linear,
)
from bddsudoku.model.simplify import simplified_operation
from bddsudoku.model.to_mdd import ConstraintMdd, constraint_mdd

_MIN_COUNTED = 5
"""Fewest cells of a formula whose counted inequalities get cells of their own."""
_MAX_SCANNED = 500_000
"""Most transitions of an MDD that is scanned for implied one-hot constraints."""


class Propagators(OneHotPropagators):
    """The constraints of a problem, grouped by the kind of their propagators.

    Args:
        cells: the cells of the problem.
    """

    def __init__(self, cells: Cells) -> None:
        super().__init__(cells)
        self.check: MemoryCheck | None = None
        """Called now and then with the additional bytes; may raise."""
        self.sets: list[tuple[tuple[int, ...], tuple[int, ...]]] = []
        self.sums: list[Sum] = []
        self.mdds: list[CellMdd] = []
        self.number: dict[int, int] = {}
        """The number that sums add for a value, but for a constant."""
        self.equations: list[Equation] = []
        """Cells, as a bit set, of which the numbers have a known sum."""
        self.repeated: dict[Members, int] = {}
        """Cells added for variables of several cells that a constraint reads together."""
        self.truth: dict[Expression, int] = {}
        """For an inequality the number, like that of a variable, of its cell's value "true"."""

    def copy(self, check: MemoryCheck | None) -> Propagators:
        """An independent copy of one-hot constraints, for others to be added."""
        new = copy(self)
        vars(new).update((name, copy(value)) for name, value in vars(self).items())
        new.houses = [(whole, {**of}) for whole, of in self.houses]
        new.allowed = {pair: [*rows] for pair, rows in self.allowed.items()}
        new.check = check
        return new

    def _split_group(self, group: Members) -> Iterator[Members]:
        """Split the variables of an automaton's group into parts small enough for one cell each."""
        level = tuple([v for v in group if v >= 0])
        step = MAX_VALUES - (len(level) >= MAX_VALUES and not self._in_one_cell(level))
        for k in range(0, len(level), step):
            yield level[k : k + step]

    def _in_one_cell(self, variables: Members) -> bool:
        """Whether some variables stand for values of one cell."""
        return len({self.cells.place[v][0] for v in variables}) == 1

    def cell_of_level(self, level: Members) -> int:
        """Find the cell that contains all variables of an MDD level, or add a cell for them."""
        if self._in_one_cell(level):
            return self.cells.place[level[0]][0]
        if level not in self.repeated:
            new = self.repeated[level] = self._add_cell(len(level) + 1)
            for i, (c, k) in enumerate(self.cells_and_values(level)):
                allowed = self.relation_rows(c, new)
                for value in range(len(allowed)):
                    allowed[value] &= 1 << i if value == k else ~(1 << i)
        return self.repeated[level]

    def _add_cell(self, value_count: int) -> int:
        """Add a cell whose values, numbered from 0, stand for no variables; returns its number."""
        every = (1 << value_count) - 1
        self.domain.append(every)
        self.left.append(every)
        self.different.append(0)
        return self.cells.add_cell(value_count)

    def add(self, constraint: Constraint) -> None:
        """Add a constraint other than one-hot."""
        if isinstance(constraint, Linear) and self._add_linear(constraint):
            return
        if isinstance(constraint, Automaton):
            if constraint.commutative and self._add_set_constraint(constraint):
                return
            levels = [level for group in constraint.groups for level in self._split_group(group)]
            cells = [self.cell_of_level(level) for level in levels]
        elif isinstance(constraint, Formula) and self._add_counted_inequalities(constraint):
            return
        else:
            by_cell = self.cells.variables_by_cell(constraint.variables)
            cells = sorted(by_cell, key=lambda c: min(by_cell[c].values()))
            if isinstance(constraint, Linear):
                weight = dict(zip(constraint.variables, constraint.weights, strict=True))

                def weight_range(c: int) -> int:
                    found = [weight[v] for v in by_cell[c].values()]
                    found += [0] * (len(found) < self.domain[c].bit_count())
                    return max(found) - min(found)

                # The remaining weights are then small: few partial sums can still reach the total.
                cells.sort(key=weight_range, reverse=True)
            levels = [tuple(by_cell[c].values()) for c in cells]
        exact = {
            i for i, level in enumerate(levels) if len(level) == self.domain[cells[i]].bit_count()
        }
        made = constraint_mdd(constraint, levels, exact=exact, check=self.check)
        if made.mdd.is_empty:
            self.possible = False
        elif made.levels and not made.mdd.is_full:
            self._add_mdd([cells[place] for place in made.places], made)
            if isinstance(constraint, Automaton):
                self._add_implied_constraints(constraint, cells, made, exact)

    def _add_counted_inequalities(self, formula: Formula) -> bool:
        """Add a formula that counts how many linear inequalities hold; False for any other formula.

        Each inequality gets a cell of two values, its truth, for a sum to count.
        """
        count = formula.expression
        if not isinstance(count, Operation) or count.op not in ("==", "<", "<="):
            return False
        if len(self.cells.variables_by_cell(formula.variables)) < _MIN_COUNTED:
            return False
        difference = simplified_operation("-", *count.arguments)
        truths: dict[Expression, dict[int, int]] = {}
        new: dict[Operation, tuple[dict[int, int], int] | None] = {}
        seen: set[Expression] = set()
        found: list[Expression] = [difference]
        for node in found:
            if isinstance(node, Operation) and node.op in ("<", "<="):
                truths[node] = {0: 1}
                if node not in self.truth:
                    new[node] = as_linear(simplified_operation("-", *node.arguments))
            elif isinstance(node, Operation):
                found += [a for a in node.arguments if a not in seen]
                seen.update(node.arguments)
        if not truths or None in new.values() or not as_linear(difference, truths):
            return False
        for inequality, linear in new.items():
            if linear is not None:
                self.truth[inequality] = self._add_truth_cell(
                    formula, *linear, inequality.op == "<"
                )
        for node in truths:
            truths[node] = {self.truth[node]: 1}
        weights, constant = as_linear(difference, truths) or ({}, 0)
        false = {self.truth[node] - 1: 0 for node in truths}
        low = -constant if count.op == "==" else None
        self._bound_weighted_sum(formula, weights | false, low, -constant - (count.op == "<"))
        return True

    def _add_truth_cell(
        self, formula: Formula, weights: dict[int, int], constant: int, strict: bool
    ) -> int:
        """Add a cell that holds whether a sum is at most 0, or less than 0 if ``strict``.

        Returns:
            The number, like that of a variable, of the value true; false has the number before.
        """
        new = self._add_cell(2)
        true = max(self.cells.place) + 2
        self.cells.place.update({true - 1: (new, 0), true: (new, 1)})
        # No sum reaches beyond -most or most; where it is at most 0, `most` is added.
        most = sum(map(abs, weights.values())) + abs(constant) + 1
        low = 1 - strict - constant
        self._bound_weighted_sum(formula, weights | {true - 1: 0, true: most}, low, low + most - 1)
        return true

    def _bound_weighted_sum(
        self, formula: Formula, weight: Mapping[int, int], low: int | None, high: int
    ) -> None:
        """Add the constraint that a formula's weighted sum lies between two bounds."""
        variables = tuple(sorted(weight))
        weights = tuple(weight[v] for v in variables)
        self.add(Linear(formula.family, formula.label, variables, weights, low, high))

    def _add_mdd(self, cells: Sequence[int], compiled: ConstraintMdd) -> None:
        """Add an MDD over cells; for two cells add a relation, for one cell restrict its values."""
        columns = []
        for c, level in zip(cells, compiled.levels, strict=True):
            column = [0] * self.domain[c].bit_length()
            for k, v in enumerate(level, 1):
                place = self.cells.place[v]
                column[place[1] if place[0] == c else k - 1] = k
            columns.append(column)
        one = CellMdd(tuple(cells), compiled.mdd, columns)
        if len(cells) == 1:
            live = sum(1 << v for v in np.flatnonzero(one.tables[0][0] >= 0).tolist())
            self.left[cells[0]] &= live
            self.possible &= self.left[cells[0]] != 0
        elif len(cells) == 2 and cells[0] != cells[1]:
            first, second = one.tables
            leaves = [sum(1 << v for v in np.flatnonzero(r).tolist()) for r in second >= 0]
            rows = [leaves[s] if s >= 0 else 0 for s in first[0].tolist()]
            self.restrict_relation(cells[0], cells[1], rows)
        else:
            self.mdds.append(one)

    def exclude_repetitions(self) -> None:
        """Remove the words of MDDs in which cells that must differ are equal; call this last."""
        unlike = [*self.different]
        for (a, b), values in self.peers.items():
            if not self.domain[a] & self.domain[b] & ~values:
                unlike[a] |= 1 << b
                unlike[b] |= 1 << a
        differ: dict[tuple[int, ...], list[int]] = {}
        for i, one in enumerate(self.mdds):
            if self.check is not None:
                self.check(0)  # for the time: a long line's products take some 30 ms
            if one.cells not in differ:
                differ[one.cells] = self._levels_that_differ(one.cells, unlike)
            self.mdds[i] = without_repetitions(one, differ[one.cells])
            self.possible &= not self.mdds[i].mdd.is_empty

    def _levels_that_differ(self, cells: Sequence[int], unlike: Sequence[int]) -> list[int]:
        """For each level of an MDD, the bit set of those whose cells must differ from its cell.

        Args:
            cells: the cell of each level.
            unlike: for each cell the bit set of cells that never have the same value.
        """
        levels: dict[int, int] = {}
        for j, c in enumerate(cells):
            if not self.domain[c] >> MAX_DIFFERENT_VALUES:
                levels[c] = levels.get(c, 0) | 1 << j
        read = sum(1 << c for c in levels)
        differ: dict[int, int] = {}
        for c in levels:
            domain = self.domain[c]
            others = [o for o in bit_numbers(unlike[c] & read) if self.domain[o] & domain]
            differ[c] = sum(map(levels.__getitem__, others))
        return [differ.get(c, 0) for c in cells]

    def _add_implied_constraints(
        self, automaton: Automaton, cells: Sequence[int], compiled: ConstraintMdd, exact: set[int]
    ) -> None:
        """Add what an automaton says of the numbers of its symbols, and record their sum.

        A look-and-say cage with "one 5" has exactly one 5, a square with three kinds of digits at
        least one of each, a little killer a sum.

        Args:
            automaton: the constraint.
            cells: the cell of each level.
            compiled: its MDD, with the same levels.
            exact: numbers of the levels of which exactly one variable is true.
        """
        if sum(table.size for table in automaton.mdd.tables) > _MAX_SCANNED:
            return
        names, numbers, total = symbol_numbers(automaton.mdd)
        known = [group.index(TRUE) for group in automaton.groups if TRUE in group]
        symbol = {v: s for group in automaton.groups for s, v in enumerate(group) if v >= 0}
        for name, (least, most) in numbers.items():
            seen = sum(names[s] == name for s in known)
            if most - seen != 1 and least <= seen:
                continue
            members = tuple(v for v in automaton.variables if names[symbol[v]] == name)
            if most - seen > 1:
                self.add_at_least_one(members)
            elif len(members) > 1:
                self.add_at_most_one(members)
                if least > seen:
                    self.add_exactly_one(members)
        if total is not None and len({*cells}) == len(cells) == len(exact) == len(compiled.levels):
            values = [{symbol[v]: self.cells.place[v][1] for v in of} for of in compiled.levels]
            self._note_linear(cells, values, total - sum(known))

    def restrict_relation(self, a: int, b: int, rows: Sequence[int]) -> None:
        """Restrict a relation: ``rows`` has, for each value of cell a, the allowed values of b."""
        if a > b:
            rows = transpose_relation(tuple(rows), self.domain[b].bit_length())
            a, b = b, a
        allowed = self.relation_rows(a, b)
        for v in range(len(allowed)):
            allowed[v] &= rows[v]

    def _add_linear(self, linear: Linear) -> bool:
        """Add a linear constraint on several cells; False if it has to be added as an MDD."""
        by_cell = self.cells.variables_by_cell(linear.variables)
        weight = dict(zip(linear.variables, linear.weights, strict=True))
        cells = sorted(by_cell)
        if len(cells) < 2:
            return False
        if len(cells) == 2:
            weights = [{k: weight[v] for k, v in by_cell[c].items()} for c in cells]
            self._relate_by_sum(linear.low, linear.high, cells, weights)
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
            self._note_linear(cells, values, linear.low)
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
        cells_of: dict[tuple[int, bool], list[int]] = {}
        for c, of in by_cell.items():
            kinds = {weight[v] for v in of.values()} - {0}
            if len(kinds) > 1 or not kinds <= {unit, -unit}:
                return False
            values = sum(1 << k for k, v in of.items() if weight[v])
            cells_of.setdefault((values, -unit in kinds), []).append(c)
        statements = [
            ([(c, values) for c in part], negated)
            for (values, negated), cells in cells_of.items()
            for part in self._exclusive_parts(cells, values)
        ]
        # A negated statement adds a unit where it holds, and its cells add 0; else a unit less.
        base = -unit * sum(negated for _, negated in statements)
        least = 0 if linear.low is None else -((base - linear.low) // unit)
        most = len(statements) if linear.high is None else (linear.high - base) // unit
        self.possible &= least <= most and least <= len(statements) and most >= 0
        if self.possible:
            self.choices.append(Choice(statements, max(least, 0), min(most, len(statements))))
        return True

    def _exclusive_parts(self, cells: Iterable[int], values: int) -> list[list[int]]:
        """Partition cells into parts of which only one cell can have one of some values."""
        parts: list[list[int]] = []
        for c in cells:
            for part in parts:
                if values & (values - 1) == 0 and all(
                    self.excluded_values(min(c, other), max(c, other)) & values for other in part
                ):
                    part.append(c)
                    break
            else:
                parts.append([c])
        return parts

    def _relate_by_sum(
        self,
        low: int | None,
        high: int | None,
        cells: Sequence[int],
        weights: Sequence[Mapping[int, int]],  # of each cell, by value; 0 for the other values
    ) -> None:
        """Bound the weighted sum of two cells by a relation."""
        rows = [0] * self.domain[cells[0]].bit_length()
        others = [(1 << k, weights[1].get(k, 0)) for k in bit_numbers(self.domain[cells[1]])]
        for value in bit_numbers(self.domain[cells[0]]):
            own = weights[0].get(value, 0)
            least = None if low is None else low - own
            most = None if high is None else high - own
            rows[value] = sum(
                bit
                for bit, w in others
                if (least is None or least <= w) and (most is None or w <= most)
            )
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

    def _note_linear(
        self, cells: Sequence[int], values: Sequence[Mapping[int, int]], total: int
    ) -> None:
        """Record an equation for deriving sums if each value has the same weight in all cells."""
        weight = {k: w for of in values for w, k in of.items()}
        if all(weight[k] == w for of in values for w, k in of.items()):
            self._note_equation(cells, weight, total)

    def _note_equation(self, cells: Sequence[int], weight: Mapping[int, int], total: int) -> None:
        """Record an equation for deriving sums if its weights equal known ones up to a constant."""
        offsets = {w - self.number[k] for k, w in weight.items() if k in self.number} or {0}
        if len(offsets) == 1:
            offset = offsets.pop()
            self.number.update((k, w - offset) for k, w in weight.items())
            self.equations.append((sum(1 << c for c in cells), total - offset * len(cells)))

    def add_derived_sums(self) -> None:
        """Add sums of few cells that follow from houses and known sums; call this last."""
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
                self.left[cells[0]] &= 1 << weights[0][total] if total in weights[0] else 0
                self.possible &= self.left[cells[0]] != 0
            elif len(cells) == 2:
                by_value = [{k: w for w, k in of.items()} for of in weights]
                self._relate_by_sum(total, total, cells, by_value)
            else:
                self._add_sum(total, total, cells, weights)

    def _weights_always_differ(
        self, a: int, b: int, one: Mapping[int, int], other: Mapping[int, int]
    ) -> bool:
        """Whether two cells have weights in common, but never take the same weight."""
        apart = self.excluded_values(a, b)
        allowed = self.allowed.get((a, b))
        if not apart and allowed is None:
            return False
        common = one.keys() & other.keys()
        return bool(common) and all(
            (one[w] == other[w] and apart >> one[w] & 1)
            or (allowed is not None and not allowed[one[w]] >> other[w] & 1)
            for w in common
        )

    def _add_set_constraint(self, automaton: Automaton) -> bool:
        """Add an automaton as a set constraint; False if it cannot be expressed as one."""
        if accepted_symbol_sets(automaton.mdd) is None:
            return False
        cells: list[int] = []
        value_of: dict[int, int] = {}
        known = 0
        for group in automaton.groups:
            if TRUE in group:
                known |= 1 << group.index(TRUE)
                continue
            places = {s: self.cells.place[v] for s, v in enumerate(group) if v >= 0}
            owners = {cell for cell, _ in places.values()}
            if len(owners) != 1:
                return False
            cell = owners.pop()
            if len(places) != self.domain[cell].bit_count():
                return False
            cells.append(cell)
            for s, (_, value) in places.items():
                if value_of.setdefault(s, value) != value:
                    return False
        if len({*value_of.values()}) < len(value_of) or len({*cells}) < len(cells):
            return False
        if not cells:
            return False
        sets, total = completing_value_sets(automaton.mdd, known, tuple(sorted(value_of.items())))
        self.possible &= bool(sets)
        self.exclude_equal_values(sorted(cells), sum(1 << k for k in value_of.values()))
        if len(cells) == 1:
            self.left[cells[0]] &= sum(sets)
            self.possible &= self.left[cells[0]] != 0
        elif len(cells) == 2:
            rows = []
            for v in range(self.domain[cells[0]].bit_length()):
                bit = 1 << v
                rows.append(sum(s ^ bit for s in sets if s & bit))
            self.restrict_relation(cells[0], cells[1], rows)
        elif sets:
            self.sets.append((tuple(cells), sets))
        if total is not None:
            self._note_equation(cells, {k: s for s, k in value_of.items()}, total)
        return True
