"""Exact cover as a spec of the frontier engine.

Levels are the items at which something can still be decided, in the item order; the choices at a
level are the options whose first item it is (TAOCP 7.2.2.1: branch on the first uncovered item).
A state is the set of covered items, cut down to the *frontier*: items that an option above and an
option below both touch. Frontier items are registers: each gets a bit when the first option that
touches it has been passed and returns it after the last, so that bits never have to be moved and
the number of words is as small as an interval graph allows. "At most one" items that are covered by
the same options as long as both are open share a register (:mod:`.facts`).

Every primary item must be covered by the level of its last option; a state that misses this is
dead. Look-ahead kills earlier: an uncovered item all of whose remaining options meet a covered
one.
"""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heappop, heappush
from typing import TYPE_CHECKING, Any

import numpy as np

from bddsudoku.engine.frontier.spec import DEAD, Spec
from bddsudoku.engine.specs.cover_step import CoverParams, propagate
from bddsudoku.engine.specs.facts import equal_facts
from bddsudoku.engine.specs.levels import Levels, levels_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bddsudoku.model import CoverArrays, Model

__all__ = [
    "CoverParams",
    "cover_levels",
    "cover_spec",
    "labels_of",
    "registers",
    "settled_spec",
]

_BYTES = 1 << 26
"""What may be gathered at a time, to find which options are in each other's way."""


def cover_spec(model: Model, order: Sequence[int] | None = None) -> Spec:
    """The exact covers of a model, as a spec.

    Args:
        model: a model under ``candidates`` or ``singles``.
        order: item numbers of ``model.cover()``, every primary item once ("at most one" items may
            be there; they are never branched on); by default ascending.

    Returns:
        A spec whose labels are the keys of all variables, sorted by first item, then position.

    Raises:
        ModelError: the order is none, or the model has settled constraints with variables.
    """
    cover = model.cover()
    levels = levels_of(model, order)
    labels = labels_of(model, levels)
    if cover.options == 0 or levels.uncoverable:
        return settled_spec(labels, not levels.uncoverable)
    return cover_levels(cover, labels, levels)


def labels_of(model: Model, levels: Levels) -> NDArray[np.int64]:
    """The keys of all variables, level by level."""
    keys = np.array([v.key for v in model.variables], np.int64).reshape(-1)
    return keys[levels.sequence]


def settled_spec(labels: NDArray[np.int64], accepted: bool) -> Spec:
    """The family of the empty set alone, or no family at all."""
    return Spec(
        params=_no_params(),
        labels=labels,
        first=np.array([0], np.int32),
        choices=(),
        words=np.zeros(0, np.int32),
        root=np.zeros(1, np.uint64),
        root_level=0 if accepted else DEAD,
    )


def cover_levels(
    cover: CoverArrays, labels: NDArray[np.int64], levels: Levels, more: int = 0
) -> Spec:
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


def _root(
    params: CoverParams, scratch: int, alone: NDArray[np.int64]
) -> tuple[NDArray[np.uint64], bool]:
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


def _no_params() -> CoverParams:
    """Parameters of a family that needs no step."""
    i, u = np.zeros(1, np.int32), np.zeros((0, 1), np.uint64)
    return CoverParams(1, i, u, u, i, 0, i.reshape(1, 1), u, u, u)


def registers(
    birth: NDArray[np.int64], last: NDArray[np.int64], levels: int
) -> tuple[NDArray[np.int64], int]:
    """A bit for every frontier item, lowest free bit first, and the words that holds them.

    An item lives on the levels ``birth + 1 … last``; at level ``last`` its bit may already be
    given to an item born there.
    """
    bit = [-1] * len(birth)
    born: list[list[int]] = [[] for _ in range(levels)]
    dying: list[list[int]] = [[] for _ in range(levels)]
    begin, end = birth.tolist(), last.tolist()
    for item in np.flatnonzero(birth < last).tolist():
        born[begin[item]].append(item)
        dying[end[item]].append(item)
    free: list[int] = []
    used = 0
    for level in range(levels):
        for item in dying[level]:
            heappush(free, bit[item])
        for item in born[level]:
            if free:
                bit[item] = heappop(free)
            else:
                bit[item] = used
                used += 1
    return np.array(bit, np.int64), max(1, (used + 63) // 64)


def _flip(words: NDArray[np.uint64], row: Any, bit: Any) -> None:
    """Flip single bits in rows of words."""
    place = row * words.shape[1] + (bit >> 6)
    np.bitwise_xor.at(words.reshape(-1), place, np.uint64(1) << (bit & 63).astype(np.uint64))


def _conflicts(of_item: NDArray[np.uint64], items: NDArray[Any], ends: Any) -> NDArray[np.uint64]:
    """For every option the options that share an item with it, itself included."""
    out = np.zeros((len(ends) - 1, of_item.shape[1]), np.uint64)
    span = max(1, _BYTES // (8 * of_item.shape[1] * max(1, int(np.diff(ends).max()))))
    some = np.flatnonzero(np.diff(ends))
    for lo in range(0, len(some), span):
        rows = some[lo : lo + span]
        begin, end = ends[rows[0]], ends[rows[-1] + 1]
        out[rows] = np.bitwise_or.reduceat(of_item[items[begin:end]], ends[rows] - begin, axis=0)
    return out
