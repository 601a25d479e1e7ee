"""Small numbers for the pairs in a frontier state; those of finished pairs are used again.

A *mate* is what a state stores for an edge across the frontier, see :mod:`.path_spec`. A pair is
*open* between its terminals: exactly one path end on the frontier belongs to it. It has a code of
its own for that time, which another pair may get afterwards (as registers are allocated to live
variables). A pair is *seen* when both terminals lie above the frontier. It does not matter then
which pair it is, only which two path ends must meet: seen pairs are numbered by their order in the
state, and there are at most half as many as mates that open pairs leave. A pair whose terminals
both lie below is in no state, but tests refer to it: its code is greater than all these.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bddsudoku.jit.decorators import I64, U64
from bddsudoku.numberlink.planarity import CODES, PAIR

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


def make_pair_codes(terminal: I64, *, fixed: bool = False) -> PairCodes:
    """Assign each pair a small number (code) for the states of every level of the path spec.

    Args:
        terminal: as for :func:`.planarity.make_planarity_tables`.
        fixed: every pair keeps one code, and nothing is renumbered; this is also done on a board
            that needs too many codes.
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
    if fixed:
        of = np.tile(np.arange(PAIR + pairs), (levels, 1))
        own = flat.astype(np.int64)
        return PairCodes(
            own, right.reshape(-1), below.reshape(-1), PAIR + pairs - 1, of, seen, pool
        )
    of = np.zeros((levels, PAIR + pairs), np.int64)
    own = np.zeros(levels, np.int64)
    near = np.full(
        (levels, PAIR + pairs), _UNKNOWN_CODE
    )  # as `of`, but for a cell's neighbours: the pair's own cell included
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
        return make_pair_codes(terminal, fixed=True)
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
    """Return the ``count`` least pair codes that are not in ``taken``."""
    found: list[int] = []
    name = PAIR
    while len(found) < count:
        if name not in taken:
            found.append(name)
        name += 1
    return found
