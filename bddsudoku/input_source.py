"""Input of bytes from a path, a pipe, standard input or an open stream, opened and read only once.

A pipe can be read only once, and a FIFO opened a second time waits for a second writer. So the kind
of content is recognised by the first bytes, which remain part of the input.

Packed input (.gz, .bz2, .xz, a ZIP archive of one file, a Parquet table) is known by its first
bytes, not by its name, and unpacked as it is read; only ZIP archives and Parquet files from a pipe
are read into memory first.
"""

from __future__ import annotations

import csv
import io
import os
import select
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import IO, Any, Self, cast

from bddsudoku.argument_types import check_types
from bddsudoku.context import UNLIMITED, Context
from bddsudoku.errors import BackendUnavailable, BddSudokuError, DamagedFileError, PuzzleFormatError
from bddsudoku.file_io import MAGIC, MAX_TEXT_BYTES, Readable, read_chunks, read_stream_text

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
        DamagedFileError: it is packed (:mod:`bddsudoku.input_source`) and cannot be unpacked.
    """

    @check_types
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
        self.name: str = name or (own_name if isinstance(own_name, str) else "<stream>")
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
        self.head: bytes = b""
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


# -- packed input ----------------------------------------------------------------------------------

Read = Callable[[int], bytes]
"""A function that reads at most so many bytes; nothing at the end."""

_ROWS = 1 << 12
"""Rows of a Parquet table that are read at a time."""


def unpacked(head: bytes, read: Read, name: str, context: Context) -> Read | None:
    """A function that reads what is packed in an input; None if it is not packed.

    Args:
        head: the first eight bytes, or more.
        read: reads what follows.
        name: what messages call the input.
        context: limit of the memory for archives and tables.

    Raises:
        DamagedFileError: it cannot be unpacked; raised by the function, too.
        PuzzleFormatError: an archive of several files.
        BackendUnavailable: a Parquet table without pyarrow.
        LimitReached: an archive or a table is too large for the memory.
    """
    packed = _Packed(head, read)
    stream: Any
    with _naming_damage(name):
        if head.startswith(b"\x1f\x8b"):
            from gzip import GzipFile

            stream = GzipFile(fileobj=packed)
        elif head.startswith(b"BZh") and head[4:8] == b"1AY&":
            from bz2 import BZ2File

            stream = BZ2File(packed)
        elif head.startswith(b"\xfd7zXZ\0"):
            from lzma import LZMAFile

            stream = LZMAFile(cast("IO[bytes]", packed))  # noqa: SIM115
        elif head.startswith(b"PK\3\4"):
            from zipfile import ZipFile

            archive = ZipFile(packed.in_memory(name, context))
            members = [member for member in archive.infolist() if not member.is_dir()]
            if len(members) != 1:
                what = f"expected a ZIP archive of one file, found {len(members)}"
                raise PuzzleFormatError(what, source=name)
            stream = archive.open(members[0])
        elif head.startswith(b"PAR1"):
            stream = io.BufferedReader(_TableText(packed.in_memory(name, context)))
        else:
            return None

    def read_unpacked(size: int) -> bytes:
        with _naming_damage(name):
            found: bytes = stream.read1(size)
            return found

    return read_unpacked


class _Packed(io.RawIOBase):
    """The packed bytes as a stream: those that were read already, then the others."""

    def __init__(self, head: bytes, read: Read) -> None:
        self._head = head
        self._read = read

    def readable(self) -> bool:
        """Always True: the stream can be read."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Read bytes into a buffer; return their number."""
        found = self._head[: len(buffer)] or self._read(len(buffer))
        self._head = self._head[len(found) :]
        buffer[: len(found)] = found
        return len(found)

    def in_memory(self, name: str, context: Context) -> io.BytesIO:
        """All bytes in memory, within its limit."""
        data = bytearray()
        for chunk in read_chunks(cast("Readable", self), name, context):
            data += chunk
            if context.max_memory is not None and 2 * len(data) > context.max_memory:
                raise context.limit_error(f"while {name} was read", limit="memory")
        return io.BytesIO(data)


class _TableText(io.RawIOBase):
    """A Parquet table as the text of a table with commas."""

    def __init__(self, file: io.BytesIO) -> None:
        try:
            from pyarrow import parquet
        except ImportError:
            missing = "Arrow and Parquet need pyarrow: pip install pyarrow"
            raise BackendUnavailable(missing) from None
        self._table = parquet.ParquetFile(file)
        self._texts = self._parts()
        self._rest = b""

    def _parts(self) -> Iterator[bytes]:
        names = self._table.schema_arrow.names
        if len(names) > 1:
            yield _csv_text([names])
        for batch in self._table.iter_batches(_ROWS):
            columns = [column.to_pylist() for column in batch.columns]
            yield _csv_text(zip(*columns, strict=True))

    def readable(self) -> bool:
        """Always True: the table can be read."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Read bytes into a buffer; return their number."""
        self._rest = self._rest or next(self._texts, b"")
        found, self._rest = self._rest[: len(buffer)], self._rest[len(buffer) :]
        buffer[: len(found)] = found
        return len(found)


def _csv_text(rows: Any) -> bytes:
    """Rows of a table as text with commas."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue().encode()


@contextmanager
def _naming_damage(name: str) -> Iterator[None]:
    """In a with block, errors of the packages that unpack become one of this package."""
    try:
        yield
    except BddSudokuError:
        raise
    except Exception as error:
        reason = str(error).partition("\n")[0]
        raise DamagedFileError(f"{name}: it cannot be unpacked: {reason}") from None
