"""Layers of partial sums, the states of the MDD of a weighted sum."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bddsudoku.jit import kernel
from bddsudoku.jit.decorators import I32, I64
from bddsudoku.model.mdd import WidthLimit

_MULTIPLIER, _HIGH = np.uint64(0x9E3779B97F4A7C15), np.uint64(32)
"""The hash function of a sum multiplies, and takes the high bits."""
_LEVELS_PER_CALL = 16
"""Levels between two looks at the time; an even number, after which the first layer is the last."""
_FIRST_ENTRIES = 1 << 16
"""Entries for which the first attempt has room; every other has four times as much."""


def sum_layers(
    weights: Sequence[Sequence[int]],
    rest: Sequence[int],
    least: int,
    highest: int,
    width_limit: WidthLimit,
) -> list[I32]:
    """The transition tables between partial sums that can still end between two bounds.

    Args:
        weights: for each level the weight of each choice; none is negative, and no sum exceeds
            2^62.
        rest: for each level the greatest sum of the levels that follow it.
        least, highest: the bounds. All sums of a layer from which they cannot be left are one
            state.
        width_limit: limits every layer.

    Returns:
        For each level a table (states, choices) of the next states, -1 for none.

    Raises:
        LimitReached: a layer is wider than ``width_limit`` allows.
    """
    counts = np.array([len(row) for row in weights], dtype=np.int64)
    flat = np.array([w for row in weights for w in row], dtype=np.int64)
    remaining = np.array(rest, dtype=np.int64)
    widths = np.zeros(len(weights) + 1, dtype=np.int64)
    capacity = 4  # states of a layer, a power of 2
    while capacity * len(flat) < _FIRST_ENTRIES:
        capacity *= 2
    while True:
        entries = np.empty(capacity * len(flat), dtype=np.int32)
        layers = np.empty((2, capacity), dtype=np.int64)
        slots = np.empty(4 * capacity, dtype=np.int32)
        layers[0, 0] = reached = end = begun = 0
        widths[0] = 1
        while reached == begun < len(weights):
            part = slice(begun, begun + _LEVELS_PER_CALL)
            first = int(counts[:begun].sum())
            reached += _add_weights(
                flat[first:],
                counts[part],
                remaining[part],
                least,
                highest,
                entries[end:],
                layers,
                slots,
                widths[begun:],
            )
            for level in range(begun, reached):
                end += int(widths[level] * counts[level])
                states = int(widths[level + 1])
                width_limit.check_layer(states, level + 1, int(widths[level] * counts[level]))
            begun += len(counts[part])
        if reached == len(weights):
            break
        capacity *= 4
        # An entry that is not used yet has no copies: a quarter of what the others take.
        width_limit.check_layer(capacity // 4 + 1, reached + 1, capacity * len(flat) // 4)
    ends = np.cumsum(widths[:-1] * counts).tolist()
    shapes = zip(ends, widths.tolist(), counts.tolist(), strict=False)
    return [entries[end - n * wide : end].reshape(n, wide) for end, n, wide in shapes]


@kernel
def _add_weights(
    weights: I64,
    counts: I64,
    rest: I64,
    least: int,
    highest: int,
    entries: I32,
    layers: I64,
    slots: I32,
    widths: I64,
) -> int:
    """Write the tables and the widths of all layers until one exceeds the capacity.

    Args:
        weights, counts, rest, least, highest: see :func:`sum_layers`, level after level.
        entries: receives the tables.
        layers: (2, capacity); the sums of two layers, at first those of the first one.
        slots: a hash table of the sums of a layer, four times the capacity (a power of 2).
        widths: the number of states of the first layer; receives those of the others.

    Returns:
        The number of levels whose tables are complete.
    """
    mask = len(slots) - 1
    layer, below = layers[0], layers[1]
    end = first = 0
    for level in range(len(counts)):
        size = 4
        while size < 2 * widths[level] * counts[level] and size <= mask:
            size *= 2
        slots[:size] = -1
        full = highest - rest[level]
        reached = 0
        for i in range(widths[level]):
            for k in range(first, first + counts[level]):
                after = layer[i] + weights[k]
                if after > highest or after + rest[level] < least:
                    entries[end] = -1
                    end += 1
                    continue
                if least <= after <= full:
                    after = least
                slot = np.int64(np.uint64(after) * _MULTIPLIER >> _HIGH) & (size - 1)
                while slots[slot] >= 0 and below[slots[slot]] != after:
                    slot = (slot + 1) & (size - 1)
                if slots[slot] < 0:
                    if reached == len(below):
                        return level
                    slots[slot] = reached
                    below[reached] = after
                    reached += 1
                entries[end] = slots[slot]
                end += 1
        widths[level + 1] = reached
        first += counts[level]
        layer, below = below, layer
    return len(counts)
