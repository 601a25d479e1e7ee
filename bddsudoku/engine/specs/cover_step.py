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

from bddsudoku.engine.frontier.spec import DEAD, expand_by
from bddsudoku.jit import inlined, kernel
from bddsudoku.jit.bits import lowest

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["CoverParams", "available", "keep", "passed_by", "placed", "propagate", "settled"]


class CoverParams(NamedTuple):
    """Constants of the step. Options are numbered in level order.

    A state is ``words`` words of covered items, then the words of available options, last word
    first, so that a level simply has fewer of them the fewer options are left.

    Attributes:
        words: words of covered items.
        start: int32 (levels + 1,); options of a level.
        add: uint64 (options, words); items of the option that the next level still asks about.
        keep: uint64 (levels, words); bits that stay when the level is passed.
        bit: int32 (levels,); bit of the level's own item, -1 if nothing above can cover it.
        queue: where the queue begins in the working memory.
        span: int32 (items, 2); words of ``of_item`` that are not 0 lie in this range.
        of_item: uint64 (items, option words); options that cover an exact item; words last first.
        conflict: uint64 (options, option words); other options that share an item; likewise.
        touch: uint64 (options, item words); exact items of the option, by fours of words.
    """

    words: int
    start: NDArray[np.int32]
    add: NDArray[np.uint64]
    keep: NDArray[np.uint64]
    bit: NDArray[np.int32]
    queue: int
    span: NDArray[np.int32]
    of_item: NDArray[np.uint64]
    conflict: NDArray[np.uint64]
    touch: NDArray[np.uint64]


@kernel
def propagate(params, rows, row, base, size, work, queue, count):  # type: ignore[no-untyped-def]
    """Rule out what the queued options rule out, and whatever follows; False if dead.

    Args:
        params: a CoverParams.
        rows: ``rows[row, base : base + size]`` is the set of available options.
        row: see rows.
        base: see rows.
        size: words of it in use.
        work: uint64; working memory: the items that lost options, as many words as ``touch`` has,
            the options that were queued here, as many as an option set has, and the queue.
        queue: where the queue begins; room for every option.
        count: options in the queue.
    """
    zero = np.uint64(0)
    one = np.uint64(1)
    six = np.uint64(6)
    top = np.uint64(params.conflict.shape[1] - 1)
    kinds = params.touch.shape[1]
    left = rows[row, base : base + size]
    touched = work[:kinds]
    done = work[kinds : kinds + size]
    for w in range(size):
        done[w] = zero
    end = queue + count
    at = queue
    while at < end:
        option = work[np.uint64(at)]
        at += 1
        a = b = c = d = zero
        for i in range(4, kinds):
            touched[i] = zero
        for w in range(size):
            gone = left[w] & params.conflict[option, w]
            if gone == zero:
                continue
            left[w] ^= gone
            start = (top - np.uint64(w)) << six
            while gone != zero:
                lost = start + lowest(gone)
                gone &= gone - one
                a |= params.touch[lost, 0]
                b |= params.touch[lost, 1]
                c |= params.touch[lost, 2]
                d |= params.touch[lost, 3]
                for i in range(4, kinds):
                    touched[i] |= params.touch[lost, i]
        touched[0] = a
        touched[1] = b
        touched[2] = c
        touched[3] = d
        for i in range(kinds):
            items = touched[i]
            if items == zero:
                continue
            items &= ~params.touch[option, i]
            while items != zero:
                item = (np.uint64(i) << six) + lowest(items)
                items &= items - one
                # the last option left of this item, if there is one only
                only = zero
                word = zero
                many = False
                v = np.uint64(params.span[item, 0])
                stop = min(np.uint64(size), np.uint64(params.span[item, 1]))
                while v < stop:
                    hit = left[v] & params.of_item[item, v]
                    if hit != zero:
                        if only != zero or hit & (hit - one) != zero:
                            many = True
                            break
                        only = hit
                        word = v
                    v += one
                if many:
                    continue
                if only == zero:
                    return False
                if done[word] & only == zero:
                    done[word] |= only
                    work[np.uint64(end)] = ((top - word) << six) + lowest(only)
                    end += 1
    return True


@inlined
def available(params, option, states, row):  # type: ignore[no-untyped-def]
    """Whether a state has an option left."""
    word = params.words + params.conflict.shape[1] - 1 - (option >> 6)
    return states[row, word] >> np.uint64(option & 63) & np.uint64(1) != np.uint64(0)


@inlined
def placed(params, option, rows, row, size, scratch):  # type: ignore[no-untyped-def]
    """Rule out what an option rules out, and whatever follows; False if dead.

    Args:
        params: a CoverParams.
        option: it is available, and its items are covered already.
        rows: uint64, shape (any, words).
        row: the state.
        size: words of it for available options.
        scratch: working memory of :func:`propagate`.
    """
    base = params.words
    work = np.uint64(0)
    for w in range(size):
        work |= rows[row, base + w] & params.conflict[option, w]
    if work != np.uint64(0):
        scratch[params.queue] = np.uint64(option)
        return propagate(params, rows, row, base, size, scratch, params.queue, np.int64(1))
    return True


@inlined
def passed_by(params, option, rows, row):  # type: ignore[no-untyped-def]
    """Take out an option that is decided; then nothing of its level is left."""
    word = params.words + params.conflict.shape[1] - 1 - (option >> 6)
    rows[row, word] &= ~(np.uint64(1) << np.uint64(option & 63))


@inlined
def settled(params, level, rows, row):  # type: ignore[no-untyped-def]
    """Whether there is such a level, and its item is covered already."""
    if level >= params.bit.shape[0]:
        return False
    bit = params.bit[level]
    return bit >= 0 and rows[row, bit >> 6] >> np.uint64(bit & 63) & np.uint64(1) != np.uint64(0)


@inlined
def keep(params, level, rows, row):  # type: ignore[no-untyped-def]
    """Forget what no level after this one asks about."""
    for w in range(params.words):
        rows[row, w] &= params.keep[level, w]


@inlined
def _child(params, level, states, row, choice, children, slot, scratch):  # type: ignore[no-untyped-def]
    option = params.start[level] + choice
    if not available(params, option, states, row):
        return DEAD
    base = params.words
    size = states.shape[1] - base
    for w in range(base):
        children[slot, w] = (states[row, w] & params.keep[level, w]) | params.add[option, w]
    for w in range(size):
        children[slot, base + w] = states[row, base + w]
    if not placed(params, option, children, slot, size, scratch):
        return DEAD
    passed_by(params, option, children, slot)
    child_level = level + 1
    while settled(params, child_level, children, slot):
        keep(params, child_level, children, slot)
        child_level += 1
    return child_level


expand_by(CoverParams, _child)
