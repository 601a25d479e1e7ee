"""Cache of compiled kernels on disk, with hooks and a message to the user on compilation.

Machine code is kept in ``NUMBA_CACHE_DIR`` where that is set; else in ``__pycache__`` of the
package, or in the user's cache where the package cannot be written. A wheel brings machine code
for a baseline CPU along, which is taken where there is none for this machine's own.
``Any`` stands where numba has no types.
"""

from __future__ import annotations

import gc
import hashlib
import os
import pickle
import platform
import re
import secrets
import sys
import threading
import zlib
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import cache
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from time import perf_counter
from types import FunctionType
from typing import Any

import llvmlite
import numba
import numpy as np
from llvmlite import binding
from numba.core import config as numba_config
from numba.core import types
from numba.core.compiler import CompileResult
from numba.core.compiler_lock import global_compiler_lock
from numba.core.serialize import dumps

config: Any = numba_config
Machine = tuple[str, str, str]
"""System, CPU and features of the CPU, as numba names them."""
_PACKAGE = Path(__file__).parents[1]

# -- around compiling ------------------------------------------------------------------------------

before_compile_hooks: list[Callable[[], None]] = []
"""Hooks called before a kernel is compiled, which may take a second or two. An error that they
raise (say :class:`~bddsudoku.errors.LimitReached`) leaves the call of the kernel."""
_MESSAGE_DELAY = 1.0
"""Seconds of compiling after which a message is printed."""


class _CompileSection:
    """A re-entrant lock that lets only one thread at a time load or compile kernels.

    Only the thread inside the section changes the state of this module.
    """

    def __init__(self) -> None:
        self._depth = 0
        self._is_compiling = False
        self._gc_was_enabled = False
        self._compile_seconds = 0.0
        self._began = 0.0
        self._timer: threading.Timer | None = None

    def __enter__(self) -> None:
        global_compiler_lock.acquire()  # type: ignore[no-untyped-call]
        self._depth += 1

    def __exit__(self, *_: object) -> None:
        self._depth -= 1
        if not self._depth and self._is_compiling:
            self._is_compiling = False
            self._compile_seconds += perf_counter() - self._began
            if self._timer is not None:
                self._timer.cancel()
            if self._gc_was_enabled:
                gc.enable()
        global_compiler_lock.release()  # type: ignore[no-untyped-call]

    def start_compiling(self) -> None:
        """Call ``before_compile_hooks``, and start the timer that prints a message to the user."""
        if self._is_compiling:
            return
        for hook in before_compile_hooks:
            hook()
        self._is_compiling = True
        self._began = perf_counter()
        self._gc_was_enabled = gc.isenabled()
        gc.disable()  # collection takes a tenth of the time and frees little
        message = "compiling what runs here for the first time ('bddsudoku warm-up' compiles all)"
        self._timer = threading.Timer(
            max(_MESSAGE_DELAY - self._compile_seconds, 0.0), _print_once, [message]
        )
        self._timer.daemon = True
        self._timer.start()


compile_section: _CompileSection = _CompileSection()


@cache
def _print_once(message: str) -> None:
    """Print a line on standard error, at most once in a process."""
    with suppress(AttributeError, OSError, ValueError):
        sys.stderr.write(f"bddsudoku: {message}\n")
        sys.stderr.flush()


# -- folders ---------------------------------------------------------------------------------------


def _user_cache_folder() -> Path:
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")


def _cache_folders() -> list[Path]:
    """The folders in which kernels are kept, the preferred first."""
    # several installations may share a folder; each removes only its own outdated files
    folder_name = f"bddsudoku-{hashlib.sha256(str(_PACKAGE).encode()).hexdigest()[:12]}"
    if config.CACHE_DIR:
        return [Path(config.CACHE_DIR) / folder_name]
    found = [_PACKAGE / "__pycache__"]
    with suppress(RuntimeError):  # there is no home folder
        found.append(_user_cache_folder() / folder_name)
    return found


_folders = _cache_folders()
SHIPPED_FOLDER = _PACKAGE / "jit" / "baseline"
"""The folder of a wheel's machine code (``make wheel``); a source tree has none."""
BASELINE_CPU = "x86-64-v3" if platform.machine() in ("x86_64", "AMD64") else "generic"
"""LLVM's name of the oldest CPU for which a wheel has machine code."""
_BASELINE_FEATURES = ("avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe", "popcnt", "sse4.2")
"""What an x86-64-v3 has, in LLVM's words."""


def _with_checksum(body: bytes) -> bytes:
    """The bytes of a cached file: a CRC-32 of four bytes, then the body."""
    return zlib.crc32(body).to_bytes(4, "little") + body


def _read_cached(name: str) -> bytes | None:
    """Read a file of the cache and check its checksum; None if it is missing or damaged."""
    for folder in [*_folders, SHIPPED_FOLDER]:
        with suppress(OSError):
            data = (folder / name).read_bytes()
            if data == _with_checksum(data[4:]):
                return data[4:]
    return None


def _write_cached(name: str, body: bytes, outdated_pattern: str) -> None:
    """Write a file of the cache to the first writable folder; remove outdated files there.

    Outdated are those that match the pattern and have another stamp.
    """
    errors = []
    for folder in _folders:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            _write_atomically(folder / name, _with_checksum(body))
        except OSError as error:
            errors.append(f"{folder}: {error.strerror or error}")
            continue
        for old in folder.glob(outdated_pattern):
            if old.name.rpartition("-")[0] != name.rpartition("-")[0]:
                with suppress(OSError):
                    old.unlink()
        return
    _print_once(f"compiled kernels cannot be kept ({'; '.join(errors)})")


def _write_atomically(path: Path, data: bytes) -> None:
    """Write a temporary file and move it into place, so that no reader sees an incomplete file."""
    temporary = path.with_name(f".{path.name}-{secrets.token_hex(4)}")
    try:
        temporary.write_bytes(data)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


@cache
def _cpus(own: Machine) -> tuple[Machine, ...]:
    """The CPUs whose machine code runs here: this one, and the baseline if it has its features."""
    features = binding.get_host_cpu_features()
    fits = BASELINE_CPU == "generic" or all(map(features.get, _BASELINE_FEATURES))
    return (own, (own[0], BASELINE_CPU, "")) if fits else (own,)


# -- sources ---------------------------------------------------------------------------------------

_IMPORTS = re.compile(
    rb"^(?:from (bddsudoku[.\w]*) import (\([^)]*\)|.*)|import (bddsudoku[.\w]*))", re.MULTILINE
)


@cache
def _source_hash_and_imports(path: str, _mtime: int, _size: int) -> tuple[bytes, frozenset[str]]:
    """The SHA-256 of a source file, and the package's modules that it may import."""
    text = Path(path).read_bytes()
    modules = set()
    for base, names, whole in _IMPORTS.findall(text):
        start = (base or whole).decode()
        modules.add(start)
        modules.update(f"{start}.{name.decode()}" for name in re.findall(rb"\w+", names))
    return hashlib.sha256(text).digest(), frozenset(modules)


@cache
def _find_source_file(name: str) -> str | None:
    """Find the source file of a module of the package; None if there is none.

    The search is on disk, because the set of loaded modules depends on the order of imports.
    """
    stem = os.path.join(_PACKAGE.parent, *name.split("."))
    files = (f"{stem}.py", os.path.join(stem, "__init__.py"))
    return next(filter(os.path.isfile, files), None)


def _hash_modules(names: Sequence[str]) -> bytes | None:
    """Hash the sources of modules and of all package modules they import; None if one is missing.

    Only imports at the beginning of a line count: kernels cannot use names of others.
    """
    found: dict[str, bytes] = {}
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        ours = name.partition(".")[0] == _PACKAGE.name
        path = _find_source_file(name) if ours else getattr(sys.modules.get(name), "__file__", None)
        if path is None and name not in names:
            continue  # an imported name that is no module
        try:
            info = os.stat(path or "")
            found[name], imported = _source_hash_and_imports(
                str(path), info.st_mtime_ns, info.st_size
            )
        except OSError:
            return None
        waiting.extend(imported)
    return hashlib.sha256(repr(sorted(found.items())).encode()).digest()


def _parameter_classes(signature: Iterable[Any]) -> list[type] | None:
    """The Python classes in a signature; None if another process might not find one of them."""
    classes: list[type] = []
    waiting = list(signature)
    while waiting:
        kind: Any = waiting.pop()
        cls = getattr(kind, "instance_class", None)
        if isinstance(cls, type):
            found: Any = getattr(sys.modules.get(cls.__module__), cls.__qualname__, None)
            if cls.__module__ == "__main__" or found is not cls:
                return None
            classes.append(cls)
        if isinstance(kind, types.Callable):
            return None
        waiting.extend(getattr(kind, "types", ()))
    return classes


# -- kernels ---------------------------------------------------------------------------------------

_UNPICKLING_ERRORS = (pickle.UnpicklingError, AttributeError, EOFError, ImportError, IndexError)
"""Errors of unpickling a damaged file, by its documentation; others are bugs and are raised."""


class KernelCache:
    """The cache of one kernel's machine code, with the interface that numba expects.

    Args:
        function: the kernel's Python function.
    """

    def __init__(self, function: FunctionType) -> None:
        self._name = f"{function.__module__}.{function.__qualname__}".replace("<locals>.", "")
        self._source_hash = _hash_modules([function.__module__])

    def load_overload(self, signature: Any, target: Any) -> Any:
        """Load the machine code for a signature; None if it must be compiled."""
        for machine in _cpus(target.codegen().magic_tuple()):
            name = self._cache_file_name(signature, machine)
            if name is not None and (body := _read_cached(name)) is not None:
                with suppress(*_UNPICKLING_ERRORS):  # then it is compiled anew
                    parts = pickle.loads(body)
                    return CompileResult._rebuild(target, *parts)  # type: ignore[no-untyped-call]
        # This loads numba's typing rules, which takes a fifth of a second; cached code needs none.
        target.refresh()
        compile_section.start_compiling()
        return None

    def save_overload(self, signature: Any, result: Any) -> None:
        """Write compiled machine code to the cache."""
        if result.lifted or result.library.has_dynamic_globals:
            return
        name = self._cache_file_name(signature, result.codegen.magic_tuple())
        if name is not None:
            body: bytes = dumps(result._reduce())  # type: ignore[no-untyped-call]
            _write_cached(name, body, f"{self._name}-*")

    def _cache_file_name(self, signature: Any, machine: Machine) -> str | None:
        """The file name for a signature, with a hash of all that its machine code depends on."""
        arguments = getattr(signature, "args", signature)
        classes = _parameter_classes(arguments)
        if self._source_hash is None or classes is None:
            return None
        class_hash = _hash_modules(sorted({cls.__module__ for cls in classes}))
        if class_hash is None:
            return None
        key = (
            tuple(map(str, arguments)),
            [f"{cls.__module__}.{cls.__qualname__}" for cls in classes],
            class_hash,
            machine,
            (EXTENSION_SUFFIXES[0], numba.__version__, llvmlite.__version__),
            np.__version__.partition(".")[0],
            (config.OPT, config.LOOP_VECTORIZE, config.SLP_VECTORIZE, config.BOUNDSCHECK),
            (config.DEBUGINFO_DEFAULT, sys.flags.optimize),
        )
        key_hash = hashlib.sha256(repr(key).encode()).hexdigest()[:24]
        return f"{self._name}-{self._source_hash.hex()[:12]}-{key_hash}"
