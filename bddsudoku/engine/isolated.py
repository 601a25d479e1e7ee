"""Run one function in a process of its own, within a memory and a time limit.

A single operation of a compiled library can run for minutes, deaf to Ctrl-C, and take the whole
machine's memory with it. In a process of its own it can be stopped at any moment, what it had
reported by then is kept, and its memory comes back.

The limits:

* time: the parent kills the child.
* memory: the parent looks at the child's resident set some fifty times a second and kills it above
  the limit (Linux); as a last resort the child's address space may grow by no more than the limit
  from what a bare interpreter takes (``RLIMIT_AS``, where the system has it), so that one huge
  allocation fails instead of being granted.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import queue
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import IO, Any

from bddsudoku.errors import BddSudokuError, LimitReached

__all__ = ["ProcessEndedError", "memory_left", "run_isolated"]

_POLL = 0.02
_LENGTH = 8
_LAST_WORDS = 2000
_OUT_OF_MEMORY = ("unable to allocate", "out of memory", "memory allocation of", "memoryerror")
_START = """\
import sys
sys.path[:] = {path!r}
from bddsudoku.engine.isolated import _serve
_serve()
"""


class ProcessEndedError(BddSudokuError, RuntimeError):
    """A process of our own ended without an answer: killed from outside, or crashed.

    Attributes:
        returncode: its exit status; the negative signal number when a signal ended it.
    """

    def __init__(self, message: str, returncode: int) -> None:
        super().__init__(message)
        self.returncode = returncode


def run_isolated(
    task: str,
    argument: Any,
    *,
    memory: int | None = None,
    seconds: float | None = None,
    on_message: Callable[[Any], None] | None = None,
    bound_address_space: bool = True,
) -> Any:
    """``task(argument, send)`` in a fresh process; its result.

    The child starts from nothing (no fork), so threads and open managers here do it no harm. It
    costs some 0.1 s and what the task imports. Ctrl-C here ends the child at once.

    Args:
        task: ``"package.module:function"``; the function takes the argument and a function that
            sends a message home. Argument, messages and result must be picklable.
        argument: handed to the function.
        memory: bytes for the whole child process.
        seconds: for the whole child process, its start included.
        on_message: called here with every message, in order, as it arrives.
        bound_address_space: also set ``RLIMIT_AS``; not for libraries that reserve far more
            addresses than they use.

    Raises:
        LimitReached: the memory or the time was used up (``details`` may hold ``peak_rss``).
        ProcessEndedError: the child was killed by somebody else, or crashed.
        Exception: whatever the function itself raised.
    """
    begin = time.monotonic()
    code = _START.format(path=[os.path.abspath(p) for p in sys.path])
    with tempfile.TemporaryFile() as last_words:
        child = subprocess.Popen(
            [sys.executable, "-c", code],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=last_words,
        )
        assert child.stdin is not None
        assert child.stdout is not None
        inbox: queue.SimpleQueue[tuple[str, Any] | None] = queue.SimpleQueue()
        reader = threading.Thread(target=_read, args=(child.stdout, inbox), daemon=True)
        reader.start()
        try:
            # A broken pipe: it is dead already, and how it died is found out below.
            with contextlib.suppress(BrokenPipeError):
                bound = memory if bound_address_space else None
                try:
                    pickle.dump((task, argument, bound, os.getpid()), child.stdin)
                except (pickle.PicklingError, AttributeError, TypeError) as error:
                    # A rule or constraint of a class that only this process knows, say.
                    message = f"this cannot be sent to a process of its own: {error}"
                    raise BddSudokuError(message) from error
                child.stdin.close()
            return _attend(child, inbox, begin, memory, seconds, on_message, last_words)
        finally:
            if child.poll() is None:
                child.kill()
            child.wait()
            reader.join()
            child.stdout.close()
            with contextlib.suppress(BrokenPipeError):
                child.stdin.close()


def memory_left(memory: int) -> int:
    """Of ``memory`` bytes for this whole process, how many are not in use yet."""
    return max(memory - (_resident("self") or 0), 0)


def _attend(
    child: subprocess.Popen[bytes],
    inbox: queue.SimpleQueue[tuple[str, Any] | None],
    begin: float,
    memory: int | None,
    seconds: float | None,
    on_message: Callable[[Any], None] | None,
    last_words: IO[bytes],
) -> Any:
    """Pass messages on and watch the limits until the child answers or ends."""
    peak = 0
    stop: LimitReached | None = None
    while True:
        try:
            # After a limit the child is dead: what it had sent by then is still read.
            entry = inbox.get(timeout=_POLL if stop is None else None)
        except queue.Empty:
            entry = ("nothing", None)
        if entry is None:
            raise stop or _ended(child, last_words, peak)
        kind, content = entry
        if kind == "message" and on_message is not None:
            on_message(content)
        elif kind == "result":
            return content
        elif kind == "error":
            raise content
        if stop is None:
            resident = _resident(str(child.pid)) or 0
            peak = max(peak, resident)
            if seconds is not None and time.monotonic() - begin > seconds:
                stop = LimitReached(f"{seconds:g} s have passed", limit="time")
            elif memory is not None and resident > memory:
                stop = LimitReached(f"the process takes {resident:,} bytes", limit="memory")
            if stop is not None:
                stop.details["peak_rss"] = peak
                child.kill()


def _ended(child: subprocess.Popen[bytes], last_words: IO[bytes], peak: int) -> Exception:
    """Why a child ended without an answer."""
    status = child.wait()
    last_words.seek(0)
    said = last_words.read().decode(errors="replace").strip()[-_LAST_WORDS:]
    lines = [text for text in said.splitlines() if text.strip() and not text.startswith("note:")]
    line = lines[-1].strip() if lines else ""
    details = {"peak_rss": peak, "returncode": status}
    if any(words in said.lower() for words in _OUT_OF_MEMORY):
        return LimitReached(f"the process ended: {line}", limit="memory", details=details)
    if status == -getattr(signal, "SIGKILL", 9):
        return LimitReached(
            "the process was killed from outside, as the system does when memory runs out",
            limit="memory",
            details=details,
        )
    how = f"exit status {status}"
    if status < 0:
        try:
            how = signal.Signals(-status).name
        except ValueError:
            how = f"signal {-status}"
    return ProcessEndedError(f"the process ended with {how}{': ' + line if line else ''}", status)


def _read(stream: IO[bytes], inbox: queue.SimpleQueue[tuple[str, Any] | None]) -> None:
    """Take frames off the pipe until it closes."""
    try:
        while len(head := stream.read(_LENGTH)) == _LENGTH:
            size = int.from_bytes(head, "little")
            body = stream.read(size)
            if len(body) < size:
                break
            inbox.put(pickle.loads(body))
    except (OSError, ValueError):
        pass
    inbox.put(None)


def _serve() -> None:
    """The child's side: read the task, run it, send the outcome."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C ends us inside a library call, too
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever a library prints must not get into the frames

    def frame(kind: str, content: Any) -> None:
        body = pickle.dumps((kind, content), protocol=pickle.HIGHEST_PROTOCOL)
        out.write(len(body).to_bytes(_LENGTH, "little"))
        out.write(body)
        out.flush()

    task, argument, bound, parent = pickle.load(sys.stdin.buffer)
    _die_with(parent)
    module, _, name = task.partition(":")
    try:
        function = getattr(import_module(module), name)
        if bound is not None:
            _bound_address_space(bound)
        frame("result", function(argument, lambda message: frame("message", message)))
    except MemoryError as error:
        frame("error", LimitReached(str(error) or "out of memory", limit="memory"))
    except Exception as error:
        try:
            pickle.loads(pickle.dumps(error))
        except Exception:
            error = BddSudokuError(f"{type(error).__name__}: {error}")
        frame("error", error)
    out.close()
    # No interpreter shutdown: taking a manager of gigabytes apart is time lost.
    os._exit(0)


def _bound_address_space(memory: int) -> None:
    """Let the address space grow by ``memory`` bytes at most."""
    try:
        import resource

        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    except (ImportError, OSError):
        return
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    bound = pages * resource.getpagesize() + memory
    if hard != resource.RLIM_INFINITY:
        bound = min(bound, hard)
    resource.setrlimit(resource.RLIMIT_AS, (bound, hard))


def _die_with(parent: int) -> None:
    """Ask Linux to end this process when its parent is gone."""
    if sys.platform != "linux":
        return
    import ctypes

    set_parent_death_signal = 1
    ctypes.CDLL(None).prctl(set_parent_death_signal, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


def _resident(process: str) -> int | None:
    """Resident set of a process in bytes; None where the system does not tell."""
    try:
        pages = int(Path(f"/proc/{process}/statm").read_text(encoding="ascii").split()[1])
    except (OSError, IndexError):
        return None
    return pages * os.sysconf("SC_PAGE_SIZE")
