"""What may be drawn at a cell, and what that does to the plugs around it.

All about a cell is packed into one integer, its *entry*: its column; the codes of the terminals in
it, in the cell to the right and in the one below; what is legal; when planarity is asked; what each
of the four choices draws.

The path step when a state is one word: children of a range of states.

The path spec when the plugs of a state do not fit into one word.

A plug then takes 2, 4 or 8 bits, so that 32, 16 or 8 go into a word and no division is needed to
find one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numba.extending import overload

from bddsudoku.engine.frontier.spec import DEAD, expand, expand_by
from bddsudoku.jit import inlined, kernel, part
from bddsudoku.jit.bits import trailing_zeros
from bddsudoku.numberlink.naming import Naming
from bddsudoku.numberlink.planarity import PAIR, Planarity, remembered

if TYPE_CHECKING:
    from numpy.typing import NDArray

OPEN, CLOSE = 1, 2

# bit 4 * (1 if an end comes from the left) + 8 * (1 if from above) + pick: what may be drawn
_LEGAL_FREE = 0b0001_0110_0110_1001
_LEGAL_COVER = 0b0001_0110_0110_1000
_LEGAL_TERMINAL = 0b0000_0001_0001_0110

# where in an entry: the codes (0: none), what is legal, when planarity is asked (0 never, 1 after a
# joint, 2 always), what each of the four choices draws (bit 0 right, bit 1 down)
OWN, RIGHT, BELOW, LEGAL, ASKED, PICK = 8, 16, 24, 32, 48, 50


def entries(
    columns: int,
    names: Naming,
    picks: NDArray[np.int64],
    asked: NDArray[np.int64] | None,
    cover: bool,
) -> NDArray[np.int64]:
    """The entries of all cells.

    Args:
        columns: cells in a row.
        names: codes of the terminals.
        picks: what every choice draws, shape (cells, 4), from :func:`.lattice.blocks`.
        asked: when planarity is asked of a state that stands at a cell; None for never.
        cover: every cell must lie on a path.
    """
    info = np.arange(len(names.own)) % columns
    legal = np.where(names.own > 0, _LEGAL_TERMINAL, _LEGAL_COVER if cover else _LEGAL_FREE)
    for codes, place in (
        (names.own, OWN), (names.right, RIGHT), (names.below, BELOW), (legal, LEGAL)
    ):  # fmt: skip
        info |= codes << place
    if asked is not None:  # of the child, which stands at the next level; the last cell has none
        info[:-1] |= asked[1:] << ASKED
    for choice in range(4):
        info |= picks[:, choice] << (PICK + 2 * choice)
    return info.astype(np.int64)


@part
def draw(info, pick, left, up, above):  # type: ignore[no-untyped-def]
    """What a choice does to the plugs at a cell.

    Args:
        info: the cell's entry in the entries.
        pick: what is drawn, bit 0 to the right, bit 1 down; must be legal by the entry.
        left: the plug entering from the left.
        up: the plug entering from above.
        above: the plug entering the next cell from above.

    Returns:
        Whether it is allowed; the new plug below and the new one to the right; whose other end gets
        another code (0: none, 1: left's, 2: up's) and that code; whether loose ends were joined.
    """
    kind = (1 if left else 0) + (2 if up else 0)
    own = (info >> OWN) & 255
    end = left if left else up
    seek = 0
    code = 0
    joined = kind == 3 or (own != 0 and kind != 0)
    if kind == 3:
        if left >= PAIR and up >= PAIR:
            if left != up:
                return False, 0, 0, 0, 0, False
        elif left >= PAIR:
            seek, code = 2, left
        elif up >= PAIR:
            seek, code = 1, up
        elif left == OPEN and up == OPEN:
            seek, code = 2, OPEN
        elif left == CLOSE and up == CLOSE:
            seek, code = 1, CLOSE
        elif left == OPEN:
            return False, 0, 0, 0, 0, False  # its own other end: a loop
    elif joined:
        if end < PAIR:
            seek, code = kind, own
        elif end != own:
            return False, 0, 0, 0, 0, False
    to_below = 0
    to_right = 0
    if pick == 3:
        to_below, to_right = OPEN, CLOSE
    elif pick == 1:
        to_right = own if own else end
    elif pick == 2:
        to_below = own if own else end
    if to_right:
        there = (info >> RIGHT) & 255
        if there:
            if above or (to_right >= PAIR and to_right != there):
                return False, 0, 0, 0, 0, False
        elif above >= PAIR:
            if to_right >= PAIR and to_right != above:
                return False, 0, 0, 0, 0, False
        elif above == CLOSE and to_right == OPEN:
            return False, 0, 0, 0, 0, False
    if to_below >= PAIR:
        there = (info >> BELOW) & 255
        if there and there != to_below:
            return False, 0, 0, 0, 0, False
    return True, to_below, to_right, seek, code, joined


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


class PathParams(NamedTuple):
    """Constants of the step when a state is one word.

    Attributes:
        width: cells in a row.
        bits: bits of a plug.
        info: int64 (levels,); all about a cell, packed (:mod:`.cell_step`).
        tables: what planarity is asked with, by the names of pairs.
        seen: see :class:`bddsudoku.numberlink.naming.Naming`.
        pool: likewise.
    """

    width: int
    bits: int
    info: NDArray[np.int64]
    tables: Planarity
    seen: NDArray[np.uint64]
    pool: NDArray[np.uint64]


PathParams.expands = True  # type: ignore[attr-defined]


@part
def _mate(state, q, kind, bits):  # type: ignore[no-untyped-def]
    """The plug of a one-word state whose bracket belongs to the one (``kind``) at ``q``."""
    mask = (np.uint64(1) << np.uint64(bits)) - np.uint64(1)
    way = 1 if kind == OPEN else -1
    depth = 1
    while True:
        q += way
        other = np.int64((state >> np.uint64(q * bits)) & mask)
        if other == kind:
            depth += 1
        elif other in (OPEN, CLOSE):
            depth -= 1
            if depth == 0:
                return q


@part
def _renamed(state, seen, pool, width, bits, scratch):  # type: ignore[no-untyped-def]
    """A one-word state in which the pairs that are seen have names by their order in the state."""
    one = np.uint64(1)
    mask = (one << np.uint64(bits)) - one
    left = seen
    while left:
        scratch[trailing_zeros(left)] = np.uint64(0)
        left &= left - one
    for q in range(width + 1):
        shift = np.uint64(q * bits)
        code = (state >> shift) & mask
        if code >= np.uint64(PAIR) and (seen >> code) & one:
            name = scratch[np.int64(code)]
            if name == np.uint64(0):
                name = np.uint64(trailing_zeros(pool))
                pool &= pool - one
                scratch[np.int64(code)] = name
            state = (state & ~(mask << shift)) | (name << shift)
    return state


@overload(expand)
def _expand_paths(  # type: ignore[no-untyped-def]
    params, level, states, lo, hi, choices, children, degree, rank, to, scratch
):
    if getattr(params, "instance_class", None) is not PathParams:
        return None

    def expand_paths(params, level, states, lo, hi, choices, children, degree, rank, to, scratch):  # type: ignore[no-untyped-def]
        info = params.info[level]
        bits = params.bits
        width = params.width
        pool = params.pool[level + 1]
        seen = params.seen[level + 1]
        j = info & 255
        own = (info >> OWN) & 255
        mask = (np.uint64(1) << np.uint64(bits)) - np.uint64(1)
        at_left = np.uint64(j * bits)
        at_up = at_left + np.uint64(bits)
        # in the last column the shift may leave the word; no choice goes to the right there
        at_above = (at_up + np.uint64(bits)) & np.uint64(63)
        keep = ~((mask << at_left) | (mask << at_up))
        turn = np.uint64(bits if j + 1 == width else 0)  # the next row begins
        slot = np.int64(0)  # a literal would be a type, and a specialisation, of its own
        for row in range(lo, hi):
            before = slot
            state = states[row, 0]
            left = np.int64((state >> at_left) & mask)
            up = np.int64((state >> at_up) & mask)
            above = np.int64((state >> at_above) & mask)
            legal = info >> (LEGAL + (4 if left else 0) + (8 if up else 0))
            for r in range(choices.shape[0]):
                pick = (info >> (PICK + 2 * choices[r])) & 3
                if not (legal >> pick) & 1:
                    continue
                alive, to_below, to_right, seek, code, joined = draw(info, pick, left, up, above)
                if not alive:
                    continue
                child = state & keep
                child |= (np.uint64(to_below) << at_left) | (np.uint64(to_right) << at_up)
                if seek:
                    q = _mate(state, j if seek == 1 else j + 1, left if seek == 1 else up, bits)
                    at = np.uint64(q * bits)
                    child = (child & ~(mask << at)) | (np.uint64(code) << at)
                child <<= turn
                if (joined or own) and seen:
                    child = _renamed(child, seen, pool, width, bits, scratch)
                children[slot, 0] = child
                if not passed(params, info, level, joined, children, slot, scratch):
                    continue
                rank[slot] = r
                to[slot] = level + 1
                slot += 1
            degree[row - lo] = slot - before
        return slot

    return expand_paths


@kernel
def crossed(tables, root, bits, scratch):  # type: ignore[no-untyped-def]
    """Whether the pairs of the empty board must cross."""
    zero = np.int64(0)
    return not remembered(tables, root, zero, zero, bits, scratch)


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
