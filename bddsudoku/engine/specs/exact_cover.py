"""Exact cover as a spec of the frontier engine.

Levels are the items at which something can still be decided, in the item order; the choices at a
level are the options whose first item it is (TAOCP 7.2.2.1: branch on the first uncovered item).
A state is the set of covered items, cut down to the *frontier*: items that an option above and an
option below both touch. Frontier items are registers: each gets a bit when the first option that
touches it has been passed and returns it after the last, so that bits never have to be moved and
the number of words is as small as an interval graph allows.

Every primary item must be covered by the level of its last option; a state that misses this is
dead. Look-ahead kills earlier: an uncovered item all of whose remaining options meet a covered
one.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from bddsudoku.engine.frontier.spec import DEAD, Spec, Stamp, stamp
from bddsudoku.engine.specs.cover_step import CoverParams, propagate_all
from bddsudoku.errors import ModelError
from bddsudoku.jit import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bddsudoku.model import CoverArrays, Model

__all__ = ["CoverParams", "cover_spec"]


def _item_order(cover: CoverArrays, order: Sequence[int] | None) -> list[int]:
    """The order as a list of primary items, checked."""
    if order is None:
        return list(range(cover.primary))
    given = [int(item) for item in order]
    if len(set(given)) != len(given) or any(not 0 <= item < cover.items for item in given):
        raise ModelError("an item order names every item of the cover once")
    primary = [item for item in given if item < cover.primary]
    if len(primary) != cover.primary:
        raise ModelError(
            f"the item order leaves out {cover.primary - len(primary)} of {cover.primary} items"
        )
    return primary


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
    primary = _item_order(cover, order)
    rank = np.full(cover.items, cover.items, np.int64)
    rank[primary] = np.arange(len(primary))
    options = cover.options
    owner = np.repeat(np.arange(options), np.diff(cover.indptr))
    first = np.full(options, cover.items, np.int64)
    np.minimum.at(first, owner, rank[cover.indices])
    sequence = np.lexsort((np.arange(options), first))
    keys = np.array([v.key for v in model.variables], np.int64).reshape(-1)
    labels = keys[sequence]

    covered = np.zeros(cover.items, bool)
    covered[cover.indices] = True
    uncoverable = not covered[: cover.primary].all()
    if options == 0 or uncoverable:
        none = np.zeros(0, np.int32)
        return Spec(
            params=_no_params(),
            labels=labels,
            first=np.array([0], np.int32),
            choices=(),
            words=none,
            root=np.zeros(1, np.uint64),
            root_level=DEAD if uncoverable else 0,
        )

    # levels: items with a group of their own
    group_ranks, level_of_sorted = np.unique(first[sequence], return_inverse=True)
    levels = len(group_ranks)
    level_of = np.empty(options, np.int64)
    level_of[sequence] = level_of_sorted
    level_first = np.searchsorted(first[sequence], group_ranks).astype(np.int32)
    level_first = np.append(level_first, np.int32(options))
    level_item = [primary[r] for r in group_ranks]

    birth = np.full(cover.items, levels, np.int64)
    last = np.full(cover.items, -1, np.int64)
    np.minimum.at(birth, cover.indices, level_of[owner])
    np.maximum.at(last, cover.indices, level_of[owner])
    bit, width = _registers(birth, last, levels)

    sizes = np.diff(level_first).tolist()
    choices = tuple(tuple((k,) for k in range(size)) for size in sizes)
    add = np.zeros((options, width), np.uint64)
    keep = np.zeros((levels, width), np.uint64)
    option_words = (options + 63) // 64
    of_item = np.zeros((cover.items, option_words), np.uint64)
    conflict = np.zeros((options, option_words), np.uint64)
    first_item = np.zeros(options + 1, np.int32)
    items = np.zeros(len(cover.indices), np.int32)
    _masks(
        sequence, cover.indptr, cover.indices, cover.primary, level_of, birth, last, bit,
        add, keep, of_item, conflict, first_item, items,
    )  # fmt: skip
    own = np.array([bit[x] if birth[x] < i else -1 for i, x in enumerate(level_item)], np.int32)
    queue = 1 + cover.items + option_words
    full = of_item != 0
    span = np.stack([full.argmax(axis=1), option_words - full[:, ::-1].argmax(axis=1)], axis=1)
    params = CoverParams(
        _stamp(), width, level_first, add, keep, own, queue, span.astype(np.int32), of_item,
        conflict, first_item, items,
    )  # fmt: skip
    root = np.zeros((1, width + option_words), np.uint64)
    root[0, width:] = np.bitwise_or.reduce(of_item, axis=0)
    scratch = queue + len(items) + cover.primary + 1
    work = np.zeros(scratch, np.uint64)
    possible = propagate_all(params, cover.primary, root, work, queue)
    return Spec(
        params=params,
        labels=labels,
        first=level_first.astype(np.int32),
        choices=choices,
        words=(width + option_words - (level_first[:-1] >> 6)).astype(np.int32),
        key_words=width,
        root=root[0],
        root_level=0 if possible else DEAD,
        max_jump=1 if (own < 0).all() else levels,
        scratch=scratch,
    )


def _stamp() -> Stamp:
    return stamp(__file__, str(Path(__file__).with_name("cover_step.py")))


def _no_params() -> CoverParams:
    """Parameters of a family that needs no step."""
    i, u = np.zeros(1, np.int32), np.zeros((0, 1), np.uint64)
    return CoverParams(_stamp(), 1, i, u, u, i, 0, i.reshape(1, 1), u, u, i, i)


def _registers(
    birth: NDArray[np.int64], last: NDArray[np.int64], levels: int
) -> tuple[NDArray[np.int64], int]:
    """A bit for every frontier item, lowest free bit first, and the words that holds them.

    An item lives on the levels ``birth + 1 … last``; at level ``last`` its bit may already be
    given to an item born there.
    """
    bit = np.full(len(birth), -1, np.int64)
    born: list[list[int]] = [[] for _ in range(levels)]
    dying: list[list[int]] = [[] for _ in range(levels)]
    for item in np.flatnonzero(birth < last).tolist():
        born[birth[item]].append(item)
        dying[last[item]].append(item)
    free: list[int] = []
    used = 0
    for level in range(levels):
        free += [int(bit[item]) for item in dying[level]]
        free.sort(reverse=True)
        for item in born[level]:
            if free:
                bit[item] = free.pop()
            else:
                bit[item] = used
                used += 1
    return bit, max(1, (used + 63) // 64)


@kernel
def _masks(  # type: ignore[no-untyped-def]
    sequence,
    indptr,
    indices,
    primary,
    level_of,
    birth,
    last,
    bit,
    add,
    keep,
    of_item,
    conflict,
    first_item,
    items,
):
    """Fill the arrays of :class:`CoverParams`."""
    one = np.uint64(1)
    n = len(sequence)
    top = conflict.shape[1] - 1
    at = 0
    for k in range(n):
        option = sequence[k]
        for p in range(indptr[option], indptr[option + 1]):
            x = indices[p]
            of_item[x, top - (k >> 6)] |= one << np.uint64(k & 63)
            if bit[x] >= 0 and last[x] > level_of[option]:
                add[k, bit[x] >> 6] |= one << np.uint64(bit[x] & 63)
            if x < primary:
                items[at] = x
                at += 1
        first_item[k + 1] = at
    for k in range(n):
        option = sequence[k]
        for p in range(indptr[option], indptr[option + 1]):
            for w in range(conflict.shape[1]):  # (an array expression takes seconds to compile)
                conflict[k, w] |= of_item[indices[p], w]
        conflict[k, top - (k >> 6)] &= ~(one << np.uint64(k & 63))
    for x in range(len(birth)):
        for level in range(birth[x] + 1, last[x]):
            keep[level, bit[x] >> 6] |= one << np.uint64(bit[x] & 63)
