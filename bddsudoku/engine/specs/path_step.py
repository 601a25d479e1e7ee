"""The path step when a state is one word: children of a range of states."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numba.extending import overload

from bddsudoku.engine.frontier.spec import expand
from bddsudoku.engine.specs.cell_step import CLOSE, LEGAL, OPEN, OWN, PICK, draw
from bddsudoku.engine.specs.naming import PAIR
from bddsudoku.engine.specs.planarity import Planarity
from bddsudoku.engine.specs.verdicts import passed, remembered
from bddsudoku.jit import kernel, part
from bddsudoku.jit.bits import trailing_zeros

if TYPE_CHECKING:
    from numpy.typing import NDArray


class PathParams(NamedTuple):
    """Constants of the step when a state is one word.

    Attributes:
        width: cells in a row.
        bits: bits of a plug.
        info: int64 (levels,); all about a cell, packed (:mod:`.cell_step`).
        tables: what planarity is asked with, by the names of pairs.
        seen: see :class:`bddsudoku.engine.specs.naming.Naming`.
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
