"""Input that is packed: .gz, .bz2, .xz, a ZIP archive of one file, and Parquet tables.

They are known by their first bytes, not by their names, and unpacked as they are read; only ZIP
archives and Parquet files from a pipe are read into memory first.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import IO, Any, cast

from bddsudoku.context import Context
from bddsudoku.errors import BackendUnavailable, BddSudokuError, DamagedFileError, PuzzleFormatError
from bddsudoku.file_io import Readable, read_chunks

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
            if context.memory is not None and 2 * len(data) > context.memory:
                raise context.limit_error(f"while {name} was read", limit="memory")
        return io.BytesIO(data)


class _TableText(io.RawIOBase):
    """A Parquet table as the text of a table with commas."""

    def __init__(self, file: io.BytesIO) -> None:
        try:
            from pyarrow import parquet
        except ImportError:
            missing = "Arrow and Parquet need pyarrow: pip install 'bddsudoku[arrow]'"
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
