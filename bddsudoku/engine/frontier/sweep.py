"""The loop behind a run of narrow levels; :mod:`.runs` says what it is for and owns the arrays.

What is kept of a level once it has been left, and what is told of it.

Numbers for the nodes of a variable: equal pairs get one, in ascending order of the pairs.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from bddsudoku.engine.frontier.spec import expand
from bddsudoku.engine.frontier.tables import hash_row
from bddsudoku.jit import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

DONE, WIDE, LONG, MANY, GROW, PAUSE = range(6)
"""Why the loop ended: no levels are left; too many states wait; too many edges; more states than
allowed; an array is full; Python wants to look at clocks and signals."""

MID, FREE, LIVE, FRESH, USED, STATE, EDGE, TOTAL, LEVEL = range(9)
"""Entries of the account: whether a level has been begun; first free place of the pool, places in
use, first place never used; entries of the hash table; states and edges of the run; states of all
levels; the level."""

_TAG = np.uint64(0xFFFFFFFF00000000)
_LOW = np.uint64(0xFFFFFFFF)
_OF_LEVEL = np.uint64(0x9E3779B97F4A7C15)


@kernel
def sweep(  # type: ignore[no-untyped-def]
    params,
    words,
    keys_of,
    order,
    order_at,
    narrow,
    longest,
    most,
    turn,
    account,
    pool,
    link,
    level_of,
    name,
    lists,
    slots,
    degree,
    rank,
    target,
    jump,
    first,
    block,
    children,
    to,
    scratch,
):
    """Leave levels until something is in the way; see :class:`bddsudoku.engine.frontier.runs.Sweep`
    for the arrays.

    Returns:
        Why it ended.
    """
    one = np.uint64(1)
    levels = words.shape[0]
    jumps = jump.shape[0] > 0
    mask = np.uint64(slots.shape[0] - 1)
    level = account[LEVEL]
    state = account[STATE]
    edge = account[EDGE]
    live = account[LIVE]
    free = account[FREE]
    fresh = account[FRESH]
    used = account[USED]
    why = DONE
    while level < levels:
        if not account[MID]:
            waiting = lists[level, 2]
            if waiting > narrow or live > 16 * narrow:
                why = WIDE
                break
            if edge > longest:
                why = LONG
                break
            account[TOTAL] += waiting
            if account[TOTAL] > most:
                why = MANY
                break
            account[MID] = 1
        choices = order[order_at[level] : order_at[level + 1]]
        columns = words[level]
        many = max(1, min(block.shape[0] // columns, children.shape[0] // max(len(choices), 1)))
        here = block[: many * columns].reshape((many, columns))
        room = many * len(choices)
        s = lists[level, 0]
        while s >= 0:
            if (
                edge + room > rank.shape[0]
                or state + many > degree.shape[0]
                or live + room > link.shape[0]
                or 3 * (used + room) > 2 * slots.shape[0]
            ):
                why = GROW
                break
            if turn <= 0:
                why = PAUSE
                break
            taken = 0
            while taken < many and s >= 0:
                for w in range(columns):
                    here[taken, w] = pool[s, w]
                after = link[s]
                level_of[s] = -1
                link[s] = free
                free = s
                s = after
                taken += 1
            live -= taken
            made = expand(
                params, level, here, 0, taken, choices, children, degree[state:], rank[edge:], to,
                scratch,
            )  # fmt: skip
            for c in range(made):
                there = to[c]
                if jumps:
                    jump[edge + c] = there - level
                if there == levels:
                    target[edge + c] = 0
                    continue
                key = keys_of[there]
                h = hash_row(children, c, key) + np.uint64(there) * _OF_LEVEL
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
                        for w in range(words[there]):
                            pool[p, w] = children[c, w]
                        link[p] = -1
                        level_of[p] = there
                        name[p] = lists[there, 2]
                        lists[there, 2] += 1
                        if lists[there, 0] < 0:
                            lists[there, 0] = p
                        else:
                            link[lists[there, 1]] = p
                        lists[there, 1] = p
                        live += 1
                        used += 1
                        slots[slot] = tag | np.uint64(p + 1)
                        break
                    if entry & _TAG == tag:
                        # entries of levels that have been left stay: their place in the pool is
                        # free, or holds another state by now
                        p = np.int64(entry & _LOW) - 1
                        same = level_of[p] == there
                        for w in range(key):
                            if pool[p, w] != children[c, w]:
                                same = False
                                break
                        if same:
                            break
                    slot = (slot + one) & mask
                target[edge + c] = name[p]
            state += taken
            edge += made
            turn -= taken
        lists[level, 0] = s
        if why != DONE:
            break
        account[MID] = 0
        level += 1
        first[level, 0] = state
        first[level, 1] = edge
    account[LEVEL] = level
    account[STATE] = state
    account[EDGE] = edge
    account[LIVE] = live
    account[FREE] = free
    account[FRESH] = fresh
    account[USED] = used
    return why


@kernel
def enter_again(pool, level_of, fresh, keys_of, slots):  # type: ignore[no-untyped-def]
    """Enter all waiting states into an empty table; returns how many they are."""
    mask = np.uint64(slots.shape[0] - 1)
    used = 0
    for p in range(fresh):
        there = level_of[p]
        if there < 0:
            continue
        h = hash_row(pool, p, keys_of[there]) + np.uint64(there) * _OF_LEVEL
        slot = h & mask
        while slots[slot] != 0:
            slot = (slot + np.uint64(1)) & mask
        slots[slot] = (h & _TAG) | np.uint64(p + 1)
        used += 1
    return used


@kernel
def collect(pool, link, s, out):  # type: ignore[no-untyped-def]
    """The states of a list, in order."""
    i = 0
    while s >= 0:
        for w in range(out.shape[1]):
            out[i, w] = pool[s, w]
        s = link[s]
        i += 1


@dataclass(frozen=True, slots=True)
class LevelTrace:
    """What one level cost.

    Attributes:
        level: number of the level.
        levels: how many levels there are, those that no state reaches included.
        states: states that stood there.
        edges: children that were not dead at once.
        seconds: time spent on it; on a narrow one its share, by states and edges, of the time
            that it took to leave several.
        bytes: memory held when it was done.
    """

    level: int
    levels: int
    states: int
    edges: int
    seconds: float
    bytes: int


@dataclass(slots=True)
class Chunk:
    """The edges of consecutive states of a level.

    Attributes:
        degree: edges of a state.
        rank: consumption rank of an edge's choice.
        target: name of the child in its level.
        jump: child level - level; empty if it is always 1.
    """

    degree: NDArray[Any]
    rank: NDArray[Any]
    target: NDArray[np.uint32]
    jump: NDArray[np.uint16]

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        return self.degree.nbytes + self.rank.nbytes + self.target.nbytes + self.jump.nbytes


@dataclass(slots=True)
class Level:
    """A wide level that has been left: what the backward pass needs of it."""

    states: int
    chunks: list[Chunk] = field(default_factory=list)


_DIGIT = 11
"""Bits of a digit: the counters of one pass stay in the first-level cache."""


@kernel
def _sorted_and_numbered(  # type: ignore[no-untyped-def]
    keys, spare, who, moved, counts, next_id, ids
):
    """Radix sort from the last digit on; returns who holds the different keys, and how many.

    Digits in which no two keys differ are passed over: ids of one variable are close together.
    """
    n = keys.shape[0]
    differ = np.uint64(0)
    for k in range(n):
        differ |= keys[k] ^ keys[0]
        who[k] = k
    mask = np.uint64(counts.shape[0] - 2)
    swapped = 0
    for digit in range(0, 64, _DIGIT):
        shift = np.uint64(digit)
        if (differ >> shift) & mask == 0:
            continue
        counts[:] = 0
        for i in range(n):
            counts[np.int64((keys[i] >> shift) & mask) + 1] += 1
        for d in range(1, counts.shape[0]):
            counts[d] += counts[d - 1]
        for i in range(n):
            key = keys[i]
            bucket = np.int64((key >> shift) & mask)
            to = counts[bucket]
            counts[bucket] += 1
            spare[to] = key
            moved[to] = who[i]
        keys, spare = spare, keys
        who, moved = moved, who
        swapped = 1 - swapped
    different = 0
    last = np.uint64(0)
    for i in range(n):
        key = keys[i]
        if different == 0 or key != last:
            keys[different] = key
            last = key
            different += 1
        ids[who[i]] = np.uint32(next_id + different - 1)
    return swapped, different


def numbered(
    keys: NDArray[np.uint64], next_id: int
) -> tuple[NDArray[np.uint32], NDArray[np.uint64]]:
    """The ids of nodes, and the different ones in the order of their ids.

    Args:
        keys: (low << 32) | high of every node, at least one; used up.
        next_id: the least id to give.

    Cost: linear, a pass for every eleven bits in which keys differ; 20 bytes a key.
    """
    n = len(keys)
    spare = np.empty(n, np.uint64)
    ids = np.empty(n, np.uint32)
    swapped, different = _sorted_and_numbered(
        keys, spare, np.empty(n, np.uint32), np.empty(n, np.uint32),
        np.empty((1 << _DIGIT) + 1, np.int64), next_id, ids,
    )  # fmt: skip
    return ids, (spare if swapped else keys)[:different].copy()
