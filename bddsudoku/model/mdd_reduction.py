"""Reduction of a layered automaton to the minimal one, with states numbered in order."""

from __future__ import annotations

import numpy as np

from bddsudoku.jit import kernel
from bddsudoku.jit.decorators import I32, I64, Flags

_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
_SHIFT = np.uint64(29)
"""The hash function of rows multiplies and mixes."""


def reduce_layers(entries: I32, rows: I64, choices: I64, accepting: Flags) -> list[I32] | None:
    """Minimise a layered automaton; number its states in breadth-first order.

    Args:
        entries: the transition tables of all levels, one after the other: for each state of the
            layer and each choice the state of the next layer, or -1 for rejection. State 0 of the
            first layer is the start. Overwritten.
        rows: (levels,); number of states of each layer but the last.
        choices: (levels,); number of choices at each level.
        accepting: which states of the last layer accept.

    Returns:
        A table (states, choices) for every level, or None if no word is accepted.

    Cost: linear in the entries, some nanoseconds each.
    """
    widest = int(max(rows.max(initial=1), len(accepting)))
    scratch = np.empty((4, widest + 1), dtype=np.int32)
    slots = np.empty(2 << widest.bit_length(), dtype=np.int32)
    found = np.empty_like(entries)
    widths = np.empty_like(rows)
    scratch[0, : len(accepting)] = np.where(accepting, 0, -1)
    if not _reduce(entries, rows, choices, scratch, slots, found, widths):
        return None
    ends = np.cumsum(widths * choices)
    kept = found[: int(ends[-1])].copy() if len(ends) else found
    kept.flags.writeable = False
    shapes = zip(ends.tolist(), widths.tolist(), choices.tolist(), strict=True)
    return [kept[end - n * wide : end].reshape(n, wide) for end, n, wide in shapes]


@kernel
def _reduce(
    entries: I32, rows: I64, choices: I64, scratch: I32, slots: I32, found: I32, widths: I64
) -> bool:
    """Minimise and renumber; the tables are written to ``found`` and their rows to ``widths``.

    Args:
        scratch: (4, widest layer + 1); the first row has 0 for accepting states, -1 for others.
        slots: a hash table of rows, at least twice as long as the widest layer.
    """
    levels = len(rows)
    merged, below, order, number = scratch[0], scratch[1], scratch[2], scratch[3]
    at = len(entries)
    # Upwards: drop dead states and merge equal ones. The rows that are kept move to the front.
    for level in range(levels - 1, -1, -1):
        wide = choices[level]
        at -= rows[level] * wide
        size = 4
        while size < 2 * rows[level]:
            size *= 2
        slots[:size] = -1
        merged, below = below, merged
        kept = 0
        for state in range(rows[level]):
            mine, new = at + state * wide, at + kept * wide
            alive = False
            code = np.uint64(0)
            for k in range(wide):
                to = entries[mine + k]
                to = below[to] if to >= 0 else to
                entries[new + k] = to
                alive |= to >= 0
                code = (code ^ np.uint64(to + 1)) * _MULTIPLIER
                code ^= code >> _SHIFT
            merged[state] = -1
            if not alive:
                continue
            slot = np.int64(code & np.uint64(size - 1))
            while slots[slot] >= 0:
                other = at + slots[slot] * wide
                k = 0
                while k < wide and entries[other + k] == entries[new + k]:
                    k += 1
                if k == wide:
                    break
                slot = (slot + 1) & (size - 1)
            if slots[slot] < 0:
                slots[slot] = kept
                kept += 1
            merged[state] = slots[slot]
        widths[level] = kept
    if merged[0] < 0:
        return False
    # Downwards: number the states in the order of their first appearance.
    order[0] = merged[0]
    below = merged
    count = 1
    end = 0
    for level in range(levels):
        wide = choices[level]
        number[: widths[level + 1] if level + 1 < levels else 1] = -1
        reached = 0
        for i in range(count):
            row = at + order[i] * wide
            for k in range(wide):
                to = entries[row + k]
                if to >= 0:
                    if number[to] < 0:
                        number[to] = reached
                        below[reached] = to
                        reached += 1
                    to = number[to]
                found[end] = to
                end += 1
        at += rows[level] * wide
        widths[level] = count
        order, below = below, order
        count = reached
    return True
