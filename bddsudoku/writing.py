"""Files are written whole or not at all: the one way in which this package writes them.

What is written goes to a temporary file in the target's own folder, and takes the target's name
only when it is complete and on the disk. After an exception, after Ctrl-C, SIGTERM, SIGHUP or
SIGPIPE nothing is left behind and an older file is as it was; after SIGKILL or a power failure the
target is absent, old or whole. Where Linux can do it the temporary file has no name at all
(``O_TMPFILE``) and vanishes with its process; elsewhere it is called ``.bddsudoku-….partial``.

* A symbolic link stays, and what it points to is replaced. (Another hard link keeps the old text.)
* An older file's permissions and, where the system lets us, its owner stay; a new file gets what
  the umask leaves.
* A file without write permission is refused, for root, too, and so is a folder.
* What is no regular file (``/dev/null``, a FIFO, a terminal) is opened and written to, never
  replaced; ``/dev/stdout`` and ``/dev/fd/3`` are the descriptors that this process has already.

What cannot be written should be refused before hours of work: :func:`require_writable`.
"""

from __future__ import annotations

import atexit
import errno
import io
import os
import signal
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from types import FrameType
from typing import BinaryIO, NamedTuple, Self, TextIO, cast

from bddsudoku.streams import BUFFER, NamedFile, Stream, line_count, named

_LINKS = 40  # as many symbolic links in a row as Linux follows
_DEADLY = tuple(
    getattr(signal, name)
    for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGPIPE")
    if hasattr(signal, name)
)

# Temporary file → the process that made it (a forked child must leave its parent's alone). Added
# to before the file exists and taken from after it is gone, so that there is no moment at which
# an unfinished file is unknown.
_unfinished: dict[str, int] = {}


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
    if place is None:
        with _written_in_place(shown) as file:
            yield file
        return
    with _clean_on_signals(), _Temporary(place, shown) as temporary:
        yield cast("BinaryIO", temporary.file)
        temporary.finish()


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
    place = _place(shown)
    if place is not None:
        with _Temporary(place, shown):
            pass
    elif _own_descriptor(shown) is None and not os.access(shown, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), shown)


def discard_unfinished() -> None:
    """Remove what this process is writing and has not finished. Never waits for another thread.

    For a process that is about to end without unwinding, from whichever thread; the writing itself
    fails afterwards, and the targets stay as they were.
    """
    here = os.getpid()
    for name, process in _unfinished.copy().items():
        if process == here:
            with suppress(OSError):
                os.unlink(name)
            _unfinished.pop(name, None)


atexit.register(discard_unfinished)


class _Place(NamedTuple):
    """A regular file's place: links followed; ``there`` is the older file, if any."""

    path: str
    there: os.stat_result | None


def _place(shown: str) -> _Place | None:
    """Where a regular file would be replaced or made; None for what is written to in place.

    Raises:
        OSError: nothing may be written there.
    """
    if _own_descriptor(shown) is not None:
        return None
    try:
        there = os.stat(shown)
    except FileNotFoundError:
        there = None
        if not shown or os.path.basename(shown) in ("", os.curdir, os.pardir):
            raise
    if there is not None and stat.S_ISDIR(there.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), shown)
    if there is not None and not stat.S_ISREG(there.st_mode):
        return None
    real = os.path.realpath(shown)
    folder = os.path.dirname(real)
    if not os.path.isdir(folder):
        given = os.path.dirname(shown) or folder
        raise FileNotFoundError(errno.ENOENT, f"there is no folder {given}", shown)
    if there is not None and not _may_replace(real, there, os.stat(folder)):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), shown)
    return _Place(real, there)


def _may_replace(path: str, there: os.stat_result, folder: os.stat_result) -> bool:
    """Whether an existing file is ours to replace."""
    user = os.geteuid() if hasattr(os, "geteuid") else None
    if user == 0:  # to root the system forbids nothing; what is marked read-only is meant so
        return bool(there.st_mode & 0o222)
    effective = os.access in os.supports_effective_ids
    if not os.access(path, os.W_OK, effective_ids=effective):
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
def _written_in_place(shown: str) -> Iterator[BinaryIO]:
    """What is no regular file, open for writing."""
    own = _own_descriptor(shown)
    try:
        # a copy of a descriptor of ours shares its position: what stands there is not overwritten
        descriptor = (
            os.dup(own)
            if own is not None
            else os.open(shown, os.O_WRONLY | getattr(os, "O_NOCTTY", 0))
        )
    except OSError as error:
        raise named(error, shown) from None
    file = Stream(descriptor, shown)
    try:
        yield cast("BinaryIO", file)
        file.flush()
    except BaseException as error:
        if not isinstance(error, OSError):
            with suppress(OSError):
                file.flush()
        if file.lines:
            error.add_note(f"{line_count(file.lines)} to {shown}")
        raise
    finally:
        file.give_up()


class _Temporary:
    """The unfinished file beside its target; without a call of ``finish`` it leaves nothing.

    Attributes:
        file: open for binary writing.
    """

    def __init__(self, place: _Place, shown: str) -> None:
        self._place = place
        self._shown = shown
        self._process = os.getpid()
        self._folder = os.path.dirname(place.path)
        self._name: str | None = None
        there = place.there
        mode = 0o666 if there is None else stat.S_IMODE(there.st_mode) & 0o777
        try:
            descriptor = self._nameless(mode)
            if descriptor < 0:
                flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
                descriptor = os.open(self._new_name(), flags, mode)
            self._raw = NamedFile(descriptor, shown)
            self.file = io.BufferedWriter(self._raw, BUFFER)
            if there is not None:
                _resemble(descriptor, there)
        except BaseException as error:
            self._discard()
            if isinstance(error, OSError) and error.errno is not None:
                why = f"no file can be made in its folder: {error.strerror}"
                raise OSError(error.errno, why, shown) from None
            raise

    def _nameless(self, mode: int) -> int:
        """A file without a name that can get one later; -1 where that does not exist."""
        if not (flag := getattr(os, "O_TMPFILE", 0)):
            return -1
        try:
            descriptor = os.open(self._folder, os.O_WRONLY | flag, mode)
        except OSError:  # this file system cannot, or the folder takes nothing: then nor by name
            return -1
        if os.path.lexists(f"/proc/self/fd/{descriptor}"):
            return descriptor
        os.close(descriptor)
        return -1

    def _new_name(self) -> str:
        name = f".bddsudoku-{self._process}-{os.urandom(6).hex()}.partial"
        self._name = os.path.join(self._folder, name)
        _unfinished[self._name] = self._process
        return self._name

    def finish(self) -> None:
        """Put it in the target's place: from one moment to the next, or not at all."""
        self.file.flush()
        try:
            os.fsync(self._raw.fileno())
            if self._name is None:
                name = self._get_a_name()
            else:
                self._raw.close()  # some systems rename no open file
                name = self._name
            if name != self._place.path:
                os.replace(name, self._place.path)
        except OSError as error:  # about a name that nobody has heard of
            raise named(error, self._shown) from None

    def _get_a_name(self) -> str:
        """Link the nameless file: as the target if there is none, otherwise beside it."""
        descriptor = self._raw.fileno()
        # A folder's descriptor is given, though it plays no part here, because only then does
        # Python call linkat, which can follow this link.
        link = partial(os.link, f"/proc/self/fd/{descriptor}", src_dir_fd=descriptor)
        if self._place.there is None:
            with suppress(FileExistsError):  # somebody has made one meanwhile
                link(self._place.path)
                return self._place.path
        link(self._new_name())
        assert self._name is not None
        return self._name

    def _discard(self) -> None:
        if (raw := getattr(self, "_raw", None)) is not None:
            raw.close()  # before the buffer is: nothing more goes to what is given up
        if self._name is not None and self._process == os.getpid():
            with suppress(OSError):
                os.unlink(self._name)
            _unfinished.pop(self._name, None)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._discard()


def _resemble(descriptor: int, there: os.stat_result) -> None:
    """Take over an older file's owner and permissions."""
    if hasattr(os, "fchown"):
        made = os.fstat(descriptor)
        if (made.st_uid, made.st_gid) != (there.st_uid, there.st_gid):
            with suppress(PermissionError):
                os.fchown(descriptor, there.st_uid, there.st_gid)
        os.fchmod(descriptor, stat.S_IMODE(there.st_mode) & 0o777)


@contextmanager
def _clean_on_signals() -> Iterator[None]:
    """Where a signal would end the process on the spot, remove what is unfinished first.

    A program that has handlers of its own keeps them: they raise, or call
    :func:`discard_unfinished`. Only the main thread can set any.
    """
    ours = []
    try:
        for number in _DEADLY:
            if signal.getsignal(number) is signal.SIG_DFL:
                with suppress(ValueError):
                    signal.signal(number, _end)
                    ours.append(number)
        yield
    finally:
        for number in ours:
            if signal.getsignal(number) is _end:
                signal.signal(number, signal.SIG_DFL)


def _end(number: int, frame: FrameType | None) -> None:
    discard_unfinished()
    signal.signal(number, signal.SIG_DFL)
    signal.raise_signal(number)
