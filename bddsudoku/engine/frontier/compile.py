"""Compiling and counting: the engine's front door."""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING

from bddsudoku.context import UNLIMITED
from bddsudoku.engine.frontier.backward import Backward
from bddsudoku.engine.frontier.count import CountingForward
from bddsudoku.engine.frontier.forward import Forward
from bddsudoku.engine.frontier.sweep import LevelTrace
from bddsudoku.engine.frontier.tables import Accounts
from bddsudoku.work.threads import available_threads

if TYPE_CHECKING:
    from bddsudoku.context import Context
    from bddsudoku.diagrams.zdd import Diagram
    from bddsudoku.engine.frontier.spec import Spec


@dataclass(frozen=True, eq=False)
class Compiled:
    """A diagram and what it cost.

    Attributes:
        diagram: the canonical ordered ZDD.
        levels: one entry for every level that had states.
        seconds: everything, from the spec on.
        forward_seconds: the part spent on states.
        peak_bytes: greatest sum of the engine's arrays (the process needs some 100 MB more).
    """

    diagram: Diagram
    levels: tuple[LevelTrace, ...]
    seconds: float
    forward_seconds: float
    peak_bytes: int

    @property
    def states(self) -> int:
        """States of all levels."""
        return sum(level.states for level in self.levels)

    @property
    def width(self) -> int:
        """States of the widest level."""
        return max((level.states for level in self.levels), default=0)


def worker_count(threads: int | None) -> int:
    """The number of threads to use: as many as the process may, four at most, unless told."""
    if threads is not None:
        return max(1, threads)
    return min(4, available_threads())


def compile_spec(
    spec: Spec,
    *,
    context: Context = UNLIMITED,
    max_states: int | None = None,
    threads: int | None = None,
) -> Compiled:
    """The family that a spec describes, as a canonical ZDD.

    Args:
        spec: see :mod:`bddsudoku.engine.frontier.spec`.
        max_states: states of all levels together.
        threads: by default the cores of the process, four at most. The result is the same.

    Raises:
        LimitReached: names the limit, the level, its states and bytes; ``trace`` holds the
            levels finished by then.
    """
    began = perf_counter()
    accounts = Accounts(context, max_states)
    forward = Forward(spec, accounts, threads=worker_count(threads))
    forward.run()
    middle = perf_counter()
    diagram = Backward(forward, accounts).run()
    return Compiled(
        diagram, tuple(forward.trace), perf_counter() - began, middle - began, accounts.peak
    )


def count_spec(
    spec: Spec,
    *,
    context: Context = UNLIMITED,
    max_states: int | None = None,
    threads: int | None = None,
) -> int:
    """Number of sets that a spec describes, without building the diagram; exact at any size.

    Takes the arguments of :func:`compile_spec`. Needs the memory of a few levels only.

    Raises:
        LimitReached: as :func:`compile_spec`.
    """
    accounts = Accounts(context, max_states)
    counting = CountingForward(spec, accounts, threads=worker_count(threads))
    counting.run()
    return counting.count
