"""The paper's engine: every constraint a small BDD, all of them multiplied in a chosen order.

Tateishi & Minato, section 4. The product grows and, towards the end, shrinks to the solution set;
how far it grows is the schedule's doing (:mod:`bddsudoku.model.ordering`).

One constraint as a BDD: the factor that a conjunction multiplies in.

A build in a process of its own: it can be stopped at any moment, and its trace survives.

Conjunction as an engine of the protocol: counts by the paper's way, in a process of its own.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, ClassVar

from bddsudoku.context import UNLIMITED, Check, Context
from bddsudoku.engine.conjunction.backends import make_backend, resolve_backend
from bddsudoku.engine.conjunction.backends.protocol import Backend, Function, one_hot
from bddsudoku.engine.conjunction.trace import BuildResult, Step
from bddsudoku.engine.protocol import Compiled, Compiles
from bddsudoku.errors import BddSudokuError, LimitReached
from bddsudoku.model.constraints import Constraint, OneHot
from bddsudoku.model.model import Model
from bddsudoku.model.ordering import Schedule, schedule, usual_schedule
from bddsudoku.model.propagation import candidates
from bddsudoku.model.to_mdd import machine
from bddsudoku.work.memory import memory_left
from bddsudoku.work.processes import ProcessEndedError, run_isolated


def factor(backend: Backend, constraint: Constraint, check: Check) -> Function:
    """The BDD of a constraint over its variables, in the order of the model.

    One-hot constraints have their own short way; the others are read off their machine for that
    order, bottom-up.

    Args:
        backend: who makes the nodes.
        constraint: of any kind.
        check: called with the bytes taken more while a machine is made; may raise.

    Raises:
        LimitReached: a machine is wider than machines may be (the message names the constraint),
            or the manager's memory is exhausted.
    """
    if isinstance(constraint, OneHot):
        return one_hot(backend, constraint)
    levels = [[v] for v in constraint.variables]
    variable, low, high, root = machine(constraint, levels, check=check).bdd()
    made = [backend.constant(False), backend.constant(True)]
    for v, below, above in zip(variable.tolist(), low.tolist(), high.tolist(), strict=True):
        made.append(backend.node(v, made[below], made[above]))
    return made[root]


DEFAULT_MEMORY = 4 << 30
"""Bytes for the manager when no limit is given."""


def build(
    model: Model,
    order: Schedule | Sequence[int] | None = None,
    *,
    backend: str | None = None,
    context: Context = UNLIMITED,
    on_step: Callable[[Step], None] | None = None,
    keep: bool = True,
) -> BuildResult:
    """Conjoin a model's constraints in this process.

    A single conjunction can run for minutes, during which neither Ctrl-C nor the time limit is
    seen: :func:`~bddsudoku.engine.conjunction.build.build_isolated` is the careful way.

    Args:
        model: what to build; its variables in their order are the BDD's levels.
        order: schedule, positions, or None for the order of the model.
        backend: ``cudd``, ``oxidd``, ``autoref``; None for the first that is installed.
        on_step: called after every step, outside the measured time.
        keep: hold on to the manager, so that the result can count and export its nodes.

    Raises:
        LimitReached: with the steps done so far as ``trace``.
        ScheduleError: the schedule does not fit the model.
        BackendUnavailable: the backend is not installed.
    """
    plan = schedule(model, order)
    name = resolve_backend(backend)
    steps: list[Step] = []
    cpu_seconds = 0.0
    manager: Backend | None = None
    begin = time.perf_counter()
    try:
        manager = make_backend(name, len(model.variables), context.memory or DEFAULT_MEMORY)
        product = manager.constant(True)
        for position in plan:
            constraint = model.constraints[position]
            context.check()
            start, cpu_start = time.perf_counter(), time.process_time()
            product = manager.conjoin(product, factor(manager, constraint, context.account()))
            manager.tidy()
            seconds = time.perf_counter() - start
            cpu_seconds += time.process_time() - cpu_start
            nodes = manager.node_count(product)
            step = Step(position, constraint.family, constraint.label, nodes, seconds)
            steps.append(step)
            if on_step is not None:
                on_step(step)
            if context.nodes is not None and nodes > context.nodes:
                raise LimitReached(f"the product has {nodes:,} nodes", limit="nodes")
        nodes = manager.node_count(product)
        memory = manager.memory()
    except LimitReached as stop:
        # Let go of the product and of the frames that hold its factors, then of the manager.
        product = stop.__traceback__ = None
        if manager is not None:
            manager.abandon()
        at = len(steps) if stop.limit != "nodes" else len(steps) - 1
        raise LimitReached(
            describe_stop(model, plan, context, stop.limit, str(stop), at, steps),
            limit=stop.limit,
            trace=tuple(steps),
            details={"backend": name, "peak_rss": peak_rss(), "why": str(stop)},
        ) from None
    return BuildResult(
        backend=manager.name,
        backend_version=manager.version,
        schedule=plan.name,
        variables=len(model.variables),
        steps=tuple(steps),
        nodes=nodes,
        seconds=sum(s.seconds for s in steps),
        cpu_seconds=cpu_seconds,
        wall_seconds=time.perf_counter() - begin,
        memory=memory,
        peak_rss=peak_rss(),
        keys=tuple(v.key for v in model.variables),
        _export=(lambda: manager.export(product)) if keep else None,
    )


def describe_stop(
    model: Model,
    plan: Schedule,
    context: Context,
    limit: str,
    why: str,
    at: int,
    steps: Sequence[Step],
) -> str:
    """One line: which limit, in which step, how large the product was."""
    allowed = {
        "memory": f" of {(context.memory or DEFAULT_MEMORY) / 2**20:,.0f} MiB",
        "nodes": f" of {context.nodes:,}" if context.nodes is not None else "",
        "time": f" of {context.seconds:g} s" if context.seconds is not None else "",
    }.get(limit, "")
    place = "before the first step"
    if at < len(plan):
        c = model.constraints[plan.positions[at]]
        place = f"in step {at + 1} of {len(plan)} ({c.family} {c.label})"
    elif steps:
        place = "after the last step"
    size = max((s.nodes for s in steps), default=0)
    told = f"{limit} limit{allowed} reached {place}, peak so far {size:,} nodes"
    return told if limit == "time" else f"{told}: {why}"


def peak_rss() -> int | None:
    """Largest resident set of this process so far in bytes; None where the system does not tell."""
    try:
        for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass
    try:
        import resource
    except ImportError:
        return None
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


_SPARE = 0.06
"""Share of the memory kept out of the manager's hands: tables are being doubled, traces grow."""


def build_isolated(
    model: Model,
    order: Schedule | Sequence[int] | None = None,
    *,
    backend: str | None = None,
    context: Context = UNLIMITED,
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
        on_step: called with every step as it arrives.
        keep: bring the final BDD's nodes home, so that the result can count and export them.

    Raises:
        LimitReached: with the steps done so far as ``trace``.
        ProcessEndedError: the process crashed or was ended from outside.
        ScheduleError: the schedule does not fit the model.
        BackendUnavailable: the backend is not installed.
    """
    plan = schedule(model, order)
    name = resolve_backend(backend)
    steps: list[Step] = []

    def arrived(step: Step) -> None:
        steps.append(step)
        if on_step is not None:
            on_step(step)

    try:
        result = run_isolated(
            "bddsudoku.engine.conjunction.build:_in_child",
            (model, plan, name, context, keep),
            memory=context.memory,
            seconds=context.left,
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
            describe_stop(model, plan, context, stop.limit, str(stop), len(steps), steps),
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
    job: tuple[Model, Schedule, str, Context, bool], send: Callable[[Step], None]
) -> BuildResult:
    """The child's side of :func:`build_isolated`."""
    from dataclasses import replace

    model, plan, name, context, keep = job
    inner = context
    if context.memory is not None:
        # The backend's modules are loaded first, so that what they take is known.
        _load(name)
        inner = replace(context, memory=int(memory_left(context.memory) * (1 - _SPARE)))
    inner = replace(inner, seconds=None, deadline=None)
    try:
        result = build(model, plan, backend=name, context=inner, on_step=send, keep=keep)
    except LimitReached as stop:
        at = len(stop.trace) - (stop.limit == "nodes")
        why = stop.details["why"]
        raise LimitReached(
            describe_stop(model, plan, context, stop.limit, why, at, stop.trace),
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


class Bdd(Compiles):
    """Constraint after constraint, in the schedule that serves the puzzle best."""

    name: ClassVar[str] = "bdd"

    def count(self, model: Model, context: Context) -> int:
        """Under ``candidates``."""
        # A contradiction is seen at once; a product would grow until its order reaches it.
        if model.is_contradictory:
            return 0
        return self._built(candidates(model), context).count()

    def diagram(self, model: Model, context: Context, *, order: str = "auto") -> Compiled:
        """The BDD as a ZDD; variables in the order of the model, ``order`` names the schedule."""
        model = candidates(model)
        built = self._built(model, context, None if order == "auto" else order)
        diagram = built.diagram()
        return Compiled(
            diagram,
            () if diagram.is_empty else tuple(v.key for v in model.fixed),
            "model",
            len(model.variables),
            seconds=built.wall_seconds,
            peak_bytes=built.memory,
        )

    @staticmethod
    def _built(model: Model, context: Context, order: str | None = None) -> BuildResult:
        told = context.report
        plan = usual_schedule(model, order)
        done = 0

        def step(_: Step) -> None:
            nonlocal done
            done += 1
            told(done, len(plan))

        return build_isolated(model, plan, context=context, on_step=step)

    def warm_up(self) -> None:
        """Every build is a fresh process: there is nothing to keep warm."""
