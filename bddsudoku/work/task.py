"""Tasks and their outcomes: plain data that is sent between processes.

A task names a function by its import path, ``"package.module:function"``. It is called as
``function(argument, task_context)``, where the :class:`TaskContext` has the limits and sends
messages to the caller. The same function, argument and version make the same :attr:`Task.key`, in
every process and on every machine, so that results can be stored by key.

A child process reads tasks from its standard input, runs them, and sends (kind, content) pairs
back: pickles, both ways.
"""

from __future__ import annotations

import hashlib
import io
import os
import pickle
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any

from bddsudoku import __version__
from bddsudoku.argument_types import check_types
from bddsudoku.context import Context
from bddsudoku.errors import BddSudokuError, LimitReached
from bddsudoku.work.resources import limit_threads

MessageHandler = Callable[[object], None]
"""A function that receives the messages of a running task."""


class _CachelessPickler(pickle.Pickler):
    """A pickler that leaves out cached properties of objects."""

    def reducer_override(self, found: object) -> Any:
        """The reduced form of an object, without its cached properties."""
        cls, state = type(found), getattr(found, "__dict__", None)
        if not state or isinstance(found, type):
            return NotImplemented
        kept = {key for key in state if isinstance(getattr(cls, key, None), cached_property)}
        made = found.__reduce_ex__(5) if kept else NotImplemented
        if not isinstance(made, tuple) or len(made) < 3 or not isinstance(made[2], dict):
            return NotImplemented
        plain = {key: value for key, value in made[2].items() if key not in kept}
        return *made[:2], plain, *made[3:]


def pickle_canonically(value: object) -> bytes:
    """Pickle a value so that equal values have the same bytes in every process.

    Raises:
        BddSudokuError: the value cannot be pickled.
    """
    data = io.BytesIO()
    pickler = _CachelessPickler(data, protocol=5)
    pickler.fast = True  # no references
    try:
        pickler.dump(value)
    except (pickle.PicklingError, AttributeError, TypeError, ValueError) as error:
        raise BddSudokuError(f"this cannot be sent to a process of its own: {error}") from error
    return data.getvalue()


@check_types
@dataclass(frozen=True)
class Task:
    """A call of a function without side effects, which may run in any process.

    Attributes:
        function: ``"package.module:function"``; importable where the task runs.
        argument: picklable; without sets, whose order differs from process to process.
        memory: limit in bytes; None for none.
        seconds: time limit; None for none.
    """

    function: str
    argument: object = None
    memory: int | None = None
    seconds: float | None = None

    @cached_property
    def key(self) -> str:
        """Hash of the function, its argument and the version, in hexadecimal digits.

        Raises:
            BddSudokuError: the argument cannot be pickled.
        """
        data = pickle_canonically((__version__, self.function, self.argument))
        return hashlib.sha256(data).hexdigest()[:32]


class RemoteTraceback(Exception):
    """The traceback text of an error from another process, attached to the error as its cause."""

    def __str__(self) -> str:
        return f"\n{self.args[0]}"


@dataclass(frozen=True)
class Outcome:
    """The result of a task: its value or its error, and where and how long it ran.

    Attributes:
        task: the task.
        value: the function's return value.
        error: the error that it raised, or the end of its process; None if there is a value.
        seconds: wall-clock time where it ran.
        where: ``here``, ``process 1234``, a worker's address, or ``journal``.
        trace: traceback of an error from another host (:func:`format_traceback`).
    """

    task: Task
    value: object = None
    error: Exception | None = None
    seconds: float = 0.0
    where: str = "here"
    trace: str = ""

    @property
    def limit(self) -> str | None:
        """Name of the limit that ended the task, such as ``memory``; None if no limit did."""
        return self.error.limit if isinstance(self.error, LimitReached) else None

    def result(self) -> object:
        """Return the value, or raise the task's error.

        Raises:
            Exception: the task's error, caused by a :class:`RemoteTraceback` if it was raised in
                another process.
        """
        if self.error is None:
            return self.value
        if self.trace:
            raise self.error from RemoteTraceback(self.trace)
        raise self.error


class TaskContext:
    """The limits of a running task, and its channel for messages to the caller.

    Args:
        context: the task's limits; its time starts now.
        message: receives the messages; None: they are dropped.
    """

    def __init__(self, context: Context, message: MessageHandler | None = None) -> None:
        self.context = context
        self._message = message

    def __call__(self, message: object) -> None:
        """Send a message to the caller."""
        if self._message is not None:
            self._message(message)


def function_path(function: Callable[..., object]) -> str:
    """The path ``"package.module:function"`` by which another process imports a function."""
    return f"{function.__module__}:{function.__qualname__}"


def import_function(name: str) -> Callable[..., Any]:
    """Import the function of a path ``"package.module:function"``.

    Raises:
        BddSudokuError: the module has no such function.
        ImportError: the module does not exist.
    """
    module, _, inner = name.partition(":")
    function: Callable[..., Any] | None = getattr(import_module(module), inner, None)
    if function is None:
        raise BddSudokuError(f"there is no function {name}")
    return function


def run_task(task: Task, message: MessageHandler | None = None) -> object:
    """Call the task's function in this process and return its value.

    Raises:
        Exception: any error that it raises.
    """
    return import_function(task.function)(
        task.argument, TaskContext(Context(task.memory, task.seconds), message)
    )


def run_to_outcome(task: Task, where: str, run: Callable[[Task], object] = run_task) -> Outcome:
    """Run a task, by default in this process; return its value or its error as an outcome."""
    begin = time.perf_counter()
    value: object = None
    error: Exception | None = None
    try:
        value = run(task)
    except MemoryError as stop:
        error = memory_limit_error(stop)
    except Exception as found:
        error = picklable_error(found)
    return Outcome(task, value, error, time.perf_counter() - begin, where)


def memory_limit_error(error: MemoryError) -> LimitReached:
    """Convert the error of a failed allocation to the error for the memory limit."""
    made = LimitReached(str(error) or "out of memory", limit="memory")
    made.__cause__ = error
    return made


def picklable_error(error: Exception) -> Exception:
    """A picklable form of an error: the error itself, or one with its class name and message."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        made = BddSudokuError(f"{type(error).__name__}: {error}")
        made.__cause__ = error
        return made
    return error


def format_traceback(error: BaseException) -> str:
    """The traceback of an error as text."""
    return "".join(traceback.format_exception(error))


# -- the main loop of a child process --------------------------------------------------------------


def serve() -> None:
    """Run the tasks from standard input one after the other until it ends; then end the process."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C ends us inside a library call, too
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # output of libraries must not mix with the pickles

    def send_error(error: Exception) -> None:
        send("error", (picklable_error(error), format_traceback(error)))

    def send(kind: str, content: object) -> None:
        out.write(pickle.dumps((kind, content), protocol=pickle.HIGHEST_PROTOCOL))
        out.flush()

    parent, most = pickle.load(sys.stdin.buffer)
    _end_with_parent(parent)
    while True:
        try:
            task, bound = pickle.load(sys.stdin.buffer)
        except EOFError:
            break
        except Exception as error:  # its class is unknown in this process, say
            send_error(error)
            continue
        try:
            import_function(task.function)  # before the bound: libraries map more than they take
            with _limit_address_space_growth(bound), limit_threads(most):
                value = run_task(task, lambda message: send("message", message))
            send("result", value)
        except MemoryError as error:
            send_error(memory_limit_error(error))
        except Exception as error:
            send_error(error)
    out.close()
    # No interpreter shutdown: freeing a BDD manager of gigabytes node by node takes long.
    os._exit(0)


@contextmanager
def _limit_address_space_growth(memory: int | None) -> Iterator[None]:
    """In a with block, limit the growth of the address space, in bytes; None sets no limit."""
    try:
        import resource

        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    except (ImportError, OSError):
        memory = None
    if memory is None:
        yield
        return
    before = _, hard = resource.getrlimit(resource.RLIMIT_AS)
    bound = pages * resource.getpagesize() + memory
    if hard != resource.RLIM_INFINITY:
        bound = min(bound, hard)
    resource.setrlimit(resource.RLIMIT_AS, (bound, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


def _end_with_parent(parent_pid: int) -> None:
    """Ask Linux to end this process when its parent is gone."""
    if sys.platform != "linux":
        return
    import ctypes

    set_parent_death_signal = 1
    ctypes.CDLL(None).prctl(set_parent_death_signal, signal.SIGKILL)
    if os.getppid() != parent_pid:
        os._exit(1)
