"""Vector instructions that numba does not find by itself, and what is written with them.

Arrays are C-contiguous, integers int64; nothing is checked.
"""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

STEP = 32
"""Entries that are multiplied together: lengths are multiples of it."""
EIGHT = 8
"""Rows that are turned at a time, and their entries."""

_BYTE, _HALF, _WORD, _LONG = (ir.IntType(bits) for bits in (8, 16, 32, 64))
_SUMS = ir.VectorType(_WORD, STEP // 2)


_variable: Any = cgutils.alloca_once_value


def _instruction(write: Callable[..., None]) -> Any:
    """What writes machine code, from pointers to arrays and numbers, as a function for kernels."""

    def typed(typing_context, *kinds):  # type: ignore[no-untyped-def]
        arrays = [isinstance(kind, types.Array) for kind in kinds]
        taken = [k if array else types.int64 for k, array in zip(kinds, arrays, strict=True)]

        def code(context: Any, builder: Any, _: Any, arguments: Any) -> Any:
            given = [
                context.make_array(kind)(context, builder, value).data if array else value
                for kind, value, array in zip(taken, arguments, arrays, strict=True)
            ]
            write(builder, *given)
            return context.get_dummy_value()

        return types.void(*taken), code

    told: Any = typed
    told.__signature__ = signature(write)  # its first parameter stands for the typing's
    return intrinsic(typed)


def _place(builder: Any, data: ir.Value, at: ir.Value, kind: ir.Type, lanes: int) -> ir.Value:
    """A pointer to so many entries of an array."""
    pointer = builder.gep(data, [at])
    return builder.bitcast(pointer, ir.VectorType(kind, lanes).as_pointer())


def _lanes(builder: Any, one: ir.Value, other: ir.Value, lanes: Any) -> ir.Value:
    mask = ir.Constant(ir.VectorType(_WORD, len(lanes)), list(lanes))
    return builder.shuffle_vector(one, other, mask)


def _folded(builder: Any, one: ir.Value, other: ir.Value, width: int) -> ir.Value:
    """Sums of neighbours, of one vector and then of the other."""
    even = _lanes(builder, one, other, range(0, width, 2))
    return builder.add(even, _lanes(builder, one, other, range(1, width, 2)))


def _dot_four(
    builder: Any, left: Any, row: Any, right: Any, rows: Any, steps: Any, out: Any
) -> None:
    totals = [_variable(builder, ir.Constant(_SUMS, None)) for _ in range(4)]
    starts = [builder.load(builder.gep(rows, [_LONG(n)])) for n in range(4)]
    with cgutils.for_range(builder, steps) as loop:
        at = builder.mul(loop.index, _LONG(STEP))

        def entries(data: Any, start: Any) -> Any:
            where = _place(builder, data, builder.add(start, at), _HALF, STEP)
            return builder.sext(builder.load(where, align=64), ir.VectorType(_WORD, STEP))

        mine = entries(left, row)
        for total, start in zip(totals, starts, strict=True):
            product = builder.mul(mine, entries(right, start))
            # neighbours are added: what an instruction does together with the product
            pairs = _folded(builder, product, product, STEP)
            builder.store(builder.add(builder.load(total), pairs), total)
    short = []
    for total in map(builder.load, totals):
        quarters = [_lanes(builder, total, total, range(k, k + 4)) for k in range(0, STEP // 2, 4)]
        short.append(builder.add(builder.add(*quarters[:2]), builder.add(*quarters[2:])))
    halves = [_folded(builder, one, other, 8) for one, other in (short[:2], short[2:])]
    found = _folded(builder, halves[0], halves[1], 8)
    builder.store(found, _place(builder, out, _LONG(0), _WORD, 4), align=4)


dot_four = _instruction(_dot_four)
"""``dot_four(left, row, right, rows, steps, out)``: for four r = rows[n]

    out[n] = sum of left[row + k] * right[r + k] for k from 0 to STEP * steps - 1

``left`` and ``right`` are the entries of int16 arrays that begin on multiples of 64 bytes, ``row``
and ``rows`` are multiples of 32, ``steps`` is at least 1, and ``out`` is int32.
"""


def _turn_eight(
    builder: Any, flat: Any, offsets: Any, entry: Any, out: Any, stride: Any, column: Any
) -> None:
    """Rows that are half of all apart are interleaved, three times over."""
    rows = []
    for n in range(EIGHT):
        offset = builder.load(builder.gep(offsets, [_LONG(n)]))
        where = _place(builder, flat, builder.add(offset, entry), _HALF, EIGHT)
        rows.append(builder.load(where, align=2))
    low = [lane for n in range(EIGHT // 2) for lane in (n, EIGHT + n)]
    high = [lane + EIGHT // 2 for lane in low]
    for _ in range(3):
        pairs = [(rows[n], rows[n + EIGHT // 2]) for n in range(EIGHT // 2)]
        rows = [_lanes(builder, *pair, lanes) for pair in pairs for lanes in (low, high)]
    for n, row in enumerate(rows):
        line = builder.mul(builder.add(entry, _LONG(n)), stride)
        where = _place(builder, out, builder.add(line, column), _HALF, EIGHT)
        builder.store(row, where, align=2 * EIGHT)


turn_eight = _instruction(_turn_eight)
"""``turn_eight(flat, offsets, entry, out, stride, column)``: for n and k from 0 to 7

    out[(entry + n) * stride + column + k] = flat[offsets[k] + entry + n]

All but ``offsets`` are int16; ``out`` begins on a multiple of 16 bytes, and ``stride`` and
``column`` are multiples of 8.
"""


def _fetch(builder: Any, flat: Any, at: Any) -> None:
    kind = ir.FunctionType(ir.VoidType(), [_BYTE.as_pointer(), _WORD, _WORD, _WORD])
    told = builder.module.declare_intrinsic("llvm.prefetch", [_BYTE.as_pointer()], kind)
    where = builder.bitcast(builder.gep(flat, [at]), _BYTE.as_pointer())
    builder.call(told, [where, _WORD(0), _WORD(3), _WORD(1)])  # to read, into all caches, data


fetch = _instruction(_fetch)
"""``fetch(flat, at)``: the cache line of ``flat[at]`` is wanted soon."""


def _sum_rows(width: int) -> Any:
    def write(
        builder: Any, flat: Any, stride: Any, rows: Any, lo: Any, hi: Any, out: Any, to: Any
    ) -> None:
        zeros = ir.Constant(ir.VectorType(_LONG, width), None)
        total = _variable(builder, zeros)
        with cgutils.for_range(builder, hi, start=lo) as loop:
            row = builder.zext(builder.load(builder.gep(rows, [loop.index])), _LONG)
            where = _place(builder, flat, builder.mul(row, stride), _LONG, width)
            found = builder.load(where, align=8)
            builder.store(builder.add(builder.load(total), found), total)
        builder.store(builder.load(total), _place(builder, out, to, _LONG, width), align=8)

    return _instruction(write)


def _add_times(width: int) -> Any:
    def write(builder: Any, out: Any, to: Any, flat: Any, at: Any, times: Any) -> None:
        target = _place(builder, out, to, _LONG, width)
        factor = ir.Constant(ir.VectorType(_LONG, width), ir.Undefined)
        for lane in range(width):
            factor = builder.insert_element(factor, times, _WORD(lane))
        found = builder.load(_place(builder, flat, at, _LONG, width), align=8)
        total = builder.add(builder.load(target, align=8), builder.mul(found, factor))
        builder.store(total, target, align=8)

    return _instruction(write)


sum_rows = {width: _sum_rows(width) for width in (4, 8, 12)}
"""By width: ``sum_rows(flat, stride, rows, lo, hi, out, to)``, for all k below the width

    out[to + k] = sum of flat[rows[n] * stride + k] for n from lo to hi - 1

``rows`` are uint16, the other arrays int64.
"""
add_times = {width: _add_times(width) for width in (2, 6)}
"""By width: ``add_times(out, to, flat, at, times)``: out[to + k] += flat[at + k] * times."""
