"""The choice of a runner: a cluster for a client, processes for several jobs, else this process.

Public functions have the parameters ``jobs``, ``client`` and ``journal``, and make one runner of
them (:func:`open_runner`). Inner functions have one parameter, ``runner``, which may have a journal
of earlier results.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from bddsudoku.context import UNLIMITED, Context
from bddsudoku.work.journal import Journal
from bddsudoku.work.processes import Processes
from bddsudoku.work.runner import LocalRunner, Runner
from bddsudoku.work.task import Task

if TYPE_CHECKING:
    from bddsudoku.work.cluster import Client


@contextmanager
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
