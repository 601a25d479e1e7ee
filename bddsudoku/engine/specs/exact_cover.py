"""Exact cover, the greater part of a spec (:mod:`.product`): what is covered, what follows.

Levels are the items at which something can still be decided, in the item order; the choices at a
level are the options whose first item it is (TAOCP 7.2.2.1: branch on the first uncovered item).
A state is the set of covered items, cut down to the *frontier*: items that an option above and an
option below both touch. Frontier items are registers: each gets a bit when the first option that
touches it has been passed and returns it after the last, so that bits never have to be moved and
the number of words is as small as an interval graph allows. "At most one" items that are covered by
the same options as long as both are open share a register (:func:`.levels.equal_facts`).

Every primary item must be covered by the level of its last option; a state that misses this is
dead. Look-ahead kills earlier: an uncovered item all of whose remaining options meet a covered
one.

Unit propagation as look-ahead.

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

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from bddsudoku.engine.frontier.spec import DEAD, Spec
from bddsudoku.engine.specs.levels import Levels, equal_facts, registers
from bddsudoku.jit import inlined, kernel
from bddsudoku.jit.decorators import I32, I64, U64, AnyArray, lowest

if TYPE_CHECKING:
    from bddsudoku.model import CoverArrays, Model


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
    start: I32
    add: U64
    keep: U64
    bit: I32
    queue: int
    span: I32
    of_item: U64
    conflict: U64
    touch: U64


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


_BYTES = 1 << 26
"""What may be gathered at a time, to find which options are in each other's way."""


def labels_of(model: Model, levels: Levels) -> I64:
    """The keys of all variables, level by level."""
    keys = np.array([v.key for v in model.variables], np.int64).reshape(-1)
    return keys[levels.sequence]


def settled_spec(labels: I64, accepted: bool) -> Spec:
    """The family of the empty set alone, or no family at all."""
    return Spec(
        params=(),
        labels=labels,
        first=np.array([0], np.int32),
        choices=(),
        words=np.zeros(0, np.int32),
        root=np.zeros(1, np.uint64),
        root_level=0 if accepted else DEAD,
    )


def cover_levels(cover: CoverArrays, labels: I64, levels: Levels, more: int = 0) -> Spec:
    """The covers of the one-hot part of a model, over given levels.

    Args:
        cover: at least one option.
        labels: from :func:`labels_of`.
        levels: every item has an option there.
        more: words of a state's key behind those of items.
    """
    count = len(levels)
    options = cover.options
    owner = np.repeat(np.arange(options), np.diff(cover.indptr))
    birth = np.full(cover.items, count, np.int64)
    last = np.full(cover.items, -1, np.int64)
    np.minimum.at(birth, cover.indices, levels.level_of[owner])
    np.maximum.at(last, cover.indices, levels.level_of[owner])
    # option k of the level order touches the items x[ends[k]:ends[k + 1]]
    lengths = np.diff(cover.indptr)[levels.sequence]
    ends = np.concatenate([[0], np.cumsum(lengths)])
    k = np.repeat(np.arange(options), lengths)
    starts = cover.indptr[levels.sequence] - ends[:-1]
    x = cover.indices[np.arange(len(k)) + np.repeat(starts, lengths)]
    level = levels.level_of[levels.sequence][k]
    # Exact items hardly ever say the same: their options are in each other's way elsewhere, too.
    loose = x >= cover.primary
    holder = equal_facts(x[loose], k[loose], level[loose], cover.items)
    bit, width = registers(np.where(holder == np.arange(cover.items), birth, last), last, count)
    bit = bit[holder]
    width += more
    add = np.zeros((options, width), np.uint64)
    asked = (last[x] > level) & (holder[x] == x)
    _flip(add, k[asked], bit[x[asked]])
    # a register is kept on the levels between birth and last of the item that has it
    living = np.flatnonzero((birth < last) & (holder == np.arange(cover.items)))
    turns = np.zeros((count, width), np.uint64)
    _flip(turns, birth[living] + 1, bit[living])
    _flip(turns, last[living], bit[living])
    keep = np.bitwise_xor.accumulate(turns, axis=0)
    keep[:, width - more :] = ~np.uint64(0)
    option_words = (options + 63) // 64
    of_item = np.zeros((cover.items, option_words), np.uint64)
    _flip(of_item, x, 64 * option_words - 64 - (k & ~63) + (k & 63))
    conflict = _conflicts(of_item, x, ends)
    conflict[np.arange(options), option_words - 1 - (np.arange(options) >> 6)] &= ~(
        np.uint64(1) << (np.arange(options) & 63).astype(np.uint64)
    )
    exact = x < cover.primary
    own = np.array(
        [bit[i] if i >= 0 and birth[i] < at else -1 for at, i in enumerate(levels.item.tolist())],
        np.int32,
    )
    full = of_item != 0
    span = np.stack([full.argmax(axis=1), option_words - full[:, ::-1].argmax(axis=1)], axis=1)
    touch = np.zeros((options, -(-cover.primary // 256) * 4), np.uint64)
    _flip(touch, k[exact], x[exact])
    queue = touch.shape[1] + option_words
    params = CoverParams(
        width, levels.first, add, keep, own, queue, span.astype(np.int32), of_item, conflict,
        touch,
    )  # fmt: skip
    scratch = queue + options + cover.primary + 1
    number = np.bincount(x[exact], minlength=cover.primary)
    root, possible = _root(params, scratch, k[exact][number[x[exact]] == 1])
    return Spec(
        params=params,
        labels=labels,
        first=levels.first,
        choices=tuple(tuple((k,) for k in range(size)) for size in np.diff(levels.first).tolist()),
        words=(width + option_words - (levels.first[:-1] >> 6)).astype(np.int32),
        key_words=width,
        root=root,
        root_level=0 if possible else DEAD,
        max_jump=1 if (own < 0).all() else count,
        scratch=scratch,
    )


def _root(params: CoverParams, scratch: int, alone: I64) -> tuple[U64, bool]:
    """The root, and whether there may be a cover.

    Args:
        params: of the step.
        scratch: words of its working memory.
        alone: options that some item has no other than; they are placed.
    """
    options, words = params.conflict.shape
    root = np.zeros((1, params.words + words), np.uint64)
    every = np.arange(options)
    _flip(root, 0 * every, 64 * (params.words + words - 1) - (every & ~63) + (every & 63))
    if not len(alone):
        return root[0], True
    work = np.zeros(scratch, np.uint64)
    work[params.queue : params.queue + len(alone)] = alone
    possible = propagate(params, root, 0, params.words, words, work, params.queue, len(alone))
    return root[0], bool(possible)


def _flip(words: U64, row: Any, bit: Any) -> None:
    """Flip single bits in rows of words."""
    place = row * words.shape[1] + (bit >> 6)
    np.bitwise_xor.at(words.reshape(-1), place, np.uint64(1) << (bit & 63).astype(np.uint64))


def _conflicts(of_item: U64, items: AnyArray, ends: Any) -> U64:
    """For every option the options that share an item with it, itself included."""
    out = np.zeros((len(ends) - 1, of_item.shape[1]), np.uint64)
    span = max(1, _BYTES // (8 * of_item.shape[1] * max(1, int(np.diff(ends).max()))))
    some = np.flatnonzero(np.diff(ends))
    for lo in range(0, len(some), span):
        rows = some[lo : lo + span]
        begin, end = ends[rows[0]], ends[rows[-1] + 1]
        out[rows] = np.bitwise_or.reduceat(of_item[items[begin:end]], ends[rows] - begin, axis=0)
    return out
