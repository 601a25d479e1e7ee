"""Transformations of a diagram: restriction, lifting to more variables, and BDD conversion.

All are one pass (:func:`insert_and_remove_levels`) from the last level to the first, whose result
:meth:`Diagram.from_arrays` makes canonical.

An arc of a ZDD that skips a level means "false" there, one of a BDD means "don't care". To convert
one into the other, or to add variables, the pass inserts a chain of nodes where arcs skip levels:
one chain above every node, shared by all arcs to it, as long as the longest of them needs it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

import numpy as np

from bddsudoku.diagrams.canonical import Nodes, group_by_level
from bddsudoku.diagrams.zdd import Diagram
from bddsudoku.errors import ModelError
from bddsudoku.jit import kernel
from bddsudoku.jit.decorators import I64, U8, U32, Flags

SKIP, TRUE, FALSE, ANY, REQUIRE, FORBID = range(6)
"""Modes of a level. SKIP leaves arcs that skip the level as they are; TRUE, FALSE and ANY insert a
node on them that requires this value. REQUIRE and FORBID remove the level: its nodes become their
high or their low child, and an arc that skips a required level leads to ⊥."""


@kernel
def _write_levels_below(nodes: Nodes, new_level: I64, first: I64) -> None:
    """Write the level just below each node's highest parent to ``first``.

    It is 0 for the root, and for an unreachable node the level after the node's. ``new_level`` maps
    the diagram's levels, and the terminals' one, to the new levels in which this is counted.
    """
    variable, low, high, root = nodes
    size = len(variable)
    for i in range(size):
        first[i] = new_level[variable[i]] + (i > 1)
    first[root] = 0
    for i in range(size - 1, 1, -1):
        below = new_level[variable[i]] + 1
        if first[i] < below:
            first[low[i]] = min(first[low[i]], below)
            first[high[i]] = min(first[high[i]], below)


def positions_among_keys(labels: I64, keys: Iterable[int]) -> I64:
    """Return each level's position in a longer list of keys, with the list's length at the end.

    Raises:
        ModelError: the list lacks a variable, has two of them in another order, or is longer than
            a diagram can be.
    """
    place = {key: i for i, key in enumerate(keys)}
    if len(place) >= 0xFFFF:
        raise ModelError(f"a diagram has at most 65534 variables, not {len(place)}")
    out = np.empty(len(labels) + 1, dtype=np.int64)
    last = -1
    for i, key in enumerate(labels.tolist()):
        at = place.get(key, -1)
        if at < 0:
            raise ModelError(f"the variable with key {key} is not in the list to count over")
        if at <= last:
            raise ModelError(
                f"the variable with key {key} stands elsewhere in the list than in the diagram; "
                "reorder the diagram first"
            )
        out[i] = last = at
    out[len(labels)] = len(place)
    return out


def place_levels_among_keys(
    diagram: Diagram, variables: Iterable[int] | None, true: Collection[int]
) -> tuple[I64, I64, Flags]:
    """Find a diagram's levels in a longer list of keys, and which of the added keys are true.

    Args:
        diagram: the family.
        variables: keys, among them the diagram's in the same order; None for the diagram's own.
        true: keys that are true in every set; other keys that the diagram lacks are false.

    Returns:
        The keys; the diagram's levels among them (:func:`positions_among_keys`); bool per key,
        whether it is true and not in the diagram.

    Raises:
        ModelError: as :func:`positions_among_keys`.
    """
    keys = diagram.labels if variables is None else np.array(list(variables), dtype=np.int64)
    level = positions_among_keys(diagram.labels, keys.tolist())
    new = np.ones(len(keys), dtype=bool)
    new[level[:-1]] = False
    return keys, level, new & np.isin(keys, np.array([*true], dtype=np.int64))


@kernel
def _insert_and_remove_nodes(
    nodes: Nodes,
    first_skipped: I64,
    new_level: I64,
    level_mode: U8,
    bdd: bool,
    out: Nodes,
    entry: U32,
    passed: U32,
) -> tuple[int, int]:
    """Copy nodes to new levels; insert or remove nodes according to the mode of each new level.

    Levels are processed from the last to the first. ``entry`` is the new target of the arcs to a
    node from above the current level: the node itself, or the top of its chain (⊥ has none).
    ``passed`` lists the nodes that such arcs may lead to. Returns the number of nodes that were
    written to the arrays of ``out``, and their root.
    """
    variable, low, high, root = nodes
    variable2, low2, high2, _ = out
    size = len(variable)
    entry[1] = passed[0] = 1
    variable2[:2] = len(level_mode)
    low2[0] = high2[0] = 0
    low2[1] = high2[1] = 1
    waiting = 1
    used = 2
    end = 2
    for v in range(len(level_mode) - 1, -1, -1):
        m = level_mode[v]
        begin = end
        while end < size and new_level[variable[end]] == v:
            lo = entry[low[end]]
            hi = entry[high[end]]
            if first_skipped[end] > v:  # out of reach
                pass
            elif m == REQUIRE:
                entry[end] = hi
            elif m == FORBID or (bdd and lo == hi):
                entry[end] = lo
            else:
                variable2[used] = v
                low2[used] = lo
                high2[used] = hi
                entry[end] = used
                used += 1
            end += 1
        if m == REQUIRE:
            for k in range(waiting):
                entry[passed[k]] = 0
            waiting = 0
        elif TRUE <= m <= ANY:
            kept = 0
            for k in range(waiting):
                i = passed[k]
                if first_skipped[i] <= v:
                    variable2[used] = v
                    low2[used] = np.uint32(0) if m == TRUE else entry[i]
                    high2[used] = np.uint32(0) if m == FALSE else entry[i]
                    entry[i] = used
                    used += 1
                    passed[kept] = i
                    kept += 1
            waiting = kept
        for i in range(begin, end):
            if first_skipped[i] < v:
                passed[waiting] = i
                waiting += 1
    return used, int(entry[root])


def insert_and_remove_levels(
    diagram: Diagram, new_level: I64, level_mode: U8, *, bdd: bool = False
) -> Nodes:
    """Move nodes to new levels, insert levels and remove levels; return the unreduced nodes.

    Args:
        diagram: the family; the nodes need only be grouped by descending level.
        new_level: new level of each of the diagram's levels, and of the terminals.
        level_mode: mode (:data:`SKIP` and the others) of every new level.
        bdd: leave out nodes with equal children, as a BDD does.

    Raises:
        ModelError: there would be too many nodes.
    """
    explicit = (level_mode >= TRUE) & (level_mode <= ANY)
    first = np.zeros(diagram.size, np.int64)
    capacity = diagram.size
    if explicit.any():
        _write_levels_below(diagram.nodes, new_level, first)
        # one node for each node and inserted level that an arc to it skips
        before = np.concatenate(([0], explicit.cumsum()))
        capacity += int((before[new_level[diagram.variable[1:]]] - before[first[1:]]).sum())
    if capacity > 0xFFFFFFFF:
        raise ModelError(f"the diagram would grow to {capacity} nodes, more than 2**32 - 1")
    variable = np.empty(capacity, np.uint16)
    low, high = np.empty(capacity, np.uint32), np.empty(capacity, np.uint32)
    out = Nodes(variable, low, high, 0)
    entry, passed = np.zeros(diagram.size, np.uint32), np.empty(diagram.size, np.uint32)
    used, root = _insert_and_remove_nodes(
        diagram.nodes, first, new_level, level_mode, bdd, out, entry, passed
    )
    return Nodes(variable[:used], low[:used], high[:used], root)


def lift(diagram: Diagram, variables: Iterable[int], true: Collection[int] = ()) -> Diagram:
    """The family over a longer list of variables; each new variable is in all sets or in none.

    Arguments and errors are those of :func:`place_levels_among_keys`.
    """
    keys, level, settled = place_levels_among_keys(diagram, variables, true)
    if settled.any():
        mode = np.where(settled, TRUE, SKIP).astype(np.uint8)
        return Diagram.from_arrays(
            keys, *insert_and_remove_levels(diagram, level, mode), overwrite=True
        )
    if len(keys) == diagram.levels:
        return diagram
    # no node is inserted, only levels are renumbered
    moved = level.astype(np.uint16)[diagram.variable]
    return Diagram(keys, moved, diagram.low, diagram.high, diagram.root)


def to_bdd(
    diagram: Diagram, variables: Iterable[int] | None = None, true: Collection[int] = ()
) -> Nodes:
    """The characteristic function of a family as a BDD.

    Arguments and errors are those of :func:`place_levels_among_keys`.

    Cost: linear in the BDD.
    """
    _, level, settled = place_levels_among_keys(diagram, variables, true)
    mode = np.where(settled, TRUE, FALSE).astype(np.uint8)
    return insert_and_remove_levels(diagram, level, mode, bdd=True)


def diagram_of_bdd(labels: I64, nodes: Nodes) -> Diagram:
    """The canonical ZDD of all satisfying assignments of a BDD.

    Levels that an arc skips are "don't care" in a BDD and become nodes with equal children.

    Args:
        labels: key of the variable of each level.
        nodes: the BDD's nodes in any order, unreachable ones allowed; entries 0 and 1 of its
            arrays are ignored.
    """
    levels = len(labels)
    variable, low, high, new = group_by_level(*nodes[:3], levels)
    variable[:2] = levels
    grouped = Diagram(labels, variable, low, high, int(new[nodes.root]))
    mode = np.full(levels, ANY, dtype=np.uint8)
    nodes = insert_and_remove_levels(grouped, np.arange(levels + 1), mode)
    return Diagram.from_arrays(labels, *nodes, overwrite=True)


def restrict(
    diagram: Diagram, require: Collection[int] = (), forbid: Collection[int] = ()
) -> Diagram:
    """The sets with all required and no forbidden variables, over the other variables.

    Args:
        diagram: the family.
        require: levels whose variable must be true.
        forbid: levels whose variable must be false.

    Cost: two linear passes and a reduction.
    """
    mode = np.full(diagram.levels, SKIP, dtype=np.uint8)
    mode[list(forbid)] = FORBID
    possible = not mode[list(require)].any()
    mode[list(require)] = REQUIRE
    if not mode.any():
        return diagram
    kept = mode == SKIP
    labels = diagram.labels[kept]
    if not possible:
        return Diagram.empty(labels)
    nodes = insert_and_remove_levels(diagram, np.arange(diagram.levels + 1), mode)
    place = np.append(0, np.cumsum(kept)).astype(np.uint16)
    moved = nodes._replace(variable=place[nodes.variable])
    return Diagram.from_arrays(labels, *moved, overwrite=True)
