"""The states of path specs: the codes of pairs in them, and how edges drawn at a cell change them.

A *mate* is what a state stores for an edge across the frontier, see :mod:`.path_spec`. A pair is
*open* between its terminals: exactly one path end on the frontier belongs to it. It has a code of
its own for that time, which another pair may get afterwards (as registers are allocated to live
variables). A pair is *seen* when both terminals lie above the frontier. It does not matter then
which pair it is, only which two path ends must meet: seen pairs are numbered by their order in the
state, and there are at most half as many as mates that open pairs leave. A pair whose terminals
both lie below is in no state, but tests refer to it: its code is greater than all these.

The constants of a cell are packed into one integer: its column; the codes of the
terminals in it, in the cell to the right and in the one below; the legal choices; when planarity is
tested; the edges that each of the four choices draws.

The mates of a state fill its first words, from the lowest bits on (:func:`mate_position`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bddsudoku.engine.frontier.spec import DEAD, define_step
from bddsudoku.errors import ModelError
from bddsudoku.jit import inlined, kernel, subroutine
from bddsudoku.jit.decorators import I64, U64, lowest_bit_index
from bddsudoku.numberlink.planarity import CODES, PAIR, PlanarityTables, can_join_path_ends_cached

_UNKNOWN_CODE = 255
"""Code of a neighbouring terminal whose pair is not open: no path of a pair may go there."""
_MASKED = 60
"""Greatest code for which seen pairs are kept in a bit set."""


class PairCodes(NamedTuple):
    """The codes of pairs by level; a level's state is the one before its cell is decided.

    Attributes:
        own: int64 (levels,); code of the terminal in the cell, 0 if there is none.
        right: int64 (levels,); of the terminal in the next cell of the row.
        below: int64 (levels,); of the terminal in the cell below.
        greatest: the greatest code in a state.
        code_by_pair: int64 (levels, 3 + pairs); code of pair k (in column 3 + k) where one of its
            terminals lies below, else 0.
        seen: uint64 (levels + 1,); bit set of the codes of seen pairs in a state that has just come
            to the level, before they are renumbered; 0: nothing is renumbered.
        pool: uint64 (levels + 1,); bit set of the codes that seen pairs get then, least first.
    """

    own: I64
    right: I64
    below: I64
    greatest: int
    code_by_pair: I64
    seen: U64
    pool: U64


def make_pair_codes(terminal: I64) -> PairCodes:
    """Assign each pair a small number (code) for the states of every level of the path spec.

    Args:
        terminal: as for :func:`.planarity.make_planarity_tables`.

    Raises:
        ModelError: too many pairs have one terminal above the frontier, or there are too many.
    """
    rows, columns = terminal.shape
    levels = rows * columns
    flat = terminal.reshape(-1)
    pairs = int(flat.max()) - PAIR + 1
    right, below = np.zeros_like(terminal), np.zeros_like(terminal)
    right[:, :-1] = terminal[:, 1:]
    below[:-1] = terminal[1:]
    seen = np.zeros(levels + 1, np.uint64)
    pool = np.zeros(levels + 1, np.uint64)
    of = np.zeros((levels, PAIR + pairs), np.int64)
    own = np.zeros(levels, np.int64)
    # as `of`, but for a cell's neighbours: the pair's own cell included
    near = np.full((levels, PAIR + pairs), _UNKNOWN_CODE)
    near[:, 0] = 0
    open_: dict[int, int] = {}
    begun: dict[int, int] = {}
    names: list[int] = []
    past = 0
    greatest = PAIR
    at = 0
    for cell in np.flatnonzero(flat).tolist():
        pool[at + 1 : cell + 1] = seen[at + 1 : cell + 1] = _codes_as_bits(names)
        k = int(flat[cell])
        arriving = list(names)
        if k in open_:
            own[cell] = open_.pop(k)
            of[begun[k] + 1 : cell + 1, k] = own[cell]
            near[begun[k] : cell + 1, k] = own[cell]
            arriving.append(int(own[cell]))
            past += 1
        else:
            own[cell] = open_[k] = _least_free_codes({*open_.values(), *names}, 1)[0]
            begun[k] = cell
        names = _least_free_codes(
            set(open_.values()), min(past, max(0, columns + 1 - len(open_)) // 2)
        )
        greatest = max(greatest, int(own[cell]), *names)
        at = cell + 1
        pool[at] = _codes_as_bits(names)
        seen[at] = _codes_as_bits(arriving)
    pool[at + 1 :] = seen[at + 1 :] = _codes_as_bits(names)
    seen[levels] = 0  # nothing is renumbered after the last level
    if greatest > _MASKED or greatest + 1 + pairs > CODES:
        raise ModelError(f"too many of the {pairs} pairs have one terminal above the frontier")
    for k, cell in begun.items():
        of[: cell + 1, k] = greatest + 1 + k - PAIR
    level = np.arange(levels)
    return PairCodes(
        own,
        near[level, right.reshape(-1)],
        near[level, below.reshape(-1)],
        greatest,
        of,
        seen,
        pool,
    )


def _codes_as_bits(codes: list[int]) -> np.uint64:
    """A word whose set bits are the given codes; codes above 63 are left out."""
    return np.uint64(sum(1 << code for code in codes if code < 64))


def _least_free_codes(taken: set[int], count: int) -> list[int]:
    found: list[int] = []
    name = PAIR
    while len(found) < count:
        if name not in taken:
            found.append(name)
        name += 1
    return found


OPEN, CLOSE = 1, 2

# bit 4 * (1 if a path enters from the left) + 8 * (1 if from above) + drawn: legal choices
_LEGAL_UNCOVERED = 0b0001_0110_0110_1001
_LEGAL_COVER = 0b0001_0110_0110_1000
_LEGAL_TERMINAL = 0b0000_0001_0001_0110

# shifts in packed constants: codes (0: none), legal choices, when planarity is tested (0 never, 1
# after paths were joined, 2 always), the edges of each of four choices (bit 0 right, bit 1 down)
OWN, RIGHT, BELOW, LEGAL, ASKED, PICK = 8, 16, 24, 32, 48, 50


def pack_cell_constants(
    columns: int,
    pair_codes: PairCodes,
    picks: I64,
    tested: I64 | None,
    cover: bool,
) -> I64:
    """Pack each cell's constants, such as its column and its legal choices, into one integer.

    Args:
        columns: columns of the image that is swept.
        pair_codes: codes of the pairs.
        picks: the edges that every choice draws, shape (cells, 4).
        tested: when planarity of a state at a cell is tested; None for never.
        cover: every cell must lie on a path.
    """
    cell_info = np.arange(len(pair_codes.own)) % columns
    legal = np.where(
        pair_codes.own > 0, _LEGAL_TERMINAL, _LEGAL_COVER if cover else _LEGAL_UNCOVERED
    )
    for codes, place in (
        (pair_codes.own, OWN), (pair_codes.right, RIGHT), (pair_codes.below, BELOW), (legal, LEGAL)
    ):  # fmt: skip
        cell_info |= codes << place
    if tested is not None:  # of the child, which stands at the next level; the last cell has none
        cell_info[:-1] |= tested[1:] << ASKED
    for choice in range(4):
        cell_info |= picks[:, choice] << (PICK + 2 * choice)
    return cell_info.astype(np.int64)


@subroutine
def mates_after_drawing(cell_info, drawn, left, up, above):  # type: ignore[no-untyped-def]
    """Whether the edges ``drawn`` may be drawn at a cell, and the mates that result.

    Args:
        cell_info: the cell's packed constants.
        drawn: the edges that are drawn, bit 0 to the right, bit 1 down; must be legal.
        left: the mate of the edge entering from the left.
        up: the mate of the edge entering from above.
        above: the mate of the edge entering the next cell from above.

    Returns:
        Whether the choice is allowed; the new mates below and to the right; whose other end gets
        another code (0: none, 1: left's, 2: up's), and that code; whether path ends were joined.
    """
    kind = (1 if left else 0) + (2 if up else 0)
    own = (cell_info >> OWN) & 255
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
            return False, 0, 0, 0, 0, False  # both are ends of one path: a loop
    elif joined:
        if end < PAIR:
            seek, code = kind, own
        elif end != own:
            return False, 0, 0, 0, 0, False
    to_below = 0
    to_right = 0
    if drawn == 3:
        to_below, to_right = OPEN, CLOSE
    elif drawn == 1:
        to_right = own if own else end
    elif drawn == 2:
        to_below = own if own else end
    if to_right:
        target = (cell_info >> RIGHT) & 255
        if target:
            if above or (to_right >= PAIR and to_right != target):
                return False, 0, 0, 0, 0, False
        elif above >= PAIR:
            if to_right >= PAIR and to_right != above:
                return False, 0, 0, 0, 0, False
        elif above == CLOSE and to_right == OPEN:
            return False, 0, 0, 0, 0, False
    if to_below >= PAIR:
        target = (cell_info >> BELOW) & 255
        if target and target != to_below:
            return False, 0, 0, 0, 0, False
    return True, to_below, to_right, seek, code, joined


@inlined
def passes_planarity(params, cell_info, level, joined, children, slot, scratch):  # type: ignore[no-untyped-def]
    """Whether a child state passes the planarity test, or need not be tested."""
    asked = (cell_info >> ASKED) & 3
    if asked == 0 or (asked == 1 and not joined):
        return True
    return can_join_path_ends_cached(params.tables, children, slot, level + 1, params.bits, scratch)


class PathParams(NamedTuple):
    """Constants of the path step.

    Attributes:
        width: cells in a row.
        bits: bits of a mate.
        per_word: mates in a word of a state.
        words: words of a state.
        cell_info: int64 (levels,); the cells' packed constants.
        tables: tables of the planarity test, by codes of pairs.
        seen: see :class:`PairCodes`.
        pool: likewise.
    """

    width: int
    bits: int
    per_word: int
    words: int
    cell_info: I64
    tables: PlanarityTables
    seen: U64
    pool: U64


@inlined
def mate_position(params, q):  # type: ignore[no-untyped-def]
    """The word and the bit shift at which a state stores the mate at position ``q``."""
    word = q // params.per_word if params.words > 1 else 0
    return word, np.uint64((q - word * params.per_word) * params.bits)


@subroutine
def read_mate(params, states, row, q):  # type: ignore[no-untyped-def]
    """Read the mate at position ``q`` of a state."""
    w, shift = mate_position(params, q)
    mask = (np.uint64(1) << np.uint64(params.bits)) - np.uint64(1)
    return np.int64((states[row, w] >> shift) & mask)


@subroutine
def write_mate(params, states, row, q, value):  # type: ignore[no-untyped-def]
    """Write the mate at position ``q`` of a state."""
    w, shift = mate_position(params, q)
    mask = ((np.uint64(1) << np.uint64(params.bits)) - np.uint64(1)) << shift
    states[row, w] = (states[row, w] & ~mask) | (np.uint64(value) << shift)


@subroutine
def write_child_mates(params, cell_info, states, row, choice, children, slot):  # type: ignore[no-untyped-def]
    """Write the mates of the child state that a choice of edges leads to.

    Returns:
        Whether there is a child; whether path ends were joined.
    """
    width = params.width
    j = cell_info & 255
    left = read_mate(params, states, row, j)
    up = read_mate(params, states, row, j + 1)
    above = read_mate(params, states, row, j + 2) if j + 2 <= width else 0
    drawn = (cell_info >> (PICK + 2 * choice)) & 3
    if not (cell_info >> (LEGAL + (4 if left else 0) + (8 if up else 0) + drawn)) & 1:
        return False, False
    alive, to_below, to_right, seek, code, joined = mates_after_drawing(
        cell_info, drawn, left, up, above
    )
    if not alive:
        return False, False
    for w in range(params.words):
        children[slot, w] = states[row, w]
    write_mate(params, children, slot, j, to_below)
    write_mate(params, children, slot, j + 1, to_right)
    if seek:  # the bracket that matches one of the two
        q = j if seek == 1 else j + 1
        kind = left if seek == 1 else up
        way = 1 if kind == OPEN else -1
        depth = 1
        while depth:
            q += way
            other = read_mate(params, states, row, q)
            if other == kind:
                depth += 1
            elif other in (OPEN, CLOSE):
                depth -= 1
        write_mate(params, children, slot, q, code)
    if j + 1 == width:  # the next row begins; the last mate, to the right, is 0
        over = np.uint64(0)
        for w in range(params.words):
            child_word = children[slot, w]
            children[slot, w] = (child_word << np.uint64(params.bits)) | over
            over = child_word >> np.uint64(64 - params.bits)
    return True, joined


@subroutine
def _renumber_pairs(params, level, states, row, scratch):  # type: ignore[no-untyped-def]
    """Renumber in order of appearance the pairs whose terminals both lie above the frontier."""
    one = np.uint64(1)
    seen = params.seen[level]
    pool = params.pool[level]
    left = seen
    while left:
        scratch[lowest_bit_index(left)] = np.uint64(0)
        left &= left - one
    for q in range(params.width + 1):
        code = read_mate(params, states, row, q)
        if code >= PAIR and (seen >> np.uint64(code)) & one:
            if scratch[code] == 0:
                scratch[code] = lowest_bit_index(pool)
                pool &= pool - one
            write_mate(params, states, row, q, scratch[code])


@inlined
def _path_child(params, level, states, row, choice, children, slot, scratch):  # type: ignore[no-untyped-def]
    """Write the child state of a choice; return its level, or DEAD if there is none."""
    cell_info = params.cell_info[level]
    alive, joined = write_child_mates(params, cell_info, states, row, choice, children, slot)
    if not alive:
        return DEAD
    if (joined or (cell_info >> OWN) & 255) and params.seen[level + 1]:
        _renumber_pairs(params, level + 1, children, slot, scratch)
    return (
        level + 1
        if passes_planarity(params, cell_info, level, joined, children, slot, scratch)
        else DEAD
    )


define_step(PathParams, _path_child)


@kernel
def paths_must_cross(tables, root, bits, scratch):  # type: ignore[no-untyped-def]
    """Whether the planarity test shows that paths between the pairs of a board must cross."""
    zero = np.int64(0)
    return not can_join_path_ends_cached(tables, root, zero, zero, bits, scratch)
