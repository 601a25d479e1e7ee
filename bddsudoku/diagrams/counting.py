"""Exact counts on a diagram, in integers of as many 64-bit limbs as the total needs.

``below[i]`` is the number of sets in the family of node ``i``; ``above[i]`` the number of paths
from the root to ``i``. Both passes are linear (Knuth, TAOCP 7.1.4, algorithms C and the exercises
on ZDDs). No count exceeds the total: a node's family is non-empty, so every path to it and every
set below it belongs to at least one solution of its own. Hence one width of integers, just wide
enough for the total, serves all of them; it is found by doubling until no carry is lost.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bddsudoku.diagrams.canonical import U16, U32, U64, AnyArray
from bddsudoku.diagrams.zdd import Diagram
from bddsudoku.jit import inlined, kernel, part

_LIMB = 64


@kernel
def _below_one(low: U32, high: U32, out: U64) -> bool:
    """Counts in one limb; False when they do not fit."""
    out[0, 0] = 0
    out[1, 0] = 1
    for i in range(2, len(low)):
        a = out[low[i], 0]
        s = a + out[high[i], 0]
        if s < a:
            return False
        out[i, 0] = s
    return True


@part
def add_to(target: U64, source: U64) -> bool:
    """``target += source``; False when a carry is lost."""
    carry = np.uint64(0)
    for k in range(len(target)):
        a = target[k]
        s = a + source[k]
        over = np.uint64(1) if s < a else np.uint64(0)
        t = s + carry
        if t < s:
            over = np.uint64(1)
        target[k] = t
        carry = over
    return bool(carry == 0)


@kernel
def _below_many(low: U32, high: U32, out: U64) -> bool:
    """Counts in several limbs, least significant first; False when they do not fit."""
    for k in range(out.shape[1]):
        out[0, k] = out[1, k] = 0
    out[1, 0] = 1
    for i in range(2, len(low)):
        for k in range(out.shape[1]):
            out[i, k] = out[low[i], k]
        if not add_to(out[i], out[high[i]]):
            return False
    return True


@kernel
def _above(low: U32, high: U32, root: int, out: U64) -> None:
    """Paths from the root to every node; paths to ⊥ are not counted (they may be too many)."""
    out[root, 0] = 1
    for i in range(len(low) - 1, 1, -1):
        if low[i]:
            add_to(out[low[i]], out[i])
        add_to(out[high[i]], out[i])


@inlined
def _multiply_add(target: U64, a: U64, b: U64) -> None:
    """``target += a * b``, all of the same width; the result is known to fit."""
    half = np.uint64(32)
    mask = np.uint64(0xFFFFFFFF)
    limbs = len(target)
    for i in range(limbs):
        if a[i] == 0:
            continue
        ah = a[i] >> half
        al = a[i] & mask
        carry = np.uint64(0)
        for j in range(limbs - i):
            bh = b[j] >> half
            bl = b[j] & mask
            ll = al * bl
            lh = al * bh
            hl = ah * bl
            mid = (ll >> half) + (lh & mask) + (hl & mask)
            product_low = (ll & mask) | (mid << half)
            product_high = ah * bh + (lh >> half) + (hl >> half) + (mid >> half)
            s = target[i + j] + product_low
            if s < product_low:
                product_high += np.uint64(1)
            t = s + carry
            if t < s:
                product_high += np.uint64(1)
            target[i + j] = t
            carry = product_high


@kernel
def _marginals_one(
    variable: U16, low: U32, high: U32, root: int, below: U64, above: U64, out: U64
) -> None:
    """Per level, the number of sets that hold its variable; one limb. One pass downwards."""
    above[root] = 1
    for i in range(len(low) - 1, 1, -1):
        a = above[i]
        above[low[i]] += a
        above[high[i]] += a
        out[variable[i], 0] += a * below[high[i], 0]


@kernel
def _marginals_many(variable: U16, high: U32, above: U64, below: U64, out: U64) -> None:
    for i in range(2, len(high)):
        _multiply_add(out[variable[i]], above[i], below[high[i]])


def from_limbs(limbs: U64) -> int:
    """The integer that one row of limbs stands for."""
    return int.from_bytes(np.ascontiguousarray(limbs, dtype="<u8").tobytes(), "little")


def to_limbs(numbers: Sequence[int], limbs: int) -> U64:
    """Integers as uint64, shape (len(numbers), limbs), least significant limb first.

    Raises:
        OverflowError: a number is negative or needs more limbs.
    """
    data = b"".join(int(x).to_bytes(8 * limbs, "little") for x in numbers)
    return np.frombuffer(data, dtype="<u8").reshape(-1, limbs).astype(np.uint64)


def _exact(limbs: U64, total: int) -> NDArray[Any]:
    """Rows of limbs as int64 where the total allows it, otherwise as Python integers."""
    if total < 1 << 63:
        return limbs[:, 0].astype(np.int64)
    out = np.empty(len(limbs), dtype=object)
    for i, row in enumerate(limbs):
        out[i] = from_limbs(row)
    return out


class Counts:
    """The number of sets below every node of a diagram.

    Attributes:
        diagram: the diagram counted.
        below: uint64, shape (size, limbs), least significant limb first.
        total: number of sets in the whole family.

    Cost: one linear pass, 8 bytes a node and limb; some 10 ns a node while 64 bits suffice.
    """

    __slots__ = ("below", "diagram", "total")

    def __init__(self, diagram: Diagram) -> None:
        self.diagram = diagram
        below = np.empty((diagram.size, 1), np.uint64)
        fits = _below_one(diagram.low, diagram.high, below)
        limbs = 1
        while not fits:
            # a family over so many variables never has more than 2**levels members
            limbs = min(2 * limbs, diagram.levels // _LIMB + 1)
            below = np.empty((diagram.size, limbs), np.uint64)
            fits = _below_many(diagram.low, diagram.high, below)
        self.total = from_limbs(below[diagram.root])
        needed = max(1, -(-self.total.bit_length() // _LIMB))
        self.below = below if needed == limbs else below[:, :needed].copy()

    @property
    def limbs(self) -> int:
        """Width of the integers, in 64-bit limbs."""
        return int(self.below.shape[1])

    def __getitem__(self, node: int) -> int:
        """Number of sets in the family of a node."""
        return from_limbs(self.below[node])

    def above(self) -> U64:
        """Number of paths from the root to every node: uint64, shape (size, limbs).

        The entry of ⊥ is left 0.
        """
        d = self.diagram
        out = np.zeros((d.size, self.limbs), np.uint64)
        _above(d.low, d.high, d.root, out)
        return out

    def marginals(self) -> AnyArray:
        """For every level the number of sets that hold its variable, shape (levels,).

        int64 while the total stays below 2**63, otherwise Python integers. One linear pass.
        """
        d = self.diagram
        raw = np.zeros((d.levels, self.limbs), np.uint64)
        if self.limbs == 1:
            # Paths to ⊥ may wrap around in uint64; nothing reads them.
            above = np.zeros(d.size, np.uint64)
            _marginals_one(d.variable, d.low, d.high, d.root, self.below, above, raw)
        else:
            _marginals_many(d.variable, d.high, self.above(), self.below, raw)
        return _exact(raw, self.total)
