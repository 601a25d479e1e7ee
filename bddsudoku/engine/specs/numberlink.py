"""Numberlink as a spec: vertex-disjoint paths between given pairs of cells (DESIGN 4.5).

A level is a cell, row by row; its block holds the edge to the right and the edge down. A state is
the frontier between decided and undecided cells: for every edge that crosses it a *plug*, left to
right, which is nothing, a loose end that belongs to another loose end, or a loose end of a pair's
path. The decided cells are planar, so loose ends that belong together nest like parentheses
(Simpath of TAOCP 7.1.4 with the mate array written as brackets): a plug is 0, ``(``, ``)`` or
3 + pair, in as many bits as that needs.

Pruning (besides dead ends seen one cell ahead) is by :mod:`.planarity`: whether the loose ends
can still be joined below without crossing. Parity needs no test at all states: under ``cover`` the
chessboard colours of a path's ends decide how many more black than white cells it covers, so the
sum over the pairs must be that of the board; what has been decided always keeps this balance,
therefore :func:`path_spec` asks once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numba import njit
from numba.extending import overload

from bddsudoku.engine.frontier.spec import DEAD, Spec, Stamp, stamp, step
from bddsudoku.engine.specs.planarity import Planarity, joinable, planarity
from bddsudoku.errors import ModelError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["PathParams", "edge_labels", "path_spec", "placed", "unbalanced"]

_OPEN, _CLOSE, _PAIR = 1, 2, 3
Pairs = Sequence[tuple[int, int]]


class PathParams(NamedTuple):
    """Constants of the step.

    Attributes:
        stamp: see :func:`bddsudoku.engine.frontier.spec.stamp`.
        width: cells in a row; a state has ``width + 1`` plugs: before cell (i, j), those leaving
            row i downwards for columns below j, the one entering the cell from the left, and
            those entering row i from above for columns from j on.
        cover: 1 if every cell must be used.
        word: int64 (width + 1,); word of a plug.
        shift: uint64 (width + 1,); its lowest bit there.
        mask: uint64; the bits of plug 0.
        column: int64 (levels,); the cell's column.
        pick: int64 (levels, 4); what a choice draws: 1 right, 2 down, 3 both, 0 neither.
        own: int64 (levels,); code of the cell's terminal, 0 if it has none.
        right: int64 (levels,); code of the terminal in the next cell to the right.
        below: int64 (levels,); code of the terminal in the cell below.
        planar: tables of :mod:`.planarity`.
    """

    stamp: Stamp
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


@njit(cache=True, nogil=True, inline="always")
def plug(params, states, row, q):  # type: ignore[no-untyped-def]
    """Plug ``q`` of a state."""
    return np.int64((states[row, params.word[q]] >> params.shift[q]) & params.mask)


@njit(cache=True, nogil=True, inline="always")
def put(params, states, row, q, value):  # type: ignore[no-untyped-def]
    """Write plug ``q`` of a state."""
    w = params.word[q]
    kept = states[row, w] & ~(params.mask << params.shift[q])
    states[row, w] = kept | (np.uint64(value) << params.shift[q])


@njit(cache=True, nogil=True)
def mate(word, shift, mask, states, row, q, kind):  # type: ignore[no-untyped-def]
    """The plug whose bracket belongs to the one (``kind``) at ``q``."""
    way = 1 if kind == _OPEN else -1
    depth = 1
    while True:
        q += way
        other = np.int64((states[row, word[q]] >> shift[q]) & mask)
        if other == kind:
            depth += 1
        elif other in (_OPEN, _CLOSE):
            depth -= 1
            if depth == 0:
                return q


@njit(cache=True, nogil=True, inline="always")
def draw(params, level, states, row, choice):  # type: ignore[no-untyped-def]
    """What a choice does to the plugs of a state.

    Returns:
        Whether it is allowed; the new plug below and the new one to the right; a plug elsewhere
        that gets another code (-1: none) and that code; whether loose ends were joined.
    """
    j = params.column[level]
    pick = params.pick[level, choice]
    own = params.own[level]
    left = plug(params, states, row, j)
    up = plug(params, states, row, j + 1)
    both = left != 0 and up != 0
    end = left if left else up
    at = np.int64(-1)
    code = np.int64(0)
    dead = (False, np.int64(0), np.int64(0), at, code, False)
    if own:
        if both:
            return dead
        if end:
            if pick or (end >= _PAIR and end != own):
                return dead
            if end < _PAIR:
                at, code = (
                    mate(
                        params.word,
                        params.shift,
                        params.mask,
                        states,
                        row,
                        j if left else j + 1,
                        end,
                    ),
                    own,
                )
        elif pick != 1 and pick != 2:
            return dead
    elif both:
        if pick:
            return dead
        if left >= _PAIR and up >= _PAIR:
            if left != up:
                return dead
        elif left >= _PAIR:
            at, code = mate(params.word, params.shift, params.mask, states, row, j + 1, up), left
        elif up >= _PAIR:
            at, code = mate(params.word, params.shift, params.mask, states, row, j, left), up
        elif left == _OPEN and up == _OPEN:
            at, code = (
                mate(params.word, params.shift, params.mask, states, row, j + 1, up),
                np.int64(_OPEN),
            )
        elif left == _CLOSE and up == _CLOSE:
            at, code = (
                mate(params.word, params.shift, params.mask, states, row, j, left),
                np.int64(_CLOSE),
            )
        elif left == _OPEN:
            return dead  # its own other end: a loop
    elif end:
        if pick != 1 and pick != 2:
            return dead
    elif pick == 1 or pick == 2 or (pick == 0 and params.cover):
        return dead

    to_below = np.int64(0)
    to_right = np.int64(0)
    if pick == 3:
        to_below, to_right = np.int64(_OPEN), np.int64(_CLOSE)
    elif pick == 1:
        to_right = own if own else end
    elif pick == 2:
        to_below = own if own else end
    if to_right:
        there = params.right[level]
        above = plug(params, states, row, j + 2)
        if there:
            if above or (to_right >= _PAIR and to_right != there):
                return dead
        elif above >= _PAIR:
            if to_right >= _PAIR and to_right != above:
                return dead
        elif above == _CLOSE and to_right == _OPEN:
            return dead
    if to_below >= _PAIR:
        there = params.below[level]
        if there and there != to_below:
            return dead
    return True, to_below, to_right, at, code, both or (own != 0 and end != 0)


@njit(cache=True, nogil=True, inline="always")
def settle(params, states, row, level, joined):  # type: ignore[no-untyped-def]
    """Bring a child's plugs into the form of its level; False if it is found to be dead."""
    if level == params.own.shape[0]:
        return True  # no edge leads off the board: no plug is left
    if params.column[level] == 0:
        for q in range(params.width, 0, -1):
            put(params, states, row, q, plug(params, states, row, q - 1))
        put(params, states, row, 0, 0)
    if params.planar.active and (joined or params.planar.always[level]):
        return joinable(params, states, row, level)
    return True


@overload(step, inline="always")
def _path_step(params, level, states, row, choice, children, slot):  # type: ignore[no-untyped-def]
    if getattr(params, "instance_class", None) is not PathParams:
        return None

    def path_step(params, level, states, row, choice, children, slot):  # type: ignore[no-untyped-def]
        alive, to_below, to_right, at, code, joined = draw(params, level, states, row, choice)
        if not alive:
            return -1
        j = params.column[level]
        for w in range(children.shape[1]):
            children[slot, w] = states[row, w]
        put(params, children, slot, j, to_below)
        put(params, children, slot, j + 1, to_right)
        if at >= 0:
            put(params, children, slot, at, code)
        if not settle(params, children, slot, level + 1, joined):
            return -1
        return level + 1

    return path_step


def unbalanced(width: int, height: int, pairs: Pairs) -> bool:
    """Whether the chessboard forbids covering the board with paths between these cells.

    A path between two black cells covers one black cell more than white ones, one between a black
    and a white cell as many of either.
    """
    colour = sum(1 if sum(divmod(cell, width)) % 2 == 0 else -1 for p in pairs for cell in p)
    return colour != 2 * (width * height % 2)


def edge_labels(width: int, height: int, symmetry: int) -> tuple[NDArray[np.int64], int, int]:
    """Keys of the edges right of and below every cell of the transformed board, and its sides.

    The key of an edge is ``2 * cell`` for the one to the right of a cell of the given board and
    ``2 * cell + 1`` for the one below it.

    Args:
        width: cells in a row of the given board.
        height: its rows.
        symmetry: 0 … 7; bit 0 mirrors the columns, bit 1 the rows, then bit 2 transposes.

    Returns:
        int64 array, shape (rows, columns, 2), -1 where there is no edge; columns; rows.
    """
    columns, rows = (height, width) if symmetry & 4 else (width, height)
    old = _original(width, height, symmetry)
    keys = np.full((rows, columns, 2), -1, np.int64)
    for way, (a, b) in enumerate(((old[:, :-1], old[:, 1:]), (old[:-1], old[1:]))):
        least = np.minimum(a, b)
        key = 2 * least + (np.abs(a - b) != 1) if width > 1 else 2 * least + 1
        keys[: a.shape[0], : a.shape[1], way] = key
    return keys, columns, rows


def _original(width: int, height: int, symmetry: int) -> NDArray[np.int64]:
    """For every cell of the transformed board the number of the given board's cell there."""
    old = np.arange(width * height, dtype=np.int64).reshape(height, width)
    if symmetry & 1:
        old = old[:, ::-1]
    if symmetry & 2:
        old = old[::-1]
    return old.T if symmetry & 4 else old


def placed(width: int, height: int, pairs: Pairs, symmetry: int) -> tuple[tuple[int, int], ...]:
    """The pairs as cells of the transformed board, each ascending."""
    new = np.empty(width * height, np.int64)
    new[_original(width, height, symmetry).reshape(-1)] = np.arange(width * height)
    return tuple((int(min(new[a], new[b])), int(max(new[a], new[b]))) for a, b in pairs)


def path_spec(
    width: int,
    height: int,
    pairs: Pairs,
    *,
    cover: bool = False,
    symmetry: int = 0,
    planar: bool = True,
) -> Spec:
    """All ways to join the pairs by vertex-disjoint paths, as a spec over edges.

    Args:
        width: cells in a row.
        height: rows.
        pairs: cell numbers (``row * width + column``), all different.
        cover: every cell must lie on a path.
        symmetry: which of the eight pictures of the board to sweep: see :func:`edge_labels`.
        planar: prune with :mod:`.planarity` (off only to measure what it is worth).

    Returns:
        A spec with a level a cell; its labels are edge keys (:func:`edge_labels`).

    Raises:
        ModelError: a cell outside the board or used twice, no pair, or a state that needs more
            than 64 bits a plug.
    """
    cells = [cell for pair in pairs for cell in pair]
    if width < 1 or height < 1 or not pairs:
        raise ModelError(f"expected cells and pairs, found {width}x{height} with {len(pairs)}")
    if len(set(cells)) != len(cells) or not all(0 <= c < width * height for c in cells):
        raise ModelError("terminals must be different cells of the board")
    keys, columns, rows = edge_labels(width, height, symmetry)
    ends = placed(width, height, pairs, symmetry)
    # codes in the order of first terminals, so that mirrored boards have like states
    own = np.zeros(rows * columns, np.int64)
    for k, (a, b) in enumerate(sorted(ends)):
        own[[a, b]] = _PAIR + k
    grid = own.reshape(rows, columns)
    right, below = np.zeros_like(grid), np.zeros_like(grid)
    right[:, :-1] = grid[:, 1:]
    below[:-1] = grid[1:]

    bits = max(2, (_PAIR + len(pairs) - 1).bit_length())
    a_word = 64 // bits
    plugs = np.arange(columns + 2)  # one more, always empty: the look to the right needs no test
    words = -(-(columns + 1) // a_word)
    word = np.minimum(plugs // a_word, words - 1)
    shift = (plugs % a_word * bits).astype(np.uint64)
    if plugs[-1] // a_word >= words:
        shift[-1] = 63  # beyond the last word; a plug there is never written
    levels = rows * columns
    picks, choices, labels, first = _blocks(keys, grid, cover)
    params = PathParams(
        stamp(__file__),
        columns,
        int(cover),
        word.astype(np.int64),
        shift,
        np.uint64((1 << bits) - 1),
        np.arange(levels) % columns,
        picks,
        own,
        right.reshape(-1),
        below.reshape(-1),
        planarity(grid, active=planar and len(pairs) > 1),
    )
    root = np.zeros((1, words), np.uint64)
    start = 0
    if (cover and unbalanced(width, height, pairs)) or not joinable(params, root, 0, 0):
        start = DEAD
    return Spec(
        params=params,
        labels=labels,
        first=first,
        choices=choices,
        words=np.full(levels, words, np.int32),
        root=root[0],
        root_level=start,
    )


def _blocks(
    keys: NDArray[np.int64], terminal: NDArray[np.int64], cover: bool
) -> tuple[
    NDArray[np.int64], tuple[tuple[tuple[int, ...], ...], ...], NDArray[np.int64], NDArray[np.int32]
]:
    """Picks and choices of every level, labels of the variables, first variable of a level."""
    rows, columns, _ = keys.shape
    picks = np.zeros((rows * columns, 4), np.int64)
    choices = []
    labels: list[int] = []
    first = [0]
    for level, (key, own) in enumerate(zip(keys.reshape(-1, 2), terminal.reshape(-1), strict=True)):
        ways = [way for way in (0, 1) if key[way] >= 0]
        labels.extend(int(key[way]) for way in ways)
        first.append(len(labels))
        possible = [0, *(1 << way for way in ways)]
        if len(ways) == 2 and not own:
            possible.append(3)
        picks[level, : len(possible)] = possible
        choices.append(
            tuple(tuple(i for i, way in enumerate(ways) if p >> way & 1) for p in possible)
        )
    return picks, tuple(choices), np.array(labels, np.int64), np.array(first, np.int32)
