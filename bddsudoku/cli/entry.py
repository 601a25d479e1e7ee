"""The way in and out of every command: standard streams, signals, and the errors of any command.

Whatever happens, a command ends in one line and an exit code, never in a traceback:

* A closed standard stream is as good as one that fails: without standard input or output a command
  that needs it says so (1); messages to a lost standard error are dropped, and answers still come.
* Results that cannot be written (a full disk) are an error (1); a reader that has seen enough
  (``| head``) is none (0).
* SIGINT, SIGTERM and SIGHUP unwind, so that nothing unfinished stays behind, and end with 128 + the
  signal's number; a second one ends at once. Of text that was on its way to standard output the
  message says how many lines were written.
"""

from __future__ import annotations

import io
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from types import FrameType
from typing import TYPE_CHECKING, Any, BinaryIO, NoReturn, TextIO, cast

import click

from bddsudoku.streams import Stream, line_count
from bddsudoku.writing import discard_unfinished

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer, WriteableBuffer

_SIGNALS = {"SIGINT": "interrupted", "SIGTERM": "terminated", "SIGHUP": "hung up"}
_RESULTS = "standard output"
_EXIT_BAD_DATA = 1


class _Unwinding(KeyboardInterrupt):
    """One of the signals has come.

    Python's compiler, which runs at an import, drops every error but a KeyboardInterrupt.
    """


_came: list[int] = []
"""Signals that have come; Python runs their handlers in the main thread alone."""


@contextmanager
def signals_unwind(ending: bool) -> Iterator[None]:
    """Signals that would end the process on the spot raise; the second one does end it.

    Signals that the caller handles or ignores, as under ``nohup``, are left alone.

    Args:
        ending: whether the process ends after the block. Then Ctrl-C ends it without a word from
            there on; otherwise everything is put back.
    """
    usual: dict[int, Any] = {}
    ignored = sys.unraisablehook
    try:
        _came.clear()
        sys.unraisablehook = partial(_not_lost, ignored)
        for name in _SIGNALS:
            number = getattr(signal, name, None)
            if number is None:
                continue
            before = signal.getsignal(number)
            if before in (signal.SIG_DFL, signal.default_int_handler):
                with suppress(ValueError):  # only the main thread can set handlers
                    signal.signal(number, _unwind)
                    usual[number] = before
        yield
    finally:
        sys.unraisablehook = ignored
        for number, before in usual.items():
            signal.signal(number, signal.SIG_DFL if ending else before)


def _not_lost(
    usual: Callable[[sys.UnraisableHookArgs], object], told: sys.UnraisableHookArgs
) -> None:
    """A signal that came while a finaliser ran, where nothing can be raised, comes once more."""
    if not isinstance(told.exc_value, _Unwinding):
        usual(told)
    elif _came:
        number = _came.pop()
        threading.Timer(0.01, os.kill, (os.getpid(), number)).start()


def _unwind(number: int, frame: FrameType | None) -> None:
    if _came:
        discard_unfinished()
        signal.signal(number, signal.SIG_DFL)
        signal.raise_signal(number)
    _came.append(number)
    raise _Unwinding


@contextmanager
def standard_streams() -> Iterator[None]:
    """Standard streams that are always there and whose errors say which of them failed.

    Streams that somebody has put in their place stay.
    """
    _occupy()
    with ExitStack() as stack:
        if sys.stdin is sys.__stdin__:
            usual = sys.stdin
            stack.callback(setattr, sys, "stdin", usual)
            sys.stdin = io.TextIOWrapper(
                io.BufferedReader(_Source(0, closefd=False)),
                encoding=getattr(usual, "encoding", None),
                errors=getattr(usual, "errors", None),
            )
        for name, make in (("stdout", _results), ("stderr", _messages)):
            usual_out: TextIO | None = getattr(sys, name)
            if usual_out is getattr(sys, f"__{name}__"):
                _flush(usual_out)
                ours = make(usual_out)
                setattr(sys, name, ours)
                stack.callback(setattr, sys, name, usual_out)
                stack.callback(_flush, ours)
        yield


def _occupy() -> None:
    """Put something that fails, or for messages swallows, on closed standard descriptors.

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


def _results(usual: TextIO | None) -> TextIO:
    return io.TextIOWrapper(
        cast("BinaryIO", Stream(1, _RESULTS, closefd=False)),
        encoding=getattr(usual, "encoding", None),
        errors=getattr(usual, "errors", None),
        line_buffering=getattr(usual, "line_buffering", False),
        write_through=getattr(usual, "write_through", False),
    )


def _messages(usual: TextIO | None) -> TextIO:
    return io.TextIOWrapper(
        io.BufferedWriter(_Messages()),
        encoding=getattr(usual, "encoding", None),
        errors="backslashreplace",
        line_buffering=True,
    )


class _Source(io.FileIO):
    """Standard input: its errors say so."""

    def readinto(self, buffer: WriteableBuffer, /) -> int:
        try:
            return super().readinto(buffer)
        except OSError as error:
            raise OSError(error.errno, error.strerror, "standard input") from None

    def readall(self) -> bytes:
        try:
            return super().readall()
        except OSError as error:
            raise OSError(error.errno, error.strerror, "standard input") from None


class _Messages(io.FileIO):
    """Standard error: what cannot be said is left unsaid."""

    def __init__(self) -> None:
        super().__init__(2, "wb", closefd=False)

    def write(self, data: ReadableBuffer, /) -> int:
        try:
            return super().write(data)
        except OSError:
            return memoryview(data).nbytes


def _flush(stream: TextIO | None) -> None:
    if stream is not None:
        with suppress(OSError, ValueError):
            stream.flush()


def address_space() -> int | None:
    """Bytes of addresses that the system lets this process have; None where there is no limit."""
    try:
        import resource
    except ImportError:
        return None
    soft, _ = resource.getrlimit(resource.RLIMIT_AS)
    return None if soft == resource.RLIM_INFINITY else soft


@contextmanager
def in_one_line() -> Iterator[None]:
    """Turn what can happen to any command into one line and an exit code."""
    try:
        try:
            yield
        except (SystemExit, click.exceptions.Exit, click.ClickException):
            sys.stdout.flush()
            raise
        sys.stdout.flush()
    except BrokenPipeError as error:
        # The reader (head, say) has seen enough: that is no error.
        _drop_the_rest()
        ended = error.__context__
        raise SystemExit(ended.code if isinstance(ended, SystemExit) else 0) from None
    except KeyboardInterrupt as error:
        _stopped(error)
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        lines = written(error) if error.filename in (None, _RESULTS) else ""
        _leave(f"{place}{error.strerror or error}{lines}", error)
    except UnicodeEncodeError as error:
        sign = error.object[error.start]
        _leave(f"{sign!r} cannot be written in {error.encoding}: set PYTHONIOENCODING=utf-8", error)
    except Exception as error:
        if not _came:
            raise
        _stopped(error)  # a compiler that was interrupted stumbles over its own pieces


def written(error: BaseException) -> str:
    """``; 17 lines were written``, when results were on their way before an error; or nothing."""
    if notes := getattr(error, "__notes__", None):
        return "".join(f"; {note}" for note in notes)
    with suppress(OSError):
        sys.stdout.flush()
    return lines_so_far()


def lines_so_far() -> str:
    """``; 17 lines were written``, as far as standard output has taken them; or nothing."""
    results = getattr(sys.stdout, "buffer", None)
    return f"; {line_count(n)}" if isinstance(results, Stream) and (n := results.lines) else ""


def _stopped(error: BaseException) -> NoReturn:
    number = _came[0] if _came else signal.SIGINT
    word = next(w for name, w in _SIGNALS.items() if getattr(signal, name, None) == number)
    _leave(f"{word}{written(error)}", error, 128 + number)


def _leave(message: str, error: BaseException, code: int = _EXIT_BAD_DATA) -> NoReturn:
    click.echo(f"bddsudoku: {message}", err=True)
    _drop_the_rest()
    raise SystemExit(code) from error


def _drop_the_rest() -> None:
    """What standard output did not take must not fail again when Python ends."""
    try:
        sys.stdout.flush()
    except OSError:
        with suppress(OSError, ValueError), open(os.devnull, "wb") as nowhere:
            os.dup2(nowhere.fileno(), sys.stdout.fileno())
