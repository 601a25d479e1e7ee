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
from numba.extending import overload

from bddsudoku.engine.frontier.spec import expand
from bddsudoku.jit import kernel
from bddsudoku.jit.bits import trailing_zeros

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["CoverParams", "propagate"]


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


CoverParams.expands = True  # type: ignore[attr-defined]


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


@overload(expand)
def _expand_cover(  # type: ignore[no-untyped-def]
    params, level, states, lo, hi, choices, children, degree, rank, to, scratch
):
    if getattr(params, "instance_class", None) is not CoverParams:
        return None

    def expand_cover(params, level, states, lo, hi, choices, children, degree, rank, to, scratch):  # type: ignore[no-untyped-def]
        zero = np.uint64(0)
        one = np.uint64(1)
        keep = params.keep
        add = params.add
        conflict = params.conflict
        bits = params.bit
        levels = bits.shape[0]
        base = params.words
        size = states.shape[1] - base
        top = conflict.shape[1] - 1
        begin = params.start[level]
        queue = params.queue
        placed = np.int64(1)
        slot = np.int64(0)
        for row in range(lo, hi):
            before = slot
            for r in range(choices.shape[0]):
                option = begin + choices[r]
                at = base + top - (option >> 6)
                if states[row, at] >> np.uint64(option & 63) & one == zero:
                    continue
                for w in range(base):
                    children[slot, w] = (states[row, w] & keep[level, w]) | add[option, w]
                work = zero
                for w in range(size):
                    here = states[row, base + w]
                    children[slot, base + w] = here
                    work |= here & conflict[option, w]
                if work != zero:
                    scratch[queue] = np.uint64(option)
                    if not propagate(params, children, slot, base, size, scratch, queue, placed):
                        continue
                # nothing of this level is left but the option itself
                children[slot, at] ^= one << np.uint64(option & 63)
                child_level = level + 1
                while child_level < levels:
                    bit = bits[child_level]
                    if bit < 0:
                        break
                    if children[slot, bit >> 6] >> np.uint64(bit & 63) & one == zero:
                        break
                    for w in range(base):
                        children[slot, w] &= keep[child_level, w]
                    child_level += 1
                rank[slot] = r
                to[slot] = child_level
                slot += 1
            degree[row - lo] = slot - before
        return slot

    return expand_cover
