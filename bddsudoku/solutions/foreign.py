"""What the bridges to other decision-diagram libraries share: flattening and rebuilding.

Everything here is iterative; diagrams of any depth pass.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any

import numpy as np

from bddsudoku.errors import ModelError
from bddsudoku.solutions.arrays import U16, U32, AnyArray
from bddsudoku.solutions.bdd import BddNodes, diagram_of_bdd
from bddsudoku.solutions.diagram import Diagram

__all__ = ["default_name", "flatten", "from_flat", "rebuild"]

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
