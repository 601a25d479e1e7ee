"""Eight rows of a table turned into columns, as vector instructions that numba does not have."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

__all__ = ["EIGHT", "fetch", "turn_eight"]

EIGHT = 8
"""Rows that are turned at a time, and their entries."""
_HALF = ir.IntType(16)
_VECTOR = ir.VectorType(_HALF, EIGHT)
_LOW = [lane for n in range(EIGHT // 2) for lane in (n, EIGHT + n)]
_HIGH = [lane + EIGHT // 2 for lane in _LOW]


def _shuffled(builder: Any, one: ir.Value, other: ir.Value, lanes: list[int]) -> ir.Value:
    mask = ir.Constant(ir.VectorType(ir.IntType(32), EIGHT), lanes)
    return builder.shuffle_vector(one, other, mask)


def _turn(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    """Rows that are half of all apart are interleaved, three times over."""
    flat, *offsets, entry, out, stride, column = arguments
    data = context.make_array(signature.args[0])(context, builder, flat).data
    rows = []
    for offset in offsets:
        pointer = builder.gep(data, [builder.add(offset, entry)])
        rows.append(builder.load(builder.bitcast(pointer, _VECTOR.as_pointer()), align=2))
    for _ in range(3):
        pairs = [(rows[n], rows[n + EIGHT // 2]) for n in range(EIGHT // 2)]
        rows = [_shuffled(builder, *pair, lanes) for pair in pairs for lanes in (_LOW, _HIGH)]
    target = context.make_array(signature.args[10])(context, builder, out).data
    for n, row in enumerate(rows):
        line = builder.add(entry, ir.Constant(ir.IntType(64), n))
        pointer = builder.gep(target, [builder.add(builder.mul(line, stride), column)])
        builder.store(row, builder.bitcast(pointer, _VECTOR.as_pointer()), align=2 * EIGHT)
    return context.get_dummy_value()


def _turn_eight(  # type: ignore[no-untyped-def]
    typing_context, flat, a, b, c, d, e, f, g, h, entry, out, stride, column
):
    """Typing: positions are int64."""
    whole = [types.int64] * 9
    return types.void(flat, *whole, out, types.int64, types.int64), _turn


def _prefetch(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    flat, at = arguments
    data = context.make_array(signature.args[0])(context, builder, flat).data
    byte, word = ir.IntType(8).as_pointer(), ir.IntType(32)
    kind = ir.FunctionType(ir.VoidType(), [byte, word, word, word])
    told = builder.module.declare_intrinsic("llvm.prefetch", [byte], kind)
    where = builder.bitcast(builder.gep(data, [at]), byte)
    builder.call(told, [where, word(0), word(3), word(1)])  # to read, into all caches, data
    return context.get_dummy_value()


def _fetch(typing_context, flat, at):  # type: ignore[no-untyped-def]
    """Typing: the position is int64."""
    return types.void(flat, types.int64), _prefetch


fetch: Any = intrinsic(_fetch)
"""``fetch(flat, at)``: the cache line of ``flat[at]`` is wanted soon."""
turn_eight: Any = intrinsic(_turn_eight)
"""``turn_eight(flat, a, …, h, entry, out, stride, column)``: for n and k from 0 to 7

    out[(entry + n) * stride + column + k] = flat[(a, …, h)[k] + entry + n]

``flat`` and ``out`` are C-contiguous int16; ``out`` begins on a multiple of 16 bytes, and
``stride`` and ``column`` are multiples of 8. Nothing is checked.
"""
