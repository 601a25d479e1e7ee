"""Kernels that reduce the node arrays of an ordered decision diagram to the canonical ZDD.

The work goes level by level from the bottom, as in Bryant's reduction (IEEE Trans. Comp. C-35,
1986) with the zero-suppression rule of Minato (DAC 1993): children are renamed first, nodes
whose high child is ⊥ are replaced by their low child, the rest of the level is sorted by
(low, high) and equal pairs are merged. Sorting is a radix sort on the bits that differ, so the
whole is linear in the number of nodes for all practical purposes.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from bddsudoku.jit import kernel, subroutine
from bddsudoku.jit.decorators import I64, U8, U16, U32, U64, AnyArray


class Nodes(NamedTuple):
    """The node arrays and the root of a diagram; children come before parents.

    Ids 0 and 1 are the terminals.

    Attributes:
        variable: uint16; level of each node; the terminals' level is the number of levels.
        low: uint32; child where the variable is false.
        high: uint32; child where the variable is true.
        root: id of the root.
    """

    variable: U16
    low: U32
    high: U32
    root: int


def read_only(array: AnyArray) -> AnyArray:
    """A read-only view of an array."""
    view = array.view()
    view.flags.writeable = False
    return view


@subroutine
def mix_hash(h: np.uint64) -> np.uint64:
    """A 64-bit hash of a 64-bit number."""
    h = (h ^ (h >> np.uint64(32))) * np.uint64(0x9E3779B97F4A7C15)
    h = (h ^ (h >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9)
    return h ^ (h >> np.uint64(32))


@subroutine
def find_node_slot(table: U32, variable: U16, low: U32, high: U32, v: int, lo: int, hi: int) -> int:
    """Find a node's slot in a unique table (a hash table of node ids), or a free slot for it."""
    mask = np.int64(len(table) - 1)
    key = (np.uint64(lo) << np.uint64(32)) | np.uint64(hi)
    at: Any = np.int64(mix_hash(key ^ (np.uint64(v) << np.uint64(20))) & np.uint64(mask))
    while table[at] and (variable[table[at]] != v or low[table[at]] != lo or high[table[at]] != hi):
        at = (at + 1) & mask
    return at  # type: ignore[no-any-return]


@kernel
def fill_unique_table(table: U32, variable: U16, low: U32, high: U32, begin: int, end: int) -> None:
    """Enter the nodes ``begin`` to ``end - 1`` into an empty unique table."""
    for i in range(begin, end):
        table[find_node_slot(table, variable, low, high, variable[i], low[i], high[i])] = i


UNGROUPED, GROUPED, CANONICAL = -3, -2, -1
"""Results of :func:`classify_node_order`: nodes in any order; nodes by descending level, children
first; canonical order without redundant nodes."""


@kernel
def classify_node_order(
    variable: U16, low: U32, high: U32, root: int, levels: int, is_reachable: U8
) -> int:
    """Classify the order of nodes as canonical, grouped or ungrouped, or find an invalid node.

    Args:
        variable: see :class:`~bddsudoku.diagrams.zdd.Diagram`, also for ``low`` and ``high``.
        root: id of the root.
        levels: number of levels.
        is_reachable: one zero per node; overwritten.

    Returns:
        :data:`UNGROUPED`, :data:`GROUPED`, :data:`CANONICAL`, or the id (2 or more) of the first
        node that is out of range or not above its children.
    """
    size = len(variable)
    grouped = True
    # the root must be the last node where there are inner nodes, otherwise a terminal
    ordered = root == size - 1 if size > 2 else root < 2
    for i in range(2, size):
        v = variable[i]
        lo = low[i]
        hi = high[i]
        if v >= levels or lo >= size or hi >= size:
            return i
        if (lo > 1 and variable[lo] <= v) or (hi > 1 and variable[hi] <= v):
            return i
        if hi == 0:
            ordered = False
        if i > 2:
            if v > variable[i - 1]:
                grouped = False
            elif v == variable[i - 1] and (
                lo < low[i - 1] or (lo == low[i - 1] and hi <= high[i - 1])
            ):
                ordered = False
    if not grouped:
        return UNGROUPED
    if not ordered:
        return GROUPED
    is_reachable[root] = 1
    for i in range(size - 1, 1, -1):
        if not is_reachable[i]:
            return GROUPED
        is_reachable[low[i]] = 1
        is_reachable[high[i]] = 1
    return CANONICAL


@kernel
def mark_reachable(low: U32, high: U32, root: int, is_reachable: U8) -> None:
    """Flag every node that is reachable from ``root``; children must precede their parents."""
    is_reachable[root] = 1
    for i in range(len(low) - 1, 1, -1):
        if is_reachable[i]:
            is_reachable[low[i]] = 1
            is_reachable[high[i]] = 1


@kernel
def _move_to_levels(
    variable: U16, low: U32, high: U32, start: I64, variable2: U16, low2: U32, high2: U32, new: U32
) -> None:
    """Write nodes by descending level to other arrays, and the new id of every old node to ``new``.

    ``start`` has a zero for each level and for that of the terminals; it becomes each level's
    first free id.
    """
    size = len(variable)
    for i in range(2, size):
        start[variable[i]] += 1
    total = 2
    for v in range(len(start) - 1, -1, -1):
        total, start[v] = total + start[v], total
    new[0] = 0
    new[1] = 1
    for i in range(2, size):
        v = variable[i]
        new[i] = start[v]
        start[v] += 1
    for i in range(size):
        j = new[i]
        variable2[j] = variable[i]
        low2[j] = new[low[i]]
        high2[j] = new[high[i]]


def group_by_level(variable: U16, low: U32, high: U32, levels: int) -> tuple[U16, U32, U32, U32]:
    """Sort nodes by descending level; return new arrays, and the new id of every old node."""
    size = len(low)
    variable2, low2 = np.empty(size, np.uint16), np.empty(size, np.uint32)
    high2, new = np.empty(size, np.uint32), np.empty(size, np.uint32)
    start = np.zeros(levels + 1, np.int64)
    _move_to_levels(variable, low, high, start, variable2, low2, high2, new)
    return variable2, low2, high2, new


HISTOGRAM = 2048
"""Length of the histogram, working memory of :func:`sort_by_key`."""


@kernel
def sort_by_key(
    key: U64, item: U32, spare_key: U64, spare_item: U32, count: int, histogram: I64
) -> bool:
    """Sort items by key; return True if the result is in the spare arrays instead of in place.

    Inserts when short, otherwise a radix sort on the differing bits.
    """
    varying = np.uint64(0)
    ascending = True
    for i in range(1, count):
        varying |= key[i] ^ key[0]
        if key[i] < key[i - 1]:
            ascending = False
    if ascending:
        return False
    if count <= 40:
        for i in range(1, count):
            a = key[i]
            b = item[i]
            j = i - 1
            while j >= 0 and key[j] > a:
                key[j + 1] = key[j]
                item[j + 1] = item[j]
                j -= 1
            key[j + 1] = a
            item[j + 1] = b
        return False
    bits = 11 if count > 20_000 else 8
    mask = np.uint64((1 << bits) - 1)
    swapped = False
    shift = 0
    while shift < 64:
        s = np.uint64(shift)
        if (varying >> s) & mask:
            for d in range(1 << bits):
                histogram[d] = 0
            for i in range(count):
                histogram[np.int64((key[i] >> s) & mask)] += 1
            total = 0
            for d in range(1 << bits):
                c = histogram[d]
                histogram[d] = total
                total += c
            for i in range(count):
                digit = np.int64((key[i] >> s) & mask)
                p = histogram[digit]
                histogram[digit] = p + 1
                spare_key[p] = key[i]
                spare_item[p] = item[i]
            key, spare_key = spare_key, key
            item, spare_item = spare_item, item
            swapped = not swapped
        shift += bits
    return swapped


def canonicalise(variable: U16, low: U32, high: U32, root: int) -> tuple[int, int]:
    """Reduce node arrays grouped by level to the canonical ZDD in place; return size and root.

    Further memory: 5 bytes per node, and 24 bytes per node of the widest level.
    """
    widest = int(_widest_level(variable))
    new, alive = np.empty(len(low), np.uint32), np.zeros(len(low), np.uint8)
    keys, items = np.empty((2, widest), np.uint64), np.empty((2, widest), np.uint32)
    histogram = np.empty(HISTOGRAM, np.int64)
    return _reduce(Nodes(variable, low, high, root), new, alive, keys, items, histogram)


@kernel
def _widest_level(variable: U16) -> int:
    """The greatest number of nodes of one level, where nodes are grouped by level."""
    widest = 1
    begin = 2
    for i in range(2, len(variable)):
        if variable[i] != variable[begin]:
            begin = i
        widest = max(widest, i + 1 - begin)
    return widest


@kernel
def _reduce(
    nodes: Nodes, new: U32, alive: U8, keys: U64, items: U32, histogram: I64
) -> tuple[int, int]:
    """Reduce nodes for :func:`canonicalise`, which makes the other arrays.

    New ids never exceed the old ones, so the arrays can be overwritten from the front while they
    are read.
    """
    variable, low, high, root = nodes
    size = len(variable)
    key, spare_key = keys[0], keys[1]
    item, spare_item = items[0], items[1]
    mark_reachable(low, high, root, alive)
    new[0] = 0
    new[1] = 1
    used = 2
    begin = 2
    while begin < size:
        v = variable[begin]
        end = begin
        k = 0
        while end < size and variable[end] == v:
            if alive[end]:
                lo = new[low[end]]
                hi = new[high[end]]
                if hi == 0:
                    new[end] = lo
                else:
                    key[k] = (np.uint64(lo) << np.uint64(32)) | np.uint64(hi)
                    item[k] = end
                    k += 1
            end += 1
        in_second = sort_by_key(key, item, spare_key, spare_item, k, histogram)
        ks = spare_key if in_second else key
        its = spare_item if in_second else item
        for p in range(k):
            if p == 0 or ks[p] != ks[p - 1]:
                variable[used] = v
                low[used] = np.uint32(ks[p] >> np.uint64(32))
                high[used] = np.uint32(ks[p] & np.uint64(0xFFFFFFFF))
                used += 1
            new[its[p]] = used - 1
        begin = end
    return used, int(new[root])
