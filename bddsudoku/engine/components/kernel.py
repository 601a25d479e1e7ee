"""The inner loop of the component search: propagate, split, look up components, and branch.

*Candidates* and *items* are those of :mod:`bddsudoku.engine.components.problem`: exactly one
candidate of every item is true. Here every constraint is an item or a conflict, so that the live
candidates alone determine the rest of the problem; those not linked by conflicts are independent.
After every choice and its propagation the live candidates are split into *components*, which are
solved separately and whose counts are multiplied; a component met before is looked up in a cache
(Bayardo and Pehoushek, *Counting models using connected components*, AAAI 2000; Sang et al.,
*Combining component caching and clause learning*, SAT 2004). The trace of the search is a
*decision-DNNF* (Huang and Darwiche, *The language of search*, JAIR 29, 2007).

Propagation: an item with one candidate left chooses it; candidates that conflict with both
candidates of an item with two are removed. A component branches on the item with the least ratio of
its live candidates to its weight, which counts the dead ends it caused.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bddsudoku.jit import kernel, subroutine
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


START = np.uint64(0x9E3779B97F4A7C15)
MIX = np.uint64(0xFF51AFD7ED558CCD)
HALF = np.uint64(32)


@subroutine
def _look_up_component(state, cache, row):  # type: ignore[no-untyped-def]
    """Find a component's slot in the cache, or a free slot, by hashing the component's bit set."""
    parts = state.parts
    words = np.uint64(parts.shape[1])
    low = U0
    while parts[row, low] == U0:
        low += U1
    high = words
    while parts[row, high - U1] == U0:
        high -= U1
    h = START ^ low
    for k in range(low, high):
        h = (h ^ parts[row, k]) * MIX
        h ^= h >> HALF
    mask = np.uint64(len(cache.slots) - 1)
    slot = h & mask
    while cache.slots[slot] >= 0:
        e = np.uint64(cache.slots[slot])
        if cache.hashes[e] == h and cache.low[e] == low and cache.high[e] == high:
            at = cache.at[e]
            same = True
            for k in range(low, high):
                if cache.key[at + k - low] != parts[row, k]:
                    same = False
                    break
            if same:
                break
        slot = (slot + U1) & mask
    return slot, h, low, high


@kernel
def rebuild_cache(slots, hashes, entries):  # type: ignore[no-untyped-def]
    """Insert all cache entries into a larger, empty hash table."""
    mask = np.uint64(len(slots) - 1)
    for e in range(entries):
        slot = hashes[e] & mask
        while slots[slot] >= 0:
            slot = (slot + U1) & mask
        slots[slot] = e


@subroutine
def _store_component(state, cache, dnnf, row, frame):  # type: ignore[no-untyped-def]
    """Make the decision-DNNF node and the cache entry of a solved component; return the node."""
    head, frames = state.head, state.frames
    begin = frames[frame, OWN_BRANCHES]
    child = frames[frame, OWN_CHILDREN]
    node = U0
    if head[OPEN_BRANCHES] > begin:
        node = head[NODES]
        head[NODES] += U1
        # The literals of a branch begin where those of the branch before end.
        literal = U0 if begin == U0 else state.open_branch[begin - U1, 1]
        for n in range(begin, head[OPEN_BRANCHES]):
            for p in range(child, state.open_branch[n, 0]):
                dnnf.child[head[CHILDREN]] = state.open_child[p]
                head[CHILDREN] += U1
            child = state.open_branch[n, 0]
            for p in range(literal, state.open_branch[n, 1]):
                dnnf.literal[head[LITERALS]] = state.open_literal[p]
                head[LITERALS] += U1
            literal = state.open_branch[n, 1]
            head[BRANCHES] += U1
            dnnf.child_at[head[BRANCHES]] = head[CHILDREN]
            dnnf.literal_at[head[BRANCHES]] = head[LITERALS]
        dnnf.branch_at[node + U1] = head[BRANCHES]
        head[OPEN_LITERALS] = U0 if begin == U0 else state.open_branch[begin - U1, 1]
        head[OPEN_BRANCHES] = begin
    head[OPEN_CHILDREN] = frames[frame, OWN_CHILDREN]
    if frame > U0:
        slot, h, low, high = _look_up_component(state, cache, row)
        e = head[ENTRIES]
        head[ENTRIES] += U1
        cache.slots[slot] = np.int32(e)
        cache.hashes[e] = h
        cache.at[e] = head[KEYS]
        cache.low[e] = low
        cache.high[e] = high
        cache.node[e] = node
        for k in range(low, high):
            cache.key[head[KEYS]] = state.parts[row, k]
            head[KEYS] += U1
    return node


@kernel
def start_search(tables, state, chosen):  # type: ignore[no-untyped-def]
    """Choose candidates, propagate, and find the components; False if no solution is possible."""
    head = state.head
    undo_to_mark(tables, state, U0)
    for field in (OPEN_BRANCHES, OPEN_CHILDREN, OPEN_LITERALS, TOP):
        head[field] = U0
    if not assign_candidate(tables, state, NONE):
        return False
    for x in chosen:
        if state.live[x >> U6] >> (x & LOW) & U1 != U0:
            if not assign_candidate(tables, state, x):
                return False
        else:
            # Decided by propagation before: chosen, or removed.
            before = False
            for p in range(head[TRAIL]):
                before |= state.trail[p] == x << U1 | U1
            if not before:
                return False
    for k in range(len(state.live)):
        state.parts[U0, k] = state.live[k]
    state.frames[U0, NEXT] = U1
    state.frames[U0, END] = find_components(tables, state, U0, U1)
    state.frames[U0, BROKEN] = U0
    return True


@subroutine
def _may_overflow(state, cache, dnnf, top):  # type: ignore[no-untyped-def]
    """Whether the next step of the search may need more room than one of the arrays has."""
    head = state.head
    depth = top + U2
    return (
        head[OPEN_BRANCHES] + U1 >= len(state.open_branch)
        or head[OPEN_CHILDREN] + U2 >= len(state.open_child)
        or head[OPEN_LITERALS] + np.uint64(len(state.trail)) >= len(state.open_literal)
        or head[NODES] + U2 >= len(dnnf.branch_at)
        or head[BRANCHES] + head[OPEN_BRANCHES] + U2 >= len(dnnf.child_at)
        or head[CHILDREN] + head[OPEN_CHILDREN] + U2 >= len(dnnf.child)
        or head[LITERALS] + head[OPEN_LITERALS] + np.uint64(len(state.trail)) >= len(dnnf.literal)
        or head[ENTRIES] + depth >= len(cache.at)
        or head[KEYS] + depth * np.uint64(len(state.live)) >= len(cache.key)
    )


@kernel
def run_component_search(tables, state, cache, dnnf, chunk, literals):  # type: ignore[no-untyped-def]
    """Continue a component search until it ends, an array is full, or ``chunk`` steps are done.

    Frame 0 is the whole problem, which has one branch, without a choice.

    Args:
        tables: the problem (:class:`bddsudoku.engine.components.problem.ComponentTables`).
        state: a ComponentState.
        cache: a ComponentCache.
        dnnf: the DnnfArrays to extend.
        chunk: steps (roughly nanoseconds) before the next return.
        literals: whether to record the true candidates of branches; a count needs none.
    """
    head, frames, member = state.head, state.frames, tables.member
    stop = head[WORK] + np.uint64(chunk)
    top = head[TOP]
    while head[WORK] < stop:
        if _may_overflow(state, cache, dnnf, top):
            head[PHASE] = FULL
            break
        head[WORK] += LOW
        failed = False
        if frames[top, NEXT] < frames[top, END]:
            # The next component of the current branch.
            row = frames[top, NEXT]
            frames[top, NEXT] += U1
            slot, _, _, _ = _look_up_component(state, cache, row)
            if cache.slots[slot] >= 0:
                node = cache.node[np.uint64(cache.slots[slot])]
                if node != U0:
                    state.open_child[head[OPEN_CHILDREN]] = node
                    head[OPEN_CHILDREN] += U1
                    continue
                failed = True
            else:
                top += U1
                frames[top, ROW] = row
                frames[top, ITEM] = state.best[row]
                frames[top, PLACE] = tables.member_at[state.best[row]]
                frames[top, MARK] = head[TRAIL]
                frames[top, OWN_BRANCHES] = head[OPEN_BRANCHES]
                frames[top, OWN_CHILDREN] = head[OPEN_CHILDREN]
        else:
            # A branch whose components all have solutions.
            if literals:
                used = head[OPEN_LITERALS]
                for p in range(frames[top, MARK], head[TRAIL]):
                    if state.trail[p] & U1 != U0:
                        u = state.trail[p] >> U1
                        if tables.variables[u >> U6] >> (u & LOW) & U1 != U0:
                            state.open_literal[used] = u
                            used += U1
                head[OPEN_LITERALS] = used
            state.open_branch[head[OPEN_BRANCHES], 0] = head[OPEN_CHILDREN]
            state.open_branch[head[OPEN_BRANCHES], 1] = head[OPEN_LITERALS]
            head[OPEN_BRANCHES] += U1
            undo_to_mark(tables, state, frames[top, MARK])
        while True:
            if failed:
                head[OPEN_CHILDREN] = frames[top, BROKEN]
                undo_to_mark(tables, state, frames[top, MARK])
                failed = False
            # The next branch of the current component.
            row = frames[top, ROW]
            end = tables.member_at[frames[top, ITEM] + U1] if top > U0 else U0
            going = False
            while top > U0 and frames[top, PLACE] < end:
                x = member[frames[top, PLACE]]
                frames[top, PLACE] += U1
                if state.parts[row, x >> U6] >> (x & LOW) & U1 == U0:
                    continue
                head[TRIED] += U1
                if assign_candidate(tables, state, x):
                    begin = frames[top - U1, END]
                    frames[top, NEXT] = begin
                    frames[top, END] = find_components(tables, state, row, begin)
                    frames[top, BROKEN] = head[OPEN_CHILDREN]
                    going = True
                    break
                undo_to_mark(tables, state, frames[top, MARK])
            if going:
                break
            node = _store_component(state, cache, dnnf, row, top)
            if top == U0:
                head[PHASE] = DONE
                head[TOP] = node
                return
            top -= U1
            if node != U0:
                state.open_child[head[OPEN_CHILDREN]] = node
                head[OPEN_CHILDREN] += U1
                break
            failed = True
    head[TOP] = top
