"""Dancing links: exact covers by search, on flat arrays (the project's independent oracle).

Knuth, TAOCP Vol. 4B, section 7.2.2.1, Algorithm X with primary and secondary items; the iterative
form of it. What is added to the book's program:

* the search state lives in arrays, so that it can stop between two nodes and go on later: a
  generator hands out covers as they are found, and limits and Ctrl-C are seen every few tenths
  of a second;
* the siblings of a node are written out twice in a row (``ring``), so that walking around an
  option is a loop of fixed length instead of a walk with spacers;
* an item whose last option but one vanishes is remembered, and branched on next without a scan
  for the minimum; an item whose last option vanishes ends the branch at once.

Nothing here is shared with the diagram engines.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from bddsudoku.errors import LimitReached
from bddsudoku.model.onehot import CoverArrays, Model

__all__ = ["CoverBatch", "DlxResult", "Search", "count", "cover_batches", "covers", "first"]

_CHUNK = 15_000_000
"""Link updates between two returns to Python: about 0.2 s."""
_BATCH = 1 << 18
"""Option numbers in the buffer through which covers are handed out."""

_ENTER, _LEAVE, _DONE = 0, 1, 2
"""Where the search goes on: go down from a new node, come back from a finished one, nowhere."""

# Fields of the search state, an int64 array.
_LEVEL, _PHASE, _COUNT, _NODES, _UPDATES, _HINT, _USED, _FOUND = range(8)


@dataclass(frozen=True, slots=True)
class DlxResult:
    """What a search has found.

    Attributes:
        count: covers found.
        exact: the search came to its end, so ``count`` is the number of all covers; False when a
            limit ended it first (then there are at least ``count``).
        nodes: options tried (nodes of the search tree without its root).
        updates: removals of a node from its item's list.
        seconds: wall-clock time of the search, without compiling the model's arrays.
    """

    count: int
    exact: bool
    nodes: int
    updates: int
    seconds: float


@dataclass(frozen=True, slots=True)
class CoverBatch:
    """Covers one after the other.

    Attributes:
        options: int32, option numbers, ascending within a cover.
        starts: int64, shape (covers + 1,); cover ``i`` is ``options[starts[i]:starts[i + 1]]``.
    """

    options: NDArray[np.int32]
    starts: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.starts) - 1

    def __iter__(self) -> Iterator[NDArray[np.int32]]:
        for i in range(len(self)):
            yield self.options[self.starts[i] : self.starts[i + 1]]


@njit(inline="always")  # LLVM leaves calls with so many arrays standing, at a fifth of the speed
def _cover(i, down, up, size, item, ring, first, width):  # type: ignore[no-untyped-def]
    """Hide the options of item ``i`` from all other items; return the number of removals."""
    updates = 0
    p = down[i]
    while p != i:
        start = first[p]
        for k in range(start, start + width[p]):
            q = ring[k]
            u = up[q]
            d = down[q]
            down[u] = d
            up[d] = u
            size[item[q]] -= np.uint32(1)
        updates += width[p]
        p = down[p]
    return updates


@njit(inline="always")
def _uncover(i, down, up, size, item, ring, first, width):  # type: ignore[no-untyped-def]
    """Undo :func:`_cover`, in reverse order."""
    p = up[i]
    while p != i:
        start = first[p]
        for k in range(start + width[p], start, -1):
            q = ring[k - 1]
            down[up[q]] = q
            up[down[q]] = q
            size[item[q]] += np.uint32(1)
        p = up[p]


@njit(cache=True, nogil=True)
def _run(  # type: ignore[no-untyped-def]
    primary, left, right, size, up, down, item, option, first, width, ring,
    choice, covered, state, out, ends, chunk, max_count, max_nodes, mrv,
):  # fmt: skip
    """Search on from ``state`` until the end, a limit, a full buffer, or ``chunk`` updates more.

    Links are uint32, so that numba emits no code for negative indices.
    """
    level = state[_LEVEL]
    phase = state[_PHASE]
    count = state[_COUNT]
    nodes = state[_NODES]
    updates = state[_UPDATES]
    hint = np.uint32(state[_HINT])  # an item that was left with one option, or 0
    used = 0
    found = 0
    record = len(ends) > 0
    stop = updates + chunk
    while phase != _DONE and updates < stop and nodes < max_nodes and count < max_count:
        if phase == _ENTER:
            if right[0] == 0:
                if record:
                    if found == len(ends) or used + level > len(out):
                        break
                    for k in range(level):
                        out[used + k] = option[choice[k]]
                    used += level
                    ends[found] = used
                    found += 1
                count += 1
                phase = _LEAVE
                continue
            best = right[0]
            if mrv:
                if hint != 0 and right[left[hint]] == hint and size[hint] == 1:
                    best = hint
                else:
                    least = size[best]
                    j = right[best]
                    while j != 0 and least > 1:
                        if size[j] < least:
                            least = size[j]
                            best = j
                        j = right[j]
            if size[best] == 0:
                phase = _LEAVE
                continue
            r = right[best]
            x = left[best]
            right[x] = r
            left[r] = x
            updates += _cover(best, down, up, size, item, ring, first, width)
            x = down[best]
        else:
            if level == 0:
                phase = _DONE
                break
            level -= 1
            x = choice[level]
            best = item[x]
            start = first[x]
            for k in range(start + covered[level], start, -1):
                _uncover(item[ring[k - 1]], down, up, size, item, ring, first, width)
            for k in range(start + width[x], start, -1):
                j = item[ring[k - 1]]
                if j <= primary:
                    right[left[j]] = j
                    left[right[j]] = j
            x = down[x]
        if x == best:  # no option of this item is left
            _uncover(best, down, up, size, item, ring, first, width)
            right[left[best]] = best
            left[right[best]] = best
            phase = _LEAVE
            continue
        nodes += 1
        choice[level] = x
        start = first[x]
        end = start + width[x]
        for k in range(start, end):
            j = item[ring[k]]
            if j <= primary:
                r = right[j]
                u = left[j]
                right[u] = r
                left[r] = u
        # Cover the option's other items, all of them taken off the item list already, so that an
        # item still on the list whose options are all gone means a dead end.
        hint = np.uint32(0)
        dead = False
        k = start
        while k < end and not dead:
            i = item[ring[k]]
            p = down[i]
            while p != i:
                for m in range(first[p], first[p] + width[p]):
                    q = ring[m]
                    u = up[q]
                    d = down[q]
                    down[u] = d
                    up[d] = u
                    j = item[q]
                    s = size[j] - np.uint32(1)
                    size[j] = s
                    if s <= 1 and j <= primary and right[left[j]] == j:
                        hint = j
                        if s == 0:
                            dead = mrv
                updates += width[p]
                p = down[p]
            k += np.uint32(1)
        covered[level] = k - start
        level += 1
        phase = _LEAVE if dead else _ENTER
    state[_LEVEL] = level
    state[_PHASE] = phase
    state[_COUNT] = count
    state[_NODES] = nodes
    state[_UPDATES] = updates
    state[_HINT] = hint
    state[_USED] = used
    state[_FOUND] = found


class Search:
    """A search that can be run a piece at a time.

    Args:
        model: a model under ``candidates`` or ``singles`` (or its arrays).
        seed: shuffles the order in which options are tried; None leaves it as given.
        mrv: branch on an item with the fewest options left (the first of them, except that
            items with a single option come in any order); otherwise on the first uncovered
            item, without looking ahead.

    Raises:
        ModelError: the model has variables that a total of 0 forbids (see :meth:`Model.cover`).
    """

    def __init__(
        self, model: Model | CoverArrays, *, seed: int | None = None, mrv: bool = True
    ) -> None:
        arrays = model.cover() if isinstance(model, Model) else model
        self._links = _link(arrays, seed)
        self._stacks = (
            np.zeros(arrays.primary + 1, dtype=np.uint32),
            np.zeros(arrays.primary + 1, dtype=np.uint32),
        )
        self._state = np.zeros(8, dtype=np.int64)
        self._depth = arrays.primary
        self._mrv = mrv
        size = self._links[3]
        if bool((size[1 : arrays.primary + 1] == 0).any()):
            self._state[_PHASE] = _DONE  # an item that no option covers
        self.seconds = 0.0

    @property
    def done(self) -> bool:
        """True when the whole tree has been searched."""
        return int(self._state[_PHASE]) == _DONE

    @property
    def result(self) -> DlxResult:
        """What has been found so far."""
        s = self._state
        return DlxResult(int(s[_COUNT]), self.done, int(s[_NODES]), int(s[_UPDATES]), self.seconds)

    def advance(self, max_count: int | None = None, max_nodes: int | None = None) -> None:
        """Count on for a few tenths of a second, or until one of the limits (totals) is met."""
        self._advance(np.zeros(0, np.int32), np.zeros(0, np.int64), max_count, max_nodes)

    def batch(self, max_count: int | None = None, max_nodes: int | None = None) -> CoverBatch:
        """Go on for a few tenths of a second or until the buffer is full; the covers found."""
        out = np.empty(max(_BATCH, self._depth), dtype=np.int32)
        ends = np.empty(_BATCH >> 2, dtype=np.int64)
        self._advance(out, ends, max_count, max_nodes)
        found = int(self._state[_FOUND])
        starts = np.concatenate([np.zeros(1, np.int64), ends[:found]])
        options = out[: int(self._state[_USED])]
        lengths = np.diff(starts)
        if found and (lengths == lengths[0]).all():
            options = np.sort(options.reshape(found, -1), axis=1).reshape(-1)
        else:
            options = options[np.lexsort((options, np.repeat(np.arange(found), lengths)))]
        return CoverBatch(options, starts)

    def _advance(
        self,
        out: NDArray[np.int32],
        ends: NDArray[np.int64],
        max_count: int | None,
        max_nodes: int | None,
    ) -> None:
        most = np.iinfo(np.int64).max
        begin = time.perf_counter()
        _run(  # type: ignore[call-arg]
            *self._links, *self._stacks, self._state, out, ends, _CHUNK,
            most if max_count is None else max_count,
            most if max_nodes is None else max_nodes,
            self._mrv,
        )  # fmt: skip
        self.seconds += time.perf_counter() - begin


def _link(arrays: CoverArrays, seed: int | None) -> tuple[Any, ...]:
    """The toroidal structure: headers ``0 … items``, then one node per entry of the matrix.

    Returns:
        ``primary, left, right, size, up, down, item, option, first, width, ring`` of
        :func:`_run`. ``ring[first[p]:first[p] + width[p]]`` are the other nodes of p's option.
    """
    headers = arrays.items + 1
    order = np.arange(arrays.options)
    if seed is not None:
        order = np.random.default_rng(seed).permutation(arrays.options)
    width = np.diff(arrays.indptr)[order]  # by position in the order of trial
    begin = np.zeros(len(order) + 1, dtype=np.int64)
    np.cumsum(width, out=begin[1:])
    nodes = int(begin[-1])
    place = np.repeat(np.arange(len(order)), width)  # of every node
    within = np.arange(nodes) - begin[place]
    items = arrays.indices[arrays.indptr[order[place]] + within].astype(np.int64) + 1

    item = np.concatenate([np.arange(headers), items])
    option = np.concatenate([np.zeros(headers, np.int64), order[place]])
    size = np.bincount(items, minlength=headers)
    # Every item's circle: its header, then its nodes in order of trial.
    circle = np.argsort(item, kind="stable")
    down = np.empty(headers + nodes, dtype=np.int64)
    ends = np.cumsum(np.bincount(item, minlength=headers))
    following = np.roll(circle, -1)
    following[ends - 1] = np.arange(headers)
    down[circle] = following
    up = np.empty_like(down)
    up[down] = np.arange(headers + nodes)

    span = width[place]
    first = np.concatenate([np.zeros(headers, np.int64), 2 * begin[place] + within + 1])
    others = np.concatenate([np.zeros(headers, np.int64), span - 1])
    ring = np.empty(2 * nodes, dtype=np.int64)
    ring[2 * begin[place] + within] = headers + np.arange(nodes)
    ring[2 * begin[place] + within + span] = headers + np.arange(nodes)

    left = np.arange(-1, arrays.primary, dtype=np.int64)
    left[0] = arrays.primary
    right = np.arange(1, arrays.primary + 2, dtype=np.int64)
    right[-1] = 0
    return (
        arrays.primary,
        *(a.astype(np.uint32) for a in (left, right, size)),
        *(a.astype(np.uint32) for a in (up, down, item)),
        option.astype(np.int32),
        *(a.astype(np.uint32) for a in (first, others, ring)),
    )


def count(
    model: Model | CoverArrays,
    *,
    seed: int | None = None,
    mrv: bool = True,
    limit: int | None = None,
    node_limit: int | None = None,
    time_limit: float | None = None,
    progress: Callable[[DlxResult], None] | None = None,
) -> DlxResult:
    """Count the exact covers by visiting every one of them.

    Args:
        model: a model under ``candidates`` or ``singles``, or its arrays.
        seed: shuffles the order of options (the count does not depend on it).
        mrv: see :class:`Search`.
        limit: stop at so many covers.
        node_limit: stop at so many search nodes.
        time_limit: stop after so many seconds (looked at every few tenths of a second).
        progress: called with the result so far, every few tenths of a second.

    Returns:
        The result; ``exact`` is False when a limit ended the search.
    """
    search = Search(model, seed=seed, mrv=mrv)
    while not search.done:
        search.advance(limit, node_limit)
        result = search.result
        if progress is not None:
            progress(result)
        if _limit_met(result, limit, node_limit, time_limit):
            break
    return search.result


def cover_batches(
    model: Model | CoverArrays,
    *,
    seed: int | None = None,
    mrv: bool = True,
    limit: int | None = None,
    node_limit: int | None = None,
    time_limit: float | None = None,
) -> Iterator[CoverBatch]:
    """The exact covers, many at a time, as they are found.

    Raises:
        LimitReached: ``node_limit`` or ``time_limit`` ended the search before its end and before
            ``limit`` covers; what was found has been handed out by then.
    """
    search = Search(model, seed=seed, mrv=mrv)
    while not search.done:
        batch = search.batch(limit, node_limit)
        if len(batch):
            yield batch
        met = _limit_met(search.result, limit, node_limit, time_limit)
        if met == "covers":
            return
        if met:
            raise LimitReached(
                f"dancing links: {met} limit reached after {search.result.nodes} nodes and "
                f"{search.result.count} covers",
                limit=met,
                trace=search.result,
            )


def _limit_met(
    result: DlxResult, limit: int | None, node_limit: int | None, time_limit: float | None
) -> str | None:
    """Which limit an unfinished search has met, if any."""
    if result.exact:
        return None
    if limit is not None and result.count >= limit:
        return "covers"
    if node_limit is not None and result.nodes >= node_limit:
        return "nodes"
    if time_limit is not None and result.seconds >= time_limit:
        return "time"
    return None


def covers(
    model: Model | CoverArrays,
    *,
    limit: int | None = None,
    seed: int | None = None,
    mrv: bool = True,
    node_limit: int | None = None,
    time_limit: float | None = None,
) -> Iterator[NDArray[np.int32]]:
    """The exact covers one by one, each as its ascending option numbers.

    An option number is a position in :attr:`Model.variables`; what :attr:`Model.fixed` holds is
    part of every solution and not repeated here. Covers come in the order of the search.

    Raises:
        LimitReached: as in :func:`cover_batches`.
    """
    for batch in cover_batches(
        model, seed=seed, mrv=mrv, limit=limit, node_limit=node_limit, time_limit=time_limit
    ):
        yield from batch


def first(
    model: Model | CoverArrays,
    *,
    seed: int | None = None,
    mrv: bool = True,
    node_limit: int | None = None,
    time_limit: float | None = None,
) -> NDArray[np.int32] | None:
    """One exact cover, or None when there is none.

    Raises:
        LimitReached: the search ended at a limit without an answer.
    """
    found = covers(model, limit=1, seed=seed, mrv=mrv, node_limit=node_limit, time_limit=time_limit)
    return next(found, None)
