"""The exact-cover step: children of a state, with unit propagation as look-ahead.

An option is *available* at a state when it belongs to this or a later level, none of its items is
covered, and propagation has not ruled it out: an uncovered item without an available option kills
the state, one with a single available option places that option, which rules out all that share
an item with it, and so on to the fixpoint (hidden and naked singles, in Sudoku's words). That
leaves next to no state that does not reach the end, at the price of a bitset of options carried
with every state of the two levels in work.

The fixpoint depends on the covered items alone, not on the way there: what is forced at a parent
stays forced at its children. So the bitset is payload, not part of a state's identity, and every
option is ruled out once along a path instead of once a state.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numba import njit
from numba.extending import overload

from bddsudoku.engine.frontier.bits import trailing_zeros
from bddsudoku.engine.frontier.spec import Stamp, expand

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["CoverParams", "propagate_all"]


class CoverParams(NamedTuple):
    """Constants of the step. Options are numbered in level order.

    A state is ``words`` words of covered items, then the words of available options, last word
    first, so that a level simply has fewer of them the fewer options are left.

    Attributes:
        stamp: see :func:`bddsudoku.engine.frontier.spec.stamp`.
        words: words of covered items.
        start: int32 (levels + 1,); options of a level.
        add: uint64 (options, words); items of the option that the next level still asks about.
        keep: uint64 (levels, words); bits that stay when the level is passed.
        bit: int32 (levels,); bit of the level's own item, -1 if nothing above can cover it.
        of_item: uint64 (items, option words); options that cover an exact item; words last first.
        conflict: uint64 (options, option words); other options that share an item; likewise.
        first: int32 (options + 1,) and
        items: int32; the exact items of an option.
    """

    stamp: Stamp
    words: int
    start: NDArray[np.int32]
    add: NDArray[np.uint64]
    keep: NDArray[np.uint64]
    bit: NDArray[np.int32]
    of_item: NDArray[np.uint64]
    conflict: NDArray[np.uint64]
    first: NDArray[np.int32]
    items: NDArray[np.int32]


CoverParams.expands = True  # type: ignore[attr-defined]


@njit(cache=True, nogil=True)
def _propagate(params, rows, row, base, size, queue, count):  # type: ignore[no-untyped-def]
    """Rule out what the queued options rule out, and whatever follows; False if dead.

    Args:
        params: a CoverParams.
        rows: ``rows[row, base : base + size]`` is the set of available options.
        row: see rows.
        base: see rows.
        size: words of it in use.
        queue: uint64; room for every item of every option; the first ``count`` options are there.
        count: see queue.
    """
    zero = np.uint64(0)
    one = np.uint64(1)
    top = params.conflict.shape[1] - 1
    done = 0
    while done < count:
        option = np.int64(queue[done])
        done += 1
        for w in range(size):
            gone = rows[row, base + w] & params.conflict[option, w]
            if gone == zero:
                continue
            rows[row, base + w] ^= gone
            while gone != zero:
                lost = (top - w) * 64 + trailing_zeros(gone)
                gone &= gone - one
                # a later word of the same conflict may still stand; its turn comes
                for e in range(params.first[lost], params.first[lost + 1]):
                    item = params.items[e]
                    only = zero
                    word = -1
                    many = False
                    for v in range(size):
                        hit = rows[row, base + v] & params.of_item[item, v]
                        if hit != zero:
                            if word >= 0 or hit & (hit - one) != zero:
                                many = True
                                break
                            only = hit
                            word = v
                    if many:
                        continue
                    if word < 0:
                        return False
                    last = (top - word) * 64 + trailing_zeros(only)
                    if last != option:
                        queue[count] = np.uint64(last)
                        count += 1
    return True


@njit(cache=True)
def propagate_all(params, exact, rows):  # type: ignore[no-untyped-def]
    """Fixpoint of the root state, in ``rows[0]``; False if there is no exact cover to be found."""
    zero = np.uint64(0)
    one = np.uint64(1)
    size = params.conflict.shape[1]
    base = params.words
    queue = np.empty(params.items.shape[0] + exact + 1, np.uint64)
    count = 0
    for item in range(exact):
        only = zero
        word = -1
        many = False
        for v in range(size):
            hit = params.of_item[item, v]
            if hit != zero:
                if word >= 0 or hit & (hit - one) != zero:
                    many = True
                    break
                only = hit
                word = v
        if many:
            continue
        if word < 0:
            return False
        queue[count] = np.uint64((size - 1 - word) * 64 + trailing_zeros(only))
        count += 1
    return _propagate(params, rows, 0, base, size, queue, count)


@overload(expand)
def _expand_cover(params, level, states, row, choices, children, slot, rank, to, scratch):  # type: ignore[no-untyped-def]
    if getattr(params, "instance_class", None) is not CoverParams:
        return None

    def expand_cover(params, level, states, row, choices, children, slot, rank, to, scratch):  # type: ignore[no-untyped-def]
        zero = np.uint64(0)
        one = np.uint64(1)
        levels = params.bit.shape[0]
        base = params.words
        size = states.shape[1] - base
        top = params.conflict.shape[1] - 1
        begin = params.start[level]
        for r in range(choices.shape[0]):
            option = begin + choices[r]
            if states[row, base + top - (option >> 6)] >> np.uint64(option & 63) & one == zero:
                continue
            for w in range(base):
                children[slot, w] = (states[row, w] & params.keep[level, w]) | params.add[option, w]
            work = zero
            for w in range(size):
                here = states[row, base + w]
                children[slot, base + w] = here
                work |= here & params.conflict[option, w]
            if work != zero:
                scratch[0] = np.uint64(option)
                if not _propagate(params, children, slot, base, size, scratch, 1):
                    continue
            # nothing of this level is left but the option itself
            children[slot, base + top - (option >> 6)] ^= one << np.uint64(option & 63)
            child_level = level + 1
            while child_level < levels:
                bit = params.bit[child_level]
                if bit < 0:
                    break
                if children[slot, bit >> 6] >> np.uint64(bit & 63) & one == zero:
                    break
                for w in range(base):
                    children[slot, w] &= params.keep[child_level, w]
                child_level += 1
            rank[slot] = r
            to[slot] = child_level
            slot += 1
        return slot

    return expand_cover
