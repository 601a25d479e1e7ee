"""Running things: a task in a process of its own, a journal; here, in processes, on a cluster.

A :class:`Task` is a call that may run anywhere, an :class:`Outcome` what came of it. A
:class:`Runner` turns the one into the other; :func:`runner_for` picks one by what the caller has. A
:class:`Journal` keeps what is done. Builds within limits (:func:`run_isolated`), experiments and
clusters are all this one mechanism.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bddsudoku.lazy import lazy_names

if TYPE_CHECKING:
    from bddsudoku.work.choosing import runner_for as runner_for
    from bddsudoku.work.choosing import values as values
    from bddsudoku.work.cluster import Client as Client
    from bddsudoku.work.cluster import DaskRunner as DaskRunner
    from bddsudoku.work.isolated import ProcessEndedError as ProcessEndedError
    from bddsudoku.work.isolated import run_isolated as run_isolated
    from bddsudoku.work.journal import Journal as Journal
    from bddsudoku.work.processes import Processes as Processes
    from bddsudoku.work.runner import Here as Here
    from bddsudoku.work.runner import Runner as Runner
    from bddsudoku.work.task import Home as Home
    from bddsudoku.work.task import Outcome as Outcome
    from bddsudoku.work.task import Task as Task
else:
    __all__, __getattr__, __dir__ = lazy_names(
        __name__,
        {
            "bddsudoku.work.choosing": ["runner_for", "values"],
            "bddsudoku.work.cluster": ["Client", "DaskRunner"],
            "bddsudoku.work.isolated": ["ProcessEndedError", "run_isolated"],
            "bddsudoku.work.journal": ["Journal"],
            "bddsudoku.work.processes": ["Processes"],
            "bddsudoku.work.runner": ["Here", "Runner"],
            "bddsudoku.work.task": ["Home", "Outcome", "Task"],
        },
    )
