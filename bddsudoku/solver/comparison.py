"""Comparing engines by their counts, and the paper's procedures."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import cache
from itertools import count
from typing import Any, Unpack

from bddsudoku.argument_types import check_types
from bddsudoku.context import UNLIMITED, Context, Limits, Progress, TimeAndMemory, limited
from bddsudoku.engine.conjunction.engine import BuildResult, ConjunctionStep, build
from bddsudoku.engine.protocol import (
    DiagramEngine,
    Engine,
    ListingEngine,
    engines_that_take,
    find_engine,
    require_engine,
)
from bddsudoku.errors import BddSudokuError, LimitReached
from bddsudoku.model.allocation import Allocation
from bddsudoku.model.model import Model
from bddsudoku.model.schedules import Order, make_puzzle_schedule
from bddsudoku.puzzle.sudoku.sudoku_decoder import SudokuDecoder
from bddsudoku.puzzle.sudoku.sudoku_model import allocate
from bddsudoku.sets.gridset import GridSet
from bddsudoku.solver.answers import Agreement, EngineRun, compare_counts
from bddsudoku.solver.dispatch import count_detailed
from bddsudoku.solver.question import QuestionLike, make_question
from bddsudoku.solver.sources import PuzzleLike, as_puzzle


@cache
def warm_up(engine: str) -> float:
    """Load or compile an engine's machine code, once per process; return the seconds it took.

    Times measured afterwards do not include compilation.
    """
    begin = time.perf_counter()
    find_engine(engine).warm_up()
    return time.perf_counter() - begin


@check_types
def check(
    subject: QuestionLike,
    engines: Sequence[str] | None = None,
    context: Context = UNLIMITED,
    progress: Callable[[str], Progress | None] = lambda name: None,
    *,
    each: float | None = None,
    saved: int | None = None,
    **limits: Unpack[TimeAndMemory],
) -> Agreement:
    """Count solutions with every engine that accepts the puzzle or model; compare the counts.

    A projection is counted only by engines that can make a set.

    Args:
        subject: a puzzle in any form, a problem, a model.
        engines: names of engines; by default all that accept the model.
        progress: makes a progress callback for an engine.
        each: time limit in seconds for each engine, besides the context's.
        saved: the count of a saved set, compared with the others.

    """
    context = limited(context, **limits)
    question = make_question(subject)
    model = question.model
    required_interface = Engine if question.projection is None else DiagramEngine | ListingEngine
    names = engines or [
        e.name for e in engines_that_take(model, Engine) if isinstance(e, required_interface)
    ]
    runs = [] if saved is None else [EngineRun("saved", saved, None, 0.0)]
    for done, name in enumerate(names):
        found, limit = None, None
        begin = time.perf_counter()
        try:
            require_engine(name, model)
            warm_up(name)  # which no run's time limit pays for
            begin = time.perf_counter()
            engine_context = context.time_slice(len(names) - done).with_timeout(each)
            engine_context = engine_context.with_progress(progress(name))
            found = count_detailed(question, name, engine_context).count
        except LimitReached as stop:
            limit = stop.limit
        except BddSudokuError as error:
            limit = str(error)
        runs.append(EngineRun(name, found, limit, time.perf_counter() - begin))
    return compare_counts(runs)


# -- the paper's procedures ------------------------------------------------------------------------


@check_types
def build_puzzle(
    puzzle: PuzzleLike,
    *,
    procedure: int = 3,
    schedule: str | Order | Sequence[int] | None = None,
    allocation: Allocation | str = Allocation.PAPER,
    **options: Any,
) -> BuildResult:
    """Build a puzzle's BDD as in Tateishi & Minato, section 4, with the trace of every step.

    Args:
        puzzle: in any form, of any layout.
        procedure: 1, 2 or 3 of the paper (section 4.1).
        schedule: another order of conjunction instead (text, function or positions; see
            :mod:`bddsudoku.model.schedules`).
        allocation: which variables exist.
        options: ``backend``, ``context``, ``on_step``, ``isolated``, ``keep`` of
            :func:`build_model`.

    Raises:
        LimitReached: with the steps done so far as ``trace``.
        ScheduleError: the schedule cannot be read, or does not hold every constraint once.
        BackendUnavailable: the backend is not installed.
    """
    model = allocate(as_puzzle(puzzle), allocation)
    return build_model(model, procedure if schedule is None else schedule, **options)


@check_types
def build_model(
    model: Model,
    schedule: int | str | Order | Sequence[int] | None = None,
    *,
    backend: str | None = None,
    context: Context = UNLIMITED,
    on_step: Callable[[ConjunctionStep], None] | None = None,
    isolated: bool = True,
    keep: bool = True,
    **limits: Unpack[Limits],
) -> BuildResult:
    """Build the BDD of any model by conjunction, with the trace of every step.

    Args:
        model: constraints of any kind; its variables in their order are the BDD's levels.
        schedule: order in which constraints are conjoined; by default the model's.
        backend: ``cudd``, ``oxidd``; None for the first that is installed.
        on_step: called with every step.
        isolated: build in a process of its own, which a limit or Ctrl-C ends at any moment.
        keep: keep the final BDD's nodes, for its count, diagram and solutions.

    Raises: as :func:`build_puzzle`.
    """
    context = limited(context, **limits)
    plan = make_puzzle_schedule(model, schedule)
    done = count(1)

    def step(finished: ConjunctionStep) -> None:
        if on_step is not None:
            on_step(finished)
        context.check_and_report(next(done), len(plan))

    return build(
        model, plan, backend=backend, context=context, on_step=step, isolated=isolated, keep=keep
    )


@check_types
def solutions_from_build(
    puzzle: PuzzleLike, result: BuildResult, allocation: Allocation | str = Allocation.PAPER
) -> GridSet:
    """The set of all solutions of a puzzle, from its finished BDD.

    Iteration goes through the BDD one grid at a time, in lexicographic order of the grids' lines.

    Args:
        puzzle: the puzzle that was built.
        result: of :func:`build_puzzle`, with its nodes kept.
        allocation: the allocation it was built under.
    """
    puzzle, diagram = as_puzzle(puzzle), result.diagram()
    fixed = [] if diagram.is_empty else [v.key for v in allocate(puzzle, allocation).fixed]
    return GridSet(diagram, SudokuDecoder(puzzle), fixed=fixed)
