"""Input of bytes from a path, a pipe, standard input or an open stream, opened and read only once.

A pipe can be read only once, and a FIFO opened a second time waits for a second writer. So the kind
of content is recognised by the first bytes, which remain part of the input.
"""

from __future__ import annotations

import os
import select
import stat
import sys
from collections.abc import Callable
from typing import IO, Any, Self

from bddsudoku.context import UNLIMITED, Context
from bddsudoku.errors import PuzzleFormatError
from bddsudoku.file_io import MAGIC, MAX_TEXT_BYTES, read_stream_text
from bddsudoku.packed_input import unpacked

STDIN = "<standard input>"
"""Name of standard input in messages."""
_PACKED = b"\x1fB\xfdP"
"""First bytes of packed input."""
READ_BYTES = 1 << 18
"""Bytes that are read at a time: some 3,000 puzzles, a few milliseconds of work."""


class InputSource:
    """An input that is open for reading; a context manager that closes what it has opened.

    Args:
        argument: a path, ``-`` for standard input, or an open stream (text or binary).
        context: limits for reading.
        name: what messages call a stream; by default its own name.

    Attributes:
        context: as given.
        name: its name in messages.
        head: the bytes that were read first, at least eight unless the input is shorter.
        mappable: the file, if it can be memory-mapped: regular, and read from its beginning.

    Raises:
        OSError: the path cannot be opened.
        PuzzleFormatError: standard input is closed.
        DamagedFileError: it is packed (:mod:`bddsudoku.packed_input`) and cannot be unpacked.
    """

    def __init__(
        self,
        argument: str | os.PathLike[str] | IO[str] | IO[bytes],
        context: Context = UNLIMITED,
        *,
        name: str | None = None,
    ) -> None:
        self.context = context
        self._own = isinstance(argument, (str, os.PathLike)) and str(argument) != "-"
        file: Any = argument
        if self._own:
            file = open(file, "rb", buffering=0)  # noqa: SIM115
            name = str(argument)
        elif argument == "-":
            if sys.stdin is None:
                raise PuzzleFormatError("cannot be read: it is closed", source=STDIN)
            file, name = getattr(sys.stdin, "buffer", sys.stdin), STDIN
        own_name = getattr(file, "name", None)
        self.name = name or (own_name if isinstance(own_name, str) else "<stream>")
        self._file = file
        try:
            self.mappable = file if _is_mappable(file) else None
            self._pipe = _number_of_pipe(file)
            self._read = _reader_of_bytes(file, is_pipe=self._pipe is not None)
            self._read_head()
            if self.head[:1] in _PACKED and (
                read := unpacked(self.head, self._read, self.name, context)
            ):
                self._read, self.mappable, self._pipe = read, None, None
                self._read_head()
        except BaseException:
            self.close()
            raise
        self._left = self.head

    def _read_head(self) -> None:
        """Read the first bytes."""
        self.head = b""
        while len(self.head) < len(MAGIC) and (more := self._read(READ_BYTES)):
            self.head += more

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file; standard input and streams stay open."""
        if self._own:
            self._file.close()

    @property
    def is_set(self) -> bool:
        """Whether the input begins like a saved set."""
        return self.head.startswith(MAGIC)

    def read(self, size: int) -> bytes:
        """Read what is there, at most ``size`` bytes, without delay; nothing at the end."""
        found = self._left or self._read(max(size, READ_BYTES))
        self._left = found[size:]
        return found[:size]

    def is_idle(self, seconds: float) -> bool:
        """Whether a pipe gives nothing for some seconds."""
        return (
            self._pipe is not None
            and not self._left
            and not select.select([self._pipe], [], [], seconds)[0]
        )

    def text(self, max_bytes: int = MAX_TEXT_BYTES) -> str:
        """The whole content as text, decoded from UTF-8."""
        return read_stream_text(self, self.name, self.context, max_bytes)


def _reader_of_bytes(file: Any, *, is_pipe: bool) -> Callable[[int], bytes]:
    """A function that reads what is there from a stream; the text of a text stream as UTF-8."""
    if not isinstance(file.read(0), str):
        # What reads buffered streams in large pieces leaves nothing in the buffer.
        read: Callable[[int], bytes] = getattr(file, "read1", file.read)
        return read
    read_text = file.readline if is_pipe else file.read
    return lambda size: read_text(size).encode(errors="surrogatepass")


def _is_mappable(file: Any) -> bool:
    """Whether a file can be memory-mapped: it is regular, and nothing of it has been read."""
    try:
        number = file.fileno()
        return stat.S_ISREG(os.fstat(number).st_mode) and os.lseek(number, 0, os.SEEK_CUR) == 0
    except (OSError, ValueError, AttributeError):
        return False


def _number_of_pipe(file: Any) -> int | None:
    """The descriptor of a pipe, socket or terminal; None for all else."""
    try:
        number: int = file.fileno()
        mode = os.fstat(number).st_mode
    except (OSError, ValueError, AttributeError):
        return None
    is_pipe = stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode) or os.isatty(number)
    return number if is_pipe and os.name == "posix" else None
