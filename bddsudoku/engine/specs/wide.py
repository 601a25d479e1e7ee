"""The path spec when the plugs of a state do not fit into one word; ``64 // bits`` go into each."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numba import njit
from numba.extending import overload

from bddsudoku.engine.frontier.spec import Stamp, stamp, step
from bddsudoku.engine.specs import numberlink, planarity
from bddsudoku.engine.specs.numberlink import ASKED, CLOSE, LEGAL, OPEN, PICK, draw
from bddsudoku.engine.specs.planarity import SCRATCH, joinable

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["WidePathParams", "plug", "put", "wide_stamp", "wide_step"]


def wide_stamp(*files: str) -> Stamp:
    """The stamp of all sources behind the step here, and of some more."""
    return stamp(__file__, numberlink.__file__, planarity.__file__, *files)


class WidePathParams(NamedTuple):
    """Constants of the step; see :class:`bddsudoku.engine.specs.numberlink.PathParams`."""

    stamp: Stamp
    width: int
    bits: int
    info: NDArray[np.int64]
    hung: NDArray[np.int64]
    rim: NDArray[np.int64]
    floating: NDArray[np.int64]


@njit(cache=True, nogil=True)
def plug(states, row, q, bits):  # type: ignore[no-untyped-def]
    """Plug ``q`` of a state of any number of words."""
    a_word = 64 // bits
    mask = (np.uint64(1) << np.uint64(bits)) - np.uint64(1)
    return np.int64((states[row, q // a_word] >> np.uint64(q % a_word * bits)) & mask)


@njit(cache=True, nogil=True)
def put(states, row, q, value, bits):  # type: ignore[no-untyped-def]
    """Write plug ``q`` of a state of any number of words."""
    a_word = 64 // bits
    shift = np.uint64(q % a_word * bits)
    mask = ((np.uint64(1) << np.uint64(bits)) - np.uint64(1)) << shift
    w = q // a_word
    states[row, w] = (states[row, w] & ~mask) | (np.uint64(value) << shift)


@njit(cache=True, nogil=True)
def wide_step(info, width, bits, states, row, choice, children, slot):  # type: ignore[no-untyped-def]
    """Write the plugs of a child, in the order of its level.

    Returns:
        Whether there is a child; :func:`draw`'s plugs below and to the right; whether loose ends
        were joined.
    """
    j = info & 255
    left = plug(states, row, j, bits)
    up = plug(states, row, j + 1, bits)
    above = plug(states, row, j + 2, bits) if j + 2 <= width else 0
    pick = (info >> (PICK + 2 * choice)) & 3
    if not (info >> (LEGAL + (4 if left else 0) + (8 if up else 0) + pick)) & 1:
        return False, 0, 0, False
    alive, to_below, to_right, seek, code, joined = draw(info, pick, left, up, above)
    if not alive:
        return False, 0, 0, False
    for w in range(width // (64 // bits) + 1):
        children[slot, w] = states[row, w]
    put(children, slot, j, to_below, bits)
    put(children, slot, j + 1, to_right, bits)
    if seek:
        q = j if seek == 1 else j + 1
        kind = left if seek == 1 else up
        way = 1 if kind == OPEN else -1
        depth = 1
        while depth:
            q += way
            other = plug(states, row, q, bits)
            if other == kind:
                depth += 1
            elif other in (OPEN, CLOSE):
                depth -= 1
        put(children, slot, q, code, bits)
    if j + 1 == width:  # the next row begins
        for q in range(width, 0, -1):
            put(children, slot, q, plug(children, slot, q - 1, bits), bits)
        put(children, slot, 0, 0, bits)
    return True, to_below, to_right, joined


@overload(step)
def _wide_path_step(params, level, states, row, choice, children, slot):  # type: ignore[no-untyped-def]
    if getattr(params, "instance_class", None) is not WidePathParams:
        return None

    def wide_path_step(params, level, states, row, choice, children, slot):  # type: ignore[no-untyped-def]
        info = params.info[level]
        bits = params.bits
        alive, _, _, joined = wide_step(
            info, params.width, bits, states, row, choice, children, slot
        )
        if not alive:
            return -1
        level += 1
        asked = (info >> ASKED) & 3
        if asked == 0 or (asked == 1 and not joined):
            return level
        work = np.empty(SCRATCH, np.uint64)
        if not joinable(
            params.hung, params.rim, params.floating, children, slot, level, bits, work
        ):
            return -1
        return level

    return wide_path_step
