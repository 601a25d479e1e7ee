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

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bddsudoku.engine.frontier.bits import trailing_zeros
from bddsudoku.jit import kernel

__all__ = [
    "COUNT", "DONE", "ENTER", "FIELDS", "FOUND", "FULL", "NODES", "PHASE", "SMALL", "TOP", "USED",
    "WORK", "Rows", "Tables", "Work", "run",
]  # fmt: skip

START, ENTER, LEAVE, DONE, FULL = range(5)
"""Where the search goes on: at its very beginning, down from a settled row, back from a finished
one, nowhere; or it needs more rows first."""

# Fields of the search state, int64.
PHASE, TOP, COUNT, NODES, WORK, USED, FOUND, FIELDS = range(8)

U0 = np.uint64(0)
U1 = np.uint64(1)

SMALL = 3
"""Items with so many live candidates are asked what conflicts with all of them."""

Ints = NDArray[np.int32]
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
    table_at: NDArray[np.int64]
    table: Ints
    """The next state for a state and a choice, or -1."""
    words_at: NDArray[np.int64]
    """(levels + 1,): the words of a layer's states in a row."""
    base: Ints
    """(levels,): the item whose candidates are the level's choices, or stand for none of them."""
    choice_at: Ints
    choice: Ints
    """The candidate of a choice; -1 for choice 0."""
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
    supported: NDArray[np.bool_]
    """(choices,)."""
    weight: NDArray[np.float64]
    """(items,): how often an item had to do with a dead end, lately."""
    blame: NDArray[np.float64]
    """What one more dead end counts."""
    witness: Words
    """Candidates that some solution holds."""


@kernel
def run(t, r, w, state, out, ends, chunk, max_count, max_nodes, supports):  # type: ignore[no-untyped-def]
    """Search on until the end, a limit, a full buffer, missing rows, or ``chunk`` steps more.

    One function, because numba counts references to every array at every call.

    Args:
        t, r, w: see the classes.
        state: see the fields.
        out, ends: solutions are written there, one after the other; none when ``ends`` is empty.
        chunk: steps before the next return.
        max_count, max_nodes: totals at which the search pauses.
        supports: look for solutions that hold something new; each ends the branch.
    """
    conflict, items_at, items, member_at, member = (
        t.conflict,
        t.items_at,
        t.items,
        t.member_at,
        t.member,
    )
    uses_at, uses, owner, first, once, wide = t.uses_at, t.uses, t.owner, t.first, t.once, t.wide
    table_at, table, words_at, base = t.table_at, t.table, t.words_at, t.base
    choice_at, choice, variables = t.choice_at, t.choice, t.variables
    live, chosen, states, count, open_, tried = r.live, r.chosen, r.states, r.count, r.open, r.tried
    gone, forced, small, dirty, low, high = w.gone, w.forced, w.small, w.dirty, w.low, w.high
    reached, picked, supported = w.reached, w.picked, w.supported
    weight, blame, witness = w.weight, w.blame, w.witness
    words = live.shape[1]
    phase = state[PHASE]
    top = state[TOP]
    total = state[COUNT]
    nodes = state[NODES]
    work = state[WORK]
    used = 0
    found = 0
    stop = work + chunk
    while phase != DONE and work < stop and nodes < max_nodes and total < max_count:
        x = -1
        if phase == ENTER:
            if open_[top] == 0:
                if len(ends) > 0:
                    if found == len(ends) or used + count.shape[1] > len(out):
                        break
                    for k in range(words):
                        word = chosen[top, k] & variables[k]
                        while word != U0:
                            out[used] = (k << 6) + trailing_zeros(word)
                            word &= word - U1
                            used += 1
                    ends[found] = used
                    found += 1
                total += 1
                phase = LEAVE
                if supports:
                    for k in range(words):
                        witness[k] |= chosen[top, k]
                    phase = DONE if top == 0 else ENTER
                    top = 0
                continue
            if supports and top == 0:
                some = U0
                for k in range(words):
                    some |= witness[k]
                    word = live[0, k] & ~chosen[0, k] & variables[k] & ~witness[k]
                    if word != U0:
                        x = (k << 6) + trailing_zeros(word)
                        break
                # What is chosen at the root stands in any solution, if there is one.
                if x < 0 and some != U0:
                    phase = DONE
                    continue
            if top + 1 == len(live):
                phase = FULL
                break
            if x < 0:
                best = -1
                least = np.inf
                for i in range(count.shape[1]):
                    if count[top, i] > 1 and count[top, i] < least * weight[i]:
                        least = count[top, i] / weight[i]
                        best = i
                for k in range(member_at[best], member_at[best + 1]):
                    u = member[k]
                    if live[top, u >> 6] >> np.uint64(u & 63) & U1 != U0:
                        if witness[u >> 6] >> np.uint64(u & 63) & U1 == U0:
                            x = u
                            break
                        if x < 0:
                            x = u
            tried[top] = x
            top += 1
            for k in range(words):
                live[top, k] = live[top - 1, k]
                chosen[top, k] = chosen[top - 1, k]
            for k in range(states.shape[1]):
                states[top, k] = states[top - 1, k]
            for k in range(count.shape[1]):
                count[top, k] = count[top - 1, k]
            open_[top] = open_[top - 1]
            nodes += 1
        elif phase == LEAVE:
            if top == 0:
                phase = DONE
                break
            top -= 1
            gone[tried[top] >> 6] |= U1 << np.uint64(tried[top] & 63)
        phase = ENTER
        work += 64
        quiet = -1
        # Draw every conclusion.
        while phase == ENTER:
            if x >= 0:
                chosen[top, x >> 6] |= U1 << np.uint64(x & 63)
                open_[top] -= items_at[x + 1] - items_at[x]
                for k in range(words):
                    gone[k] |= live[top, k] & conflict[x, k]
                x = -1
                work += 8
            m = -1
            for k in range(words):
                word = gone[k]
                if word == U0:
                    continue
                gone[k] = U0
                live[top, k] &= ~word
                while word != U0:
                    u = (k << 6) + trailing_zeros(word)
                    word &= word - U1
                    for p in range(items_at[u], items_at[u + 1]):
                        i = items[p]
                        left = count[top, i] - 1
                        count[top, i] = left
                        if left <= SMALL:
                            if left == 0:
                                weight[i] += blame[0]
                                phase = LEAVE
                            elif left == 1:
                                forced[0] += 1
                                forced[forced[0]] = i
                            else:
                                small[i >> 6] |= U1 << np.uint64(i & 63)
                    for p in range(uses_at[u], uses_at[u + 1]):
                        level = uses[p]
                        i = owner[level]
                        if i != quiet:
                            dirty[i >> 6] |= U1 << np.uint64(i & 63)
                            low[i] = min(low[i], level)
                            high[i] = max(high[i], level)
            quiet = -1
            if phase == LEAVE:
                break
            if forced[0] > 0:
                i = forced[forced[0]]
                forced[0] -= 1
                for k in range(member_at[i], member_at[i + 1]):
                    u = member[k]
                    if live[top, u >> 6] >> np.uint64(u & 63) & U1 != U0:
                        if chosen[top, u >> 6] >> np.uint64(u & 63) & U1 == U0:
                            x = u
                        break
                continue
            i = -1
            for k in range(len(small)):
                if small[k] != U0:
                    i = (k << 6) + trailing_zeros(small[k])
                    small[k] &= small[k] - U1
                    break
            if i >= 0:
                left = count[top, i]
                if left < 2:
                    continue
                n = 0
                for k in range(member_at[i], member_at[i + 1]):
                    u = member[k]
                    if live[top, u >> 6] >> np.uint64(u & 63) & U1 != U0:
                        picked[n] = u
                        n += 1
                a = picked[0]
                b = picked[1]
                c = picked[n - 1]
                for k in range(words):
                    gone[k] = live[top, k] & conflict[a, k] & conflict[b, k] & conflict[c, k]
                work += 8
                continue
            m = -1
            for k in range(len(dirty)):
                if dirty[k] != U0:
                    m = (k << 6) + trailing_zeros(dirty[k])
                    break
            if m < 0:
                break
            # Its own findings are no news to a machine.
            quiet = m if once[m] else -1
            begin = first[m]
            end = first[m + 1] - 1
            from_ = low[m]
            to = high[m]
            dirty[m >> 6] &= ~(U1 << np.uint64(m & 63))
            low[m] = end
            high[m] = begin
            level = from_
            forward = True
            while level >= begin:
                a, b, c = words_at[level], words_at[level + 1], words_at[level + 2]
                columns = wide[level]
                at = choice_at[level]
                n = 1
                for k in range(1, columns):
                    u = choice[at + k]
                    if live[top, u >> 6] >> np.uint64(u & 63) & U1 != U0:
                        picked[n] = k
                        n += 1
                # Choice 0 stands for the item's other candidates.
                p0 = 0 if count[top, base[level]] >= n else 1
                picked[0] = 0
                changed = False
                if forward:
                    for k in range(c - b):
                        reached[k] = U0
                    for k in range(a, b):
                        word = states[top, k]
                        row = table_at[level] + ((k - a) << 6) * columns
                        while word != U0:
                            here = row + trailing_zeros(word) * columns
                            word &= word - U1
                            work += n
                            for p in range(p0, n):
                                s = table[here + picked[p]]
                                if s >= 0:
                                    reached[s >> 6] |= U1 << np.uint64(s & 63)
                    some = U0
                    for k in range(b, c):
                        word = states[top, k] & reached[k - b]
                        changed |= word != states[top, k]
                        states[top, k] = word
                        some |= word
                    if some == U0:
                        phase = LEAVE
                        break
                    if level + 1 == end or (level >= to and not changed):
                        forward = False
                    else:
                        level += 1
                    continue
                missing = n - p0
                for p in range(p0, n):
                    supported[p] = False
                for k in range(a, b):
                    word = states[top, k]
                    kept = word
                    row = table_at[level] + ((k - a) << 6) * columns
                    while word != U0:
                        bit = trailing_zeros(word)
                        here = row + bit * columns
                        word &= word - U1
                        alive = False
                        work += n
                        for p in range(p0, n):
                            s = table[here + picked[p]]
                            if s >= 0 and states[top, b + (s >> 6)] >> np.uint64(s & 63) & U1 != U0:
                                alive = True
                                if not supported[p]:
                                    supported[p] = True
                                    missing -= 1
                                elif missing == 0:
                                    break
                        if not alive:
                            kept &= ~(U1 << np.uint64(bit))
                            changed = True
                    states[top, k] = kept
                if missing > 0:
                    for p in range(max(p0, 1), n):
                        if not supported[p]:
                            u = choice[at + picked[p]]
                            gone[u >> 6] |= U1 << np.uint64(u & 63)
                    if p0 == 0 and not supported[0]:
                        i = base[level]
                        for k in range(member_at[i], member_at[i + 1]):
                            u = member[k]
                            mine = False
                            for p in range(1, columns):
                                mine |= choice[at + p] == u
                            if not mine:
                                gone[u >> 6] |= live[top, u >> 6] & U1 << np.uint64(u & 63)
                if level <= from_ and not changed:
                    break
                level -= 1
            work += 16
        if phase == LEAVE:
            # Clear what is left in the queues; whoever was at the dead end gets more weight.
            if m >= 0:
                for level in range(first[m], first[m + 1] - 1):
                    weight[base[level]] += blame[0]
            forced[0] = 0
            for k in range(words):
                gone[k] = U0
            for k in range(len(small)):
                small[k] = U0
            for k in range(len(dirty)):
                word = dirty[k]
                dirty[k] = U0
                while word != U0:
                    m = (k << 6) + trailing_zeros(word)
                    word &= word - U1
                    low[m] = first[m + 1] - 1
                    high[m] = first[m]
            blame[0] *= 1.02
            if blame[0] > 1e20:
                for i in range(len(weight)):
                    weight[i] = max(weight[i] * 1e-20, 1e-6)
                blame[0] *= 1e-20
    state[PHASE] = phase
    state[TOP] = top
    state[COUNT] = total
    state[NODES] = nodes
    state[WORK] = work
    state[USED] = used
    state[FOUND] = found
