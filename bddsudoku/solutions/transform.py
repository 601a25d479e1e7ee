"""Linear transformations of a diagram: restriction, longer variable lists.

Both write plain node arrays that :meth:`Diagram.from_arrays` then makes canonical.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

import numpy as np

from bddsudoku.jit import allocating_kernel
from bddsudoku.solutions.arrays import U8, U16, U32
from bddsudoku.solutions.diagram import Diagram
from bddsudoku.solutions.skips import SKIP, TRUE, expanded, positions_in

__all__ = ["lift", "restrict"]

KEEP, REQUIRE, FORBID = 0, 1, 2


@allocating_kernel
def _restrict(variable: U16, low: U32, high: U32, root: int, mode: U8) -> tuple[U16, U32, U32, int]:
    """Sets that hold every REQUIREd variable and no FORBIDden one, without those variables."""
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
    return variable2[:used], low2[:used], high2[:used], root2


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
    d = diagram
    labels = d.labels[mode == KEEP]
    v, lo, hi, root = _restrict(d.variable, d.low, d.high, d.root, mode)
    return Diagram.from_arrays(labels, v, lo, hi, int(root), overwrite=True)


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
    v, lo, hi, root = expanded(diagram, level, mode)
    return Diagram.from_arrays(keys, v, lo, hi, root, overwrite=True)
