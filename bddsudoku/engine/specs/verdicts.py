"""What :func:`.planarity.joinable` said of a circle is remembered: most circles come many times.

The test sees the loose ends of a state in their order, not how far they lie apart, so at one level
many states show it the same circle. A table of fixed size keeps the last verdicts (a newer one
takes the place of an older one with the same hash); what is found there is exact, for the whole
circle and the level are compared.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from bddsudoku.engine.specs.planarity import SCRATCH, joinable

__all__ = ["WORK", "remembered"]

_BITS = 12
WORK = SCRATCH + (3 << _BITS)
"""64-bit words of working memory that :func:`remembered` wants; zero when first used, and then for
one board only. A verdict takes three: the circle in two, then 2 * (level + 1) + 1 if joinable."""

_M1 = np.uint64(0x9E3779B97F4A7C15)
_M2 = np.uint64(0xC2B2AE3D27D4EB4F)


@njit(nogil=True)
def remembered(hung, rim, floating, states, row, level, bits, scratch):  # type: ignore[no-untyped-def]
    """Whether the plugs of a state pass both tests of :func:`.planarity.joinable`.

    Args:
        hung: see :class:`bddsudoku.engine.specs.planarity.Planarity`.
        rim: likewise.
        floating: likewise.
        states: uint64, shape (any, words).
        row: the state.
        level: its level.
        bits: bits of a plug.
        scratch: uint64 (:data:`WORK`,).
    """
    mask = (np.uint64(1) << np.uint64(bits)) - np.uint64(1)
    a_word = 64 // bits
    low = np.uint64(0)
    high = np.uint64(0)
    n = 0
    word = 0
    at = 0
    for q in range(hung.shape[1]):
        if at == a_word:
            word += 1
            at = 0
        value = (states[row, word] >> np.uint64(at * bits)) & mask
        at += 1
        for _ in range(2):
            if value:
                if n < a_word:
                    low |= value << np.uint64(n * bits)
                elif n < 2 * a_word:
                    high |= value << np.uint64((n - a_word) * bits)
                n += 1
            value = np.uint64(hung[level, q])
    if n > 2 * a_word:
        return joinable(hung, rim, floating, states, row, level, bits, scratch)
    h = (low * _M1) ^ (high * _M2)
    place = SCRATCH + 3 * np.int64((h ^ (h >> np.uint64(29))) >> np.uint64(64 - _BITS))
    said = np.uint64(2 * (level + 1))
    known = scratch[place + 2]
    if known & ~np.uint64(1) == said and scratch[place] == low and scratch[place + 1] == high:
        return known != said
    verdict = joinable(hung, rim, floating, states, row, level, bits, scratch)
    scratch[place] = low
    scratch[place + 1] = high
    scratch[place + 2] = said + np.uint64(verdict)
    return verdict
