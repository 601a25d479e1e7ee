"""Decorators of compiled functions, intrinsics for bits of words, and array types of kernels.

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
    """Compile a function that Python calls; it runs without the GIL and must not make arrays.

    It is compiled at the first call with a new combination of argument types (the layouts of
    arrays among them), unless its machine code is in the cache. Without new arrays numba emits no
    reference counting: the code is shorter and sooner compiled.
    """
    return _kernel(function, nrt=False)


def allocating_kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function that Python calls and that may make arrays.

    Each type of array that it makes adds some tenths of a second to its compilation.
    """
    return _kernel(function, nrt=True)


def subroutine(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function that kernels call (not Python); it must not make arrays.

    It has no wrapper that Python could call; where Python calls it (in a test, say), it is
    compiled once more for that, in memory.
    """
    return _subroutine(function, inline="never")


def inlined(function: Callable[P, R]) -> Callable[P, R]:
    """Inline a function into its callers before types are inferred.

    It needs no compilation of its own, so it suits functions with one caller. LLVM inlines small
    subroutines anyway, but not those with many arrays.
    """
    return _subroutine(function, inline="always")


_COMMON_OPTIONS = {"nopython": True, "no_cfunc_wrapper": True}


def _kernel(function: Callable[P, R], *, nrt: bool) -> Callable[P, R]:
    return _dispatcher(_KernelDispatcher, function, _COMMON_OPTIONS | {"nogil": True, "_nrt": nrt})


def _subroutine(function: Callable[P, R], *, inline: str) -> Callable[P, R]:
    more = {"no_cpython_wrapper": True, "_nrt": False, "inline": inline}
    return _dispatcher(_SubroutineDispatcher, function, _COMMON_OPTIONS | more)


def _dispatcher(
    cls: type[CPUDispatcher], function: Callable[P, R], options: dict[str, Any]
) -> Callable[P, R]:
    settings: Any = config
    dispatcher = function if settings.DISABLE_JIT else cls(function, targetoptions=options)
    return cast("Callable[P, R]", dispatcher)


class _TypeDispatcher(CPUDispatcher):
    """numba's dispatcher, but compiling per argument types only, not per constant argument."""

    def get_call_template(self, args: Any, kws: Any) -> Any:
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
    """Generate code that counts the trailing zeros of a ``uint64``, as an ``int64``."""
    return _bit_count(word, types.int64, _cttz)


def _lowest_bit_index(typing_context, word):  # type: ignore[no-untyped-def]
    """Generate code for the lowest set bit's position in a ``uint64``, as a ``uint64``."""
    return _bit_count(word, types.uint64, _cttz)


def _popcount(typing_context, word):  # type: ignore[no-untyped-def]
    """Generate code that counts the set bits of a ``uint64``."""
    return _bit_count(word, types.uint64, _ctpop)


def _bit_count(word: Any, kind: Any, codegen: Any) -> Any:
    return (kind(types.uint64), codegen) if word == types.uint64 else None


def _cttz(context, builder, signature, args):  # type: ignore[no-untyped-def]
    return builder.cttz(args[0], context.get_constant(types.boolean, True))


def _ctpop(context, builder, signature, args):  # type: ignore[no-untyped-def]
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
