"""Numbers for the nodes of a variable: equal pairs get one, in ascending order of the pairs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bddsudoku.jit import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["numbered"]

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
