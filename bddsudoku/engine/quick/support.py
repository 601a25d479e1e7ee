"""True candidates: which digits of which cells stand in some solution, and in how many.

For every candidate left a solution with it is searched for, unless one was met before: the
solutions found for others are witnesses for all that they hold. A candidate without a solution is
taken away for good, and what follows from that, too.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bddsudoku.engine.quick.instructions import DEAD, STABLE, trailing_zeros
from bddsudoku.engine.quick.layout import CELL, CELLS, DIGITS, PLACE, STATE
from bddsudoku.engine.quick.search import assume, branch, settle
from bddsudoku.jit import kernel, part

__all__ = ["CANDIDATES", "new_place", "support"]

CANDIDATES = CELLS * DIGITS

BOARD, DEPTH, FOUND, CANDIDATE = range(4)
"""Where the work stands: number of the board; level of the next node of the search under way, 0 if
there is none; its solutions; its candidate, -1 if the board has not begun."""

U1 = np.uint64(1)


def new_place() -> NDArray[np.int64]:
    """Where work stands that has not begun."""
    return np.array([0, 0, 0, -1], dtype=np.int64)


@part
def _place(candidate: int) -> Any:
    """Digit, half and bit of a candidate."""
    cell, digit = candidate // DIGITS, candidate % DIGITS
    return np.uint64(digit), np.uint64(PLACE[cell, 0]), U1 << np.uint64(PLACE[cell, 1])


@part
def _meet(row: Any, met: Any) -> None:
    """Count the candidates of a solution."""
    for d in range(DIGITS):
        for half in range(2):
            word = row[2 * d + half]
            while word:
                met[CELL[half, trailing_zeros(word)] * DIGITS + d] += 1
                word &= word - U1


@kernel
def support(states: Any, stack: Any, at: Any, met: Any, cap: int, out: Any, work: int) -> Any:
    """Work on, for so many nodes at most; whether all boards are done.

    Args:
        states: uint64, (n, 18): the boards, by :func:`.search.fill_states`.
        stack: by :func:`.search.new_stack`; level 0 holds the candidates not yet refuted.
        at: by :func:`new_place`; says where the work stands.
        met: int64, (729,), zeros at first: solutions of the search under way by candidate.
        cap: a candidate is done when so many solutions with it are known, at least 1.
        out: uint32, (n, 729): number of solutions with each candidate, or ``cap`` if there are
            more; the candidate of digit d in a cell is 9 cell + d - 1.
        work: stop after so many nodes.
    """
    board, level, found, candidate = at[BOARD], at[DEPTH], at[FOUND], at[CANDIDATE]
    while board < len(states) and work > 0:
        counts = out[board]
        if candidate < 0:
            for word in range(STATE):
                stack[0, word] = states[board, word]
            for k in range(CANDIDATES):
                counts[k] = 0
            candidate, level = 0, 0
            work -= 1
            if settle(stack, 0) == DEAD:
                candidate = CANDIDATES
        if level == 0:  # the next candidate to look for
            while candidate < CANDIDATES:
                digit, half, bit = _place(candidate)
                if counts[candidate] < cap and stack[0, digit + digit + half] & bit:
                    assume(stack, 1, 0, digit, half, bit)
                    level, found = 1, 0
                    break
                candidate += 1
            if candidate == CANDIDATES:
                board += 1
                candidate = -1
                continue
        while level > 0 and found < cap and work > 0:
            work -= 1
            verdict = settle(stack, level)
            if verdict == STABLE:
                branch(stack, level)
                level += 1
            else:
                if verdict != DEAD:
                    _meet(stack[level], met)
                    found += 1
                level -= 1
        if level == 0 or found == cap:
            for k in range(CANDIDATES):
                counts[k] = max(counts[k], met[k])
                met[k] = 0
            if found == 0:
                digit, half, bit = _place(candidate)
                stack[0, digit + digit + half] &= ~bit
                if settle(stack, 0) == DEAD:
                    candidate = CANDIDATES
            candidate = min(candidate + 1, CANDIDATES)
            level = 0
    at[BOARD], at[DEPTH], at[FOUND], at[CANDIDATE] = board, level, found, candidate
    return board == len(states)
