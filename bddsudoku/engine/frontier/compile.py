"""Compiling and counting: the engine's front door."""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING

from bddsudoku.context import UNLIMITED
from bddsudoku.engine.frontier.backward import Backward
from bddsudoku.engine.frontier.count import CountingForward
from bddsudoku.engine.frontier.forward import Forward
from bddsudoku.engine.frontier.tables import Accounts
from bddsudoku.engine.protocol import Compiled
from bddsudoku.work.threads import available_threads

if TYPE_CHECKING:
    from bddsudoku.context import Context
    from bddsudoku.engine.frontier.spec import Spec


def worker_count(threads: int | None) -> int:
    """The number of threads to use: as many as the process may, four at most, unless told."""
    return min(4, available_threads()) if threads is None else max(1, threads)


def compile_spec(
    spec: Spec, *, context: Context = UNLIMITED, threads: int | None = None
) -> Compiled:
    """The family that a spec describes, as a canonical ZDD.

    Args:
        spec: see :mod:`bddsudoku.engine.frontier.spec`.
        threads: by default the cores of the process, four at most. The result is the same.

    Raises:
        LimitReached: names the limit, the level, its states and bytes; ``trace`` holds the
            levels finished by then.
    """
    began = perf_counter()
    accounts = Accounts(context)
    forward = Forward(spec, accounts, threads=worker_count(threads))
    forward.run()
    diagram = Backward(forward, accounts).run()
    return Compiled(
        diagram,
        variables=len(spec.labels),
        levels=tuple(forward.trace),
        seconds=perf_counter() - began,
        peak_bytes=accounts.peak,
    )


def count_spec(spec: Spec, *, context: Context = UNLIMITED, threads: int | None = None) -> int:
    """Number of sets that a spec describes, without building the diagram; exact at any size.

    Takes the arguments of :func:`compile_spec`. Needs the memory of a few levels only.

    Raises:
        LimitReached: as :func:`compile_spec`.
    """
    counting = CountingForward(spec, Accounts(context), threads=worker_count(threads))
    counting.run()
    return counting.count
