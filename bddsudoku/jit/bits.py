"""Bit tricks that numba does not offer by name."""

from __future__ import annotations

from typing import Any

from numba import types
from numba.extending import intrinsic


def _trailing_zeros(typing_context, word):  # type: ignore[no-untyped-def]
    """Count trailing zeros."""
    return _counting(word, types.int64, _cttz)


def _lowest(typing_context, word):  # type: ignore[no-untyped-def]
    """The same, unsigned."""
    return _counting(word, types.uint64, _cttz)


def _ones(typing_context, word):  # type: ignore[no-untyped-def]
    """Count ones."""
    return _counting(word, types.uint64, _ctpop)


def _counting(word: Any, kind: Any, codegen: Any) -> Any:
    return (kind(types.uint64), codegen) if word == types.uint64 else None


def _cttz(context, builder, signature, args):  # type: ignore[no-untyped-def]
    return builder.cttz(args[0], context.get_constant(types.boolean, True))


def _ctpop(context, builder, signature, args):  # type: ignore[no-untyped-def]
    return builder.ctpop(args[0])


trailing_zeros: Any = intrinsic(_trailing_zeros)
"""Position of the lowest set bit of a ``uint64`` that is not 0, as an ``int64``."""
lowest: Any = intrinsic(_lowest)
"""The same as a ``uint64``: with it as an index numba emits no code for negative ones."""
ones: Any = intrinsic(_ones)
"""Number of bits of a ``uint64``, as one."""
