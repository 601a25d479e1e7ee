"""Compilation of a constraint to an MDD over the levels of a variable order.

A level of an order is a variable, or a group of variables of which at most one is true. The MDD of
a constraint has a level for each of these that contains variables of the constraint; the choice at
a level is the number, from 1, of the constraint's variable that is true, or 0 for none. MDDs are
canonical: two constraints that are equivalent over the same levels have equal MDDs.

**Automata.** The levels of the order are taken one after the other out of the automaton's groups:
variables of a group that stand elsewhere are split off, adjacent levels change places, levels that
are one in the order are merged. An order other than the automaton's own may have many states: a
line of nine cells read from its other end needs some times the automaton's states, in a random
order thousands of times.

**Sums.** The state is the partial sum, or one state for all sums from which the remaining levels
cannot leave the bounds.

**Connected regions.** The state is the parts connected so far (:mod:`.connectivity`).

**Formulas.** The state is what the choices leave of the expression, simplified: of a long sum or
product the part known so far beside the rest.

**Disjunctions.** The state is those of all constraints of the alternatives that may still hold.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from itertools import compress
from math import gcd
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from bddsudoku.context import MemoryCheck
from bddsudoku.errors import ModelError
from bddsudoku.model.connectivity import Connected, connected_mdd
from bddsudoku.model.constraints import (
    Assignment,
    Constraint,
    Disjunction,
    Formula,
    Linear,
    OneHot,
)
from bddsudoku.model.expression import Constant, Expression
from bddsudoku.model.mdd import (
    Mdd,
    Table,
    WidthLimit,
    empty_mdd,
    mdd_from_level_steps,
    reduce_mdd,
    remembered,
)
from bddsudoku.model.simplify import substitute_all
from bddsudoku.model.word_constraints import TRUE, Automaton

if TYPE_CHECKING:
    from bddsudoku.jit.decorators import I32, I64

MAX_WIDTH = 1 << 20
"""Default for the greatest number of states of one layer while an MDD is built."""
MAX_DISJUNCTION = 3_000
"""Greatest number of states of one layer of a disjunction's MDD."""


@dataclass(frozen=True)
class ConstraintMdd:
    """The MDD of a constraint, with the variables that its levels read.

    Attributes:
        levels: positions of the variables that each level reads, in the order of its choices from
            1 on.
        places: ascending; the number of each level in the order that the MDD was made for.
        mdd: the transition tables (canonical, so that ``==`` compares constraints).
    """

    levels: tuple[tuple[int, ...], ...]
    places: tuple[int, ...]
    mdd: Mdd

    @property
    def size(self) -> int:
        """Number of states of all layers but the last."""
        return self.mdd.size

    @property
    def width(self) -> int:
        """Number of states of the widest layer."""
        return self.mdd.width

    def accepts(self, assignment: Assignment) -> bool:
        """Whether an assignment is accepted, with at most one variable of each level true."""
        word = []
        for level in self.levels:
            true = [k for k, v in enumerate(level, 1) if assignment[v]]
            if len(true) > 1:
                return False
            word.append(true[0] if true else 0)
        return self.mdd.accepts(word)

    def bdd(self) -> tuple[I32, I32, I32, int]:
        """The reduced ordered BDD that equals this MDD, whose levels must be single variables.

        Returns:
            ``variable``, ``low``, ``high`` of every node, children first, and the number of the
            root: 0 is false, 1 is true, ``i + 2`` is node ``i``.

        Raises:
            ModelError: a level reads more than one variable.
        """
        if any(len(level) != 1 for level in self.levels):
            raise ModelError("a BDD reads one variable at a time; this MDD reads groups")
        found: list[I32] = []
        below = np.array([1, 0], dtype=np.int32)  # the last entry is for -1
        made = 2
        for (variable,), table in zip(self.levels[::-1], self.mdd.tables[::-1], strict=True):
            rows = below[table]
            real = rows[:, 0] != rows[:, 1]
            numbers = np.zeros(len(rows) + 1, dtype=np.int32)
            numbers[:-1] = np.where(real, made - 1 + np.cumsum(real), rows[:, 0])
            nodes = np.full((int(real.sum()), 3), variable, dtype=np.int32)
            nodes[:, 1:] = rows[real]
            found.append(nodes)
            made += len(nodes)
            below = numbers
        root = 0 if self.mdd.is_empty else int(below[0])
        variable, low, high = np.concatenate([np.zeros((0, 3), np.int32), *found]).T
        return variable.copy(), low.copy(), high.copy(), root


def constraint_mdd(
    constraint: Constraint,
    levels: Sequence[Sequence[int]] | None = None,
    *,
    exact: Collection[int] = (),
    width: int = MAX_WIDTH,
    check: MemoryCheck | None = None,
) -> ConstraintMdd:
    """Compile a constraint to an MDD for a given order of levels.

    Args:
        constraint: of any kind.
        levels: the order: lists of positions, one for each level. The MDD is valid for assignments
            with at most one true variable in each level. By default every variable is a level,
            ascending; for an automaton every group, in its own order.
        exact: numbers of the levels with exactly one true variable in every assignment of
            interest. They make the MDD smaller; it is then not valid for other assignments.
        width: greatest number of states of a layer before equal ones are merged.
        check: called once per layer with the bytes that it takes; may raise.

    Raises:
        ModelError: a variable of the constraint is in no level, or in two.
        LimitReached: a layer is too wide; the message names the constraint.

    Cost: an automaton in another order than its own can be expensive, see
    :mod:`bddsudoku.model.to_mdd`; for other constraints about the size of the result.
    """
    if levels is None:
        if isinstance(constraint, Automaton):
            levels = [[v for v in g if v >= 0] for g in constraint.groups]
        else:
            levels = [[v] for v in constraint.variables]
    mine = set(constraint.variables)
    places: list[int] = []
    own: list[tuple[int, ...]] = []
    always: list[bool] = []
    for place, level in enumerate(levels):
        held = tuple(level if mine.issuperset(level) else [v for v in level if v in mine])
        if held:
            places.append(place)
            own.append(held)
            always.append(place in exact and len(held) == len(level))
    held_in_all = [v for level in own for v in level]
    if len(held_in_all) != len(mine) or set(held_in_all) != mine:
        raise ModelError(
            f"{constraint.family} {constraint.label}: not every variable is in just one level"
        )
    width_limit = WidthLimit(width, f"{constraint.family} {constraint.label}", check)
    mdd = _build_mdd(constraint, own, always, width_limit)
    return ConstraintMdd(tuple(own), tuple(places), mdd)


def _build_mdd(
    constraint: Constraint,
    levels: Sequence[tuple[int, ...]],
    exact: Sequence[bool],
    width_limit: WidthLimit,
) -> Mdd:
    """The MDD of a constraint of any kind; ``levels`` hold only variables of the constraint."""
    if isinstance(constraint, Automaton):
        return automaton_mdd(constraint, levels, exact, width_limit)
    if isinstance(constraint, Connected):
        return connected_mdd(constraint, levels, exact, width_limit)
    if isinstance(constraint, Formula):
        return _formula_mdd(constraint, levels, exact, width_limit)
    if isinstance(constraint, OneHot):
        weight = dict.fromkeys(constraint.variables, 1)
        low = None if constraint.at_most else constraint.total
        return _linear_mdd(weight, low, constraint.total, levels, exact, width_limit)
    if isinstance(constraint, Linear):
        weight = dict(zip(constraint.variables, constraint.weights, strict=True))
        return _linear_mdd(weight, constraint.low, constraint.high, levels, exact, width_limit)
    if isinstance(constraint, Disjunction):
        width_limit = replace(width_limit, states=min(width_limit.states, MAX_DISJUNCTION))
        return disjunction_mdd(constraint, levels, exact, width_limit)
    raise ModelError(f"{constraint.family} {constraint.label}: no known kind of constraint")


def _linear_mdd(
    weight: dict[int, int],
    low: int | None,
    high: int | None,
    levels: Sequence[tuple[int, ...]],
    exact: Sequence[bool],
    width_limit: WidthLimit,
) -> Mdd:
    rows = [
        [*([] if always else [0]), *(weight[v] for v in level)]
        for level, always in zip(levels, exact, strict=True)
    ]
    mdd = weighted_sum_mdd(rows, low, high, width_limit)
    if mdd.is_empty:
        return empty_mdd(1 + len(level) for level in levels)
    if not any(exact):
        return mdd
    dead = [np.full((len(t), int(e)), -1, np.int32) for t, e in zip(mdd.tables, exact, strict=True)]
    tables = [np.concatenate(pair, axis=1) for pair in zip(dead, mdd.tables, strict=True)]
    return reduce_mdd(tables)


def _formula_mdd(
    formula: Formula,
    levels: Sequence[tuple[int, ...]],
    exact: Sequence[bool],
    width_limit: WidthLimit,
) -> Mdd:
    """The MDD of the assignments under which an expression has a value other than 0."""
    choices = [1 + len(level) for level in levels]
    if formula.verdict is False:
        return empty_mdd(choices)
    # What each choice makes of the subexpressions that the states of a level share.
    made: defaultdict[tuple[int, int], dict[Expression, Expression]] = defaultdict(dict)

    def step(level: int, state: Expression, choice: int) -> Expression | None:
        if exact[level] and not choice:
            return None
        known = {v: k == choice for k, v in enumerate(levels[level], 1)}
        (after,) = substitute_all([state], known, made[level, choice])
        if not after.low and not after.high:
            return None
        if not after.defined:
            return None if level == len(levels) - 1 else after
        # All values but 0 are equivalent.
        return Constant(1) if after.low > 0 or after.high < 0 else after

    return mdd_from_level_steps(choices, formula.expression, step, width_limit)


_Progress: TypeAlias = "tuple[tuple[int, ...] | None, ...]"
"""For each alternative the states of its constraints' MDDs; None if it is violated."""
_SATISFIED: _Progress = ()
"""The state in which one of the alternatives holds, whatever follows."""


def disjunction_mdd(
    disjunction: Disjunction,
    levels: Sequence[Sequence[int]],
    exact: Sequence[bool],
    width_limit: WidthLimit,
) -> Mdd:
    """The MDD of a disjunction for levels that have every variable of it once, perhaps others.

    A state has a state of each constraint of each alternative, and ends early when an alternative
    is violated or satisfied. Arguments and errors are those of :func:`automaton_mdd`.
    """
    choices = [1 + len(level) for level in levels]
    places = [i for i, always in enumerate(exact) if always]
    start: list[tuple[int, ...] | None] = []
    read: list[tuple[int, list[dict[int, list[list[int]]]]]] = []
    for constraints in disjunction.restrict({}).alternatives:
        compiled = [
            constraint_mdd(
                c, levels, exact=places, width=width_limit.states, check=width_limit.check
            )
            for c in constraints
        ]
        start.append(None if any(c.mdd.is_empty for c in compiled) else (0,) * len(compiled))
        last = max((c.places[-1] for c in compiled), default=-1)
        read.append((last, [_rows_by_level(c, levels) for c in compiled]))
    if not any(each is not None for each in start):
        return empty_mdd(choices)

    def step(level: int, state: _Progress, choice: int) -> _Progress | None:
        if state == _SATISFIED or (exact[level] and not choice):
            return state if choice or not exact[level] else None
        after: list[tuple[int, ...] | None] = []
        for (last, constraints), states in zip(read, state, strict=True):
            moved = tuple(
                rows[level][s][choice] if level in rows else s
                for rows, s in zip(constraints, states or (), strict=False)
            )
            if moved and min(moved) >= 0 and level >= last:
                return _SATISFIED
            after.append(moved if moved and min(moved) >= 0 else None)
        return tuple(after) if any(after) else None

    begin = _SATISFIED if () in start else tuple(start)
    return mdd_from_level_steps(choices, begin, step, width_limit)


def _rows_by_level(
    compiled: ConstraintMdd, levels: Sequence[Sequence[int]]
) -> dict[int, list[list[int]]]:
    """The tables of a constraint's MDD by level, with a column for each choice of the level."""
    found = {}
    for place, held, table in zip(
        compiled.places, compiled.levels, compiled.mdd.tables, strict=True
    ):
        choices = [0, *(held.index(v) + 1 if v in held else 0 for v in levels[place])]
        found[place] = table[:, choices].tolist()
    return found


def automaton_mdd(
    automaton: Automaton,
    levels: Sequence[Sequence[int]],
    exact: Sequence[bool],
    width_limit: WidthLimit,
) -> Mdd:
    """The MDD of an automaton constraint for levels that may split or reorder its symbols.

    Args:
        automaton: any automaton.
        levels: every variable of the automaton once; choice ``k`` of a level is its ``k``-th
            variable, 0 is none of them.
        exact: for every level, whether choice 0 is impossible.
        width_limit: limits every layer.

    Raises:
        LimitReached: a layer is wider than ``width_limit`` allows.
    """
    mdd = automaton.restricted_mdd
    if mdd is None or mdd.is_empty:
        return empty_mdd(1 + len(level) for level in levels)
    # Variables beside a true one are in no group; they are false.
    held = [tuple([v for v in g if v >= 0]) for g in automaton.groups if TRUE not in g]
    held = [group for group in held if group]
    if held == [*levels]:
        return _forbid_choice_zero(mdd, tuple(exact))
    tables = [*mdd.tables]
    for at, level in enumerate(levels):
        place = front = at
        while place < len(held):
            mine = tuple([v for v in held[place] if v in level])
            if not mine:
                place += 1
                continue
            rest = tuple([v for v in held[place] if v not in level])
            if rest:
                choices = ([held[place].index(v) + 1 for v in part] for part in (mine, rest))
                tables[place : place + 1] = _split_level(tables[place], *choices)
                held[place : place + 1] = mine, rest
            for i in range(place, front, -1):
                tables[i - 1 : i + 1] = _swap_levels(*tables[i - 1 : i + 1])
                held[i - 1 : i + 1] = held[i], held[i - 1]
                width_limit.check_layer(len(tables[i]), i, tables[i].size)
            if front == at:
                front, place = at + 1, place + 1
                continue
            tables[at : at + 2] = [_merge_levels(*tables[at : at + 2])]
            held[at : at + 2] = [held[at] + held[front]]
            tables = [*reduce_mdd(tables).tables]
            if not len(tables[0]):
                return empty_mdd(1 + len(level) for level in levels)
        if front == at:
            states = len(tables[at]) if at < len(tables) else 1
            tables.insert(at, np.arange(states, dtype=np.int32)[:, None])
            held.insert(at, ())
        whole = np.full((len(tables[at]), 1 + len(level)), -1, dtype=np.int32)
        whole[:, 0] = -1 if exact[at] else tables[at][:, 0]
        known = [k for k, v in enumerate(level, 1) if v in held[at]]
        whole[:, known] = tables[at][:, [held[at].index(level[k - 1]) + 1 for k in known]]
        tables[at] = whole
        held[at] = tuple(level)
    return reduce_mdd(tables)


def _split_level(table: Table, mine: list[int], rest: list[int]) -> tuple[Table, Table]:
    """Split a level into two: some of its choices, and the rest where none of them is taken."""
    states, following = len(table), int(table.max(initial=-1)) + 1
    first = np.full((states, 1 + len(mine)), -1, dtype=np.int32)
    first[:, 0] = np.arange(states)
    first[:, 1:] = np.where(table[:, mine] >= 0, table[:, mine] + states, -1)
    second = np.full((states + following, 1 + len(rest)), -1, dtype=np.int32)
    second[:states] = table[:, [0, *rest]]
    second[states:, 0] = np.arange(following)
    return first, second


def _swap_levels(upper: Table, lower: Table) -> tuple[Table, Table]:
    both = np.where(upper[:, :, None] >= 0, lower[upper], -1).transpose(0, 2, 1)
    rows, number = np.unique(both.reshape(-1, both.shape[2]), axis=0, return_inverse=True)
    alive = (rows >= 0).any(axis=1)
    names = np.where(alive, np.cumsum(alive) - 1, -1).astype(np.int32)
    return names[number].reshape(both.shape[:2]), rows[alive]


def _merge_levels(upper: Table, lower: Table) -> Table:
    """Make one level of two adjacent ones, of which one at most has a choice other than 0."""
    none = np.where(upper >= 0, lower[upper, 0], -1)
    others = np.where(upper[:, :1] >= 0, lower[upper[:, 0], 1:], -1)
    return np.concatenate([none, others], axis=1)


@remembered
def _forbid_choice_zero(mdd: Mdd, exact: tuple[bool, ...]) -> Mdd:
    """Forbid choice 0 (no variable is true) at the levels that ``exact`` marks."""
    if all((table[:, 0] < 0).all() for table in compress(mdd.tables, exact)):
        return mdd
    tables = [table.copy() for table in mdd.tables]
    for table in compress(tables, exact):
        table[:, 0] = -1
    return reduce_mdd(tables)


def weighted_sum_mdd(
    weights: Sequence[Sequence[int]],
    low: int | None,
    high: int | None,
    width_limit: WidthLimit | None = None,
) -> Mdd:
    """The MDD of the choice sequences whose total weight lies between two bounds.

    Args:
        weights: an integer for every choice of every level.
        low: least sum allowed; None for no bound.
        high: greatest sum allowed; None for no bound.
        width_limit: limits every layer.

    Raises:
        LimitReached: a layer has more distinct sums than ``width_limit`` allows.

    Cost: linear in sums times choices; a hundred levels of 17,000 sums each take some 60 ms.
    """
    width_limit = width_limit or WidthLimit()
    # A common factor of the differences makes sums rarer; the least choices become 0.
    base = sum(min(w) for w in weights)
    moved = [[x - min(w) for x in w] for w in weights]
    most = sum(max(w) for w in moved)
    factor = gcd(*(x for w in moved for x in w)) or 1
    least = max(0, -((base - low) // factor)) if low is not None else 0
    highest = min(most // factor, (high - base) // factor) if high is not None else most // factor
    if least > highest:
        return empty_mdd(len(w) for w in weights)
    if least == 0 and highest == most // factor:
        return reduce_mdd([np.zeros((1, len(w)), dtype=np.int32) for w in weights])
    moved = [[x // factor for x in w] for w in moved]
    rest = [0]  # the greatest sum of the levels that follow
    for row in reversed(moved):
        rest.append(rest[-1] + max(row))
    rest = rest[-2::-1]
    kind = np.int64 if most // factor < 1 << 62 else np.object_  # exact beyond machine words, too
    tables: list[Table] = []
    sums = np.zeros(1, dtype=kind)
    for level, (row, left) in enumerate(zip(moved, rest, strict=True), 1):
        after = sums[:, None] + np.array(row, dtype=kind)
        is_possible = (after <= highest) & (after >= least - left)
        # Sums between whose bounds all that follows stays are one state.
        after[(after >= least) & (after <= highest - left)] = least
        sums, numbers = _number_sums(after[is_possible])
        width_limit.check_layer(len(sums), level, after.size)
        tables.append(np.full(after.shape, -1, dtype=np.int32))
        tables[-1][is_possible] = numbers
    return reduce_mdd(tables)


def _number_sums(sums: I64) -> tuple[I64, I64]:
    """The different sums, ascending, and for each sum its number among them."""
    low = int(sums.min(initial=1 << 62))
    span = int(sums.max(initial=low)) - low + 1
    if span > 8 * len(sums) + 64 or sums.dtype == np.object_:
        return np.unique(sums, return_inverse=True)
    seen = np.zeros(span, dtype=bool)
    seen[sums - low] = True
    return np.flatnonzero(seen) + low, (seen.cumsum() - 1)[sums - low]
