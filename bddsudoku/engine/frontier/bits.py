"""Bit tricks that numba does not offer by name."""

from __future__ import annotations

from typing import Any

from numba import types
from numba.extending import intrinsic

__all__ = ["trailing_zeros"]


def _trailing_zeros(typing_context, word):  # type: ignore[no-untyped-def]
    """Count trailing zeros."""
    if word != types.uint64:
        return None

    def codegen(context, builder, signature, args):  # type: ignore[no-untyped-def]
        flag = context.get_constant(types.boolean, True)
        return builder.cttz(args[0], flag)

    return types.int64(types.uint64), codegen


trailing_zeros: Any = intrinsic(_trailing_zeros)
"""Position of the lowest set bit of a ``uint64`` that is not 0, as an ``int64``."""
