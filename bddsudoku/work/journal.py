"""Journals: files of JSON lines that keep the results of tasks across interruptions.

A process that is killed at any moment loses no line that was added. At most the last line is cut
off in the middle; that line alone is dropped when the file is read again. The lines of a
:class:`Journal` have checksums, and a wrong one is an error with the line's number;
docs/reference/files.md has the format.

Values are JSON, so that other programs can read them years later. Large integers, bytes, tuples and
arrays are objects with one member whose name begins with ``$``:
``{"$int": "6670903752021072936960"}``.

A journal belongs to one version of the code, identified by the version number and a hash of the
sources (:func:`code_stamp`).
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
import stat
import time
import zlib
from collections.abc import Iterator, Mapping
from contextlib import nullcontext, suppress
from functools import cache
from io import RawIOBase
from pathlib import Path
from typing import NamedTuple, Self, cast

from bddsudoku import __version__
from bddsudoku.errors import BddSudokuError, DamagedFileError
from bddsudoku.file_io import require_writable, with_file_name, write_text
from bddsudoku.number_text import from_decimal, to_decimal

Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]

_MAX_JSON_INTEGER = 1 << 53
"""Integers beyond are rounded by some readers of JSON."""
_INTEGER = re.compile("-?[0-9]+")
_NUMERIC_DTYPE = re.compile("[<>|=][biuf][0-9]+")
"""Kinds of numbers in an array."""
_MAX_SHOWN = 60


def to_json(value: object) -> Json:
    """Encode the value of a task as JSON, so that :func:`from_json` gives it back.

    Args:
        value: None, truth values, numbers, text, bytes, numpy arrays of numbers; lists, tuples and
            dictionaries of these, whose keys are texts.

    Raises:
        BddSudokuError: the value contains anything else.
    """
    match value:
        case None | bool() | float() | str():
            return value
        case int():
            return value if abs(value) < _MAX_JSON_INTEGER else {"$int": to_decimal(value)}
        case bytes():
            return {"$bytes": _compress_to_text(value)}
        case list():
            return [to_json(item) for item in value]
        case tuple():
            return {"$tuple": [to_json(item) for item in value]}
        case dict() if all(isinstance(key, str) for key in value):
            made: dict[str, Json] = {key: to_json(item) for key, item in value.items()}
            return {"$dict": made} if len(made) == 1 and next(iter(made)).startswith("$") else made
    import numpy as np

    if isinstance(value, np.ndarray):
        shape: list[Json] = list(value.shape)
        if value.dtype == object:
            return {"$array": ["object", shape, [to_json(v) for v in value.reshape(-1).tolist()]]}
        if value.dtype.kind in "biuf":
            return {"$array": [value.dtype.str, shape, _compress_to_text(value.tobytes())]}
    raise BddSudokuError(f"a {type(value).__name__} cannot be kept in a journal")


def from_json(encoded: Json) -> object:
    """Decode a value that :func:`to_json` encoded.

    Raises:
        DamagedFileError: the JSON is no encoded value.
    """
    if isinstance(encoded, list):
        return [from_json(item) for item in encoded]
    if not isinstance(encoded, dict):
        return encoded
    match [*encoded.items()]:
        case [("$dict", dict(inner))]:
            encoded = inner
        case [("$int", str(digits))] if _INTEGER.fullmatch(digits):
            return from_decimal(digits)
        case [("$bytes", str(text))]:
            return _decompress_text(text)
        case [("$tuple", list(items))]:
            return tuple(from_json(item) for item in items)
        case [("$array", list(items))]:
            return _array_from_json(items)
        case [(name, _)] if name.startswith("$"):
            raise DamagedFileError(f"expected a value, found {_abbreviate(encoded)}")
    return {key: from_json(item) for key, item in encoded.items()}


def _array_from_json(encoded: list[Json]) -> object:
    """Decode a numpy array from its dtype, shape and data."""
    import numpy as np

    try:
        match encoded:
            case ["object", list(shape), list(items)]:
                whole = np.empty(len(items), dtype=object)
                whole[:] = [from_json(item) for item in items]
            case [str(kind), list(shape), str(data)] if _NUMERIC_DTYPE.fullmatch(kind):
                whole = np.frombuffer(bytearray(_decompress_text(data)), dtype=kind)
            case _:
                raise ValueError("unknown kind")
        return whole.reshape(cast("list[int]", shape))
    except (TypeError, ValueError) as error:
        found = _abbreviate({"$array": encoded})
        raise DamagedFileError(f"expected an array, found {found}: {error}") from error


def _abbreviate(value: Json) -> str:
    """The beginning of a value's JSON text, for a message."""
    text = json.dumps(value)
    return text if len(text) <= _MAX_SHOWN else text[:_MAX_SHOWN] + " …"


def _compress_to_text(data: bytes) -> str:
    """Compress bytes with zlib, and encode them as text in base 64."""
    return base64.b64encode(zlib.compress(data, 1)).decode("ascii")


def _decompress_text(text: str) -> bytes:
    """The bytes that :func:`_compress_to_text` compressed."""
    try:
        return zlib.decompress(base64.b64decode(text))
    except (ValueError, zlib.error) as error:
        raise DamagedFileError(
            f"expected packed bytes, found {_abbreviate(text)}: {error}"
        ) from error


@cache
def code_stamp() -> str:
    """Version and hash of the package's sources, such as ``0.1.0 (sources 25aee17ce57e)``."""
    package = Path(__file__).parents[1]
    found = hashlib.sha256()
    for path in sorted(package.rglob("*.py")):
        found.update(path.relative_to(package).as_posix().encode())
        found.update(hashlib.sha256(path.read_bytes()).digest())
    return f"{__version__} (sources {found.hexdigest()[:12]})"


Record = dict[str, "Json"]

_FORMAT = 2
_SYNC_SECONDS = 1.0
"""Seconds after which added lines are synchronized to the disk, in case of a power failure."""
_MAX_HEAD_BYTES = 1 << 20
"""Bytes of a file's first line that are read to recognize its format."""


class LinePosition(NamedTuple):
    """Position of a line in a file: its number from 1, the offset of its first byte, its length."""

    number: int
    offset: int
    size: int


class JsonLinesFile:
    """A file of JSON objects, one a line, to which lines are appended.

    Args:
        path: of the file, which is created if it does not exist.
        fresh: empty the file first.
        checksums: every line ends with a checksum: the member ``crc``, eight hexadecimal digits of
            the CRC-32 of all bytes of the line before it. No other process may have such a file
            open, until :meth:`close`.

    Attributes:
        was_truncated: whether the last line was found cut off, and dropped.
    """

    def __init__(self, path: str | Path, *, fresh: bool = False, checksums: bool = False) -> None:
        self.path = Path(path)
        self.was_truncated = False
        self._count = 0
        self._synced = time.monotonic()
        try:
            kind = self.path.stat().st_mode
        except FileNotFoundError:
            fresh = True
        else:
            if not stat.S_ISREG(kind):  # a pipe would be waited for, a device never ends
                raise BddSudokuError(f"{self.path}: expected a regular file, or none yet")
        self._file: RawIOBase | None = None
        if checksums:  # never replaced by a new file: another process may have opened this one
            require_writable(self.path)
            self._file = _open_locked(self.path)
        elif fresh:
            write_text(self.path, "")

    def records(self) -> Iterator[tuple[LinePosition, Record]]:
        """Yield the position and the record of every line.

        A last line without a line feed was cut off. It is dropped, unless it is the only one, for
        then the file may be any other file.
        """
        end = 0
        with self.path.open("rb") as file:
            for number, line in enumerate(file, 1):
                if number > 1 and not line.endswith(b"\n"):
                    self.was_truncated = True
                    break
                self._count = number
                yield LinePosition(number, end, len(line)), self._parse_record(line, number)
                end += len(line)
        if self.was_truncated:
            os.truncate(self.path, end)

    def read_at(self, position: LinePosition) -> Record:
        """Read the record on a line, given the line's position in the file."""
        with self.path.open("rb") as file:
            file.seek(position.offset)
            return self._parse_record(file.read(position.size), position.number)

    def add(self, record: Mapping[str, Json]) -> LinePosition:
        """Append a record as a line; an error (a full disk, say) leaves the file unchanged."""
        line = self.format_line(record)
        opened = None if self._file is None else nullcontext(self._file)
        with opened or self.path.open("ab", buffering=0) as file:
            offset = file.seek(0, os.SEEK_END)
            try:
                left = memoryview(line)
                while left:
                    left = left[file.write(left) :]
                if time.monotonic() - self._synced > _SYNC_SECONDS:
                    os.fsync(file.fileno())
                    self._synced = time.monotonic()
            except BaseException as error:
                with suppress(OSError):
                    file.truncate(offset)
                if isinstance(error, OSError):
                    raise with_file_name(error, str(self.path)) from None
                raise
        self._count += 1
        return LinePosition(self._count, offset, len(line))

    def close(self) -> None:
        """Synchronize a locked file to the disk, and release its lock."""
        if self._file is not None and not self._file.closed:
            os.fsync(self._file.fileno())
            self._file.close()

    def format_line(self, record: Mapping[str, Json]) -> bytes:
        """The bytes of a record as a line of this file, with its checksum if lines have them."""
        text = json.dumps(record, ensure_ascii=False).encode()
        return text + b"\n" if self._file is None else _add_checksum(text.removesuffix(b"}"))

    def _parse_record(self, line: bytes, number: int) -> Record:
        """The record on a line; raise an error with the line's number if the line is damaged."""
        found = _parse_object(line)
        if found is None:
            raise DamagedFileError(f"{self.path}, line {number}: expected a line of JSON")
        if self._file is not None and not _is_checksum_right(line):
            raise DamagedFileError(f"{self.path}, line {number}: {_WRONG_CHECKSUM}")
        return found


_CHECKSUM_MEMBER = b', "crc": "'
_WRONG_CHECKSUM = (
    "its checksum is wrong, so it was damaged or altered; remove the line to have this part done "
    "again"
)


def _add_checksum(open_object: bytes) -> bytes:
    """Append a checksum and a closing brace to a JSON object that lacks its closing brace."""
    return b'%b%b%08x"}\n' % (open_object, _CHECKSUM_MEMBER, zlib.crc32(open_object))


def _is_checksum_right(line: bytes) -> bool:
    """Whether a line ends with the checksum of the bytes before it."""
    return line == _add_checksum(line.rpartition(_CHECKSUM_MEMBER)[0])


def _parse_object(line: bytes) -> Record | None:
    """The JSON object on a line; None if the line is cut off or something else."""
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) and line.endswith(b"\n") else None


def _open_locked(path: Path) -> RawIOBase:
    """Open or create a file with an exclusive lock, where the system supports locks."""
    while True:
        file = path.open("ab", buffering=0)
        try:
            import fcntl

            fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.close()
            raise BddSudokuError(f"{path}: another process is writing to this journal") from None
        except (ImportError, OSError):  # another system, or some network file systems
            pass
        with suppress(FileNotFoundError):  # or removed or replaced before it was locked
            if os.path.samestat(os.fstat(file.fileno()), path.stat()):
                return file
        file.close()


class Journal:
    """The stored results of the tasks of one question, by task key.

    The first line identifies the question and the code; the others are
    ``{"key": …, "value": …, "seconds": …, "where": …, "crc": …}``. Values stay in the file.

    Args:
        path: of the file; results that it contains already are used.
        question: members that identify the question.

    Raises:
        BddSudokuError: the file answers another question, was written by other code, is no
            journal, or is being written to. It is left unchanged.
        DamagedFileError: a line of it is damaged; the message has its number.
        OSError: it cannot be read or written, or its folder does not exist.
    """

    def __init__(self, path: str | Path, question: Mapping[str, object]) -> None:
        self._positions: dict[str, LinePosition] = {}
        self._lines = JsonLinesFile(path, checksums=True)
        try:
            self._read_or_begin({name: to_json(value) for name, value in question.items()})
        except BaseException:
            self.close()
            raise

    def _read_or_begin(self, question: Record) -> None:
        """Read the journal that is in the file, or begin one in an empty file."""
        path = self._lines.path
        head: Record = {"journal": "bddsudoku", "format": _FORMAT}
        head |= {"code": code_stamp(), "question": question}
        whole = self._lines.format_line(head)
        with path.open("rb") as file:
            begin = file.read(len(whole))
        if begin == whole:
            records = self._lines.records()
            next(records)
            for place, record in records:
                key = record.get("key")
                if not isinstance(key, str) or "value" not in record:
                    message = "expected the members key and value"
                    raise DamagedFileError(f"{path}, line {place.number}: {message}")
                self._positions[key] = place
        elif whole.startswith(begin):
            self._lines.was_truncated = bool(begin)
            os.truncate(path, 0)
            self._lines.add(head)
        else:
            raise _mismatch_error(path, head)

    def __len__(self) -> int:
        return len(self._positions)

    def __contains__(self, key: object) -> bool:
        return key in self._positions

    @property
    def was_truncated(self) -> bool:
        """Whether the last line was incomplete when the file was opened, and was dropped."""
        return self._lines.was_truncated

    def value(self, key: str) -> object:
        """The stored value of a task.

        Raises:
            DamagedFileError: the file was changed since it was opened, or the line holds no value.
        """
        place = self._positions[key]
        try:
            return from_json(self._lines.read_at(place)["value"])
        except DamagedFileError as error:
            raise DamagedFileError(f"{self._lines.path}, line {place.number}: {error}") from error

    def add(self, key: str, value: object, seconds: float = 0.0, where: str = "here") -> None:
        """Store the value of a task, unless one is stored already.

        Raises:
            BddSudokuError: the value cannot be encoded as JSON.
            OSError: the file cannot be written.
        """
        if key not in self._positions:
            kept: Record = {"key": key, "value": to_json(value)}
            kept |= {"seconds": round(seconds, 6), "where": where}
            self._positions[key] = self._lines.add(kept)

    def close(self) -> None:
        """Synchronize the file to the disk, and release its lock."""
        self._lines.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _mismatch_error(path: Path, head: Record) -> BddSudokuError:
    """The error for a file that is no journal, or a journal of another computation or version."""
    with path.open("rb") as file:
        line = file.readline(_MAX_HEAD_BYTES)
    found = _parse_object(line)
    if found is None or found.get("journal") != head["journal"]:
        return BddSudokuError(f"{path}: expected a journal of bddsudoku, or no file")
    if found.get("format") != head["format"]:
        return BddSudokuError(
            f"{path}: a journal of another format, written by {found.get('code')}: go on with that "
            "version, or remove the file and begin anew"
        )
    if not _is_checksum_right(line):
        return DamagedFileError(f"{path}, line 1: its checksum is wrong: remove the file")
    name, what = "question", "of another question"
    if found.get(name) == head[name]:
        name, what = "code", "written by other code"
    found_value, expected_value = json.dumps(found.get(name)), json.dumps(head[name])
    return BddSudokuError(f"{path}: a journal {what}: {found_value}, not {expected_value}")
