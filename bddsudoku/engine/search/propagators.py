"""Translation of each constraint of a model to a propagator of the constraint search.

Constraints of two cells become relations; sums with cells of many values are propagated by cliques;
automata whose words are all orders of some sets by these sets; everything else but one-hot
constraints by MDDs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from bddsudoku.engine.search.cells import MAX_VALUES, CellProblem
from bddsudoku.engine.search.linear_propagators import add_linear, note_equation
from bddsudoku.engine.search.mdds import CellMdd
from bddsudoku.engine.search.one_hot_propagators import exclude_equal_values
from bddsudoku.engine.search.sets import completing_symbols
from bddsudoku.model.constraints import Constraint, Linear, Members
from bddsudoku.model.to_mdd import ConstraintMdd, constraint_mdd
from bddsudoku.model.word_constraints import Automaton

_MIN_SET_CELLS = 3
"""Fewest cells of a set constraint: of fewer ones an MDD makes a relation, which is as strong."""


def _split_group(p: CellProblem, group: Members) -> Iterator[Members]:
    """Split the variables of an automaton's group into parts small enough for one cell each."""
    level = tuple([v for v in group if v >= 0])
    step = MAX_VALUES - (len(level) >= MAX_VALUES and not _in_one_cell(p, level))
    for k in range(0, len(level), step):
        yield level[k : k + step]


def _in_one_cell(p: CellProblem, variables: Members) -> bool:
    """Whether some variables stand for values of one cell."""
    return len({p.place[v][0] for v in variables}) == 1


def cell_of_level(p: CellProblem, level: Members) -> int:
    """Find the cell that contains all variables of an MDD level, or add a cell for them."""
    if _in_one_cell(p, level):
        return p.place[level[0]][0]
    if level not in p.repeated:
        new = p.repeated[level] = p.add_cell(len(level) + 1)
        for i, (c, k) in enumerate(p.cells_and_values(level)):
            allowed = p.relation_rows(c, new)
            for value in range(len(allowed)):
                allowed[value] &= 1 << i if value == k else ~(1 << i)
    return p.repeated[level]


def add_constraint(p: CellProblem, constraint: Constraint) -> None:
    """Add a constraint other than one-hot."""
    if isinstance(constraint, Linear) and add_linear(p, constraint):
        return
    if isinstance(constraint, Automaton):
        if constraint.commutative and _add_set_constraint(p, constraint):
            return
        levels = [level for group in constraint.groups for level in _split_group(p, group)]
        cells = [cell_of_level(p, level) for level in levels]
    else:
        by_cell = p.variables_by_cell(constraint.variables)
        cells = sorted(by_cell, key=lambda c: min(by_cell[c].values()))
        levels = [tuple(by_cell[c].values()) for c in cells]
    exact = {i for i, level in enumerate(levels) if len(level) == p.domain[cells[i]].bit_count()}
    made = constraint_mdd(constraint, levels, exact=exact, check=p.check)
    if made.mdd.is_empty:
        p.possible = False
    elif made.levels and not made.mdd.is_full:
        _add_mdd(p, [cells[place] for place in made.places], made)


def _add_mdd(p: CellProblem, cells: Sequence[int], compiled: ConstraintMdd) -> None:
    """Add an MDD over cells; for two cells add a relation, for one cell restrict its values."""
    columns = []
    for c, level in zip(cells, compiled.levels, strict=True):
        column = [0] * p.domain[c].bit_length()
        for i, (cell, value) in enumerate(p.cells_and_values(level)):
            column[value if cell == c else i] = i + 1
        columns.append(tuple(column))
    one = CellMdd(tuple(cells), compiled.mdd, tuple(columns))
    if len(cells) == 1:
        live = np.flatnonzero(one.tables[0][0] >= 0).tolist()
        p.restrict_cell(cells[0], sum(1 << v for v in live))
    elif len(cells) == 2 and cells[0] != cells[1]:
        first, second = one.tables
        leaves = [sum(1 << v for v in np.flatnonzero(r).tolist()) for r in second >= 0]
        rows = [leaves[s] if s >= 0 else 0 for s in first[0].tolist()]
        p.restrict_relation(cells[0], cells[1], rows)
    else:
        p.mdds.append(one)


def _add_set_constraint(p: CellProblem, automaton: Automaton) -> bool:
    """Add an automaton as a set constraint; False if it cannot be expressed as one."""
    known: list[int] = []
    cells: list[int] = []
    value_of: dict[int, int] = {}
    for group, symbols in zip(automaton.groups, automaton.possible_symbols, strict=True):
        if isinstance(symbols, int):
            known.append(symbols)
            continue
        owners, values = zip(*p.cells_and_values([v for v in group if v >= 0]), strict=True)
        if len({*owners}) > 1 or len(values) < p.domain[owners[0]].bit_count():
            return False
        cells.append(owners[0])
        if any(value_of.setdefault(s, k) != k for s, k in zip(symbols[1:], values, strict=True)):
            return False
    if not cells or -1 in known:
        return False
    if len({*value_of.values()}) < len(value_of) or len({*cells}) < len(cells):
        return False
    found = completing_symbols(automaton.mdd, tuple(sorted(known)), tuple(sorted(value_of)))
    if found is None:
        return False
    exclude_equal_values(p, sorted(cells), sum(1 << k for k in value_of.values()))
    totals = {*map(sum, found)}
    if len(totals) == 1:
        note_equation(p, cells, {k: s for s, k in value_of.items()}, *totals)
    if len(cells) < _MIN_SET_CELLS:
        return False
    p.possible &= bool(found)
    if found:
        sets = tuple([sum(1 << value_of[s] for s in symbols) for symbols in found])
        p.sets.append((tuple(cells), sets))
    return True
