"""Backward over a run of narrow levels, in one compiled loop; see :mod:`.backward`.

Numbers for the nodes of a variable: equal pairs get one, in ascending order of the pairs.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from bddsudoku.engine.frontier.sweep import Edges
from bddsudoku.engine.frontier.tables import LOCAL_BITS, NONE, Trie, trie_of
from bddsudoku.jit import kernel
from bddsudoku.jit.decorators import ones

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bddsudoku.engine.frontier.spec import Spec

_LOCAL_MASK = (1 << LOCAL_BITS) - 1


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


class Sorting(NamedTuple):
    """What :func:`number_keys` works in; places for as many keys as there may be.

    Attributes:
        spare: uint64; the keys, after every other pass.
        who: uint32; where the key at a place came from; so
        moved: uint32; after every other pass.
        ids: uint32; the number of every key, in the order in which they came.
        counts: int64 (2 ** bits of a digit + 1,).
    """

    spare: NDArray[np.uint64]
    who: NDArray[np.uint32]
    moved: NDArray[np.uint32]
    ids: NDArray[np.uint32]
    counts: NDArray[np.int64]


def sorting(keys: int, bits: int) -> Sorting:
    """Arrays for so many keys and digits of so many bits."""
    who, moved, ids = np.empty((3, keys), np.uint32)
    return Sorting(np.empty(keys, np.uint64), who, moved, ids, np.empty((1 << bits) + 1, np.int64))


@kernel
def number_keys(keys, n, next_id, work):  # type: ignore[no-untyped-def]
    """Number the first ``n`` keys, equal ones alike, from ``next_id`` on in ascending order.

    By insertion where they are few, else by radix sort from the last digit on; digits in which no
    two keys differ are passed over: ids of one variable are close together.

    Returns:
        Whether the different keys, ascending, stand in ``spare`` (else in ``keys``); how many.
    """
    spare, who, moved, ids, counts = work
    for k in range(n):
        who[k] = k
    swapped = False
    if n <= 40:
        for k in range(1, n):
            key, mine = keys[k], who[k]
            at = k
            while at > 0 and keys[at - 1] > key:
                keys[at] = keys[at - 1]
                who[at] = who[at - 1]
                at -= 1
            keys[at] = key
            who[at] = mine
    else:
        differ = np.uint64(0)
        for k in range(n):
            differ |= keys[k] ^ keys[0]
        mask = np.uint64(counts.shape[0] - 2)
        bits = ones(mask)
        shift = np.uint64(0)
        while shift < np.uint64(64):
            if (differ >> shift) & mask != np.uint64(0):
                counts[:] = 0
                for k in range(n):
                    counts[np.int64((keys[k] >> shift) & mask) + 1] += 1
                for d in range(1, counts.shape[0]):
                    counts[d] += counts[d - 1]
                for k in range(n):
                    bucket = np.int64((keys[k] >> shift) & mask)
                    spare[counts[bucket]] = keys[k]
                    moved[counts[bucket]] = who[k]
                    counts[bucket] += 1
                keys, spare = spare, keys
                who, moved = moved, who
                swapped = not swapped
            shift += np.uint64(bits)
    different = 0
    last = np.uint64(0)
    for k in range(n):
        key = keys[k]
        if different == 0 or key != last:
            keys[different] = key
            last = key
            different += 1
        ids[who[k]] = np.uint32(next_id + different - 1)
    return swapped, different


def numbered(
    keys: NDArray[np.uint64], next_id: int
) -> tuple[NDArray[np.uint32], NDArray[np.uint64]]:
    """The ids of nodes, and the different ones in the order of their ids.

    Args:
        keys: (low << 32) | high of every node; used up.
        next_id: the least id to give.

    Cost: linear, a pass for every eleven bits in which keys differ (the counters of a pass stay in
    the first-level cache); 20 bytes a key.
    """
    work = sorting(len(keys), 11)
    swapped, different = number_keys(keys, len(keys), next_id, work)
    return work.ids, (work.spare if swapped else keys)[:different].copy()


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


@kernel
def read_leaf(wanted, level, begin, edges, values, cursor, out):  # type: ignore[no-untyped-def]
    """Value of the child behind one choice, for the states of one chunk; 0 where there is none.

    ``cursor`` holds, for every state, its first edge not yet read.
    """
    degree, rank, target, jump = edges
    value, base, offsets = values
    levels = base.shape[0] - 1
    has_jumps = jump.shape[0] > 0
    first = 0
    for s in range(degree.shape[0]):
        here = begin + s
        at = first + cursor[here]
        result = np.uint32(0)
        if cursor[here] < degree[s] and rank[at] == wanted:
            cursor[here] += 1
            to = level + (np.int64(jump[at]) if has_jumps else 1)
            if to == levels:
                result = np.uint32(1)
            else:
                name = np.int64(target[at])
                result = value[base[to] + offsets[to, name >> LOCAL_BITS] + (name & _LOCAL_MASK)]
        out[here] = result
        first += degree[s]


class Workspace(NamedTuple):
    """Arrays that :func:`reduce_run` works in.

    Attributes:
        columns: uint32 (columns, states of the widest level).
        sides: uint32 (2, states of the widest level).
        cursor: int64 (states of the widest level,).
        keys: uint64 (greatest group * states of the widest level,).
        who: int64, likewise.
        sorting: for as many.
    """

    columns: NDArray[np.uint32]
    sides: NDArray[np.uint32]
    cursor: NDArray[np.int64]
    keys: NDArray[np.uint64]
    who: NDArray[np.int64]
    sorting: Sorting


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
    value, base = values.value, values.base
    columns, sides, cursor, keys, who, sorting = work
    trie_first = tries.first
    trie_nodes = tries.nodes
    zero = np.uint32(0)
    start_id = next_id
    shift = np.uint64(32)
    top, bottom = span
    for level in range(bottom - 1, top - 1, -1):
        s0 = first[level, 0]
        n = first[level + 1, 0] - s0
        if n == 0:
            continue
        for s in range(n):
            cursor[s] = 0
        e0 = first[level, 1]
        here = Edges(degree[s0 : s0 + n], rank[e0:], target[e0:], jump[e0:])
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
                    read_leaf(-2 - code, level, 0, here, values, cursor, sides[side])
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
            swapped, different = number_keys(keys, count, next_id, sorting)
            unique = sorting.spare if swapped else keys
            for i in range(different):
                made[next_id - start_id + i, 0] = variable
                made[next_id - start_id + i, 1] = unique[i]
            for i in range(count):
                own = who[i] >> np.int64(32)
                columns[own, who[i] & np.int64(0xFFFFFFFF)] = sorting.ids[i]
            next_id += different
        for s in range(n):
            value[base[level] + s] = sides[0, s]
    return next_id - start_id
