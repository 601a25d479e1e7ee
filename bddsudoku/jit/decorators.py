"""Decorators that compile functions with numba; bit-counting intrinsics; arrays for kernels.

``Any`` and untyped functions stand where numba has no types.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from itertools import accumulate
from types import FunctionType, SimpleNamespace
from typing import Any, ParamSpec, TypeAlias, TypeVar, cast

import numba
import numpy as np
from llvmlite import binding, ir
from numba.core import config, types
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import CPUDispatcher
from numba.extending import intrinsic
from numpy.typing import NDArray

from bddsudoku.jit.kernel_cache import KernelCache, compile_section

P = ParamSpec("P")
R = TypeVar("R")


def kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function to be called from Python; it runs without the GIL and must make no arrays.

    It is compiled at the first call with a new combination of argument types (the layouts of
    arrays among them), unless its machine code is in the cache. Without new arrays numba emits no
    reference counting: the code is shorter and sooner compiled.

    It writes into arrays that it is given, and returns numbers or nothing.
    """
    return _make_dispatcher(_KernelDispatcher, function, nogil=True)


def subroutine(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function to be called from compiled functions only; it must make no arrays.

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


def _make_subroutine(function: Callable[P, R], *, inline: str) -> Callable[P, R]:
    """Make a subroutine; ``inline`` is numba's option, ``never`` or ``always``."""
    return _make_dispatcher(_SubroutineDispatcher, function, no_cpython_wrapper=True, inline=inline)


def _make_dispatcher(
    cls: type[CPUDispatcher], function: Callable[P, R], **options: Any
) -> Callable[P, R]:
    """Make numba's dispatcher of a function, or return the function if numba is disabled."""
    settings: Any = config
    if settings.DISABLE_JIT:
        return function
    every = {"nopython": True, "no_cfunc_wrapper": True, "_nrt": False, **options}
    return cast("Callable[P, R]", cls(function, targetoptions=every))


class _TypeDispatcher(CPUDispatcher):
    """A numba dispatcher that never compiles a function again for a constant argument."""

    compiler: type[Compiler]

    def __init__(self, function: FunctionType, **settings: Any) -> None:
        super().__init__(function, pipeline_class=self.compiler, **settings)

    def _compilation_chain_init_hook(self) -> None:
        """Load numba's extensions; a package whose list of entry points is damaged has none."""
        with suppress(Exception):
            super()._compilation_chain_init_hook()  # type: ignore[misc]

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """Get numba's template of a call, after replacing each literal type by the plain type."""
        plain: Callable[[Any], Any] = types.unliteral
        kws = {name: plain(kind) for name, kind in kws.items()}
        return super().get_call_template(tuple(map(plain, args)), kws)


class _Library(JITCodeLibrary):
    """Code that is optimized once, when everything that it calls has been linked in.

    numba also optimizes each function before, which takes as long and changes nothing (measured).
    """

    def _optimize_functions(self, ll_module: Any) -> None:
        ll_module.data_layout = self._codegen._data_layout


class _SubroutineLibrary(_Library):
    """The code of a subroutine, which is optimized and made machine code where it is linked in."""

    def _optimize_final_module(self) -> None:
        return

    def _finalize_final_module(self) -> None:
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        """0, as for every function without a wrapper for Python."""
        self._ensure_finalized()  # type: ignore[no-untyped-call]
        return 0

    @property
    def codegen(self) -> Any:
        """Takes the place of LLVM's engine, to which numba tells an address in the machine code."""
        return SimpleNamespace(set_env=lambda name, env: None)


class _KernelLibrary(_Library):
    """The machine code of a kernel, whose subroutines no other code can call.

    LLVM may then drop the parameters that they do not read. Numba passes an array as seven or more,
    the tables of a search as hundreds.
    """

    def __init__(self, codegen: Any, name: str) -> None:
        super().__init__(codegen, name)  # type: ignore[no-untyped-call]
        self.enable_object_caching()  # type: ignore[no-untyped-call]  # for the cache of kernels

    def _optimize_final_module(self) -> None:
        for function in self._final_module.functions:
            if function.linkage == binding.Linkage.linkonce_odr and not function.is_declaration:
                # Not internal: the linker would take such a symbol for a weak one of its name.
                function.linkage = "private"
        settings: Any = config
        options = binding.create_pipeline_tuning_options(speed_level=int(settings.OPT))
        passes = binding.create_pass_builder(self._codegen._tm, options)
        passes.getModulePassManager().run(self._final_module, passes)


def _compiler(library_class: type[JITCodeLibrary]) -> type[Compiler]:
    """Make a class of numba's compiler that puts what it makes into such a library."""

    class LibraryCompiler(Compiler):
        def __init__(self, typing: Any, target: Any, _: Any, *settings: Any) -> None:
            library: Any = library_class(target.codegen(), "compiled")
            super().__init__(typing, target, library, *settings)  # type: ignore[no-untyped-call]

    return LibraryCompiler


class _KernelDispatcher(_TypeDispatcher):
    """The dispatcher of kernels, with the project's cache of machine code."""

    compiler = _compiler(_KernelLibrary)

    def __init__(self, py_func: FunctionType, **settings: Any) -> None:
        super().__init__(py_func, **settings)
        if py_func.__closure__ is None:
            self._cache = KernelCache(py_func)

    def compile(self, sig: Any) -> Any:
        """Compile or load the kernel for a signature, one thread at a time.

        It is done by another thread: the handlers of signals run in the main thread, and an error
        that they raised in numba's code would leave locks held and tables incomplete.

        Raises:
            TypeError: the kernel returns other things than numbers. To return a named tuple or an
                array, numba calls Python, where a signal that came meanwhile may raise an error
                (KeyboardInterrupt), and goes on with a null pointer, which ends the process.
        """
        # Locked by this thread: a compiled function calls the kernel.
        if global_compiler_lock.is_locked():  # type: ignore[no-untyped-call]
            return self._compile(sig)
        with ThreadPoolExecutor(1) as helper:  # waits for it, whatever this thread raises
            return helper.submit(self._compile, sig).result()

    def _compile(self, sig: Any) -> Any:
        with compile_section:
            entry = super().compile(sig)
        returned: Any = self.nopython_signatures[-1].return_type
        parts = (
            returned.types if isinstance(returned, types.Tuple | types.UniTuple) else (returned,)
        )
        if not all(isinstance(p, types.Number | types.Boolean | types.NoneType) for p in parts):
            raise TypeError(f"the kernel {self.py_func.__qualname__} returns {returned}")
        return entry


class _SubroutineDispatcher(_TypeDispatcher):
    """The dispatcher of subroutines; where Python calls one, it compiles a separate copy.

    Without a wrapper numba would jump to an invalid address.
    """

    compiler = _compiler(_SubroutineLibrary)

    def __call__(self, *args: Any) -> Any:
        if self.__dict__.get("_own") is None:
            self._own = numba.njit(self.py_func)
        return self._own(*args)


# -- bits ------------------------------------------------------------------------------------------


def _uint64_intrinsic(write: Callable[[Any, Any], Any]) -> Any:
    """Make an intrinsic that applies an LLVM instruction to a ``uint64`` and to no other type."""

    def typed(typing_context, word):  # type: ignore[no-untyped-def]
        def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return write(builder, arguments[0])

        return (types.uint64(types.uint64), code) if word == types.uint64 else None

    return intrinsic(typed)


def _find_lowest_bit(builder: Any, word: Any) -> Any:
    """Generate the number of a word's lowest set bit; for 0 the result is undefined."""
    return builder.cttz(word, ir.Constant(ir.IntType(1), 1))


def _find_highest_bit(builder: Any, word: Any) -> Any:
    """Generate the number of a word's highest set bit; for 0 the result is undefined."""
    zeros = builder.ctlz(word, ir.Constant(ir.IntType(1), 1))
    return builder.sub(ir.Constant(word.type, 63), zeros)


lowest_bit_index: Any = _uint64_intrinsic(_find_lowest_bit)
"""Position of the lowest set bit of a ``uint64`` that is not 0, as a ``uint64``.

As an index it needs no code for negative values."""
highest_bit_index: Any = _uint64_intrinsic(_find_highest_bit)
"""Position of the highest set bit of a ``uint64`` that is not 0, as a ``uint64``."""
popcount: Any = _uint64_intrinsic(ir.IRBuilder.ctpop)
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


def as_words(numbers: Sequence[Any]) -> U64:
    """Numbers, or rows of as many numbers each, as an array for a kernel."""
    return np.array(numbers, dtype=np.uint64)


def flat_lists(lists: Sequence[Sequence[Any]]) -> tuple[U64, U64]:
    """Concatenate lists for a kernel; returns where each begins, (lists + 1,), and the entries."""
    at = [0, *accumulate(map(len, lists))]
    return as_words(at), as_words([entry for one in lists for entry in one])
