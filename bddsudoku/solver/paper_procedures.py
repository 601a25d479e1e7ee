"""Building a puzzle's BDD by conjunction, with the procedures of Tateishi & Minato."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import count
from typing import Any

from bddsudoku.context import UNLIMITED, Context
from bddsudoku.engine.conjunction.engine import BuildResult, ConjunctionStep, build
from bddsudoku.model.allocation import Allocation
from bddsudoku.model.model import Model
from bddsudoku.model.ordering import Order, make_puzzle_schedule
from bddsudoku.puzzle.sudoku.grid import Puzzle
from bddsudoku.puzzle.sudoku.sudoku_decoder import SudokuDecoder
from bddsudoku.puzzle.sudoku.sudoku_model import allocate
from bddsudoku.sets.gridset import GridSet


def build_puzzle(
    puzzle: Puzzle,
    *,
    procedure: int = 3,
    schedule: str | Order | Sequence[int] | None = None,
    allocation: Allocation | str = Allocation.PAPER,
    **options: Any,
) -> BuildResult:
    """Build a puzzle's BDD as in Tateishi & Minato, section 4, with the trace of every step.

    Args:
        puzzle: of any layout.
        procedure: 1, 2 or 3 of the paper (section 4.1).
        schedule: another order of conjunction instead (text, function or positions; see
            :mod:`bddsudoku.model.ordering`).
        allocation: which variables exist.
        options: ``backend``, ``context``, ``on_step``, ``isolated``, ``keep`` of
            :func:`build_model`.

    Raises:
        LimitReached: with the steps done so far as ``trace``.
        ScheduleError: the schedule cannot be read, or does not hold every constraint once.
        BackendUnavailable: the backend is not installed.
    """
    model = allocate(puzzle, allocation)
    return build_model(model, procedure if schedule is None else schedule, **options)


def build_model(
    model: Model,
    schedule: int | str | Order | Sequence[int] | None = None,
    *,
    backend: str | None = None,
    context: Context = UNLIMITED,
    on_step: Callable[[ConjunctionStep], None] | None = None,
    isolated: bool = True,
    keep: bool = True,
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
    plan = make_puzzle_schedule(model, schedule)
    done = count(1)

    def step(finished: ConjunctionStep) -> None:
        if on_step is not None:
            on_step(finished)
        context.check_and_report(next(done), len(plan))

    return build(
        model, plan, backend=backend, context=context, on_step=step, isolated=isolated, keep=keep
    )


def solutions_from_build(
    puzzle: Puzzle, result: BuildResult, allocation: Allocation | str = Allocation.PAPER
) -> GridSet:
    """The set of all solutions of a puzzle, from its finished BDD.

    Iteration goes through the BDD one grid at a time, in lexicographic order of the grids' lines.

    Args:
        puzzle: the puzzle that was built.
        result: of :func:`build_puzzle`, with its nodes kept.
        allocation: the allocation it was built under.
    """
    diagram = result.diagram()
    fixed = [] if diagram.is_empty else [v.key for v in allocate(puzzle, allocation).fixed]
    return GridSet(diagram, SudokuDecoder(puzzle), fixed=fixed)
