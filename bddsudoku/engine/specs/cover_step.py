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
from bddsudoku.jit.bits import trailing_zeros

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
        first: int32 (options + 1,) and
        items: int32; the exact items of an option.
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
    first: NDArray[np.int32]
    items: NDArray[np.int32]


@kernel
def propagate(params, rows, row, base, size, work, queue, count):  # type: ignore[no-untyped-def]
    """Rule out what the queued options rule out, and whatever follows; False if dead.

    Args:
        params: a CoverParams.
        rows: ``rows[row, base : base + size]`` is the set of available options.
        row: see rows.
        base: see rows.
        size: words of it in use.
        work: uint64; working memory, zero when first used: the serial number of the last option
            placed, for every item the serial when it was last looked at, the options ruled out
            (as many words as an option set has), the queue.
        queue: where the queue begins; room for every item of every option.
        count: options in the queue.
    """
    zero = np.uint64(0)
    one = np.uint64(1)
    top = params.conflict.shape[1] - 1
    gone_at = queue - top - 1
    end = queue + count
    at = queue
    while at < end:
        option = np.int64(work[at])
        at += 1
        some = zero
        for w in range(size):
            gone = rows[row, base + w] & params.conflict[option, w]
            rows[row, base + w] ^= gone
            work[gone_at + w] = gone
            some |= gone
        if some == zero:
            continue
        work[0] += one
        serial = work[0]
        for w in range(size):
            gone = work[gone_at + w]
            while gone != zero:
                lost = (top - w) * 64 + trailing_zeros(gone)
                gone &= gone - one
                for e in range(params.first[lost], params.first[lost + 1]):
                    item = params.items[e]
                    if work[1 + item] == serial:
                        continue
                    work[1 + item] = serial
                    # the last option left of this item, if there is one only
                    only = zero
                    word = -1
                    many = False
                    for v in range(params.span[item, 0], min(size, params.span[item, 1])):
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
                        work[end] = np.uint64(last)
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
