"""Four dot products at a time, as vector instructions that numba does not find."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

__all__ = ["STEP", "dot_four"]

STEP = 32
"""Entries that are multiplied together: lengths are multiples of it."""
_WORD, _HALF, _LONG = ir.IntType(32), ir.IntType(16), ir.IntType(64)
_HALVES = ir.VectorType(_HALF, STEP)
_WHOLE = ir.VectorType(_WORD, STEP)
_SUMS = ir.VectorType(_WORD, STEP // 2)


def _lanes(builder: Any, one: ir.Value, other: ir.Value, lanes: range | list[int]) -> ir.Value:
    mask = ir.Constant(ir.VectorType(_WORD, len(lanes)), list(lanes))
    return builder.shuffle_vector(one, other, mask)


def _folded(builder: Any, one: ir.Value, other: ir.Value) -> ir.Value:
    """Sums of neighbours, of one vector and then of the other."""
    width = one.type.count + other.type.count
    even = _lanes(builder, one, other, range(0, width, 2))
    return builder.add(even, _lanes(builder, one, other, range(1, width, 2)))


def _four(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    row, *rows, steps = (arguments[n] for n in (1, 3, 4, 5, 6, 7))

    def start(position: int) -> Any:
        kind = signature.args[position]
        return context.make_array(kind)(context, builder, arguments[position]).data

    lefts, rights = start(0), start(2)
    before = builder.block
    body, after = builder.append_basic_block("dots"), builder.append_basic_block("dotted")
    builder.branch(body)
    builder.position_at_end(body)
    n = builder.phi(_LONG)
    sums = [builder.phi(_SUMS) for _ in rows]
    n.add_incoming(_LONG(0), before)
    at = builder.mul(n, _LONG(STEP))

    def entries(data: Any, offset: Any) -> Any:
        pointer = builder.gep(data, [builder.add(offset, at)])
        loaded = builder.load(builder.bitcast(pointer, _HALVES.as_pointer()), align=64)
        return builder.sext(loaded, _WHOLE)

    mine = entries(lefts, row)
    for total, other in zip(sums, rows, strict=True):
        product = builder.mul(mine, entries(rights, other))
        # neighbours are added: what an instruction does together with the product
        even = _lanes(builder, product, product, range(0, STEP, 2))
        odd = _lanes(builder, product, product, range(1, STEP, 2))
        total.add_incoming(ir.Constant(_SUMS, None), before)
        total.add_incoming(builder.add(total, builder.add(even, odd)), body)
    following = builder.add(n, _LONG(1))
    n.add_incoming(following, body)
    finals = [total.incomings[1][0] for total in sums]
    builder.cbranch(builder.icmp_signed("<", following, steps), body, after)
    builder.position_at_end(after)
    short = []
    for total in finals:
        quarters = [_lanes(builder, total, total, range(k, k + 4)) for k in range(0, STEP // 2, 4)]
        one, two = builder.add(*quarters[:2]), builder.add(*quarters[2:])
        short.append(builder.add(one, two))
    found = _folded(builder, _folded(builder, *short[:2]), _folded(builder, *short[2:]))
    target = builder.bitcast(start(8), found.type.as_pointer())
    builder.store(found, target, align=4)
    return context.get_dummy_value()


def _dot_four(typing_context, left, row, right, a, b, c, d, steps, out):  # type: ignore[no-untyped-def]
    """Typing: positions are int64."""
    whole = types.int64
    return types.void(left, whole, right, whole, whole, whole, whole, whole, out), _four


dot_four: Any = intrinsic(_dot_four)
"""``dot_four(left, row, right, a, b, c, d, steps, out)``: for the four r of (a, b, c, d)

    out[…] = sum of left[row + k] * right[r + k] for k from 0 to STEP * steps - 1

``left`` and ``right`` are C-contiguous int16 that begin on multiples of 64 bytes, rows are
multiples of 32, ``steps`` is at least 1, and ``out`` (4,) int32 holds the sums. Nothing is checked.
"""
