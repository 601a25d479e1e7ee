"""The step of a colouring: a colour for a place, and colours that are alike in sorted order.

A state holds a field of a few bits for every colour, which says which houses have it already, and
the registers of machines (:mod:`.product_step`). Colours that are alike from a level on may change
places; so the fields of a class are kept ascending, and states that differ by a permutation are
one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numba.extending import overload

from bddsudoku.engine.frontier.spec import expand
from bddsudoku.engine.specs.product_step import read
from bddsudoku.jit import part

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["SortedParams"]


class SortedParams(NamedTuple):
    """Constants of the step. Colours are numbered by their position in a state.

    Attributes:
        colours: number of fields.
        bits: of a field.
        each: fields of a word.
        words: that hold fields; those of registers follow.
        start: int32 (levels + 1,); choices of a level.
        colour: int32 (choices,); position of the colour.
        need: uint64 (choices,); bits of the colour's field that must be 0,
        add: uint64 (choices,); and those that are set.
        keep: uint64 (levels,); bits of all fields that stay when the level is passed.
        must: uint64 (levels, colours); bits without which a colour must be chosen here.
        low: int32 (levels + 1, colours); range of the colours that are alike,
        high: int32 (levels + 1, colours); by level and position.
        reads, where, column, columns, table: see
            :class:`bddsudoku.engine.specs.product_step.ProductParams`.
    """

    colours: int
    bits: int
    each: int
    words: int
    start: NDArray[np.int32]
    colour: NDArray[np.int32]
    need: NDArray[np.uint64]
    add: NDArray[np.uint64]
    keep: NDArray[np.uint64]
    must: NDArray[np.uint64]
    low: NDArray[np.int32]
    high: NDArray[np.int32]
    reads: NDArray[np.int32]
    where: NDArray[np.int64]
    column: NDArray[np.int32]
    columns: NDArray[np.int64]
    table: NDArray[np.int32]


@part
def _opened(params, level, states, row, work):  # type: ignore[no-untyped-def]
    """Lay a state's fields into ``work``, and behind them what passing the level leaves of them,
    sorted.

    Returns:
        The position of the colour that must be chosen; -1: any; -2: none will do.
    """
    n = params.colours
    mask = ~np.uint64(0) >> np.uint64(64 - params.bits)
    keep = params.keep[level]
    forced = -1
    i = 0
    for w in range(params.words):
        word = states[row, w]
        for _ in range(min(params.each, n - i)):
            field = word & mask
            word >>= np.uint64(params.bits)
            work[i] = field
            must = params.must[level, i]
            if field & must != must:
                if forced >= 0:
                    return -2
                forced = i
            field &= keep
            at = n + i
            least = n + params.low[level + 1, i]
            while at > least and work[at - 1] > field:
                work[at] = work[at - 1]
                at -= 1
            work[at] = field
            i += 1
    return forced


@part
def _pack(params, work, children, slot):  # type: ignore[no-untyped-def]
    """The words of ``work``'s fields."""
    n = params.colours
    i = 0
    for w in range(params.words):
        word = np.uint64(0)
        shift = np.uint64(0)
        for _ in range(min(params.each, n - i)):
            word |= work[i] << shift
            shift += np.uint64(params.bits)
            i += 1
        children[slot, w] = word


@part
def _chosen(params, level, choice, work, out):  # type: ignore[no-untyped-def]
    """Fields after a choice; False if a house has the colour already."""
    n = params.colours
    k = params.colour[choice]
    field = work[k]
    if field & params.need[choice] != np.uint64(0):
        return False
    field &= params.keep[level]
    for i in range(n):
        out[i] = work[n + i]
    at = np.int64(params.low[level + 1, k])
    while out[at] != field:
        at += 1
    field |= params.add[choice]
    last = params.high[level + 1, k] - 1
    while at < last and out[at + 1] < field:  # it has not become less
        out[at] = out[at + 1]
        at += 1
    out[at] = field
    return True


@overload(expand)
def _expand(  # type: ignore[no-untyped-def]
    params, level, states, lo, hi, choices, children, degree, rank, to, scratch
):
    if getattr(params, "instance_class", None) is not SortedParams:
        return None

    def expand_sorted(  # type: ignore[no-untyped-def]
        params, level, states, lo, hi, choices, children, degree, rank, to, scratch
    ):
        n = params.colours
        out = scratch[2 * n :]
        slot = np.int64(0)
        first = params.start[level]
        for row in range(lo, hi):
            before = slot
            forced = _opened(params, level, states, row, scratch)
            for r in range(choices.shape[0] if forced > -2 else 0):
                choice = first + choices[r]
                if forced >= 0 and params.colour[choice] != forced:
                    continue
                if not _chosen(params, level, choice, scratch, out):
                    continue
                _pack(params, out, children, slot)
                for w in range(params.words, states.shape[1]):
                    children[slot, w] = states[row, w]
                if read(params, level, choice - first, children, slot):
                    rank[slot] = r
                    to[slot] = level + 1
                    slot += 1
            degree[row - lo] = slot - before
        return slot

    return expand_sorted


SortedParams.expands = True  # type: ignore[attr-defined]
