"""How each constraint of a model becomes propagators of the constraint search.

* The one-hot constraints of a house, one for each value, are taken together. Other exactly-one
  constraints on the places of a value are a house for that value; what is left of one-hot
  constraints becomes relations of two cells, or a choice.
* Sums with cells of many values are propagated by cliques, counts of values as choices.
* Automata whose words are all orders of some sets are propagated by these sets.
* A disjunction has a *selector*, a cell whose values are the alternatives that may still hold. Each
  constraint of an alternative is an MDD that reads the selector first. The search never branches
  on it: where all other cells are fixed, what is left of it are the alternatives that hold.
* Everything else is an MDD; one of two cells is a relation.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache, reduce
from itertools import combinations
from operator import or_

import numpy as np

from bddsudoku.engine.search.cells import MAX_VALUES, CellProblem
from bddsudoku.engine.search.choices import Choice
from bddsudoku.engine.search.connected_propagators import add_region
from bddsudoku.engine.search.domain_reduction import bit_numbers
from bddsudoku.engine.search.linear_propagators import add_linear, note_equation
from bddsudoku.engine.search.mdds import CellMdd
from bddsudoku.engine.search.partitions import Partition
from bddsudoku.engine.search.sets import SetConstraint, completing_symbols
from bddsudoku.model.connectivity import Connected, DistinctInRegions
from bddsudoku.model.constraints import (
    Constraint,
    Disjunction,
    Linear,
    Members,
    OneHotSets,
)
from bddsudoku.model.mdd import Mdd, reduce_mdd
from bddsudoku.model.to_mdd import constraint_mdd
from bddsudoku.model.word_constraints import TRUE, Automaton

_MAX_RELATED = 4
"""Most cells of a set of exclusive variables that is written as relations of any two of them."""
_MIN_SET_CELLS = 3
"""Fewest cells of a set constraint: of fewer ones an MDD makes a relation, which is as strong."""


def add_one_hots(p: CellProblem, one_hots: OneHotSets) -> None:
    """Add the one-hot constraints of a model, but for those that make its cells."""
    cells = {tuple(sorted(v for v in of.values() if v is not None)) for of in p.variable}
    for house in one_hots.houses.values():
        parts = [part for part in house if part[0] not in cells]
        if len(parts) > 1 and _add_house(p, parts):
            continue
        for members, exactly in parts:
            if not (exactly and _add_house(p, [(members, True)])):
                _add_one_hot(p, p.cells_and_values(members), exactly=exactly)


def _add_house(p: CellProblem, parts: Sequence[tuple[Members, bool]]) -> bool:
    """Add the places of each value of a house; False if they are no such places.

    Args:
        p: the problem.
        parts: for each value its variables, and whether it must occur.
    """
    places: dict[int, int] = {}
    required = 0
    for members, exactly in parts:
        cells, values = zip(*p.cells_and_values(members), strict=True)
        bit, mine = 1 << values[0], sum(map((1).__lshift__, cells))
        is_one_place_a_cell = mine.bit_count() == len(cells)
        if values.count(values[0]) < len(values) or not is_one_place_a_cell or bit in places:
            return False
        places[bit] = mine
        required |= bit * exactly
    whole = reduce(or_, places.values(), 0)
    every = sum(places)
    if any(p.holding[bit] & whole != mine for bit, mine in places.items()):
        return False
    cells = bit_numbers(whole)
    if len(parts) == len(cells) and not any(p.domain[c] & ~every for c in cells):
        required = every  # as many values as cells: a Hall set
    if required:
        p.houses.append((whole, required))
    exclude_equal_values(p, cells, every)
    return True


def exclude_equal_values(p: CellProblem, cells: Sequence[int], values: int) -> None:
    """Exclude that two of some cells, in ascending order, have the same of some values."""
    if p.has_bit_sets and not any(p.domain[c] & ~values for c in cells):
        whole = sum(1 << c for c in cells)
        for c in cells:
            p.different[c] |= whole & ~(1 << c)
    else:
        for k in bit_numbers(values):
            _add_one_hot(p, [(c, k) for c in cells if p.domain[c] >> k & 1], exactly=False)


def _add_one_hot(p: CellProblem, places: Iterable[tuple[int, int]], *, exactly: bool) -> None:
    """Add the constraint that exactly one, or at most one, of some pairs (cell, value) holds.

    For two cells it is a relation. (An indexer says "this digit here or another one there".)
    """
    values: dict[int, int] = {}
    for c, k in places:
        values[c] = values.get(c, 0) | 1 << k
    if len(values) > (2 if exactly else _MAX_RELATED):
        p.choices.append(Choice([*values.items()], int(exactly), 1))
        return
    if len(values) == 1 and exactly:
        p.restrict_cell(*values.popitem())
    for (a, one), (b, other) in combinations(sorted(values.items()), 2):
        rows = p.relation_rows(a, b)
        for v in range(len(rows)):
            if one >> v & 1:
                rows[v] &= ~other
            elif exactly:
                rows[v] &= other


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
    if isinstance(constraint, Connected) and add_region(p, constraint):
        return
    if isinstance(constraint, DistinctInRegions):
        _add_partition(p, constraint)
        return
    if isinstance(constraint, Disjunction):
        _add_disjunction(p, constraint)
        return
    if isinstance(constraint, Automaton) and _add_set_constraint(p, constraint):
        return
    one = _compile_over_cells(p, constraint)
    if one.mdd.is_empty:
        p.possible = False
    elif one.cells and not one.mdd.is_full:
        _add_mdd(p, one)


def _add_partition(p: CellProblem, constraint: DistinctInRegions) -> None:
    """Add that values differ in regions that are to be found."""
    half = len(constraint.groups) // 2
    cells: list[list[int]] = []
    """Those of the regions, then those of the values."""
    masks: list[int] = []
    for groups in (constraint.groups[:half], constraint.groups[half:]):
        bits = {k: p.place[v][1] for group in groups for k, v in enumerate(group) if v >= 0}
        free = (k for k in range(MAX_VALUES) if k not in {*bits.values()})
        bits |= {k: next(free) for k in range(len(groups[0])) if k not in bits}
        masks.append(sum(1 << bit for bit in bits.values()))
        cells.append([])
        for group in groups:
            found = {p.place[v][0] for v in group if v >= 0}
            found = {p.fixed_cell(bits[group.index(TRUE)])} if TRUE in group else found
            p.possible &= bool(found)
            cells[-1].append(min(found, default=0))
    places = tuple(zip(*cells, strict=True))
    p.partitions.append(Partition(places, masks[0], masks[1] if constraint.is_complete else 0))


def _add_disjunction(
    p: CellProblem, disjunction: Disjunction, chosen: tuple[int, int] | None = None
) -> None:
    """Add a disjunction; with ``chosen``, a selector and its value, only where it has that value.

    Where it has another one, this disjunction's selector has one more value.
    """
    alternatives = disjunction.restrict({}).alternatives
    if () in alternatives:
        return
    most = max(2, max(map(int.bit_count, p.domain), default=0) - 1)
    while len(alternatives) > most:  # no cell has more values than before
        parts = (alternatives[i : i + most] for i in range(0, len(alternatives), most))
        alternatives = tuple((Disjunction("", disjunction.label, part),) for part in parts)
    count = len(alternatives) + (chosen is not None)
    if not count:
        p.possible = False
        return
    selector = p.add_cell(count)
    p.selectors.append(selector)
    if chosen is not None:
        rows = [p.domain[selector]] * p.domain[chosen[0]].bit_length()
        rows[chosen[1]] >>= 1
        p.restrict_relation(chosen[0], selector, rows)
    columns = tuple(range(1, count + 1))
    for value, constraints in enumerate(alternatives):
        for constraint in constraints:
            if isinstance(constraint, Disjunction):
                _add_disjunction(p, constraint, (selector, value))
                continue
            one = _compile_over_cells(p, constraint, is_alternative=True)
            if one.mdd.is_empty:
                p.restrict_cell(selector, ~(1 << value))
                continue
            mdd = _guarded_mdd(one.mdd, count, value)
            _add_mdd(p, CellMdd((selector, *one.cells), mdd, (columns, *one.columns)))


@lru_cache(maxsize=256)
def _guarded_mdd(mdd: Mdd, count: int, value: int) -> Mdd:
    """The MDD of the words behind one of some choices that another MDD accepts, and any others."""
    tables = [np.full((1, 1 + count), 1, dtype=np.int32)]
    tables[0][0, [0, 1 + value]] = -1, 0
    for table, states in zip(mdd.tables, mdd.widths[1:], strict=True):
        any_word = np.full((1, table.shape[1]), states, dtype=np.int32)
        tables.append(np.concatenate([table, any_word]))
    return reduce_mdd(tables)


def _compile_over_cells(
    p: CellProblem, constraint: Constraint, *, is_alternative: bool = False
) -> CellMdd:
    """A constraint as an MDD that reads cells; that of an alternative gets no cells of its own.

    An added cell says that at most one of its variables is true, which holds in one alternative.
    """
    groups = constraint.groups if isinstance(constraint, Automaton) else ()
    levels = [level for group in groups for level in _split_group(p, group)]
    if groups and not (is_alternative and any(not _in_one_cell(p, level) for level in levels)):
        cells = [cell_of_level(p, level) for level in levels]
    else:
        by_cell = p.variables_by_cell(constraint.variables)
        cells = sorted(by_cell, key=lambda c: min(by_cell[c].values()))
        levels = [tuple(by_cell[c].values()) for c in cells]
    exact = {i for i, level in enumerate(levels) if len(level) == p.domain[cells[i]].bit_count()}
    made = constraint_mdd(constraint, levels, exact=exact, check=p.check)
    read = [cells[place] for place in made.places]
    columns = []
    for c, level in zip(read, made.levels, strict=True):
        column = [0] * p.domain[c].bit_length()
        for i, (cell, value) in enumerate(p.cells_and_values(level)):
            column[value if cell == c else i] = i + 1
        columns.append(tuple(column))
    return CellMdd(tuple(read), made.mdd, tuple(columns))


def _add_mdd(p: CellProblem, one: CellMdd) -> None:
    """Add an MDD; for two cells add a relation, for one cell restrict its values."""
    cells = one.cells
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
    if not automaton.commutative:
        return False
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
        p.sets.append(SetConstraint(tuple(cells), sets))
    return True
