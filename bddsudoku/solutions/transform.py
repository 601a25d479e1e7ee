"""Linear transformations of a diagram: restriction, longer variable lists, explicit skipped levels.

All of them write plain node arrays that :meth:`Diagram.from_arrays` then makes canonical.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

import numpy as np

from bddsudoku.errors import ModelError
from bddsudoku.jit import kernel
from bddsudoku.solutions.arrays import I64, U8, U16, U32
from bddsudoku.solutions.diagram import EMPTY, Diagram
from bddsudoku.solutions.measure import first_levels, positions_in

__all__ = ["BddArrays", "diagram_of_bdd", "lift", "restrict", "to_bdd"]

KEEP, REQUIRE, FORBID = 0, 1, 2
SKIP, TRUE, FALSE, ANY = 0, 1, 2, 3


@kernel
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


@kernel
def _chain_nodes(variable: U16, first: I64, level: I64, before: I64) -> int:
    total = 0
    for i in range(1, len(variable)):
        total += before[level[variable[i]]] - before[first[i]]
    return total


@kernel
def _expand(
    variable: U16, low: U32, high: U32, root: int, first: I64, level: I64, mode: U8, extra: int
) -> tuple[U16, U32, U32, int]:
    """Move nodes to new levels and put explicit nodes on the skipped levels of some mode.

    A chain stands above every node (⊥ has none): one link for every level with a mode between
    the highest level at which an arc may start and the node. Arcs enter it where they need to.
    Children come before parents in the result.
    """
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
    return variable2[:used], low2[:used], high2[:used], new_root


def _expanded(diagram: Diagram, level: I64, mode: U8) -> tuple[U16, U32, U32, int]:
    d = diagram
    before = np.zeros(len(mode) + 1, dtype=np.int64)
    np.cumsum(mode != SKIP, out=before[1:])
    first = first_levels(d.variable, d.low, d.high, d.root, level)
    if d.root == EMPTY:
        first[1:] = level[d.variable[1:]]
    extra = int(_chain_nodes(d.variable, first, level, before))
    if d.size + extra > 0xFFFFFFFF:
        raise ModelError(f"the diagram would grow to {d.size + extra} nodes, more than 2**32 - 1")
    v, lo, hi, root = _expand(d.variable, d.low, d.high, d.root, first, level, mode, extra)
    v[:2] = len(mode)
    lo[:2] = hi[:2] = (0, 1)
    return v, lo, hi, int(root)


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
    v, lo, hi, root = _expanded(diagram, level, mode)
    return Diagram.from_arrays(keys, v, lo, hi, root, overwrite=True)


@dataclass(frozen=True)
class BddArrays:
    """A reduced BDD without complement edges, children before parents.

    Attributes:
        labels: int64; key of the variable of each level.
        variable: uint16; level of each node; terminals have level ``len(labels)``.
        low: uint32; child for false. Ids 0 and 1 are the terminals false and true.
        high: uint32; child for true.
        root: id of the root.
    """

    labels: I64
    variable: U16
    low: U32
    high: U32
    root: int


@kernel
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
) -> BddArrays:
    """The family's characteristic function as a BDD.

    Args:
        diagram: the family.
        variables: keys of a longer list that contains the diagram's in the same order; by default
            the diagram's own.
        true: keys among them that are true in every set; those that the diagram lacks otherwise
            are false in every set.

    Raises:
        ModelError: the list lacks a variable or has two of them in another order.

    Cost: linear in the BDD (see :func:`bddsudoku.solutions.measure.node_count` for its size
    beforehand).
    """
    keys = diagram.labels.tolist() if variables is None else list(variables)
    level = positions_in(diagram.labels, keys)
    settled = set(true) - set(diagram.labels.tolist())
    mode = np.array([TRUE if k in settled else FALSE for k in keys], dtype=np.uint8)
    v, lo, hi, root = _expanded(diagram, level, mode)
    v, lo, hi, root = _drop_equal(v, lo, hi, root)
    return BddArrays(np.array(keys, dtype=np.int64), v, lo, hi, int(root))


def diagram_of_bdd(labels: I64, variable: U16, low: U32, high: U32, root: int) -> Diagram:
    """The satisfying assignments of a BDD without complement edges as the canonical ZDD.

    Levels that an arc skips are "don't care" to a BDD and become nodes with equal children.

    Args:
        labels: key of the variable of each level.
        variable: level of each node, children before parents; entries 0 and 1 are ignored.
        low: child for false; 0 is false, 1 is true.
        high: child for true.
        root: id of the root.
    """
    levels = len(labels)
    v = np.array(variable, dtype=np.uint16)
    lo = np.array(low, dtype=np.uint32)
    hi = np.array(high, dtype=np.uint32)
    v[:2] = levels
    lo[:2] = hi[:2] = (0, 1)
    raw = Diagram(np.asarray(labels, dtype=np.int64), v, lo, hi, root)
    mode = np.full(levels, ANY, dtype=np.uint8)
    v2, lo2, hi2, new_root = _expanded(raw, np.arange(levels + 1, dtype=np.int64), mode)
    return Diagram.from_arrays(labels, v2, lo2, hi2, new_root, overwrite=True)
