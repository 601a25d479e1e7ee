"""Vector instructions that numba does not find by itself (:mod:`bddsudoku.jit.machine`)."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import cgutils

from bddsudoku.jit.machine import BYTE, LONG, WORD, Vector, instruction

STEP = 32
"""Entries that are multiplied together: lengths are multiples of it."""
EIGHT = 8
"""Rows that are turned at a time, and their entries."""


def _zeros(builder: Any, element: ir.IntType, lanes: int) -> Any:
    """A variable: a vector, of zeros at first."""
    made: Any = cgutils.alloca_once_value
    return made(builder, ir.Constant(ir.VectorType(element, lanes), None))


def _pairs(one: Vector, other: Vector) -> Vector:
    """Sums of neighbours, of one vector and then of the other."""
    both = range(2 * len(one))
    return one.take(both[::2], other) + one.take(both[1::2], other)


@instruction()
def dot_four(
    builder: Any, left: Any, row: Any, right: Any, rows: Any, steps: Any, out: Any
) -> None:
    """For four r = rows[n]

        out[n] = sum of left[row + k] * right[r + k] for k from 0 to STEP * steps - 1

    ``left`` and ``right`` are the entries of int16 arrays that begin on multiples of 64 bytes,
    ``row`` and ``rows`` are multiples of 32, ``steps`` is at least 1, and ``out`` is int32.
    """
    totals = [_zeros(builder, WORD, STEP // 2) for _ in range(4)]
    starts = [builder.load(builder.gep(rows, [LONG(n)])) for n in range(4)]
    with cgutils.for_range(builder, steps) as loop:
        at = builder.mul(loop.index, LONG(STEP))

        def entries(data: Any, start: Any) -> Vector:
            found = Vector.load(builder, data, builder.add(start, at), STEP, align=64)
            return Vector(builder, builder.sext(found.value, ir.VectorType(WORD, STEP)))

        mine = entries(left, row)
        for total, start in zip(totals, starts, strict=True):
            product = mine * entries(right, start)
            # neighbours are added: what an instruction does together with the product
            more = product.take(range(0, STEP, 2)) + product.take(range(1, STEP, 2))
            builder.store((Vector(builder, builder.load(total)) + more).value, total)
    short = []
    for total in totals:
        whole = Vector(builder, builder.load(total))
        a, b, c, d = (whole.take(range(k, k + 4)) for k in range(0, STEP // 2, 4))
        short.append(a + b + (c + d))
    _pairs(_pairs(*short[:2]), _pairs(*short[2:])).store(out, 0)


@instruction()
def turn_eight(
    builder: Any, flat: Any, offsets: Any, entry: Any, out: Any, stride: Any, column: Any
) -> None:
    """For n and k from 0 to 7

        out[(entry + n) * stride + column + k] = flat[offsets[k] + entry + n]

    All but ``offsets`` are int16; ``out`` begins on a multiple of 16 bytes, and ``stride`` and
    ``column`` are multiples of 8. Rows that are half of all apart are interleaved, three times.
    """
    rows = []
    for n in range(EIGHT):
        offset = builder.load(builder.gep(offsets, [LONG(n)]))
        rows.append(Vector.load(builder, flat, builder.add(offset, entry), EIGHT))
    low = [lane for n in range(EIGHT // 2) for lane in (n, EIGHT + n)]
    high = [lane + EIGHT // 2 for lane in low]
    for _ in range(3):
        pairs = list(zip(rows[: EIGHT // 2], rows[EIGHT // 2 :], strict=True))
        rows = [one.take(lanes, other) for one, other in pairs for lanes in (low, high)]
    for n, row in enumerate(rows):
        line = builder.mul(builder.add(entry, LONG(n)), stride)
        row.store(out, builder.add(line, column), align=2 * EIGHT)


@instruction()
def fetch(builder: Any, flat: Any, at: Any) -> None:
    """The cache line of ``flat[at]`` is wanted soon."""
    kind = ir.FunctionType(ir.VoidType(), [BYTE.as_pointer(), WORD, WORD, WORD])
    told = builder.module.declare_intrinsic("llvm.prefetch", [BYTE.as_pointer()], kind)
    where = builder.bitcast(builder.gep(flat, [at]), BYTE.as_pointer())
    builder.call(told, [where, WORD(0), WORD(3), WORD(1)])  # to read, into all caches, data


def _sum_rows(width: int) -> Any:
    @instruction()
    def sum_rows(
        builder: Any, flat: Any, stride: Any, rows: Any, lo: Any, hi: Any, out: Any, to: Any
    ) -> None:
        total = _zeros(builder, LONG, width)
        with cgutils.for_range(builder, hi, start=lo) as loop:
            row = builder.zext(builder.load(builder.gep(rows, [loop.index])), LONG)
            found = Vector.load(builder, flat, builder.mul(row, stride), width)
            builder.store((found + Vector(builder, builder.load(total))).value, total)
        Vector(builder, builder.load(total)).store(out, to)

    return sum_rows


def _add_times(width: int) -> Any:
    @instruction()
    def add_times(builder: Any, out: Any, to: Any, flat: Any, at: Any, times: Any) -> None:
        found = Vector.load(builder, flat, at, width)
        (Vector.load(builder, out, to, width) + found * found.splat(times)).store(out, to)

    return add_times


sum_rows = {width: _sum_rows(width) for width in (4, 8, 12)}
"""By width: ``sum_rows(flat, stride, rows, lo, hi, out, to)``, for all k below the width

    out[to + k] = sum of flat[rows[n] * stride + k] for n from lo to hi - 1

``rows`` are uint16, the other arrays int64.
"""
add_times = {width: _add_times(width) for width in (2, 6)}
"""By width: ``add_times(out, to, flat, at, times)``: out[to + k] += flat[at + k] * times."""
