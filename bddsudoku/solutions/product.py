"""Union, intersection and differences of two families, by a product of their diagrams.

Pairs of nodes are explored from the roots with a hash table of our own (open addressing, linear
probing), every pair once, and the product is then made canonical. This is Bryant's "apply" with
its recursion turned into a work list: no recursion limit, no garbage, bounded by the product of
the two sizes and in practice near their sum.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from bddsudoku.errors import LimitReached, ModelError
from bddsudoku.solutions.arrays import U16, U32, U64
from bddsudoku.solutions.diagram import Diagram

__all__ = ["AND", "DIFFERENCE", "OR", "XOR", "combine", "holds_somewhere"]

# bit 0: in the first only, bit 1: in the second only, bit 2: in both
AND, DIFFERENCE, OR, XOR = 4, 1, 7, 3

_FULL = -1
_FOUND = -2


@njit(cache=True, nogil=True)
def _decided(operation: int, a: int, b: int) -> int:
    """0 or 1 where two nodes already determine the result's terminal, otherwise -1."""
    if a == 0 and b == 0:
        return 0
    if a == 0 and not operation & 2:
        return 0
    if b == 0 and not operation & 1:
        return 0
    if a <= 1 and b <= 1:
        which = (1 if b == 0 else 4) if a else 2
        return 1 if operation & which else 0
    return -1


@njit(cache=True, nogil=True)
def _slot(table: U32, pairs: U64, pair: np.uint64) -> int:
    """Where a pair stands in the hash table, or the free place for it."""
    mask = len(table) - 1
    h = pair * np.uint64(0x9E3779B97F4A7C15)
    h ^= h >> np.uint64(29)
    h *= np.uint64(0xBF58476D1CE4E5B9)
    at: Any = np.int64((h ^ (h >> np.uint64(32))) & np.uint64(mask))
    while table[at] and pairs[table[at]] != pair:
        at = (at + 1) & mask
    return at  # type: ignore[no-any-return]


@njit(cache=True, nogil=True)
def _grown(array: Any, size: int) -> Any:
    out = np.empty(size, array.dtype)
    out[: len(array)] = array
    return out


@njit(cache=True, nogil=True)
def _product(
    variable_a: U16,
    low_a: U32,
    high_a: U32,
    root_a: int,
    variable_b: U16,
    low_b: U32,
    high_b: U32,
    root_b: int,
    operation: int,
    first_only: bool,
    limit: int,
) -> tuple[U16, U32, U32, int, int]:
    """All pairs reached, as nodes 2, 3, …; the root comes first. The last entry tells the outcome.

    With ``first_only`` the search ends with _FOUND as soon as one member of the result is certain:
    the pairs are then taken last in, first out.
    """
    shift = np.uint64(32)
    mask = np.uint64(0xFFFFFFFF)
    capacity = 1024
    pairs = np.empty(capacity, np.uint64)
    variable: Any = np.empty(capacity, np.uint16)
    low: Any = np.empty(capacity, np.uint32)
    high: Any = np.empty(capacity, np.uint32)
    table = np.zeros(4096, np.uint32)
    stack: Any = np.empty(capacity if first_only else 1, np.uint32)
    start = _decided(operation, root_a, root_b)
    if start >= 0:
        return variable[:2], low[:2], high[:2], start, (_FOUND if start and first_only else 2)
    pairs[2] = (np.uint64(root_a) << shift) | np.uint64(root_b)
    table[_slot(table, pairs, pairs[2])] = 2
    used = 3
    stack[0] = 2
    depth = 1
    done = 2
    while (depth > 0) if first_only else (done < used):
        if first_only:
            depth -= 1
            at: Any = np.int64(stack[depth])
        else:
            at = done
            done += 1
        if used + 2 > capacity:
            capacity *= 2
            if capacity > limit and used + 2 > limit:
                return variable[:2], low[:2], high[:2], 0, _FULL
            pairs = _grown(pairs, capacity)
            variable = _grown(variable, capacity)
            low = _grown(low, capacity)
            high = _grown(high, capacity)
            if first_only:
                stack = _grown(stack, capacity)
        if 2 * (used + 2) > len(table):
            table = np.zeros(2 * len(table), np.uint32)
            for i in range(2, used):
                table[_slot(table, pairs, pairs[i])] = i
        a: Any = np.int64(pairs[at] >> shift)
        b: Any = np.int64(pairs[at] & mask)
        va = variable_a[a]
        vb = variable_b[b]
        v = min(va, vb)
        variable[at] = v
        for branch in range(2):
            if branch == 0:
                x: Any = np.int64(low_a[a]) if va == v else a
                y: Any = np.int64(low_b[b]) if vb == v else b
            else:
                x = np.int64(high_a[a]) if va == v else 0
                y = np.int64(high_b[b]) if vb == v else 0
            child: Any = _decided(operation, x, y)
            if child < 0:
                pair = (np.uint64(x) << shift) | np.uint64(y)
                place = _slot(table, pairs, pair)
                child = np.int64(table[place])
                if child == 0:
                    child = used
                    pairs[used] = pair
                    table[place] = used
                    used += 1
                    if first_only:
                        stack[depth] = child
                        depth += 1
            elif child == 1 and first_only:
                return variable[:2], low[:2], high[:2], 1, _FOUND
            if branch == 0:
                low[at] = child
            else:
                high[at] = child
    return variable[:used], low[:used], high[:used], 2, used


def _run(
    a: Diagram, b: Diagram, operation: int, first_only: bool, max_nodes: int
) -> tuple[U16, U32, U32, int, int]:
    if not np.array_equal(a.labels, b.labels):
        raise ModelError("two diagrams are combined level by level: their labels must be the same")
    out = _product(
        a.variable,
        a.low,
        a.high,
        a.root,
        b.variable,
        b.low,
        b.high,
        b.root,
        operation,
        first_only,
        max_nodes,
    )
    if out[4] == _FULL:
        raise LimitReached(
            f"combining diagrams of {a.size - 2} and {b.size - 2} nodes takes more than "
            f"{max_nodes} pairs of nodes",
            limit="nodes",
            details={"nodes": max_nodes},
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

    Cost: some 100 ns a pair of nodes that is reached.
    """
    v, lo, hi, root, _ = _run(a, b, operation, False, max_nodes)
    return Diagram.from_arrays(a.labels, v, lo, hi, root, overwrite=True)


def holds_somewhere(a: Diagram, b: Diagram, operation: int, *, max_nodes: int = 1 << 30) -> bool:
    """Whether :func:`combine` would be non-empty; stops at the first member found.

    ``a <= b`` is ``not holds_somewhere(a, b, DIFFERENCE)``. Raises as ``combine`` does.
    """
    return _run(a, b, operation, True, max_nodes)[4] == _FOUND
