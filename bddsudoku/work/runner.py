"""Runners of tasks: the base class, and the runner in this process.

The others are local processes (:mod:`.processes`) and a cluster (:mod:`.cluster`). All of them
yield outcomes as they arrive, keep at most a window of a stream of tasks, and take stored results
from a journal.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace

from bddsudoku.context import UNLIMITED, Context
from bddsudoku.work.journal import Journal
from bddsudoku.work.task import Outcome, Task, run_to_outcome

NumberedOutcome = tuple[int, Outcome]
"""The number of a task in its stream, and its outcome."""
TaskFunctions = tuple[Callable[[int, Task], object], Callable[[], NumberedOutcome]]
"""Two functions: one starts a task with its number, the other waits for the next outcome."""

TASKS_PER_WORKER = 4
"""Tasks for each worker that are running or wait to be yielded in order."""


class Runner(ABC):
    """Base class of runners, which run independent tasks and yield their outcomes.

    Attributes:
        journal: supplies results of earlier runs and stores new ones; set by
            :func:`.processes.open_runner`.
    """

    journal: Journal | None = None

    @property
    @abstractmethod
    def workers(self) -> int:
        """Number of tasks that run in parallel."""

    @abstractmethod
    def open_task_queue(self, context: Context) -> AbstractContextManager[TaskFunctions]:
        """In a with block, give two functions: one submits a task, one waits for an outcome."""

    @property
    def window(self) -> int:
        """Maximum number of submitted tasks whose outcomes have not been yielded yet."""
        return TASKS_PER_WORKER * max(self.workers, 2)

    def run(
        self,
        tasks: Iterable[Task],
        *,
        ordered: bool = False,
        context: Context = UNLIMITED,
    ) -> Iterator[Outcome]:
        """Run tasks and yield their outcomes.

        Args:
            tasks: read as the window allows; an error of the iterable is raised after the outcomes
                of the tasks before it.
            ordered: yield in the order of the tasks; otherwise as they finish.

        Raises:
            LimitReached: the time is used up, or the workers were lost. Errors of a task are in
                its outcome.
        """
        journal, window = self.journal, self.window
        source = enumerate(tasks)
        journaled: deque[NumberedOutcome] = deque()
        waiting: dict[int, Outcome] = {}
        running = next_number = done = 0
        failure: Exception | None = None
        more = True
        with self.open_task_queue(context) as (submit, next_outcome):
            while True:
                while more and running + len(journaled) + len(waiting) < window:
                    try:
                        number, task = next(source)
                    except StopIteration:
                        more = False
                    except Exception as error:  # raised after the outcomes before it
                        failure, more = error, False
                    else:
                        if journal is not None and task.key in journal:
                            value = journal.value(task.key)
                            journaled.append((number, Outcome(task, value, where="journal")))
                        else:
                            submit(number, task)
                            running += 1
                if journaled:
                    number, outcome = journaled.popleft()
                elif running:
                    number, outcome = next_outcome()
                    running -= 1
                    if journal is not None and outcome.error is None:
                        journal.add(outcome.task.key, outcome.value, outcome.seconds, outcome.where)
                else:
                    break
                done += 1
                if context.progress is not None:
                    context.progress(done, done + running + len(journaled) + more)
                if not ordered:
                    yield outcome
                    continue
                waiting[number] = outcome
                while next_number in waiting:
                    yield waiting.pop(next_number)
                    next_number += 1
        if failure is not None:
            raise failure

    def close(self) -> None:  # noqa: B027 - the base class has no workers
        """Release the workers."""


class LocalRunner(Runner):
    """The runner that runs tasks in this process, one after the other, in their order."""

    workers = 1
    window = 1

    @contextmanager
    def open_task_queue(self, context: Context) -> Iterator[TaskFunctions]:
        """In a with block, give two functions: one queues a task, one runs the next queued task."""
        submitted: deque[tuple[int, Task]] = deque()

        def next_outcome() -> NumberedOutcome:
            number, task = submitted.popleft()
            left = context.seconds_left
            if left is not None and (task.seconds is None or left < task.seconds):
                task = replace(task, seconds=left)
            outcome = run_to_outcome(task, "here")
            if outcome.limit == "time":
                context.check()  # which names the whole limit, not what was left of it
            return number, outcome

        yield lambda number, task: submitted.append((number, task)), next_outcome
