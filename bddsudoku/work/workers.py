"""Which runner: a cluster's where there is a client, processes for several jobs, else this one.

Public functions take ``jobs``, ``client`` and ``journal``, and make one runner of them at the door
(:func:`runner_for`). Below it there is one parameter, ``runner``, which may have a journal beside
it: what that knows is not done again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Any

from bddsudoku.context import UNLIMITED, Context
from bddsudoku.work.journal import Journal
from bddsudoku.work.processes import Processes
from bddsudoku.work.runner import Desk, Here, Runner
from bddsudoku.work.task import Task

if TYPE_CHECKING:
    from bddsudoku.work.cluster import Client


class Journaled(Runner):
    """A runner with a journal; closing it leaves the journal open.

    Args:
        runner: who does what the journal does not know.
        journal: of all runs.
    """

    def __init__(self, runner: Runner, journal: Journal) -> None:
        self._runner = runner
        self.journal = journal

    @property
    def workers(self) -> int:
        """The runner's."""
        return self._runner.workers

    @property
    def window(self) -> int:
        """The runner's."""
        return self._runner.window

    def opened(self, context: Context) -> AbstractContextManager[Desk]:
        """See :meth:`.runner.Runner.opened`."""
        return self._runner.opened(context)

    def close(self) -> None:
        """Let the runner's workers go."""
        self._runner.close()


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
    try:
        yield runner if journal is None else Journaled(runner, journal)
    finally:
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
