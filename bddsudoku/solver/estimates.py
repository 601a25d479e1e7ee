"""Estimates of the counts of puzzles and problems, by random descents of the search."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from bddsudoku.argument_types import check_types
from bddsudoku.context import UNLIMITED, Context, SharedLimits, limited
from bddsudoku.engine.estimate import Estimate
from bddsudoku.engine.protocol import require_engine
from bddsudoku.engine.search.interval import estimate_model, estimate_shares
from bddsudoku.errors import BddSudokuError, LimitReached
from bddsudoku.puzzle.sudoku.grid import Puzzle, PuzzleRecord
from bddsudoku.puzzle.sudoku.sudoku_model import allocate
from bddsudoku.solver.puzzle_lists import add_rules
from bddsudoku.solver.question import (
    QuestionLike,
    limit_record,
    make_question,
    read_subject,
)

if TYPE_CHECKING:
    from bddsudoku.jit.decorators import F64
    from bddsudoku.solver.puzzle_lists import RuleLines
    from bddsudoku.solver.sources import Chunk


@check_types
def estimate(
    subject: QuestionLike,
    precision: float = 0.02,
    *,
    seed: int = 0,
    jobs: int | None = None,
    **limits: Unpack[SharedLimits],
) -> Estimate:
    """Estimate the number of solutions by random descents, where no engine can count them.

    The expected value of an estimate is the number itself.

    Args:
        subject: a puzzle in any form, a problem, a model: whatever the engine ``search`` takes.
        precision: half the width of the 95 % interval relative to the number, at which descents
            end; or when their budget of steps is used up (that of the context, by default some
            minutes of one core).
        seed: the same seed gives the same estimate, on any number of cores.
        jobs: threads; by default as many as there are cores.
        limits: ``max_memory``, ``time_limit``, ``progress``, ``context``: see
            :class:`bddsudoku.context.SharedLimits`.

    Raises:
        LimitReached: the time is used up; ``details["known"]`` has what was known then.
        BddSudokuError: the search does not take this, or solutions are projected.
        ValueError: a precision that is not above 0.

    >>> estimate("1...............").estimate
    72
    """
    context = limited(**limits)
    if not precision > 0:
        raise ValueError(f"expected a precision above 0, found {precision}")
    subject = read_subject(subject)
    if isinstance(subject, PuzzleRecord):
        raise BddSudokuError(f"{subject.source}: a saved set is counted exactly, not estimated")
    question = make_question(subject)
    if question.projection is not None:
        raise BddSudokuError("a projection is not estimated: descents may meet a solution twice")
    require_engine("search", question.model)
    return estimate_model(question.model, precision, context, seed=seed, jobs=jobs)


def estimate_puzzles(
    chunk: Chunk,
    context: Context = UNLIMITED,
    *,
    precision: float,
    seed: int = 0,
    jobs: int | None = None,
    rules: RuleLines | None = None,
) -> Iterator[dict[str, Any]]:
    """Estimate the count of each puzzle of a chunk; yield a record for each.

    Where a limit other than the time ended it, or it is not known enough: ``limit`` says so.

    Args:
        chunk: the puzzles.
        precision, seed, jobs: as for :func:`estimate`.
        rules: a file of rules that all puzzles have.
    """
    for record in chunk:
        subject = record.puzzle if record.saved is None else record
        if rules is not None:
            subject = add_rules(record, rules).puzzle
        try:
            found = estimate(subject, precision, seed=seed, jobs=jobs, context=context)
        except LimitReached as stop:
            if stop.limit == "time":
                raise
            yield limit_record(stop)
        else:
            yield found.record()


def estimate_marginals(
    puzzle: Puzzle, context: Context, *, precision: float, seed: int
) -> tuple[Estimate, F64, F64]:
    """Estimate in which share of a puzzle's solutions each digit stands in each cell.

    Returns:
        The estimate of their number; shares from 0 to 1, and their standard errors, each of shape
        (rows, columns, digits), or (cells, digits) where cells stand outside the grid. Without a
        solution that was met all are 0.

    Raises:
        LimitReached: the time is used up.
        BddSudokuError: the search does not take the puzzle.
    """
    model, layout = allocate(puzzle), puzzle.layout
    require_engine("search", model)
    found, keys, shares, errors = estimate_shares(model, precision, context, seed=seed)
    both = np.zeros((2, *layout.array_shape))
    both.reshape(2, -1)[:, keys] = shares, errors
    return found, both[0], both[1]
