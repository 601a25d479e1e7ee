"""Journals: files of JSON lines that keep the results of tasks across interruptions.

A process that is killed at any moment loses no line that was added. At most the last line is cut
off in the middle; that line alone is dropped when the file is read again. Lines have checksums, and
a wrong one is an error with the line's number; docs/reference/files.md has the format.

Values are JSON, so that other programs can read them years later.

A journal belongs to one version of the code, identified by the version number and a hash of the
sources (:func:`code_stamp`).
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
import zlib
from collections.abc import Iterable, Mapping
from contextlib import suppress
from functools import cache
from io import BufferedReader, FileIO
from pathlib import Path
from typing import Any, NoReturn, Self

from bddsudoku import __version__
from bddsudoku.argument_types import check_types
from bddsudoku.errors import BddSudokuError, DamagedFileError
from bddsudoku.file_io import require_writable, with_file_name

Record = dict[str, Any]

_FORMAT = 3
_MAX_HEAD_BYTES = 1 << 20
"""Bytes of a file's first line that are read to recognize its format."""
_CHECKSUM_MEMBER = b', "crc": "'
_WRONG_CHECKSUM = (
    "its checksum is wrong, so it was damaged or altered; remove the line to have this part done "
    "again"
)


def _format_line(record: Mapping[str, object]) -> bytes:
    """The bytes of a record as a line that ends with their checksum."""
    try:
        text = json.dumps(record, ensure_ascii=False)
    except TypeError as error:
        raise BddSudokuError(f"a value cannot be kept in a journal: {error}") from None
    return _with_checksum(text.removesuffix("}").encode())


def _with_checksum(open_object: bytes) -> bytes:
    """Append a checksum and a closing brace to a JSON object that lacks its closing brace."""
    return b'%b%b%08x"}\n' % (open_object, _CHECKSUM_MEMBER, zlib.crc32(open_object))


def _is_checksum_right(line: bytes) -> bool:
    """Whether a line ends with the checksum of the bytes before it."""
    return line == _with_checksum(line.rpartition(_CHECKSUM_MEMBER)[0])


def _parse_object(line: bytes) -> Record | None:
    """The JSON object on a line; None if the line is cut off or something else."""
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) and line.endswith(b"\n") else None


@cache
def code_stamp() -> str:
    """Version and hash of the package's sources, such as ``0.1.0 (sources 25aee17ce57e)``."""
    package = Path(__file__).parents[1]
    found = hashlib.sha256()
    for path in sorted(package.rglob("*.py")):
        found.update(path.relative_to(package).as_posix().encode())
        found.update(hashlib.sha256(path.read_bytes()).digest())
    return f"{__version__} (sources {found.hexdigest()[:12]})"


def _open_locked(path: Path) -> FileIO:
    """Open or create a file with an exclusive lock, where the system supports locks."""
    while True:
        file = FileIO(path, "a+")
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

    Attributes:
        was_truncated: whether the last line was incomplete when the file was opened, and was
            dropped.

    Raises:
        BddSudokuError: the file answers another question, was written by other code, is no
            journal, or is being written to. It is left unchanged.
        DamagedFileError: a line of it is damaged; the message has its number.
        OSError: it cannot be read or written, or its folder does not exist.
    """

    @check_types
    def __init__(self, path: str | Path, question: Mapping[str, object]) -> None:
        self._path = Path(path)
        self._places: dict[str, tuple[int, int]] = {}
        self.was_truncated: bool = False
        with suppress(FileNotFoundError):
            if not stat.S_ISREG(self._path.stat().st_mode):  # a pipe would be waited for
                raise BddSudokuError(f"{path}: expected a regular file, or none yet")
        require_writable(self._path)
        self._file = _open_locked(self._path)
        try:
            head = {"journal": "bddsudoku", "format": _FORMAT, "code": code_stamp()}
            self._read_or_begin(head | {"question": question})
        except BaseException:
            self.close()
            raise

    def _read_or_begin(self, head: Record) -> None:
        """Read the journal that is in the file, or begin one in an empty file."""
        whole = _format_line(head)
        self._file.seek(0)
        file = BufferedReader(self._file)
        begin = file.read(len(whole))
        if begin == whole:
            self._read_results(file, len(whole))
        elif whole.startswith(begin):
            self.was_truncated = bool(begin)
            self._file.truncate(0)
            self._append(whole)
        else:
            file.seek(0)
            self._refuse(file.readline(_MAX_HEAD_BYTES), head)
        file.detach()

    def _read_results(self, file: Iterable[bytes], end: int) -> None:
        """Note where the results stand; a last line without a line feed was cut off."""
        for number, line in enumerate(file, 2):
            if not line.endswith(b"\n"):
                self.was_truncated = True
                self._file.truncate(end)
                break
            try:
                if (found := _parse_object(line)) is None:
                    raise DamagedFileError("expected a line of JSON")
                if not _is_checksum_right(line):
                    raise DamagedFileError(_WRONG_CHECKSUM)
                if not isinstance(found.get("key"), str) or "value" not in found:
                    raise DamagedFileError("expected the members key and value")
            except DamagedFileError as error:
                raise DamagedFileError(f"{self._path}, line {number}: {error}") from error
            self._places[found["key"]] = end, len(line)
            end += len(line)

    def __len__(self) -> int:
        return len(self._places)

    def __contains__(self, key: object) -> bool:
        return key in self._places

    def value(self, key: str) -> object:
        """The stored value of a task.

        Raises:
            DamagedFileError: the file was changed since it was opened.
        """
        offset, size = self._places[key]
        self._file.seek(offset)
        found = _parse_object(self._file.read(size))
        if found is None or found.get("key") != key:
            raise DamagedFileError(f"{self._path}: it was changed while it was open")
        return found["value"]

    def add(self, key: str, value: object, seconds: float = 0.0, where: str = "here") -> None:
        """Store the value of a task, unless one is stored already.

        Raises:
            BddSudokuError: the value is no JSON.
            OSError: the file cannot be written; it is left unchanged.
        """
        if key not in self._places:
            kept = {"key": key, "value": value, "seconds": round(seconds, 6), "where": where}
            self._places[key] = self._append(_format_line(kept))

    def _append(self, line: bytes) -> tuple[int, int]:
        """Append a line; return its offset and its length."""
        offset = self._file.seek(0, os.SEEK_END)
        try:
            left = memoryview(line)
            while left:
                left = left[self._file.write(left) :]
        except BaseException as error:
            with suppress(OSError):
                self._file.truncate(offset)
            if isinstance(error, OSError):
                raise with_file_name(error, str(self._path)) from None
            raise
        return offset, len(line)

    def _refuse(self, line: bytes, head: Record) -> NoReturn:
        """Raise the error for no journal, or one of another computation or version."""
        found = _parse_object(line)
        if found is None or found.get("journal") != head["journal"]:
            raise BddSudokuError(f"{self._path}: expected a journal of bddsudoku, or no file")
        if found.get("format") != head["format"]:
            raise BddSudokuError(
                f"{self._path}: a journal of another format, written by {found.get('code')}: go on "
                "with that version, or remove the file and begin anew"
            )
        if not _is_checksum_right(line):
            message = f"{self._path}, line 1: its checksum is wrong: remove the file"
            raise DamagedFileError(message)
        name, what = "question", "of another question"
        if found.get(name) == head[name]:
            name, what = "code", "written by other code"
        found_value, expected_value = json.dumps(found.get(name)), json.dumps(head[name])
        raise BddSudokuError(f"{self._path}: a journal {what}: {found_value}, not {expected_value}")

    def close(self) -> None:
        """Synchronize the file to the disk, and release its lock."""
        if not self._file.closed:
            os.fsync(self._file.fileno())
            self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
