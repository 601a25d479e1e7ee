"""What the inner loop does to the candidates: settle, take back, fall apart.

What the inner loop works on and leaves behind: flat arrays (:mod:`.kernel`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bddsudoku.jit import subroutine
from bddsudoku.jit.decorators import F64, I32, I64, U64, lowest_bit_index

BUSY, FULL, DONE = range(3)
"""Phases: going on, some array needs more room first, at the end."""

# Fields of ``State.head``: where the search is, and how much of each growing array is in use.
(
    PHASE, TOP, WORK, TRIED, TRAIL, ONES, TWOS, OPEN_BRANCHES, OPEN_CHILDREN, OPEN_LITERALS,
    NODES, BRANCHES, CHILDREN, LITERALS, ENTRIES, KEYS, FIELDS,
) = range(17)  # fmt: skip

# Fields of a frame, that is of a component under way: its row in ``State.parts``, the item that it
# branches on, the next place in that item, the trail before its branches, the rows of the parts of
# the branch under way (next, end), what that branch began with among the open children, and what
# the frame itself began with among the open branches and children.
ROW, ITEM, PLACE, MARK, NEXT, END, BROKEN, OWN_BRANCHES, OWN_CHILDREN, DEPTH = range(10)
PARTS = 2
"""Rows of components for each candidate, at most: those that wait have none in common, nor have
those that are done; and one is under way at each depth."""


class ComponentState(NamedTuple):
    """A search under way."""

    head: U64
    """Its fields."""
    live: U64
    """Bit set of the candidates that are neither chosen nor taken away."""
    left: U64
    """(items,): live candidates of an item."""
    weight: F64
    """(items,): one more than how often an item was at a dead end."""
    trail: U64
    """What has become of candidates, in turn: twice the candidate, one more where it was chosen."""
    ones: U64
    twos: U64
    """Items with one live candidate, with two, of which nothing has been concluded yet."""
    frames: U64
    parts: U64
    """(rows, words): components, as bit sets of their live candidates."""
    best: U64
    """(rows,): the item to branch on."""
    rest: U64
    near: U64
    """Bit sets: what is not in a component yet, what is new in one."""
    open_branch: U64
    """(any, 2): for branches of components under way the ends of their children and literals."""
    open_child: U64
    open_literal: U64


class ComponentCache(NamedTuple):
    """The components that are known: a hash table of bit sets."""

    slots: I32
    """Numbers of entries; -1 where there is none."""
    hashes: U64
    at: U64
    """Where an entry's words begin."""
    low: U64
    high: U64
    """Its first word, and the end of its words."""
    node: U64
    key: U64


class DnnfArrays(NamedTuple):
    """The decomposable diagram so far; node 0 has no solution."""

    branch_at: I64
    """(nodes + 1,): the first branch of a node."""
    child_at: I64
    literal_at: I64
    """(branches + 1,)"""
    child: I32
    literal: I32
    """Candidates that a branch says are true."""


# uint64 throughout, so that numba emits no code for negative indices.
U0, U1, U2, U4, U6, U20 = (np.uint64(n) for n in (0, 1, 2, 4, 6, 20))
LOW = np.uint64(63)
NONE = np.uint64((1 << 32) - 1)


@subroutine
def assign_candidate(t, s, x):  # type: ignore[no-untyped-def]
    """Choose a candidate (or none) and draw every conclusion; False at a dead end."""
    live, left, trail, ones, twos = s.live, s.left, s.trail, s.ones, s.twos
    conflict, items_at, items = t.conflict, t.items_at, t.items
    member_at, member, weight = t.member_at, t.member, s.weight
    words = np.uint64(len(live))
    trailed, first, second = s.head[TRAIL], s.head[ONES], s.head[TWOS]
    begin = trailed
    s.head[ONES] = U0
    s.head[TWOS] = U0
    fine = True
    while fine:
        a = x
        b = x
        if x == NONE:
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
                x = a
        s.head[WORK] += words
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
        if x != NONE and fine:
            live[x >> U6] ^= U1 << (x & LOW)
            trail[trailed] = x << U1 | U1
            trailed += U1
            for p in range(items_at[x], items_at[x + U1]):
                left[items[p]] -= U1
            x = NONE
    s.head[TRAIL] = trailed
    s.head[WORK] += U20 * (trailed - begin)
    return fine


@subroutine
def undo_to_mark(t, s, mark):  # type: ignore[no-untyped-def]
    """Everything as it was when the trail had this length."""
    live, left, items_at, items = s.live, s.left, t.items_at, t.items
    n = s.head[TRAIL]
    while n > mark:
        n -= U1
        u = s.trail[n] >> U1
        live[u >> U6] |= U1 << (u & LOW)
        for p in range(items_at[u], items_at[u + U1]):
            left[items[p]] += U1
    s.head[TRAIL] = n


@subroutine
def find_components(t, s, row, begin):  # type: ignore[no-untyped-def]
    """Components of what is live of a row, as rows from ``begin``; the end of the rows."""
    conflict, items_at, items = t.conflict, t.items_at, t.items
    left, weight, parts, rest, near = s.left, s.weight, s.parts, s.rest, s.near
    words = np.uint64(len(rest))
    low = words
    high = U0
    for k in range(words):
        rest[k] = parts[row, k] & s.live[k]
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
        # Neighbours of neighbours, until nothing is left that could be one.
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
                        s.best[end] = i
        end += U1
    s.head[WORK] += work
    return end
