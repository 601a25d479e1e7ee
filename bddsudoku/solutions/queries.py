"""What holds in all sets of a family: which pairs of variables meet, which set weighs least."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bddsudoku.jit import kernel
from bddsudoku.solutions.arrays import I64, U8, U16, U32, U64, AnyArray
from bddsudoku.solutions.diagram import EMPTY, Diagram

__all__ = ["extreme_weight", "sizes", "together"]


@kernel
def _together(variable: U16, low: U32, high: U32, word: int, occurs: U64, out: U64) -> None:
    """Fill ``out[v]`` with the levels of one 64-level word that occur together with level v."""
    for i in range(2, len(variable)):
        v = np.int64(variable[i])
        bits = occurs[high[i]]
        out[v] |= bits
        bits |= occurs[low[i]]
        if v >> 6 == word:
            bits |= np.uint64(1) << np.uint64(v & 63)
        occurs[i] = bits


def together(diagram: Diagram) -> NDArray[np.bool_]:
    """Which two variables are true together in some set: bool, shape (levels, levels), symmetric.

    The diagonal tells which variables are true in some set at all.

    Cost: levels / 64 linear passes with 8 bytes a node beside the diagram.
    """
    levels = diagram.levels
    words = (levels + 63) // 64
    pairs = np.zeros((levels, words * 64), dtype=bool)
    occurs = np.zeros(diagram.size, dtype=np.uint64)
    for word in range(words):
        occurs[:2] = 0
        out = np.zeros(levels, dtype=np.uint64)
        _together(diagram.variable, diagram.low, diagram.high, word, occurs, out)
        octets: U8 = out.astype("<u8").view(np.uint8).reshape(levels, 8)
        pairs[:, 64 * word : 64 * word + 64] = np.unpackbits(octets, axis=1, bitorder="little")
    square = pairs[:, :levels]
    square |= square.T
    here = np.zeros(levels + 1, dtype=bool)
    here[diagram.variable[2:]] = True
    square[np.arange(levels), np.arange(levels)] = here[:levels]
    return square


def sizes(diagram: Diagram, total: int) -> list[int]:
    """How many sets have 0, 1, … variables, exact; up to the size of the largest.

    Args:
        diagram: the family.
        total: how many sets there are.

    Cost: a row of as many numbers as there are levels for every node: 8 bytes each while the total
    stays below 2**63, Python integers above.
    """
    kind = np.int64 if total < 1 << 63 else object
    below = np.zeros((diagram.size, diagram.levels + 1), dtype=kind)
    below[1, 0] = 1
    levels = -diagram.variable.astype(np.int64)
    begin = 2
    while begin < diagram.size:  # nodes of a level stand together, children before parents
        end = begin + int(np.searchsorted(levels[begin:], levels[begin], "right"))
        below[begin:end] = below[diagram.low[begin:end]]
        below[begin:end, 1:] += below[diagram.high[begin:end], :-1]
        begin = end
    found: list[int] = below[diagram.root].tolist()
    while found and not found[-1]:
        found.pop()
    return found


@kernel
def _extreme(
    variable: U16, low: U32, high: U32, root: int, weight: AnyArray, sign: int, best: AnyArray,
    chosen: I64,
) -> int:  # fmt: skip
    """Best weights of all nodes, and the levels chosen from the root; returns how many.

    ``sign`` is 1 for the least, -1 for the greatest; ``best`` begins with zeros.
    """
    for i in range(2, len(variable)):
        take = best[high[i]] + weight[variable[i]]
        if low[i] and sign * best[low[i]] < sign * take:
            best[i] = best[low[i]]
        else:
            best[i] = take
    k = 0
    i = root
    while i > 1:
        take = best[high[i]] + weight[variable[i]]
        if low[i] and sign * best[low[i]] < sign * take:
            i = low[i]
        else:
            chosen[k] = variable[i]
            k += 1
            i = high[i]
    return k


def extreme_weight(
    diagram: Diagram, weight: ArrayLike, *, greatest: bool = False
) -> tuple[int | float, I64]:
    """The least (or greatest) sum of weights over a set, and the levels of such a set.

    Among sets of equal weight the first in the diagram's order is taken.

    Args:
        diagram: a non-empty family.
        weight: one weight a level. Integers are added exactly, floats as float64.
        greatest: look for the greatest sum instead.

    Raises:
        ValueError: the family is empty, or the weights have another shape or are not finite.
        OverflowError: integer weights whose sums could leave 64 bits.

    Cost: one linear pass, 8 bytes a node (Knuth, TAOCP 7.1.4, algorithm B).
    """
    if diagram.root == EMPTY:
        raise ValueError("an empty set has no lightest or heaviest member")
    given = np.asarray(weight)
    if given.shape != (diagram.levels,):
        raise ValueError(f"expected {diagram.levels} weights, found shape {given.shape}")
    whole = given.dtype == object or given.dtype == bool or np.issubdtype(given.dtype, np.integer)
    if whole or not given.size:
        if sum(abs(int(x)) for x in given.tolist()) >= 1 << 62:
            raise OverflowError("the weights add up to more than 64-bit integers hold")
        weights: AnyArray = given.astype(np.int64)
    else:
        weights = given.astype(np.float64)
        if not np.isfinite(weights).all():
            raise ValueError("weights must be finite")
    d = diagram
    best = np.zeros(d.size, weights.dtype)
    chosen = np.empty(d.levels, np.int64)
    sign = -1 if greatest else 1
    k = _extreme(d.variable, d.low, d.high, d.root, weights, sign, best, chosen)
    return best[d.root].item(), chosen[:k].copy()
