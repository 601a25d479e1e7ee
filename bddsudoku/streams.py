"""Descriptors to write to: what the system has taken of them is known, and errors name them."""

from __future__ import annotations

import io
import os
import select
from threading import Lock
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

BUFFER = 1 << 17
"""Bytes that wait for a call of the system."""


class Stream(io.BufferedIOBase):
    """A descriptor to write to that knows how many lines the system has taken, whatever happens.

    When a signal's handler raises just after a write, Python's own buffers do not know of that
    write and repeat it at the next flush. This one does not, so that what an interrupted command
    has written is right, and so is the number of its lines.

    Args:
        descriptor: open for writing.
        shown: what to call it in errors.
        closefd: whether closing this closes the descriptor.
    """

    def __init__(self, descriptor: int, shown: str, *, closefd: bool = True) -> None:
        self._descriptor = descriptor
        self._shown = shown
        self._closefd = closefd
        self._lock = Lock()
        self._waiting = bytearray()
        self._taken: list[int] = []  # of what waits, what the system has taken all the same
        self._lines = 0

    @property
    def lines(self) -> int:
        """Line feeds that the system has taken so far; never waits for a write."""
        more = self._waiting.count(b"\n", 0, self._taken[0]) if self._taken else 0
        return self._lines + more

    def write(self, data: ReadableBuffer, /) -> int:
        """Take some bytes; they wait until there are enough of them, or for :meth:`flush`."""
        with self._lock:
            self._waiting += data
            if len(self._waiting) >= BUFFER:
                self._pass_on()
        return memoryview(data).nbytes

    def flush(self) -> None:
        """Give everything to the system.

        Raises:
            OSError: it does not take it; the error names the stream.
        """
        with self._lock:
            self._pass_on()

    def _pass_on(self) -> None:
        self._settle()
        while self._waiting:
            try:
                # One call in Python's eyes: no handler runs before the answer is kept.
                self._taken.extend(map(os.write, (self._descriptor,), (self._waiting,)))
            except BlockingIOError:
                select.select((), (self._descriptor,), ())
            except OSError as error:
                raise named(error, self._shown) from None
            self._settle()

    def _settle(self) -> None:
        """Take note of a write."""
        if self._taken:
            lines = self._waiting.count(b"\n", 0, self._taken[0])
            # No calls from here on, so that no handler runs until these are in step again.
            self._lines += lines
            del self._waiting[: self._taken[0]]
            self._taken = []

    def give_up(self) -> None:
        """Close it without what waits."""
        self._waiting, self._taken = bytearray(), []
        self.close()

    def close(self) -> None:
        """Flush it and, if it is ours, close the descriptor."""
        if self.closed:
            return
        try:
            super().close()  # flushes
        finally:
            if self._closefd:
                os.close(self._descriptor)

    def writable(self) -> bool:
        """It is."""
        return True

    def fileno(self) -> int:
        """The descriptor."""
        return self._descriptor

    def isatty(self) -> bool:
        """Whether it is a terminal."""
        return os.isatty(self._descriptor)


class NamedFile(io.FileIO):
    """A descriptor to write to whose errors name it."""

    def __init__(self, descriptor: int, shown: str) -> None:
        super().__init__(descriptor, "wb")
        self._shown = shown

    def write(self, data: ReadableBuffer, /) -> int:
        """Write some bytes, and tell how many.

        Raises:
            OSError: the system does not take them; the error names the file.
        """
        try:
            return super().write(data)
        except OSError as error:
            raise named(error, self._shown) from None


def line_count(lines: int) -> str:
    """``1 line was written``, ``1,234 lines were written``."""
    return "1 line was written" if lines == 1 else f"{lines:,} lines were written"


def named(error: OSError, shown: str) -> OSError:
    """The same error about a file that the caller knows by name."""
    if error.errno is None:
        return error
    return OSError(error.errno, error.strerror, shown)
