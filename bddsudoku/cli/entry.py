"""Process handling of every command: standard streams, signals, the deadline, and all errors.

A command always ends with one line and an exit code, never with a traceback:

* A closed standard stream counts as one that fails: a command that needs standard input or output
  reports it (1); without standard error messages are dropped, and answers are still written.
* Results that cannot be written (a full disk) are an error (1); a reader that closes the pipe
  (``| head``) is none (0).
* SIGINT, SIGTERM and SIGHUP unwind, so that no partial files remain, and end with 128 + the
  signal's number; a second one ends the process at once. If results were being written to standard
  output, the message says how many lines were.
* Engines check the time limit themselves, several times a second, and report where the work stood.
  Other code (an import, a compilation, a long call into a library) is ended by an alarm a moment
  after the deadline, and if the main thread does not handle signals then, a second thread ends the
  process. Both have exit code 3.
"""

from __future__ import annotations

import errno
import io
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from types import FrameType
from typing import TYPE_CHECKING, Any, NoReturn, TextIO

import click

from bddsudoku.errors import BddSudokuError, LimitReached
from bddsudoku.files import Stream, discard_unfinished, line_count

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer, WriteableBuffer

    from bddsudoku.context import Context

EXIT_BAD_DATA = 1
EXIT_LIMIT = 3

# -- standard streams ------------------------------------------------------------------------------

_RESULTS = "standard output"


@contextmanager
def standard_streams() -> Iterator[None]:
    """Replace the standard streams within the block: all are open, and their errors name them.

    Streams that the caller has replaced already stay.
    """
    _occupy()
    ours: dict[str, Any] = {
        "stdin": io.BufferedReader(_Source(0, closefd=False)),
        "stdout": Stream(1, _RESULTS, closefd=False),
        "stderr": io.BufferedWriter(_Messages(2, "wb", closefd=False)),
    }
    with ExitStack() as stack:
        for name, binary in ours.items():
            usual: TextIO | None = getattr(sys, name)
            if usual is not getattr(sys, f"__{name}__"):
                continue
            _flush(usual)
            messages = name == "stderr"
            stream = io.TextIOWrapper(
                binary,
                encoding=getattr(usual, "encoding", None),
                errors="backslashreplace" if messages else getattr(usual, "errors", None),
                line_buffering=messages or getattr(usual, "line_buffering", False),
                write_through=getattr(usual, "write_through", False),
            )
            setattr(sys, name, stream)
            stack.callback(setattr, sys, name, usual)
            stack.callback(_flush, stream)
        yield


def _occupy() -> None:
    """Open ``/dev/null`` on closed standard descriptors; wrongly for 0 and 1, so that they fail.

    Otherwise the next file that is opened becomes standard output, and results go into it.
    """
    for wanted, way in ((0, os.O_WRONLY), (1, os.O_RDONLY), (2, os.O_WRONLY)):
        try:
            os.fstat(wanted)
        except OSError:
            found = os.open(os.devnull, way)
            if found != wanted:
                os.dup2(found, wanted)
                os.close(found)
            os.set_inheritable(wanted, True)


class _Source(io.FileIO):
    """Standard input as a file whose errors name it."""

    def readinto(self, buffer: WriteableBuffer, /) -> int:
        try:
            return super().readinto(buffer)
        except OSError as error:
            raise OSError(error.errno, error.strerror, "standard input") from None


class _Messages(io.FileIO):
    """Standard error as a file that drops messages which cannot be written."""

    def write(self, data: ReadableBuffer, /) -> int:
        try:
            return super().write(data)
        except OSError:
            return memoryview(data).nbytes


def _flush(stream: TextIO | None) -> None:
    if stream is not None:
        with suppress(OSError, ValueError):
            stream.flush()


# -- signals ---------------------------------------------------------------------------------------

_WORDS = {"SIGINT": "interrupted", "SIGTERM": "terminated", "SIGHUP": "hung up"}
_came: list[int] = []
"""Signals received so far; Python runs their handlers in the main thread alone."""


class _Unwinding(KeyboardInterrupt):
    """Raised by the handler of a signal.

    Python's compiler, which runs at an import, drops every error but a KeyboardInterrupt.
    """


@contextmanager
def signals_unwind(ending: bool) -> Iterator[None]:
    """Let the first signal that would kill the process raise an error; the second one kills it.

    Signals that the caller handles or ignores, as under ``nohup``, are left alone. If the process
    is ``ending`` after the block, later signals kill it without a message; otherwise the handlers
    are restored.
    """
    usual: dict[int, Any] = {}
    hook = sys.unraisablehook

    def again(told: sys.UnraisableHookArgs) -> None:
        """Send a signal again whose error was lost because a finaliser was running."""
        if isinstance(told.exc_value, _Unwinding) and _came:
            threading.Timer(0.01, os.kill, (os.getpid(), _came.pop())).start()
        else:
            hook(told)

    try:
        _came.clear()
        sys.unraisablehook = again
        for number in (getattr(signal, name) for name in _WORDS if hasattr(signal, name)):
            before = signal.getsignal(number)
            if before in (signal.SIG_DFL, signal.default_int_handler):
                with suppress(ValueError):  # only the main thread can set handlers
                    signal.signal(number, _unwind)
                    usual[number] = before
        yield
    finally:
        sys.unraisablehook = hook
        for number, before in usual.items():
            signal.signal(number, signal.SIG_DFL if ending else before)


def _unwind(number: int, frame: FrameType | None) -> NoReturn:
    if _came:
        discard_unfinished()
        signal.signal(number, signal.SIG_DFL)
        signal.raise_signal(number)
    _came.append(number)
    raise _Unwinding


# -- the deadline ----------------------------------------------------------------------------------

_GENTLE = 0.4
"""Seconds after the deadline until an alarm interrupts code that does not check the limit."""
_HARD = 1.4
"""Seconds after the deadline until a thread ends the process."""
_over = threading.Event()
"""Set when the command has ended and printed its last message."""


@contextmanager
def deadline(context: Context) -> Iterator[None]:
    """Raise the limit's error in the main thread after the deadline, by a timer of the system.

    Nested blocks each have a timer; that of the outer block goes on afterwards. In the program's
    own process a thread ends the process if it still runs a second later.

    Raises:
        LimitReached: a moment after the deadline; also in place of any other error from then on,
            because code that an alarm has interrupted (an import, say) may be inconsistent.
    """
    main = threading.current_thread() is threading.main_thread()
    if context.deadline is None or not main or not hasattr(signal, "setitimer"):
        yield
        return
    late = context.deadline + _GENTLE

    def ring(number: int, frame: FrameType | None) -> NoReturn:
        # Errors of finalisers that the alarm interrupts are no use to anybody.
        sys.unraisablehook = lambda _: None
        raise context.reached()

    before, hook = signal.signal(signal.SIGALRM, ring), sys.unraisablehook
    begin = time.monotonic()
    outer, _ = signal.setitimer(signal.ITIMER_REAL, max(late - begin, 1e-3))
    own = isinstance(getattr(sys.stdout, "buffer", None), Stream)
    if own and not outer:
        _over.clear()
        with suppress(RuntimeError):  # no thread can be started: the alarm alone must suffice
            threading.Thread(target=_end_late, args=(context,), daemon=True).start()
    try:
        yield
    except LimitReached:
        raise
    except Exception as error:
        if time.monotonic() < late:
            raise
        raise context.reached() from error
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        if outer:
            left = begin + outer - time.monotonic()
            signal.setitimer(signal.ITIMER_REAL, max(left, 1e-3))
        if not own:
            sys.unraisablehook = hook


def _end_late(context: Context) -> None:
    """End the process if the command still runs long after the deadline."""
    assert context.deadline is not None
    if _over.wait(max(context.deadline + _HARD - time.monotonic(), 0)):
        return
    discard_unfinished()
    # Standard output may be blocked by a reader that does not read: do not wait for it.
    flusher = threading.Thread(target=_flush, args=(sys.stdout,), daemon=True)
    flusher.start()
    flusher.join(0.2)
    with suppress(OSError):
        os.write(2, f"bddsudoku: {context.reached()}{_lines_so_far()}\n".encode())
    os._exit(EXIT_LIMIT)


# -- the end ---------------------------------------------------------------------------------------

_NO_THREAD = "can't start new thread"
"""Message of Python's RuntimeError when no thread can be started."""
_FEW_ADDRESSES = 4 << 30


def address_space() -> int | None:
    """Bytes of address space that this process may use; None without a limit."""
    try:
        import resource
    except ImportError:
        return None
    soft, _ = resource.getrlimit(resource.RLIMIT_AS)
    return None if soft == resource.RLIM_INFINITY else soft


@contextmanager
def in_one_line() -> Iterator[None]:
    """Turn every error and exit within the block into one line and an exit code."""
    code: Any = 0
    try:
        try:
            yield
        except (SystemExit, click.exceptions.Exit) as ending:
            code = ending.code if isinstance(ending, SystemExit) else ending.exit_code
        except click.ClickException as error:
            code = error.exit_code
            sys.stdout.flush()
            error.show()
        sys.stdout.flush()
    except BrokenPipeError:  # the reader (head, say) has closed the pipe: that is no error
        _drop_the_rest()
    except BaseException as error:
        message, code = _last_words(error)
        click.echo(f"bddsudoku: {message}", err=True)
        _drop_the_rest()
        raise SystemExit(code) from error
    finally:
        _over.set()
    raise SystemExit(code)


def _last_words(error: BaseException) -> tuple[str, int]:
    """Return the message and the exit code for an error; raise a bug of the program again."""
    if _came or isinstance(error, KeyboardInterrupt):
        # any error: an interrupted compiler may raise others
        number = _came[0] if _came else signal.SIGINT
        word = next(w for name, w in _WORDS.items() if getattr(signal, name, None) == number)
        return f"{word}{_written(error)}", 128 + number
    few_addresses = (address_space() or _FEW_ADDRESSES) < _FEW_ADDRESSES
    match error:
        case BddSudokuError():
            code = EXIT_LIMIT if isinstance(error, LimitReached) else EXIT_BAD_DATA
            return f"{error}{_written(error)}", code
        case MemoryError():
            return ": ".join(filter(None, ["out of memory", str(error)])), EXIT_LIMIT
        case ImportError() | SystemError() if few_addresses:
            return f"out of memory while a library was loaded: {error}", EXIT_LIMIT
        case OSError(filename=None) | OSError(errno=errno.ENOMEM) if few_addresses:
            return f"out of memory: {error}", EXIT_LIMIT
        case OSError(filename=place):
            lines = _written(error) if place in (None, _RESULTS) else ""
            told = f"{place}: " if place else ""
            return f"{told}{error.strerror or error}{lines}", EXIT_BAD_DATA
        case UnicodeEncodeError():
            told = f"{error.object[error.start]!r} cannot be written in {error.encoding}"
            return f"{told}: set PYTHONIOENCODING=utf-8", EXIT_BAD_DATA
        case RuntimeError() if str(error) == _NO_THREAD:
            told = "no thread can be started: memory or processes are limited here"
            return told, EXIT_LIMIT
    raise error


def _written(error: BaseException) -> str:
    """Write how many lines of results preceded an error: ``; 17 lines were written`` or ``""``."""
    if notes := getattr(error, "__notes__", None):
        return "".join(f"; {note}" for note in notes)
    with suppress(OSError):
        sys.stdout.flush()
    return _lines_so_far()


def _lines_so_far() -> str:
    results = getattr(sys.stdout, "buffer", None)
    return f"; {line_count(n)}" if isinstance(results, Stream) and (n := results.lines) else ""


def _drop_the_rest() -> None:
    """Discard buffered output that failed, so that it does not fail again when Python ends."""
    try:
        sys.stdout.flush()
    except OSError:
        with suppress(OSError, ValueError), open(os.devnull, "wb") as nowhere:
            os.dup2(nowhere.fileno(), sys.stdout.fileno())
