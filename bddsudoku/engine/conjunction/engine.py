"""The engine ``bdd``: the BDDs of all constraints, conjoined in the order of a schedule.

Tateishi & Minato, section 4. The product grows and, towards the end, shrinks to the solution set;
how far it grows depends on the schedule (:mod:`bddsudoku.model.schedules`).

The build can run in an isolated process, which can be stopped at any moment without losing the
trace. The engine ``bdd`` always does that.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

from bddsudoku.context import UNLIMITED, Context, MemoryCheck
from bddsudoku.engine.conjunction.backends import (
    Backend,
    BddArrays,
    Function,
    import_backend,
    make_backend,
    resolve_backend,
)
from bddsudoku.engine.protocol import Compiled, DiagramEngine
from bddsudoku.errors import LimitReached
from bddsudoku.model.allocation import forward_check
from bddsudoku.model.connectivity import why_no_diagram
from bddsudoku.model.constraints import Constraint, OneHot
from bddsudoku.model.model import Model
from bddsudoku.model.schedules import Schedule, make_puzzle_schedule, make_schedule
from bddsudoku.model.to_mdd import constraint_mdd
from bddsudoku.number_text import format_size
from bddsudoku.work.processes import ProcessEndedError, run_isolated
from bddsudoku.work.resources import unused_memory
from bddsudoku.work.task import function_path

if TYPE_CHECKING:
    from bddsudoku.diagrams.zdd import Diagram


_COUNTED_IN_PYTHON = 100_000


@dataclass(frozen=True, slots=True)
class ConjunctionStep:
    """One step of a build, in which a constraint is conjoined with the BDD of those before it.

    Attributes:
        position: position of the constraint in ``Model.constraints``.
        family: family of the constraint.
        label: label of the constraint.
        nodes: nodes of the product after this step, without terminals.
        seconds: time to make the constraint's BDD, conjoin it and free the previous product,
            without counting the nodes.
    """

    position: int
    family: str
    label: str
    nodes: int
    seconds: float


@dataclass(frozen=True)
class BuildResult:
    """The BDD of a model, with the trace and the cost of its construction.

    Attributes:
        backend: name of the backend.
        backend_version: version of the package.
        schedule: name of the schedule.
        variables: number of variables.
        steps: the trace.
        nodes: nodes of the final BDD, without terminals (and with complement edges, as in CUDD).
        seconds: sum over the steps.
        cpu_seconds: processor time of the steps, less disturbed by other work on the host.
        wall_seconds: time with the manager's start and the counting of nodes between steps.
        memory: bytes in use by the manager at the end, as the backend reports them.
        peak_rss: largest resident set of the building process in bytes; None where unknown.
        keys: the key of each level's variable.
    """

    backend: str
    backend_version: str
    schedule: str
    variables: int
    steps: tuple[ConjunctionStep, ...]
    nodes: int
    seconds: float
    cpu_seconds: float
    wall_seconds: float
    memory: int
    peak_rss: int | None
    keys: tuple[int, ...] = field(repr=False)
    _nodes: BddArrays | Callable[[], BddArrays] | None = field(
        default=None, repr=False, compare=False
    )

    @property
    def peak_nodes(self) -> int:
        """Number of nodes of the largest BDD after any step, without terminals."""
        return max((s.nodes for s in self.steps), default=0)

    @cached_property
    def arrays(self) -> BddArrays:
        """The nodes of the final BDD.

        Raises:
            ValueError: the build was called with ``keep=False``.
        """
        if self._nodes is None:
            raise ValueError("this build was asked not to keep its nodes")
        return self._nodes() if callable(self._nodes) else self._nodes

    @cached_property
    def _diagram(self) -> Diagram:
        """The canonical ZDD of the solutions, converted once."""
        return self.arrays.diagram(self.keys)

    def diagram(self) -> Diagram:
        """The solutions as a canonical ZDD over the model's variables in their order."""
        return self._diagram

    def count(self) -> int:
        """Number of solutions, exact for any size.

        Small BDDs are counted in Python, large ones on their ZDD, whose compiled functions take
        half a second to load.
        """
        if self.nodes < _COUNTED_IN_PYTHON:
            return self.arrays.model_count()
        from bddsudoku.diagrams.counting import Counts

        return Counts(self.diagram()).total


def steps_to_json(steps: Sequence[ConjunctionStep]) -> list[dict[str, Any]]:
    """The trace of a build as a list of dictionaries for JSON."""
    return [
        {"constraint": f"{s.family} {s.label}"} | asdict(s) | {"seconds": round(s.seconds, 6)}
        for s in steps
    ]


def one_hot_bdd(backend: Backend, constraint: OneHot) -> Function:
    """Make the BDD of a one-hot constraint, bottom-up over its variables.

    Two functions are extended together: "none so far" (one of the remaining variables must be 1)
    and "exactly one so far" (the remaining ones must all be 0). They have 2k - 2 nodes for k
    variables from two on (the lowest two share one, complemented).
    """
    if constraint.total < 0:
        return backend.constant(False)
    one = backend.constant(True)
    none = backend.constant(constraint.at_most)
    false = backend.constant(False)
    for variable in reversed(constraint.variables):
        none = backend.node(variable, none, one)
        one = backend.node(variable, one, false)
    return none if constraint.total == 1 else one


def constraint_bdd(backend: Backend, constraint: Constraint, check: MemoryCheck) -> Function:
    """Make the BDD of a constraint of any kind over its variables, in the order of the model.

    One-hot constraints are made directly, others from their MDD for that order, bottom-up.

    Args:
        backend: the manager that makes the nodes.
        constraint: a constraint of any kind.
        check: called with the additional bytes while an MDD is made; may raise.

    Raises:
        LimitReached: an MDD is too wide (the message names the constraint), or the manager's
            memory is exhausted.
    """
    if isinstance(constraint, OneHot):
        return one_hot_bdd(backend, constraint)
    levels = [[v] for v in constraint.variables]
    variable, low, high, root = constraint_mdd(constraint, levels, check=check).bdd()
    made = [backend.constant(False), backend.constant(True)]
    for v, below, above in zip(variable.tolist(), low.tolist(), high.tolist(), strict=True):
        made.append(backend.node(v, made[below], made[above]))
    return made[root]


DEFAULT_MEMORY = 4 << 30
"""Bytes for the manager when no limit is given."""
_SPARE_BYTES = 0.06
"""Fraction of the memory withheld from the manager, for tables being doubled and the trace."""

OnStep: TypeAlias = Callable[[ConjunctionStep], None]


@dataclass(frozen=True)
class BuildJob:
    """What to conjoin, and how: arguments of a build, for the process that carries it out."""

    model: Model
    plan: Schedule
    backend: str
    context: Context
    keep: bool

    def limit_error(
        self,
        error: LimitReached,
        steps: Sequence[ConjunctionStep],
        step_index: int,
        details: dict[str, Any],
    ) -> LimitReached:
        """Make the error for a limit; its message names the limit, the step and the peak so far."""
        context = self.context
        allowed = {
            "memory": f" of {format_size(context.max_memory or DEFAULT_MEMORY)}",
            "nodes": f" of {context.nodes:,}" if context.nodes is not None else "",
            "time": f" of {context.time_limit:g} s" if context.time_limit is not None else "",
        }.get(error.limit, "")
        place = "before the first step"
        if step_index < len(self.plan):
            c = self.model.constraints[self.plan.positions[step_index]]
            place = f"in step {step_index + 1} of {len(self.plan)} ({c.family} {c.label})"
        elif steps:
            place = "after the last step"
        size = max((s.nodes for s in steps), default=0)
        message = f"{error.limit} limit{allowed} reached {place}, peak so far {size:,} nodes"
        return LimitReached(
            message if error.limit == "time" else f"{message}: {error}",
            limit=error.limit,
            trace=tuple(steps),
            details={"backend": self.backend} | details,
        )


def build(
    model: Model,
    order: Schedule | Sequence[int] | None = None,
    *,
    backend: str | None = None,
    context: Context = UNLIMITED,
    on_step: OnStep | None = None,
    keep: bool = True,
    isolated: bool = False,
) -> BuildResult:
    """Build the BDD of a model as the conjunction of the BDDs of all its constraints.

    In this process a single conjunction can run for minutes, during which neither Ctrl-C nor the
    time limit has an effect. An isolated process costs some 0.4 s; the time limit and Ctrl-C end it
    at once, and the memory limit is that of the whole process: the manager gets what the
    interpreter does not need, and the process is ended when it exceeds the limit.

    Args:
        model: the model; its variables in their order are the BDD's levels.
        order: schedule, positions, or None for the order of the model.
        backend: ``cudd``, ``oxidd``; None for the first that is installed.
        context: limits of time, memory and nodes.
        on_step: called after every step, outside the measured time.
        keep: keep the final BDD's nodes, so that the result can count and export them.
        isolated: whether to build in an isolated process.

    Raises:
        LimitReached: with the finished steps as ``trace``.
        ProcessEndedError: the process crashed or was ended from outside.
        ScheduleError: the schedule does not fit the model.
        BackendUnavailable: the backend is not installed.
    """
    job = BuildJob(model, make_schedule(model, order), resolve_backend(backend), context, keep)
    report_step = on_step or (lambda step: None)
    return (
        _conjoin_in_child(job, report_step)
        if isolated
        else _conjoin_locally(job, context.max_memory, report_step)
    )


def _conjoin_locally(job: BuildJob, memory: int | None, on_step: OnStep) -> BuildResult:
    model, context = job.model, job.context
    steps: list[ConjunctionStep] = []
    cpu_seconds = 0.0
    manager: Backend | None = None
    begin = time.perf_counter()
    try:
        manager = make_backend(job.backend, len(model.variables), memory or DEFAULT_MEMORY)
        product = manager.constant(True)
        for position in job.plan:
            constraint = model.constraints[position]
            context.check()
            start, cpu_start = time.perf_counter(), time.process_time()
            product = manager.conjoin(
                product, constraint_bdd(manager, constraint, context.memory_checker())
            )
            seconds = time.perf_counter() - start
            cpu_seconds += time.process_time() - cpu_start
            nodes = manager.node_count(product)
            step = ConjunctionStep(position, constraint.family, constraint.label, nodes, seconds)
            steps.append(step)
            on_step(step)
            if context.nodes is not None and nodes > context.nodes:
                raise LimitReached(f"the product has {nodes:,} nodes", limit="nodes")
        nodes = manager.node_count(product)
        memory_used = manager.memory()
    except LimitReached as stop:
        # Free the product and the frames that refer to its factors, then the manager.
        product = stop.__traceback__ = None
        if manager is not None:
            manager.keep_if_damaged()
        at = len(steps) - (stop.limit == "nodes")
        raise job.limit_error(stop, steps, at, {"peak_rss": peak_rss()}) from None
    return BuildResult(
        backend=manager.name,
        backend_version=manager.version,
        schedule=job.plan.name,
        variables=len(model.variables),
        steps=tuple(steps),
        nodes=nodes,
        seconds=sum(s.seconds for s in steps),
        cpu_seconds=cpu_seconds,
        wall_seconds=time.perf_counter() - begin,
        memory=memory_used,
        peak_rss=peak_rss(),
        keys=tuple(v.key for v in model.variables),
        _nodes=(lambda: manager.export(product)) if job.keep else None,
    )


def _conjoin_in_child(job: BuildJob, on_step: OnStep) -> BuildResult:
    """Conjoin in an isolated process; pass on its steps and its errors."""
    steps: list[ConjunctionStep] = []

    def arrived(step: ConjunctionStep) -> None:
        steps.append(step)
        on_step(step)

    try:
        result = run_isolated(
            function_path(_conjoin_as_child),
            job,
            memory=job.context.max_memory,
            seconds=job.context.seconds_left,
            on_message=arrived,
            bound_address_space=job.backend != "oxidd",  # its threads reserve a gigabyte of stack
        )
    except LimitReached as stop:
        if stop.trace is None:  # the child was ended before it could send its own error
            raise job.limit_error(stop, steps, len(steps), stop.details) from None
        raise
    except ProcessEndedError as end:
        raise ProcessEndedError(
            f"the build stopped after step {len(steps)} of {len(job.plan)}: {end}", end.returncode
        ) from None
    assert isinstance(result, BuildResult)
    return result


def _conjoin_as_child(job: BuildJob, send: OnStep) -> BuildResult:
    """Conjoin in the isolated process that :func:`_conjoin_in_child` has started."""
    memory = job.context.max_memory
    if memory is not None:
        import_backend(job.backend)  # first, so that its modules' memory is accounted for
        memory = int(unused_memory(memory) * (1 - _SPARE_BYTES))
    context = replace(job.context, time_limit=None, deadline=None)
    result = _conjoin_locally(replace(job, context=context), memory, send)
    return replace(result, _nodes=result.arrays if job.keep else None)


def peak_rss() -> int | None:
    """Largest resident set of this process so far in bytes; None where it is not available."""
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


class BddEngine(DiagramEngine):
    """The engine ``bdd``: conjunction in the default schedule of the puzzle."""

    name: ClassVar[str] = "bdd"

    def refuses(self, model: Model) -> str | None:
        """Refuse connected regions on wide boards, and regions to be found."""
        return why_no_diagram(model.constraints)

    def count(self, model: Model, context: Context) -> int:
        """Count the satisfying assignments of the BDD of the model after forward checking."""
        # A contradiction is seen at once; a product would grow until its order reaches it.
        if model.is_contradictory:
            return 0
        return self._build_model(forward_check(model), context).count()

    def diagram(self, model: Model, context: Context, *, order: str = "auto") -> Compiled:
        """Build the BDD and convert it to a ZDD; ``order`` is the name of a schedule."""
        model = forward_check(model)
        built = self._build_model(model, context, None if order == "auto" else order)
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
    def _build_model(model: Model, context: Context, order: str | None = None) -> BuildResult:
        report = context.check_and_report
        plan = make_puzzle_schedule(model, order)
        done = 0

        def step(_: ConjunctionStep) -> None:
            nonlocal done
            done += 1
            report(done, len(plan))

        return build(model, plan, context=context, on_step=step, isolated=True)

    def warm_up(self) -> None:
        """Do nothing: every build runs in a fresh process."""
