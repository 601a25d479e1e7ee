"""What goes on around compiling: who is asked before it, and what is said about it."""

from __future__ import annotations

import gc
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from time import perf_counter

from numba.core.compiler_lock import global_compiler_lock

before_compiling: list[Callable[[], None]] = []
"""Called before a kernel is compiled, which may take a second or two. What they raise (say
:class:`~bddsudoku.errors.LimitReached`) comes out of the call of the kernel."""

_PATIENCE = 1.0
"""Seconds of compiling after which it is told."""


class _Compiling:
    """Within it a kernel is read, or compiled; one at a time, and others that it calls.

    All that is noted here, and in :mod:`.folders`, is noted by the one thread that is within it.
    """

    def __init__(self) -> None:
        self._depth = 0
        self._missing = False
        self._collects = False
        self._spent = 0.0
        self._began = 0.0
        self._timer: threading.Timer | None = None
        self._told = False

    def __enter__(self) -> None:
        global_compiler_lock.acquire()  # type: ignore[no-untyped-call]
        self._depth += 1

    def __exit__(self, *_: object) -> None:
        self._depth -= 1
        if not self._depth and self._missing:
            self._missing = False
            self._spent += perf_counter() - self._began
            if self._timer is not None:
                self._timer.cancel()
            if self._collects:
                gc.enable()
        global_compiler_lock.release()  # type: ignore[no-untyped-call]

    def missing(self) -> None:
        """The kernel was not found on disk."""
        if self._missing:
            return
        for look in before_compiling:
            look()
        self._missing = True
        self._began = perf_counter()
        self._collects = gc.isenabled()
        gc.disable()  # takes a tenth of the time, and finds little before a kernel is done
        if not self._told:
            self._timer = threading.Timer(max(_PATIENCE - self._spent, 0.0), self._tell)
            self._timer.daemon = True
            self._timer.start()

    def _tell(self) -> None:
        self._told = True
        tell("compiling the kernels for this machine, once: this may take some seconds")


compiling = _Compiling()


def tell(what: str) -> None:
    """One line on standard error, if there is one."""
    with suppress(AttributeError, OSError, ValueError):
        sys.stderr.write(f"bddsudoku: {what}\n")
        sys.stderr.flush()
