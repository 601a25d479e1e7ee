"""Process handling of every command: standard streams, signals, the deadline, and all errors.

A command always ends with one line and an exit code, never with a traceback:

* A closed standard stream counts as one that fails: a command that needs standard input or output
  reports it (1); without standard error messages are dropped, and answers are still written.
* Files take their names when the command has ended with code 0, and all results are written.
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
from bddsudoku.file_io import (
    IN_ASCII,
    remove_partial_files,
    replacing_at_the_end,
    with_file_name,
)

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

    from bddsudoku.context import Context

EXIT_BAD_DATA = 1
EXIT_LIMIT = 3

# -- standard streams ------------------------------------------------------------------------------

_STDOUT_NAME = "standard output"
_BUFFER_BYTES = 1 << 17
"""Bytes of results that are collected before a call of the system."""


@contextmanager
def replace_standard_streams() -> Iterator[None]:
    """In a with block, replace the standard streams by streams whose errors name the stream.

    Streams that the caller has replaced already stay.
    """
    _fill_closed_descriptors()
    if hasattr(os, "set_blocking"):
        os.set_blocking(1, True)
    ours: dict[str, Any] = {
        "stdin": io.BufferedReader(io.FileIO(0, closefd=False)),
        "stdout": ResultWriter(io.FileIO(1, "wb", closefd=False), _BUFFER_BYTES),
        "stderr": io.BufferedWriter(_StandardError(2, "wb", closefd=False)),
    }
    with ExitStack() as stack:
        for name, binary in ours.items():
            usual: TextIO | None = getattr(sys, name)
            if usual is not getattr(sys, f"__{name}__"):
                continue
            _flush(usual)
            messages = name == "stderr"
            errors = getattr(usual, "errors", None)
            stream = io.TextIOWrapper(
                binary,
                encoding=getattr(usual, "encoding", None),
                errors=IN_ASCII if errors in (None, "strict", "backslashreplace") else errors,
                line_buffering=messages or getattr(usual, "line_buffering", False),
                write_through=getattr(usual, "write_through", False),
            )
            setattr(sys, name, stream)
            stack.callback(setattr, sys, name, usual)
            stack.callback(_flush, stream)
        yield


def _fill_closed_descriptors() -> None:
    """Open ``/dev/null`` on closed standard descriptors, so that no other file gets their number.

    Otherwise the next file that is opened becomes standard output, and results go into it.
    Descriptors 0 and 1 are opened the wrong way round, so that reading or writing them fails.
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


class ResultWriter(io.BufferedWriter):
    """Standard output: it counts the lines that it has taken, and its errors name it.

    Only C code stands between the buffer and the system, so that a signal whose handler raises
    never makes it write anything twice.
    """

    lines: int = 0

    def write(self, data: ReadableBuffer, /) -> int:
        """Take bytes, at most a buffer at a time: what an error stops is not counted."""
        view = memoryview(data).cast("B")
        for start in range(0, len(view), _BUFFER_BYTES):
            part = bytes(view[start : start + _BUFFER_BYTES])
            with _naming_stdout():
                super().write(part)
            self.lines += part.count(b"\n")
        return len(view)

    def flush(self) -> None:
        """Write out the whole buffer; an error names standard output."""
        with _naming_stdout():
            super().flush()


@contextmanager
def _naming_stdout() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise with_file_name(error, _STDOUT_NAME) from None


class _StandardError(io.FileIO):
    """Standard error as a file that drops messages which cannot be written."""

    def write(self, data: ReadableBuffer, /) -> int:
        """Write bytes or, if that fails, drop them; return the number of bytes."""
        try:
            return super().write(data)
        except OSError:
            return memoryview(data).nbytes


def _flush(stream: TextIO | None) -> None:
    """Flush a stream, if there is one, and ignore errors."""
    if stream is not None:
        with suppress(OSError, ValueError):
            stream.flush()


# -- signals ---------------------------------------------------------------------------------------

_SIGNAL_WORDS = {"SIGINT": "interrupted", "SIGTERM": "terminated", "SIGHUP": "hung up"}
_received_signals: list[int] = []
"""Signals received so far; Python runs their handlers in the main thread alone."""


class _SignalReceived(KeyboardInterrupt):
    """Raised by the handler of a signal.

    Python's compiler, which runs at an import, drops every error but a KeyboardInterrupt.
    """


@contextmanager
def raise_on_first_signal(ends_process: bool) -> Iterator[None]:
    """Let the first signal that would kill the process raise an error; the second one kills it.

    Signals that the caller handles or ignores, as under ``nohup``, are left alone. With
    ``ends_process`` signals after the block kill the process without a message; otherwise the
    handlers are restored.
    """
    usual: dict[int, Any] = {}
    hook, printer = sys.unraisablehook, sys.excepthook

    def resend_signal(unraisable: sys.UnraisableHookArgs) -> None:
        """Send a signal again if the error that it raised was lost in a finaliser.

        Finalisers of objects that a signal left incomplete fail, which is no use to anybody.
        """
        if not _received_signals:
            hook(unraisable)
        elif isinstance(unraisable.exc_value, _SignalReceived):
            threading.Timer(0.01, os.kill, (os.getpid(), _received_signals.pop())).start()

    try:
        _received_signals.clear()
        sys.unraisablehook = resend_signal
        # C code may print an error that a handler raised: numpy does while it is loaded.
        sys.excepthook = lambda *error: None if _received_signals else printer(*error)
        for number in (getattr(signal, name) for name in _SIGNAL_WORDS if hasattr(signal, name)):
            before = signal.getsignal(number)
            if before in (signal.SIG_DFL, signal.default_int_handler):
                with suppress(ValueError):  # only the main thread can set handlers
                    signal.signal(number, _raise_on_signal)
                    usual[number] = before
        yield
    finally:
        sys.unraisablehook, sys.excepthook = hook, printer
        for number, before in usual.items():
            signal.signal(number, signal.SIG_DFL if ends_process else before)


def _raise_on_signal(number: int, frame: FrameType | None) -> NoReturn:
    """Raise the error of a first signal; let a second one kill the process."""
    if _received_signals:
        remove_partial_files()
        signal.signal(number, signal.SIG_DFL)
        signal.raise_signal(number)
    _received_signals.append(number)
    raise _SignalReceived


# -- the deadline ----------------------------------------------------------------------------------

_ALARM_DELAY = 0.4
"""Seconds after the deadline until an alarm interrupts code that does not check the limit."""
_KILL_DELAY = 1.4
"""Seconds after the deadline until a thread ends the process."""
_command_ended = threading.Event()
"""Set when the command has ended and printed its last message."""


@contextmanager
def enforce_deadline(context: Context) -> Iterator[None]:
    """Raise LimitReached in the main thread soon after the deadline, by a timer signal.

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
    alarm_time = context.deadline + _ALARM_DELAY

    def ring(number: int, frame: FrameType | None) -> NoReturn:
        # Errors of finalisers that the alarm interrupts are no use to anybody.
        sys.unraisablehook = lambda _: None
        raise context.limit_error()

    before, hook = signal.signal(signal.SIGALRM, ring), sys.unraisablehook
    begin = time.monotonic()
    outer, _ = signal.setitimer(signal.ITIMER_REAL, max(alarm_time - begin, 1e-3))
    owns_process = isinstance(getattr(sys.stdout, "buffer", None), ResultWriter)
    if owns_process and not outer:
        _command_ended.clear()
        with suppress(RuntimeError):  # no thread can be started: the alarm alone must suffice
            threading.Thread(target=_kill_after_deadline, args=(context,), daemon=True).start()
    try:
        yield
    except LimitReached:
        raise
    except Exception as error:
        if time.monotonic() < alarm_time:
            raise
        raise context.limit_error() from error
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        if outer:
            left = begin + outer - time.monotonic()
            signal.setitimer(signal.ITIMER_REAL, max(left, 1e-3))
        if not owns_process:
            sys.unraisablehook = hook


def _kill_after_deadline(context: Context) -> None:
    """End the process if the command still runs long after the deadline."""
    assert context.deadline is not None
    if _command_ended.wait(max(context.deadline + _KILL_DELAY - time.monotonic(), 0)):
        return
    remove_partial_files()
    # Standard output may be blocked by a reader that does not read: do not wait for it.
    late, notes = context.limit_error(), [""]
    flusher = threading.Thread(target=lambda: notes.append(_lines_written_note(late)), daemon=True)
    flusher.start()
    flusher.join(0.2)
    with suppress(OSError):
        os.write(2, f"bddsudoku: {late}{notes[-1]}\n".encode())
    os._exit(EXIT_LIMIT)


# -- the end ---------------------------------------------------------------------------------------

_NO_THREAD = "can't start new thread"
"""Message of Python's RuntimeError when no thread can be started."""
_SMALL_ADDRESS_SPACE = 4 << 30


def read_address_space_limit() -> int | None:
    """Bytes of address space that this process may use; None without a limit."""
    try:
        import resource
    except ImportError:
        return None
    soft, _ = resource.getrlimit(resource.RLIMIT_AS)
    return None if soft == resource.RLIM_INFINITY else soft


@contextmanager
def report_errors_in_one_line() -> Iterator[None]:
    """Turn every error and exit within a with block into one line and an exit code."""
    code: Any = 0
    try:
        with replacing_at_the_end() as replace:
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
                _discard_output()
            for path in replace() if not code else ():
                click.echo(f"written to {path}", err=True)
    except BaseException as error:
        message, code = _message_and_exit_code(error)
        click.echo(f"bddsudoku: {message}", err=True)
        _discard_output()
        raise SystemExit(code) from error
    finally:
        _command_ended.set()
    raise SystemExit(code)


def _message_and_exit_code(error: BaseException) -> tuple[str, int]:
    """Return the message and the exit code for an error; re-raise one that is a bug."""
    if _received_signals or isinstance(error, KeyboardInterrupt):
        # any error: an interrupted compiler may raise others
        number = _received_signals[0] if _received_signals else signal.SIGINT
        word = next(w for name, w in _SIGNAL_WORDS.items() if getattr(signal, name, None) == number)
        return f"{word}{_lines_written_note(error)}", 128 + number
    few_addresses = (read_address_space_limit() or _SMALL_ADDRESS_SPACE) < _SMALL_ADDRESS_SPACE
    match error:
        case BddSudokuError():
            code = EXIT_LIMIT if isinstance(error, LimitReached) else EXIT_BAD_DATA
            return f"{error}{_lines_written_note(error)}", code
        case MemoryError():
            return ": ".join(filter(None, ["out of memory", str(error)])), EXIT_LIMIT
        case ImportError() | SystemError() if few_addresses:
            return f"out of memory while a library was loaded: {error}", EXIT_LIMIT
        case OSError(filename=None) | OSError(errno=errno.ENOMEM) if few_addresses:
            return f"out of memory: {error}", EXIT_LIMIT
        case OSError(filename=place):
            message = f"{place}: " if place else ""
            return f"{message}{error.strerror or error}{_notes(error)}", EXIT_BAD_DATA
        case RuntimeError() if str(error) == _NO_THREAD:
            message = "no thread can be started: memory or processes are limited here"
            return message, EXIT_LIMIT
    raise error


def _notes(error: BaseException) -> str:
    return "".join(f"; {note}" for note in getattr(error, "__notes__", ()))


def _lines_written_note(error: BaseException) -> str:
    """``; 17 lines were written`` if the system took so many, or what the error's notes say."""
    if notes := _notes(error):
        return notes
    results = getattr(sys.stdout, "buffer", None)
    with suppress(OSError):
        sys.stdout.flush()
        if isinstance(results, ResultWriter) and (n := results.lines):
            return "; 1 line was written" if n == 1 else f"; {n:,} lines were written"
    return ""


def _discard_output() -> None:
    """Discard buffered output that failed, so that it does not fail again when Python ends."""
    try:
        sys.stdout.flush()
    except OSError:
        with suppress(OSError, ValueError), open(os.devnull, "wb") as nowhere:
            os.dup2(nowhere.fileno(), sys.stdout.fileno())
