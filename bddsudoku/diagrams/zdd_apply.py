"""Bryant's "apply" for ZDDs: union, intersection and differences of two families.

:func:`constrain` is an application: the product of a diagram with that of a constraint.

Both diagrams are first joined into one canonical diagram, in which equal subfamilies are one node.
That costs a sort, but then two nodes are equal exactly when their ids are, and a subdiagram whose
partner is ⊥ is reused as it is. The other pairs of nodes are explored breadth first from the roots
with a hash table (open addressing, linear probing), every pair once, and the result is made
canonical. A work list replaces the recursion, so that there is no recursion limit. The number of
pairs is bounded by the product of the two sizes, is near their sum in practice, and is far smaller
for similar families.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from bddsudoku.diagrams.canonical import Nodes, mix_hash
from bddsudoku.diagrams.transform import diagram_of_bdd
from bddsudoku.diagrams.zdd import Diagram
from bddsudoku.errors import LimitReached, ModelError
from bddsudoku.jit import kernel, subroutine
from bddsudoku.jit.decorators import I64, U16, U32, U64
from bddsudoku.model.constraints import Constraint
from bddsudoku.model.to_mdd import constraint_mdd

AND, DIFFERENCE, OR, XOR = 0, 1, 2, 3

_OPEN = -1
_DONE, _FULL, _FOUND = range(3)


@kernel
def _terminal_case(operation: int, x: int, y: int) -> int:
    """The result of an operation if ⊥ or equal operands decide it, else _OPEN (-1)."""
    if x == y:
        return x if operation in (AND, OR) else 0
    if x == 0:
        return y if operation in (OR, XOR) else 0
    if y == 0:
        return 0 if operation == AND else x
    return _OPEN


@subroutine
def _find_pair_slot(table: U32, pairs: U64, pair: np.uint64) -> int:
    """Find the slot of a pair of nodes in the hash table, or a free slot for it."""
    mask = np.int64(len(table) - 1)
    at: Any = np.int64(mix_hash(pair) & np.uint64(mask))
    while table[at] and pairs[table[at] - 1] != pair:
        at = (at + 1) & mask
    return at  # type: ignore[no-any-return]


@kernel
def _apply_to_children(
    nodes: Nodes,
    operation: int,
    emptiness_only: bool,
    table: U32,
    pairs: U64,
    level: U16,
    left: U32,
    right: U32,
    progress: I64,
) -> int:
    """Go on with a set operation on the families of the root's two children.

    New nodes are numbered from the root's id, which they replace; the first is the result's root.
    The root's children must be no terminal case.

    Args:
        nodes: the diagram of both families.
        operation: as for :func:`apply`.
        emptiness_only: end with _FOUND as soon as the result is known to have a member.
        table: zeros, twice as many as there may be pairs.
        pairs: the pairs of nodes; at first only that of the root's children.
        level: the level of each pair's unreduced node.
        left: its low child.
        right: its high child.
        progress: the number of pairs, and of those whose node is written; updated.

    Returns:
        _DONE, _FOUND, or _FULL, after which the work goes on in longer arrays.
    """
    variable, low, high, base = nodes
    shift = np.uint64(32)
    mask = np.uint64(0xFFFFFFFF)
    used, done = progress[0], progress[1]
    for i in range(used):
        table[_find_pair_slot(table, pairs, pairs[i])] = i + 1
    while done < used:
        if used + 2 > len(pairs):
            progress[0] = used
            progress[1] = done
            return _FULL
        a: Any = np.int64(pairs[done] >> shift)
        b: Any = np.int64(pairs[done] & mask)
        va = variable[a]
        vb = variable[b]
        v = min(va, vb)
        level[done] = v
        for branch in range(2):
            if branch == 0:
                x: Any = np.int64(low[a]) if va == v else a
                y: Any = np.int64(low[b]) if vb == v else b
            else:
                x = np.int64(high[a]) if va == v else 0
                y = np.int64(high[b]) if vb == v else 0
            child: Any = _terminal_case(operation, x, y)
            if child == _OPEN:
                if operation != DIFFERENCE and x > y:
                    x, y = y, x
                pair = (np.uint64(x) << shift) | np.uint64(y)
                place = _find_pair_slot(table, pairs, pair)
                child = np.int64(table[place])
                if child == 0:
                    pairs[used] = pair
                    used += 1
                    child = np.int64(used)
                    table[place] = used
                child += base - 1
            elif child and emptiness_only:
                return _FOUND
            if branch == 0:
                left[done] = child
            else:
                right[done] = child
        done += 1
    progress[0] = used
    return _DONE


def join_under_new_root(labels: ArrayLike, a: Diagram, b: Diagram) -> Diagram:
    """The diagram whose root, on a new level on top, has two given diagrams as children.

    Args:
        labels: keys of the levels, preceded by the key of the new root's level.
        a: the low child, the sets without the root's variable.
        b: the high child, the sets with it.
    """
    renamed = np.arange(a.size - 2, a.size - 2 + b.size, dtype=np.uint32)
    renamed[:2] = (0, 1)
    variable = np.concatenate((a.variable, b.variable[2:], a.variable[:1])) + np.uint16(1)
    variable[-1] = 0
    low = np.concatenate((a.low, renamed[b.low[2:]], [np.uint32(a.root)]))
    high = np.concatenate((a.high, renamed[b.high[2:]], [renamed[b.root]]))
    return Diagram.from_arrays(labels, variable, low, high, len(low) - 1, overwrite=True)


def apply(
    a: Diagram,
    b: Diagram,
    operation: int,
    *,
    max_nodes: int = 1 << 30,
    emptiness_only: bool = False,
) -> Diagram:
    """The union, intersection, difference or symmetric difference of two families.

    Args:
        a: first family.
        b: second family.
        operation: AND, OR, DIFFERENCE (sets of the first only) or XOR (sets of exactly one).
        max_nodes: greatest number of pairs of nodes; each takes some 34 bytes meanwhile.
        emptiness_only: only decide whether the result is empty: stop at the first member, and
            return any nonempty family in place of the result.

    Raises:
        ModelError: the labels differ.
        LimitReached: more pairs than ``max_nodes``.

    Cost: some 100 ns per node of either diagram and some 200 ns per expanded pair; at most some
    40 bytes per node beside the diagrams.
    """
    if not np.array_equal(a.labels, b.labels):
        raise ModelError("two diagrams are combined level by level: their labels must be the same")
    if a.is_empty:
        return b if operation in (OR, XOR) else a
    if b.is_empty:
        return a if operation != AND else b
    both = join_under_new_root(np.arange(a.levels + 1), a, b)
    low = both.low[-1]
    decided = int(_terminal_case(operation, low, both.high[-1]))
    if decided != _OPEN:
        return a if decided == low else Diagram.empty(a.labels)
    max_pairs = min(max_nodes, 0xFFFFFFF0 - both.root)
    pairs, level = np.empty(1024, np.uint64), np.empty(1024, np.uint16)
    left, right = np.empty(1024, np.uint32), np.empty(1024, np.uint32)
    pairs[0] = int(low) << 32 | int(both.high[-1])
    progress = np.array([1, 0])
    while True:
        table = np.zeros(2 * len(pairs), np.uint32)
        outcome = _apply_to_children(
            both.nodes, operation, emptiness_only, table, pairs, level, left, right, progress
        )
        used = int(progress[0])
        if outcome != _FULL:
            break
        if used + 2 > max_pairs:
            raise LimitReached(
                f"combining diagrams of {a.size - 2} and {b.size - 2} nodes takes more than "
                f"{max_pairs} pairs of nodes",
                limit="nodes",
                details={"nodes": max_pairs},
            )
        for array in (pairs, level, left, right):
            array.resize(2 * len(array), refcheck=False)
    if emptiness_only:
        return a if outcome == _FOUND else Diagram.empty(a.labels)
    del pairs, table
    root = both.root
    variable = np.concatenate((both.variable[:-1], level[:used])) - np.uint16(1)
    low = np.concatenate((both.low[:-1], left[:used]))
    high = np.concatenate((both.high[:-1], right[:used]))
    del both
    return Diagram.from_arrays(a.labels, variable, low, high, root, overwrite=True)


def constrain(diagram: Diagram, fixed: Iterable[int], constraint: Constraint) -> Diagram:
    """The sets of a family that satisfy a constraint: its intersection with the constraint's MDD.

    Args:
        diagram: the family.
        fixed: keys that are true in every set and are no variables of the diagram.
        constraint: over keys instead of positions: ``variables`` lists keys. Keys that are
            neither in the diagram nor fixed are false.

    Raises:
        LimitReached: the constraint's MDD is too wide; the message names the constraint.
    """
    level_of = {int(key): level for level, key in enumerate(diagram.labels)}
    always = set(fixed)
    known = {key: key in always for key in constraint.variables if key not in level_of}
    # Keys may ascend in another order than the diagram's levels.
    rest = constraint.restrict(known).renumber(level_of)
    if rest.verdict is not None:
        return diagram if rest.verdict else Diagram.empty(diagram.labels)
    *arrays, root = constraint_mdd(rest, [[level] for level in rest.variables]).bdd()
    variable, low, high = (np.append(np.zeros(2, np.uint32), a).astype(np.uint32) for a in arrays)
    nodes = Nodes(variable.astype(np.uint16), low, high, root)
    return apply(diagram, diagram_of_bdd(diagram.labels, nodes), AND)
