"""Decorators that compile functions with numba, bit-counting intrinsics, and array types.

``Any`` and untyped functions stand where numba has no types.
"""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any, ParamSpec, TypeAlias, TypeVar, cast

import numba
import numpy as np
from numba.core import config, types
from numba.core.registry import CPUDispatcher
from numba.extending import intrinsic
from numpy.typing import NDArray

from bddsudoku.jit.kernel_cache import KernelCache, compile_section

P = ParamSpec("P")
R = TypeVar("R")


def kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function that Python calls, that runs without the GIL and makes no arrays.

    It is compiled at the first call with a new combination of argument types (the layouts of
    arrays among them), unless its machine code is in the cache. Without new arrays numba emits no
    reference counting: the code is shorter and sooner compiled.
    """
    return _make_kernel(function, allocates=False)


def allocating_kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function that Python calls and that may make arrays.

    Each type of array that it makes adds some tenths of a second to its compilation.
    """
    return _make_kernel(function, allocates=True)


def subroutine(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function that only compiled functions call, and that makes no arrays.

    It has no wrapper that Python could call; where Python calls it (in a test, say), it is
    compiled once more for that, in memory.
    """
    return _make_subroutine(function, inline="never")


def inlined(function: Callable[P, R]) -> Callable[P, R]:
    """Inline a function into its callers before types are inferred.

    It needs no compilation of its own, so it suits functions with one caller. LLVM inlines small
    subroutines anyway, but not those with many arrays.
    """
    return _make_subroutine(function, inline="always")


_COMMON_OPTIONS = {"nopython": True, "no_cfunc_wrapper": True}


def _make_kernel(function: Callable[P, R], *, allocates: bool) -> Callable[P, R]:
    """Make a kernel, with numba's memory management if it allocates arrays."""
    options = _COMMON_OPTIONS | {"nogil": True, "_nrt": allocates}
    return _make_dispatcher(_KernelDispatcher, function, options)


def _make_subroutine(function: Callable[P, R], *, inline: str) -> Callable[P, R]:
    """Make a subroutine; ``inline``: numba's option, ``never`` or ``always``."""
    more = {"no_cpython_wrapper": True, "_nrt": False, "inline": inline}
    return _make_dispatcher(_SubroutineDispatcher, function, _COMMON_OPTIONS | more)


def _make_dispatcher(
    cls: type[CPUDispatcher], function: Callable[P, R], options: dict[str, Any]
) -> Callable[P, R]:
    """Make numba's dispatcher of a function, or return the function if numba is disabled."""
    settings: Any = config
    dispatcher = function if settings.DISABLE_JIT else cls(function, targetoptions=options)
    return cast("Callable[P, R]", dispatcher)


class _TypeDispatcher(CPUDispatcher):
    """numba's dispatcher, but compiling per argument types only, not per constant argument."""

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """numba's template of a call, for the types of its arguments without their constants."""
        plain: Callable[[Any], Any] = types.unliteral
        kws = {name: plain(kind) for name, kind in kws.items()}
        return super().get_call_template(tuple(map(plain, args)), kws)


class _KernelDispatcher(_TypeDispatcher):
    """The dispatcher of kernels, with the project's cache of machine code."""

    def __init__(self, py_func: FunctionType, *settings: Any, **more: Any) -> None:
        super().__init__(py_func, *settings, **more)
        if py_func.__closure__ is None:
            self._cache = KernelCache(py_func, nrt=self.targetoptions["_nrt"])

    def compile(self, sig: Any) -> Any:
        """Compile or load the kernel for a signature, one thread at a time."""
        with compile_section:
            return super().compile(sig)


class _SubroutineDispatcher(_TypeDispatcher):
    """The dispatcher of subroutines; where Python calls one, it compiles a separate copy.

    Without a wrapper numba would jump to an invalid address.
    """

    def __call__(self, *args: Any) -> Any:
        if self.__dict__.get("_own") is None:
            self._own = numba.njit(self.py_func)
        return self._own(*args)


# -- bits ------------------------------------------------------------------------------------------


def _trailing_zeros(typing_context, word):  # type: ignore[no-untyped-def]
    """Define an intrinsic: the number of trailing zeros of a ``uint64``, as an ``int64``."""
    return _uint64_intrinsic(word, types.int64, _generate_cttz)


def _lowest_bit_index(typing_context, word):  # type: ignore[no-untyped-def]
    """Define an intrinsic: the position of the lowest set bit of a ``uint64``, as a ``uint64``."""
    return _uint64_intrinsic(word, types.uint64, _generate_cttz)


def _popcount(typing_context, word):  # type: ignore[no-untyped-def]
    """Define an intrinsic: the number of set bits of a ``uint64``, as a ``uint64``."""
    return _uint64_intrinsic(word, types.uint64, _generate_ctpop)


def _uint64_intrinsic(word: Any, result_type: Any, codegen: Any) -> Any:
    """The signature and the code generator of an intrinsic on ``uint64``; None for other types."""
    return (result_type(types.uint64), codegen) if word == types.uint64 else None


def _generate_cttz(context, builder, signature, args):  # type: ignore[no-untyped-def]
    """Generate LLVM's instruction that counts trailing zeros."""
    return builder.cttz(args[0], context.get_constant(types.boolean, True))


def _generate_ctpop(context, builder, signature, args):  # type: ignore[no-untyped-def]
    """Generate LLVM's instruction that counts set bits."""
    return builder.ctpop(args[0])


trailing_zeros: Any = intrinsic(_trailing_zeros)
"""Position of the lowest set bit of a ``uint64`` that is not 0, as an ``int64``."""
lowest_bit_index: Any = intrinsic(_lowest_bit_index)
"""Position of the lowest set bit of a ``uint64`` that is not 0, as a ``uint64``.

As an index it needs no code for negative values."""
popcount: Any = intrinsic(_popcount)
"""Number of set bits of a ``uint64``, as a ``uint64``."""


U8: TypeAlias = NDArray[np.uint8]
U16: TypeAlias = NDArray[np.uint16]
U32: TypeAlias = NDArray[np.uint32]
U64: TypeAlias = NDArray[np.uint64]
I16: TypeAlias = NDArray[np.int16]
I32: TypeAlias = NDArray[np.int32]
I64: TypeAlias = NDArray[np.int64]
F64: TypeAlias = NDArray[np.float64]
Flags: TypeAlias = NDArray[np.bool_]
AnyArray: TypeAlias = NDArray[Any]
