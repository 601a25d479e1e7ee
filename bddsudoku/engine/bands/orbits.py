"""Pairs (a_p, a_q) of the outermost band, one per orbit of the masks' cheap symmetries.

The group: relabellings of digits with equal masks, and the column permutations of the stacks p
and q that leave the masks as they are (they commute). The column permutations act freely on
partitions; under the relabellings a pair is known by how many digits of each group stand in
each of the nine (position in a_p, position in a_q) combinations.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bddsudoku.engine.bands.tables import PARTITIONS, tables
from bddsudoku.jit import kernel

__all__ = ["PairOrbits", "canonical_pairs", "pair_orbits"]


@kernel
def _canonical_pairs(
    lo: int, hi: int, firsts: Any, seconds: Any, orders1: Any, orders2: Any, reorder: Any,
    column: Any, digits: Any, group_ptr: Any, subset: Any, index: Any, count: Any, out: Any,
    relabel: Any,
) -> None:  # fmt: skip
    """out[n] = p + 1680 * q for the least image (p, q) of (firsts[n], seconds[n]), lo <= n < hi.

    Digits are handed out group by group, ascending, to the nine combinations in order: a
    counting sort, so equal counts give equal images. `relabel`, if it has rows, says which digit
    of the image each digit becomes. `count` (24,) int64 is working memory.
    """
    for i in range(lo, hi):
        best = np.int64(1) << 40
        for g1 in range(orders1.shape[0]):
            c1 = column[reorder[orders1[g1], firsts[i]]]
            for g2 in range(orders2.shape[0]):
                c2 = column[reorder[orders2[g2], seconds[i]]]
                for z in range(9, 15):
                    count[z] = 0
                for g in range(group_ptr.shape[0] - 1):
                    for z in range(9):
                        count[z] = 0
                    for n in range(group_ptr[g], group_ptr[g + 1]):
                        d = digits[n]
                        count[c1[d] * 3 + c2[d]] += 1
                    n = group_ptr[g]
                    for z1 in range(3):
                        for z2 in range(3):
                            for _ in range(count[z1 * 3 + z2]):
                                count[9 + z1] |= 1 << digits[n]
                                count[12 + z2] |= 1 << digits[n]
                                n += 1
                p = np.int64(index[subset[count[9]] * np.int64(84) + subset[count[10]]])
                q = np.int64(index[subset[count[12]] * np.int64(84) + subset[count[13]]])
                if q * 1680 + p < best:
                    best = q * 1680 + p
                    count[22] = g1
                    count[23] = g2
        out[i] = best
        if relabel.shape[0] > 0:
            c1 = column[reorder[orders1[count[22]], firsts[i]]]
            c2 = column[reorder[orders2[count[23]], seconds[i]]]
            for g in range(group_ptr.shape[0] - 1):
                n = group_ptr[g]
                for z in range(9):
                    for k in range(group_ptr[g], group_ptr[g + 1]):
                        d = digits[k]
                        if c1[d] * 3 + c2[d] == z:
                            relabel[i, d] = digits[n]
                            n += 1


@dataclass(frozen=True)
class PairOrbits:
    """Representatives and where every pair belongs.

    Attributes:
        firsts, seconds: (n,) int32, partition numbers of the representatives.
        weights: (n,) int64, pairs in each orbit (the living ordered pairs, all of them).
        place1, place2: (1680,) int32, row and column of a partition in `orbit`, -1 when dead.
        orbit: int32 matrix, the representative of each pair.
    """

    firsts: NDArray[np.int32]
    seconds: NDArray[np.int32]
    weights: NDArray[np.int64]
    place1: NDArray[np.int32]
    place2: NDArray[np.int32]
    orbit: NDArray[np.int32]


def _places(
    alive: NDArray[np.bool_], orders: NDArray[np.int64]
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Least partition of each column-permutation orbit, and the orbit's place of each one."""
    canonical = tables().reorder[orders].min(axis=0)
    canonical = np.where(alive, canonical, -1)
    reps, inverse = np.unique(canonical, return_inverse=True)
    shift = int(reps[0] == -1)
    return reps[shift:].astype(np.int32), (inverse - shift).astype(np.int32)


def canonical_pairs(
    firsts: NDArray[np.int32],
    seconds: NDArray[np.int32],
    orders1: NDArray[np.int64],
    orders2: NDArray[np.int64],
    groups: list[list[int]],
    run: Callable[[Callable[..., None], list[tuple[Any, ...]]], None],
    *,
    relabel: bool = False,
) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
    """The least image of each pair, as p + 1680 * q, and the relabellings that lead there.

    Args:
        firsts, seconds: (n,) partition numbers.
        orders1, orders2: numbers of column orders.
        groups: interchangeable digits.
        run: maps kernel calls onto threads.
        relabel: whether relabellings are asked for.

    Returns:
        (n,) and (n, 9), or (0, 9) if they are not: digit d becomes ``relabelling[d]``.
    """
    t = tables()
    size = len(firsts)
    digits = np.array([d for group in groups for d in group], dtype=np.int64)
    ptr = np.cumsum([0, *(len(group) for group in groups)]).astype(np.int64)
    keys = np.empty(size, dtype=np.int64)
    images = np.empty((size if relabel else 0, 9), dtype=np.uint8)
    step = max(1, size // 16)
    tail: tuple[Any, ...] = (firsts, seconds, orders1, orders2, t.reorder, t.column, digits, ptr)
    tail += (t.subset, t.index)
    run(
        _canonical_pairs,
        [
            (lo, min(lo + step, size), *tail, np.empty(24, dtype=np.int64), keys, images)
            for lo in range(0, size, step)
        ],
    )
    return keys, images


def pair_orbits(
    alive1: NDArray[np.bool_],
    alive2: NDArray[np.bool_],
    orders1: NDArray[np.int64],
    orders2: NDArray[np.int64],
    groups: list[list[int]],
    run: Callable[[Callable[..., None], list[tuple[Any, ...]]], None],
) -> PairOrbits:
    """Orbits of living pairs; at most 1680**2 of them, 0.5 s."""
    reps1, place1 = _places(alive1, orders1)
    reps2, place2 = _places(alive2, orders2)
    n1, n2 = len(reps1), len(reps2)
    free = len(orders1) * len(orders2)
    if len(groups) == 9:  # no two digits can be swapped: the column permutations are all
        orbit = np.arange(n1 * n2, dtype=np.int32).reshape(n1, n2)
        weights = np.full(n1 * n2, free, dtype=np.int64)
        return PairOrbits(np.repeat(reps1, n2), np.tile(reps2, n1), weights, place1, place2, orbit)
    firsts, seconds = np.repeat(reps1, n2), np.tile(reps2, n1)
    keys, _ = canonical_pairs(firsts, seconds, orders1, orders2, groups, run)
    unique, inverse, counts = np.unique(keys, return_inverse=True, return_counts=True)
    return PairOrbits(
        (unique % PARTITIONS).astype(np.int32),
        (unique // PARTITIONS).astype(np.int32),
        counts.astype(np.int64) * free,
        place1,
        place2,
        inverse.reshape(n1, n2).astype(np.int32),
    )
