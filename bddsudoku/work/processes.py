"""Processes of this machine that run tasks one after the other, each on one thread."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor

from bddsudoku.context import UNLIMITED, Context
from bddsudoku.errors import BddSudokuError, LimitReached
from bddsudoku.work.isolated import Child, ProcessEndedError
from bddsudoku.work.journal import Journal
from bddsudoku.work.runner import Numbered, pumped
from bddsudoku.work.task import Outcome, Task

DEATHS = 3
"""So many processes may end over a task; then it is given up."""
WINDOW = 4
"""Tasks for each worker that are begun or wait to be handed out in order."""
_POLL = 0.1


class Processes:
    """So many processes, kept from run to run; one that ends is followed by another.

    Args:
        jobs: how many.
        threads: that the tasks of each may keep busy.
    """

    def __init__(self, jobs: int, threads: int = 1) -> None:
        if jobs < 1:
            raise ValueError(f"expected 1 process or more, found {jobs}")
        self._jobs = jobs
        self._threads = threads
        # Children end with the thread that made them: these threads stay.
        self._pool = ThreadPoolExecutor(jobs, "processes")
        self._own = threading.local()
        self._children: set[Child] = set()
        self._lock = threading.Lock()
        self._closed = False

    @property
    def workers(self) -> int:
        """How many processes."""
        return self._jobs

    @property
    def pids(self) -> list[int]:
        """Numbers of the processes that are there now."""
        with self._lock:
            return sorted(child.pid for child in self._children)

    def run(
        self,
        tasks: Iterable[Task],
        *,
        ordered: bool = False,
        context: Context = UNLIMITED,
        journal: Journal | None = None,
    ) -> Iterator[Outcome]:
        """See :meth:`.runner.Runner.run`."""
        stop = threading.Event()
        inbox: queue.SimpleQueue[Numbered] = queue.SimpleQueue()

        def work(number: int, task: Task) -> None:
            if not stop.is_set():
                outcome = self._outcome(task, stop)
                if not self._closed:  # otherwise the run itself says so, and no task
                    inbox.put((number, outcome))

        def submit(number: int, task: Task) -> None:
            self._pool.submit(work, number, task)

        def arrived() -> Numbered:
            while True:
                context.check()
                try:
                    return inbox.get(timeout=_POLL)
                except queue.Empty:
                    if self._closed:
                        raise LimitReached("the processes were closed", limit="close") from None

        try:
            yield from pumped(
                tasks,
                submit,
                arrived,
                WINDOW * self._jobs,
                ordered=ordered,
                progress=context.progress,
                journal=journal,
            )
        finally:
            stop.set()  # what is still under way belongs to nobody

    def _outcome(self, task: Task, stop: threading.Event) -> Outcome:
        """What comes of a task; where its process is ended from outside, it is run again."""
        begin = time.perf_counter()
        error: Exception = BddSudokuError("nobody works here any more")
        where = "nowhere"
        for _ in range(DEATHS):
            child = None
            try:
                if self._closed:
                    break
                child = self._child()
                where = f"process {child.pid}"
                value = child.run(task, stop=stop)
                return Outcome(task, value, None, time.perf_counter() - begin, where)
            except (ProcessEndedError, LimitReached) as found:
                error = found
                if not child or child.is_alive:
                    break  # the task itself said so
                self._drop(child)
                if self._closed or stop.is_set() or not _came_from_outside(found):
                    break
            except Exception as found:
                error = found
                break
        else:
            error = _given_up(error)
        return Outcome(task, None, error, time.perf_counter() - begin, where)

    def _child(self) -> Child:
        """The process of this thread."""
        child: Child | None = getattr(self._own, "child", None)
        if child is None:
            self._own.child = child = Child(self._threads)
            with self._lock:
                self._children.add(child)
        return child

    def _drop(self, child: Child) -> None:
        self._own.child = None
        with self._lock:
            self._children.discard(child)
        child.close()

    def close(self) -> None:
        """End the processes; what they are doing is lost."""
        self._closed = True
        with self._lock:
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


def _came_from_outside(error: Exception) -> bool:
    """Whether a process was ended by a signal that we did not send, or by itself."""
    if isinstance(error, LimitReached):
        return bool(error.details.get("returncode", 0) < 0)
    return isinstance(error, ProcessEndedError)


def _given_up(error: Exception) -> Exception:
    message = f"a task ended {DEATHS} processes, the last one so: {error}"
    if isinstance(error, LimitReached):
        return LimitReached(message, limit=error.limit, details=error.details)
    return BddSudokuError(message)
