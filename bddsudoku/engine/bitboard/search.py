"""Depth-first search on bitboards: one state per node, all states in one array.

Propagated as far as :func:`.propagation.propagate_once` goes, a state is branched in two: a cell's
one candidate or its other; if no cell has two, a digit's one place in a house or its other; if no
house has such a digit, a cell's first candidate or the rest. Among several choices the one is taken
that settles most: the digits' candidates among the peers are counted, those in cells with two of
them :data:`FACTOR` times. That makes a third to three quarters of the nodes that the first cell
with two candidates makes; factors from 2 to 8 differ by a tenth.

A search can stop between any two nodes. What it stands at is in ``stack`` and ``at``, so that it
goes on when it is called again.
"""

from __future__ import annotations

from typing import NamedTuple, Self

import numpy as np

from bddsudoku.engine.bitboard.propagation import (
    CELL,
    CELLS,
    CHANGED,
    DEAD,
    DIGITS,
    HOUSES,
    LEVELS,
    PEERS,
    STABLE,
    STATE,
    STRIDE,
    bivalue_cells,
    copy_without_bits,
    fill_state,
    words_with_bit,
)
from bddsudoku.engine.bitboard.propagation import propagate_step as step
from bddsudoku.jit import kernel, subroutine
from bddsudoku.jit.decorators import I64, U8, U64, Flags, lowest_bit_index, popcount

FACTOR = 4
"""Weight of a candidate in a cell with two; others weigh 1."""

COUNTED, FIRST, ALL = range(3)
"""What happens to solutions beside counting: nothing; a board's first is kept; all are."""

BOARD, DEPTH, FOUND, NODES, WRITTEN = range(5)
"""Where a search stands: number of the board; level of its next node, -1 if it has not begun;
solutions and nodes of this board so far; solutions written."""

U0, U1, U2 = np.uint64(0), np.uint64(1), np.uint64(2)
EVEN = np.uint64(sum(1 << 2 * d for d in range(DIGITS)))
NO_WORD = np.uint64(STATE)
EXTRA = np.uint64(FACTOR - 1)


def new_stack() -> U64:
    """Allocate the stack of states of one search: 16 KB."""
    stack = np.zeros(LEVELS * STRIDE + 8, dtype=np.uint64)
    begin = -stack.ctypes.data % 64 // 8  # lines of the cache
    return stack[begin : begin + LEVELS * STRIDE].reshape(LEVELS, STRIDE)


def new_resume_point() -> I64:
    """Allocate the record from which the next call of :func:`run_bitboard_search` resumes."""
    state = np.zeros(5, dtype=np.int64)
    state[DEPTH] = -1
    return state


@kernel
def fill_states(boards, states):  # type: ignore[no-untyped-def]
    """Convert boards (uint8 digits or uint16 masks, (n, 81)) to states (uint64, (n, 18))."""
    for i in range(boards.shape[0]):
        fill_state(boards, i, states, i)


@subroutine
def propagate(stack, level):  # type: ignore[no-untyped-def]
    """Propagate a state until nothing changes; return DEAD, STABLE or SOLVED."""
    while True:
        verdict = step(stack, level)
        if verdict != CHANGED:
            return verdict


@subroutine
def _digit_with_two_places(state):  # type: ignore[no-untyped-def]
    """Return a digit that has two places in a house, and the word and the bit of one place.

    The bit is 0 if there is no such digit.
    """
    best = np.int64(-1)
    digit, half, bit = U0, U0, U0
    for d in range(DIGITS):
        for h in range(len(HOUSES)):
            low = state[2 * d] & HOUSES[h, 0]
            high = state[2 * d + 1] & HOUSES[h, 1]
            if popcount(low) + popcount(high) != U2:
                continue
            score = np.int64(0)
            side, place = U0, U0
            while low | high:
                side = U0 if low else U1
                word = low if low else high
                where = lowest_bit_index(word)
                place = U1 << where
                if low:
                    low ^= place
                else:
                    high ^= place
                score += np.int64(popcount(state[2 * d] & PEERS[side, where, 0]))
                score += np.int64(popcount(state[2 * d + 1] & PEERS[side, where, 1]))
            if score > best:
                best = score
                digit, half, bit = np.uint64(d), side, place
    return digit, half, bit


@subroutine
def _mrv_candidate(stack, level):  # type: ignore[no-untyped-def]
    """Return the digit, word and bit of a candidate in an open cell with fewest candidates."""
    fewest = np.uint64(DIGITS + 1)
    digit, half, bit = U0, U0, U0
    for h in range(2):
        for b in range(64):
            place = U1 << np.uint64(b)
            held = words_with_bit(stack, level, place) >> np.uint64(h) & EVEN
            count = popcount(held)
            if U1 < count < fewest:
                fewest = count
                digit, half, bit = lowest_bit_index(held) >> U1, np.uint64(h), place
    return digit, half, bit


@subroutine
def copy_with_candidate(stack, to, level, digit, half, bit):  # type: ignore[no-untyped-def]
    """Copy a state and, in the copy, fix a digit in the cell that ``half`` and ``bit`` denote."""
    copy_without_bits(stack, to, level, NO_WORD, U0)
    row = stack[to]
    for other in range(DIGITS):
        if np.uint64(other) != digit:
            row[np.uint64(2 * other) + half] &= ~bit


@subroutine
def split_state(stack, level):  # type: ignore[no-untyped-def]
    """Branch on an undecided state: one branch replaces it, the other is pushed on the stack."""
    row = stack[level]
    low, high = bivalue_cells(stack, level)
    best = np.int64(-1)
    first, second, bit = U0, U0, U0
    for half in range(2):
        cells = low if half == 0 else high
        while cells:
            where = lowest_bit_index(cells)
            place = U1 << where
            cells ^= place
            words = words_with_bit(stack, level, place) & EVEN << np.uint64(half)
            one = lowest_bit_index(words)
            two = lowest_bit_index(words & words - U1)
            p, q = PEERS[half, where, 0], PEERS[half, where, 1]
            a, b = row[one & ~U1] & p, row[one | U1] & q
            c, d = row[two & ~U1] & p, row[two | U1] & q
            seen = popcount(a) + popcount(b) + popcount(c) + popcount(d)
            tight = popcount(a & low) + popcount(b & high) + popcount(c & low) + popcount(d & high)
            score = np.int64(seen + EXTRA * tight)
            if score > best:
                best = score
                first, second, bit = one, two, place
    if best >= 0:
        copy_without_bits(stack, level + 1, level, second, bit)
        copy_without_bits(stack, level, level, first, bit)
        return
    digit, half_of, bit = _digit_with_two_places(row)
    if bit == U0:
        digit, half_of, bit = _mrv_candidate(stack, level)
    copy_with_candidate(stack, level + 1, level, digit, half_of, bit)
    row[digit + digit + half_of] &= ~bit


@subroutine
def visit_node(stack, level):  # type: ignore[no-untyped-def]
    """Propagate a node and branch; return the next node's level and whether this one is solved."""
    verdict = propagate(stack, level)
    if verdict == STABLE:
        split_state(stack, level)
        return level + 1, False
    return level - 1, verdict != DEAD


@subroutine
def write_solution(state, out):  # type: ignore[no-untyped-def]
    """Write the digits of a solved state to 81 bytes."""
    for d in range(DIGITS):
        for half in range(2):
            word = state[2 * d + half]
            while word:
                out[CELL[half, lowest_bit_index(word)]] = d + 1
                word &= word - U1


class SolutionTally(NamedTuple):
    """Results of a search of many boards: counts, and a solution of each.

    Attributes:
        counts: uint64, (n,): solutions found. They are visited one by one, so that 2⁶⁴ are out of
            reach.
        exact: bool, (n,): whether that are all; False where the limit or the nodes ended it first.
        nodes: int64, (n,): states that were propagated: 1 where no guess was needed.
        solutions: uint8, (n, 81): a solution of each board, zeros where none was found; (0, 81)
            if none was asked for.
    """

    counts: U64
    exact: Flags
    nodes: I64
    solutions: U8

    @classmethod
    def zeros(cls, size: int, solutions: int = 0) -> Self:
        """The tally of a search that has not begun."""
        return cls(
            np.zeros(size, dtype=np.uint64),
            np.zeros(size, dtype=np.bool_),
            np.zeros(size, dtype=np.int64),
            np.zeros((solutions, CELLS), dtype=np.uint8),
        )


@kernel
def run_bitboard_search(states, stack, resume_at, tally, keep, limit, max_nodes, node_budget):  # type: ignore[no-untyped-def]
    """Count or list the solutions of boards; True when done, False after `node_budget` nodes.

    Args:
        states: uint64, (n, 18): the boards, by :func:`fill_states`.
        stack: by :func:`new_stack`.
        resume_at: by :func:`new_resume_point`; says where the search stands.
        tally: counts, ``exact`` and nodes of a board are written once it is done. What is done with
            solutions says ``keep``. ``FIRST``: a board's first is written into its row. ``ALL``:
            they are written one after the other from ``at[WRITTEN]`` on; the search stops where
            there is no room for one.
        keep: ``COUNTED``, ``FIRST`` or ``ALL``.
        limit: a board is done with so many solutions; 0: with all.
        max_nodes: a board is done, at the latest, with so many nodes; 0: with all.
        node_budget: stop after so many nodes.
    """
    board, level, found = resume_at[BOARD], resume_at[DEPTH], resume_at[FOUND]
    spent, written = resume_at[NODES], resume_at[WRITTEN]
    end = len(states)
    full = False
    while board < end and node_budget > 0 and not full:
        if level < 0:
            for word in range(STATE):
                stack[0, word] = states[board, word]
            level = found = spent = 0
        ended = False
        while level >= 0 and not ended and node_budget > 0:
            following, solved = visit_node(stack, level)
            if solved:
                full = keep == ALL and written == len(tally.solutions)
                if full:
                    break
                if keep == FIRST and found == 0:
                    write_solution(stack[level], tally.solutions[board])
                elif keep == ALL:
                    write_solution(stack[level], tally.solutions[written])
                    written += 1
                found += 1
            node_budget -= 1
            spent += 1
            level = following
            ended = found == limit > 0 or spent == max_nodes > 0
        if level < 0 or ended:
            tally.counts[board] = found
            tally.exact[board] = level < 0
            tally.nodes[board] = spent
            board += 1
            level = -1
    resume_at[BOARD], resume_at[DEPTH], resume_at[FOUND] = board, level, found
    resume_at[NODES], resume_at[WRITTEN] = spent, written
    return board == end
