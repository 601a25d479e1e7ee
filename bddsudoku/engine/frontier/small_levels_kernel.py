"""Compiled loop that expands consecutive small levels; driven by :mod:`.small_levels`."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bddsudoku.engine.frontier.spec import Children, expand
from bddsudoku.engine.frontier.state_table import hash_row
from bddsudoku.jit import kernel
from bddsudoku.jit.decorators import I64, U16, U32, U64, AnyArray

DONE, WIDE, LONG, GROW, PAUSE = range(5)
"""Why the loop returned: all levels are expanded; too many states wait; too many edges; an array
is full; Python has to check clocks and signals."""

MID, FREE, LIVE, FRESH, USED, STATE, EDGE, LEVEL = range(8)
"""Indices in the account: whether a level is half expanded; first free place of the pool, places in
use, first place never used; entries of the hash table; states and edges of the run; the level."""

_TAG = np.uint64(0xFFFFFFFF00000000)
_LOW = np.uint64(0xFFFFFFFF)
_OF_LEVEL = np.uint64(0x9E3779B97F4A7C15)


class LevelConstants(NamedTuple):
    """Constants of all levels of a spec, as the kernel reads them.

    Attributes:
        words: int64 (levels,); 64-bit words of a state.
        key_words: int64 (levels + 1,); how many of them decide equality.
        order: int64; the choices of all levels, in the order in which the backward pass reads.
        order_at: int64 (levels + 1,); where each level begins in ``order``.
    """

    words: I64
    key_words: I64
    order: I64
    order_at: I64


class StatePool(NamedTuple):
    """Pool of the states not yet expanded: a linked list per level, and one hash table.

    Attributes:
        states: uint64 (places, words).
        link: int64 (places,); next place of the level's list, or of the free list.
        level_of: int64 (places,); level of the state; -1: the place is free.
        name: uint32 (places,); number of the state in its level.
        lists: int64 (levels, 3); first and last waiting state, number of states inserted so far.
        slots: uint64 (a power of two,); hash table: tag and place + 1.
    """

    states: U64
    link: I64
    level_of: I64
    name: U32
    lists: I64
    slots: U64


class Edges(NamedTuple):
    """The edges of consecutive states, in flat arrays.

    Attributes:
        degree: number of edges of every state.
        rank: for every edge the consumption rank of its choice.
        target: uint32; the name of the child in its level.
        jump: uint16; child level - level; empty if it is always 1.
    """

    degree: AnyArray
    rank: AnyArray
    target: U32
    jump: U16

    @property
    def nbytes(self) -> int:
        """Memory of the arrays in bytes."""
        return sum(a.nbytes for a in self)


class ChildBuffers(NamedTuple):
    """Buffers for one call of the spec's step: parents in, children out.

    Attributes:
        block: uint64; the parents, end to end.
        children: uint64 (any, words); the children.
        to: int64; the children's levels.
        scratch: uint64; working memory of the step.
    """

    block: U64
    children: U64
    to: I64
    scratch: U64


@kernel
def expand_small_levels(params, plan, bounds, counters, state_pool, edges, first, buffers):  # type: ignore[no-untyped-def]
    """Expand levels of few states until a bound is reached or an array is full.

    Args:
        params: parameters of the spec.
        plan: a :class:`LevelConstants`.
        bounds: greatest numbers of states of a level, edges of the run, and states of this call.
        counters: int64; counters kept from call to call, by ``MID`` … ``LEVEL``.
        state_pool: a :class:`StatePool`.
        edges: :class:`Edges`, to be filled.
        first: int64 (levels + 1, 2); first state and edge of every level, to be filled.
        buffers: a :class:`ChildBuffers`.

    Returns:
        Why it ended: one of ``DONE`` … ``PAUSE``.
    """
    words, key_words, order, order_at = plan
    small_level, max_edges, states_left = bounds
    pool, link, level_of, name, lists, slots = state_pool
    degree, rank, target, jump = edges
    block, children, to, scratch = buffers
    one = np.uint64(1)
    levels = words.shape[0]
    jumps = jump.shape[0] > 0
    mask = np.uint64(slots.shape[0] - 1)
    level = counters[LEVEL]
    state = counters[STATE]
    edge = counters[EDGE]
    live = counters[LIVE]
    free = counters[FREE]
    fresh = counters[FRESH]
    used = counters[USED]
    why = DONE
    while level < levels:
        if not counters[MID]:
            if lists[level, 2] > small_level or live > 16 * small_level:
                why = WIDE
                break
            if edge > max_edges:
                why = LONG
                break
            counters[MID] = 1
        choices = order[order_at[level] : order_at[level + 1]]
        columns = words[level]
        many = max(1, min(block.shape[0] // columns, children.shape[0] // max(len(choices), 1)))
        parents = block[: many * columns].reshape((many, columns))
        spare = many * len(choices)
        s = lists[level, 0]
        while s >= 0:
            if (
                edge + spare > rank.shape[0]
                or state + many > degree.shape[0]
                or live + spare > link.shape[0]
                or 3 * (used + spare) > 2 * slots.shape[0]
            ):
                why = GROW
                break
            if states_left <= 0:
                why = PAUSE
                break
            parent_count = 0
            while parent_count < many and s >= 0:
                for w in range(columns):
                    parents[parent_count, w] = pool[s, w]
                after = link[s]
                level_of[s] = -1
                link[s] = free
                free = s
                s = after
                parent_count += 1
            live -= parent_count
            out = Children(children, degree[state:], rank[edge:], to, scratch)
            made = expand(params, level, parents, 0, parent_count, choices, out)
            for c in range(made):
                child_level = to[c]
                if jumps:
                    jump[edge + c] = child_level - level
                if child_level == levels:
                    target[edge + c] = 0
                    continue
                key = key_words[child_level]
                h = hash_row(children, c, key) + np.uint64(child_level) * _OF_LEVEL
                tag = h & _TAG
                slot = h & mask
                while True:
                    entry = slots[slot]
                    if entry == 0:
                        if free >= 0:
                            p = free
                            free = link[p]
                        else:
                            p = fresh
                            fresh += 1
                        for w in range(words[child_level]):
                            pool[p, w] = children[c, w]
                        link[p] = -1
                        level_of[p] = child_level
                        name[p] = lists[child_level, 2]
                        lists[child_level, 2] += 1
                        if lists[child_level, 0] < 0:
                            lists[child_level, 0] = p
                        else:
                            link[lists[child_level, 1]] = p
                        lists[child_level, 1] = p
                        live += 1
                        used += 1
                        slots[slot] = tag | np.uint64(p + 1)
                        break
                    if entry & _TAG == tag:
                        # entries of expanded levels stay: their place in the pool is free or
                        # holds another state by now
                        p = np.int64(entry & _LOW) - 1
                        same = level_of[p] == child_level
                        for w in range(key):
                            if pool[p, w] != children[c, w]:
                                same = False
                                break
                        if same:
                            break
                    slot = (slot + one) & mask
                target[edge + c] = name[p]
            state += parent_count
            edge += made
            states_left -= parent_count
        lists[level, 0] = s
        if why != DONE:
            break
        counters[MID] = 0
        level += 1
        first[level, 0] = state
        first[level, 1] = edge
    counters[LEVEL] = level
    counters[STATE] = state
    counters[EDGE] = edge
    counters[LIVE] = live
    counters[FREE] = free
    counters[FRESH] = fresh
    counters[USED] = used
    return why


@kernel
def rebuild_hash_table(state_pool, row_count, key_words):  # type: ignore[no-untyped-def]
    """Insert all waiting states of the pool into its empty hash table; return their number."""
    pool, _, level_of, _, _, slots = state_pool
    mask = np.uint64(slots.shape[0] - 1)
    used = 0
    for p in range(row_count):
        child_level = level_of[p]
        if child_level < 0:
            continue
        h = hash_row(pool, p, key_words[child_level]) + np.uint64(child_level) * _OF_LEVEL
        slot = h & mask
        while slots[slot] != 0:
            slot = (slot + np.uint64(1)) & mask
        slots[slot] = (h & _TAG) | np.uint64(p + 1)
        used += 1
    return used


@kernel
def copy_linked_states(pool, next_row, row, out):  # type: ignore[no-untyped-def]
    """Copy the states of a linked list to the rows of ``out``, in the list's order."""
    i = 0
    while row >= 0:
        for w in range(out.shape[1]):
            out[i, w] = pool[row, w]
        row = next_row[row]
        i += 1
