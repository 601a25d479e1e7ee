"""Who runs tasks: here, processes of this machine (:mod:`.processes`), a cluster (:mod:`.cluster`).

All of them yield outcomes as they come, hold no more than a window of a stream of tasks, and take
from a journal what it knows.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace

from bddsudoku.context import UNLIMITED, Context
from bddsudoku.work.journal import Journal
from bddsudoku.work.task import Outcome, Task, outcome_of

Numbered = tuple[int, Outcome]
"""The number of a task in its stream, and what came of it."""
Desk = tuple[Callable[[int, Task], object], Callable[[], Numbered]]
"""What begins a task with its number, and what waits for a task that was begun."""

WINDOW = 4
"""Tasks for each worker that are begun or wait to be handed out in order."""


class Runner(ABC):
    """Runs tasks that know nothing of each other.

    Attributes:
        journal: knows what was done before, and is told what is done (:func:`.workers.runner_for`).
    """

    journal: Journal | None = None

    @property
    @abstractmethod
    def workers(self) -> int:
        """How many tasks run side by side."""

    @abstractmethod
    def opened(self, context: Context) -> AbstractContextManager[Desk]:
        """Where tasks are begun within the block; what is under way at its end is given up."""

    @property
    def window(self) -> int:
        """Tasks at most that are begun and not handed out."""
        return WINDOW * max(self.workers, 2)

    def run(
        self,
        tasks: Iterable[Task],
        *,
        ordered: bool = False,
        context: Context = UNLIMITED,
    ) -> Iterator[Outcome]:
        """What comes of the tasks.

        Args:
            tasks: taken up as there is room; an error that they raise comes after what was done.
            ordered: in the order of the tasks; otherwise as they come.

        Raises:
            LimitReached: the time is used up, or those who work are gone. What a task itself runs
                into is its outcome.
        """
        journal, window = self.journal, self.window
        source = enumerate(tasks)
        known: deque[Numbered] = deque()
        waiting: dict[int, Outcome] = {}
        begun = handed = done = 0
        failure: Exception | None = None
        more = True
        with self.opened(context) as (submit, arrived):
            while True:
                while more and begun + len(known) + len(waiting) < window:
                    try:
                        number, task = next(source)
                    except StopIteration:
                        more = False
                    except Exception as error:  # what is wrong with the input is told in its turn
                        failure, more = error, False
                    else:
                        if journal is not None and task.key in journal:
                            value = journal.value(task.key)
                            known.append((number, Outcome(task, value, where="journal")))
                        else:
                            submit(number, task)
                            begun += 1
                if known:
                    number, outcome = known.popleft()
                elif begun:
                    number, outcome = arrived()
                    begun -= 1
                    if journal is not None and outcome.error is None:
                        journal.add(outcome.task.key, outcome.value, outcome.seconds, outcome.where)
                else:
                    break
                done += 1
                if context.progress is not None:
                    context.progress(done, done + begun + len(known) + more)
                if not ordered:
                    yield outcome
                    continue
                waiting[number] = outcome
                while handed in waiting:
                    yield waiting.pop(handed)
                    handed += 1
        if failure is not None:
            raise failure

    def close(self) -> None:  # noqa: B027 - here there is nobody to let go
        """Let the workers go."""


class Here(Runner):
    """Tasks run in this process, one after the other, in their order."""

    workers = 1
    window = 1

    @contextmanager
    def opened(self, context: Context) -> Iterator[Desk]:
        """See :meth:`Runner.opened`."""
        asked: deque[tuple[int, Task]] = deque()

        def arrived() -> Numbered:
            number, task = asked.popleft()
            left = context.left
            if left is not None and (task.seconds is None or left < task.seconds):
                task = replace(task, seconds=left)
            return number, outcome_of(task, "here")

        yield lambda number, task: asked.append((number, task)), arrived
