"""The machine code of kernels on disk."""

from __future__ import annotations

import hashlib
import pickle
import sys
from contextlib import suppress
from types import FunctionType
from typing import Any

import llvmlite
import numba
import numpy as np
from numba.core import config as numba_config
from numba.core.compiler import CompileResult
from numba.core.serialize import dumps

from bddsudoku.jit.compiling import compiling
from bddsudoku.jit.folders import folders
from bddsudoku.jit.sources import classes_in, fingerprint

config: Any = numba_config

_OF_DAMAGED_FILES = (
    pickle.UnpicklingError,
    AttributeError,
    EOFError,
    ImportError,
    IndexError,
)
"""What unpickling raises by its documentation. What else goes wrong is no fault of a file."""


class Kept:
    """The machine code of one kernel on disk: what numba asks before and after it compiles.

    Args:
        function: what is compiled.
        nrt: whether it makes arrays, for which numba's memory has to be there.
    """

    def __init__(self, function: FunctionType, *, nrt: bool) -> None:
        self._nrt = nrt
        self._name = f"{function.__module__}.{function.__qualname__}".replace("<locals>.", "")
        self._stamp = fingerprint([function.__module__])

    @property
    def cache_path(self) -> None:
        """No single folder."""

    def enable(self) -> None:
        """Always on."""

    def disable(self) -> None:
        """Always on."""

    def flush(self) -> None:
        """Files are told apart by their names; none is in the way."""

    def load_overload(self, signature: Any, target: Any) -> Any:
        """The machine code for a signature, or None; then it is compiled now."""
        # A refresh makes numba's types and rules known (and its memory ready), which takes a fifth
        # of a second: they are for compiling, machine code does without.
        if self._nrt:
            target.refresh()
        name = self._file(signature, target.codegen())
        parts = None
        if name is not None and (body := folders.read(name)) is not None:
            with suppress(*_OF_DAMAGED_FILES):  # compiling anew mends it
                parts = pickle.loads(body)
        if parts is not None:
            return CompileResult._rebuild(target, *parts)  # type: ignore[no-untyped-call]
        target.refresh()
        compiling.missing()
        return None

    def save_overload(self, signature: Any, result: Any) -> None:
        """Keep what has been compiled."""
        if result.lifted or result.library.has_dynamic_globals:
            return
        name = self._file(signature, result.codegen)
        if name is not None:
            body: bytes = dumps(result._reduce())  # type: ignore[no-untyped-call]
            folders.write(name, body, f"{self._name}-*")

    def _file(self, signature: Any, codegen: Any) -> str | None:
        arguments = getattr(signature, "args", signature)
        classes = classes_in(arguments)
        if self._stamp is None or classes is None:
            return None
        of_classes = fingerprint(sorted({cls.__module__ for cls in classes}))
        if of_classes is None:
            return None
        key = (
            tuple(map(str, arguments)),
            [f"{cls.__module__}.{cls.__qualname__}" for cls in classes],
            of_classes,
            codegen.magic_tuple(),
            (sys.version, numba.__version__, llvmlite.__version__, np.__version__),
            (config.OPT, config.LOOP_VECTORIZE, config.SLP_VECTORIZE, config.BOUNDSCHECK),
            (config.DEBUGINFO_DEFAULT, sys.flags.optimize),
        )
        mark = hashlib.sha256(repr(key).encode()).hexdigest()[:24]
        return f"{self._name}-{self._stamp.hex()[:12]}-{mark}"
