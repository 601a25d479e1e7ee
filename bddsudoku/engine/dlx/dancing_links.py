"""Dancing links on linked lists: exact cover search for problems of any size.

* The nodes of an option are listed twice in a row (``ring``), so that going around an option from
  any of its nodes is a loop of fixed length, without spacer nodes.
* An item for which a choice leaves one option is branched on next, without a scan for the minimum;
  an item without options ends the branch at once.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from bddsudoku.engine.dlx.dancing_cells import (
    DONE,
    ENTER,
    LEAVE,
    NONE,
    OWN,
    load_state,
    option_order,
    save_state,
)
from bddsudoku.jit import inlined, kernel
from bddsudoku.jit.decorators import I64
from bddsudoku.model.constraints import CoverArrays

FORCED_ITEM = OWN  # the first item for which the last choice left one option, or NONE


@inlined  # LLVM does not inline calls with so many arrays, which costs four fifths of the speed
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


@inlined
def _uncover(i, down, up, size, item, ring, first, width):  # type: ignore[no-untyped-def]
    """Restore the options of item ``i`` to all other items, the inverse of :func:`_cover`."""
    p = up[i]
    while p != i:
        start = first[p]
        for k in range(start + width[p], start, -1):
            q = ring[k - 1]
            down[up[q]] = q
            up[down[q]] = q
            size[item[q]] += np.uint32(1)
        p = up[p]


@kernel
def search_on_links(tables, state, out, ends, chunk, max_count, max_nodes, mrv):  # type: ignore[no-untyped-def]
    """Continue a search on linked lists until its end, a limit, a full buffer, or ``chunk`` steps.

    ``tables`` is the result of :func:`build_links`; the other arguments are those of
    :func:`.dancing_cells.search_on_bit_sets`. Links are uint32, so that numba emits no code for
    negative indices.
    """
    (
        primary, left, right, size, up, down, item, option, first, width, ring, choice, covered,
    ) = tables  # fmt: skip
    level, phase, count, nodes, updates = load_state(state)
    hint = np.uint32(state[FORCED_ITEM])
    used = 0
    found = 0
    record = len(ends) > 0
    stop = nodes + updates + chunk
    while phase != DONE and nodes + updates < stop and nodes < max_nodes and count < max_count:
        if phase == ENTER:
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
                phase = LEAVE
                continue
            best = right[0]
            if mrv:
                if hint != NONE:
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
                phase = LEAVE
                continue
            r = right[best]
            x = left[best]
            right[x] = r
            left[r] = x
            updates += _cover(best, down, up, size, item, ring, first, width)
            x = down[best]
        else:
            if level == 0:
                phase = DONE
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
            phase = LEAVE
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
        # Cover the option's other items; all of them are off the item list already, so that an
        # item on the list without options means a dead end.
        hint = NONE
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
                        hint = min(hint, j)
                        if s == 0:
                            dead = mrv
                updates += width[p]
                p = down[p]
            k += np.uint32(1)
        covered[level] = k - start
        level += 1
        phase = LEAVE if dead else ENTER
    save_state(state, level, phase, count, nodes, updates, used, found)
    state[FORCED_ITEM] = hint


def build_links(arrays: CoverArrays, seed: int | None) -> tuple[Any, ...]:
    """Build the linked lists: a header for each item, then a node for each entry of the matrix.

    Returns:
        ``primary, left, right, size, up, down, item, option, first, width, ring`` of
        :func:`search_on_links`, and its stacks ``choice`` and ``covered``.
        ``ring[first[p]:first[p] + width[p]]`` are the other nodes of p's option.
    """
    headers = arrays.items + 1
    order = option_order(arrays, seed)
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
    # Every item's circular list: its header, then its nodes in the order of options.
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
        np.zeros(arrays.primary + 1, dtype=np.uint32),
        np.zeros(arrays.primary + 1, dtype=np.uint32),
    )


def start_state() -> I64:
    """Make the search state of a new search on linked lists."""
    state = np.zeros(FORCED_ITEM + 1, dtype=np.int64)
    state[FORCED_ITEM] = NONE
    return state
