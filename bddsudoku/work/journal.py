"""What is done stays done: results as JSON lines, appended as they come.

A process that is killed at any moment loses nothing that was added; a last line that was cut off
in the middle is dropped when the file is read again.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import IO, Self

from bddsudoku.errors import BddSudokuError, DamagedFileError
from bddsudoku.work.encoding import Json, from_json, to_json
from bddsudoku.work.stamp import stamp
from bddsudoku.writing import write_text

__all__ = ["Journal", "Lines"]

Record = dict[str, "Json"]

_SYNC = 1.0
"""Seconds after which what was added is brought to the disk, for the case of a power failure."""


class Lines:
    """A file of JSON objects, one a line, that grows.

    Args:
        path: made where it is not there.
        fresh: begin anew.
        damaged: called for a line that is no JSON object, and is dropped.

    Raises:
        OSError: it cannot be read or written.
    """

    def __init__(
        self,
        path: str | Path,
        *,
        fresh: bool = False,
        damaged: Callable[[], None] = lambda: None,
    ) -> None:
        self.path = Path(path)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._damaged = damaged
        if fresh or not self.path.exists():
            write_text(self.path, "")
        else:
            self._mend()
        self._synced = time.monotonic()

    def _mend(self) -> None:
        """Drop what is no JSON object: the end of a line that was cut off."""
        whole = True
        kept = []
        with self.path.open("rb") as file:
            for line in file:
                if line.endswith(b"\n") and _record(line) is not None:
                    kept.append(line)
                else:
                    whole = False
                    self._damaged()
        if not whole:
            write_text(self.path, b"".join(kept).decode())

    def records(self) -> Iterator[tuple[int, Record]]:
        """Every record, and where its line begins."""
        with self.path.open("rb") as file:
            at = 0
            for line in file:
                record = _record(line)
                if record is not None:
                    yield at, record
                at += len(line)

    def at(self, offset: int) -> Record:
        """The record whose line begins there."""
        with self.path.open("rb") as file:
            file.seek(offset)
            record = _record(file.readline())
        if record is None:
            raise DamagedFileError(f"{self.path}: no record at byte {offset}")
        return record

    def add(self, record: Mapping[str, Json]) -> int:
        """Append a record; where its line begins."""
        line = json.dumps(record, ensure_ascii=False).encode() + b"\n"
        with self.path.open("ab") as file:
            offset = file.tell()
            file.write(line)
            file.flush()
            if time.monotonic() - self._synced > _SYNC:
                os.fsync(file.fileno())
                self._synced = time.monotonic()
        return offset


def _record(line: bytes) -> Record | None:
    try:
        found = json.loads(line)
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


def _locked(path: Path) -> IO[bytes]:
    """The file, open, and ours until it is closed; where the system cannot lock, others', too.

    Raises:
        BddSudokuError: another journal has it.
    """
    file = path.open("ab")
    try:
        import fcntl

        fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.close()
        raise BddSudokuError(f"{path}: another process is writing to this journal") from None
    except (ImportError, OSError):  # another system, or some network file systems
        pass
    return file


class Journal:
    """What came of the tasks of one question, by their keys.

    The first line says which question it is, and which code answered it; the others are
    ``{"key": …, "value": …, "seconds": …, "where": …}``. Values stay in the file.

    Args:
        path: of the file; what it holds already is taken up.
        question: whatever tells this question from others.

    Raises:
        BddSudokuError: the file answers another question, was written by other code, is no
            journal, or is being written to.
        OSError: it cannot be read or written.
    """

    def __init__(self, path: str | Path, question: Mapping[str, object]) -> None:
        self._places: dict[str, int] = {}
        wanted = {name: to_json(value) for name, value in question.items()}
        head: Record = {"journal": "bddsudoku", "code": stamp(), "question": wanted}
        if Path(path).exists() and Path(path).stat().st_size:
            _check(Path(path), head)
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        with _locked(Path(path)):
            self._lines = Lines(path)
        self._lock = _locked(Path(path))  # mending may have made it another file
        known = False
        for offset, record in self._lines.records():
            known = True
            if isinstance(key := record.get("key"), str):
                self._places[key] = offset
        if not known:
            self._lines.add(head)

    def __len__(self) -> int:
        return len(self._places)

    def __contains__(self, key: object) -> bool:
        return key in self._places

    def value(self, key: str) -> object:
        """What came of a task that is in here."""
        return from_json(self._lines.at(self._places[key]).get("value"))

    def add(self, key: str, value: object, seconds: float = 0.0, where: str = "here") -> None:
        """Keep what came of a task, unless that is known.

        Raises:
            BddSudokuError: the value is nothing that JSON can hold (:mod:`.encoding`).
        """
        if key not in self._places:
            self._places[key] = self._lines.add(
                {
                    "key": key,
                    "value": to_json(value),
                    "seconds": round(seconds, 6),
                    "where": where,
                }
            )

    def close(self) -> None:
        """Bring everything to the disk, and let others write."""
        if not self._lock.closed:
            os.fsync(self._lock.fileno())
            self._lock.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _check(path: Path, head: Record) -> None:
    """Refuse a file that does not begin as this journal does."""
    with path.open("rb") as file:
        line = file.readline()
    found = _record(line) if line.endswith(b"\n") else {}
    if found == {}:
        return  # cut off in the very first line
    if found is None or found.get("journal") != head["journal"]:
        raise BddSudokuError(f"{path}: expected a journal of bddsudoku, or no file")
    for name, what in (("question", "of another question"), ("code", "written by other code")):
        if found.get(name) != head[name]:
            there, here = json.dumps(found.get(name)), json.dumps(head[name])
            raise BddSudokuError(f"{path}: a journal {what}: {there}, not {here}")
