"""Numberlink in which no path may touch itself: the path spec with a memory of who stands where.

On top of the plugs (:mod:`.numberlink`) a state knows, for the last decided cell of every column,
to which path through the frontier it belongs, and which two of those paths have touched: they must
never become one. Paths are numbered by their first plug, from 1; cells that are empty, or on a path
that is finished, are 0, for nothing can happen to them any more.

A state is the plugs' words, then the words of the cells, then those of a triangle of bits.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numba import njit
from numba.extending import overload

from bddsudoku.engine.frontier.spec import Spec, Stamp, stamp, step
from bddsudoku.engine.specs.numberlink import PathParams, draw, path_spec, put, settle

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bddsudoku.engine.specs.planarity import Planarity

__all__ = ["NoTouchParams", "no_touch_spec"]


class NoTouchParams(NamedTuple):
    """Constants of the step: those of :class:`PathParams`, and the places of what is added.

    Attributes:
        cell_word: int64 (width,); word of a column's last cell.
        cell_shift: uint64 (width,); its lowest bit there.
        cell_mask: uint64; the bits of cell 0.
        touch_word: first word of the triangle; paths a > b > 0 have bit
            ``(a - 1) * (a - 2) / 2 + b - 1``.
    """

    stamp: Stamp
    base_stamp: Stamp
    width: int
    cover: int
    word: NDArray[np.int64]
    shift: NDArray[np.uint64]
    mask: np.uint64
    column: NDArray[np.int64]
    pick: NDArray[np.int64]
    own: NDArray[np.int64]
    right: NDArray[np.int64]
    below: NDArray[np.int64]
    planar: Planarity
    cell_word: NDArray[np.int64]
    cell_shift: NDArray[np.uint64]
    cell_mask: np.uint64
    touch_word: int


@njit(cache=True, nogil=True)
def _number(word, shift, mask, states, row, plugs, path, code):  # type: ignore[no-untyped-def]
    """Number the paths by their first plugs: ``path`` by plug, ``code`` (3 + pair or 0) by path.

    Returns:
        How many there are.
    """
    stack = np.empty(plugs, np.int64)
    depth = 0
    paths = 0
    for q in range(plugs):
        c = np.int64((states[row, word[q]] >> shift[q]) & mask)
        path[q] = 0
        if c == 2:
            depth -= 1
            path[q] = stack[depth]
        elif c:
            paths += 1
            path[q] = paths
            code[paths] = c if c >= 3 else 0
            if c == 1:
                stack[depth] = paths
                depth += 1
    return paths


@overload(step)
def _no_touch_step(params, level, states, row, choice, children, slot):  # type: ignore[no-untyped-def]
    if getattr(params, "instance_class", None) is not NoTouchParams:
        return None

    def no_touch_step(params, level, states, row, choice, children, slot):  # type: ignore[no-untyped-def]
        alive, to_below, to_right, at, code, joined = draw(params, level, states, row, choice)
        if not alive:
            return -1
        width = params.width
        j = params.column[level]
        plugs = width + 1
        one = np.uint64(1)
        zero = np.uint64(0)
        old = np.zeros(plugs, np.int64)
        codes = np.zeros(plugs + 2, np.int64)
        paths = _number(params.word, params.shift, params.mask, states, row, plugs, old, codes)
        # the path through this cell gets a number of its own; the paths it joins become it
        here = paths + 1
        left = old[j]
        up = old[j + 1]
        used = left != 0 or up != 0 or to_below != 0 or to_right != 0
        codes[here] = params.own[level]
        if left and codes[left]:
            codes[here] = codes[left]
        if up and codes[up]:
            codes[here] = codes[up]
        now = np.arange(paths + 2)
        if left:
            now[left] = here
        if up:
            now[up] = here
        if not used:
            now[here] = 0

        # who touches whom, by the new numbers
        touch = np.zeros((paths + 2, paths + 2), np.uint8)
        for a in range(2, paths + 1):
            for b in range(1, a):
                bit = (a - 1) * (a - 2) // 2 + b - 1
                if (states[row, params.touch_word + bit // 64] >> np.uint64(bit % 64)) & one:
                    touch[now[a], now[b]] = 1
        if used:
            above = np.int64(
                (states[row, params.cell_word[j]] >> params.cell_shift[j]) & params.cell_mask
            )
            if above and not up:
                touch[now[above], here] = 1
            if j and not left:
                before = np.int64(
                    (states[row, params.cell_word[j - 1]] >> params.cell_shift[j - 1])
                    & params.cell_mask
                )
                if before:
                    touch[now[before], here] = 1
        for a in range(1, paths + 2):
            for b in range(1, paths + 2):
                if touch[a, b] and (a == b or (codes[a] != 0 and codes[a] == codes[b])):
                    return -1

        # plugs of the child, and whose they are
        owner = np.empty(plugs, np.int64)
        for q in range(plugs):
            owner[q] = now[old[q]] if old[q] else 0
        owner[j] = here if to_below else 0
        owner[j + 1] = here if to_right else 0
        for w in range(children.shape[1]):
            children[slot, w] = states[row, w] if w < params.cell_word[0] else zero
        put(params, children, slot, j, to_below)
        put(params, children, slot, j + 1, to_right)
        if at >= 0:
            put(params, children, slot, at, code)

        renamed = np.zeros(paths + 2, np.int64)
        total = 0
        for q in range(plugs):
            if owner[q] and renamed[owner[q]] == 0:
                total += 1
                renamed[owner[q]] = total
        for c in range(width):
            mine = np.int64(
                (states[row, params.cell_word[c]] >> params.cell_shift[c]) & params.cell_mask
            )
            whose = now[mine]  # 0 stays 0
            if c == j:
                whose = here if used else 0
            children[slot, params.cell_word[c]] |= np.uint64(renamed[whose]) << params.cell_shift[c]
        for a in range(1, paths + 2):
            for b in range(1, paths + 2):
                x = max(renamed[a], renamed[b])
                y = min(renamed[a], renamed[b])
                # paths of different pairs never meet, so whether they touch is of no interest
                free = codes[a] == 0 or codes[b] == 0
                if touch[a, b] and y and free:
                    bit = (x - 1) * (x - 2) // 2 + y - 1
                    children[slot, params.touch_word + bit // 64] |= one << np.uint64(bit % 64)
        if not settle(params, children, slot, level + 1, joined):
            return -1
        return level + 1

    return no_touch_step


def no_touch_spec(
    width: int,
    height: int,
    pairs: Sequence[tuple[int, int]],
    *,
    cover: bool = False,
    symmetry: int = 0,
    planar: bool = True,
) -> Spec:
    """All ways to join the pairs by disjoint paths that do not touch themselves.

    Arguments and errors are those of :func:`bddsudoku.engine.specs.numberlink.path_spec`.
    """
    base = path_spec(width, height, pairs, cover=cover, symmetry=symmetry, planar=planar)
    given: PathParams = base.params
    columns = given.width
    bits = (columns + 1).bit_length()
    a_word = 64 // bits
    first = base.max_words
    cells = np.arange(columns)
    triangle = first + -(-columns // a_word)
    words = triangle + max(1, -(-(columns + 1) * columns // 2 // 64))
    fields = given._asdict()
    fields["base_stamp"] = fields.pop("stamp")
    params = NoTouchParams(
        stamp=stamp(__file__),
        **fields,
        cell_word=(first + cells // a_word).astype(np.int64),
        cell_shift=(cells % a_word * bits).astype(np.uint64),
        cell_mask=np.uint64((1 << bits) - 1),
        touch_word=triangle,
    )
    return Spec(
        params=params,
        labels=base.labels,
        first=base.first,
        choices=base.choices,
        words=np.full(base.levels, words, np.int32),
        root=np.zeros(words, np.uint64),
        root_level=base.root_level,
    )
