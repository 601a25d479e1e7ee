"""What is to be done, and what came of it: plain data that travels between processes.

A task names a function by its import path, ``"package.module:function"``. It is called as
``function(argument, home)``: :class:`Home` says which limits hold, and carries messages home where
somebody listens. The same function, argument and version make the same :attr:`Task.key`, in every
process and on every machine: what was done under a key need not be done again.
"""

from __future__ import annotations

import hashlib
import io
import pickle
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from typing import Any

from bddsudoku import __version__
from bddsudoku.context import Context
from bddsudoku.errors import BddSudokuError, LimitReached

Message = Callable[[object], None]
"""Takes a message of a task that is under way."""


class _Plain(pickle.Pickler):
    """Leaves out what objects have computed from themselves and kept."""

    def reducer_override(self, found: object) -> Any:
        cls, state = type(found), getattr(found, "__dict__", None)
        if not state or isinstance(found, type):
            return NotImplemented
        kept = {key for key in state if isinstance(getattr(cls, key, None), cached_property)}
        made = found.__reduce_ex__(5) if kept else NotImplemented
        if not isinstance(made, tuple) or len(made) < 3 or not isinstance(made[2], dict):
            return NotImplemented
        plain = {key: value for key, value in made[2].items() if key not in kept}
        return *made[:2], plain, *made[3:]


def pickled(value: object) -> bytes:
    """The same bytes for equal values, in every process, whatever they were used for before.

    Raises:
        BddSudokuError: it cannot be pickled.
    """
    data = io.BytesIO()
    pickler = _Plain(data, protocol=5)
    pickler.fast = True  # no references
    try:
        pickler.dump(value)
    except (pickle.PicklingError, AttributeError, TypeError, ValueError) as error:
        raise BddSudokuError(f"this cannot be sent to a process of its own: {error}") from error
    return data.getvalue()


@dataclass(frozen=True)
class Task:
    """A call of a function that has no side effects, wherever it may run.

    Attributes:
        function: ``"package.module:function"``; importable where the task runs.
        argument: picklable; without sets, whose order differs from process to process.
        memory: bytes that it may take.
        seconds: that it may take.
    """

    function: str
    argument: object = None
    memory: int | None = None
    seconds: float | None = None

    @cached_property
    def key(self) -> str:
        """Hexadecimal: of the function, the argument and the version; limits have no say.

        Raises:
            BddSudokuError: the argument cannot be pickled.
        """
        data = pickled((__version__, self.function, self.argument))
        return hashlib.sha256(data).hexdigest()[:32]


class RemoteTraceback(Exception):
    """The cause of an error that was raised in another process: its traceback there, as text."""

    def __str__(self) -> str:
        return f"\n{self.args[0]}"


@dataclass(frozen=True)
class Outcome:
    """What came of a task.

    Attributes:
        task: the task.
        value: what the function returned.
        error: what it raised, or how its process ended; None when there is a value.
        seconds: wall-clock time where it ran.
        where: ``here``, ``process 1234``, a worker's address, or ``journal``.
        trace: where the error was raised (:func:`trace_of`), if that was far from here.
    """

    task: Task
    value: object = None
    error: Exception | None = None
    seconds: float = 0.0
    where: str = "here"
    trace: str = ""

    @property
    def limit(self) -> str | None:
        """Which limit ended it: ``memory``, ``time``, …; None when none did."""
        return self.error.limit if isinstance(self.error, LimitReached) else None

    def result(self) -> object:
        """The value.

        Raises:
            Exception: what the task raised; caused by a :class:`RemoteTraceback` if that was in
                another process.
        """
        if self.error is None:
            return self.value
        if self.trace:
            raise self.error from RemoteTraceback(self.trace)
        raise self.error


class Home:
    """What a task knows of those who wait for it.

    Args:
        limits: of this task, its time running from now.
        message: where messages go; None: nobody listens.
    """

    def __init__(self, context: Context, message: Message | None = None) -> None:
        self.context = context
        self._message = message

    def __call__(self, message: object) -> None:
        """Send a message home."""
        if self._message is not None:
            self._message(message)


def function_named(name: str) -> Callable[..., Any]:
    """The function of an import path, ``"package.module:function"``.

    Raises:
        BddSudokuError: there is none.
        ImportError: its module is not there.
    """
    module, _, inner = name.partition(":")
    function: Callable[..., Any] | None = getattr(import_module(module), inner, None)
    if function is None:
        raise BddSudokuError(f"there is no function {name}")
    return function


def run_task(task: Task, message: Message | None = None) -> object:
    """Call the task's function, here and now.

    Raises:
        Exception: whatever it raises.
    """
    return function_named(task.function)(
        task.argument, Home(Context(task.memory, task.seconds), message)
    )


def outcome_of(task: Task, where: str, work: Callable[[Task], object] = run_task) -> Outcome:
    """Do a task, by default here, and keep whatever comes of it."""
    begin = time.perf_counter()
    value: object = None
    error: Exception | None = None
    try:
        value = work(task)
    except MemoryError as stop:
        error = out_of_memory(stop)
    except Exception as found:
        error = told_in_one_line(found)
    return Outcome(task, value, error, time.perf_counter() - begin, where)


def out_of_memory(error: MemoryError) -> LimitReached:
    """The limit that an allocation has met."""
    made = LimitReached(str(error) or "out of memory", limit="memory")
    made.__cause__ = error
    return made


def told_in_one_line(error: Exception) -> Exception:
    """An error that can be pickled and read elsewhere: itself, or its name and message."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        made = BddSudokuError(f"{type(error).__name__}: {error}")
        made.__cause__ = error
        return made
    return error


def trace_of(error: BaseException) -> str:
    """An error's traceback as text, which pickling would lose."""
    return "".join(traceback.format_exception(error))
