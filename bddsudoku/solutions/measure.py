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

from bddsudoku.jit import kernel
from bddsudoku.solutions.arrays import I64, U16, U32
from bddsudoku.solutions.bdd import complement_count, to_bdd
from bddsudoku.solutions.diagram import EMPTY, Diagram
from bddsudoku.solutions.skips import first_levels, positions_in

__all__ = ["KINDS", "node_count"]

KINDS = ("zdd", "bdd", "cbdd")
"""What :func:`node_count` counts: ZDD, BDD, and BDD with complement edges (as in CUDD)."""


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
        bdd = to_bdd(diagram, variables, true)
        inner = int(complement_count(bdd.variable, bdd.low, bdd.high))
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
