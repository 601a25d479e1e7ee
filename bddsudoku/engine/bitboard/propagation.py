"""The rules of Sudoku on all digits and bands at once, as arithmetic on vectors of words.

Every function takes and gives vectors of 32-bit words laid out as :mod:`.vectors` says, four lanes
a digit: numpy arrays (uint32), or :class:`.vectors.Vector` while machine code is written. A whole
state is three vectors, of four, four and one digits, so that nothing is spent on digits that do
not exist.

One :func:`step` finds naked singles, locked candidates in rows and columns, and hidden singles in
rows; hidden singles in columns and blocks need no look of their own: locked candidates reduce them
to those in rows. Lookup tables for a band, as most fast programs have them, do the same to one word
at a time.

What the kernels do with a whole state at once, as instructions that numba does not have.

``stack`` is a C-contiguous uint64 array of shape (levels, :data:`.vectors.STRIDE`); ``level`` and
its like are int64, words of bits uint64. Nothing is checked.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic
from numpy.typing import NDArray

from bddsudoku.engine.bitboard.vectors import (
    BIT,
    BYTE,
    CELLS,
    DIGITS,
    HALF,
    LANES,
    LONG,
    ROW,
    STATE,
    STRIDE,
    WORD,
    Vector,
)

PARTS = (16, 16, 4)
"""Lanes of the three vectors of a state."""

FIRST = 1 | 1 << ROW | 1 << 2 * ROW
"""The first cell of every row of a band."""
FULL = 0o777 * FIRST
"""All 27 cells of a band."""
CARRY = FIRST << 9
"""The free bit behind every row."""
_EMPTY = 0o111 * FIRST
"""The first cell of every row in every block."""


W = TypeVar("W", Vector, NDArray[np.integer[Any]])
"""What rules are written for."""


class Step(NamedTuple, Generic[W]):
    """What one step has made of a state.

    Attributes:
        state: the candidates left.
        unsettled: lanes of the three bands: cells that had more than one candidate *before*.
        wrong: for every part, non-zero if the state has no solution.
        changed: for every part, non-zero where candidates have gone.
    """

    state: Sequence[W]
    unsettled: W
    wrong: Sequence[W]
    changed: Sequence[W]


def _bands(word: int, lanes: int) -> NDArray[np.uint32]:
    """A word for every band, 0 in the lanes that are none."""
    return np.array(([word] * (LANES - 1) + [0]) * (lanes // LANES), dtype=np.uint32)


def _each(lanes: W, like: W) -> W:
    """The lanes of one digit for as many digits as another vector has."""
    return lanes.take([i % LANES for i in range(len(like))])


def _turned(x: W, by: int) -> W:
    """Every digit's bands, turned by so many places."""
    order = [(0 + by) % 3, (1 + by) % 3, (2 + by) % 3, 3]
    return x.take([i - i % LANES + order[i % LANES] for i in range(len(x))])


def rows_with(x: W) -> W:
    """All cells of the rows (in each lane) in which there is a bit."""
    carry = x + FULL & CARRY
    return carry - (carry >> 9)


def with_gaps(x: W) -> W:
    """27 cells without a free bit behind each row, moved to where they belong."""
    first = (1 << 9) - 1
    return (x & first) | (x << 1 & first << ROW) | (x << 2 & first << 2 * ROW)


def opened(parts: Sequence[W]) -> list[W]:
    """From the hints of every digit: the candidates of hints and of open cells."""
    (taken,) = at_least(1, parts)
    return [x | (~_each(taken, x) & _bands(FULL, len(x))) for x in parts]


def at_least(k: int, parts: Sequence[W]) -> list[W]:
    """Cells that have at least 1, 2, … k bits among all digits, each as the lanes of one digit."""
    a, b, c = parts
    counts = _added(k, [a], [b])
    while (lanes := len(counts[0])) > LANES:
        half = lanes // 2
        counts = _added(
            k,
            [x.take(range(half)) for x in counts],
            [x.take(range(half, lanes)) for x in counts],
        )
    return _added(k, counts, [c])


def _added(k: int, a: list[W], b: list[W]) -> list[W]:
    """At least 1, 2, … k of two sets together, of each of which that is known."""
    out = []
    for n in range(1, min(k, len(a) + len(b)) + 1):
        terms = [x[n - 1] for x in (a, b) if n <= len(x)]
        terms += [a[i - 1] & b[n - i - 1] for i in range(1, n) if i <= len(a) and n - i <= len(b)]
        total = terms[0]
        for term in terms[1:]:
            total = total | term
        out.append(total)
    return out


def bivalue(parts: Sequence[W]) -> W:
    """Cells with exactly two candidates, as the lanes of the three bands."""
    _, two, three = at_least(3, parts)
    return two & ~three


def locked_in_rows(x: W) -> W:
    """Keep what some way of giving a band's three rows a block each allows.

    In a band, a digit stands once in every row and once in every block. A row of a block can hold
    it only if the other two rows can hold it in the other two blocks, in one way or the other.
    This is all that locked candidates say about rows and blocks, and nothing is left of a band
    that contradicts itself.
    """
    some = (x | x >> 1 | x >> 2) & _EMPTY
    # one and two blocks further, in the same row
    one = (some >> 3 & 0o011 * FIRST) | (some << 6 & 0o100 * FIRST)
    two = (some >> 6 & 0o001 * FIRST) | (some << 3 & 0o110 * FIRST)
    # one and two rows further; what leaves the band on one side comes back on the other
    straight = (one >> ROW | one << 2 * ROW) & (two >> 2 * ROW | two << ROW)
    crossed = (two >> ROW | two << 2 * ROW) & (one >> 2 * ROW | one << ROW)
    kept = some & (straight | crossed)
    return x & (kept | kept << 1 | kept << 2)


def locked_in_columns(x: W) -> W:
    """The same for the three columns of a stack and the three bands."""
    some = (x | x >> ROW | x >> 2 * ROW) & 0o777
    one = (some >> 1 & 0o333) | (some << 2 & 0o444)
    two = (some >> 2 & 0o111) | (some << 1 & 0o666)
    straight = _turned(one, 1) & _turned(two, 2)
    crossed = _turned(two, 1) & _turned(one, 2)
    kept = some & (straight | crossed)
    return x & (kept | kept << ROW | kept << 2 * ROW)


def hidden_in_rows(x: W) -> W:
    """Cells that are a digit's only one in their row; in no row may the digit be missing."""
    return x & ~rows_with(x & (x - FIRST))


def step(parts: Sequence[W]) -> Step[W]:
    """Take away candidates that cannot stand: one round, to be repeated until nothing changes.

    A state is solved when nothing changes, nothing is wrong and no cell is unsettled.
    """
    some, many = at_least(2, parts)
    single = some & ~many
    state, hidden, wrong = [], [], []
    for x in parts:
        naked = x & _each(single, x)
        carry = naked + FULL & CARRY
        first = carry >> 9
        wrong.append(naked & (naked - first))  # the same digit twice in a row
        x = x & (~(carry - first) | naked)
        x = locked_in_columns(locked_in_rows(x))
        state.append(x)
        hidden.append(hidden_in_rows(x))
    settled, twice = at_least(2, hidden)
    for i, (x, own) in enumerate(zip(state, hidden, strict=True)):
        x = x & (~_each(settled, x) | own)
        wrong[i] = wrong[i] | (x + FULL & CARRY) ^ _bands(CARRY, len(x))  # a row without the digit
        state[i] = x
    wrong[-1] = wrong[-1] | some ^ _bands(FULL, LANES) | twice
    return Step(state, many, wrong, [x ^ y for x, y in zip(state, parts, strict=True)])


CHANGED, DEAD, STABLE, SOLVED = range(4)
"""What one step says of a state: candidates have gone; no solution; nothing to do but to try;
a solution."""


# Memory


def _row(context: Any, builder: Any, kind: Any, array: Any, row: Any, stride: int) -> ir.Value:
    """A pointer to the first element of a row."""
    data = context.make_array(kind)(context, builder, array).data
    return builder.gep(data, [builder.mul(row, LONG(stride))])


def _state(context: Any, builder: Any, kind: Any, array: Any, level: Any) -> ir.Value:
    pointer = _row(context, builder, kind, array, level, STRIDE)
    return builder.bitcast(pointer, WORD.as_pointer())


def _loaded(builder: Any, pointer: ir.Value) -> list[Vector]:
    """The three parts of a state."""
    parts, at = [], 0
    for lanes in PARTS:
        parts.append(Vector.load(builder, pointer, at, lanes, WORD))
        at += lanes
    return parts


def _stored(pointer: ir.Value, parts: Sequence[Vector]) -> None:
    at = 0
    for part in parts:
        part.store(pointer, at)
        at += len(part)


def _total(builder: Any, bits: Sequence[ir.Value]) -> ir.Value:
    """Whether any of some bits is set."""
    found = bits[0]
    for bit in bits[1:]:
        found = builder.or_(found, bit)
    return found


# Instructions


def _step(typing, stack, level):  # type: ignore[no-untyped-def]
    """One round of all"""

    def codegen(context, builder, signature, args):  # type: ignore[no-untyped-def]
        pointer = _state(context, builder, signature.args[0], *args)
        done = step(_loaded(builder, pointer))
        _stored(pointer, done.state)
        wrong = _total(builder, [part.any() for part in done.wrong])
        changed = _total(builder, [part.any() for part in done.changed])
        stable = builder.select(done.unsettled.any(), LONG(STABLE), LONG(SOLVED))
        alive = builder.select(changed, LONG(CHANGED), stable)
        return builder.select(wrong, LONG(DEAD), alive)

    return types.int64(stack, types.int64), codegen


def _bivalue_cells(typing, stack, level):  # type: ignore[no-untyped-def]
    """Cells with exactly two candidates."""

    def codegen(context, builder, signature, args):  # type: ignore[no-untyped-def]
        pointer = _state(context, builder, signature.args[0], *args)
        cells = bivalue(_loaded(builder, pointer)).cast(LONG)
        return context.make_tuple(builder, signature.return_type, [cells[0], cells[1]])

    pair: Any = types.UniTuple
    return pair(types.uint64, 2)(stack, types.int64), codegen


def _digits_with(typing, stack, level, cell):  # type: ignore[no-untyped-def]
    """Which of the 18 words of a state hold a bit."""

    def codegen(context, builder, signature, args):  # type: ignore[no-untyped-def]
        pointer = _state(context, builder, signature.args[0], *args[:2])
        found, at = LONG(0), 0
        for part in _loaded(builder, pointer):
            words = part.cast(LONG)
            bits = builder.zext((words & words.splat(args[2])).holds(), LONG)
            found = builder.or_(found, builder.shl(bits, LONG(at)))
            at += len(words)
        return found

    return types.uint64(stack, types.int64, types.uint64), codegen


def _copy_without(typing, stack, to, level, word, cells):  # type: ignore[no-untyped-def]
    """Copy a state, less some bits of one of its words."""

    def codegen(context, builder, signature, args):  # type: ignore[no-untyped-def]
        array, to, level, word, cells = args
        kind = signature.args[0]
        target = _state(context, builder, kind, array, to)
        kept, at = [], 0
        for part in _loaded(builder, _state(context, builder, kind, array, level)):
            words = part.cast(LONG)
            less = words & ~words.splat(cells)
            kept.append(words.select(builder.sub(word, LONG(at)), less).cast(WORD))
            at += len(words)
        _stored(target, kept)
        return context.get_dummy_value()

    return types.void(stack, types.int64, types.int64, types.uint64, types.uint64), codegen


def _fill(typing, boards, board, states, state):  # type: ignore[no-untyped-def]
    """Write a board's candidates into a state."""
    element = boards.dtype
    if element not in (types.uint8, types.uint16):
        return None
    masks = element == types.uint16

    def codegen(context, builder, signature, args):  # type: ignore[no-untyped-def]
        kinds = signature.args
        source = _row(context, builder, kinds[0], args[0], args[1], CELLS)
        target = _row(context, builder, kinds[2], args[2], args[3], STATE)
        cells = [
            Vector.load(builder, source, at, lanes, HALF if masks else BYTE)
            for at, lanes in ((0, 64), (64, 16), (80, 1))
        ]
        words: list[ir.Value] = []
        for digit in range(1, DIGITS + 1):
            found = [
                (part & (1 << digit - 1)).holds() if masks else part.equals(digit) for part in cells
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
        parts, at = [], 0
        for lanes in PARTS:
            part = Vector.gather(builder, words[at : at + lanes // 2]).cast(WORD)
            at += lanes // 2
            parts.append(with_gaps(part))
        if not masks:
            parts = opened(parts)
        _stored(builder.bitcast(target, WORD.as_pointer()), parts)
        return context.get_dummy_value()

    return types.void(boards, types.int64, states, types.int64), codegen


def _trailing_zeros(typing, word):  # type: ignore[no-untyped-def]
    """Position of the lowest bit of a word that is not 0."""

    def codegen(context, builder, signature, args):  # type: ignore[no-untyped-def]
        return builder.cttz(args[0], BIT(1))

    return types.uint64(types.uint64), codegen


def _ones(typing, word):  # type: ignore[no-untyped-def]
    """Number of bits of a word."""

    def codegen(context, builder, signature, args):  # type: ignore[no-untyped-def]
        return builder.ctpop(args[0])

    return types.uint64(types.uint64), codegen


step_kernel: Any = intrinsic(_step)
"""``step(stack, level)``: take candidates away, one round; one of :data:`CHANGED`, ….

A state that is told to be solved is one candidate a cell, in agreement with all """
bivalue_cells: Any = intrinsic(_bivalue_cells)
"""``bivalue_cells(stack, level)``: the cells with exactly two candidates, one word a half."""
digits_with: Any = intrinsic(_digits_with)
"""``digits_with(stack, level, bit)``: bit w is set if word w of the state holds the bit: the
digits that a cell can take stand in every other bit, from the cell's half on."""
copy_without: Any = intrinsic(_copy_without)
"""``copy_without(stack, to, level, word, bits)``: a copy in which a word lacks some bits; no word
if there is none of that number."""
fill: Any = intrinsic(_fill)
"""``fill(boards, board, states, state)``: a row of digits (uint8, 0 where open) or of candidate
masks (uint16), 81 of them, becomes a row of ``states`` (uint64, of 18)."""
trailing_zeros: Any = intrinsic(_trailing_zeros)
"""Position of the lowest set bit of a ``uint64`` that is not 0."""
ones: Any = intrinsic(_ones)
"""Number of set bits of a ``uint64``."""
