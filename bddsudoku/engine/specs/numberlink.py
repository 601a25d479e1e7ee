"""Numberlink as a spec: vertex-disjoint paths between given pairs of cells.

A level is a cell, row by row; its block holds the edge to the right and the edge down. A state is
the frontier between decided and undecided cells: for every edge that crosses it a *plug*, left to
right, which is nothing, a loose end that belongs to another loose end, or a loose end of a pair's
path. The decided cells are planar, so loose ends that belong together nest like parentheses
(Simpath of TAOCP 7.1.4 with the mate array written as brackets): a plug is 0, ``(``, ``)`` or
the name of a pair, from 3 on, in as many bits as that needs.

Before cell (i, j) the plugs are those leaving row i downwards for the columns below j, the one
entering the cell from the left, and those entering row i from above for the columns from j on:
one more than columns.

Pairs have few names, of which those whose terminals both lie above get new ones by their order in
the state (:mod:`.naming`; this alone halves the states of boards with ten pairs).

Pruning (besides dead ends seen one cell ahead) is by :mod:`.planarity`: whether the loose ends
can still be joined below without crossing. Parity needs no test at all states: under ``cover`` the
chessboard colours of a path's ends decide how many more black than white cells it covers, so the
sum over the pairs must be that of the board; what has been decided always keeps this balance,
therefore :func:`path_spec` asks once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numba import njit
from numba.extending import overload

from bddsudoku.engine.frontier.bits import trailing_zeros
from bddsudoku.engine.frontier.spec import DEAD, Spec, Stamp, expand, stamp
from bddsudoku.engine.specs import planarity as planarity_module
from bddsudoku.engine.specs import verdicts as verdicts_module
from bddsudoku.engine.specs.grid import Pairs, blocks, edge_labels, placed, unbalanced
from bddsudoku.engine.specs.naming import PAIR, naming, renamed_tables
from bddsudoku.engine.specs.planarity import planarity
from bddsudoku.engine.specs.verdicts import WORK, remembered
from bddsudoku.errors import ModelError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bddsudoku.engine.specs.wide import WidePathParams

__all__ = ["PathParams", "draw", "path_spec"]

OPEN, CLOSE = 1, 2

# bit 4 * (1 if an end comes from the left) + 8 * (1 if from above) + pick: what may be drawn
_LEGAL_FREE = 0b0001_0110_0110_1001
_LEGAL_COVER = 0b0001_0110_0110_1000
_LEGAL_TERMINAL = 0b0000_0001_0001_0110

# where in a level's entry: the cell's column; codes of the terminals in it, in the cell to the
# right and in the one below (0: none); what is legal; when planarity is asked (0 never, 1 after a
# joint, 2 always); what each of the four choices draws (bit 0 right, bit 1 down)
OWN, RIGHT, BELOW, LEGAL, ASKED, PICK = 8, 16, 24, 32, 48, 50
_SIDE = 255
_PAIRS = 252


class PathParams(NamedTuple):
    """Constants of the step when a state is one word.

    As few arrays as can be: numba counts references to every one that it takes up, which would
    cost more than the step itself.

    Attributes:
        stamp: see :func:`bddsudoku.engine.frontier.spec.stamp`.
        width: cells in a row.
        bits: bits of a plug.
        info: int64 (levels,); all about a cell, packed (see the constants of this module).
        hung: see :class:`bddsudoku.engine.specs.planarity.Planarity`.
        rim: likewise.
        floating: likewise.
        seen: see :class:`bddsudoku.engine.specs.naming.Naming`.
        pool: likewise.
    """

    stamp: Stamp
    width: int
    bits: int
    info: NDArray[np.int64]
    hung: NDArray[np.int64]
    rim: NDArray[np.int64]
    floating: NDArray[np.int64]
    seen: NDArray[np.uint64]
    pool: NDArray[np.int64]


PathParams.expands = True  # type: ignore[attr-defined]


@njit(nogil=True)
def draw(info, pick, left, up, above):  # type: ignore[no-untyped-def]
    """What a choice does to the plugs at a cell.

    Args:
        info: the cell's entry in :attr:`PathParams.info`.
        pick: what is drawn, bit 0 to the right, bit 1 down; must be legal by the entry.
        left: the plug entering from the left.
        up: the plug entering from above.
        above: the plug entering the next cell from above.

    Returns:
        Whether it is allowed; the new plug below and the new one to the right; whose other end gets
        another code (0: none, 1: left's, 2: up's) and that code; whether loose ends were joined.
    """
    kind = (1 if left else 0) + (2 if up else 0)
    own = (info >> OWN) & 255
    end = left if left else up
    seek = 0
    code = 0
    joined = kind == 3 or (own != 0 and kind != 0)
    if kind == 3:
        if left >= PAIR and up >= PAIR:
            if left != up:
                return False, 0, 0, 0, 0, False
        elif left >= PAIR:
            seek, code = 2, left
        elif up >= PAIR:
            seek, code = 1, up
        elif left == OPEN and up == OPEN:
            seek, code = 2, OPEN
        elif left == CLOSE and up == CLOSE:
            seek, code = 1, CLOSE
        elif left == OPEN:
            return False, 0, 0, 0, 0, False  # its own other end: a loop
    elif joined:
        if end < PAIR:
            seek, code = kind, own
        elif end != own:
            return False, 0, 0, 0, 0, False
    to_below = 0
    to_right = 0
    if pick == 3:
        to_below, to_right = OPEN, CLOSE
    elif pick == 1:
        to_right = own if own else end
    elif pick == 2:
        to_below = own if own else end
    if to_right:
        there = (info >> RIGHT) & 255
        if there:
            if above or (to_right >= PAIR and to_right != there):
                return False, 0, 0, 0, 0, False
        elif above >= PAIR:
            if to_right >= PAIR and to_right != above:
                return False, 0, 0, 0, 0, False
        elif above == CLOSE and to_right == OPEN:
            return False, 0, 0, 0, 0, False
    if to_below >= PAIR:
        there = (info >> BELOW) & 255
        if there and there != to_below:
            return False, 0, 0, 0, 0, False
    return True, to_below, to_right, seek, code, joined


@njit(nogil=True)
def _mate(state, q, kind, bits):  # type: ignore[no-untyped-def]
    """The plug of a one-word state whose bracket belongs to the one (``kind``) at ``q``."""
    mask = (np.uint64(1) << np.uint64(bits)) - np.uint64(1)
    way = 1 if kind == OPEN else -1
    depth = 1
    while True:
        q += way
        other = np.int64((state >> np.uint64(q * bits)) & mask)
        if other == kind:
            depth += 1
        elif other in (OPEN, CLOSE):
            depth -= 1
            if depth == 0:
                return q


@njit(nogil=True)
def _renamed(state, seen, pool, level, width, bits, scratch):  # type: ignore[no-untyped-def]
    """A one-word state in which the pairs that are seen have names by their order in the state."""
    one = np.uint64(1)
    mask = (one << np.uint64(bits)) - one
    left = seen
    while left:
        scratch[trailing_zeros(left)] = np.uint64(0)
        left &= left - one
    named = 0
    for q in range(width + 1):
        shift = np.uint64(q * bits)
        code = (state >> shift) & mask
        if code >= np.uint64(PAIR) and (seen >> code) & one:
            name = scratch[np.int64(code)]
            if name == np.uint64(0):
                named += 1
                name = np.uint64(pool[level, named])
                scratch[np.int64(code)] = name
            state = (state & ~(mask << shift)) | (name << shift)
    return state


@overload(expand)
def _expand_paths(  # type: ignore[no-untyped-def]
    params, level, states, lo, hi, choices, children, degree, rank, to, scratch
):
    if getattr(params, "instance_class", None) is not PathParams:
        return None

    def expand_paths(params, level, states, lo, hi, choices, children, degree, rank, to, scratch):  # type: ignore[no-untyped-def]
        info = params.info[level]
        bits = params.bits
        width = params.width
        hung = params.hung
        rim = params.rim
        floating = params.floating
        pool = params.pool
        seen = params.seen[level + 1]
        j = info & 255
        own = (info >> OWN) & 255
        asked = (info >> ASKED) & 3
        mask = (np.uint64(1) << np.uint64(bits)) - np.uint64(1)
        at_left = np.uint64(j * bits)
        at_up = at_left + np.uint64(bits)
        # in the last column the shift may leave the word; no choice goes to the right there
        at_above = (at_up + np.uint64(bits)) & np.uint64(63)
        keep = ~((mask << at_left) | (mask << at_up))
        turn = np.uint64(bits if j + 1 == width else 0)  # the next row begins
        slot = np.int64(0)  # a literal would be a type, and a specialisation, of its own
        for row in range(lo, hi):
            before = slot
            state = states[row, 0]
            left = np.int64((state >> at_left) & mask)
            up = np.int64((state >> at_up) & mask)
            above = np.int64((state >> at_above) & mask)
            legal = info >> (LEGAL + (4 if left else 0) + (8 if up else 0))
            for r in range(choices.shape[0]):
                pick = (info >> (PICK + 2 * choices[r])) & 3
                if not (legal >> pick) & 1:
                    continue
                alive, to_below, to_right, seek, code, joined = draw(info, pick, left, up, above)
                if not alive:
                    continue
                child = state & keep
                child |= (np.uint64(to_below) << at_left) | (np.uint64(to_right) << at_up)
                if seek:
                    q = _mate(state, j if seek == 1 else j + 1, left if seek == 1 else up, bits)
                    at = np.uint64(q * bits)
                    child = (child & ~(mask << at)) | (np.uint64(code) << at)
                child <<= turn
                if (joined or own) and seen:
                    child = _renamed(child, seen, pool, level + 1, width, bits, scratch)
                children[slot, 0] = child
                if (asked == 2 or (asked == 1 and joined)) and not remembered(
                    hung, rim, floating, children, slot, level + 1, bits, scratch
                ):
                    continue
                rank[slot] = r
                to[slot] = level + 1
                slot += 1
            degree[row - lo] = slot - before
        return slot

    return expand_paths


@njit(cache=True)
def _crossed(stamp, hung, rim, floating, root, bits, scratch):  # type: ignore[no-untyped-def]
    """Whether the pairs of the empty board must cross. (The stamp only names the sources.)"""
    zero = np.int64(0)
    return not remembered(hung, rim, floating, root, zero, zero, bits, scratch)


def path_spec(
    width: int,
    height: int,
    pairs: Pairs,
    *,
    cover: bool = False,
    symmetry: int = 0,
    planar: bool = True,
    aligned: bool = False,
) -> Spec:
    """All ways to join the pairs by vertex-disjoint paths, as a spec over edges.

    Args:
        width: cells in a row.
        height: rows.
        pairs: cell numbers (``row * width + column``), all different.
        cover: every cell must lie on a path.
        symmetry: which of the eight pictures of the board to sweep: see :func:`edge_labels`.
        planar: prune with :mod:`.planarity` (off only to measure what it is worth).
        aligned: plugs take 2, 4 or 8 bits, as :mod:`.wide` wants them, and pairs keep their names.

    Returns:
        A spec with a level a cell; its labels are edge keys (:func:`edge_labels`).

    Raises:
        ModelError: a cell outside the board or used twice, no pair, more than 255 rows or columns
            or 252 pairs.
    """
    cells = [cell for pair in pairs for cell in pair]
    if width < 1 or height < 1 or not pairs:
        raise ModelError(f"expected cells and pairs, found {width}x{height} with {len(pairs)}")
    if len(set(cells)) != len(cells) or not all(0 <= c < width * height for c in cells):
        raise ModelError("terminals must be different cells of the board")
    keys, columns, rows = edge_labels(width, height, symmetry)
    ends = placed(width, height, pairs, symmetry)
    if columns > _SIDE or rows > _SIDE or len(pairs) > _PAIRS:
        raise ModelError(
            f"at most {_SIDE} rows and columns and {_PAIRS} pairs, "
            f"found {width}x{height} with {len(pairs)}"
        )
    # codes in the order of first terminals, so that mirrored boards have like states
    grid = np.zeros((rows, columns), np.int64)
    for k, (a, b) in enumerate(sorted(ends)):
        grid.flat[[a, b]] = PAIR + k
    names = naming(grid, fixed=aligned)
    bits = max(2, (names.greatest + (len(pairs) > 1)).bit_length())
    if aligned or (columns + 1) * bits > 64:  # more than a word, or a word that others share
        bits = 2 if bits == 2 else 4 if bits <= 4 else 8
    words = -(-(columns + 1) // (64 // bits))
    levels = rows * columns
    picks, choices, labels, first = blocks(keys, grid)
    tested = planar and len(pairs) > 1
    tables = renamed_tables(planarity(grid), names.of)
    legal = np.where(names.own > 0, _LEGAL_TERMINAL, _LEGAL_COVER if cover else _LEGAL_FREE)
    info = np.arange(levels) % columns
    for part, place in (
        (names.own, OWN), (names.right, RIGHT), (names.below, BELOW), (legal, LEGAL)
    ):  # fmt: skip
        info |= part << place
    if tested:  # of the child, which stands at the next level; the last cell has none
        info[:-1] |= tables.asked[1:] << ASKED
    for choice in range(4):
        info |= picks[:, choice] << (PICK + 2 * choice)
    params: PathParams | WidePathParams = PathParams(
        stamp(__file__, planarity_module.__file__, verdicts_module.__file__),
        columns,
        bits,
        info.astype(np.int64),
        tables.hung,
        tables.rim,
        tables.floating,
        names.seen,
        names.pool,
    )
    if words > 1:
        from bddsudoku.engine.specs.wide import WidePathParams, wide_stamp

        params = WidePathParams(wide_stamp(), *params[1:])
    root = np.zeros((1, words), np.uint64)
    start = 0
    crossed = tested and _crossed(
        params.stamp,
        tables.hung,
        tables.rim,
        tables.floating,
        root,
        bits,
        np.zeros(WORK, np.uint64),
    )
    if crossed or (cover and unbalanced(width, height, pairs)):
        start = DEAD
    return Spec(
        params=params,
        labels=labels,
        first=first,
        choices=choices,
        words=np.full(levels, words, np.int32),
        root=root[0],
        root_level=start,
        scratch=WORK,
        narrow=1 << (17 if words == 1 else 15),
    )
