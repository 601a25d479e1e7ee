"""Running tasks in local child processes, within memory and time limits.

A single operation of a compiled library can run for minutes without reacting to Ctrl-C, and can use
up the memory of the host. In a separate process it can be stopped at any moment; the messages it
has sent are kept, and its memory is released.

The limits:

* time: the parent kills the child.
* memory: the parent checks the child's resident set some fifty times a second and kills it above
  the limit (Linux); as a last resort the child's address space may grow by no more than the limit
  from what it takes when the task begins (``RLIMIT_AS``, where the system has it), so that one huge
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
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import IO, TYPE_CHECKING, Any

from bddsudoku.argument_types import check_types, require_type
from bddsudoku.context import UNLIMITED, Context
from bddsudoku.errors import BddSudokuError, LimitReached
from bddsudoku.number_text import format_size
from bddsudoku.work.journal import Journal
from bddsudoku.work.resources import available_threads, resident_memory
from bddsudoku.work.runner import LocalRunner, NumberedOutcome, Runner, TaskFunctions
from bddsudoku.work.task import MessageHandler, RemoteTraceback, Task, run_to_outcome

if TYPE_CHECKING:
    from bddsudoku.work.cluster import Client

_POLL = 0.02
_MAX_STDERR = 2000
_OUT_OF_MEMORY = ("unable to allocate", "out of memory", "memory allocation of", "memoryerror")
_CHILD_PROGRAM = """\
import sys
sys.path[:] = {path!r}
from bddsudoku.work.task import serve
serve()
"""


class ProcessEndedError(BddSudokuError, RuntimeError):
    """A child process ended without a result: it was killed from outside, or crashed.

    Attributes:
        returncode: its exit status; the negative signal number when a signal ended it.
    """

    def __init__(self, message: str, returncode: int) -> None:
        super().__init__(message)
        self.returncode = returncode


class ChildProcess:
    """A newly started Python process that runs one task at a time until it is closed or dies.

    It does not inherit threads or open managers; starting it costs some 0.1 s and the tasks'
    imports. Ctrl-C in the parent ends it at once; so does, on Linux, the end of the thread that
    made it.

    Args:
        threads: number of threads for its tasks; by default that of the calling thread.
    """

    def __init__(self, threads: int | None = None) -> None:
        self.begin: float = time.monotonic()
        code = _CHILD_PROGRAM.format(path=[os.path.abspath(p) for p in sys.path])
        self._stderr: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - as long as this
        self._process = subprocess.Popen(
            [sys.executable, "-c", code],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._stderr,
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._in, self._out = self._process.stdin, self._process.stdout
        self._inbox: queue.SimpleQueue[tuple[str, Any]] = queue.SimpleQueue()
        self._reader = threading.Thread(target=self._read_messages, daemon=True)
        self._reader.start()
        self._send((os.getpid(), threads or available_threads()))

    @property
    def pid(self) -> int:
        """Process identifier of the child."""
        return self._process.pid

    def run(
        self,
        task: Task,
        *,
        begin: float | None = None,
        on_message: MessageHandler | None = None,
        bound_address_space: bool = True,
        stop: threading.Event | None = None,
    ) -> object:
        """Run a task in the child process; return the task's value or raise the task's error.

        Arguments and errors as of :func:`run_isolated`.

        Args:
            task: with its limits.
            begin: reading of the monotonic clock from which its time runs; by default now.
            stop: set by another thread, it ends the process and the work.
        """
        begin = begin or time.monotonic()
        self._send((task, task.memory if bound_address_space else None))
        peak = 0
        limit: LimitReached | None = None
        while True:
            try:
                # After a limit the child is dead: what it had sent by then is still read.
                kind, content = self._inbox.get(timeout=_POLL if limit is None else None)
            except queue.Empty:
                kind, content = "nothing", None
            if kind == "message" and on_message is not None:
                on_message(content)
            elif kind == "result":
                return content
            elif kind == "error":
                error, trace = content
                raise error from RemoteTraceback(trace)
            elif kind == "end":
                self._process.wait()
                raise limit or self._exit_error(peak)
            if limit is None:
                resident = resident_memory(str(self.pid)) or 0
                peak = max(peak, resident)
                if task.seconds is not None and time.monotonic() - begin > task.seconds:
                    limit = LimitReached(f"{task.seconds:g} s have passed", limit="time")
                elif task.memory is not None and resident > task.memory:
                    limit = LimitReached(
                        f"the process takes {format_size(resident)}", limit="memory"
                    )
                elif stop is not None and stop.is_set():
                    limit = LimitReached("the work was given up", limit="time")
                if limit is not None:
                    limit.details["peak_rss"] = peak
                    self.kill()

    @property
    def is_alive(self) -> bool:
        """Whether the process is still running."""
        return self._process.poll() is None

    def kill(self) -> None:
        """Kill the process, even while it runs a task for another thread."""
        self._process.kill()  # without effect if it has ended

    def close(self) -> None:
        """Kill the process, and wait until it has ended."""
        self.kill()
        self._process.wait()
        self._reader.join()
        self._out.close()
        with contextlib.suppress(BrokenPipeError):
            self._in.close()
        self._stderr.close()

    def _send(self, content: object) -> None:
        """Send an object to the child, as a pickle."""
        try:
            body = pickle.dumps(content, protocol=pickle.HIGHEST_PROTOCOL)
        except (pickle.PicklingError, AttributeError, TypeError) as error:
            # A rule or constraint of a class that only this process knows, say.
            message = f"this cannot be sent to a process of its own: {error}"
            raise BddSudokuError(message) from error
        # A broken pipe: it is dead already, and how it died is found out later.
        with contextlib.suppress(BrokenPipeError):
            self._in.write(body)
            self._in.flush()

    def _read_messages(self) -> None:
        """Body of the reader thread: put the child's messages into the inbox."""
        with contextlib.suppress(Exception):  # cut off in the middle, say
            while True:
                self._inbox.put(pickle.load(self._out))
        self._inbox.put(("end", None))

    def _exit_error(self, peak: int) -> Exception:
        """The error for a child that ended without a result, by its exit status and its output."""
        status = self._process.returncode
        self._stderr.seek(0)
        stderr = self._stderr.read().decode(errors="replace").strip()[-_MAX_STDERR:]
        lines = [line.strip() for line in stderr.splitlines() if not line.startswith("note:")]
        last = next((line for line in reversed(lines) if line), "")
        details = {"peak_rss": peak, "returncode": status}
        if any(words in stderr.lower() for words in _OUT_OF_MEMORY):
            return LimitReached(f"the process ended: {last}", limit="memory", details=details)
        if status == -getattr(signal, "SIGKILL", 9):
            message = "the process was killed from outside, as the system does when memory runs out"
            return LimitReached(message, limit="memory", details=details)
        names = {-s: s.name for s in signal.Signals}
        how = names.get(status, f"signal {-status}") if status < 0 else f"exit status {status}"
        message = f"the process ended with {how}{': ' + last if last else ''}"
        return ProcessEndedError(message, status)


@check_types
def run_isolated(
    function: str,
    argument: object,
    *,
    memory: int | None = None,
    seconds: float | None = None,
    on_message: Callable[[Any], None] | None = None,
    bound_address_space: bool = True,
) -> Any:
    """Call a function in a new process that then ends, and return the function's result.

    Args:
        function: ``"package.module:function"``; it takes the argument and a
            :class:`.task.TaskContext`, which sends messages. Argument, messages and result must be
            picklable.
        argument: passed to the function.
        memory: bytes for the whole child process.
        seconds: for the whole child process, its start included.
        on_message: called in this process with every message, in order, as it arrives.
        bound_address_space: also set ``RLIMIT_AS``; not for libraries that reserve far more
            addresses than they use.

    Raises:
        LimitReached: the memory or the time was used up (``details`` may hold ``peak_rss``).
        ProcessEndedError: the child was killed from outside, or crashed.
        Exception: any error that the function itself raised.
    """
    child = ChildProcess()
    try:
        return child.run(
            Task(function, argument, memory, seconds),
            begin=child.begin,
            on_message=on_message,
            bound_address_space=bound_address_space,
        )
    finally:
        child.close()


MAX_PROCESS_DEATHS = 3
"""Number of processes that may die running a task before it is given up."""
_POLL_CLOSED = 0.1


class Processes(Runner):
    """A runner on local child processes, kept from run to run; one that dies is replaced.

    Args:
        jobs: number of processes.
        threads: number of threads for the tasks of each process.
    """

    @check_types
    def __init__(self, jobs: int, threads: int = 1) -> None:
        if jobs < 1:
            raise ValueError(f"expected 1 process or more, found {jobs}")
        self._jobs = jobs
        self._threads = threads
        # Children end with the thread that made them: these threads stay.
        self._pool = ThreadPoolExecutor(jobs, "processes")
        self._thread_local = threading.local()
        self._children: set[ChildProcess] = set()
        self._closed = False

    @property
    def workers(self) -> int:
        """Number of processes."""
        return self._jobs

    @contextlib.contextmanager
    def open_task_queue(self, context: Context) -> Iterator[TaskFunctions]:
        """In a with block, give two functions: one submits a task, one waits for an outcome."""
        stop = threading.Event()
        inbox: queue.SimpleQueue[NumberedOutcome] = queue.SimpleQueue()

        def work(number: int, task: Task) -> None:
            if not stop.is_set():
                found = run_to_outcome(task, "nowhere", partial(self._run_in_child, stop=stop))
                if child := self._child_of_this_thread():
                    found = replace(found, where=f"process {child.pid}")
                if not self._closed:  # otherwise the run itself says so, and no task
                    inbox.put((number, found))

        def next_outcome() -> NumberedOutcome:
            while True:
                context.check()
                try:
                    return inbox.get(timeout=_POLL_CLOSED)
                except queue.Empty:
                    if self._closed:
                        raise LimitReached("the processes were closed", limit="close") from None

        try:
            yield lambda number, task: self._pool.submit(work, number, task), next_outcome
        finally:
            stop.set()  # what is still under way belongs to nobody

    def _run_in_child(self, task: Task, stop: threading.Event) -> object:
        """Run a task in this thread's child process; if the process dies, retry in a new one."""
        error: Exception = BddSudokuError("nobody works here any more")
        for _ in range(MAX_PROCESS_DEATHS):
            if self._closed:
                raise error
            child = self._child_of_this_thread()
            if child is None:
                self._thread_local.child = child = ChildProcess(self._threads)
                self._children.add(child)
            try:
                return child.run(task, stop=stop)
            except (ProcessEndedError, LimitReached) as found:
                if child.is_alive:
                    raise  # the task itself said so
                self._thread_local.child = None
                self._children.discard(child)
                child.close()
                killed = isinstance(found, LimitReached) and found.details.get("returncode", 0) < 0
                if stop.is_set() or not (killed or isinstance(found, ProcessEndedError)):
                    raise
                error = found
        message = f"a task ended {MAX_PROCESS_DEATHS} processes, the last one so: {error}"
        if isinstance(error, LimitReached):
            raise LimitReached(message, limit=error.limit, details=error.details)
        raise BddSudokuError(message)

    def _child_of_this_thread(self) -> ChildProcess | None:
        """The child process of this thread, or None."""
        return getattr(self._thread_local, "child", None)

    def close(self) -> None:
        """Kill the processes; tasks that are running are lost."""
        self._closed = True
        children = list(self._children)
        for child in children:
            child.kill()
        self._pool.shutdown(cancel_futures=True)
        for child in children:
            child.close()

    def __enter__(self) -> Processes:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


# -- the choice of a runner ------------------------------------------------------------------------


@contextmanager
@check_types
def open_runner(
    jobs: int | None = None, client: Client | Runner | None = None, journal: Journal | None = None
) -> Iterator[Runner]:
    """In a with block, give the runner that the arguments ask for; at its end close a new one.

    Args:
        jobs: number of local processes; None or 1: this process.
        client: a ``distributed.Client``, or an existing runner; takes precedence over ``jobs``.
        journal: supplies results of earlier runs, and stores new ones.
    """
    runner: Runner
    if client is not None:
        from bddsudoku.work.cluster import Client, DaskRunner

        expected = "a distributed.Client, or a runner such as Processes(4)"
        require_type(client, (Client, Runner), expected)
        runner = DaskRunner(client) if isinstance(client, Client) else client
    else:
        runner = Processes(jobs) if jobs is not None and jobs > 1 else LocalRunner()
    before, runner.journal = runner.journal, runner.journal if journal is None else journal
    try:
        yield runner
    finally:
        runner.journal = before
        if client is None:  # the caller closes a runner of its own
            runner.close()


@check_types
def task_values(
    tasks: Iterable[Task],
    jobs: int | None = None,
    client: Client | Runner | None = None,
    *,
    context: Context = UNLIMITED,
    journal: Journal | None = None,
) -> Iterator[Any]:
    """Run tasks and yield their values, in the order of the tasks.

    Raises:
        LimitReached: a limit ended a task, the time is used up, or the cluster was lost.
        Exception: any error of a task.
    """
    with open_runner(jobs, client, journal) as runner:
        for outcome in runner.run(tasks, ordered=True, context=context):
            yield outcome.result()
