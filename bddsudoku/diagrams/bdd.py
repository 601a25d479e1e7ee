"""BDDs as flat arrays, and the way between them and the frozen ZDD.

Ids 0 and 1 are the terminals false and true. Where edges may be complemented, an edge is
``2 * node + negated`` and node 0 is the terminal false, so that edges 0 and 1 mean the same: taking
complement edges apart turns the edges into ids.

What the bridges to other decision-diagram libraries share: flattening and rebuilding.

Everything here is iterative; diagrams of any depth pass.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from bddsudoku.diagrams.canonical import I64, U16, U32, AnyArray, node_slot
from bddsudoku.diagrams.transform import ANY, FALSE, TRUE, expanded, positions_in
from bddsudoku.diagrams.zdd import Diagram
from bddsudoku.errors import ModelError
from bddsudoku.jit import allocating_kernel


class BddNodes(NamedTuple):
    """A BDD without complement edges, children before parents.

    Attributes:
        variable: uint16; level of each node; terminals have the level behind the last.
        low: uint32; child for false. Ids 0 and 1 are the terminals false and true.
        high: uint32; child for true.
        root: id of the root.
    """

    variable: U16
    low: U32
    high: U32
    root: int


@allocating_kernel
def _drop_equal(variable: U16, low: U32, high: U32, root: int) -> tuple[U16, U32, U32, int]:
    """Leave out nodes whose children are the same node; compacts in place."""
    new = np.empty(len(variable), np.uint32)
    new[0] = 0
    new[1] = 1
    used = 2
    for i in range(2, len(variable)):
        a = new[low[i]]
        b = new[high[i]]
        if a == b:
            new[i] = a
        else:
            variable[used] = variable[i]
            low[used] = a
            high[used] = b
            new[i] = used
            used += 1
    return variable[:used], low[:used], high[:used], int(new[root])


def to_bdd(
    diagram: Diagram, variables: Iterable[int] | None = None, true: Collection[int] = ()
) -> BddNodes:
    """The family's characteristic function as a BDD.

    Args:
        diagram: the family.
        variables: keys of a longer list that contains the diagram's in the same order; by default
            the diagram's own.
        true: keys among them that are true in every set; those that the diagram lacks otherwise
            are false in every set.

    Raises:
        ModelError: the list lacks a variable or has two of them in another order.

    Cost: linear in the BDD (see :func:`bddsudoku.diagrams.measures.node_count` for its size
    beforehand).
    """
    keys = diagram.labels.tolist() if variables is None else list(variables)
    level = positions_in(diagram.labels, keys)
    settled = set(true) - set(diagram.labels.tolist())
    mode = np.array([TRUE if k in settled else FALSE for k in keys], dtype=np.uint8)
    v, lo, hi, root = expanded(diagram, level, mode)
    v, lo, hi, root = _drop_equal(v, lo, hi, root)
    return BddNodes(v, lo, hi, int(root))


def diagram_of_bdd(labels: I64, nodes: BddNodes) -> Diagram:
    """The satisfying assignments of a BDD as the canonical ZDD.

    Levels that an arc skips are "don't care" to a BDD and become nodes with equal children.

    Args:
        labels: key of the variable of each level.
        nodes: the BDD; entries 0 and 1 of its arrays are ignored.
    """
    levels = len(labels)
    v = np.array(nodes.variable, dtype=np.uint16)
    lo = np.array(nodes.low, dtype=np.uint32)
    hi = np.array(nodes.high, dtype=np.uint32)
    v[:2] = levels
    lo[:2] = hi[:2] = (0, 1)
    raw = Diagram(np.asarray(labels, dtype=np.int64), v, lo, hi, nodes.root)
    mode = np.full(levels, ANY, dtype=np.uint8)
    v2, lo2, hi2, new_root = expanded(raw, np.arange(levels + 1, dtype=np.int64), mode)
    return Diagram.from_arrays(labels, v2, lo2, hi2, new_root, overwrite=True)


@allocating_kernel
def complement_count(variable: U16, low: U32, high: U32) -> int:
    """Nodes left when a function and its negation share one; all given nodes are reached.

    A node's high edge is made regular by negating the whole node, as CUDD does.
    """
    size = len(variable)
    edge = np.empty(size, np.uint32)
    edge[0] = 0
    edge[1] = 1
    capacity = 4096
    while capacity < 2 * size:
        capacity *= 2
    table = np.zeros(capacity, np.uint32)
    level = np.empty(size, np.uint16)
    low_edge = np.empty(size, np.uint32)
    high_edge = np.empty(size, np.uint32)
    used = 1
    for i in range(2, size):
        negated = edge[high[i]] & 1
        lo = edge[low[i]] ^ negated
        hi = edge[high[i]] ^ negated
        at = node_slot(table, level, low_edge, high_edge, variable[i], lo, hi)
        if table[at] == 0:
            table[at] = used
            level[used] = variable[i]
            low_edge[used] = lo
            high_edge[used] = hi
            used += 1
        edge[i] = 2 * table[at] + negated
    return used - 1


Children = Callable[[Any], tuple[int, Any, Any]]


def default_name(key: int) -> str:
    """How a variable is called elsewhere unless told otherwise: ``x`` and its key."""
    return f"x{key}"


def flatten(
    root: Any,
    terminal: Callable[[Any], int],
    children: Children,
    identity: Callable[[Any], Hashable],
) -> tuple[AnyArray, AnyArray, AnyArray, int]:
    """A foreign diagram as arrays (level, low, high) and root, children before parents.

    Args:
        root: a foreign node.
        terminal: 0 or 1 for the terminals, -1 for others.
        children: (level in the foreign manager, low, high) of an inner node.
        identity: what tells two nodes apart while both are alive.
    """
    kind = terminal(root)
    if kind >= 0:
        nothing = np.zeros(2, dtype=np.int64)
        return nothing, nothing.copy(), nothing.copy(), kind
    ids: dict[Hashable, int] = {identity(root): 2}
    nodes = [root]
    level, low, high = [0, 0], [0, 0], [0, 0]
    for node in nodes:  # grows while it is gone through
        at, *below = children(node)
        level.append(at)
        for child, out in zip(below, (low, high), strict=True):
            kind = terminal(child)
            if kind < 0:
                name = identity(child)
                kind = ids.get(name, -1)
                if kind < 0:
                    kind = ids[name] = len(nodes) + 2
                    nodes.append(child)
            out.append(kind)
    levels = np.array(level, dtype=np.int64)
    order = 2 + np.argsort(-levels[2:], kind="stable")
    new = np.arange(len(levels))
    new[order] = np.arange(2, len(levels))
    old = np.concatenate(([0, 1], order))
    return levels[old], new[np.array(low)][old], new[np.array(high)][old], int(new[2])


def from_flat(
    flat: tuple[AnyArray, AnyArray, AnyArray, int], keys: Mapping[int, int], zdd: bool
) -> Diagram:
    """The frozen diagram of flattened nodes.

    Args:
        flat: what :func:`flatten` gave.
        keys: key of every variable of the family by its level in the foreign manager; the family's
            levels are these, ascending.
        zdd: skipped levels mean "false"; otherwise "don't care".

    Raises:
        ModelError: a node's variable has no key.
    """
    level, low, high, root = flat
    order = sorted(keys)
    place = np.full(max([*order, int(level.max(initial=0))], default=0) + 1, -1, dtype=np.int64)
    place[order] = np.arange(len(order))
    variable = place[level]
    if (variable[2:] < 0).any():
        bad = int(level[2:][variable[2:] < 0][0])
        raise ModelError(f"the diagram depends on the variable at level {bad}, which has no key")
    labels = np.array([keys[at] for at in order], dtype=np.int64)
    variable[:2] = len(order)
    arrays = variable.astype(np.uint16), low.astype(np.uint32), high.astype(np.uint32)
    if zdd:
        return Diagram.from_arrays(labels, *arrays, root)
    return diagram_of_bdd(labels, BddNodes(*arrays, root))


def rebuild(
    arrays: Diagram | BddNodes,
    false: Any,
    true: Any,
    make: Sequence[Callable[[Any, Any], Any]],
) -> Any:
    """Build a diagram elsewhere, children first.

    Args:
        arrays: a ZDD or a BDD.
        false: the foreign terminal for id 0.
        true: the one for id 1.
        make: for every level a function of (low, high) that gives the foreign node.
    """
    variable: U16 = arrays.variable
    low: U32 = arrays.low
    high: U32 = arrays.high
    # A node is let go of after its last use: the foreign manager may then collect garbage.
    last = np.zeros(len(variable), dtype=np.int64)
    steps = np.arange(len(variable))
    np.maximum.at(last, low[2:], steps[2:])
    np.maximum.at(last, high[2:], steps[2:])
    made: list[Any] = [false, true] + [None] * (len(variable) - 2)
    lasts = last.tolist()
    for i, (v, lo, hi) in enumerate(
        zip(variable[2:].tolist(), low[2:].tolist(), high[2:].tolist(), strict=True), 2
    ):
        made[i] = make[v](made[lo], made[hi])
        if lo > 1 and lasts[lo] == i:
            made[lo] = None
        if hi > 1 and hi != lo and lasts[hi] == i:
            made[hi] = None
    return made[arrays.root]
