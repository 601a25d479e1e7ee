"""Numberlink in which no path may touch itself: the path spec with a memory of who stands where.

On top of the plugs (:mod:`.numberlink`) a state knows, for the last decided cell of every column,
to which path through the frontier it belongs, and which two of those paths have touched: they must
never become one. Paths are numbered by their first plug, from 1; cells that are empty, or on a path
that is finished, are 0, for nothing can happen to them any more.

A state is the plugs' words, then the words of the cells, then those of a triangle of bits.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from bddsudoku.engine.frontier.spec import DEAD, Spec, expand_by
from bddsudoku.engine.specs.cell_step import OWN
from bddsudoku.engine.specs.numberlink import path_spec
from bddsudoku.engine.specs.path_step import PathParams
from bddsudoku.engine.specs.verdicts import WORK, passed
from bddsudoku.engine.specs.wide import plug, wide_step
from bddsudoku.jit import inlined, part


class NoTouchParams(NamedTuple):
    """Constants of the step.

    Attributes:
        paths: those of the path spec's; its pairs keep their names.
        cell_bits: bits of a path's number.
        cell_word: first word of the cells.
        touch_word: first word of the triangle; paths a > b > 0 have bit
            ``(a - 1) * (a - 2) / 2 + b - 1``.
    """

    paths: PathParams
    cell_bits: int
    cell_word: int
    touch_word: int


@part
def _number(states, row, plugs, bits, path, code, stack):  # type: ignore[no-untyped-def]
    """Number the paths by their first plugs: ``path`` by plug, ``code`` (3 + pair or 0) by path.

    Returns:
        How many there are.
    """
    depth = 0
    paths = 0
    for q in range(plugs):
        c = plug(states, row, q, bits)
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


def _work(width: int) -> int:
    """Words of working memory: five lists by plug or path, and who touches whom."""
    return (width + 3) * (5 + width + 3)


@inlined
def cell(states, row, first, column, cell_bits):  # type: ignore[no-untyped-def]
    """Number of the path through the last decided cell of a column; 0: none of interest."""
    a_word = 64 // cell_bits
    shift = np.uint64(column % a_word * cell_bits)
    mask = (np.uint64(1) << np.uint64(cell_bits)) - np.uint64(1)
    return np.int64((states[row, first + column // a_word] >> shift) & mask)


@inlined
def _child(params, level, states, row, choice, children, slot, scratch):  # type: ignore[no-untyped-def]
    width = params.paths.width
    bits = params.paths.bits
    cell_bits = params.cell_bits
    cell_word = params.cell_word
    touch_word = params.touch_word
    info = params.paths.info[level]
    work = scratch[WORK:].view(np.int64)
    j = info & 255
    own = (info >> OWN) & 255
    # the plugs' words first, the others empty; what belongs to whom is found from both rows
    for w in range(children.shape[1]):
        children[slot, w] = np.uint64(0)
    alive, to_below, to_right, joined = wide_step(
        info, width, bits, states, row, choice, children, slot
    )
    if not alive:
        return DEAD
    plugs = width + 1
    one = np.uint64(1)
    most = plugs + 2
    old = work[:most]
    codes = work[most : 2 * most]
    now = work[2 * most : 3 * most]
    owner = work[3 * most : 4 * most]
    renamed = work[4 * most : 5 * most]
    touch = work[5 * most :]
    paths = _number(states, row, plugs, bits, old, codes, owner)
    for a in range(paths + 2):
        now[a] = a
        renamed[a] = 0
        for b in range(paths + 2):
            touch[a * most + b] = 0
    # the path through this cell gets a number of its own; the paths it joins become it
    here = paths + 1
    left = old[j]
    up = old[j + 1]
    used = left != 0 or up != 0 or to_below != 0 or to_right != 0
    codes[here] = own
    if left and codes[left]:
        codes[here] = codes[left]
    if up and codes[up]:
        codes[here] = codes[up]
    if left:
        now[left] = here
    if up:
        now[up] = here
    if not used:
        now[here] = 0

    # who touches whom, by the new numbers
    for a in range(2, paths + 1):
        for b in range(1, a):
            bit = (a - 1) * (a - 2) // 2 + b - 1
            if (states[row, touch_word + bit // 64] >> np.uint64(bit % 64)) & one:
                touch[now[a] * most + now[b]] = 1
    if used:
        above = cell(states, row, cell_word, j, cell_bits)
        if above and not up:
            touch[now[above] * most + here] = 1
        if j and not left:
            before = cell(states, row, cell_word, j - 1, cell_bits)
            if before:
                touch[now[before] * most + here] = 1
    for a in range(1, paths + 2):
        for b in range(1, paths + 2):
            if touch[a * most + b] and (a == b or (codes[a] != 0 and codes[a] == codes[b])):
                return DEAD

    # plugs of the child, and whose they are
    for q in range(plugs):
        owner[q] = now[old[q]] if old[q] else 0
    owner[j] = here if to_below else 0
    owner[j + 1] = here if to_right else 0
    total = 0
    for q in range(plugs):
        if owner[q] and renamed[owner[q]] == 0:
            total += 1
            renamed[owner[q]] = total
    for c in range(width):
        mine = cell(states, row, cell_word, c, cell_bits)
        whose = now[mine]  # 0 stays 0
        if c == j:
            whose = here if used else 0
        shift = np.uint64(c % (64 // cell_bits) * cell_bits)
        children[slot, cell_word + c // (64 // cell_bits)] |= np.uint64(renamed[whose]) << shift
    for a in range(1, paths + 2):
        for b in range(1, paths + 2):
            x = max(renamed[a], renamed[b])
            y = min(renamed[a], renamed[b])
            # paths of different pairs never meet, so whether they touch is of no interest
            free = codes[a] == 0 or codes[b] == 0
            if touch[a * most + b] and y and free:
                bit = (x - 1) * (x - 2) // 2 + y - 1
                children[slot, touch_word + bit // 64] |= one << np.uint64(bit % 64)
    return level + 1 if passed(params.paths, info, level, joined, children, slot, scratch) else DEAD


expand_by(NoTouchParams, _child)


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
    base = path_spec(
        width, height, pairs, cover=cover, symmetry=symmetry, planar=planar, aligned=True
    )
    columns = base.params.width
    bits = (columns + 1).bit_length()
    first = base.max_words
    triangle = first + -(-columns // (64 // bits))
    words = triangle + max(1, -(-(columns + 1) * columns // 2 // 64))
    return Spec(
        params=NoTouchParams(PathParams(*base.params), bits, first, triangle),
        labels=base.labels,
        first=base.first,
        choices=base.choices,
        words=np.full(base.levels, words, np.int32),
        root=np.zeros(words, np.uint64),
        root_level=base.root_level,
        scratch=base.scratch + _work(columns),
    )
