"""What the kernels do with a whole state at once, as instructions that numba does not have.

``stack`` is a C-contiguous uint64 array of shape (levels, :data:`.layout.STRIDE`); ``level`` and
its like are int64, words of bits uint64. Nothing is checked.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from bddsudoku.engine.quick import rules
from bddsudoku.engine.quick.layout import CELLS, DIGITS, STATE, STRIDE
from bddsudoku.engine.quick.vectors import BIT, BYTE, HALF, LONG, WORD, Vector

__all__ = [
    "CHANGED", "DEAD", "SOLVED", "STABLE",
    "bivalue_cells", "copy_without", "digits_with", "fill", "ones", "step", "trailing_zeros",
]  # fmt: skip

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
    for lanes in rules.PARTS:
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
    """One round of all rules."""

    def codegen(context, builder, signature, args):  # type: ignore[no-untyped-def]
        pointer = _state(context, builder, signature.args[0], *args)
        done = rules.step(_loaded(builder, pointer))
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
        cells = rules.bivalue(_loaded(builder, pointer)).cast(LONG)
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
        for lanes in rules.PARTS:
            part = Vector.gather(builder, words[at : at + lanes // 2]).cast(WORD)
            at += lanes // 2
            parts.append(rules.with_gaps(part))
        if not masks:
            parts = rules.opened(parts)
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


step: Any = intrinsic(_step)
"""``step(stack, level)``: take candidates away, one round; one of :data:`CHANGED`, ….

A state that is told to be solved is one candidate a cell, in agreement with all rules."""
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
