"""Grouping a model's variables into levels, and assigning state bits to items and MDDs.

An order of the items (:mod:`bddsudoku.model.ordering`) determines the levels. A register is a field
of bits in a state that is needed on consecutive levels; afterwards its bits are reused, as in a
compiler's register allocation.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from bddsudoku.errors import ModelError
from bddsudoku.jit.decorators import I32, I64, U64
from bddsudoku.model.ordering import default_order

if TYPE_CHECKING:
    from bddsudoku.model.model import Model
    from bddsudoku.model.to_mdd import ConstraintMdd


@dataclass(frozen=True)
class ModelLevels:
    """A model's variables, grouped into levels.

    Attributes:
        sequence: int64 (variables,); positions in ``Model.variables``, level by level.
        first: int32 (levels + 1,); where each level's variables begin in ``sequence``.
        item: int64 (levels,); number of the level's "exactly one" constraint, -1 for an
            unconstrained variable.
        level_of: int64 (variables,); the level of each variable.
        uncoverable: some "exactly one" constraint has no variable.
    """

    sequence: I64
    first: I32
    item: I64
    level_of: I64
    uncoverable: bool

    def __len__(self) -> int:
        return len(self.item)

    def variables_by_level(self) -> list[tuple[int, ...]]:
        """For each level, the positions of its variables in the model."""
        ends = self.first.tolist()
        every = self.sequence.tolist()
        return [tuple(every[a:b]) for a, b in pairwise(ends)]


def model_levels(model: Model, order: Sequence[int] | None = None) -> ModelLevels:
    """Group a model's variables into levels, in a given order of the exact cover's items.

    Args:
        model: a model after forward checking or unit propagation.
        order: numbers of items, every "exactly one" constraint once ("at most one" constraints
            may occur and make no level); unconstrained variables that it omits come last. By
            default :func:`bddsudoku.model.ordering.default_order`.

    Raises:
        ModelError: the order contains something twice, or omits a constraint.
    """
    items = model.one_hot_matrix
    given = list(default_order(model)) if order is None else [int(number) for number in order]
    unconstrained = set(model.variables_outside_exact_items)
    numbers = np.array(given, np.int64)
    inside = (numbers >= 0) & (numbers < items.items)
    known = len(set(given)) == len(given) and all(
        n - items.items in unconstrained for n in numbers[~inside].tolist()
    )
    if not known:
        raise ModelError("an item order names every item of the cover once")
    left_out = items.primary - np.count_nonzero(inside & (numbers < items.primary))
    if left_out:
        raise ModelError(f"the item order leaves out {left_out} of {items.primary} items")
    omitted = sorted({items.items + v for v in unconstrained} - set(given))
    numbers = np.concatenate([numbers, np.array(omitted, np.int64)])
    levels = numbers[(numbers < items.primary) | (numbers >= items.items)]

    rank = np.full(items.items, len(levels), np.int64)
    first = np.full(items.options, len(levels), np.int64)
    places = np.arange(len(levels))
    exact = levels < items.primary
    rank[levels[exact]] = places[exact]
    first[levels[~exact] - items.items] = places[~exact]
    np.minimum.at(first, items.option_of, rank[items.indices])
    sequence = np.lexsort((np.arange(items.options), first))
    ranks, of_sorted = np.unique(first[sequence], return_inverse=True)
    level_of = np.empty(items.options, np.int64)
    level_of[sequence] = of_sorted
    starts = np.searchsorted(first[sequence], ranks)
    number_of = levels[ranks]
    covered = np.zeros(items.items, bool)
    covered[items.indices] = True
    return ModelLevels(
        sequence,
        np.append(starts, items.options).astype(np.int32),
        np.where(number_of < items.items, number_of, -1),
        level_of,
        not bool(covered[: items.primary].all()),
    )


_MAX_ENTRIES = 300_000
"""Registers are shared in matrices of up to this many entries, which takes about a second."""


def share_item_bits(items: I64, options: I64, levels: I64, item_count: int) -> I64:
    """Let exact-cover items share state bits; return for each item the item whose bit it uses.

    A register says whether an option of the levels so far covers its item. When two items are in
    the same options up to the last level of one of them, the register of the other serves both:
    "there is a knight on c3" is one bit, however many squares it attacks.

    Args:
        items: the item of every entry of the matrix.
        options: the option of every entry, numbered in level order.
        levels: the level of that option.
        item_count: number of items.

    Returns:
        int64 (items,): the number of the item that has the register.

    Cost: some microseconds per entry.
    """
    holder = np.arange(item_count)
    if not 0 < len(items) <= _MAX_ENTRIES:
        return holder
    order = np.lexsort((options, items))
    item_list, option_list, level_list = (a[order].tolist() for a in (items, options, levels))
    # A trie of the options passed so far; every item is a path in it, level by level.
    below: dict[tuple[int, tuple[int, ...]], int] = {}
    longest: list[tuple[int, int]] = [(-1, -1)]
    last_node: dict[int, int] = {}
    at, end = 0, len(item_list)
    while at < end:
        item, node = item_list[at], 0
        while at < end and item_list[at] == item:
            start, level = at, level_list[at]
            if node:  # up to this level the item's register depends on the path alone
                longest[node] = max(longest[node], (level, item))
                last_node[item] = node
            while at < end and item_list[at] == item and level_list[at] == level:
                at += 1
            node = below.setdefault((node, tuple(option_list[start:at])), len(longest))
            if node == len(longest):
                longest.append((-1, -1))
    for item, node in last_node.items():
        holder[item] = longest[node][1]
    while (holder[holder] != holder).any():
        holder = holder[holder]
    return holder


def allot_item_bits(first_levels: I64, last_levels: I64, level_count: int) -> tuple[I64, int]:
    """Assign state bits to items for the levels that need them; return the bits and word count.

    An item needs its bit on the levels after its first, up to its last; at the last level the
    bit may already be reused by an item that begins there. Items that need none get -1.
    """
    bit = [-1] * len(first_levels)
    born: list[list[int]] = [[] for _ in range(level_count)]
    dying: list[list[int]] = [[] for _ in range(level_count)]
    begin, end = first_levels.tolist(), last_levels.tolist()
    for item in np.flatnonzero(first_levels < last_levels).tolist():
        born[begin[item]].append(item)
        dying[end[item]].append(item)
    free: list[int] = []
    used = 0
    for level in range(level_count):
        for item in dying[level]:
            heappush(free, bit[item])
        for item in born[level]:
            if free:
                bit[item] = heappop(free)
            else:
                bit[item] = used
                used += 1
    return np.array(bit, np.int64), max(1, (used + 63) // 64)


def allot_mdd_registers(
    mdds: Sequence[ConstraintMdd], level_count: int
) -> tuple[list[tuple[int, int, int]], int]:
    """Give each MDD a bit field in the state for its node; return the fields and the word count.

    A register is needed on the levels after the MDD's first, up to its last. Wide and long
    registers are placed first, each in the first gap that fits.
    """
    bits = [max(1, (m.width - 1).bit_length()) for m in mdds]
    spans = [(m.places[0] + 1, m.places[-1] + 1) if m.places else (0, 0) for m in mdds]
    occupied: list[U64] = []
    found: list[tuple[int, int, int]] = [(0, 0, 1)] * len(mdds)
    order = sorted(range(len(mdds)), key=lambda m: (-bits[m], spans[m][0] - spans[m][1], spans[m]))
    for m in order:
        begin, end = spans[m]
        size = bits[m]
        ones = (1 << size) - 1
        word = 0
        while True:
            if word == len(occupied):
                occupied.append(np.zeros(level_count + 1, np.uint64))
            used = int(np.bitwise_or.reduce(occupied[word][begin : max(end, begin + 1)]))
            shift = next((s for s in range(65 - size) if not used >> s & ones), None)
            if shift is not None:
                break
            word += 1
        occupied[word][begin : max(end, begin + 1)] |= np.uint64(ones << shift)
        found[m] = (word, shift, size)
    return found, len(occupied)
