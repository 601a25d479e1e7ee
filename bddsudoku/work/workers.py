"""Which runner: a cluster's where there is a client, processes for several jobs, else this one.

Public functions take ``jobs``, ``client`` and ``journal``, and make one runner of them at the door
(:func:`runner_for`). Below it there is one parameter, ``runner``, which may have a journal beside
it: what that knows is not done again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from bddsudoku.context import UNLIMITED, Context
from bddsudoku.work.journal import Journal
from bddsudoku.work.processes import Processes
from bddsudoku.work.runner import Here, Runner
from bddsudoku.work.task import Task

if TYPE_CHECKING:
    from bddsudoku.work.cluster import Client


@contextmanager
def runner_for(
    jobs: int | None = None, client: Client | Runner | None = None, journal: Journal | None = None
) -> Iterator[Runner]:
    """Who runs tasks within the block.

    Args:
        jobs: processes of this machine; None or 1: no other than this.
        client: a ``distributed.Client``, or a runner that is there already; goes before ``jobs``.
        journal: knows what was done before, and is told what is done.
    """
    runner: Runner
    if client is not None:
        from bddsudoku.work.cluster import Client, DaskRunner

        runner = DaskRunner(client) if isinstance(client, Client) else client
    else:
        runner = Processes(jobs) if jobs is not None and jobs > 1 else Here()
    before, runner.journal = runner.journal, runner.journal if journal is None else journal
    try:
        yield runner
    finally:
        runner.journal = before
        if client is None:  # another is there to be used again: who made it lets it go
            runner.close()


def values(
    tasks: Iterable[Task],
    jobs: int | None = None,
    client: Client | Runner | None = None,
    *,
    context: Context = UNLIMITED,
    journal: Journal | None = None,
) -> Iterator[Any]:
    """The values of tasks, in their order.

    Raises:
        LimitReached: a limit ended a task, the time is used up, or the cluster is gone.
        Exception: whatever a task raised.
    """
    with runner_for(jobs, client, journal) as runner:
        for outcome in runner.run(tasks, ordered=True, context=context):
            yield outcome.result()
