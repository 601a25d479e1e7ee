"""Backward over a run of narrow levels, in one compiled loop; see :mod:`.backward`."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from bddsudoku.engine.frontier.tables import LOCAL_BITS, NONE, Trie, trie_of
from bddsudoku.jit import kernel, part

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bddsudoku.engine.frontier.spec import Spec

_LOCAL_MASK = (1 << LOCAL_BITS) - 1
_MIX = np.uint64(0x9E3779B97F4A7C15)


class Tries(NamedTuple):
    """The decision trees of some levels, end to end.

    Attributes:
        first: int64 (levels + 1,); where the decisions of a level begin in ``nodes``.
        nodes: int64 (any, 4); variable (of the diagram), low, high, own column. Branches are as in
            :class:`bddsudoku.engine.frontier.tables.TrieNode`, but for a decision its column. After
            the decisions of a level stands one of no variable (-1) whose low branch is the root.
        columns: columns that a level needs at most.
        group: decisions of one variable, at most.
    """

    first: NDArray[np.int64]
    nodes: NDArray[np.int64]
    columns: int
    group: int


@lru_cache(maxsize=256)
def _arrays(trie: Trie) -> tuple[NDArray[np.int64], int, int]:
    """Nodes with columns instead of numbers, the root after them, columns, greatest group."""
    column: list[int] = []
    free: list[int] = []
    used = 0
    rows = []
    groups: dict[int, int] = {}

    def at(code: int) -> int:
        return column[code] if code >= 0 else code

    for node in trie.nodes:
        # every column is read once, so its place may be written by the next decision
        taken = [at(code) for code in (node.low, node.high) if code >= 0]
        rows.append([node.variable, at(node.low), at(node.high), 0])
        free += taken
        if free:
            column.append(free.pop())
        else:
            column.append(used)
            used += 1
        rows[-1][3] = column[-1]
        groups[node.variable] = groups.get(node.variable, 0) + 1
    rows.append([-1, at(trie.root), NONE, 0])
    return np.array(rows, np.int64), max(used, 1), max(groups.values(), default=0)


def tries_of(spec: Spec, begin: int, end: int) -> Tries:
    """The trees of the levels ``begin … end - 1``; entries of other levels are empty."""
    parts = [_arrays(trie_of(choices)) for choices in spec.choices[begin:end]]
    first = np.zeros(spec.levels + 1, np.int64)
    sizes = [len(nodes) for nodes, _, _ in parts]
    first[begin + 1 : end + 1] = np.cumsum(sizes)
    first[end + 1 :] = first[end]
    nodes = np.concatenate([nodes for nodes, _, _ in parts])
    offset = np.repeat(spec.first[begin:end].astype(np.int64), sizes)
    nodes[:, 0] = np.where(nodes[:, 0] < 0, -1, nodes[:, 0] + offset)
    return Tries(first, nodes, max(c for _, c, _ in parts), max(g for *_, g in parts))


@part
def ranked(pairs, n, below, order, moved, ordered, counts):  # type: ignore[no-untyped-def]
    """Sort the first ``n`` pairs; ``moved[i]`` becomes the place of the one that was the ``i``-th.

    By insertion, or by digits of eight bits where that is quicker (numba's own sort takes longer to
    compile than the rest of this module).

    Args:
        pairs: uint64 (at least n,), all different; either half is less than ``below``.
        n: how many.
        below: see there.
        order: int64 (at least n,), working memory; so are
        moved: likewise,
        ordered: uint64, likewise, and
        counts: int64 (257,).
    """
    for i in range(n):
        order[i] = i
    if n <= 40:
        for i in range(1, n):
            j = i
            while j > 0 and pairs[order[j - 1]] > pairs[i]:
                order[j] = order[j - 1]
                j -= 1
            order[j] = i
    else:
        mask = np.uint64(255)
        digit = 0
        while digit < 64:
            if below >> (digit & 31) == 0:  # nothing is left of this half
                digit += 8
                continue
            shift = np.uint64(digit)
            for d in range(257):
                counts[d] = 0
            for i in range(n):
                counts[np.int64((pairs[i] >> shift) & mask) + 1] += 1
            for d in range(256):
                counts[d + 1] += counts[d]
            for i in range(n):
                here = np.int64((pairs[order[i]] >> shift) & mask)
                moved[counts[here]] = order[i]
                counts[here] += 1
            for i in range(n):
                order[i] = moved[i]
            digit += 8
    for i in range(n):
        moved[order[i]] = i
        ordered[i] = pairs[order[i]]
    for i in range(n):
        pairs[i] = ordered[i]


class Values(NamedTuple):
    """The nodes of states.

    Attributes:
        value: uint32; node of every state.
        base: int64 (levels + 1,); where the values of a level begin.
        offsets: int64 (levels, partitions + 1); where those of its partitions do, from there.
    """

    value: NDArray[np.uint32]
    base: NDArray[np.int64]
    offsets: NDArray[np.int64]


class Workspace(NamedTuple):
    """Arrays that :func:`reduce_run` works in.

    Attributes:
        columns: uint32 (columns, states of the widest level).
        sides: uint32 (2, states of the widest level).
        cursor: int64 (states of the widest level,).
        keys: uint64 (greatest group * states of the widest level,).
        who: int64, likewise.
        slots: uint32 (a power of two, at least twice as many).
        order: see :func:`ranked`, also for ``moved``, ``ordered`` and ``counts``.
    """

    columns: NDArray[np.uint32]
    sides: NDArray[np.uint32]
    cursor: NDArray[np.int64]
    keys: NDArray[np.uint64]
    who: NDArray[np.int64]
    slots: NDArray[np.uint32]
    order: NDArray[np.int64]
    moved: NDArray[np.int64]
    ordered: NDArray[np.uint64]
    counts: NDArray[np.int64]


@kernel
def reduce_run(span, first, edges, values, tries, work, made, next_id):  # type: ignore[no-untyped-def]
    """Make the nodes of some levels.

    Args:
        span: the first of them, and the level after the last.
        first: see :class:`bddsudoku.engine.frontier.runs.Run`, also for ``edges``.
        values: :class:`Values` of later levels; those of these levels are filled in.
        tries: their :class:`Tries`.
        work: a :class:`Workspace`.
        made: uint64 (at least the edges of these levels, 2); variable, and low and high of a
            node, written in order. (In the tree of a level every decision with a high branch
            takes an edge of the state.)
        next_id: number of the next node.

    Returns:
        How many nodes were made.
    """
    degree, rank, target, jump = edges
    value, base, offsets = values
    columns, sides, cursor, keys, who, slots, order, moved, ordered, counts = work
    trie_first = tries.first
    trie_nodes = tries.nodes
    levels = base.shape[0] - 1
    zero = np.uint32(0)
    start_id = next_id
    shift = np.uint64(32)
    jumps = jump.shape[0] > 0
    top, bottom = span
    for level in range(bottom - 1, top - 1, -1):
        s0 = first[level, 0]
        n = first[level + 1, 0] - s0
        if n == 0:
            continue
        for s in range(n):
            cursor[s] = 0
        at = trie_first[level]
        end = trie_first[level + 1]
        while at < end:
            variable = trie_nodes[at, 0]
            count = 0
            while at < end and trie_nodes[at, 0] == variable:
                # the values of both branches for all states of the level
                for side in range(2):
                    code = trie_nodes[at, 1 + side]
                    if code >= 0:
                        for s in range(n):
                            sides[side, s] = columns[code, s]
                        continue
                    if code == NONE:
                        for s in range(n):
                            sides[side, s] = zero
                        continue
                    wanted = -2 - code
                    after = first[level, 1]
                    for s in range(n):
                        edge = after + cursor[s]
                        after += degree[s0 + s]
                        sides[side, s] = zero
                        if edge < after and rank[edge] == wanted:
                            cursor[s] += 1
                            to = level + (np.int64(jump[edge]) if jumps else 1)
                            if to == levels:
                                sides[side, s] = 1
                            else:
                                name = np.int64(target[edge])
                                part = base[to] + offsets[to, name >> LOCAL_BITS]
                                sides[side, s] = value[part + (name & _LOCAL_MASK)]
                own = trie_nodes[at, 3]
                for s in range(n):
                    columns[own, s] = sides[0, s]
                    if sides[1, s] != zero:
                        keys[count] = (np.uint64(sides[0, s]) << shift) | np.uint64(sides[1, s])
                        who[count] = (own << np.int64(32)) | s
                        count += 1
                at += 1
            if count == 0:
                continue
            # equal pairs once: number them as they come …
            size = 4
            while size < 2 * count:
                size *= 2
            for i in range(size):
                slots[i] = zero
            mask = np.uint64(size - 1)
            different = np.int64(0)
            unique = made[next_id - start_id :, 1]
            for i in range(count):
                key = keys[i]
                h = key * _MIX
                slot = (h ^ (h >> shift)) & mask
                while slots[slot] != zero and unique[slots[slot] - 1] != key:
                    slot = (slot + np.uint64(1)) & mask
                if slots[slot] == zero:
                    unique[different] = key
                    different += 1
                    slots[slot] = different
                keys[i] = np.uint64(slots[slot] - 1)
            # … then by rank
            ranked(unique, different, next_id, order, moved, ordered, counts)
            for i in range(different):
                made[next_id - start_id + i, 0] = variable
            for i in range(count):
                own = who[i] >> np.int64(32)
                columns[own, who[i] & np.int64(0xFFFFFFFF)] = next_id + moved[np.int64(keys[i])]
            next_id += different
        for s in range(n):
            value[base[level] + s] = sides[0, s]
    return next_id - start_id
