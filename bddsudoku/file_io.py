"""Reading of texts of bounded length, and atomic writing of files.

Output goes to a file ``.bddsudoku-….partial`` in the target's own folder, which takes the target's
name only when it is complete and on the disk. After an error, Ctrl-C or any other unwinding, no
partial file remains and an older file is unchanged; after SIGKILL or a power failure the target is
absent, old or complete, and a partial file may lie beside it.

* A symbolic link stays, and its target is replaced. (Another hard link keeps the old text.)
* An older file's permissions and, where the system permits it, its owner stay; a new file gets
  the permissions of the umask.
* A file without write permission is refused, for root, too, and so is a folder.
* A file that is not regular (``/dev/null``, a FIFO, a terminal) is opened and written to, never
  replaced, and what is written to the file behind standard output goes on where that stands.

:func:`require_writable` refuses a target before hours of work. Endless input (a device, a pipe that
never closes) is refused with a message of one line, and so are bytes that are no text. Puzzles are
read line by line (:mod:`bddsudoku.puzzle.sudoku.text`), in the same encodings.
"""

from __future__ import annotations

import atexit
import codecs
import errno
import io
import os
import re
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from typing import Any, BinaryIO, Protocol, TextIO

from bddsudoku.context import UNLIMITED, Context
from bddsudoku.errors import DamagedFileError, LimitReached, PuzzleFormatError

# -- reading ---------------------------------------------------------------------------------------

MAGIC = b"\x89BSS\r\n\x1a\n"
"""The first bytes of a saved set."""
MAX_TEXT_BYTES = 1 << 28
"""Bytes of any text, at most."""
MAX_BOARD_BYTES = 1 << 24
"""Bytes of a text that describes one board (a drawing, pieces, a pattern, rules), at most."""
_MEMORY_PER_BYTE = 64
"""Bytes of memory that the parsed form of a text may take for each of its bytes."""
_CHUNK_BYTES = 1 << 20


class Readable(Protocol):
    """What bytes are read from."""

    def read(self, size: int, /) -> bytes:
        """Read at most ``size`` bytes; nothing at the end."""
        ...


def read_chunks(stream: Readable, name: str, context: Context) -> Iterator[bytes]:
    """Read the rest of a stream in chunks of a megabyte.

    Raises:
        LimitReached: the time is used up; the message calls the stream ``name``.
        OSError: the stream cannot be read.
    """
    while chunk := stream.read(_CHUNK_BYTES):
        yield chunk
        context.check(f"while {name} was read")


def read_stream_text(
    stream: Readable, name: str, context: Context = UNLIMITED, max_bytes: int = MAX_TEXT_BYTES
) -> str:
    """Read and decode the rest of a stream (:func:`text_encoding`).

    Args:
        stream: open for binary reading.
        name: what messages call the stream.
        max_bytes: bytes at most, however much memory there is.

    Raises:
        PuzzleFormatError: the bytes are no text (:func:`refuse_undecoded`), or more than
            ``max_bytes``.
        LimitReached: the text is too long for the memory, or the time is used up.
        OSError: the stream cannot be read.
    """
    max_in_memory = None if context.max_memory is None else context.max_memory // _MEMORY_PER_BYTE
    data = bytearray()
    for chunk in read_chunks(stream, name, context):
        data += chunk
        if 0 in chunk and text_encoding(data) == _UTF8:
            break  # refused below; a device may have no end
        if len(data) > max_bytes:
            raise PuzzleFormatError(
                f"expected at most {max_bytes:,} bytes, found more", source=name
            )
        if max_in_memory is not None and len(data) > max_in_memory:
            where = f"while {name} was read: it has more than {max_in_memory:,} bytes"
            raise context.limit_error(where, limit="memory")
    try:
        text = data.decode(*text_encoding(data))
    except UnicodeDecodeError:
        raise PuzzleFormatError(NO_UTF16, source=name) from None
    refuse_undecoded(text, name)
    return text


_UTF8 = ("utf-8-sig", "surrogateescape")
NO_UTF16 = "the file is not valid UTF-16"
_UNDECODED = re.compile(
    r"""\0 | ^(?! \s*(?: [#*|\\;] | // | c\s ))  # lines that are comments in one of the formats
    (?: (?!\#|//) . )*? ( [\udc80-\udcff] )""",
    re.MULTILINE | re.VERBOSE,
)


def text_encoding(start: bytes | bytearray) -> tuple[str, str]:
    """The encoding of a text by its first four bytes, and the way to treat errors in it.

    A byte order mark, or zeros as the high bytes of two characters, mean UTF-16. In UTF-8 bytes
    that are wrong become lone surrogates, so that comments may have any encoding.
    """
    if start[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return "utf-16", "strict"
    match [byte > 0 for byte in start[:4]]:
        case [True, False, True, False]:
            return "utf-16-le", "strict"
        case [False, True, False, True]:
            return "utf-16-be", "strict"
    return _UTF8


def refuse_undecoded(text: str, source: str | None = None, first_line: int = 1) -> None:
    """Refuse a byte that was no UTF-8 outside comments, and a zero byte anywhere.

    Bytes after the sign of a comment of any other format are let through: each became a character
    of its own, so that at most names are shown strangely.

    Raises:
        PuzzleFormatError: there is one; the message has its line and column.
    """
    is_plain = text.isascii() and "\0" not in text
    if not is_plain and (found := _UNDECODED.search(text)):
        at = found.end() - 1
        raise PuzzleFormatError(
            f"expected UTF-8 text, found byte 0x{ord(text[at]) & 0xFF:02x}",
            source=source,
            line=text.count("\n", 0, at) + first_line,
            column=at - text.rfind("\n", 0, at),
        )


def read_text(path: str | os.PathLike[str], max_bytes: int = MAX_TEXT_BYTES) -> str:
    """Read and decode a whole file; arguments and errors as for :func:`read_stream_text`."""
    with open(path, "rb") as file:
        return read_stream_text(file, os.fspath(path), max_bytes=max_bytes)


def parse_json(text: str, name: str | None = None, first_line: int = 1) -> Any:
    """Parse a JSON text whose integers are no longer than Python converts (4,300 digits).

    Args:
        text: the text.
        name: of its source, for messages.
        first_line: the line of the source where it begins.

    Raises:
        PuzzleFormatError: the text is not such JSON, or an object has a name twice; the message
            has ``name``, line and column.
    """
    import json

    try:
        return json.loads(text, object_pairs_hook=_dict_if_names_differ)
    except PuzzleFormatError as error:
        raise PuzzleFormatError(error.expected, source=name) from None
    except json.JSONDecodeError as error:
        raise PuzzleFormatError(
            f"expected JSON: {error.msg}",
            source=name,
            line=first_line + error.lineno - 1,
            column=error.colno,
        ) from None
    except ValueError:  # Python converts no more digits of an integer than it is set to
        message = f"a number has more than {sys.get_int_max_str_digits():,} digits"
        raise PuzzleFormatError(f"expected JSON: {message}", source=name) from None
    except RecursionError:
        raise PuzzleFormatError("expected JSON: it is nested too deep", source=name) from None


def _dict_if_names_differ(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The (name, value) pairs of a JSON object as a dictionary; an error if a name occurs twice."""
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise PuzzleFormatError(f"expected JSON: the name {twice[:40]!r} stands twice in an object")
    return found


# -- writing ---------------------------------------------------------------------------------------

IN_ASCII = "bddsudoku-in-ascii"
"""The way to write characters that an encoding lacks: in ASCII, letters as JSON escapes them."""
_SIGNS = dict(zip("…×–→≥²", ("...", "x", "-", "->", ">=", "^2"), strict=True))


def _write_in_ascii(error: UnicodeError) -> tuple[str, int]:
    """Replace the characters of a text that an encoding lacks."""
    import json

    assert isinstance(error, UnicodeEncodeError)
    lacking = error.object[error.start : error.end]
    return "".join(_SIGNS.get(sign) or json.dumps(sign)[1:-1] for sign in lacking), error.end


codecs.register_error(IN_ASCII, _write_in_ascii)

_BUFFER_BYTES = 1 << 17
"""Bytes that are collected before a call of the system."""
_PARTIAL_PREFIX = ".bddsudoku-"
_partial_files: set[str] = set()
"""Paths of this process's partial files, from before their creation until after their removal."""


_waiting: ContextVar[list[tuple[str, str, str]] | None] = ContextVar("_waiting", default=None)
"""Complete files that wait for their names: partial file, target, the path as it was given."""


@contextmanager
def replacing_at_the_end() -> Iterator[Callable[[], Iterator[str]]]:
    """In a with block let complete files wait for their targets' names.

    Yields:
        A function that gives them their names, and yields these; the other files are removed.
    """
    waiting: list[tuple[str, str, str]] = []
    token = _waiting.set(waiting)
    try:
        yield lambda: (_replace(*file) for file in waiting)
    finally:
        _waiting.reset(token)
        for partial, _, _ in waiting:
            _remove_partial(partial)


def replace_at_once() -> None:
    """Let files take their names when they are complete, whatever becomes of the command."""
    _waiting.set(None)


@contextmanager
def open_atomic(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a file for atomic writing: it becomes ``path`` when the with block ends without error.

    A target that is not a regular file, or stands behind standard output, is written to directly.

    Args:
        path: the target. Relative paths and links are resolved now, not at the end.

    Raises:
        OSError: the target may not be written (see :func:`require_writable`), or the disk is full;
            the error names the target as the caller does.

    Cost: one ``fsync``.
    """
    given_path = os.fspath(path)
    target = _replacement_target(given_path)
    partial = ""
    if target is None:
        descriptor = _open_in_place(given_path)
    else:
        partial, descriptor = _create_partial(target, given_path)
    raw = io.FileIO(descriptor, "wb")
    file = io.BufferedWriter(raw, _BUFFER_BYTES)
    try:
        yield file
        file.flush()
        if target is not None:
            os.fsync(descriptor)
            file.close()  # some systems rename no open file
            if (waiting := _waiting.get()) is None:
                _replace(partial, target, given_path)
            else:
                waiting.append((partial, target, given_path))
                partial = ""
    except OSError as error:
        raise with_file_name(error, given_path) from None
    finally:
        if target is None:
            with suppress(OSError):
                file.close()
        raw.close()  # without what the disk did not take
        _remove_partial(partial)


@contextmanager
def open_atomic_text(path: str | os.PathLike[str]) -> Iterator[TextIO]:
    """Open a file for atomic writing of UTF-8 text with plain line feeds (:func:`open_atomic`)."""
    with open_atomic(path) as file:
        text = io.TextIOWrapper(file, "utf-8", IN_ASCII, newline="\n", write_through=True)
        try:
            yield text
        finally:
            text.detach()  # otherwise its finaliser would close the file


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write one text to a file atomically, as UTF-8 with plain line feeds (:func:`open_atomic`)."""
    with open_atomic_text(path) as file:
        file.write(text)


def require_writable(path: str | os.PathLike[str]) -> None:
    """Check that :func:`open_atomic` could write a path; changes nothing and never blocks.

    Raises:
        OSError: the folder does not exist or takes no new files, the path is a folder, or the file
            there has no write permission.
    """
    given_path = os.fspath(path)
    if (target := _replacement_target(given_path)) is not None:
        partial, descriptor = _create_partial(target, given_path)
        os.close(descriptor)
        _remove_partial(partial)
    elif not os.access(given_path, os.W_OK):
        raise _os_error(errno.EACCES, given_path)


@contextmanager
def temporary_folder() -> Iterator[str]:
    """In a with block, a folder for files of libraries, which do not say why writing failed.

    Raises:
        LimitReached: a file could not be written there, or not be read again.
    """
    import tempfile

    place = tempfile.gettempdir()
    try:
        with tempfile.TemporaryDirectory(prefix="bddsudoku-") as folder:
            yield folder
    except LimitReached:
        raise
    except (OSError, RuntimeError, DamagedFileError) as error:
        message = f"a temporary file could not be written to {place}: is the disk full? ({error})"
        raise LimitReached(message, limit="disk") from error


def remove_partial_files() -> None:
    """Delete the temporary files of the atomic writes that this process has not finished.

    For a process that is about to end without unwinding; may be called from any thread and takes
    no locks. Writing that is under way fails afterwards, and its targets stay unchanged.
    """
    own_prefix = (
        f"{_PARTIAL_PREFIX}{os.getpid()}-"  # a forked child leaves its parent's files alone
    )
    for partial in _partial_files.copy():
        if os.path.basename(partial).startswith(own_prefix):
            _remove_partial(partial)


atexit.register(remove_partial_files)


def _remove_partial(partial: str) -> None:
    with suppress(OSError):
        os.unlink(partial)
    _partial_files.discard(partial)


def _os_error(number: int, given_path: str, message: str | None = None) -> OSError:
    return OSError(number, message or os.strerror(number), given_path)


def with_file_name(error: OSError, name: str) -> OSError:
    """Copy an error that names no file so that it names one as the caller wrote it."""
    if error.errno is None or error.filename is not None:
        return error
    return _os_error(error.errno, name, error.strerror)


def _replacement_target(given_path: str) -> str | None:
    """Resolve a path to the regular file to replace or create; None if it is written in place.

    Raises:
        OSError: the target may not be written.
    """
    try:
        existing = os.stat(given_path)
    except FileNotFoundError:
        if os.path.basename(given_path) in ("", os.curdir, os.pardir):
            raise
        existing = None
    real = os.path.realpath(given_path)
    if existing is None:
        if not os.path.isdir(os.path.dirname(real)):
            named_folder = os.path.dirname(given_path) or os.path.dirname(real)
            raise _os_error(errno.ENOENT, given_path, f"there is no folder {named_folder}")
    elif stat.S_ISDIR(existing.st_mode):
        raise _os_error(errno.EISDIR, given_path)
    elif not stat.S_ISREG(existing.st_mode) or _own_descriptor(given_path) is not None:
        return None
    # The system forbids root nothing, but a read-only file is meant to stay.
    elif not (existing.st_mode & 0o222 and os.access(real, os.W_OK)):
        raise _os_error(errno.EACCES, given_path)
    return real


def _own_descriptor(given_path: str) -> int | None:
    """The descriptor of standard output or standard error, if a path leads to the file behind it.

    Opened anew, that file would be written from its beginning.
    """
    for descriptor in (1, 2):
        with suppress(OSError):
            if os.path.samestat(os.stat(given_path), os.fstat(descriptor)):
                return descriptor
    return None


def _open_in_place(given_path: str) -> int:
    """Open a file that is not replaced, and return the descriptor."""
    own = _own_descriptor(given_path)
    if own is not None:
        return os.dup(own)
    return os.open(given_path, os.O_WRONLY | getattr(os, "O_NOCTTY", 0))


def _replace(partial: str, target: str, given_path: str) -> str:
    """Give a complete file its name, and return that as the caller gave it."""
    try:
        os.replace(partial, target)
    except OSError as error:
        raise _os_error(error.errno or errno.EIO, given_path, error.strerror) from None
    return given_path


def _create_partial(target: str, given_path: str) -> tuple[str, int]:
    """Create a temporary file with the target's owner and permissions: its path and descriptor."""
    name = f"{_PARTIAL_PREFIX}{os.getpid()}-{os.urandom(6).hex()}.partial"
    partial = os.path.join(os.path.dirname(target), name)
    existing = os.stat(target) if os.path.exists(target) else None
    mode = 0o666 if existing is None else stat.S_IMODE(existing.st_mode) & 0o777
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    _partial_files.add(partial)
    try:
        descriptor = os.open(partial, flags, mode)
    except OSError as error:
        _remove_partial(partial)
        why = f"no file can be made in its folder: {error.strerror}"
        raise _os_error(error.errno or errno.EIO, given_path, why) from None
    if existing is not None and hasattr(os, "fchown"):
        with suppress(PermissionError):
            os.fchown(descriptor, existing.st_uid, existing.st_gid)
        os.fchmod(descriptor, mode)
    return partial, descriptor
