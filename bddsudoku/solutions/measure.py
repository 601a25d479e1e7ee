"""Node counts of a family in the forms in which the literature counts nodes.

A ZDD leaves out a node whose variable is false on the way through; a BDD has to test it. So the
equivalent BDD over the same variables in the same order is the ZDD plus, on every arc that skips
levels, a chain of tests "must be false", shared by all arcs that reach the same node: as long as
the longest of them needs it. A ZDD node whose children are the same node tells nothing to a BDD
and is left out there. Neither form has to be built to be counted. Complement edges, which let CUDD
merge a function with its negation, save a few nodes near the bottom; to count those the BDD is
built.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

import numpy as np

from bddsudoku.errors import ModelError
from bddsudoku.jit import kernel
from bddsudoku.solutions.arrays import I64, U16, U32
from bddsudoku.solutions.diagram import EMPTY, Diagram

__all__ = ["KINDS", "node_count", "positions_in"]

KINDS = ("zdd", "bdd", "cbdd")
"""What :func:`node_count` counts: ZDD, BDD, and BDD with complement edges (as in CUDD)."""


@kernel
def first_levels(variable: U16, low: U32, high: U32, root: int, level: I64) -> I64:
    """Per node the uppermost level at which some arc to it may start to test.

    That is one more than the level of its highest parent, and 0 for the root. ``level`` maps the
    diagram's levels, and the terminals' one, to those of the order looked at.
    """
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


@kernel
def _count(
    variable: U16, low: U32, high: U32, first: I64, level: I64, tested: I64, drop_equal: bool
) -> int:
    total = 0
    for i in range(1, len(variable)):
        total += tested[level[variable[i]]] - tested[first[i]]
        if i > 1 and not (drop_equal and low[i] == high[i]):
            total += 1
    return total


@kernel
def _complement_count(variable: U16, low: U32, high: U32) -> int:
    """Nodes left when a function and its negation share one; all given nodes are reached.

    An edge is ``2 * node + negated``, node 0 being true. A node's high edge is made regular by
    negating the whole node, as CUDD does.
    """
    size = len(variable)
    edge = np.empty(size, np.int64)
    edge[0] = 1
    edge[1] = 0
    capacity = 4096
    while capacity < 2 * size:
        capacity *= 2
    mask = capacity - 1
    table = np.zeros(capacity, np.int64)
    level = np.empty(size, np.uint16)
    low_edge = np.empty(size, np.int64)
    high_edge = np.empty(size, np.int64)
    used = 1
    for i in range(2, size):
        negated = edge[high[i]] & 1
        lo = edge[low[i]] ^ negated
        hi = edge[high[i]] ^ negated
        h = (np.uint64(lo) << np.uint64(32)) ^ np.uint64(hi)
        h = (h ^ (np.uint64(variable[i]) << np.uint64(16))) * np.uint64(0x9E3779B97F4A7C15)
        h ^= h >> np.uint64(29)
        h *= np.uint64(0xBF58476D1CE4E5B9)
        at = np.int64((h ^ (h >> np.uint64(32))) & np.uint64(mask))
        node = table[at]
        while node and (
            level[node] != variable[i] or low_edge[node] != lo or high_edge[node] != hi
        ):
            at = (at + 1) & mask
            node = table[at]
        if node == 0:
            node = np.int64(used)
            used += 1
            table[at] = node
            level[node] = variable[i]
            low_edge[node] = lo
            high_edge[node] = hi
        edge[i] = 2 * node + negated
    return used - 1


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


def node_count(
    diagram: Diagram,
    kind: str = "zdd",
    *,
    terminals: bool = False,
    variables: Iterable[int] | None = None,
    true: Collection[int] = (),
) -> int:
    """Number of nodes of the family's diagram.

    Args:
        diagram: the family.
        kind: ``zdd``; ``bdd`` for the equivalent BDD over the same variables in the same order,
            without complement edges; ``cbdd`` for the one with complement edges (CUDD's count).
        terminals: count the terminals that are reached as well.
        variables: keys of a longer list of variables that contains the diagram's in the same
            order, to count over. For the variables in it that the diagram lacks, see ``true``.
        true: keys among them that are true in every set; the others are false in every set.
            (The ``paper`` allocation has variables which hints or deduction settle.)

    Raises:
        ModelError: see ``variables``.
        ValueError: an unknown kind.

    Cost: one linear pass; for ``cbdd`` linear in the BDD's nodes, with some 40 bytes for each.
    """
    if kind not in KINDS:
        raise ValueError(f"expected one of {', '.join(KINDS)}, found {kind!r}")
    if kind == "cbdd":
        from bddsudoku.solutions.transform import to_bdd

        bdd = to_bdd(diagram, variables, true)
        inner = int(_complement_count(bdd.variable, bdd.low, bdd.high))
        return inner + int(terminals)
    keys = diagram.labels.tolist() if variables is None else list(variables)
    if diagram.root == EMPTY:
        return int(terminals)
    level = positions_in(diagram.labels, keys)
    here = set(diagram.labels.tolist())
    settled = set(true)
    tests = np.array(
        [key not in here and (kind == "bdd" or key in settled) for key in keys], dtype=bool
    )
    if kind == "bdd":
        tests[:] = True
    tested = np.zeros(len(keys) + 1, dtype=np.int64)
    np.cumsum(tests, out=tested[1:])
    d = diagram
    first = first_levels(d.variable, d.low, d.high, d.root, level)
    inner = int(_count(d.variable, d.low, d.high, first, level, tested, kind == "bdd"))
    if not terminals:
        return inner
    if inner == 0:
        return 1
    if kind == "zdd":
        skips_true = bool((tests & [key in settled for key in keys]).any())
        return inner + 1 + int(skips_true or bool((d.low[2:] == EMPTY).any()))
    return inner + 1 + int(_reaches_false(d, first, level))


def _reaches_false(d: Diagram, first: I64, level: I64) -> bool:
    """Whether the BDD has an arc to false: a chain node, or a low arc to ⊥."""
    chained = first[1:] < level[d.variable[1:]]
    return bool(chained.any() or (d.low[2:] == EMPTY).any())
