"""What the inner loop works on and leaves behind: flat arrays (:mod:`.kernel`)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "BRANCHES", "BROKEN", "BUSY", "CHILDREN", "DEPTH", "DONE", "END", "ENTRIES", "FIELDS", "FULL",
    "ITEM", "KEYS", "LITERALS", "MARK", "NEXT", "NODES", "ONES", "OPEN_BRANCHES", "OPEN_CHILDREN",
    "OPEN_LITERALS", "OWN_BRANCHES", "OWN_CHILDREN", "PARTS", "PHASE", "PLACE", "ROW", "TOP",
    "TRAIL", "TRIED", "TWOS", "WORK", "Made", "Memory", "State",
]  # fmt: skip

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

U64 = NDArray[np.uint64]


class State(NamedTuple):
    """A search under way."""

    head: U64
    """Its fields."""
    live: U64
    """Bit set of the candidates that are neither chosen nor taken away."""
    left: U64
    """(items,): live candidates of an item."""
    weight: NDArray[np.float64]
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


class Memory(NamedTuple):
    """The components that are known: a hash table of bit sets."""

    slots: NDArray[np.int32]
    """Numbers of entries; -1 where there is none."""
    hashes: U64
    at: U64
    """Where an entry's words begin."""
    low: U64
    high: U64
    """Its first word, and the end of its words."""
    node: U64
    key: U64


class Made(NamedTuple):
    """The decomposable diagram so far; node 0 has no solution."""

    branch_at: NDArray[np.int64]
    """(nodes + 1,): the first branch of a node."""
    child_at: NDArray[np.int64]
    literal_at: NDArray[np.int64]
    """(branches + 1,)"""
    child: NDArray[np.int32]
    literal: NDArray[np.int32]
    """Candidates that a branch says are true."""
