"""Cube-and-conquer: one hard count divided into independent parts, whose results are added.

A model is split into cubes (partial assignments) by branching on the variables of an "exactly one"
group. The cube with the largest predicted count is branched again until there are enough cubes and
none is much larger than the others. The prediction uses only the sizes of the groups.

Each part is counted by the engine that fits it; the question's model is made once a process. A
classic board, which bands count in a second, is not split.
"""

from __future__ import annotations

import heapq
import pickle
import time
from collections import Counter
from collections.abc import Iterable, Set
from dataclasses import replace
from functools import lru_cache
from itertools import count as count_from
from math import exp, log
from typing import TYPE_CHECKING, Any, Unpack

from bddsudoku.argument_types import check_types
from bddsudoku.context import UNLIMITED, Context, SharedLimits, limited
from bddsudoku.engine.classic_board import why_not_classic
from bddsudoku.engine.portfolio import first_successful_probe
from bddsudoku.errors import BddSudokuError
from bddsudoku.model.allocation import forward_check, substitute, unit_propagate
from bddsudoku.model.model import Model
from bddsudoku.puzzle.sudoku.grid import Puzzle, PuzzleRecord
from bddsudoku.solver.dispatch import count_detailed
from bddsudoku.solver.question import (
    CountResult,
    ModelProvider,
    Question,
    QuestionLike,
    make_question,
    read_subject,
)
from bddsudoku.work.processes import open_runner
from bddsudoku.work.task import Task, TaskContext, function_path, pickle_canonically

if TYPE_CHECKING:
    from bddsudoku.work.cluster import Client
    from bddsudoku.work.journal import Journal
    from bddsudoku.work.runner import Runner

SplittableQuestion = Puzzle | ModelProvider | Model | Question
PARTS = 64
"""Number of parts, the same for every number of workers, so that a journal fits."""
MAX_IMBALANCE = 4.0
"""A cube is branched again while its predicted count is more than this multiple of the average."""
MAX_PARTS_FACTOR = 4
"""There are at most this many times the requested number of parts."""


Cube = tuple[tuple[int, bool], ...]
"""A cube: a partial assignment, as keys of variables and their truth values."""


def split_into_cubes(
    model: Model,
    parts: int,
    context: Context = UNLIMITED,
    projection: Set[int] | None = None,
) -> list[Cube]:
    """Split a model into disjoint cubes that together have all its solutions.

    Args:
        model: of any kind.
        parts: minimum number of cubes, as long as there are variables to branch on.
        projection: keys of the variables that may be branched on; None for all. Projected counts
            of cubes can be added only if the cubes differ in projected variables.

    Cost: unit propagation for each cube, some 10 ms for boards with 16×16 cells.
    """
    heap: list[tuple[float, int, Cube, Model]] = []
    done: list[Cube] = []
    numbers = count_from(1)

    def push(cube: Cube, part: Model) -> None:
        if not part.is_contradictory:
            heapq.heappush(heap, (-_estimate_log_count(part), next(numbers), cube, part))

    push((), assume(model, ()))
    while heap and (size := len(heap) + len(done)) < MAX_PARTS_FACTOR * parts:
        largest = -heap[0][0]
        average = sum(exp(-left - largest) for left, *_ in heap) / size
        if size >= parts and MAX_IMBALANCE * average >= 1.0:
            break
        context.check("while the question was split")
        _, _, cube, part = heapq.heappop(heap)
        literals = _branching_literals(part, projection)
        if not literals:
            done.append(cube)
        for literal in literals:
            push((*cube, literal), assume(part, (literal,)))
    return done + [cube for _, _, cube, _ in heap]


def assume(model: Model, cube: Iterable[tuple[int, bool]]) -> Model:
    """The model under the assignments of a cube, simplified by unit propagation."""
    if cube:
        place = model.position_by_key
        true, false = (
            [place[key] for key, holds in cube if holds is truth] for truth in (True, False)
        )
        model = substitute(model, true, (), false)
    return unit_propagate(forward_check(model))


def _branching_literals(model: Model, projection: Set[int] | None) -> list[tuple[int, bool]]:
    """The literals to branch on: a smallest exactly-one group, or a variable and its negation."""
    may_branch = [projection is None or v.key in projection for v in model.variables]
    groups = [c.variables for c in model.one_hots if not c.at_most and c.total == 1]
    if choices := [
        group for group in groups if len(group) > 1 and all(may_branch[v] for v in group)
    ]:
        return [(model.variables[v].key, True) for v in min(choices, key=len)]
    held = Counter(v for c in model.other_constraints for v in c.variables if may_branch[v])
    return [(model.variables[v].key, way) for v, _ in held.most_common(1) for way in (True, False)]


def _estimate_log_count(model: Model) -> float:
    """Estimate the logarithm of a model's solution count from its exactly-one constraints.

    The sum over the groups is divided by the average number of groups that a variable is in.
    """
    groups = [len(c.variables) for c in model.one_hots if not c.at_most and c.variables]
    shared = max(sum(groups) / max(len(model.variables), 1), 1.0)
    return sum(map(log, groups)) / shared + len(model.variables_outside_exact_items) * log(2.0)


# -- what workers do -------------------------------------------------------------------------------

CubeJob = tuple[bytes, Cube]
"""The pickled question, the same bytes for all parts, and the cube of this part."""


@lru_cache(maxsize=4)
def _unpickle_question(data: bytes) -> Question:
    """The model, decoder and projection of a pickled puzzle, problem or model, cached."""
    return make_question(pickle.loads(data))


def count_cube(job: CubeJob, task_context: TaskContext) -> int:
    """Worker task: count the solutions under the assumptions of one cube."""
    question = _unpickle_question(job[0])
    question = replace(question, model=assume(question.model, job[1]))
    return count_detailed(question, context=task_context.context.without_progress).count


# -- who asks --------------------------------------------------------------------------------------


def count_in_parts(
    subject: SplittableQuestion,
    runner: Runner,
    context: Context = UNLIMITED,
) -> CountResult:
    """Count solutions exactly as a sum over disjoint parts, each a task of a runner.

    Raises:
        LimitReached: a limit ended it.
        BddSudokuError: the question cannot be sent to other processes.
    """
    begin = time.perf_counter()
    question = make_question(subject)
    tried = first_successful_probe(question.model, context) if question.projection is None else None
    if tried is not None:
        number, name, why = tried[1].count, tried[0].name, tried[1].why
    elif question.projection is None and why_not_classic(question.model) is None:
        return count_detailed(question, context=context.without_progress)
    else:
        data = pickle_canonically(subject)
        cubes = split_into_cubes(question.model, PARTS, context, question.projection)
        path = function_path(count_cube)
        tasks = [Task(path, (data, cube), context.max_memory) for cube in cubes]
        runner_context = context.with_progress(
            lambda done, _: context.report_progress(done, len(tasks))
        )
        found: list[Any] = [one.result() for one in runner.run(tasks, context=runner_context)]
        number, name, why = sum(found), "parts", f"{len(tasks):,} parts"
    return CountResult(number, name, why, time.perf_counter() - begin)


@check_types
def count(
    subject: QuestionLike,
    engine: str = "auto",
    *,
    jobs: int | None = None,
    client: Client | Runner | None = None,
    journal: Journal | None = None,
    limit: int | None = None,
    **limits: Unpack[SharedLimits],
) -> int:
    """The exact number of solutions, as an int of any size.

    Args:
        subject: a puzzle in any form (:data:`.sources.PuzzleLike`) and of any layout (0 for
            contradictory hints), a saved set, an exact cover, a tiling, …
        engine: ``auto`` takes the cheapest by prediction.
        jobs: local processes that count in parts; by default this process counts, on as many
            threads as the engine uses.
        client: a ``distributed.Client`` whose workers count; takes precedence over ``jobs``.
        journal: stores the results of parts, with ``jobs`` or ``client``.
        limit: count no further than this (2 tells whether a solution is the only one).
        limits: ``max_memory``, ``time_limit``, ``progress``, ``context``: see
            :class:`bddsudoku.context.SharedLimits`.

    Raises:
        LimitReached: a limit ended the count, or the cluster was lost.
        BddSudokuError: an engine was named together with ``jobs``, ``client`` or ``journal``.

    >>> count("1..............."), count("1...............", limit=2)
    (72, 2)
    """
    context = limited(**limits)
    subject = read_subject(subject)
    is_shared = client is not None or journal is not None or (jobs or 1) > 1
    if isinstance(subject, PuzzleRecord) or not is_shared:
        return count_detailed(subject, engine, context, limit=limit).count
    if engine != "auto":
        raise BddSudokuError(f"parts choose engines of their own: {engine!r} cannot be named")
    with open_runner(jobs, client, journal) as runner:
        number = count_in_parts(subject, runner, context).count
    return number if limit is None else min(number, limit)
