"""Inner loop of the constraint search: propagate and branch, on flat arrays.

A row of the search has the possible values of every cell, as the bits of a word, and the places of
every value, as a bit set of cells. *Propagators* take values from cells, and say which cells have
changed:

* a cell with one value left takes it from its *peers*, the cells that may not have the same;
* relations of two cells (:mod:`.relations`);
* bounds on how many cells have certain values (:mod:`.choices`);
* sets of values that cells with different values can have together (:mod:`.sets`);
* houses, in which every value has a place (:mod:`.houses`);
* sums (:mod:`.sums`), and MDDs for everything else (:mod:`.mdds`);
* regions that are connected (:mod:`.connected`) or to be found (:mod:`.partitions`), in a kernel of
  their own: where there is none, their tables are None, and numba leaves out what reads them.

Propagators that read a changed cell wait in a queue, the cheap ones first, until nothing changes.

A branching gives a cell a value on a copy of its row, and takes it from the row itself after
backtracking. It chooses the cell with the greatest ratio of its weight to its squared number of
values, or one of the two last places of a value in a house. Weights count dead ends (Boussemart,
Hemery, Lecoutre and Sais, *Boosting systematic search by weighting constraints*, ECAI 2004): of the
cell branched on, and of the cell without values or, if there is none, the cells of the constraint
that failed. Every dead end counts 1/:data:`DECAY` times the one before, as in Chaff's VSIDS
(Moskewicz et al., DAC 2001).
"""

from __future__ import annotations

import numpy as np

from bddsudoku.engine.search.arrays import (
    CHOICE,
    COUNT,
    DONE,
    ENTER,
    FOUND,
    FULL,
    HOUSE,
    LEAVE,
    MDD,
    NODES,
    PARTITION,
    PHASE,
    RELATION,
    SET,
    START,
    SUM,
    TOP,
    USED,
    WORK,
)
from bddsudoku.engine.search.choices import propagate_choice
from bddsudoku.engine.search.connected import propagate_region
from bddsudoku.engine.search.domain_reduction import EMPTY, exclude_from_cells
from bddsudoku.engine.search.houses import propagate_houses
from bddsudoku.engine.search.mdds import propagate_mdd
from bddsudoku.engine.search.partitions import propagate_partition
from bddsudoku.engine.search.relations import propagate_relation
from bddsudoku.engine.search.sets import propagate_set
from bddsudoku.engine.search.sums import propagate_sum
from bddsudoku.jit import kernel, subroutine
from bddsudoku.jit.decorators import lowest_bit_index, popcount

# uint64 throughout, so that numba emits no code for negative indices.
U0, U1, U2, U6 = np.uint64(0), np.uint64(1), np.uint64(2), np.uint64(6)
LOW = np.uint64(63)
NONE = np.uint64((1 << 32) - 1)
DECAY = 0.995
"""Weight of a dead end relative to the next one."""
PLACES = 0.5
"""What the weight of a cell counts for a value with two places left in a house."""
_GREATEST_INCREMENT = 1e100
"""Increment at which all weights are scaled down."""


@subroutine
def _wake_propagators(row, n, everything, quiet, places, t, w):  # type: ignore[no-untyped-def]
    """Update places, queue propagators of changed cells, exclude fixed values from other cells.

    Args:
        row: uint64; the row of the search.
        n: length of the list of changed cells.
        everything: whether cells of the list count as changed that have lost nothing.
        places: where the row has the places of the values.
        quiet: slot of the propagator that has changed these; it need not run again.
        t: SearchTables.
        w: SearchWorkspace.

    Returns:
        The number of cells that have changed, or EMPTY.
    """
    changed, queue = w.changed, w.queue
    wake_at, wake_word, wake = t.wake_at, t.wake_word, t.wake
    seen, of_at, of_word, of_bits = (
        t.houses.seen,
        t.houses.of_at,
        t.houses.of_word,
        t.houses.of_bits,
    )
    before, pending = w.before, w.pending
    words = (np.uint64(len(before)) + LOW) >> U6
    house_word, house_values = t.house_values[0], t.house_values[1]
    begin = 0
    while begin < n:
        end = n
        # What the list's cells lose below may wake the quiet propagator; so first all are recorded.
        for e in range(begin, end):
            c = changed[np.uint64(e)]
            old = before[c]
            value = row[c]
            gone = old & ~value
            if gone == U0 and not everything:
                continue
            before[c] = value
            queue[house_word] |= gone & house_values
            while gone != U0:
                v = lowest_bit_index(gone)
                gone &= gone - U1
                row[places + v * words + (c >> U6)] &= ~(U1 << (c & LOW))
                for p in range(of_at[c], of_at[c + U1]):
                    pending[v, of_word[p]] |= of_bits[p]
            for p in range(wake_at[c], wake_at[c + U1]):
                queue[wake_word[p]] |= wake[p]
        if quiet != NONE:
            queue[quiet >> U6] &= ~(U1 << (quiet & LOW))
            quiet = NONE
        for e in range(begin, end):
            c = changed[np.uint64(e)]
            value = row[c]
            if value & (value - U1) == U0:
                at = places + lowest_bit_index(value) * words
                for k in range(np.uint64(seen.shape[1])):
                    n = exclude_from_cells(row, changed, n, value, k, row[at + k] & seen[c, k])
                    if n < 0:
                        return n
        begin = end
    return n


@subroutine
def choose_candidate(row, t, w):  # type: ignore[no-untyped-def]
    """Choose what a propagated row is branched on.

    Returns:
        The cell, or NONE if all have one value; and a value that has two places left in a house,
        or 0 for any value of the cell.
    """
    weight, pending = w.weight, w.pending
    house_at, house_word, house_bits = t.houses.at, t.houses.word, t.houses.bits
    cells = np.uint64(len(weight))
    words = (cells + LOW) >> U6
    value_count, house_words = np.uint64(pending.shape[0]), np.uint64(pending.shape[1])
    pairs = cells + value_count * words
    c, bit = NONE, U0
    best = -1.0
    for k in range(cells):
        values = row[k]
        if values & (values - U1) != U0:
            m = np.float64(popcount(values))
            score = weight[k] / (m * m)
            if score > best:
                best = score
                c = np.uint64(k)
    if c != NONE and popcount(row[c]) > U2:
        for q in range(value_count * house_words):
            two = row[pairs + q]
            while two != U0:
                h = (q % house_words << U6) + lowest_bit_index(two)
                two &= two - U1
                v = q // house_words
                for p in range(house_at[h], house_at[h + U1]):
                    at = house_word[p]
                    left = row[cells + v * words + at] & house_bits[p]
                    while left != U0:
                        x = (at << U6) + lowest_bit_index(left)
                        left &= left - U1
                        score = PLACES * weight[x]
                        if score > best:
                            best = score
                            c = x
                            bit = U1 << v
    return c, bit


@subroutine
def propagate(row, n, everything, t, w):  # type: ignore[no-untyped-def]
    """Propagate a row to the fixpoint; at a dead end nothing waits any more.

    Args:
        row: uint64; the row of the search.
        n: length of the list of changed cells.
        everything: whether cells of the list count as changed that have lost nothing.
        t: SearchTables.
        w: SearchWorkspace; ``before`` has the values of the cells before they changed.

    Returns:
        0; or EMPTY, and the first of the changed cells has no value left; or FAILED. Then the
        number of the scope that failed, and the steps taken.
    """
    changed, queue, pending = w.changed, w.queue, w.pending
    kind, entry, scope_at = t.kind, t.entry, t.scope_at
    once = t.mdds.once
    cells = np.uint64(len(w.weight))
    value_count, house_words = np.uint64(pending.shape[0]), np.uint64(pending.shape[1])
    # A row: values of cells, places of values, houses with two places for each value, kept values
    # of sets, MDDs.
    places = cells
    words = (cells + LOW) >> U6
    pairs = places + value_count * words
    sets = pairs + value_count * house_words
    queued = np.uint64(len(queue))
    slot, quiet = U0, NONE
    work = np.int64(0)
    if n == 1 and row[changed[U0]] == U0:
        n = np.int64(EMPTY)
    while n >= 0:
        if n > 0:
            work += 20 * n
            n = _wake_propagators(row, n, everything, quiet, places, t, w)
            everything = False
            if n < 0:
                break
        place = U0
        while place < queued and queue[place] == U0:
            place += U1
        if place == queued:
            return np.int64(0), slot, work
        word = queue[place]
        queue[place] = word & (word - U1)
        slot = (place << U6) + lowest_bit_index(word)
        what = kind[slot]
        i = entry[slot]
        quiet = NONE
        work += 20 + 5 * np.int64(scope_at[slot + U1] - scope_at[slot])
        if what == RELATION:
            n = propagate_relation(i, row, changed, t.relations)
            quiet = slot
        elif what == SET:
            at = sets + U2 * i
            n = propagate_set(i, row, changed, places, at, t.sets, t.houses.seen, w.possible)
        elif what == HOUSE:
            work += 100
            at, two = places + i * words, pairs + i * house_words
            n = propagate_houses(i, row, changed, at, two, pending, t.houses)
        elif what == CHOICE:
            n = propagate_choice(i, row, changed, t.choices)
        elif what == SUM:
            work += 1000
            n = propagate_sum(np.int64(i), row, changed, t.sums, w.sums)
        elif what == MDD:
            work += 500
            n = propagate_mdd(i, row, changed, t.mdds, w.reached)
            if once[i]:
                quiet = slot
        elif what == PARTITION:
            work += 1000
            n = propagate_partition(i, row, changed, t.partitions)
        else:
            work += 1000
            n = propagate_region(i, row, changed, t.regions, w.regions)
    if n != EMPTY and kind[slot] == HOUSE:
        slot = np.uint64(len(kind)) + changed[U0]
    for k in range(queued):
        queue[k] = U0
    pending[:] = U0
    return np.int64(n), slot, work


@kernel
def run_search(t, rows, w, state, out, ends, bounds):  # type: ignore[no-untyped-def]
    """Continue a search until its end, a limit, a full buffer, or ``chunk`` more steps.

    Args:
        t: SearchTables of :mod:`.arrays`.
        rows: uint64; the rows of the root and of the current branchings, by depth.
        w: SearchWorkspace.
        state: int64; the search state, by ``PHASE`` … ``FOUND``.
        out: int32; variables of the solutions found, one solution after the other.
        ends: int64; where each solution ends in ``out``; if empty, none are written.
        bounds: SearchBounds.
    """
    chunk, max_count, max_nodes, supports = bounds
    variable, scope_at, scope = t.variable, t.scope_at, t.scope
    tried_cell, tried_value, changed = w.cell, w.value, w.changed
    weight, witness = w.weight, w.witness
    before, pending = w.before, w.pending
    increment = w.increment[0]
    cells = np.uint64(len(weight))
    words = (cells + LOW) >> U6
    size = np.uint64(rows.shape[1])
    phase = state[PHASE]
    top = np.uint64(state[TOP])
    total = state[COUNT]
    nodes = state[NODES]
    work = state[WORK]
    used = 0
    found = 0
    # Steps are nanoseconds, roughly: what a branching costs before anything is concluded.
    cost = np.int64(200 + 4 * len(weight) + (rows.shape[1] >> 2))
    stop = work + chunk
    while phase != DONE and work < stop and nodes < max_nodes and total < max_count:
        everything = phase == START
        if everything:
            phase = ENTER
            for k in range(cells):
                changed[k] = k
                values = rows[U0, k]
                before[k] = values
                while values != U0:
                    at = cells + lowest_bit_index(values) * words + (k >> U6)
                    rows[U0, at] |= U1 << (k & LOW)
                    values &= values - U1
            pending[:] = ~U0
            n = np.int64(cells)
        elif phase == ENTER:
            row = rows[top]
            c = NONE
            bit = U0
            if supports and top == U0:
                some = U0
                for k in range(cells):
                    values = row[k]
                    some |= witness[k]
                    if values & (values - U1) != U0:
                        left = values & ~witness[k]
                        while left != U0:
                            bit = left & ~(left - U1)
                            left ^= bit
                            if variable[k, lowest_bit_index(bit)] >= 0:
                                c = np.uint64(k)
                                break
                        if c != NONE:
                            break
                # Values of cells fixed at the root are true in every solution, if there is one.
                if c == NONE and some != U0:
                    phase = DONE
                    continue
            if c == NONE:
                c, bit = choose_candidate(row, t, w)
                if c != NONE and bit == U0:
                    values = row[c]
                    bit = values & ~witness[c]
                    if bit == U0:
                        bit = values
                    bit &= ~(bit - U1)
            if c == NONE:
                if len(ends) > 0:
                    if found == len(ends) or used + len(weight) > len(out):
                        break
                    for k in range(cells):
                        v = variable[k, lowest_bit_index(row[k])]
                        if v >= 0:
                            out[used] = v
                            used += 1
                    ends[found] = used
                    found += 1
                total += 1
                phase = LEAVE
                if supports:
                    for k in range(cells):
                        witness[k] |= row[k]
                    phase = DONE if top == U0 else ENTER
                    top = U0
                continue
            if top + U1 == np.uint64(len(rows)):
                phase = FULL
                break
            tried_cell[top] = c
            tried_value[top] = bit
            for k in range(size):
                rows[top + U1, k] = rows[top, k]
            for k in range(cells):
                before[k] = rows[top, k]
            top += U1
            nodes += 1
            rows[top, c] = bit
            changed[U0] = c
            n = np.int64(1)
        else:
            if top == U0:
                phase = DONE
                break
            top -= U1
            phase = ENTER
            c = tried_cell[top]
            for k in range(cells):
                before[k] = rows[top, k]
            rows[top, c] &= ~tried_value[top]
            changed[U0] = c
            n = np.int64(1)
        work += cost
        guessed = changed[U0]
        row = rows[top]
        n, slot, steps = propagate(row, n, everything, t, w)
        work += steps
        if n < 0:
            phase = LEAVE
            if n == EMPTY:
                weight[changed[U0]] += increment
            else:
                share = increment / max(np.float64(scope_at[slot + U1] - scope_at[slot]), 1.0)
                for p in range(scope_at[slot], scope_at[slot + U1]):
                    weight[scope[p]] += share
            weight[guessed] += increment
            increment /= DECAY
            if increment > _GREATEST_INCREMENT:
                for k in range(cells):
                    weight[k] /= _GREATEST_INCREMENT
                increment /= _GREATEST_INCREMENT
    w.increment[0] = increment
    state[PHASE] = phase
    state[TOP] = top
    state[COUNT] = total
    state[NODES] = nodes
    state[WORK] = work
    state[USED] = used
    state[FOUND] = found
