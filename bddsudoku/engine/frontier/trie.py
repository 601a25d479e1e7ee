"""How the choices of a level become diagram nodes.

The choices of a level are subsets of its block of variables. As a decision tree over the block,
bottom variable first, every choice is a leaf that is read exactly once; the order of reading is
the order in which the forward pass lists a state's edges, so that the backward pass can read them
with one cursor a state.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

__all__ = ["NONE", "Trie", "TrieNode", "consumption_order", "trie_of"]

NONE = -1
"""A branch that leads nowhere."""


@dataclass(frozen=True, slots=True)
class TrieNode:
    """A decision. A branch is :data:`NONE`, a leaf (its consumption rank ``r`` as ``-2 - r``) or an
    earlier node (its index)."""

    variable: int
    low: int
    high: int


@dataclass(frozen=True, slots=True)
class Trie:
    """The decision tree of a level.

    Attributes:
        nodes: bottom variable first, children before parents.
        root: the last branch, in the same code as :class:`TrieNode`.
        order: choices by consumption rank.
    """

    nodes: tuple[TrieNode, ...]
    root: int
    order: tuple[int, ...]


@lru_cache(maxsize=256)
def _trie(choices: tuple[tuple[int, ...], ...]) -> Trie:
    # every distinct decided part is a decision on the path of some choice; those with the same
    # prefix share the upper decisions, so group by prefix from the bottom variable up
    branch: dict[tuple[int, ...], int] = {}
    order: list[int] = []
    pending: dict[tuple[int, ...], int] = {c: i for i, c in enumerate(choices)}
    nodes: list[TrieNode] = []

    def take(subset: tuple[int, ...]) -> int:
        if subset in branch:
            return branch.pop(subset)
        if subset in pending:
            order.append(pending.pop(subset))
            return -2 - (len(order) - 1)
        return NONE

    for variable in sorted({v for c in choices for v in c}, reverse=True):
        # subsets whose greatest element is this variable, children complete below it
        ends = sorted(
            {c for c in (*pending, *branch) if c and c[-1] == variable}, key=lambda c: c[:-1]
        )
        for subset in ends:
            low = take(subset[:-1])
            high = take(subset)
            nodes.append(TrieNode(variable, low, high))
            branch[subset[:-1]] = len(nodes) - 1
    root = take(())
    return Trie(tuple(nodes), root, tuple(order))


def trie_of(choices: Sequence[tuple[int, ...]]) -> Trie:
    """The decision tree of some distinct ascending subsets."""
    return _trie(tuple(choices))


def consumption_order(choices: Sequence[tuple[int, ...]]) -> NDArray[np.int64]:
    """The choices in the order in which the backward pass reads them."""
    return np.array(trie_of(choices).order, np.int64).reshape(-1)
