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

import numpy as np

from bddsudoku.engine.components.propagation import (
    BRANCHES,
    BROKEN,
    CHILDREN,
    DONE,
    END,
    ENTRIES,
    FULL,
    ITEM,
    KEYS,
    LITERALS,
    MARK,
    NEXT,
    NODES,
    NONE,
    OPEN_BRANCHES,
    OPEN_CHILDREN,
    OPEN_LITERALS,
    OWN_BRANCHES,
    OWN_CHILDREN,
    PHASE,
    PLACE,
    ROW,
    TOP,
    TRAIL,
    TRIED,
    WORK,
    assign_candidate,
    find_components,
    undo_to_mark,
)
from bddsudoku.jit import kernel, subroutine

# uint64 throughout, so that numba emits no code for negative indices.
U0, U1, U2, U6 = (np.uint64(n) for n in (0, 1, 2, 6))
LOW = np.uint64(63)
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
