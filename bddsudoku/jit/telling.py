"""What is said about compiling, on standard error."""

from __future__ import annotations

import sys
import threading
from contextlib import suppress
from time import perf_counter

__all__ = ["clock", "tell"]

_PATIENCE = 1.0
"""Seconds of compiling after which it is told."""


class Clock:
    """Says that kernels are being compiled when that takes long."""

    def __init__(self) -> None:
        self._spent = 0.0
        self._began = 0.0
        self._what: object = None
        self._timer: threading.Timer | None = None
        self._told = False

    @property
    def runs(self) -> bool:
        """Whether a kernel is being compiled."""
        return self._what is not None

    def begin(self, what: object) -> None:
        """A kernel is about to be compiled, perhaps for another one."""
        if self._what not in (None, what):
            return
        self._stop()
        self._what = what
        self._began = perf_counter()
        if not self._told:
            self._timer = threading.Timer(max(_PATIENCE - self._spent, 0.0), self._tell)
            self._timer.daemon = True
            self._timer.start()

    def end(self, what: object) -> None:
        """It has been."""
        if self._what == what:
            self._stop()
            self._what = None
            self._spent += perf_counter() - self._began

    def _stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _tell(self) -> None:
        self._told = True
        tell("compiling the kernels for this machine, once; this may take some seconds")


clock = Clock()


def tell(what: str) -> None:
    """One line on standard error, if there is one."""
    with suppress(AttributeError, OSError, ValueError):
        sys.stderr.write(f"bddsudoku: {what}\n")
        sys.stderr.flush()
