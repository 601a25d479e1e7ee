"""Steps of the component search (propagate, undo, find components) and its arrays."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bddsudoku.jit import subroutine
from bddsudoku.jit.decorators import F64, I32, I64, U64, lowest_bit_index

BUSY, FULL, DONE = range(3)
"""Phases of the search: it can continue; an array has to grow first; it is complete."""

# Fields of ``ComponentState.head``: the position of the search, and the length in use of each
# growing array.
(
    PHASE, TOP, WORK, TRIED, TRAIL, ONES, TWOS, OPEN_BRANCHES, OPEN_CHILDREN, OPEN_LITERALS,
    NODES, BRANCHES, CHILDREN, LITERALS, ENTRIES, KEYS, FIELDS,
) = range(17)  # fmt: skip

# Fields of a frame, which is a component being searched: its row in ``ComponentState.parts``, the
# item that it branches on, the next candidate of that item, the length of the trail before its
# branches, the rows of the current branch's components (next, end), the number of open children
# before that branch, and the numbers of open branches and children before the frame.
ROW, ITEM, PLACE, MARK, NEXT, END, BROKEN, OWN_BRANCHES, OWN_CHILDREN, DEPTH = range(10)
PARTS = 2
"""Rows of components per candidate, at most: waiting components are disjoint, finished ones too,
and one is being searched at each depth."""


class ComponentState(NamedTuple):
    """State of a component search: candidates, trail, frames, components and open branches."""

    head: U64
    """Scalar fields, by ``PHASE`` … ``KEYS``."""
    live: U64
    """Bit set of the candidates that are neither chosen nor removed."""
    left: U64
    """(items,): number of live candidates of an item."""
    weight: F64
    """(items,): 1 plus the number of dead ends caused by the item."""
    trail: U64
    """Candidates in the order in which they were decided: ``2 * candidate + chosen``."""
    ones: U64
    twos: U64
    """Queues of items with one and with two live candidates, to be propagated."""
    frames: U64
    parts: U64
    """(rows, words): components, as bit sets of their live candidates."""
    best: U64
    """(rows,): the item to branch on."""
    rest: U64
    near: U64
    """Bit sets: candidates in no component yet; those of one whose neighbours are not known."""
    open_branch: U64
    """(any, 2): finished branches of the frames, with the ends of their children and literals."""
    open_child: U64
    open_literal: U64


class ComponentCache(NamedTuple):
    """Cache of solved components: a hash table from bit sets of candidates to DNNF nodes."""

    slots: I32
    """Number of the entry; -1: the slot is free."""
    hashes: U64
    at: U64
    """Where an entry's words begin."""
    low: U64
    high: U64
    """First nonzero word of an entry's bit set, and the end of its words."""
    node: U64
    key: U64


class DnnfArrays(NamedTuple):
    """Growing arrays of a decision-DNNF; node 0 has no solution."""

    branch_at: I64
    """(nodes + 1,): the first branch of a node."""
    child_at: I64
    literal_at: I64
    """(branches + 1,)"""
    child: I32
    literal: I32
    """Candidates that are true in a branch."""


# uint64 throughout, so that numba emits no code for negative indices.
U0, U1, U2, U4, U6, U20 = (np.uint64(n) for n in (0, 1, 2, 4, 6, 20))
LOW = np.uint64(63)
NONE = np.uint64((1 << 32) - 1)


@subroutine
def assign_candidate(tables, state, candidate):  # type: ignore[no-untyped-def]
    """Choose a candidate, if one is given, and propagate to the fixpoint; False at a dead end."""
    live, left, trail, ones, twos = state.live, state.left, state.trail, state.ones, state.twos
    conflict, items_at, items = tables.conflict, tables.items_at, tables.items
    member_at, member, weight = tables.member_at, tables.member, state.weight
    words = np.uint64(len(live))
    trailed, first, second = state.head[TRAIL], state.head[ONES], state.head[TWOS]
    begin = trailed
    state.head[ONES] = U0
    state.head[TWOS] = U0
    fine = True
    while fine:
        a = candidate
        b = candidate
        if candidate == NONE:
            if first > U0:
                first -= U1
                i = ones[first]
                if left[i] != U1:
                    continue
            elif second > U0:
                second -= U1
                i = twos[second]
                if left[i] != U2:
                    continue
            else:
                break
            for p in range(member_at[i], member_at[i + U1]):
                u = member[p]
                if live[u >> U6] >> (u & LOW) & U1 != U0:
                    if a == NONE:
                        a = u
                    b = u
            if a == b:
                candidate = a
        state.head[WORK] += words
        for k in range(words):
            word = live[k] & conflict[a, k] & conflict[b, k]
            live[k] ^= word
            while word != U0:
                u = (k << U6) + lowest_bit_index(word)
                word &= word - U1
                trail[trailed] = u << U1
                trailed += U1
                for p in range(items_at[u], items_at[u + U1]):
                    i = items[p]
                    many = left[i] - U1
                    left[i] = many
                    if many == U0:
                        weight[i] += 1
                        fine = False
                    elif many == U1:
                        ones[first] = i
                        first += U1
                    elif many == U2:
                        twos[second] = i
                        second += U1
            if not fine:
                break
        if candidate != NONE and fine:
            live[candidate >> U6] ^= U1 << (candidate & LOW)
            trail[trailed] = candidate << U1 | U1
            trailed += U1
            for p in range(items_at[candidate], items_at[candidate + U1]):
                left[items[p]] -= U1
            candidate = NONE
    state.head[TRAIL] = trailed
    state.head[WORK] += U20 * (trailed - begin)
    return fine


@subroutine
def undo_to_mark(tables, state, mark):  # type: ignore[no-untyped-def]
    """Undo the decisions on the trail from position ``mark`` on."""
    live, left, items_at, items = state.live, state.left, tables.items_at, tables.items
    n = state.head[TRAIL]
    while n > mark:
        n -= U1
        u = state.trail[n] >> U1
        live[u >> U6] |= U1 << (u & LOW)
        for p in range(items_at[u], items_at[u + U1]):
            left[items[p]] += U1
    state.head[TRAIL] = n


@subroutine
def find_components(tables, state, row, begin):  # type: ignore[no-untyped-def]
    """Split the live candidates of component ``row`` into components, stored from row ``begin`` on.

    Two candidates are in one component if they are linked by conflicts. For each component the item
    to branch on is recorded, too. Returns the row after the last component.
    """
    conflict, items_at, items = tables.conflict, tables.items_at, tables.items
    left, weight, parts, rest, near = state.left, state.weight, state.parts, state.rest, state.near
    words = np.uint64(len(rest))
    low = words
    high = U0
    for k in range(words):
        rest[k] = parts[row, k] & state.live[k]
        if rest[k] != U0:
            if low == words:
                low = np.uint64(k)
            high = k + U1
    end = begin
    work = U0
    some = U1
    while low < high:
        if rest[low] == U0:
            low += U1
            continue
        for k in range(words):
            parts[end, k] = U0
        bit = rest[low] & ~(rest[low] - U1)
        near[low] = bit
        rest[low] ^= bit
        # Add neighbours of neighbours until there are no more.
        more = True
        while more:
            more = False
            for k in range(low, high):
                while near[k] != U0:
                    word = near[k]
                    bit = word & ~(word - U1)
                    near[k] = word ^ bit
                    parts[end, k] |= bit
                    u = (k << U6) + lowest_bit_index(bit)
                    more = True
                    work += high - low
                    some = U0
                    for j in range(low, high):
                        word = conflict[u, j] & rest[j]
                        near[j] |= word
                        rest[j] ^= word
                        some |= rest[j]
                    if some == U0:
                        more = False
                        break
                if some == U0:
                    break
        many = 1.0
        heavy = 0.0
        for k in range(low, high):
            parts[end, k] |= near[k]
            near[k] = U0
            word = parts[end, k]
            while word != U0:
                u = (k << U6) + lowest_bit_index(word)
                word &= word - U1
                work += U4
                for p in range(items_at[u], items_at[u + U1]):
                    i = items[p]
                    if left[i] * heavy < many * weight[i]:
                        many = np.float64(left[i])
                        heavy = weight[i]
                        state.best[end] = i
        end += U1
    state.head[WORK] += work
    return end
