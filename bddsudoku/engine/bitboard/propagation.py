"""Propagation of Sudoku's rules on all digits and bands at once, by arithmetic on vectors.

A *state*, all candidates of a board, is 36 words of 32 bits, four for each digit: a word for each
of the three bands, and one that stays 0, so that a digit fills 128 bits. In a word, bit 10 r + c
stands for the cell in row r of the band (0 to 2) and column c (0 to 8); the tenth bit of each row
is free and takes carries. Loops over single cells see the same memory as 18 words of 64 bits:
``state[2 d]`` holds digit d + 1 in the first two bands, ``state[2 d + 1]`` in the third. So a cell
is a *half* (0 or 1) and a bit. The order of the halves is that of a little-endian machine, which
numba's are.

Every function takes and gives vectors of 32-bit words laid out in this way, four lanes a digit. A
whole state is three vectors, of four, four and one digits, so that nothing is spent on digits that
do not exist.

One :func:`propagate_once` finds naked singles, locked candidates in rows and columns, and hidden
singles in rows; hidden singles in columns and blocks need no look of their own: locked candidates
reduce them to those in rows. Lookup tables for a band, as most fast programs have them, do the same
to one word at a time.

What the kernels do with a whole state at once are instructions that numba does not have: their
``stack`` is a C-contiguous uint64 array of shape (levels, :data:`STRIDE`); ``level`` and its like
are int64, words of bits uint64. Nothing is checked.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir
from numba import types

from bddsudoku.engine.classic_board import HOUSES as CELLS_OF_HOUSES
from bddsudoku.engine.classic_board import PEERS as PEERS_OF_CELLS
from bddsudoku.jit.decorators import I64, U32, U64
from bddsudoku.jit.llvm_vectors import HALF, LONG, WORD, Vector, llvm_intrinsic

DIGITS = 9
CELLS = 81
ROW = 10
"""Bits from one row of a band to the next."""
LANES = 4
"""Words of 32 bits for a digit: three bands and a zero."""
STATE = DIGITS * LANES // 2
"""Words of 64 bits in a state."""
STRIDE = 24
"""Words of 64 bits from one state on the stack to the next: whole lines of the cache."""
LEVELS = CELLS + 3
"""States on the stack; one more cell is settled on every level, and one state is to spare."""


def word_and_bit(cell: int) -> tuple[int, int]:
    """Return the place of a cell (0 to 80) in a state: word 0 or 1 of each digit, and the bit."""
    row, column = divmod(cell, 9)
    band = row // 3
    return band // 2, 32 * (band % 2) + ROW * (row % 3) + column


def _cell_set_masks(cell_sets: I64) -> U64:
    """Convert sets of cells to bit masks in the layout of a state, two words each."""
    table = np.zeros((len(cell_sets), 2), dtype=np.uint64)
    for number, cells in enumerate(cell_sets.tolist()):
        for half, bit in map(word_and_bit, cells):
            table[number, half] |= np.uint64(1 << bit)
    return table


PLACE = np.array([word_and_bit(cell) for cell in range(CELLS)])
"""The half and bit of a cell, shape (81, 2)."""
CELL = np.zeros((2, 64), dtype=np.int64)
"""The cell of a half and a bit, shape (2, 64); 0 where there is none."""
CELL[PLACE[:, 0], PLACE[:, 1]] = np.arange(CELLS)
HOUSES = _cell_set_masks(CELLS_OF_HOUSES)
"""The cells of rows, columns and blocks as bits, shape (27, 2)."""
PEERS = np.zeros((2, 64, 2), dtype=np.uint64)
"""The 20 cells that share a house with one, as bits: by its half and bit, shape (2, 64, 2)."""
PEERS[PLACE[:, 0], PLACE[:, 1]] = _cell_set_masks(PEERS_OF_CELLS)


PARTS = (16, 16, 4)
"""Lanes of the three vectors of a state."""
STARTS = (0, 16, 32)
"""Where they begin."""

FIRST = 1 | 1 << ROW | 1 << 2 * ROW
"""The first cell of every row of a band."""
FULL = 0o777 * FIRST
"""All 27 cells of a band."""
CARRY = FIRST << 9
"""The free bit behind every row."""
_EMPTY_LANES = 0o111 * FIRST
"""The first cell of every row in every block."""


class PropagationStep(NamedTuple):
    """The result of one propagation step.

    Attributes:
        state: the candidates left.
        unsettled: lanes of the three bands: cells that had more than one candidate *before*.
        wrong: for every part, non-zero if the state has no solution.
        changed: for every part, non-zero where candidates have gone.
    """

    state: Sequence[Vector]
    unsettled: Vector
    wrong: Sequence[Vector]
    changed: Sequence[Vector]


def _word_in_every_band(word: int, lanes: int) -> U32:
    """Make a vector with a given word for every band, and 0 in the unused lanes."""
    return np.array(([word] * (LANES - 1) + [0]) * (lanes // LANES), dtype=np.uint32)


def _repeat_lanes(lanes: Vector, like: Vector) -> Vector:
    """Repeat the lanes of one digit (three bands, one unused lane) to the length of `like`."""
    return lanes.take([i % LANES for i in range(len(like))])


def _rotate_bands(x: Vector, steps: int) -> Vector:
    order = [(0 + steps) % 3, (1 + steps) % 3, (2 + steps) % 3, 3]
    return x.take([i - i % LANES + order[i % LANES] for i in range(len(x))])


def fill_touched_rows(x: Vector) -> Vector:
    """In each lane, set all bits of every row that contains a set bit."""
    carry = x + FULL & CARRY
    return carry - (carry >> 9)


def insert_row_gaps(x: Vector) -> Vector:
    """Insert a zero bit after each of the three 9-bit rows of a band's 27 bits."""
    first = (1 << 9) - 1
    return (x & first) | (x << 1 & first << ROW) | (x << 2 & first << 2 * ROW)


def initial_candidates(hints: Sequence[Vector]) -> list[Vector]:
    """The candidates of a board, given its hints by digit: open cells take all nine digits."""
    (taken,) = cells_with_at_least(1, hints)
    return [x | (~_repeat_lanes(taken, x) & _word_in_every_band(FULL, len(x))) for x in hints]


def cells_with_at_least(k: int, parts: Sequence[Vector]) -> list[Vector]:
    """For n = 1 to k, the set of cells with at least n candidates, as a vector of three bands."""
    a, b, c = parts
    counts = _merge_cell_counts(k, [a], [b])
    while (lanes := len(counts[0])) > LANES:
        half = lanes // 2
        counts = _merge_cell_counts(
            k, [x.take(range(half)) for x in counts], [x.take(range(half, lanes)) for x in counts]
        )
    return _merge_cell_counts(k, counts, [c])


def _merge_cell_counts(k: int, a: list[Vector], b: list[Vector]) -> list[Vector]:
    """Merge the results of :func:`cells_with_at_least` for two disjoint sets of digits."""
    out = []
    for n in range(1, min(k, len(a) + len(b)) + 1):
        terms = [x[n - 1] for x in (a, b) if n <= len(x)]
        terms += [a[i - 1] & b[n - i - 1] for i in range(1, n) if i <= len(a) and n - i <= len(b)]
        total = terms[0]
        for term in terms[1:]:
            total = total | term
        out.append(total)
    return out


def cells_with_two(parts: Sequence[Vector]) -> Vector:
    """The set of cells with exactly two candidates, as a vector of three bands."""
    _, two, three = cells_with_at_least(3, parts)
    return two & ~three


def prune_locked_in_rows(x: Vector) -> Vector:
    """Keep candidates that occur when their digit is placed in each row and block of a band.

    In a band, a digit stands once in every row and once in every block. A row of a block can hold
    it only if the other two rows can hold it in the other two blocks, in one way or the other.
    This is all that locked candidates say about rows and blocks, and nothing is left of a band
    that contradicts itself.
    """
    some = (x | x >> 1 | x >> 2) & _EMPTY_LANES
    # one and two blocks further, in the same row
    one = (some >> 3 & 0o011 * FIRST) | (some << 6 & 0o100 * FIRST)
    two = (some >> 6 & 0o001 * FIRST) | (some << 3 & 0o110 * FIRST)
    # one and two rows further; what leaves the band on one side comes back on the other
    straight = (one >> ROW | one << 2 * ROW) & (two >> 2 * ROW | two << ROW)
    crossed = (two >> ROW | two << 2 * ROW) & (one >> 2 * ROW | one << ROW)
    kept = some & (straight | crossed)
    return x & (kept | kept << 1 | kept << 2)


def prune_locked_in_columns(x: Vector) -> Vector:
    """Keep candidates that occur when their digit is placed in each column and block of a stack."""
    some = (x | x >> ROW | x >> 2 * ROW) & 0o777
    one = (some >> 1 & 0o333) | (some << 2 & 0o444)
    two = (some >> 2 & 0o111) | (some << 1 & 0o666)
    straight = _rotate_bands(one, 1) & _rotate_bands(two, 2)
    crossed = _rotate_bands(two, 1) & _rotate_bands(one, 2)
    kept = some & (straight | crossed)
    return x & (kept | kept << ROW | kept << 2 * ROW)


def hidden_singles_in_rows(x: Vector) -> Vector:
    """Of each digit's places, keep those that are the digit's only place in their row."""
    return x & ~fill_touched_rows(x & (x - FIRST))


def propagate_once(parts: Sequence[Vector]) -> PropagationStep:
    """Apply one round of naked singles, locked candidates and hidden singles to a state.

    A state is solved when nothing changes, nothing is wrong and no cell is unsettled.
    """
    some, many = cells_with_at_least(2, parts)
    single = some & ~many
    state, hidden, wrong = [], [], []
    for x in parts:
        naked = x & _repeat_lanes(single, x)
        carry = naked + FULL & CARRY
        first = carry >> 9
        wrong.append(naked & (naked - first))  # the same digit twice in a row
        x = x & (~(carry - first) | naked)
        x = prune_locked_in_columns(prune_locked_in_rows(x))
        state.append(x)
        hidden.append(hidden_singles_in_rows(x))
    settled, twice = cells_with_at_least(2, hidden)
    for i, (x, own) in enumerate(zip(state, hidden, strict=True)):
        x = x & (~_repeat_lanes(settled, x) | own)
        wrong[i] = wrong[i] | (x + FULL & CARRY) ^ _word_in_every_band(
            CARRY, len(x)
        )  # a row without the digit
        state[i] = x
    wrong[-1] = wrong[-1] | some ^ _word_in_every_band(FULL, LANES) | twice
    return PropagationStep(state, many, wrong, [x ^ y for x, y in zip(state, parts, strict=True)])


CHANGED, DEAD, STABLE, SOLVED = range(4)
"""What one step says of a state: candidates have gone; no solution; nothing to do but to try;
a solution."""


# What the kernels do with a whole state at once

_PAIR: Any = types.UniTuple(types.uint64, 2)  # type: ignore[no-untyped-call]


def _state_pointer(builder: Any, stack: Any, level: Any) -> ir.Value:
    pointer = builder.gep(stack, [builder.mul(level, LONG(STRIDE))])
    return builder.bitcast(pointer, WORD.as_pointer())


def _load_state(builder: Any, pointer: ir.Value) -> list[Vector]:
    return [Vector.load(builder, pointer, at, n) for at, n in zip(STARTS, PARTS, strict=True)]


def _store_state(pointer: ir.Value, parts: Sequence[Vector]) -> None:
    for at, part in zip(STARTS, parts, strict=True):
        part.store(pointer, at)


@llvm_intrinsic(types.int64)
def propagate_step(builder, stack, level):  # type: ignore[no-untyped-def]
    """Propagate a state for one round; return CHANGED, DEAD, STABLE or SOLVED.

    A state that is told to be solved is one candidate a cell, in agreement with all rules.
    """
    pointer = _state_pointer(builder, stack, level)
    done = propagate_once(_load_state(builder, pointer))
    _store_state(pointer, done.state)
    wrong, changed = (
        reduce(builder.or_, [part.any() for part in parts]) for parts in (done.wrong, done.changed)
    )
    stable = builder.select(done.unsettled.any(), LONG(STABLE), LONG(SOLVED))
    alive = builder.select(changed, LONG(CHANGED), stable)
    return builder.select(wrong, LONG(DEAD), alive)


@llvm_intrinsic(_PAIR)
def bivalue_cells(builder, stack, level):  # type: ignore[no-untyped-def]
    """The cells with exactly two candidates: one word for bands 1 and 2, and one for band 3."""
    parts = _load_state(builder, _state_pointer(builder, stack, level))
    cells = cells_with_two(parts).bitcast(LONG)
    return [cells[0], cells[1]]


@llvm_intrinsic(types.uint64)
def words_with_bit(builder, stack, level, bit):  # type: ignore[no-untyped-def]
    """Which words of a state contain a given bit: bit w of the result stands for word w.

    The digits that a cell can take stand in every other bit, from the cell's half on.
    """
    found, at = LONG(0), 0
    for part in _load_state(builder, _state_pointer(builder, stack, level)):
        words = part.bitcast(LONG)
        bits = builder.zext((words & words.splat(bit)).nonzero_lanes(), LONG)
        found = builder.or_(found, builder.shl(bits, LONG(at)))
        at += len(words)
    return found


@llvm_intrinsic()
def copy_without_bits(builder, stack, to, level, word, bits):  # type: ignore[no-untyped-def]
    """Copy a state without some bits of one word; if ``word`` is out of range, copy all bits."""
    kept, at = [], 0
    for part in _load_state(builder, _state_pointer(builder, stack, level)):
        words = part.bitcast(LONG)
        less = words & ~words.splat(bits)
        kept.append(words.replace_lane(builder.sub(word, LONG(at)), less).bitcast(WORD))
        at += len(words)
    _store_state(_state_pointer(builder, stack, to), kept)


@llvm_intrinsic()
def fill_state(builder, boards, board, states, state):  # type: ignore[no-untyped-def]
    """Convert a row of digits (uint8, 0 where open) or masks (uint16) to a search state.

    A row has 81 of them; ``states`` is uint64, of 18.
    """
    masks = boards.type.pointee == HALF
    source = builder.gep(boards, [builder.mul(board, LONG(CELLS))])
    target = builder.gep(states, [builder.mul(state, LONG(STATE))])
    cells = [Vector.load(builder, source, at, lanes) for at, lanes in ((0, 64), (64, 16), (80, 1))]
    words: list[ir.Value] = []
    for digit in range(1, DIGITS + 1):
        found = [
            (part & (1 << digit - 1)).nonzero_lanes() if masks else part.equal_lanes(digit)
            for part in cells
        ]
        low, middle, last = (
            builder.zext(bits, LONG) if bits.type != LONG else bits for bits in found
        )
        high = builder.or_(middle, builder.shl(last, LONG(16)))
        # 27 cells of each band: bits 0 to 26 and 27 to 53 of the low word; the rest
        band = LONG((1 << 27) - 1)
        second = builder.and_(builder.lshr(low, LONG(27)), band)
        words.append(builder.or_(builder.and_(low, band), builder.shl(second, LONG(32))))
        words.append(builder.or_(builder.lshr(low, LONG(54)), builder.shl(high, LONG(10))))
    parts = [
        insert_row_gaps(Vector.from_words(builder, words[at // 2 : (at + n) // 2]).bitcast(WORD))
        for at, n in zip(STARTS, PARTS, strict=True)
    ]
    _store_state(
        builder.bitcast(target, WORD.as_pointer()), parts if masks else initial_candidates(parts)
    )
