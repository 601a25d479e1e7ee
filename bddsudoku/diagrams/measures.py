"""Measures of a ZDD: co-occurrence, size distribution, extreme weights, BDD node counts, drawing.

Node counts are those of the literature. An arc of a ZDD skips a level whose variable is false; a
BDD has to test it. So the equivalent BDD over the same variables in the same order is the ZDD plus,
on every arc that skips levels, a chain of tests "must be false", shared by all arcs to the same
node and as long as the longest of them needs it. A ZDD node with equal children is redundant in a
BDD. Complement edges, with which CUDD shares a node between a function and its negation, save a few
nodes near the bottom.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator

import numpy as np
from numpy.typing import ArrayLike

from bddsudoku.diagrams.canonical import Nodes, find_node_slot
from bddsudoku.diagrams.transform import lift, to_bdd
from bddsudoku.diagrams.zdd import EMPTY, UNIT, Diagram
from bddsudoku.errors import ModelError
from bddsudoku.jit import kernel
from bddsudoku.jit.decorators import I64, U8, U16, U32, AnyArray, Flags


def _levels_upwards(diagram: Diagram) -> Iterator[tuple[int, slice]]:
    """Yield each level with nodes and the slice of these, children before parents."""
    levels = -diagram.variable.astype(np.int64)
    begin = 2
    while begin < diagram.size:
        end = begin + int(np.searchsorted(levels[begin:], levels[begin], "right"))
        yield -int(levels[begin]), slice(begin, end)
        begin = end


def cooccurrences(diagram: Diagram) -> Flags:
    """Which pairs of variables are true together in some set of the family, as a bool matrix.

    Returns:
        bool, shape (levels, levels), symmetric; the diagonal: variables that are true in some set.

    Cost: levels / 64 linear passes, with 8 bytes per node beside the diagram.
    """
    levels = diagram.levels
    words = (levels + 63) // 64
    pairs = np.zeros((levels, words * 64), dtype=bool)
    occurs = np.zeros(diagram.size, dtype=np.uint64)
    nodes_by_level = [*_levels_upwards(diagram)]
    for word in range(words):
        occurs[:2] = 0
        out = np.zeros(levels, dtype=np.uint64)
        for level, nodes in nodes_by_level:
            bits = occurs[diagram.high[nodes]]
            out[level] = np.bitwise_or.reduce(bits)
            bits |= occurs[diagram.low[nodes]]
            occurs[nodes] = bits | np.uint64(1 << level - 64 * word if level >> 6 == word else 0)
        octets: U8 = out.astype("<u8").view(np.uint8).reshape(levels, 8)
        pairs[:, 64 * word : 64 * word + 64] = np.unpackbits(octets, axis=1, bitorder="little")
    square = pairs[:, :levels]
    square |= square.T
    np.fill_diagonal(square, diagram.profile() > 0)
    return square


def size_distribution(diagram: Diagram, total: int) -> list[int]:
    """How many sets of the family have size 0, 1, …, up to the size of the largest set.

    Args:
        diagram: the family.
        total: number of its sets.

    Cost: one number per node and level: 8 bytes each while the total is below 2**63, Python
    integers above.
    """
    kind = np.int64 if total < 1 << 63 else object
    below = np.zeros((diagram.size, diagram.levels + 1), dtype=kind)
    below[1, 0] = 1
    for _, nodes in _levels_upwards(diagram):
        below[nodes] = below[diagram.low[nodes]]
        below[nodes, 1:] += below[diagram.high[nodes], :-1]
    found: list[int] = below[diagram.root].tolist()
    while found and not found[-1]:
        found.pop()
    return found


def extreme_weight(
    diagram: Diagram, weight: ArrayLike, *, greatest: bool = False
) -> tuple[int | float, I64]:
    """The least (or greatest) total weight of a set of a family, and the levels of such a set.

    Among sets of equal weight the first in the diagram's order is taken.

    Args:
        diagram: a non-empty family.
        weight: one weight per level. Integers are added exactly, floats as float64.
        greatest: whether the greatest weight is wanted.

    Raises:
        ValueError: the family is empty, or the weights are not finite.
        OverflowError: sums of the integer weights may exceed 64 bits.

    Cost: one linear pass, 8 bytes per node (Knuth, TAOCP 7.1.4, algorithm B).
    """
    if diagram.root == EMPTY:
        raise ValueError("an empty set has no lightest or heaviest member")
    given = np.asarray(weight)
    if given.dtype.kind in "Obiu" or not given.size:
        if sum(abs(int(x)) for x in given.tolist()) >= 1 << 62:
            raise OverflowError("the weights add up to more than 64-bit integers hold")
        weights: AnyArray = given.astype(np.int64)
    else:
        weights = given.astype(np.float64)
        if not np.isfinite(weights).all():
            raise ValueError("weights must be finite")
    d = diagram
    best = np.zeros(d.size, weights.dtype)
    weights = -weights if greatest else weights
    taken = np.ones(d.size, bool)
    for level, nodes in _levels_upwards(d):
        best[nodes] = best[d.high[nodes]] + weights[level]
        low, without = d.low[nodes], best[d.low[nodes]]
        taken[nodes] = (low == EMPTY) | (without >= best[nodes])
        best[nodes] = np.where(taken[nodes], best[nodes], without)
    chosen: list[int] = []
    at = d.root
    while at > UNIT:
        if taken[at]:
            chosen.append(int(d.variable[at]))
        at = int(d.high[at] if taken[at] else d.low[at])
    found = best[d.root].item()
    return 0 - found if greatest else found, np.array(chosen, np.int64)


def default_variable_name(key: int) -> str:
    """The default name of a variable in other libraries: ``x`` and its key."""
    return f"x{key}"


KINDS = ("zdd", "bdd", "cbdd")
"""Kinds for :func:`node_count`: ZDD, BDD, and BDD with complement edges (as in CUDD)."""


@kernel
def _count_with_complement_edges(
    nodes: Nodes, edge: U32, table: U32, level: U16, low_edge: U32, high_edge: U32
) -> int:
    """Count the nodes that a BDD, given without complement edges, would have with them.

    As in CUDD, high edges are regular: a node with a complemented one is negated as a whole. All
    given nodes must be reachable. The other arrays are working memory; ``table`` has zeros.
    """
    variable, low, high, _ = nodes
    size = len(variable)
    edge[0] = 0
    edge[1] = 1
    used = 1
    for i in range(2, size):
        negated = edge[high[i]] & 1
        lo = edge[low[i]] ^ negated
        hi = edge[high[i]] ^ negated
        at = find_node_slot(table, level, low_edge, high_edge, variable[i], lo, hi)
        if table[at] == 0:
            table[at] = used
            level[used] = variable[i]
            low_edge[used] = lo
            high_edge[used] = hi
            used += 1
        edge[i] = 2 * table[at] + negated
    return used - 1


def node_count(
    diagram: Diagram,
    kind: str = "zdd",
    *,
    variables: Iterable[int] | None = None,
    true: Collection[int] = (),
) -> int:
    """Number of nodes of the family's ZDD or BDD, without terminals.

    Args:
        diagram: the family.
        kind: ``zdd``; ``bdd`` for the equivalent BDD over the same variables in the same order,
            without complement edges; ``cbdd`` for the one with complement edges (CUDD's count).
        variables: keys to count over, as for
            :func:`bddsudoku.diagrams.transform.place_levels_among_keys`, also for its errors.
        true: as there. (The ``paper`` allocation has variables that hints or deduction determine.)

    Raises:
        ValueError: an unknown kind.

    Cost: linear in the nodes that are counted, which are made, with some 20 to 40 bytes for each.
    """
    if kind not in KINDS:
        raise ValueError(f"expected one of {', '.join(KINDS)}, found {kind!r}")
    if kind == "zdd":
        return (diagram if variables is None else lift(diagram, variables, true)).size - 2
    nodes = to_bdd(diagram, variables, true)
    size = len(nodes.low)
    if kind == "bdd":
        return size - 2
    edge, low, high = np.empty((3, size), np.uint32)
    table = np.zeros(2 << size.bit_length(), np.uint32)
    levels = np.empty(size, np.uint16)
    return int(_count_with_complement_edges(nodes, edge, table, levels, low, high))


def to_dot(
    diagram: Diagram, name: Callable[[int], str] = default_variable_name, *, max_nodes: int = 500
) -> str:
    """A drawing of a ZDD as Graphviz text: solid arcs for "true", dashed ones for "false".

    Arcs to ⊥ are omitted, as is usual for ZDDs.

    Args:
        diagram: the diagram.
        name: label of a variable, given its key.
        max_nodes: larger diagrams raise an error, because the drawing would be unreadable.

    Raises:
        ModelError: the diagram is too large.
    """
    nodes = diagram.size - 2
    if nodes > max_nodes:
        raise ModelError(
            f"a picture of {nodes:,} nodes helps nobody: at most {max_nodes} are drawn"
        )
    lines = ["digraph zdd {", "  rankdir=TB;", '  node [shape=circle, fontname="sans-serif"];']
    shown = EMPTY if diagram.root == EMPTY else UNIT
    sign = "⊥" if shown == EMPTY else "⊤"
    lines.append(f'  {shown} [shape=box, label="{sign}"];')
    for level, key in enumerate(diagram.labels.tolist()):
        level_nodes = [i for i in range(2, diagram.size) if diagram.variable[i] == level]
        if not level_nodes:
            continue
        text = name(key).replace("\\", "\\\\").replace('"', '\\"')
        for i in level_nodes:
            lines.append(f'  {i} [label="{text}"];')
            if diagram.low[i] != EMPTY:
                lines.append(f"  {i} -> {diagram.low[i]} [style=dashed];")
            lines.append(f"  {i} -> {diagram.high[i]};")
        lines.append(f"  {{ rank=same; {'; '.join(map(str, level_nodes))}; }}")
    return "\n".join([*lines, "}"]) + "\n"
