"""Union, intersection and differences of two families, by a product of their diagrams.

Both diagrams are first merged into one forest, in which equal families are one node; that costs a
sort, but then two nodes are equal exactly when their ids are, and what only one of the two sets
has is taken over as it is. What is left are pairs of different nodes. They are explored from the
roots with a hash table of our own (open addressing, linear probing), every pair once, and the
result is made canonical. This is Bryant's "apply" with its recursion turned into a work list: no
recursion limit, no garbage; bounded by the product of the two sizes and in practice near their
sum, far less where the sets are alike.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from bddsudoku.diagrams.canonical import U16, U32, U64, grown, mixed
from bddsudoku.diagrams.zdd import EMPTY, Diagram
from bddsudoku.errors import LimitReached, ModelError
from bddsudoku.jit import allocating_kernel, kernel

AND, DIFFERENCE, OR, XOR = 0, 1, 2, 3

_OPEN = -1
_FULL = -1
_FOUND = -2


@kernel
def _decided(operation: int, x: int, y: int) -> int:
    """The node that a pair comes to without looking below it, or _OPEN."""
    if x == y:
        return x if operation in (AND, OR) else 0
    if x == 0:
        return y if operation in (OR, XOR) else 0
    if y == 0:
        return 0 if operation == AND else x
    return _OPEN


@kernel
def _slot(table: U32, pairs: U64, pair: np.uint64) -> int:
    """Where a pair stands in the hash table, or the free place for it."""
    mask = np.int64(len(table) - 1)
    at: Any = np.int64(mixed(pair) & np.uint64(mask))
    while table[at] and pairs[table[at] - 1] != pair:
        at = (at + 1) & mask
    return at  # type: ignore[no-any-return]


@allocating_kernel
def _product(
    variable: U16,
    low: U32,
    high: U32,
    root_a: int,
    root_b: int,
    operation: int,
    first_only: bool,
    limit: int,
) -> tuple[U16, U32, U32, int]:
    """The pairs that had to be opened, as nodes behind those of the forest; the root comes first.

    The last entry tells how many, or _FULL, or _FOUND: with ``first_only`` the search ends as soon
    as one member of the result is certain. The root pair must be open.
    """
    shift = np.uint64(32)
    mask = np.uint64(0xFFFFFFFF)
    base = len(variable)
    capacity = 1024
    pairs = np.empty(capacity, np.uint64)
    level: Any = np.empty(capacity, np.uint16)
    left: Any = np.empty(capacity, np.uint32)
    right: Any = np.empty(capacity, np.uint32)
    table = np.zeros(4096, np.uint32)
    pairs[0] = (np.uint64(root_a) << shift) | np.uint64(root_b)
    table[_slot(table, pairs, pairs[0])] = 1
    used = 1
    done = 0
    while done < used:
        if used + 2 > capacity:
            capacity *= 2
            if used + 2 > limit:
                return level[:0], left[:0], right[:0], _FULL
            pairs = grown(pairs, capacity)
            level = grown(level, capacity)
            left = grown(left, capacity)
            right = grown(right, capacity)
        if 2 * (used + 2) > len(table):
            table = np.zeros(2 * len(table), np.uint32)
            for i in range(used):
                table[_slot(table, pairs, pairs[i])] = i + 1
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
            child: Any = _decided(operation, x, y)
            if child == _OPEN:
                if operation != DIFFERENCE and x > y:
                    x, y = y, x
                pair = (np.uint64(x) << shift) | np.uint64(y)
                place = _slot(table, pairs, pair)
                child = np.int64(table[place])
                if child == 0:
                    pairs[used] = pair
                    used += 1
                    child = np.int64(used)
                    table[place] = used
                child += base - 1
            elif child and first_only:
                return level[:0], left[:0], right[:0], _FOUND
            if branch == 0:
                left[done] = child
            else:
                right[done] = child
        done += 1
    return level[:used], left[:used], right[:used], used


@dataclass(frozen=True)
class _Forest:
    """Two families in one canonical diagram."""

    variable: U16
    low: U32
    high: U32
    a: int
    b: int


def _joined(a: Diagram, b: Diagram) -> tuple[U16, U32, U32, U32]:
    """The nodes of both, those of ``b`` renamed to follow, with room for one more."""
    extra = b.size - 2
    variable = np.empty(a.size + extra + 1, dtype=np.uint16)
    low = np.empty(a.size + extra + 1, dtype=np.uint32)
    high = np.empty(a.size + extra + 1, dtype=np.uint32)
    renamed = np.arange(a.size - 2, a.size - 2 + b.size, dtype=np.uint32)
    renamed[:2] = (0, 1)
    variable[: a.size] = a.variable
    low[: a.size] = a.low
    high[: a.size] = a.high
    variable[a.size : -1] = b.variable[2:]
    low[a.size : -1] = renamed[b.low[2:]]
    high[a.size : -1] = renamed[b.high[2:]]
    return variable, low, high, renamed


def _forest(a: Diagram, b: Diagram) -> _Forest:
    """One canonical diagram for both families, which must not be empty.

    Their roots become the children of one node above all levels.
    """
    variable, low, high, renamed = _joined(a, b)
    variable += 1
    variable[-1] = 0
    low[-1] = a.root
    high[-1] = renamed[b.root]
    levels = np.arange(a.levels + 1)
    top = len(variable) - 1
    both = Diagram.from_arrays(levels, variable, low, high, top, overwrite=True)
    variable = both.variable[:-1] - np.uint16(1)
    return _Forest(variable, both.low[:-1], both.high[:-1], int(both.low[-1]), int(both.high[-1]))


def _check(a: Diagram, b: Diagram) -> None:
    if not np.array_equal(a.labels, b.labels):
        raise ModelError("two diagrams are combined level by level: their labels must be the same")


def _run(
    a: Diagram, b: Diagram, forest: _Forest, operation: int, first_only: bool, max_nodes: int
) -> tuple[U16, U32, U32, int]:
    f = forest
    room = min(max_nodes, 0xFFFFFFF0 - len(f.variable))
    out = _product(f.variable, f.low, f.high, f.a, f.b, operation, first_only, room)
    if out[3] == _FULL:
        raise LimitReached(
            f"combining diagrams of {a.size - 2} and {b.size - 2} nodes takes more than "
            f"{room} pairs of nodes",
            limit="nodes",
            details={"nodes": room},
        )
    return out


def combine(a: Diagram, b: Diagram, operation: int, *, max_nodes: int = 1 << 30) -> Diagram:
    """The family made of two families over the same labels.

    Args:
        a: first family.
        b: second family.
        operation: AND, OR, DIFFERENCE (in the first only) or XOR (in one of them only).
        max_nodes: pairs of nodes at most; each takes some 34 bytes while the product is made.

    Raises:
        ModelError: the labels differ.
        LimitReached: more pairs than ``max_nodes``.

    Cost: some 100 ns a node of either diagram and some 200 ns a pair that is opened; at most some
    40 bytes a node beside the diagrams.
    """
    _check(a, b)
    if a.root == EMPTY:
        return b if operation in (OR, XOR) else a
    if b.root == EMPTY:
        return a if operation != AND else b
    forest = _forest(a, b)
    decided = int(_decided(operation, forest.a, forest.b))
    if decided != _OPEN:
        return a if decided == forest.a else Diagram.empty(a.labels)
    level, left, right, _ = _run(a, b, forest, operation, False, max_nodes)
    return Diagram.from_arrays(
        a.labels,
        np.concatenate((forest.variable, level)),
        np.concatenate((forest.low, left)),
        np.concatenate((forest.high, right)),
        len(forest.variable),
        overwrite=True,
    )


def holds_somewhere(a: Diagram, b: Diagram, operation: int, *, max_nodes: int = 1 << 30) -> bool:
    """Whether :func:`combine` would be non-empty; stops at the first member found.

    ``a <= b`` is ``not holds_somewhere(a, b, DIFFERENCE)``. Raises as ``combine`` does.
    """
    _check(a, b)
    if a.root == EMPTY or b.root == EMPTY:
        return combine(a, b, operation).root != EMPTY
    forest = _forest(a, b)
    decided = int(_decided(operation, forest.a, forest.b))
    if decided != _OPEN:
        return decided != EMPTY
    return _run(a, b, forest, operation, True, max_nodes)[3] == _FOUND
