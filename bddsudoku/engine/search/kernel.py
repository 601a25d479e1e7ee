"""Inner loop of the constraint search: propagate and branch, on flat arrays.

*Candidates* are the variables, and complements that are true when a variable, or all of a set, are
false; *items* are sets of candidates of which exactly one is true. Propagation removes candidates:

* an item with one candidate left chooses it, and the candidates that conflict with it are removed;
* candidates that conflict with all live candidates of an item are removed; this is arc consistency
  between items, such as two cells with digits whose sum is given;
* an MDD keeps its live states as bit sets, layer by layer: those that lie on a path from its
  first to its last layer along live candidates. Candidates on no such path are removed. Only MDDs
  whose candidates have changed are propagated, from the first changed level to where nothing
  changes any more (Pesant, *A regular language membership constraint*, CP 2004).

A branching chooses a candidate on a copy of its row, and removes it from the row itself after
backtracking. It branches on the item with the least ratio of its squared size to its weight, which
counts dead ends (Boussemart, Hemery, Lecoutre and Sais, *Boosting systematic search by weighting
constraints*, ECAI 2004): those in which it lost its last candidate, its share in those of MDDs, and
those that followed a candidate of it. Every dead end counts 1/:data:`DECAY` times the one before,
as in Chaff's VSIDS (Moskewicz et al., DAC 2001).

The order of propagation decides which item is blamed. Cells come first (items that MDDs read, or
with conflicts that rules add), then MDDs of two items, then other items, then longer MDDs. On
eighteen thermometers of two cells that needs 8,000 nodes; with MDDs last it needs 400,000.
"""

from __future__ import annotations

import numpy as np

from bddsudoku.engine.search.arrays import (
    COUNT,
    DONE,
    ENTER,
    FOUND,
    FULL,
    LEAVE,
    NODES,
    PHASE,
    TOP,
    USED,
    WORK,
)
from bddsudoku.engine.search.sums import FAILED, REMOVED, propagate_sum
from bddsudoku.jit import kernel
from bddsudoku.jit.decorators import lowest_bit_index

# uint64 throughout, so that numba emits no code for negative indices.
U0, U1, U2, U6 = np.uint64(0), np.uint64(1), np.uint64(2), np.uint64(6)
LOW = np.uint64(63)
NONE = np.uint64((1 << 32) - 1)
DECAY = 0.995
"""Weight of a dead end relative to the next one."""
_GREATEST_INCREMENT = 1e100
"""Increment at which all weights are scaled down."""


@kernel
def run_search(t, rows, w, state, out, ends, bounds):  # type: ignore[no-untyped-def]
    """Continue a search until its end, a limit, a full buffer, or ``chunk`` more steps.

    It is one function because numba counts references to every array at every call.

    Args:
        t: SearchTables of :mod:`.arrays`.
        rows: uint64; the rows of the root and of the current branchings, by depth.
        w: SearchWorkspace.
        state: int64; the search state, by ``PHASE`` … ``FOUND``.
        out: int32; candidates of the solutions found, one solution after the other.
        ends: int64; where each solution ends in ``out``; if empty, none are written.
        bounds: SearchBounds.
    """
    chunk, max_count, max_nodes, supports = bounds
    conflict, items_at, items, member_at = t.conflict, t.items_at, t.items, t.member_at
    member, uses_at, uses, owner = t.member, t.uses_at, t.uses, t.owner
    first, once, words_at, base, variables = t.first, t.once, t.words_at, t.base, t.variables
    table_at, table = t.table_at, t.table
    choice_at, choice, others_at, others = t.choice_at, t.choice, t.others_at, t.others
    tried, gone, queue, low, high, reached = w.tried, w.gone, w.queue, w.low, w.high, w.reached
    picked, supported, weight, witness = w.picked, w.supported, w.weight, w.witness
    reach, single_slot, reach_slot = t.reach, t.single_slot, t.reach_slot
    mdd_slot, slot_entry = t.mdd_slot, t.slot_entry
    mdds = np.uint64(len(first) - len(t.sums.bounds) - 1)
    increment = w.increment[0]
    words = np.uint64(len(gone))
    queued = np.uint64(len(queue))
    all_items = np.uint64(len(weight))
    last = np.uint64(rows.shape[1]) - U1
    counts = last - all_items
    phase = state[PHASE]
    top = np.uint64(state[TOP])
    total = state[COUNT]
    nodes = state[NODES]
    work = state[WORK]
    used = 0
    found = 0
    # Steps are nanoseconds, roughly: what a branching costs before anything is concluded.
    cost = np.int64(500 + len(weight) + (rows.shape[1] >> 2))
    stop = work + chunk
    while phase != DONE and work < stop and nodes < max_nodes and total < max_count:
        x = NONE
        i = NONE
        branching = False
        more = False
        if phase == ENTER:
            if rows[top, last] == U0:
                if len(ends) > 0:
                    if found == len(ends) or used + len(weight) > len(out):
                        break
                    for k in range(words):
                        word = rows[top, words + k] & variables[k]
                        while word != U0:
                            out[used] = (k << U6) + lowest_bit_index(word)
                            word &= word - U1
                            used += 1
                    ends[found] = used
                    found += 1
                total += 1
                phase = LEAVE
                if supports:
                    for k in range(words):
                        witness[k] |= rows[top, words + k]
                    phase = DONE if top == U0 else ENTER
                    top = U0
                continue
            if supports and top == U0:
                some = U0
                for k in range(words):
                    some |= witness[k]
                    word = rows[U0, k] & ~rows[U0, words + k] & variables[k] & ~witness[k]
                    if word != U0:
                        x = (k << U6) + lowest_bit_index(word)
                        break
                # Candidates chosen at the root are true in every solution, if there is one.
                if x == NONE and some != U0:
                    phase = DONE
                    continue
            if top + U1 == np.uint64(len(rows)):
                phase = FULL
                break
            if x == NONE:
                branching = True
                least = np.inf
                for k in range(all_items):
                    left = rows[top, counts + k]
                    if left > U1 and left * left < least * weight[k]:
                        least = left * left / weight[k]
                        i = np.uint64(k)
            tried[top] = x
            for k in range(last + U1):
                rows[top + U1, k] = rows[top, k]
            top += U1
            nodes += 1
        elif phase == LEAVE:
            if top == U0:
                phase = DONE
                break
            top -= U1
            gone[tried[top] >> U6] |= U1 << (tried[top] & LOW)
            more = True
        phase = ENTER
        work += cost
        quiet = NONE
        # Propagate to the fixpoint.
        while True:
            m = NONE
            if x != NONE:
                rows[top, words + (x >> U6)] |= U1 << (x & LOW)
                rows[top, last] -= items_at[x + U1] - items_at[x]
                for k in range(words):
                    gone[k] |= rows[top, k] & conflict[x, k]
                x = NONE
                more = True
                work += 50 + np.int64(words)
            if more:
                more = False
                for k in range(words):
                    word = gone[k]
                    gone[k] = U0
                    rows[top, k] &= ~word
                    while word != U0:
                        u = (k << U6) + lowest_bit_index(word)
                        word &= word - U1
                        work += 20
                        for p in range(items_at[u], items_at[u + U1]):
                            item = items[p]
                            left = rows[top, counts + item] - U1
                            rows[top, counts + item] = left
                            if left == U0:
                                if phase != LEAVE:
                                    weight[item] += increment
                                phase = LEAVE
                            elif left <= reach[item]:
                                slot = single_slot[item] if left == U1 else reach_slot[item]
                                queue[slot >> U6] |= U1 << (slot & LOW)
                        for p in range(uses_at[u], uses_at[u + U1]):
                            level = uses[p]
                            m = owner[level]
                            if m != quiet:
                                slot = mdd_slot[m]
                                bit = U1 << (slot & LOW)
                                if queue[slot >> U6] & bit == U0:
                                    queue[slot >> U6] |= bit
                                    low[m] = level
                                    high[m] = level
                                else:
                                    low[m] = min(low[m], level)
                                    high[m] = max(high[m], level)
                quiet = NONE
                m = NONE
                if phase == LEAVE:
                    break
            if i == NONE:
                place = U0
                while place < queued and queue[place] == U0:
                    place += U1
                if place == queued:
                    break
                word = queue[place]
                queue[place] = word & (word - U1)
                i = slot_entry[(place << U6) + lowest_bit_index(word)]
                if i >= all_items:
                    m = i - all_items
            if m == NONE:
                quiet = NONE
                n = U0
                for p in range(member_at[i], member_at[i + U1]):
                    u = member[p]
                    if rows[top, u >> U6] >> (u & LOW) & U1 != U0:
                        picked[n] = u
                        n += U1
                i = NONE
                if n == U1 or branching:
                    x = picked[U0]
                    if branching:
                        branching = False
                        for p in range(n):
                            u = picked[p]
                            if witness[u >> U6] >> (u & LOW) & U1 == U0:
                                x = u
                                break
                        tried[top - U1] = x
                    elif rows[top, words + (x >> U6)] >> (x & LOW) & U1 != U0:
                        x = NONE
                else:
                    for k in range(words):
                        gone[k] = rows[top, k] & conflict[picked[U0], k]
                    for p in range(U1, n):
                        u = picked[p]
                        for k in range(words):
                            gone[k] &= conflict[u, k]
                    for k in range(words):
                        more |= gone[k] != U0
                    work += 20 + np.int64(n * words >> U1)
                continue
            i = NONE
            if m >= mdds:
                quiet = NONE
                status = propagate_sum(m - mdds, rows[top], gone, t.sums, w.sums)
                work += 1000
                if status == FAILED:
                    phase = LEAVE
                    blame = 2 * increment / np.float64(first[m + U1] - U1 - first[m])
                    for level in range(first[m], first[m + U1] - U1):
                        weight[base[level]] += blame
                    break
                more = status == REMOVED
                continue
            # An MDD need not be propagated again for candidates that it has removed itself.
            quiet = m if once[m] else NONE
            begin = first[m]
            end = first[m + U1] - U1
            start = low[m]
            until = high[m]
            work += 50
            level = start
            forward = True
            while True:
                a = words_at[level]
                b = words_at[level + U1]
                c = words_at[level + U2]
                at = choice_at[level]
                columns = choice_at[level + U1] - at
                n = U1
                for k in range(U1, columns):
                    u = choice[at + k]
                    if rows[top, u >> U6] >> (u & LOW) & U1 != U0:
                        picked[n] = k
                        n += U1
                # Choice 0 is the item's other candidates together.
                picked[U0] = U0
                p0 = U1 if rows[top, counts + base[level]] < n else U0
                changed = False
                some = U0
                if forward and c - b == U1:
                    need = rows[top, b]
                    for k in range(a, b):
                        word = rows[top, k]
                        row = table_at[level] + ((k - a) << U6) * columns
                        while word != U0 and need & ~some != U0:
                            target = row + lowest_bit_index(word) * columns
                            word &= word - U1
                            work += np.int64(n + U2)
                            for p in range(p0, n):
                                some |= U1 << np.uint64(table[target + picked[p]])
                    some &= need
                    changed = some != need
                    rows[top, b] = some
                elif forward:
                    for k in range(c - b):
                        reached[k] = U0
                    for k in range(a, b):
                        word = rows[top, k]
                        row = table_at[level] + ((k - a) << U6) * columns
                        while word != U0:
                            target = row + lowest_bit_index(word) * columns
                            word &= word - U1
                            work += np.int64(n + U2)
                            for p in range(p0, n):
                                s = np.uint64(table[target + picked[p]])
                                reached[s >> U6] |= U1 << (s & LOW)
                    for k in range(b, c):
                        word = rows[top, k] & reached[k - b]
                        changed |= word != rows[top, k]
                        rows[top, k] = word
                        some |= word
                if forward:
                    if some == U0:
                        phase = LEAVE
                        break
                    if level + U1 == end or (level >= until and not changed):
                        forward = False
                    else:
                        level += U1
                    continue
                for p in range(p0, n):
                    supported[p] = U0
                missing = n - p0
                for k in range(a, b):
                    word = rows[top, k]
                    kept = word
                    row = table_at[level] + ((k - a) << U6) * columns
                    while word != U0:
                        bit = word & ~(word - U1)
                        target = row + lowest_bit_index(word) * columns
                        word ^= bit
                        some = U0
                        if missing > U0:
                            work += np.int64(n + U2)
                            missing = n - p0
                            for p in range(p0, n):
                                s = np.uint64(table[target + picked[p]])
                                hit = rows[top, b + (s >> U6)] >> (s & LOW) & U1
                                some |= hit
                                hit |= supported[p]
                                supported[p] = hit
                                missing -= hit
                        else:
                            for p in range(p0, n):
                                s = np.uint64(table[target + picked[p]])
                                some = rows[top, b + (s >> U6)] >> (s & LOW) & U1
                                if some != U0:
                                    break
                        if some == U0:
                            kept ^= bit
                            changed = True
                    rows[top, k] = kept
                if missing > U0:
                    more = True
                    for p in range(p0, n):
                        if supported[p] == U0:
                            u = choice[at + picked[p]]
                            if p > U0:
                                gone[u >> U6] |= U1 << (u & LOW)
                    if p0 == U0 and supported[U0] == U0:
                        for p in range(others_at[level], others_at[level + U1]):
                            u = others[p]
                            gone[u >> U6] |= rows[top, u >> U6] & U1 << (u & LOW)
                if level == begin or (level <= start and not changed):
                    break
                level -= U1
            if phase == LEAVE:
                blame = 2 * increment / np.float64(end - begin)
                for level in range(begin, end):
                    weight[base[level]] += blame
                break
        if phase == LEAVE:
            if top > U0:
                u = tried[top - U1]
                for p in range(items_at[u], items_at[u + U1]):
                    weight[items[p]] += increment
            increment /= DECAY
            if increment > _GREATEST_INCREMENT:
                for k in range(all_items):
                    weight[k] /= _GREATEST_INCREMENT
                increment /= _GREATEST_INCREMENT
            for k in range(words):
                gone[k] = U0
            for k in range(queued):
                queue[k] = U0
    w.increment[0] = increment
    state[PHASE] = phase
    state[TOP] = top
    state[COUNT] = total
    state[NODES] = nodes
    state[WORK] = work
    state[USED] = used
    state[FOUND] = found
