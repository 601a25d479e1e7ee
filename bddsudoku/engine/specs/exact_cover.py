"""Exact cover as a spec: DESIGN 4.2.

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
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numba import njit
from numba.extending import overload

from bddsudoku.engine.frontier.spec import DEAD, Spec, Stamp, stamp, step
from bddsudoku.errors import ModelError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bddsudoku.model import CoverArrays, Model

__all__ = ["CoverParams", "cover_spec"]


class CoverParams(NamedTuple):
    """Constants of the step. An option here is a *choice*: ``start[level] + choice``.

    Attributes:
        stamp: see :func:`bddsudoku.engine.frontier.spec.stamp`.
        start: int32 (levels + 1,); choices of a level.
        test: uint64 (choices, words); frontier items of the option: all must be uncovered.
        add: uint64 (choices, words); items of the option that the next level still asks about.
        must: uint64 (levels, words); items that must be covered once the level is passed.
        keep: uint64 (levels, words); bits that stay when the level is passed.
        bit: int32 (levels,); bit of the level's own item, -1 if nothing above can cover it.
        look: int32 (choices + 1,); look-ahead entries of a choice.
        entry: int32 (entries,); which item test.
        tests: int32 (item tests + 1,); the masks of an item test.
        mask: uint64 (masks, words); the first mask of a test is the item's own bit (once covered,
            it needs nothing), the others those of its options, one of which must be disjoint.
    """

    stamp: Stamp
    start: NDArray[np.int32]
    test: NDArray[np.uint64]
    add: NDArray[np.uint64]
    must: NDArray[np.uint64]
    keep: NDArray[np.uint64]
    bit: NDArray[np.int32]
    look: NDArray[np.int32]
    entry: NDArray[np.int32]
    tests: NDArray[np.int32]
    mask: NDArray[np.uint64]


@overload(step)
def _cover_step(params, level, states, row, choice, children, slot):  # type: ignore[no-untyped-def]
    if getattr(params, "instance_class", None) is not CoverParams:
        return None

    def cover_step(params, level, states, row, choice, children, slot):  # type: ignore[no-untyped-def]
        words = children.shape[1]
        stored = states.shape[1]
        option = params.start[level] + choice
        zero = np.uint64(0)
        for w in range(words):
            state = states[row, w] if w < stored else zero
            test = params.test[option, w]
            must = params.must[level, w]
            if (state & test) != zero or ((state | test) & must) != must:
                return -1
            children[slot, w] = (state & params.keep[level, w]) | params.add[option, w]
        for e in range(params.look[option], params.look[option + 1]):
            t = params.entry[e]
            begin = params.tests[t]
            own = zero
            for w in range(words):
                own |= children[slot, w] & params.mask[begin, w]
            if own != zero:
                continue
            alive = False
            for m in range(begin + 1, params.tests[t + 1]):
                hit = zero
                for w in range(words):
                    hit |= children[slot, w] & params.mask[m, w]
                if hit == zero:
                    alive = True
                    break
            if not alive:
                return -1
        level += 1
        levels = params.bit.shape[0]
        while level < levels:
            bit = params.bit[level]
            if bit < 0:
                break
            if children[slot, bit >> 6] & (np.uint64(1) << np.uint64(bit & 63)) == zero:
                break
            for w in range(words):
                must = params.must[level, w]
                # the level's own item is covered, and so is whatever must be
                if children[slot, w] & must != must:
                    return -1
                children[slot, w] &= params.keep[level, w]
            level += 1
        return level

    return cover_step


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


def cover_spec(model: Model, order: Sequence[int] | None = None, *, look_ahead: int = 9) -> Spec:
    """The exact covers of a model, as a spec.

    Args:
        model: a model under ``candidates`` or ``singles``.
        order: item numbers of ``model.cover()``, every primary item once ("at most one" items may
            be there; they are never branched on); by default ascending.
        look_ahead: test the items that have at most this many options left; 0 for none.

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
    bit, words = _registers(birth, last, levels)
    width = max(words)

    # choices: the options that cover whatever only their own group can cover
    must_here = np.bincount(
        birth[: cover.primary][birth[: cover.primary] == last[: cover.primary]], minlength=levels
    )
    single = (birth == last) & (np.arange(cover.items) < cover.primary)
    covers_here = np.bincount(owner, weights=single[cover.indices], minlength=options).astype(int)
    valid = covers_here == must_here[level_of]
    chosen = sequence[valid[sequence]]
    start = np.searchsorted(level_of[chosen], np.arange(levels + 1)).astype(np.int32)
    offsets = np.flatnonzero(valid[sequence]) - level_first[level_of[chosen]]
    choices = tuple(
        tuple((int(o),) for o in offsets[start[i] : start[i + 1]]) for i in range(levels)
    )

    test = np.zeros((len(chosen), width), np.uint64)
    add = np.zeros((len(chosen), width), np.uint64)
    must = np.zeros((levels, width), np.uint64)
    keep = np.zeros((levels, width), np.uint64)
    _masks(
        chosen,
        level_of,
        cover.indptr,
        cover.indices,
        birth,
        last,
        bit,
        cover.primary,
        np.array(level_item, np.int64),
        test,
        add,
        must,
        keep,
    )
    own = np.array([bit[x] if birth[x] < i else -1 for i, x in enumerate(level_item)], np.int32)
    by_item = np.argsort(cover.indices, kind="stable")
    item_ptr = np.searchsorted(cover.indices[by_item], np.arange(cover.items + 1))
    look, entry, tests, mask = _look_ahead(
        chosen,
        level_of,
        cover.indptr,
        cover.indices,
        item_ptr,
        owner[by_item],
        birth,
        bit,
        cover.primary,
        width,
        look_ahead,
    )
    params = CoverParams(
        stamp(__file__), start, test, add, must, keep, own, look, entry, tests, mask
    )
    return Spec(
        params=params,
        labels=labels,
        first=level_first.astype(np.int32),
        choices=choices,
        words=np.array(words, np.int32),
        root=np.zeros(width, np.uint64),
        root_level=0,
        max_jump=1 if (own < 0).all() else levels,
    )


def _no_params() -> CoverParams:
    """Parameters of a family that needs no step."""
    i, u = np.zeros(1, np.int32), np.zeros((0, 1), np.uint64)
    return CoverParams(stamp(__file__), i, u, u, u, u, i[:0], i, i[:0], i, u)


def _registers(
    birth: NDArray[np.int64], last: NDArray[np.int64], levels: int
) -> tuple[NDArray[np.int64], list[int]]:
    """A bit for every frontier item, lowest free bit first, and the words of every level.

    An item lives on the levels ``birth + 1 … last``; at level ``last`` its bit may already be
    given to an item born there, as the step tests before it adds.
    """
    bit = np.full(len(birth), -1, np.int64)
    born: list[list[int]] = [[] for _ in range(levels)]
    dying: list[list[int]] = [[] for _ in range(levels)]
    for item in np.flatnonzero(birth < last).tolist():
        born[birth[item]].append(item)
        dying[last[item]].append(item)
    free: list[int] = []
    used = 0
    live: set[int] = set()
    words = []
    for level in range(levels):
        words.append((max(live, default=0) >> 6) + 1)
        for item in dying[level]:
            free.append(int(bit[item]))
            live.discard(int(bit[item]))
        free.sort(reverse=True)
        for item in born[level]:
            if free:
                bit[item] = free.pop()
            else:
                bit[item] = used
                used += 1
            live.add(int(bit[item]))
    return bit, words


@njit(cache=True)
def _masks(  # type: ignore[no-untyped-def]
    chosen, level_of, indptr, indices, birth, last, bit, primary, level_item, test, add, must, keep
):
    """Fill the masks of :class:`CoverParams`."""
    one = np.uint64(1)
    for k in range(len(chosen)):
        option = chosen[k]
        level = level_of[option]
        for p in range(indptr[option], indptr[option + 1]):
            x = indices[p]
            if bit[x] < 0:
                continue
            m = one << np.uint64(bit[x] & 63)
            if birth[x] < level:
                test[k, bit[x] >> 6] |= m
            if last[x] > level:
                add[k, bit[x] >> 6] |= m
    for x in range(len(birth)):
        if bit[x] < 0:
            continue
        m = one << np.uint64(bit[x] & 63)
        for level in range(birth[x] + 1, last[x]):
            keep[level, bit[x] >> 6] |= m
        if x < primary and x != level_item[last[x]]:
            must[last[x], bit[x] >> 6] |= m


@njit(cache=True)
def _look_ahead(  # type: ignore[no-untyped-def]
    chosen, level_of, indptr, indices, item_ptr, item_options, birth, bit, primary, width, most
):
    """Item tests: for every choice the uncovered items that it may have robbed of all options."""
    items = len(birth)
    seen = np.full(items, -1, np.int64)
    test_of = np.full(items, -1, np.int64)
    test_level = np.full(items, -1, np.int64)
    look = np.zeros(len(chosen) + 1, np.int32)
    entry = np.empty(1024, np.int32)
    entries = 0
    tests = np.zeros(1024, np.int32)
    n_tests = 0
    mask = np.zeros((1024, width), np.uint64)
    masks = 0
    one = np.uint64(1)
    for k in range(len(chosen)):
        option = chosen[k]
        level = level_of[option]
        for p in range(indptr[option], indptr[option + 1]):
            seen[indices[p]] = k
        for p in range(indptr[option], indptr[option + 1]):
            y = indices[p]
            for q in range(item_ptr[y], item_ptr[y + 1]):
                other = item_options[q]
                if level_of[other] < level:
                    continue
                for r in range(indptr[other], indptr[other + 1]):
                    x = indices[r]
                    if x >= primary or seen[x] == k:
                        continue
                    seen[x] = k
                    if test_level[x] != level:
                        # the masks of item x as seen from level + 1, shared by all choices here
                        test_level[x] = level
                        test_of[x] = -1
                        left = 0
                        sure = False
                        for s in range(item_ptr[x], item_ptr[x + 1]):
                            if level_of[item_options[s]] > level:
                                left += 1
                        if left == 0 or left > most:
                            continue
                        if masks + left + 1 > len(mask):
                            grown = np.zeros((2 * len(mask) + left, width), np.uint64)
                            grown[:masks] = mask[:masks]
                            mask = grown
                        begin = masks
                        mask[masks] = 0
                        if bit[x] >= 0 and birth[x] <= level:
                            mask[masks, bit[x] >> 6] = one << np.uint64(bit[x] & 63)
                        masks += 1
                        for s in range(item_ptr[x], item_ptr[x + 1]):
                            o = item_options[s]
                            if level_of[o] <= level:
                                continue
                            mask[masks] = 0
                            some = False
                            for t in range(indptr[o], indptr[o + 1]):
                                z = indices[t]
                                if z != x and bit[z] >= 0 and birth[z] <= level:
                                    mask[masks, bit[z] >> 6] |= one << np.uint64(bit[z] & 63)
                                    some = True
                            masks += 1
                            if not some:
                                sure = True
                                break
                        if sure:
                            masks = begin
                            continue
                        if n_tests + 2 > len(tests):
                            more = np.zeros(2 * len(tests), np.int32)
                            more[: len(tests)] = tests
                            tests = more
                        test_of[x] = n_tests
                        n_tests += 1
                        tests[n_tests] = masks
                    if test_of[x] >= 0:
                        if entries == len(entry):
                            longer = np.empty(2 * entries, np.int32)
                            longer[:entries] = entry
                            entry = longer
                        entry[entries] = test_of[x]
                        entries += 1
        look[k + 1] = entries
    return look, entry[:entries].copy(), tests[: n_tests + 1].copy(), mask[:masks].copy()
