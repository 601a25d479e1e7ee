"""Names of pairs in the states of a path spec: few, because few pairs are open at a time.

A pair is *open* between its terminals: exactly one loose end on the frontier is its. It has a name
of its own for that time, which goes to another pair afterwards (as registers are allocated to
variables that live for a while). A pair that is *seen* has both terminals above. It does not matter
any more which one it is, only which two loose ends must meet: such pairs are named by their order
in the state, and there are no more of them than half of the plugs that the open ones leave. A pair
whose terminals both lie below is in no state at all, but a test may speak of it: it has a code
beyond all names.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from bddsudoku.jit.decorators import I64, U64
from bddsudoku.numberlink.planarity import CODES, PAIR

if TYPE_CHECKING:
    pass

_UNKNOWN_CODE = 255
"""Code of a terminal next to a cell whose pair is not open: no loose end of a pair may go there."""
_MASKED = 60
"""Greatest name for which seen pairs can be told by a bit set."""


class MateCodes(NamedTuple):
    """Codes by level; the state of a level is that before its cell is decided.

    Attributes:
        own: int64 (levels,); code of the terminal in the cell, 0 if there is none.
        right: int64 (levels,); of the terminal in the next cell of the row.
        below: int64 (levels,); of the terminal in the cell below.
        greatest: the greatest name in a state.
        of: int64 (levels, 3 + pairs); code of pair k (in column 3 + k) where a terminal of it lies
            below, else 0.
        seen: uint64 (levels + 1,); names of seen pairs in a state that has just come to the level,
            before they are named anew: a bit set. 0: nothing is named anew.
        pool: uint64 (levels + 1,); the names that seen pairs get then: a bit set, the least first.
    """

    own: I64
    right: I64
    below: I64
    greatest: int
    code_by_pair: I64
    seen: U64
    pool: U64


def make_mate_codes(terminal: I64, *, fixed: bool = False) -> MateCodes:
    """Names for the pairs of a board.

    Args:
        terminal: as for :func:`.planarity.planarity`.
        fixed: every pair keeps its number as its name, and nothing is named anew. So it is, too,
            on a board with too many names.
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
        return MateCodes(
            own, right.reshape(-1), below.reshape(-1), PAIR + pairs - 1, of, seen, pool
        )
    of = np.zeros((levels, PAIR + pairs), np.int64)
    own = np.zeros(levels, np.int64)
    near = np.full(
        (levels, PAIR + pairs), _UNKNOWN_CODE
    )  # as of, for neighbours: own cell included
    near[:, 0] = 0
    open_: dict[int, int] = {}
    begun: dict[int, int] = {}
    names: list[int] = []
    past = 0
    greatest = PAIR
    at = 0
    for cell in np.flatnonzero(flat).tolist():
        pool[at + 1 : cell + 1] = seen[at + 1 : cell + 1] = _code_set(names)
        k = int(flat[cell])
        arriving = list(names)
        if k in open_:
            own[cell] = open_.pop(k)
            of[begun[k] + 1 : cell + 1, k] = own[cell]
            near[begun[k] : cell + 1, k] = own[cell]
            arriving.append(int(own[cell]))
            past += 1
        else:
            own[cell] = open_[k] = _least_unused({*open_.values(), *names}, 1)[0]
            begun[k] = cell
        names = _least_unused(set(open_.values()), min(past, max(0, columns + 1 - len(open_)) // 2))
        greatest = max(greatest, int(own[cell]), *names)
        at = cell + 1
        pool[at] = _code_set(names)
        seen[at] = _code_set(arriving)
    pool[at + 1 :] = seen[at + 1 :] = _code_set(names)
    seen[levels] = 0  # behind the last level nothing is left to name
    if greatest > _MASKED or greatest + 1 + pairs > CODES:
        return make_mate_codes(terminal, fixed=True)
    for k, cell in begun.items():
        of[: cell + 1, k] = greatest + 1 + k - PAIR
    level = np.arange(levels)
    return MateCodes(
        own,
        near[level, right.reshape(-1)],
        near[level, below.reshape(-1)],
        greatest,
        of,
        seen,
        pool,
    )


def _code_set(names: list[int]) -> np.uint64:
    return np.uint64(sum(1 << name for name in names if name < 64))


def _least_unused(taken: set[int], count: int) -> list[int]:
    """The least names that are not taken."""
    found: list[int] = []
    name = PAIR
    while len(found) < count:
        if name not in taken:
            found.append(name)
        name += 1
    return found
