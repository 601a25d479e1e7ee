"""The search's inner loop: settle, branch, settle, on flat arrays.

*Candidates* are the variables, and one complement for every variable that would otherwise be free to
be false unseen; *items* are sets of candidates of which exactly one holds. Everything is said by
taking candidates away:

* an item with one candidate left chooses it, and what conflicts with it goes;
* what conflicts with every candidate left of an item goes (only looked at for small items): a
  clique of conflicts, or a whole relation between two cells, is consistent by that;
* a machine keeps its live states as bit sets, layer by layer: those that lie on a path from its
  first to its last layer along live candidates. A candidate on no such path goes. Only machines
  whose candidates have changed are looked at, from the first changed level to where nothing
  changes any more (Pesant, *A regular language membership constraint*, CP 2004).

A branching chooses a candidate of a small item on a copy of the row of live candidates, counters
and states, and takes it away from the row itself when it comes back.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit, types
from numba.extending import intrinsic
from numpy.typing import NDArray

__all__ = [
    "COUNT", "DONE", "ENTER", "FIELDS", "FOUND", "FULL", "NODES", "PHASE", "SMALL", "TOP", "USED",
    "WORK", "Rows", "Tables", "Work", "run",
]  # fmt: skip

START, ENTER, LEAVE, DONE, FULL = range(5)
"""Where the search goes on: at its very beginning, down from a settled row, back from a finished
one, nowhere; or it needs more rows first."""

# Fields of the search state, int64.
PHASE, TOP, COUNT, NODES, WORK, USED, FOUND, FIELDS = range(8)

U0, U1, U2, U6 = np.uint64(0), np.uint64(1), np.uint64(2), np.uint64(6)
LOW = np.uint64(63)
NONE = np.uint64((1 << 32) - 1)

SMALL = 2
"""Items with so many live candidates are asked what conflicts with all of them (with 3, there are
fewer nodes, but on all kinds of puzzles they take more time)."""

Ints = NDArray[np.uint32]
Words = NDArray[np.uint64]


class Tables(NamedTuple):
    """What does not change.

    Lists of lists are flat, with the beginnings in ``…_at``.
    """

    conflict: Words
    """(candidates, words): those that cannot hold together with it."""
    items_at: Ints
    items: Ints
    """The items of a candidate."""
    member_at: Ints
    member: Ints
    """The candidates of an item."""
    uses_at: Ints
    uses: Ints
    """The levels that a candidate has something to say at."""
    owner: Ints
    """The machine of a level."""
    first: Ints
    """(machines + 1,): a machine's first level. One more than it reads, for its last layer."""
    once: NDArray[np.bool_]
    """Whether a machine meets each candidate at one level only."""
    wide: Ints
    """(levels,): choices."""
    table_at: Words
    table: Ints
    """The next state for a state and a choice; the last bit of the last word, which is never set,
    when there is none."""
    words_at: Words
    """(levels + 1,): the words of a layer's states in a row."""
    base: Ints
    """(levels,): the item whose candidates are the level's choices, or stand for none of them."""
    choice_at: Ints
    choice: Ints
    """The candidate of a choice; anything for choice 0."""
    variables: Words
    """(words,): the candidates that are variables."""


class Rows(NamedTuple):
    """What a branching copies; row 0 is the root."""

    live: Words
    chosen: Words
    states: Words
    count: Ints
    """(rows, items): live candidates."""
    open: NDArray[np.int64]
    """Items whose candidate is not chosen yet."""
    tried: Ints
    """The candidate that the next row has chosen."""


class Work(NamedTuple):
    """Queues, scratch, and what the search learns."""

    gone: Words
    """Candidates to be taken away."""
    forced: Ints
    """Stack of items with one candidate left; the number of them in entry 0."""
    small: Words
    """Items that have become small."""
    dirty: Words
    """Machines to be looked at."""
    low: Ints
    high: Ints
    """(machines,): first and last changed level."""
    reached: Words
    """One layer's states."""
    picked: Ints
    """Live choices of a level."""
    supported: Words
    """(choices,): 1 for the live choices of a level that lie on a path."""
    weight: NDArray[np.float64]
    """(items,): one more than how often an item had to do with a dead end."""
    witness: Words
    """Candidates that some solution holds."""


def _lowest(typing_context, word):  # type: ignore[no-untyped-def]
    def generate(context, builder, signature, args):  # type: ignore[no-untyped-def]
        return builder.cttz(args[0], context.get_constant(types.boolean, True))

    return types.uint64(types.uint64), generate


lowest: Any = intrinsic(_lowest)
"""Number of the lowest bit of a word that is not 0."""


@njit(cache=True, nogil=True)
def run(t, r, w, state, out, ends, chunk, max_count, max_nodes, supports):  # type: ignore[no-untyped-def]
    """Search on until the end, a limit, a full buffer, missing rows, or ``chunk`` steps more.

    One function, because numba counts references to every array at every call; unsigned indices,
    because it would look for negative ones otherwise.

    Args:
        t, r, w: see the classes.
        state: see the fields.
        out, ends: solutions are written there, one after the other; none when ``ends`` is empty.
        chunk: steps before the next return.
        max_count, max_nodes: totals at which the search pauses.
        supports: look for solutions that hold something new; each ends the branch.
    """
    conflict, items_at, items, member_at, member = (
        t.conflict, t.items_at, t.items, t.member_at, t.member,
    )  # fmt: skip
    uses_at, uses, owner, first, once, wide = t.uses_at, t.uses, t.owner, t.first, t.once, t.wide
    table_at, table, words_at, base = t.table_at, t.table, t.words_at, t.base
    choice_at, choice, variables = t.choice_at, t.choice, t.variables
    live, chosen, states, count, open_, tried = r.live, r.chosen, r.states, r.count, r.open, r.tried
    gone, forced, small, dirty, low, high = w.gone, w.forced, w.small, w.dirty, w.low, w.high
    reached, picked, supported = w.reached, w.picked, w.supported
    weight, witness = w.weight, w.witness
    words = np.uint64(live.shape[1])
    all_items = np.uint64(count.shape[1])
    phase = state[PHASE]
    top = np.uint64(state[TOP])
    total = state[COUNT]
    nodes = state[NODES]
    work = state[WORK]
    used = 0
    found = 0
    stop = work + chunk
    while phase != DONE and work < stop and nodes < max_nodes and total < max_count:
        x = NONE
        if phase == ENTER:
            if open_[top] == 0:
                if len(ends) > 0:
                    if found == len(ends) or used + count.shape[1] > len(out):
                        break
                    for k in range(words):
                        word = chosen[top, k] & variables[k]
                        while word != U0:
                            out[used] = (k << U6) + lowest(word)
                            word &= word - U1
                            used += 1
                    ends[found] = used
                    found += 1
                total += 1
                phase = LEAVE
                if supports:
                    for k in range(words):
                        witness[k] |= chosen[top, k]
                    phase = DONE if top == U0 else ENTER
                    top = U0
                continue
            if supports and top == U0:
                some = U0
                for k in range(words):
                    some |= witness[k]
                    word = live[U0, k] & ~chosen[U0, k] & variables[k] & ~witness[k]
                    if word != U0:
                        x = (k << U6) + lowest(word)
                        break
                # What is chosen at the root stands in any solution, if there is one.
                if x == NONE and some != U0:
                    phase = DONE
                    continue
            if top + U1 == np.uint64(len(live)):
                phase = FULL
                break
            if x == NONE:
                best = U0
                least = np.inf
                for i in range(all_items):
                    left = np.int64(count[top, i])
                    if left > 1 and left * left < least * weight[i]:
                        least = left * left / weight[i]
                        best = i
                for k in range(np.uint64(member_at[best]), np.uint64(member_at[best + U1])):
                    u = np.uint64(member[k])
                    if live[top, u >> U6] >> (u & LOW) & U1 != U0:
                        if witness[u >> U6] >> (u & LOW) & U1 == U0:
                            x = u
                            break
                        if x == NONE:
                            x = u
            tried[top] = x
            top += U1
            for k in range(words):
                live[top, k] = live[top - U1, k]
                chosen[top, k] = chosen[top - U1, k]
            for k in range(np.uint64(states.shape[1])):
                states[top, k] = states[top - U1, k]
            for k in range(all_items):
                count[top, k] = count[top - U1, k]
            open_[top] = open_[top - U1]
            nodes += 1
        elif phase == LEAVE:
            if top == U0:
                phase = DONE
                break
            top -= U1
            u = np.uint64(tried[top])
            gone[u >> U6] |= U1 << (u & LOW)
        phase = ENTER
        work += 64
        more = True
        quiet = NONE
        # Draw every conclusion.
        while phase == ENTER:
            m = NONE
            if x != NONE:
                chosen[top, x >> U6] |= U1 << (x & LOW)
                open_[top] -= np.int64(items_at[x + U1] - items_at[x])
                for k in range(words):
                    gone[k] |= live[top, k] & conflict[x, k]
                x = NONE
                more = True
                work += 8
            if more:
                more = False
                for k in range(words):
                    word = gone[k]
                    if word == U0:
                        continue
                    gone[k] = U0
                    live[top, k] &= ~word
                    while word != U0:
                        u = (k << U6) + lowest(word)
                        word &= word - U1
                        for p in range(np.uint64(items_at[u]), np.uint64(items_at[u + U1])):
                            i = np.uint64(items[p])
                            left = np.int64(count[top, i]) - 1
                            count[top, i] = left
                            if left <= SMALL:
                                if left == 0:
                                    weight[i] += 1
                                    phase = LEAVE
                                elif left == 1:
                                    forced[U0] += 1
                                    forced[np.uint64(forced[U0])] = i
                                else:
                                    small[i >> U6] |= U1 << (i & LOW)
                        for p in range(np.uint64(uses_at[u]), np.uint64(uses_at[u + U1])):
                            level = np.uint64(uses[p])
                            i = np.uint64(owner[level])
                            if i != quiet:
                                dirty[i >> U6] |= U1 << (i & LOW)
                                low[i] = min(np.uint64(low[i]), level)
                                high[i] = max(np.uint64(high[i]), level)
                quiet = NONE
                if phase == LEAVE:
                    break
            if forced[U0] > 0:
                i = np.uint64(forced[np.uint64(forced[U0])])
                forced[U0] -= 1
                for k in range(np.uint64(member_at[i]), np.uint64(member_at[i + U1])):
                    u = np.uint64(member[k])
                    if live[top, u >> U6] >> (u & LOW) & U1 != U0:
                        if chosen[top, u >> U6] >> (u & LOW) & U1 == U0:
                            x = u
                        break
                continue
            i = NONE
            for k in range(np.uint64(len(small))):
                if small[k] != U0:
                    i = (k << U6) + lowest(small[k])
                    small[k] &= small[k] - U1
                    break
            if i != NONE:
                n = U0
                for k in range(np.uint64(member_at[i]), np.uint64(member_at[i + U1])):
                    u = np.uint64(member[k])
                    if live[top, u >> U6] >> (u & LOW) & U1 != U0:
                        picked[n] = u
                        n += U1
                if n == U2:
                    a = np.uint64(picked[U0])
                    b = np.uint64(picked[U1])
                    some = U0
                    for k in range(words):
                        word = live[top, k] & conflict[a, k] & conflict[b, k]
                        gone[k] = word
                        some |= word
                    more = some != U0
                    work += 8
                continue
            for k in range(np.uint64(len(dirty))):
                if dirty[k] != U0:
                    m = (k << U6) + lowest(dirty[k])
                    break
            if m == NONE:
                break
            begin = np.uint64(first[m])
            end = np.uint64(first[m + U1]) - U1
            start = np.uint64(low[m])
            until = np.uint64(high[m])
            dirty[m >> U6] &= ~(U1 << (m & LOW))
            low[m] = end
            high[m] = begin
            # Its own findings are no news to a machine.
            quiet = m if once[m] else NONE
            work += 16
            level = start
            forward = True
            while True:
                a = words_at[level]
                b = words_at[level + U1]
                c = words_at[level + U2]
                columns = np.uint64(wide[level])
                at = np.uint64(choice_at[level])
                n = U1
                for k in range(U1, columns):
                    u = np.uint64(choice[at + k])
                    if live[top, u >> U6] >> (u & LOW) & U1 != U0:
                        picked[n] = k
                        n += U1
                # Choice 0 stands for the item's other candidates.
                picked[U0] = 0
                p0 = U1 if np.uint64(count[top, base[level]]) < n else U0
                changed = False
                some = U0
                if forward and c - b == U1:
                    need = states[top, b]
                    for k in range(a, b):
                        word = states[top, k]
                        row = table_at[level] + ((k - a) << U6) * columns
                        while word != U0 and need & ~some != U0:
                            here = row + lowest(word) * columns
                            word &= word - U1
                            work += np.int64(n)
                            for p in range(p0, n):
                                some |= U1 << np.uint64(table[here + np.uint64(picked[p])])
                    some &= need
                    changed = some != need
                    states[top, b] = some
                elif forward:
                    for k in range(c - b):
                        reached[k] = U0
                    for k in range(a, b):
                        word = states[top, k]
                        row = table_at[level] + ((k - a) << U6) * columns
                        while word != U0:
                            here = row + lowest(word) * columns
                            word &= word - U1
                            work += np.int64(n)
                            for p in range(p0, n):
                                s = np.uint64(table[here + np.uint64(picked[p])])
                                reached[s >> U6] |= U1 << (s & LOW)
                    for k in range(b, c):
                        word = states[top, k] & reached[k - b]
                        changed |= word != states[top, k]
                        states[top, k] = word
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
                    word = states[top, k]
                    kept = word
                    row = table_at[level] + ((k - a) << U6) * columns
                    while word != U0:
                        bit = word & ~(word - U1)
                        here = row + lowest(word) * columns
                        word ^= bit
                        some = U0
                        if missing > U0:
                            work += np.int64(n)
                            missing = n - p0
                            for p in range(p0, n):
                                s = np.uint64(table[here + np.uint64(picked[p])])
                                hit = states[top, b + (s >> U6)] >> (s & LOW) & U1
                                some |= hit
                                hit |= supported[p]
                                supported[p] = hit
                                missing -= hit
                        else:
                            for p in range(p0, n):
                                s = np.uint64(table[here + np.uint64(picked[p])])
                                some = states[top, b + (s >> U6)] >> (s & LOW) & U1
                                if some != U0:
                                    break
                        if some == U0:
                            kept ^= bit
                            changed = True
                    states[top, k] = kept
                if missing > U0:
                    more = True
                    for p in range(max(p0, U1), n):
                        if supported[p] == U0:
                            u = np.uint64(choice[at + np.uint64(picked[p])])
                            gone[u >> U6] |= U1 << (u & LOW)
                    if p0 == U0 and supported[U0] == U0:
                        i = np.uint64(base[level])
                        for k in range(np.uint64(member_at[i]), np.uint64(member_at[i + U1])):
                            u = np.uint64(member[k])
                            mine = False
                            for p in range(U1, columns):
                                mine |= np.uint64(choice[at + p]) == u
                            if not mine:
                                gone[u >> U6] |= live[top, u >> U6] & U1 << (u & LOW)
                if level == begin or (level <= start and not changed):
                    break
                level -= U1
        if phase == LEAVE:
            # Who was at the dead end gets more weight; what is left in the queues is cleared.
            if m != NONE:
                for level in range(np.uint64(first[m]), np.uint64(first[m + U1]) - U1):
                    weight[base[level]] += 1
            forced[U0] = 0
            for k in range(words):
                gone[k] = U0
            for k in range(np.uint64(len(small))):
                small[k] = U0
            for k in range(np.uint64(len(dirty))):
                word = dirty[k]
                dirty[k] = U0
                while word != U0:
                    m = (k << U6) + lowest(word)
                    word &= word - U1
                    low[m] = first[m + U1] - U1
                    high[m] = first[m]
    state[PHASE] = phase
    state[TOP] = top
    state[COUNT] = total
    state[NODES] = nodes
    state[WORK] = work
    state[USED] = used
    state[FOUND] = found
