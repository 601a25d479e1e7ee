"""The path spec when the plugs of a state do not fit into one word.

A plug then takes 2, 4 or 8 bits, so that 32, 16 or 8 go into a word and no division is needed to
find one.
"""

from __future__ import annotations

import numpy as np

from bddsudoku.engine.frontier.spec import DEAD, expand_by
from bddsudoku.engine.specs.cell_step import CLOSE, LEGAL, OPEN, OWN, PICK, draw
from bddsudoku.engine.specs.naming import PAIR
from bddsudoku.engine.specs.path_step import PathParams
from bddsudoku.engine.specs.verdicts import passed
from bddsudoku.jit import inlined, part
from bddsudoku.jit.bits import trailing_zeros


class WidePathParams(PathParams):
    """Constants of the step: the same."""

    __slots__ = ()


@part
def _place(q, bits):  # type: ignore[no-untyped-def]
    """Word and shift of plug ``q``."""
    many = 3 if bits == 8 else (4 if bits == 4 else 5)
    return q >> many, np.uint64((q & ((1 << many) - 1)) * bits)


@part
def plug(states, row, q, bits):  # type: ignore[no-untyped-def]
    """Plug ``q`` of a state of any number of words; ``bits`` is 2, 4 or 8."""
    w, shift = _place(q, bits)
    return np.int64((states[row, w] >> shift) & ((np.uint64(1) << np.uint64(bits)) - np.uint64(1)))


@part
def put(states, row, q, value, bits):  # type: ignore[no-untyped-def]
    """Write plug ``q`` of a state of any number of words; ``bits`` is 2, 4 or 8."""
    w, shift = _place(q, bits)
    mask = ((np.uint64(1) << np.uint64(bits)) - np.uint64(1)) << shift
    states[row, w] = (states[row, w] & ~mask) | (np.uint64(value) << shift)


@part
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
    for w in range(_place(width, bits)[0] + 1):
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
    if j + 1 == width:  # the next row begins; the last plug, to the right, is empty
        over = np.uint64(0)
        for w in range(_place(width, bits)[0] + 1):
            here = children[slot, w]
            children[slot, w] = (here << np.uint64(bits)) | over
            over = here >> np.uint64(64 - bits)
    return True, to_below, to_right, joined


@part
def _rename(states, row, seen, pool, width, bits, scratch):  # type: ignore[no-untyped-def]
    """Name the pairs that are seen by their order in the state."""
    left = seen
    while left:
        scratch[trailing_zeros(left)] = np.uint64(0)
        left &= left - np.uint64(1)
    for q in range(width + 1):
        code = plug(states, row, q, bits)
        if PAIR <= code < 64 and (seen >> np.uint64(code)) & np.uint64(1):
            if scratch[code] == 0:
                scratch[code] = np.uint64(trailing_zeros(pool))
                pool &= pool - np.uint64(1)
            put(states, row, q, scratch[code], bits)


@inlined
def _child(params, level, states, row, choice, children, slot, scratch):  # type: ignore[no-untyped-def]
    info = params.info[level]
    alive, _, _, joined = wide_step(
        info, params.width, params.bits, states, row, choice, children, slot
    )
    if not alive:
        return DEAD
    seen = params.seen[level + 1]
    if (joined or (info >> OWN) & 255) and seen:
        pool = params.pool[level + 1]
        _rename(children, slot, seen, pool, params.width, params.bits, scratch)
    return level + 1 if passed(params, info, level, joined, children, slot, scratch) else DEAD


expand_by(WidePathParams, _child)
