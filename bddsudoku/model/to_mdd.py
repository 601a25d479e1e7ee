"""Compilation of a constraint to an MDD over the levels of a variable order.

A level of an order is a variable, or a group of variables of which at most one is true. The MDD of
a constraint has a level for each of these that contains variables of the constraint; the choice at
a level is the number, from 1, of the constraint's variable that is true, or 0 for none. MDDs are
canonical: two constraints that are equivalent over the same levels have equal MDDs.

**Automata.** Where the order meets the groups one after another in the automaton's own order, the
MDD's states are the automaton's (and, inside a group that is spread over several levels, whether
its true variable has been seen). In any other order, runs of read groups lie between groups that
are still unread, and a run acts as a map from states to states. A state of the MDD is then one map
per run (for the first run one state, for the last a set of states), restricted to the states that
can still be reached and accepted. There may be many: a line of nine cells read from its other end
needs some times the automaton's states, in a random order thousands of times.

**Sums.** The state is the partial sum, or one state for all sums from which the remaining levels
cannot leave the bounds.

**Formulas.** The state is what the choices leave of the expression, simplified: of a long sum or
product the part known so far beside the rest.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import compress
from math import gcd
from typing import TYPE_CHECKING

import numpy as np

from bddsudoku.context import MemoryCheck
from bddsudoku.errors import ModelError
from bddsudoku.model.constraints import Assignment, Constraint, Formula, Linear, OneHot
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
    if isinstance(constraint, Formula):
        return _formula_mdd(constraint, levels, exact, width_limit)
    if isinstance(constraint, OneHot):
        weight = dict.fromkeys(constraint.variables, 1)
        low = None if constraint.at_most else constraint.total
        return _linear_mdd(weight, low, constraint.total, levels, exact, width_limit)
    if isinstance(constraint, Linear):
        weight = dict(zip(constraint.variables, constraint.weights, strict=True))
        return _linear_mdd(weight, constraint.low, constraint.high, levels, exact, width_limit)
    raise ModelError(f"{constraint.family} {constraint.label}: no known kind of constraint")


def _linear_mdd(
    weight: dict[int, int],
    low: int | None,
    high: int | None,
    levels: Sequence[tuple[int, ...]],
    exact: Sequence[bool],
    width_limit: WidthLimit,
) -> Mdd:
    """The MDD of ``low <= sum of weight * variable <= high`` over levels of its variables."""
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


GroupPlace = tuple[int, int]
"""The number of a group that is not known, and a variable's choice in it."""

StateMaps = tuple[tuple[int, ...], tuple[tuple[int, ...], ...]]
"""The unread groups, and a map of states for the run before each of them and for the last run."""


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
    own_order = _open_groups(automaton)
    if automaton.commutative and own_order != [*levels]:
        automaton = _sort_groups_by_level(automaton, levels)
        own_order = _open_groups(automaton)
    mdd = automaton.restricted_mdd
    if mdd is None or mdd.is_empty:
        return empty_mdd(1 + len(level) for level in levels)
    if own_order == [*levels]:
        return _forbid_choice_zero(mdd, tuple(exact))
    place: dict[int, GroupPlace] = {}
    for group, stay in zip(automaton.groups, automaton.possible_symbols, strict=True):
        if not isinstance(stay, int):
            number = len({g for g, _ in place.values()})
            place.update((group[s - 1], (number, k)) for k, s in enumerate(stay) if k)
    # What stands beside a true variable has no place; it is false.
    met = [sorted({place[v][0] for v in level if v in place}) for level in levels]
    sequence = [groups[0] for groups in met if groups]
    if all(len(groups) <= 1 for groups in met) and sequence == sorted(sequence):
        tables = _tables_in_group_order(mdd, levels, place)
        for table in compress(tables, exact):
            table[:, 0] = -1
        return reduce_mdd(tables)
    return _mdd_in_any_order(mdd, levels, exact, place, width_limit)


def _open_groups(automaton: Automaton) -> list[tuple[int, ...]]:
    """The variables of each group whose symbol is unknown and not none."""
    left = (tuple([v for v in g if v >= 0]) for g in automaton.groups if TRUE not in g)
    return [g for g in left if g]


@remembered
def _forbid_choice_zero(mdd: Mdd, exact: tuple[bool, ...]) -> Mdd:
    """Forbid choice 0 (no variable is true) at the levels that ``exact`` marks."""
    if all((table[:, 0] < 0).all() for table in compress(mdd.tables, exact)):
        return mdd
    tables = [table.copy() for table in mdd.tables]
    for table in compress(tables, exact):
        table[:, 0] = -1
    return reduce_mdd(tables)


def _sort_groups_by_level(automaton: Automaton, levels: Sequence[Sequence[int]]) -> Automaton:
    """Sort a commutative automaton's variable groups by the first level that reads each group."""
    level_of = {v: i for i, level in enumerate(levels) for v in level}
    first = [min((level_of[v] for v in g if v >= 0), default=-1) for g in automaton.groups]
    if first == sorted(first):
        return automaton
    order = sorted(range(len(first)), key=first.__getitem__)
    groups = tuple(automaton.groups[i] for i in order)
    return Automaton(automaton.family, automaton.label, groups, automaton.mdd)


def _tables_in_group_order(
    mdd: Mdd, levels: Sequence[Sequence[int]], place: dict[int, GroupPlace]
) -> list[Table]:
    """Build the tables of an automaton's MDD for levels that read its groups one by one."""
    group_of = [next((place[v][0] for v in level if v in place), -1) for level in levels]
    last = {g: i for i, g in enumerate(group_of) if g >= 0}
    tables: list[Table] = []
    state_count = 1  # states of the layer; the undecided ones of a group come first
    begun = -1
    for i, (level, group) in enumerate(zip(levels, group_of, strict=True)):
        if group < 0:  # nothing but what is false
            table = np.full((state_count, 1 + len(level)), -1, dtype=np.int32)
            table[:, 0] = np.arange(state_count)
            tables.append(table)
            continue
        own = mdd.tables[group]
        before, after = len(own), mdd.widths[group + 1]
        shift = 0 if last[group] == i else before
        table = np.full((state_count, 1 + len(level)), -1, dtype=np.int32)
        known = [k for k, v in enumerate(level, 1) if v in place]
        after_each = own[:, [place[level[k - 1]][1] for k in known]]
        table[:before, known] = np.where(after_each >= 0, after_each + shift, -1)
        table[:before, 0] = np.arange(before) if shift else own[:, 0]
        if begun == group:
            table[before:, 0] = np.arange(after) + shift
        tables.append(table)
        state_count = shift + after
        begun = group
    return tables


def _mdd_in_any_order(
    mdd: Mdd,
    levels: Sequence[Sequence[int]],
    exact: Sequence[bool],
    place: dict[int, GroupPlace],
    width_limit: WidthLimit,
) -> Mdd:
    """Build an automaton's MDD for any order of levels; its states are maps of automaton states."""
    moves = [[tuple(column) for column in table.T.tolist()] for table in mdd.tables]
    last: dict[int, int] = {}
    for i, level in enumerate(levels):
        last.update((place[v][0], i) for v in level if v in place)
    closing = [[g for g in last if last[g] == i] for i in range(len(levels))]
    # Where a group that is open after a level can still lead to.
    level_of = {place[v]: i for i, level in enumerate(levels) for v in level if v in place}

    def ahead(i: int) -> dict[int, list[tuple[int, ...]]]:
        found: dict[int, list[tuple[int, ...]]] = {}
        for group, table in enumerate(moves):
            left = [0, *(k for k in range(1, len(table)) if level_of[group, k] > i)]
            steps = zip(*(table[k] for k in left), strict=True)
            found[group] = [tuple({t for t in step if t >= 0}) for step in steps]
        return found

    successors = [ahead(i) for i in range(len(levels))]

    def step(i: int, state: StateMaps, choice: int) -> StateMaps | None:
        decided: dict[int, int] = {}
        if choice:
            spot = place.get(levels[i][choice - 1])
            if spot is None or spot[0] not in state[0]:
                return None
            decided[spot[0]] = spot[1]
        elif exact[i]:
            return None
        for group in closing[i]:
            if group in state[0]:
                decided.setdefault(group, 0)
        opened: list[int] = []
        maps = [state[1][0]]
        for group, run in zip(state[0], state[1][1:], strict=True):
            if group in decided:
                across = moves[group][decided[group]]
                both = [run[t] if t >= 0 else -1 for t in across]
                maps[-1] = tuple([both[t] if t >= 0 else -1 for t in maps[-1]])
            else:
                opened.append(group)
                maps.append(run)
        return _prune_state_maps(opened, maps, successors[i])

    identity = [tuple(range(w)) for w in mdd.widths]
    start: StateMaps = (tuple(range(mdd.length)), tuple(identity))
    return mdd_from_level_steps([1 + len(level) for level in levels], start, step, width_limit)


def _prune_state_maps(
    open_groups: list[int],
    maps: list[tuple[int, ...]],
    successors: dict[int, list[tuple[int, ...]]],
) -> StateMaps | None:
    """Drop unreachable and dead automaton states from the maps; None if no path is left."""
    reached = [{0}]
    for group, run in zip(open_groups, maps, strict=False):
        across = successors[group]
        reached.append({t for s in reached[-1] if run[s] >= 0 for t in across[run[s]]})
    useful: set[int] | None = None
    pruned: list[tuple[int, ...]] = []
    for i in range(len(maps) - 1, -1, -1):
        reached_here, run = reached[i], maps[i]
        pruned.append(
            tuple(
                [
                    t if t >= 0 and s in reached_here and (useful is None or t in useful) else -1
                    for s, t in enumerate(run)
                ]
            )
        )
        leads = {s for s, t in enumerate(pruned[-1]) if t >= 0}
        if not leads:
            return None
        if i:
            across = successors[open_groups[i - 1]]
            useful = {s for s, ts in enumerate(across) if not leads.isdisjoint(ts)}
    return tuple(open_groups), tuple(reversed(pruned))


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
    if most // factor >= 1 << 62:  # no machine words

        def step(level: int, total: int, choice: int) -> int | None:
            after = total + moved[level][choice]
            if after > highest or after + rest[level] < least:
                return None
            return least if least <= after <= highest - rest[level] else after

        return mdd_from_level_steps([*map(len, moved)], 0, step, width_limit)
    tables: list[Table] = []
    sums = np.zeros(1, dtype=np.int64)
    for level, (row, left) in enumerate(zip(moved, rest, strict=True), 1):
        after = sums[:, None] + np.array(row, dtype=np.int64)
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
    if span > 8 * len(sums) + 64:
        return np.unique(sums, return_inverse=True)
    seen = np.zeros(span, dtype=bool)
    seen[sums - low] = True
    return np.flatnonzero(seen) + low, (seen.cumsum() - 1)[sums - low]
