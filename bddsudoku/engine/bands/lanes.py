"""Adding some int64 that stand side by side, as vector instructions that numba does not find."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

__all__ = ["add_both", "add_times"]

_WORD = ir.IntType(64)


def _vector(context: Any, builder: Any, kind: Any, flat: Any, at: Any, width: int) -> Any:
    """A pointer to so many entries of a flat array."""
    data = context.make_array(kind)(context, builder, flat).data
    pointer = builder.gep(data, [at])
    return builder.bitcast(pointer, ir.VectorType(_WORD, width).as_pointer())


def _both(width: int) -> Any:
    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        out, to, flat, one, other = arguments
        kinds = signature.args
        target = _vector(context, builder, kinds[0], out, to, width)
        total = builder.load(target, align=8)
        for at in (one, other):
            source = _vector(context, builder, kinds[2], flat, at, width)
            total = builder.add(total, builder.load(source, align=8))
        builder.store(total, target, align=8)
        return context.get_dummy_value()

    def typed(typing_context, out, to, flat, one, other):  # type: ignore[no-untyped-def]
        return types.void(out, types.int64, flat, types.int64, types.int64), code

    return intrinsic(typed)


def _times(width: int) -> Any:
    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        out, to, flat, at, times = arguments
        kinds = signature.args
        target = _vector(context, builder, kinds[0], out, to, width)
        source = _vector(context, builder, kinds[2], flat, at, width)
        spread = ir.Constant(ir.VectorType(_WORD, width), ir.Undefined)
        for lane in range(width):
            spread = builder.insert_element(spread, times, ir.IntType(32)(lane))
        product = builder.mul(builder.load(source, align=8), spread)
        builder.store(builder.add(builder.load(target, align=8), product), target, align=8)
        return context.get_dummy_value()

    def typed(typing_context, out, to, flat, at, times):  # type: ignore[no-untyped-def]
        return types.void(out, types.int64, flat, types.int64, types.int64), code

    return intrinsic(typed)


add_both: dict[int, Any] = {width: _both(width) for width in (4, 8, 12)}
"""By width: ``add_both(out, to, flat, one, other)``, for all k below the width

    out[to + k] += flat[one + k] + flat[other + k]

Both are C-contiguous int64. Nothing is checked.
"""
add_times: dict[int, Any] = {width: _times(width) for width in (2, 6)}
"""By width: ``add_times(out, to, flat, at, times)``: out[to + k] += flat[at + k] * times."""
