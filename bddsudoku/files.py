"""Texts are read whole, up to a bound; files are written whole, or not at all.

What is written goes to a file ``.bddsudoku-….partial`` in the target's own folder, which takes the
target's name only when it is complete and on the disk. After an error, Ctrl-C or whatever else
unwinds, nothing is left behind and an older file is as it was; after SIGKILL or a power failure the
target is absent, old or whole, and a partial file may lie beside it.

* A symbolic link stays, and what it points to is replaced. (Another hard link keeps the old text.)
* An older file's permissions and, where the system lets us, its owner stay; a new file gets what
  the umask leaves.
* A file without write permission is refused, for root, too, and so is a folder.
* What is no regular file (``/dev/null``, a FIFO, a terminal) is opened and written to, never
  replaced; ``/dev/stdout`` and ``/dev/fd/3`` are the descriptors that this process has already.

What cannot be written should be refused before hours of work: :func:`require_writable`. Input
without an end (a device, a pipe that somebody keeps feeding) is refused in one line, and so is what
is no text. Puzzles are read line by line, as they come: :mod:`bddsudoku.puzzle.sudoku.text`.
"""

from __future__ import annotations

import atexit
import errno
import io
import os
import select
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Lock
from typing import TYPE_CHECKING, Any, BinaryIO, TextIO, cast

from bddsudoku.context import UNLIMITED, Context
from bddsudoku.errors import PuzzleFormatError

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

# -- reading ---------------------------------------------------------------------------------------

MOST = 1 << 28
"""Bytes of any text."""
MOST_OF_A_BOARD = 1 << 24
"""Bytes of what describes one board: a picture, pieces, a pattern, rules."""
_SHARE = 64
"""What is made of a text takes up to so many times its bytes, and is to fit into the memory."""
_CHUNK = 1 << 20
_MOST_DIGITS = 4300
"""Python reads no longer integers, as long as nobody tells it to."""


def chunks(stream: BinaryIO, name: str, context: Context) -> Iterator[bytes]:
    """What is left of a stream, piece by piece.

    Raises:
        LimitReached: the time is used up; the message calls the stream ``name``.
        OSError: it cannot be read.
    """
    while chunk := stream.read(_CHUNK):
        yield chunk
        context.check(f"while {name} was read")


def text_of(stream: BinaryIO, name: str, context: Context = UNLIMITED, most: int = MOST) -> str:
    """What is left of a stream, decoded from UTF-8 (a byte order mark may stand first).

    Args:
        stream: open for binary reading.
        name: what messages call it.
        most: bytes that it may have at most, however much memory there is.

    Raises:
        PuzzleFormatError: it is no text in UTF-8, or longer than ``most``.
        LimitReached: it is too long for the memory, or the time is used up.
        OSError: it cannot be read.
    """
    share = None if context.memory is None else context.memory // _SHARE
    data = bytearray()
    for chunk in chunks(stream, name, context):
        data += chunk
        if (zero := chunk.find(0)) >= 0:
            raise _no_text(data, len(data) - len(chunk) + zero, name)
        if len(data) > most:
            raise PuzzleFormatError(f"expected at most {most:,} bytes, found more", source=name)
        if share is not None and len(data) > share:
            where = f"while {name} was read: it has more than {share:,} bytes"
            raise context.reached(where, limit="memory")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise _no_text(data, error.start, name) from None


def _no_text(data: bytearray, at: int, name: str) -> PuzzleFormatError:
    return PuzzleFormatError(
        f"expected UTF-8 text, found byte 0x{data[at]:02x}",
        source=name,
        line=data.count(b"\n", 0, at) + 1,
        column=at - data.rfind(b"\n", 0, at),
    )


def read_text(path: str | os.PathLike[str], context: Context = UNLIMITED, most: int = MOST) -> str:
    """A file's text; arguments and errors as for :func:`text_of`."""
    with open(path, "rb") as file:
        return text_of(file, os.fspath(path), context, most)


def parse_json(text: str, name: str | None = None) -> Any:
    """The value of a JSON text whose integers have at most 4,300 digits.

    Raises:
        PuzzleFormatError: it is no such text; the message names ``name``, line and column.
    """
    import json

    try:
        return json.loads(text, parse_int=_integer)
    except json.JSONDecodeError as error:
        raise PuzzleFormatError(
            f"expected JSON: {error.msg}", source=name, line=error.lineno, column=error.colno
        ) from None
    except OverflowError as error:
        raise PuzzleFormatError(f"expected JSON: {error}", source=name) from None
    except RecursionError:
        raise PuzzleFormatError("expected JSON: it is nested too deep", source=name) from None


def _integer(digits: str) -> int:
    if len(digits) > _MOST_DIGITS:
        raise OverflowError(f"a number has more than {_MOST_DIGITS:,} digits")
    return int(digits)


# -- writing ---------------------------------------------------------------------------------------

_BUFFER = 1 << 17
"""Bytes that wait for a call of the system."""
_LINKS = 40
"""As many symbolic links in a row as Linux follows."""
_PREFIX = ".bddsudoku-"
_unfinished: set[str] = set()
"""Partial files of this process, from before each is made until after it is gone."""


@contextmanager
def writing(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """A file open for binary writing that becomes ``path`` when the block ends without an error.

    What is no regular file is written to directly; an error then carries a note that says how many
    lines were written.

    Args:
        path: the target. Relative paths and links are resolved now, not at the end.

    Raises:
        OSError: the target may not be written (see :func:`require_writable`), or the disk is full;
            it names the target as it was given.

    Cost: one ``fsync``.
    """
    shown = os.fspath(path)
    place = _place(shown)
    with _in_place(shown) if place is None else _beside(place, shown) as file:
        yield cast("BinaryIO", file)


@contextmanager
def writing_text(path: str | os.PathLike[str]) -> Iterator[TextIO]:
    """Like :func:`writing`, for UTF-8 text with plain line feeds."""
    with writing(path) as file:
        text = io.TextIOWrapper(file, encoding="utf-8", newline="\n", write_through=True)
        try:
            yield text
        finally:
            text.detach()  # or it would close the file


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write one whole text, as UTF-8 with plain line feeds; see :func:`writing`."""
    with writing_text(path) as file:
        file.write(text)


def require_writable(path: str | os.PathLike[str]) -> None:
    """Refuse what :func:`writing` would refuse; nothing is changed, nothing is waited for.

    Raises:
        OSError: there is no such folder, it takes no new files, the path is a folder, or the file
            there has no write permission.
    """
    shown = os.fspath(path)
    if (place := _place(shown)) is not None:
        partial, stream = _partial(place, shown)
        stream.give_up()
        _remove(partial)
    elif _own_descriptor(shown) is None and not os.access(shown, os.W_OK):
        raise _refusal(errno.EACCES, shown)


def discard_unfinished() -> None:
    """Remove what this process is writing and has not finished. Never waits for another thread.

    For a process that is about to end without unwinding, from whichever thread; the writing itself
    fails afterwards, and the targets stay as they were.
    """
    here = f"{_PREFIX}{os.getpid()}-"  # a forked child leaves its parent's files alone
    for partial in _unfinished.copy():
        if os.path.basename(partial).startswith(here):
            _remove(partial)


atexit.register(discard_unfinished)


def _remove(partial: str) -> None:
    with suppress(OSError):
        os.unlink(partial)
    _unfinished.discard(partial)


def _refusal(number: int, shown: str, why: str | None = None) -> OSError:
    return OSError(number, why or os.strerror(number), shown)


def named(error: OSError, shown: str) -> OSError:
    """The same error about a file that the caller knows by name."""
    return error if error.errno is None else OSError(error.errno, error.strerror, shown)


def _place(shown: str) -> str | None:
    """Where a regular file would be replaced or made; None for what is written to in place.

    Raises:
        OSError: nothing may be written there.
    """
    if _own_descriptor(shown) is not None:
        return None
    try:
        there = os.stat(shown)
    except FileNotFoundError:
        if os.path.basename(shown) in ("", os.curdir, os.pardir):
            raise
        there = None
    real = os.path.realpath(shown)
    folder = os.path.dirname(real)
    if there is None:
        if not os.path.isdir(folder):
            given = os.path.dirname(shown) or folder
            raise _refusal(errno.ENOENT, shown, f"there is no folder {given}")
    elif stat.S_ISDIR(there.st_mode):
        raise _refusal(errno.EISDIR, shown)
    elif not stat.S_ISREG(there.st_mode):
        return None
    elif not _may_replace(real, there, os.stat(folder)):
        raise _refusal(errno.EACCES, shown)
    return real


def _may_replace(path: str, there: os.stat_result, folder: os.stat_result) -> bool:
    """Whether an existing file is ours to replace."""
    user = os.geteuid() if hasattr(os, "geteuid") else None
    if user == 0:  # to root the system forbids nothing; what is marked read-only is meant so
        return bool(there.st_mode & 0o222)
    if not os.access(path, os.W_OK, effective_ids=os.access in os.supports_effective_ids):
        return False
    # In a folder such as /tmp only the owners of file and folder may take a name away.
    return not folder.st_mode & stat.S_ISVTX or user in (there.st_uid, folder.st_uid)


def _own_descriptor(shown: str) -> int | None:
    """The number behind ``/dev/stdout``, ``/dev/fd/3``, ``/proc/self/fd/3`` and links to them."""
    name = shown
    for _ in range(_LINKS):
        folder, last = os.path.split(name)
        folder = os.path.realpath(folder)
        if folder in ("/dev/fd", f"/proc/{os.getpid()}/fd") and last.isdecimal():
            return int(last)
        name = os.path.join(folder, last)
        try:
            name = os.path.join(folder, os.readlink(name))
        except OSError:
            return None
    return None


@contextmanager
def _in_place(shown: str) -> Iterator[Stream]:
    """What is no regular file, open for writing."""
    own = _own_descriptor(shown)
    try:
        # a copy of a descriptor of ours shares its position: what stands there is not overwritten
        flags = os.O_WRONLY | getattr(os, "O_NOCTTY", 0)
        descriptor = os.open(shown, flags) if own is None else os.dup(own)
    except OSError as error:
        raise named(error, shown) from None
    stream = Stream(descriptor, shown)
    try:
        yield stream
        stream.flush()
    except BaseException as error:
        if not isinstance(error, OSError):
            with suppress(OSError):
                stream.flush()
        if stream.lines:
            error.add_note(f"{line_count(stream.lines)} to {shown}")
        raise
    finally:
        stream.give_up()


@contextmanager
def _beside(place: str, shown: str) -> Iterator[Stream]:
    """A partial file that replaces what is at its place: from one moment to the next."""
    partial, stream = _partial(place, shown)
    try:
        yield stream
        stream.flush()
        try:
            os.fsync(stream.fileno())
            stream.close()  # some systems rename no open file
            os.replace(partial, place)
        except OSError as error:  # about a name that nobody has heard of
            raise named(error, shown) from None
    finally:
        stream.give_up()
        _remove(partial)


def _partial(place: str, shown: str) -> tuple[str, Stream]:
    """A new partial file with the owner and the permissions of an older file, and its name."""
    name = f"{_PREFIX}{os.getpid()}-{os.urandom(6).hex()}.partial"
    partial = os.path.join(os.path.dirname(place), name)
    try:
        there = os.stat(place)
    except FileNotFoundError:
        there = None
    mode = 0o666 if there is None else stat.S_IMODE(there.st_mode) & 0o777
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    _unfinished.add(partial)
    try:
        descriptor = os.open(partial, flags, mode)
        stream = Stream(descriptor, shown)
        if there is not None and hasattr(os, "fchown"):
            with suppress(PermissionError):
                os.fchown(descriptor, there.st_uid, there.st_gid)
            os.fchmod(descriptor, mode)
    except BaseException as error:
        _remove(partial)
        if isinstance(error, OSError) and error.errno is not None:
            why = f"no file can be made in its folder: {error.strerror}"
            raise _refusal(error.errno, shown, why) from None
        raise
    return partial, stream


class Stream(io.BufferedIOBase):
    """A descriptor to write to that knows how many lines the system has taken, whatever happens.

    When a signal's handler raises just after a write, Python's own buffers do not know of that
    write and repeat it at the next flush. This one does not, so that what an interrupted command
    has written is right, and so is the number of its lines.

    Args:
        descriptor: open for writing.
        shown: what errors call it.
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
            if len(self._waiting) >= _BUFFER:
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
        if not self.closed:
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


def line_count(lines: int) -> str:
    """``1 line was written``, ``1,234 lines were written``."""
    return "1 line was written" if lines == 1 else f"{lines:,} lines were written"
