"""What :func:`.planarity.joinable` said of a circle is remembered: most circles come many times.

The test sees the loose ends of a state in their order, not how far they lie apart, so at one level
many states show it the same circle. A table of fixed size keeps the last verdicts (a newer one
takes the place of an older one with the same hash); what is found there is exact, for the whole
circle and the level are compared.
"""

from __future__ import annotations

import numpy as np

from bddsudoku.engine.specs.cell_step import ASKED
from bddsudoku.engine.specs.planarity import SCRATCH, joinable
from bddsudoku.jit import inlined, part

_BITS = 12
_ASKED = SCRATCH + (3 << _BITS)
WORK = _ASKED + 4
"""64-bit words of working memory that :func:`remembered` wants; zero when first used, and then for
one board only. A verdict takes three: the circle in two, then 2 * (level + 1) + 1 if joinable. The
last four hold the level + 1, how often it was asked about, how often the answer was "no", and how
often nothing was asked because of that."""
_TRIED = 512
"""Questions of a level after which it is known whether they are worth their time."""
_WORTH = 20
"""They are when at least one in so many is answered "no"."""

_M1 = np.uint64(0x9E3779B97F4A7C15)
_M2 = np.uint64(0xC2B2AE3D27D4EB4F)


@inlined
def passed(params, info, level, joined, children, slot, scratch):  # type: ignore[no-untyped-def]
    """Whether planarity leaves a child alone; it is asked where the cell's entry says so.

    Args:
        params: with the fields of :class:`.path_step.PathParams`.
        info: the cell's entry, taken from them once for many states.
        level: that of the state above.
        joined: the step has joined loose ends.
        children: uint64, shape (any, words).
        slot: the child.
        scratch: uint64 (:data:`WORK`,).
    """
    asked = (info >> ASKED) & 3
    if asked == 0 or (asked == 1 and not joined):
        return True
    return remembered(params.tables, children, slot, level + 1, params.bits, scratch)


@part
def remembered(tables, states, row, level, bits, scratch):  # type: ignore[no-untyped-def]
    """Whether the plugs of a state pass both tests of :func:`.planarity.joinable`.

    Where nearly all do, only every sixteenth question is asked, and the others answered "yes".

    Args:
        tables: of the board, a :class:`bddsudoku.engine.specs.planarity.Planarity`.
        states: uint64, shape (any, words).
        row: the state.
        level: its level.
        bits: bits of a plug; no plug has all of them set.
        scratch: uint64 (:data:`WORK`,).
    """
    one = np.uint64(1)
    if scratch[_ASKED] != np.uint64(level + 1):
        scratch[_ASKED] = np.uint64(level + 1)
        scratch[_ASKED + 1] = scratch[_ASKED + 2] = scratch[_ASKED + 3] = np.uint64(0)
    asked = scratch[_ASKED + 1]
    if asked >= np.uint64(_TRIED) and scratch[_ASKED + 2] * np.uint64(_WORTH) < asked:
        scratch[_ASKED + 3] += one
        if scratch[_ASKED + 3] & np.uint64(15):
            return True
    verdict = _look_up(tables, states, row, level, bits, scratch)
    scratch[_ASKED + 1] = asked + one
    if not verdict:
        scratch[_ASKED + 2] += one
    return verdict


@part
def _look_up(tables, states, row, level, bits, scratch):  # type: ignore[no-untyped-def]
    """The verdict of the table, or a new one."""
    mask = (np.uint64(1) << np.uint64(bits)) - np.uint64(1)
    a_word = 64 // bits
    low = np.uint64(0)
    high = np.uint64(0)
    n = 0
    word = 0
    at = 0
    for q in range(tables.hung.shape[1]):
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
            # what hangs after a plug is the same in all states of the level: a mark will do
            value = mask if tables.hung[level, q] else np.uint64(0)
    if n > 2 * a_word:
        return joinable(tables, states, row, level, bits, scratch)
    h = (low * _M1) ^ (high * _M2)
    place = SCRATCH + 3 * np.int64((h ^ (h >> np.uint64(29))) >> np.uint64(64 - _BITS))
    said = np.uint64(2 * (level + 1))
    known = scratch[place + 2]
    if known & ~np.uint64(1) == said and scratch[place] == low and scratch[place + 1] == high:
        return known != said
    verdict = joinable(tables, states, row, level, bits, scratch)
    scratch[place] = low
    scratch[place + 1] = high
    scratch[place + 2] = said + np.uint64(verdict)
    return verdict
