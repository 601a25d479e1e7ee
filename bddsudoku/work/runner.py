"""Who runs tasks: here, processes of this machine (:mod:`.processes`), a cluster (:mod:`.cluster`).

All of them yield outcomes as they come, hold no more than a window of a stream of tasks, and take
from a journal what it knows.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Protocol

from bddsudoku.context import UNLIMITED, Context, Progress
from bddsudoku.work.journal import Journal
from bddsudoku.work.task import Message, Outcome, Task, outcome_of

Numbered = tuple[int, Outcome]
"""The number of a task in its stream, and what came of it."""


class Runner(Protocol):
    """Runs tasks that know nothing of each other."""

    @property
    def workers(self) -> int:
        """How many tasks run side by side."""
        ...

    def run(
        self,
        tasks: Iterable[Task],
        *,
        ordered: bool = False,
        context: Context = UNLIMITED,
        journal: Journal | None = None,
    ) -> Iterator[Outcome]:
        """What comes of the tasks.

        Args:
            tasks: taken up as there is room; an error that they raise comes after what was done.
            ordered: in the order of the tasks; otherwise as they come.
            journal: knows what was done before, and is told what is done.

        Raises:
            LimitReached: the time is used up, or those who work are gone. What a task itself runs
                into is its outcome.
        """
        ...

    def close(self) -> None:
        """Let the workers go."""
        ...


def pumped(
    tasks: Iterable[Task],
    submit: Callable[[int, Task], None],
    arrived: Callable[[], Numbered],
    window: int,
    *,
    ordered: bool,
    progress: Progress | None,
    journal: Journal | None,
) -> Iterator[Outcome]:
    """The loop that all runners share.

    Args:
        tasks: see :meth:`Runner.run`, as are the others.
        submit: begins a task.
        arrived: waits for a task that was begun.
        window: tasks at most that are begun and not handed out.
        ordered: …
        progress: …
        journal: …
    """
    source = enumerate(tasks)
    known: deque[Numbered] = deque()
    waiting: dict[int, Outcome] = {}
    begun = handed = done = 0
    failure: Exception | None = None
    more = True
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
                    known.append((number, Outcome(task, journal.value(task.key), where="journal")))
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
        if progress is not None:
            progress(done, done + begun + len(known) + more)
        if not ordered:
            yield outcome
            continue
        waiting[number] = outcome
        while handed in waiting:
            yield waiting.pop(handed)
            handed += 1
    if failure is not None:
        raise failure


class Here:
    """Tasks run in this process, one after the other.

    Args:
        message: called with the messages of tasks.
    """

    def __init__(self, message: Message | None = None) -> None:
        self._message = message

    @property
    def workers(self) -> int:
        """One."""
        return 1

    def run(
        self,
        tasks: Iterable[Task],
        *,
        ordered: bool = False,
        context: Context = UNLIMITED,
        journal: Journal | None = None,
    ) -> Iterator[Outcome]:
        """See :meth:`Runner.run`; in the tasks' order."""
        asked: deque[tuple[int, Task]] = deque()

        def arrived() -> Numbered:
            number, task = asked.popleft()
            left = context.left
            if left is not None and (task.seconds is None or left < task.seconds):
                bounded = Task(task.function, task.argument, task.memory, left)
            else:
                bounded = task
            return number, outcome_of(bounded, "here", self._message)

        def submit(number: int, task: Task) -> None:
            asked.append((number, task))

        yield from pumped(
            tasks, submit, arrived, 1, ordered=ordered, progress=context.progress, journal=journal
        )

    def close(self) -> None:
        """There is nobody to let go."""
