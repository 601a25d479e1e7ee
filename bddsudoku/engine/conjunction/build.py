"""The paper's engine: every constraint a small BDD, all of them multiplied in a chosen order.

Tateishi & Minato, section 4. The product grows and, towards the end, shrinks to the solution set;
how far it grows is the schedule's doing (:mod:`bddsudoku.model.schedule`).
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from bddsudoku.engine.conjunction.backends import Backend, make_backend, resolve_backend
from bddsudoku.engine.conjunction.factor import factor
from bddsudoku.engine.conjunction.trace import BuildResult, Step
from bddsudoku.errors import LimitReached
from bddsudoku.limits import Limits
from bddsudoku.model.model import Model
from bddsudoku.model.schedule import Schedule, schedule

__all__ = ["DEFAULT_MEMORY", "build", "describe_stop"]

DEFAULT_MEMORY = 4 << 30
"""Bytes for the manager when no limit is given."""


def build(
    model: Model,
    order: Schedule | Sequence[int] | None = None,
    *,
    backend: str | None = None,
    limits: Limits | None = None,
    on_step: Callable[[Step], None] | None = None,
    keep: bool = True,
) -> BuildResult:
    """Conjoin a model's constraints in this process.

    A single conjunction can run for minutes, during which neither Ctrl-C nor the time limit is
    seen: :func:`~bddsudoku.engine.conjunction.apart.build_isolated` is the careful way.

    Args:
        model: what to build; its variables in their order are the BDD's levels.
        order: schedule, positions, or None for the order of the model.
        backend: ``cudd``, ``oxidd``, ``autoref``; None for the first that is installed.
        limits: memory (of the manager), nodes of the product after any step without terminals,
            time (looked at between two steps).
        on_step: called after every step, outside the measured time.
        keep: hold on to the manager, so that the result can count and export its nodes.

    Raises:
        LimitReached: with the steps done so far as ``trace``.
        ScheduleError: the schedule does not fit the model.
        BackendUnavailable: the backend is not installed.
    """
    limits = limits or Limits()
    plan = schedule(model, order)
    name = resolve_backend(backend)
    steps: list[Step] = []
    cpu_seconds = 0.0
    manager: Backend | None = None
    begin = time.perf_counter()
    try:
        manager = make_backend(name, len(model.variables), limits.memory or DEFAULT_MEMORY)
        product = manager.constant(True)
        for position in plan:
            constraint = model.constraints[position]
            limits.check()
            start, cpu_start = time.perf_counter(), time.process_time()
            product = manager.conjoin(product, factor(manager, constraint, limits.account()))
            manager.tidy()
            seconds = time.perf_counter() - start
            cpu_seconds += time.process_time() - cpu_start
            nodes = manager.node_count(product)
            step = Step(position, constraint.family, constraint.label, nodes, seconds)
            steps.append(step)
            if on_step is not None:
                on_step(step)
            if limits.nodes is not None and nodes > limits.nodes:
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
            describe_stop(model, plan, limits, stop.limit, str(stop), at, steps),
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
    limits: Limits,
    limit: str,
    why: str,
    at: int,
    steps: Sequence[Step],
) -> str:
    """One line: which limit, in which step, how large the product was."""
    allowed = {
        "memory": f" of {(limits.memory or DEFAULT_MEMORY) / 2**20:,.0f} MiB",
        "nodes": f" of {limits.nodes:,}" if limits.nodes is not None else "",
        "time": f" of {limits.seconds:g} s" if limits.seconds is not None else "",
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
