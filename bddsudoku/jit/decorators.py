"""The decorators of compiled functions."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any, ParamSpec, TypeVar, cast

import numba
from numba.core import config
from numba.core.registry import CPUDispatcher

from bddsudoku.jit.kept import Kept

__all__ = ["inlined", "kernel", "part"]

P = ParamSpec("P")
R = TypeVar("R")


def kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function that Python calls; it runs without the GIL.

    It is compiled when it is first called with a new combination of argument types (the layouts of
    arrays among them), unless an earlier process has left the machine code.
    """
    options: dict[str, Any] = {"nogil": True, "no_cfunc_wrapper": True}
    compiled: Any = numba.njit(**options)(function)
    plain = cast("FunctionType", function)
    if compiled is not plain and plain.__closure__ is None:
        compiled._cache = Kept(plain)
    return cast("Callable[P, R]", compiled)


def part(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function into the kernels that call it.

    It has no machine code of its own that Python could call; where Python does (in a test, say),
    it is compiled once more for that, in memory.
    """
    return _part(function, "never")


def inlined(function: Callable[P, R]) -> Callable[P, R]:
    """A :func:`part` whose text is put into its callers before types are known.

    It needs no compilation of its own, so it suits what is called in one place. LLVM puts small
    parts into their callers anyway, but not those with many arrays.
    """
    return _part(function, "always")


def _part(function: Callable[P, R], inline: str) -> Callable[P, R]:
    switched: Any = config
    if switched.DISABLE_JIT:
        return function
    options = {"nopython": True, "no_cfunc_wrapper": True, "no_cpython_wrapper": True}
    return cast("Callable[P, R]", _Part(function, targetoptions={**options, "inline": inline}))


class _Part(CPUDispatcher):
    """numba would jump to nowhere if Python called a function that has no wrapper."""

    def __call__(self, *args: Any) -> Any:
        if self.__dict__.get("_own") is None:
            self._own = numba.njit(self.py_func)
        return self._own(*args)
