"""A build in a process of its own: it can be stopped at any moment, and its trace survives."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from bddsudoku.engine.conjunction.backends import resolve_backend
from bddsudoku.engine.conjunction.build import build, describe_stop
from bddsudoku.engine.conjunction.trace import BuildResult, Step
from bddsudoku.errors import BddSudokuError, LimitReached
from bddsudoku.limits import Limits
from bddsudoku.model.model import Model
from bddsudoku.model.schedule import Schedule, schedule
from bddsudoku.work.isolated import ProcessEndedError, run_isolated
from bddsudoku.work.memory import memory_left

__all__ = ["build_isolated"]

_SPARE = 0.06
"""Share of the memory kept out of the manager's hands: tables are being doubled, traces grow."""


def build_isolated(
    model: Model,
    order: Schedule | Sequence[int] | None = None,
    *,
    backend: str | None = None,
    limits: Limits | None = None,
    on_step: Callable[[Step], None] | None = None,
    keep: bool = True,
) -> BuildResult:
    """:func:`~bddsudoku.engine.conjunction.build.build` in a fresh process.

    The memory limit is that of the whole process: the manager gets what the interpreter leaves of
    it, and the process is ended when it goes beyond. The time limit and Ctrl-C end a conjunction
    under way. Costs some 0.4 s for the start.

    Args:
        model: what to build.
        order: schedule, positions, or None for the order of the model.
        backend: ``cudd``, ``oxidd``, ``autoref``; None for the first that is installed.
        limits: memory (of the whole process), nodes, time (also ends a step that is under way).
        on_step: called with every step as it arrives.
        keep: bring the final BDD's nodes home, so that the result can count and export them.

    Raises:
        LimitReached: with the steps done so far as ``trace``.
        ProcessEndedError: the process crashed or was ended from outside.
        ScheduleError: the schedule does not fit the model.
        BackendUnavailable: the backend is not installed.
    """
    limits = limits or Limits()
    plan = schedule(model, order)
    name = resolve_backend(backend)
    steps: list[Step] = []

    def arrived(step: Step) -> None:
        steps.append(step)
        if on_step is not None:
            on_step(step)

    try:
        result = run_isolated(
            "bddsudoku.engine.conjunction.apart:_in_child",
            (model, plan, name, limits, keep),
            memory=limits.memory,
            seconds=limits.left,
            on_message=arrived,
            bound_address_space=name != "oxidd",  # its threads reserve a gigabyte of stack
        )
    except LimitReached as stop:
        details = {"backend": name} | stop.details
        if stop.trace is not None:  # the engine in the child has said it all
            raise LimitReached(
                str(stop), limit=stop.limit, trace=tuple(steps), details=details
            ) from None
        raise LimitReached(
            describe_stop(model, plan, limits, stop.limit, str(stop), len(steps), steps),
            limit=stop.limit,
            trace=tuple(steps),
            details=details,
        ) from None
    except ProcessEndedError as end:
        raise ProcessEndedError(
            f"the build stopped after step {len(steps)} of {len(plan)}: {end}", end.returncode
        ) from None
    assert isinstance(result, BuildResult)
    return result


class _Arrays:
    """The nodes, already here; picklable, unlike a manager."""

    def __init__(self, arrays: Any) -> None:
        self._arrays = arrays

    def __call__(self) -> Any:
        return self._arrays


def _in_child(
    job: tuple[Model, Schedule, str, Limits, bool], send: Callable[[Step], None]
) -> BuildResult:
    """The child's side of :func:`build_isolated`."""
    from dataclasses import replace

    model, plan, name, limits, keep = job
    inner = limits
    if limits.memory is not None:
        # The backend's modules are loaded first, so that what they take is known.
        _load(name)
        inner = replace(limits, memory=int(memory_left(limits.memory) * (1 - _SPARE)))
    inner = replace(inner, seconds=None, deadline=None)
    try:
        result = build(model, plan, backend=name, limits=inner, on_step=send, keep=keep)
    except LimitReached as stop:
        at = len(stop.trace) - (stop.limit == "nodes")
        why = stop.details["why"]
        raise LimitReached(
            describe_stop(model, plan, limits, stop.limit, why, at, stop.trace),
            limit=stop.limit,
            trace=(),
            details=stop.details,
        ) from None
    arrays = result.arrays if keep else None
    return replace(result, _export=_Arrays(arrays) if keep else None)


def _load(name: str) -> None:
    try:
        from importlib import import_module

        import_module(f"bddsudoku.engine.conjunction.backends.{name}_backend")
    except ImportError as error:
        raise BddSudokuError(f"BDD backend {name!r} does not load: {error}") from error
