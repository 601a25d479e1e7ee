"""Transformations of a diagram: restriction, longer variable lists, one more constraint.

All write plain node arrays that :meth:`Diagram.from_arrays` then makes canonical.

Arcs that skip levels: where their tests would begin, and explicit nodes in their place.

An arc of a ZDD that passes a level says "false" there, one of a BDD says "whatever". Bringing a
diagram from one reading to the other, or to a longer list of variables, means to put a chain of
nodes where an arc passes: one chain above every node, shared by all arcs to it, as long as the
longest of them needs it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from bddsudoku.context import Check
from bddsudoku.diagrams.canonical import I64, U8, U16, Nodes
from bddsudoku.diagrams.zdd import EMPTY, Diagram
from bddsudoku.errors import ModelError
from bddsudoku.jit import allocating_kernel, kernel
from bddsudoku.model.constraints import Constraint
from bddsudoku.model.to_mdd import machine

SKIP, TRUE, FALSE, ANY = 0, 1, 2, 3
"""What is written on a level that an arc passes: nothing, or a node that says this."""


@allocating_kernel
def first_levels(nodes: Nodes, level: I64) -> I64:
    """Per node the uppermost level at which some arc to it may start to test.

    That is one more than the level of its highest parent, and 0 for the root. ``level`` maps the
    diagram's levels, and the terminals' one, to those of the order looked at.
    """
    variable, low, high, root = nodes
    size = len(variable)
    first = np.empty(size, np.int64)
    for i in range(size):
        first[i] = level[variable[i]]
    first[root] = 0
    for i in range(2, size):
        below = level[variable[i]] + 1
        first[low[i]] = min(first[low[i]], below)
        first[high[i]] = min(first[high[i]], below)
    return first


def positions_in(labels: I64, variables: Iterable[int]) -> I64:
    """Place of every level's variable in a longer list, and the list's length behind them.

    Raises:
        ModelError: the list lacks a variable, has two of them in another order, or is longer than
            a diagram can be.
    """
    place = {key: i for i, key in enumerate(variables)}
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


@kernel
def _chain_nodes(variable: U16, first: I64, level: I64, before: I64) -> int:
    total = 0
    for i in range(1, len(variable)):
        total += before[level[variable[i]]] - before[first[i]]
    return total


@allocating_kernel
def _expand(nodes: Nodes, first: I64, level: I64, mode: U8, extra: int) -> Nodes:
    """Move nodes to new levels and put explicit nodes on the skipped levels of some mode.

    A chain stands above every node (⊥ has none): one link for every level with a mode between
    the highest level at which an arc may start and the node. Arcs enter it where they need to.
    Children come before parents in the result.
    """
    variable, low, high, root = nodes
    size = len(variable)
    levels = len(mode)
    before = np.zeros(levels + 1, np.int64)
    where = np.empty(levels + 1, np.int64)
    for v in range(levels):
        if mode[v]:
            where[before[v]] = v
            before[v + 1] = before[v] + 1
        else:
            before[v + 1] = before[v]
    variable2 = np.empty(size + extra, np.uint16)
    low2 = np.empty(size + extra, np.uint32)
    high2 = np.empty(size + extra, np.uint32)
    # id[i]: the node itself; its link for the e-th special level is id[i] + last - e
    own = np.empty(size, np.uint32)
    own[0] = 0
    own[1] = 1
    used = 2
    link = np.empty(size, np.uint32)
    link[0] = 0
    for i in range(1, size):
        at = level[variable[i]]
        if i > 1:
            lo = low[i]
            hi = high[i]
            e = before[at + 1]
            n_lo = before[level[variable[lo]]] - e if lo else 0
            n_hi = before[level[variable[hi]]] - e if hi else 0
            a = own[lo] if n_lo <= 0 else np.uint32(link[lo] + n_lo - 1)
            b = own[hi] if n_hi <= 0 else np.uint32(link[hi] + n_hi - 1)
            variable2[used] = at
            low2[used] = a
            high2[used] = b
            own[i] = used
            used += 1
        link[i] = used
        child = own[i]
        last = before[at]
        for e in range(last - 1, before[first[i]] - 1, -1):
            v = where[e]
            m = mode[v]
            variable2[used] = v
            low2[used] = np.uint32(0) if m == TRUE else child
            high2[used] = np.uint32(0) if m == FALSE else child
            child = np.uint32(used)
            used += 1
    n_root = before[level[variable[root]]] - before[0] if root else 0
    new_root = int(own[root]) if n_root <= 0 else int(link[root]) + n_root - 1
    return Nodes(variable2[:used], low2[:used], high2[:used], new_root)


def expanded(diagram: Diagram, level: I64, mode: U8) -> Nodes:
    """Node arrays of a diagram at new levels, with explicit nodes on the levels that it passes.

    Args:
        diagram: the family; any diagram with children before parents will do.
        level: new level of each of its levels, and of the terminals.
        mode: for every new level what stands where an arc passes.

    Raises:
        ModelError: there would be too many nodes.
    """
    d = diagram
    before = np.zeros(len(mode) + 1, dtype=np.int64)
    np.cumsum(mode != SKIP, out=before[1:])
    first = first_levels(d.nodes, level)
    if d.root == EMPTY:
        first[1:] = level[d.variable[1:]]
    extra = int(_chain_nodes(d.variable, first, level, before))
    if d.size + extra > 0xFFFFFFFF:
        raise ModelError(f"the diagram would grow to {d.size + extra} nodes, more than 2**32 - 1")
    nodes = _expand(d.nodes, first, level, mode, extra)
    nodes.variable[:2] = len(mode)
    nodes.low[:2] = nodes.high[:2] = (0, 1)
    return nodes


KEEP, REQUIRE, FORBID = 0, 1, 2


@allocating_kernel
def _restrict(nodes: Nodes, mode: U8) -> Nodes:
    """Sets that hold every REQUIREd variable and no FORBIDden one, without those variables."""
    variable, low, high, root = nodes
    size = len(variable)
    levels = len(mode)
    required = np.zeros(levels + 1, np.int64)
    place = np.zeros(levels + 1, np.uint16)
    kept = 0
    for v in range(levels):
        required[v + 1] = required[v] + (1 if mode[v] == REQUIRE else 0)
        place[v] = kept
        if mode[v] == KEEP:
            kept += 1
    place[levels] = kept
    value = np.empty(size, np.uint32)
    value[0] = 0
    value[1] = 1
    variable2 = np.empty(size, np.uint16)
    low2 = np.empty(size, np.uint32)
    high2 = np.empty(size, np.uint32)
    used = 2
    for i in range(2, size):
        v = variable[i]
        m = mode[v]
        lo = low[i]
        hi = high[i]
        # an arc that skips a required level leads to sets without that variable
        a = value[lo] if required[variable[lo]] == required[v + 1] else np.uint32(0)
        b = value[hi] if required[variable[hi]] == required[v + 1] else np.uint32(0)
        if m == REQUIRE:
            value[i] = b
        elif m == FORBID or b == 0:
            value[i] = a
        else:
            variable2[used] = place[v]
            low2[used] = a
            high2[used] = b
            value[i] = used
            used += 1
    root2 = int(value[root]) if required[variable[root]] == 0 else 0
    return Nodes(variable2[:used], low2[:used], high2[:used], root2)


def restrict(
    diagram: Diagram, require: Collection[int] = (), forbid: Collection[int] = ()
) -> Diagram:
    """The sets that hold all of one list of variables and none of another, without them.

    Args:
        diagram: the family.
        require: levels whose variable must be true; these levels disappear.
        forbid: levels whose variable must be false; these disappear, too.

    Cost: one linear pass and a reduction.
    """
    mode = np.zeros(diagram.levels, dtype=np.uint8)
    mode[list(forbid)] = FORBID
    if set(require) & set(forbid):
        return Diagram.empty(np.delete(diagram.labels, [*require, *forbid]))
    mode[list(require)] = REQUIRE
    if not mode.any():
        return diagram
    labels = diagram.labels[mode == KEEP]
    return Diagram.from_arrays(labels, *_restrict(diagram.nodes, mode), overwrite=True)


def lift(diagram: Diagram, variables: Iterable[int], true: Collection[int] = ()) -> Diagram:
    """The family over a longer list of variables.

    Args:
        diagram: the family.
        variables: keys that contain the diagram's in the same order.
        true: keys, not of the diagram, that are true in every set; the other new ones are false.

    Raises:
        ModelError: the list lacks a variable or has two of them in another order.
    """
    keys = list(variables)
    level = positions_in(diagram.labels, keys)
    settled = set(true) - set(diagram.labels.tolist())
    if not settled.intersection(keys):  # nothing to insert: levels move, nodes stay
        if len(keys) == diagram.levels:
            return diagram
        names = np.array(keys, dtype=np.int64)
        moved = level.astype(np.uint16)[diagram.variable]
        return Diagram(names, moved, diagram.low, diagram.high, diagram.root)
    mode = np.array([TRUE if key in settled else SKIP for key in keys], dtype=np.uint8)
    return Diagram.from_arrays(keys, *expanded(diagram, level, mode), overwrite=True)


def constrain(
    diagram: Diagram,
    fixed: Iterable[int],
    constraint: Constraint,
    check: Check = lambda size: None,
) -> Diagram:
    """The sets of a diagram that satisfy a constraint: the product with its machine, top-down.

    A state is a node and a state of the machine; equal ones are kept once, level by level, so the
    work and the result are at most nodes times the machine's width. Nothing is built in between.

    Args:
        diagram: the family.
        fixed: keys that are true in every set and no variables of the diagram.
        constraint: over keys instead of positions: ``variables`` names keys. Those that are
            neither in the diagram nor fixed are false.
        check: called at every level with the bytes taken more; may raise.

    Raises:
        LimitReached: the constraint's machine is too wide; the message names it.
    """
    level_of = {int(key): level for level, key in enumerate(diagram.labels)}
    always = set(fixed)
    known = {key: key in always for key in constraint.variables if key not in level_of}
    # Keys may ascend in another order than the diagram's levels.
    rest = constraint.restrict(known).renumber(level_of)
    verdict = rest.verdict
    if verdict is not None:
        return diagram if verdict else Diagram.empty(diagram.labels)
    made = machine(rest, [[level] for level in rest.variables], check=check)
    if made.layers.is_empty:
        return Diagram.empty(diagram.labels)
    tables = dict(zip(rest.variables, made.layers.tables, strict=True))
    return _constrained(diagram, tables, check)


def _constrained(
    diagram: Diagram, tables: Mapping[int, NDArray[np.int32]], check: Check
) -> Diagram:
    variable = diagram.variable.astype(np.int64)
    size = diagram.size
    levels = diagram.levels
    # A state is node + size * machine state.
    here = np.array([diagram.root], np.int64)
    steps: list[
        tuple[I64, I64]
    ] = []  # of every level: places of the children on the next; -1: dead
    for level in range(levels):
        check(0)
        node, state = here % size, here // size
        table = tables.get(level)
        stays = state if table is None else table[state, 0].astype(np.int64)
        takes = state if table is None else table[state, 1].astype(np.int64)
        tests = variable[node] == level
        below = np.where(tests, diagram.low[node], node)
        low = np.where((stays >= 0) & (below != 0), below + size * stays, -1)
        high = np.where(tests & (takes >= 0), diagram.high[node] + size * takes, -1)
        following, places = np.unique(np.concatenate([low, high]), return_inverse=True)
        dead = int(len(following) > 0 and following[0] == -1)
        places = places.reshape(-1) - dead
        steps.append((places[: len(here)], places[len(here) :]))
        here = following[dead:]
    # Whatever is left has read everything: its node is the unit, its state the accepting one.
    return _assembled(diagram, steps, len(here))


def _assembled(diagram: Diagram, steps: list[tuple[I64, I64]], accepted: int) -> Diagram:
    """From the last level to the first: a state is a node, or the state that it goes on to."""
    below = np.ones(accepted, np.int64)
    variable, lows, highs = ([np.zeros(2, np.int64)] for _ in range(3))
    used = 2
    for level in range(len(steps) - 1, -1, -1):
        low, high = steps[level]
        ends = np.append(below, 0)  # -1, the dead, is the last
        low, high = ends[low], ends[high]
        real = high != 0
        ids = np.where(real, used + np.cumsum(real) - 1, low)
        variable.append(np.full(int(real.sum()), level, np.int64))
        lows.append(low[real])
        highs.append(high[real])
        used += int(real.sum())
        below = ids
    return Diagram.from_arrays(
        diagram.labels,
        np.concatenate(variable),
        np.concatenate(lows),
        np.concatenate(highs),
        int(below[0]),
    )
