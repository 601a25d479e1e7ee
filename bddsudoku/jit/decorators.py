"""The decorators of compiled functions."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any, ParamSpec, TypeVar, cast

import numba
from numba.core import config, types
from numba.core.registry import CPUDispatcher

from bddsudoku.jit.compiling import compiling
from bddsudoku.jit.kept import Kept

P = ParamSpec("P")
R = TypeVar("R")


def kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function that Python calls; it runs without the GIL.

    It is compiled when it is first called with a new combination of argument types (the layouts of
    arrays among them), unless an earlier process has left the machine code. It must not make
    arrays: then numba counts references to none, which makes shorter code, sooner.
    """
    return _kernel(function, nrt=False)


def allocating_kernel(function: Callable[P, R]) -> Callable[P, R]:
    """A :func:`kernel` that may make arrays.

    Every kind of array made costs some tenths of a second when it is compiled.
    """
    return _kernel(function, nrt=True)


def part(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function into the kernels that call it; it must not make arrays.

    It has no machine code of its own that Python could call; where Python does (in a test, say),
    it is compiled once more for that, in memory.
    """
    return _part(function, inline="never")


def inlined(function: Callable[P, R]) -> Callable[P, R]:
    """A :func:`part` whose text is put into its callers before types are known.

    It needs no compilation of its own, so it suits what is called in one place. LLVM puts small
    parts into their callers anyway, but not those with many arrays.
    """
    return _part(function, inline="always")


def _kernel(function: Callable[P, R], *, nrt: bool) -> Callable[P, R]:
    options = {"nopython": True, "nogil": True, "no_cfunc_wrapper": True, "_nrt": nrt}
    return cast("Callable[P, R]", _made(_Kernel, function, options))


def _part(function: Callable[P, R], *, inline: str) -> Callable[P, R]:
    options = {
        "nopython": True,
        "no_cfunc_wrapper": True,
        "no_cpython_wrapper": True,
        "_nrt": False,
        "inline": inline,
    }
    return cast("Callable[P, R]", _made(_Part, function, options))


def _made(
    cls: type[CPUDispatcher], function: Callable[..., Any], options: dict[str, Any]
) -> object:
    settings: Any = config
    return function if settings.DISABLE_JIT else cls(function, targetoptions=options)


class _Compiled(CPUDispatcher):
    """Compiled for types alone: not once more for every constant that it is called with."""

    def get_call_template(self, args: Any, kws: Any) -> Any:
        plain: Callable[[Any], Any] = types.unliteral
        kws = {name: plain(kind) for name, kind in kws.items()}
        return super().get_call_template(tuple(map(plain, args)), kws)


class _Kernel(_Compiled):
    """Compiles in its own way, and keeps its machine code in its own place."""

    def __init__(self, py_func: FunctionType, *settings: Any, **more: Any) -> None:
        super().__init__(py_func, *settings, **more)
        if py_func.__closure__ is None:
            self._cache = Kept(py_func, nrt=self.targetoptions["_nrt"])

    def compile(self, sig: Any) -> Any:
        with compiling:
            return super().compile(sig)


class _Part(_Compiled):
    """numba would jump to nowhere if Python called a function that has no wrapper."""

    def __call__(self, *args: Any) -> Any:
        if self.__dict__.get("_own") is None:
            self._own = numba.njit(self.py_func)
        return self._own(*args)
