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
from numba import njit
from numpy.typing import NDArray

from bddsudoku.engine.frontier.bits import trailing_zeros

__all__ = [
    "COUNT", "DONE", "ENTER", "FIELDS", "FOUND", "FULL", "NODES", "PHASE", "TOP", "USED", "WORK",
    "Rows", "Tables", "Work", "run",
]  # fmt: skip

START, ENTER, LEAVE, DONE, FULL = range(5)
"""Where the search goes on: at its very beginning, down from a settled row, back from a finished
one, nowhere; or it needs more rows first."""

# Fields of the search state, int64.
PHASE, TOP, COUNT, NODES, WORK, USED, FOUND, FIELDS = range(8)

U1 = np.uint64(1)
SIX = np.uint64(6)
LOW = np.uint64(63)

Ints = NDArray[np.int32]
Words = NDArray[np.uint64]


class Tables(NamedTuple):
    """What does not change.

    Lists of lists are flat, with the beginnings in ``…_at``.
    """

    conflict: Words
    """(candidates, words): those that cannot hold together with it."""
    near_at: Ints
    near: Ints
    """The words of a candidate's conflicts that are not 0."""
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
    """Scratch, and what the search learns."""

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


@njit(cache=True, nogil=True)
def _kill(t, r, w, top, u):  # type: ignore[no-untyped-def]
    """Take a candidate away; False when an item has none left."""
    r.live[top, u >> 6] &= ~(U1 << np.uint64(u & 63))
    for k in range(t.items_at[u], t.items_at[u + 1]):
        i = t.items[k]
        left = r.count[top, i] - 1
        r.count[top, i] = left
        if left <= SMALL:
            if left == 0:
                w.weight[i] += w.blame[0]
                return False
            if left == 1:
                w.forced[0] += 1
                w.forced[w.forced[0]] = i
            else:
                w.small[i >> 6] |= U1 << np.uint64(i & 63)
    for k in range(t.uses_at[u], t.uses_at[u + 1]):
        level = t.uses[k]
        m = t.owner[level]
        w.dirty[m >> 6] |= U1 << np.uint64(m & 63)
        w.low[m] = min(w.low[m], level)
        w.high[m] = max(w.high[m], level)
    return True


@njit(cache=True, nogil=True)
def _choose(t, r, w, top, x):  # type: ignore[no-untyped-def]
    """Make a candidate hold."""
    r.chosen[top, x >> 6] |= U1 << np.uint64(x & 63)
    r.open[top] -= t.items_at[x + 1] - t.items_at[x]
    for k in range(t.near_at[x], t.near_at[x + 1]):
        n = t.near[k]
        gone = r.live[top, n] & t.conflict[x, n]
        while gone:
            u = (n << 6) + trailing_zeros(gone)
            gone &= gone - U1
            if not _kill(t, r, w, top, u):
                return False
    return True


@njit(cache=True, nogil=True)
def _clean(t, w, m):  # type: ignore[no-untyped-def]
    """Nothing has changed for a machine."""
    w.dirty[m >> 6] &= ~(U1 << np.uint64(m & 63))
    w.low[m] = t.first[m + 1] - 1
    w.high[m] = t.first[m]


@njit(cache=True, nogil=True)
def _picks(t, r, w, top, level):  # type: ignore[no-untyped-def]
    """Write down the live choices of a level; how many."""
    picks = 0
    at = t.choice_at[level]
    own = 0
    for c in range(1, t.wide[level]):
        u = t.choice[at + c]
        if r.live[top, u >> 6] >> np.uint64(u & 63) & U1:
            own += 1
            w.picked[own] = c
    if r.count[top, t.base[level]] > own:
        w.picked[0] = 0
        return 0, own + 1
    return 1, own + 1


@njit(cache=True, nogil=True)
def _sweep(t, r, w, top, m):  # type: ignore[no-untyped-def]
    """Look at a machine: keep what lies on a path. Returns success, and the steps made."""
    first = t.first[m]
    last = t.first[m + 1] - 1
    low = w.low[m]
    high = w.high[m]
    _clean(t, w, m)
    states = r.states[top]
    steps = 0
    level = low
    while level < last:
        begin, end = _picks(t, r, w, top, level)
        a, b, c = t.words_at[level], t.words_at[level + 1], t.words_at[level + 2]
        for k in range(c - b):
            w.reached[k] = 0
        wide = t.wide[level]
        at = t.table_at[level]
        for k in range(a, b):
            word = states[k]
            row = at + ((k - a) << 6) * wide
            while word:
                here = row + trailing_zeros(word) * wide
                word &= word - U1
                steps += end - begin
                for p in range(begin, end):
                    s = t.table[here + w.picked[p]]
                    if s >= 0:
                        w.reached[s >> 6] |= U1 << np.uint64(s & 63)
        changed = False
        some = np.uint64(0)
        for k in range(b, c):
            word = states[k] & w.reached[k - b]
            changed |= word != states[k]
            states[k] = word
            some |= word
        if not some:
            return False, steps
        if level >= high and not changed:
            break
        level += 1
    level = min(level, last - 1)
    while level >= first:
        begin, end = _picks(t, r, w, top, level)
        a, b = t.words_at[level], t.words_at[level + 1]
        wide = t.wide[level]
        at = t.table_at[level]
        missing = end - begin
        for p in range(begin, end):
            w.supported[p] = False
        changed = False
        for k in range(a, b):
            word = states[k]
            kept = word
            row = at + ((k - a) << 6) * wide
            while word:
                bit = trailing_zeros(word)
                here = row + bit * wide
                word &= word - U1
                alive = False
                steps += end - begin
                for p in range(begin, end):
                    s = t.table[here + w.picked[p]]
                    if s >= 0 and states[b + (s >> 6)] >> np.uint64(s & 63) & U1:
                        alive = True
                        if not w.supported[p]:
                            w.supported[p] = True
                            missing -= 1
                        elif missing == 0:
                            break
                if not alive:
                    kept &= ~(U1 << np.uint64(bit))
                    changed = True
            states[k] = kept
        if missing:
            at = t.choice_at[level]
            for p in range(begin, end):
                if w.supported[p]:
                    continue
                if p > 0:
                    if not _kill(t, r, w, top, t.choice[at + w.picked[p]]):
                        return False, steps
                    continue
                base = t.base[level]
                for k in range(t.member_at[base], t.member_at[base + 1]):
                    u = t.member[k]
                    if r.live[top, u >> 6] >> np.uint64(u & 63) & U1:
                        mine = False
                        for q in range(1, wide):
                            mine |= t.choice[at + q] == u
                        if not mine and not _kill(t, r, w, top, u):
                            return False, steps
        if level <= low and not changed:
            break
        level -= 1
    if t.once[m]:
        _clean(t, w, m)  # its own findings are no news to it
    return True, steps


SMALL = 3
"""Items with so many live candidates are asked what conflicts with all of them."""


@njit(cache=True, nogil=True)
def _settle(t, r, w, top):  # type: ignore[no-untyped-def]
    """Draw every conclusion. Returns success, and the steps made."""
    work = 0
    while True:
        if w.forced[0] > 0:
            i = w.forced[w.forced[0]]
            w.forced[0] -= 1
            for k in range(t.member_at[i], t.member_at[i + 1]):
                u = t.member[k]
                if r.live[top, u >> 6] >> np.uint64(u & 63) & U1:
                    if not r.chosen[top, u >> 6] >> np.uint64(u & 63) & U1:
                        work += 8
                        if not _choose(t, r, w, top, u):
                            return False, work
                    break
            continue
        found = False
        for k in range(len(w.small)):
            word = w.small[k]
            if word:
                i = (k << 6) + trailing_zeros(word)
                w.small[k] = word & (word - U1)
                found = True
                work += 8
                if not _narrow(t, r, w, top, i):
                    return False, work
                break
        if found:
            continue
        for k in range(len(w.dirty)):
            word = w.dirty[k]
            if word:
                m = (k << 6) + trailing_zeros(word)
                found = True
                fine, steps = _sweep(t, r, w, top, m)
                work += steps + 16
                if not fine:
                    for level in range(t.first[m], t.first[m + 1] - 1):
                        w.weight[t.base[level]] += w.blame[0]
                    return False, work
                break
        if not found:
            return True, work


@njit(cache=True, nogil=True)
def _narrow(t, r, w, top, i):  # type: ignore[no-untyped-def]
    """Take away what conflicts with every candidate of an item."""
    n = 0
    for k in range(t.member_at[i], t.member_at[i + 1]):
        u = t.member[k]
        if r.live[top, u >> 6] >> np.uint64(u & 63) & U1:
            w.picked[n] = u
            n += 1
    if n < 2 or n > SMALL:
        return True
    x = w.picked[0]
    for k in range(t.near_at[x], t.near_at[x + 1]):
        j = t.near[k]
        gone = r.live[top, j] & t.conflict[x, j]
        for p in range(1, n):
            gone &= t.conflict[w.picked[p], j]
        while gone:
            u = (j << 6) + trailing_zeros(gone)
            gone &= gone - U1
            if not _kill(t, r, w, top, u):
                return False
    return True


@njit(cache=True, nogil=True)
def _forget(t, w):  # type: ignore[no-untyped-def]
    """Clear what a dead end has left in the queues."""
    w.forced[0] = 0
    for k in range(len(w.small)):
        w.small[k] = 0
    for k in range(len(w.dirty)):
        word = w.dirty[k]
        while word:
            m = (k << 6) + trailing_zeros(word)
            word &= word - U1
            _clean(t, w, m)
    w.blame[0] *= 1.02
    if w.blame[0] > 1e20:
        for i in range(len(w.weight)):
            w.weight[i] = max(w.weight[i] * 1e-20, 1e-6)
        w.blame[0] *= 1e-20


@njit(cache=True, nogil=True)
def _branch(t, r, w, top):  # type: ignore[no-untyped-def]
    """The candidate to try next."""
    best = -1
    least = np.inf
    for i in range(r.count.shape[1]):
        left = r.count[top, i]
        if left > 1:
            score = left / w.weight[i]
            if score < least:
                least = score
                best = i
    x = -1
    for k in range(t.member_at[best], t.member_at[best + 1]):
        u = t.member[k]
        if r.live[top, u >> 6] >> np.uint64(u & 63) & U1:
            if not w.witness[u >> 6] >> np.uint64(u & 63) & U1:
                return u
            if x < 0:
                x = u
    return x


@njit(cache=True, nogil=True)
def run(t, r, w, state, out, ends, chunk, max_count, max_nodes, supports):  # type: ignore[no-untyped-def]
    """Search on until the end, a limit, a full buffer, missing rows, or ``chunk`` steps more.

    Args:
        t, r, w: see the classes.
        state: see the fields.
        out, ends: solutions are written there, one after the other; none when ``ends`` is empty.
        chunk: steps before the next return.
        max_count, max_nodes: totals at which the search pauses.
        supports: look for solutions that hold something new; each ends the branch.
    """
    phase = state[PHASE]
    top = state[TOP]
    count = state[COUNT]
    nodes = state[NODES]
    work = state[WORK]
    used = 0
    found = 0
    stop = work + chunk
    while phase != DONE and work < stop and nodes < max_nodes and count < max_count:
        if phase == ENTER:
            x = -1
            if r.open[top] == 0:
                if len(ends) > 0:
                    if found == len(ends) or used + r.count.shape[1] > len(out):
                        break
                    for k in range(len(t.variables)):
                        word = r.chosen[top, k] & t.variables[k]
                        while word:
                            out[used] = (k << 6) + trailing_zeros(word)
                            word &= word - U1
                            used += 1
                    ends[found] = used
                    found += 1
                count += 1
                phase = LEAVE
                if supports:
                    for k in range(len(w.witness)):
                        w.witness[k] |= r.chosen[top, k]
                    phase = DONE if top == 0 else ENTER
                    top = 0
                continue
            if supports and top == 0:
                for k in range(len(t.variables)):
                    word = r.live[0, k] & ~r.chosen[0, k] & t.variables[k] & ~w.witness[k]
                    if word:
                        x = (k << 6) + trailing_zeros(word)
                        break
                if x < 0:
                    # What is chosen at the root stands in any solution, if there is one.
                    some = False
                    for k in range(len(w.witness)):
                        some |= w.witness[k] != 0
                    if some:
                        phase = DONE
                        continue
            if x < 0:
                x = _branch(t, r, w, top)
            if top + 1 == len(r.live):
                phase = FULL
                break
            r.tried[top] = x
            top += 1
            r.live[top] = r.live[top - 1]
            r.chosen[top] = r.chosen[top - 1]
            r.states[top] = r.states[top - 1]
            r.count[top] = r.count[top - 1]
            r.open[top] = r.open[top - 1]
            nodes += 1
            fine = _choose(t, r, w, top, x)
        elif phase == LEAVE:
            if top == 0:
                phase = DONE
                break
            top -= 1
            fine = _kill(t, r, w, top, r.tried[top])
        else:
            fine = True
        work += 64
        if fine:
            fine, steps = _settle(t, r, w, top)
            work += steps
        phase = ENTER
        if not fine:
            _forget(t, w)
            phase = LEAVE
    state[PHASE] = phase
    state[TOP] = top
    state[COUNT] = count
    state[NODES] = nodes
    state[WORK] = work
    state[USED] = used
    state[FOUND] = found
