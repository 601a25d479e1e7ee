"""Automata read in another way than their own: groups in parts, or in any order.

As long as a machine comes to the groups one after another in the automaton's own order, its states
are the automaton's (and, inside a group that is read in parts, whether its variable has been seen).
In any other order the automaton has gaps: between two groups that are still open lies a run of
groups that are known, and what is known of a run is a map from states to states. A machine's state
is then one map for each run (for the first run one state, for the last a set of states). Maps are
kept on states that still matter only; all the same there may be many: a line of nine cells read
from its other end costs some times its own states, read at random it may cost thousands.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bddsudoku.model.automaton import Automaton
from bddsudoku.model.layers import Cap, Layers, Table, finish, never, restrict, unfold

__all__ = ["read"]

Place = tuple[int, int]
"""A group that is open, and the choice in it that a variable stands for."""

Maps = tuple[tuple[int, ...], tuple[tuple[int, ...], ...]]
"""Groups that are open, and a map of states for the run before each and for the last run."""


def read(
    automaton: Automaton, levels: Sequence[Sequence[int]], exact: Sequence[bool], cap: Cap
) -> Layers:
    """The automaton over levels that hold its variables.

    Args:
        automaton: any.
        levels: every variable of the automaton once; choice ``k`` of a level is its ``k``-th
            variable, 0 is none of them.
        exact: whether none of them is impossible, for every level.
        cap: for every layer.

    Raises:
        LimitReached: a layer is wider than ``cap`` allows.
    """
    if automaton.commutative:
        automaton = _in_order(automaton, levels)
    if tuple(levels) == automaton.groups:
        return _without_none(automaton.layers, exact)
    kept = automaton.kept
    choices = [1 + len(level) for level in levels]
    if -1 in kept:
        return never(choices)
    layers = restrict(automaton.layers, kept)
    if layers.is_empty:
        return never(choices)
    place: dict[int, Place] = {}
    for group, stay in zip(automaton.groups, kept, strict=True):
        if not isinstance(stay, int):
            number = len({g for g, _ in place.values()})
            place.update((group[s - 1], (number, k)) for k, s in enumerate(stay) if k)
    # What stands beside a true variable has no place; it is false.
    met = [sorted({place[v][0] for v in level if v in place}) for level in levels]
    sequence = [groups[0] for groups in met if groups]
    if all(len(groups) <= 1 for groups in met) and sequence == sorted(sequence):
        return _without_none(finish(_in_sequence(layers, levels, place)), exact)
    return _by_runs(layers, levels, exact, place, cap)


def _without_none(layers: Layers, exact: Sequence[bool]) -> Layers:
    """The words without choice 0 where it is impossible."""
    dead = [
        always and bool((t[:, 0] >= 0).any())
        for t, always in zip(layers.tables, exact, strict=True)
    ]
    if not any(dead):
        return layers
    tables = [t.copy() for t in layers.tables]
    for table, gone in zip(tables, dead, strict=True):
        if gone:
            table[:, 0] = -1
    return finish(tables)


def _in_order(automaton: Automaton, levels: Sequence[Sequence[int]]) -> Automaton:
    """The groups of a commutative automaton in the order in which the levels come to them."""
    level_of = {v: i for i, level in enumerate(levels) for v in level}
    first = [min((level_of[v] for v in g if v >= 0), default=-1) for g in automaton.groups]
    order = sorted(range(len(first)), key=first.__getitem__)
    groups = tuple(automaton.groups[i] for i in order)
    return Automaton(automaton.family, automaton.label, groups, automaton.layers)


def _in_sequence(
    layers: Layers, levels: Sequence[Sequence[int]], place: dict[int, Place]
) -> list[Table]:
    """Tables for groups that come one after another, each in one level or in several."""
    group_of = [next((place[v][0] for v in level if v in place), -1) for level in levels]
    last = {g: i for i, g in enumerate(group_of) if g >= 0}
    tables: list[Table] = []
    here = 1  # states of the layer; the undecided ones of a group come first
    begun = -1
    for i, (level, group) in enumerate(zip(levels, group_of, strict=True)):
        if group < 0:  # nothing but what is false
            table = np.full((here, 1 + len(level)), -1, dtype=np.int32)
            table[:, 0] = np.arange(here)
            tables.append(table)
            continue
        own = layers.tables[group]
        before, after = len(own), layers.widths[group + 1]
        shift = 0 if last[group] == i else before
        table = np.full((here, 1 + len(level)), -1, dtype=np.int32)
        for k, v in enumerate(level, 1):
            if v in place:
                column = own[:, place[v][1]]
                table[:before, k] = np.where(column >= 0, column + shift, -1)
        table[:before, 0] = np.arange(before) if shift else own[:, 0]
        if begun == group:
            table[before:, 0] = np.arange(after) + shift
        tables.append(table)
        here = shift + after
        begun = group
    return tables


def _by_runs(
    layers: Layers,
    levels: Sequence[Sequence[int]],
    exact: Sequence[bool],
    place: dict[int, Place],
    cap: Cap,
) -> Layers:
    """Levels in any order; see the module."""
    moves = [[tuple(column) for column in table.T.tolist()] for table in layers.tables]
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

    def step(i: int, state: Maps, choice: int) -> Maps | None:
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
        return _pruned(opened, maps, successors[i])

    identity = [tuple(range(w)) for w in layers.widths]
    start: Maps = (tuple(range(layers.length)), tuple(identity))
    return unfold([1 + len(level) for level in levels], start, step, cap)


def _pruned(
    opened: list[int],
    maps: list[tuple[int, ...]],
    successors: dict[int, list[tuple[int, ...]]],
) -> Maps | None:
    """The maps on states that can be reached and lead somewhere; None when there are none."""
    reached = [{0}]
    for group, run in zip(opened, maps, strict=False):
        across = successors[group]
        reached.append({t for s in reached[-1] if run[s] >= 0 for t in across[run[s]]})
    useful: set[int] | None = None
    pruned: list[tuple[int, ...]] = []
    for i in range(len(maps) - 1, -1, -1):
        here, run = reached[i], maps[i]
        pruned.append(
            tuple(
                [
                    t if t >= 0 and s in here and (useful is None or t in useful) else -1
                    for s, t in enumerate(run)
                ]
            )
        )
        leads = {s for s, t in enumerate(pruned[-1]) if t >= 0}
        if not leads:
            return None
        if i:
            across = successors[opened[i - 1]]
            useful = {s for s, ts in enumerate(across) if not leads.isdisjoint(ts)}
    return tuple(opened), tuple(reversed(pruned))
