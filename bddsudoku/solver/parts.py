"""Cube-and-conquer: one hard count divided into independent parts, whose results are added.

A classic board is counted by bands, and its parts are parts of their outermost sum. Any other model
is split into cubes (partial assignments) by branching on the variables of an "exactly one" group.
The cube with the largest predicted count is branched again until there are enough cubes and none is
much larger than the others. The prediction uses only the sizes of the groups.

Each part is counted by the engine that fits it. Tables common to the parts of one question are made
once a process (:mod:`bddsudoku.engine.bands.sharing`; in this module, the question's model).
"""

from __future__ import annotations

import heapq
import pickle
import time
from collections import Counter
from collections.abc import Iterable, Sequence, Set
from dataclasses import replace
from functools import lru_cache
from itertools import count as count_from
from math import exp, log
from typing import TYPE_CHECKING, Any

import numpy as np

from bddsudoku.context import UNLIMITED, Context, Progress
from bddsudoku.engine.classic import masks_of, strange_to_ordinary
from bddsudoku.engine.portfolio import short_trial
from bddsudoku.errors import BddSudokuError
from bddsudoku.jit.decorators import AnyArray
from bddsudoku.model.model import Model
from bddsudoku.model.propagation import candidates, singles, substitute
from bddsudoku.puzzle.sudoku.grid import Puzzle
from bddsudoku.solver.ask import counted, solved
from bddsudoku.solver.question import Askable, Counted, Question, question_of
from bddsudoku.work.task import Home, Task, pickled
from bddsudoku.work.workers import runner_for

if TYPE_CHECKING:
    from bddsudoku.engine.bands.sharing import Part, Shared, Summed
    from bddsudoku.work.cluster import Client
    from bddsudoku.work.journal import Journal
    from bddsudoku.work.runner import Runner

Asked = Puzzle | Askable | Model
PARTS = 64
"""Default number of parts, the same for every number of workers, so that a journal fits."""
UNEVEN = 4.0
"""A cube is branched again while its predicted count is more than this multiple of the average."""
MOST = 4
"""There are at most this many times the requested number of parts."""


Told = tuple[tuple[int, bool], ...]
"""A cube: a partial assignment, as keys of variables and their truth values."""


def branched(
    model: Model,
    parts: int,
    context: Context = UNLIMITED,
    projection: Set[int] | None = None,
) -> list[Told]:
    """Split a model into disjoint cubes that together have all its solutions.

    Args:
        model: of any kind.
        parts: minimum number of cubes, as long as there are variables to branch on.
        projection: keys of the variables that may be branched on; None for all. Projected counts
            of cubes can be added only if the cubes differ in projected variables.

    Cost: unit propagation for each cube, some 10 ms for boards with 16×16 cells.
    """
    heap: list[tuple[float, int, Told, Model]] = []
    done: list[Told] = []
    numbers = count_from(1)

    def add(told: Told, part: Model) -> None:
        if not part.is_contradictory:
            heapq.heappush(heap, (-_left(part), next(numbers), told, part))

    add((), told_of(model, ()))
    while heap and (size := len(heap) + len(done)) < MOST * parts:
        largest = -heap[0][0]
        average = sum(exp(-left - largest) for left, *_ in heap) / size
        if size >= parts and UNEVEN * average >= 1.0:
            break
        context.check("while the question was split")
        _, _, told, part = heapq.heappop(heap)
        ways = _ways(part, projection)
        if not ways:
            done.append(told)
        for way in ways:
            add((*told, way), told_of(part, (way,)))
    return done + [told for _, _, told, _ in heap]


def told_of(model: Model, told: Iterable[tuple[int, bool]]) -> Model:
    """A model under the assumptions of a cube, after unit propagation."""
    if told:
        place = model.index_of_key
        true, false = ([place[key] for key, holds in told if holds is way] for way in (True, False))
        model = substitute(model, true, (), false)
    return singles(candidates(model))


def _ways(model: Model, projection: Set[int] | None) -> list[tuple[int, bool]]:
    """The literals to branch on: the members of the smallest group, or a variable both ways."""
    free = [projection is None or v.key in projection for v in model.variables]
    groups = [c.variables for _, c in model.one_hots if not c.at_most and c.total == 1]
    if choices := [group for group in groups if len(group) > 1 and all(free[v] for v in group)]:
        return [(model.variables[v].key, True) for v in min(choices, key=len)]
    held = Counter(v for _, c in model.demands for v in c.variables if free[v])
    return [(model.variables[v].key, way) for v, _ in held.most_common(1) for way in (True, False)]


def _left(model: Model) -> float:
    """Estimate the logarithm of a model's number of solutions from the sizes of its groups.

    The sum over the groups is divided by the average number of groups that a variable is in.
    """
    groups = [len(c.variables) for _, c in model.one_hots if not c.at_most and c.variables]
    shared = max(sum(groups) / max(len(model.variables), 1), 1.0)
    return sum(map(log, groups)) / shared + len(model.loose) * log(2.0)


# -- what workers do -------------------------------------------------------------------------------

Branch = tuple[bytes, Told]
"""The pickled question, the same bytes for all parts, and the cube of this part."""


@lru_cache(maxsize=4)
def _asked(data: bytes) -> Question:
    """Unpickle the question of a part; its model is made once a process."""
    return question_of(pickle.loads(data))


def _branch(part: Branch) -> Question:
    question = _asked(part[0])
    return replace(question, model=told_of(question.model, part[1]))


def count_branch(part: Branch, home: Home) -> int:
    """Task: the number of solutions of a cube."""
    return counted(_branch(part), context=home.context.silent).count


def marginals_branch(part: Branch, home: Home) -> AnyArray:
    """Task: the marginals of a cube."""
    found: AnyArray = solved(_branch(part), context=home.context.silent).solutions.marginals()
    return found


def sum_bands(part: Part, home: Home) -> Summed:
    """Task: one part of the outermost sum of a count by bands."""
    from bddsudoku.engine.bands.sharing import summed

    return summed(part, home.context)


# -- who asks --------------------------------------------------------------------------------------


def _answered(
    asked: Asked,
    question: Question,
    runner: Runner,
    context: Context,
    parts: int,
    *,
    marginals: bool,
) -> tuple[Shared | None, list[tuple[Any, Any]]]:
    """Run the parts; return how band parts are combined (or None), and (part, result) pairs."""
    shared = None
    if question.projection is None and strange_to_ordinary(question.model) is None:
        from bddsudoku.engine.bands.sharing import share_out

        masks = masks_of(question.model)
        shared = share_out(masks, parts, context.memory, marginals=marginals)
    sent: Sequence[object]
    if shared is not None:
        function, sent = "sum_bands", shared.parts
    else:
        function, data = "marginals_branch" if marginals else "count_branch", pickled(asked)
        found = branched(question.model, parts, context, question.projection)
        sent = [(data, told) for told in found]
    tasks = [Task(f"{__name__}:{function}", part, context.memory) for part in sent]
    told = context.reporting(lambda done, _: context.tell(done, len(tasks)))
    outcomes = runner.run(tasks, context=told)
    return shared, [(outcome.task.argument, outcome.result()) for outcome in outcomes]


def counted_in_parts(
    asked: Asked,
    runner: Runner,
    context: Context = UNLIMITED,
    parts: int = PARTS,
) -> Counted:
    """Count in at least ``parts`` parts by a runner; otherwise as :func:`.ask.counted`.

    Raises:
        LimitReached: a limit ended it.
        BddSudokuError: the question cannot be sent to other processes.
    """
    begin = time.perf_counter()
    question = question_of(asked)
    tried = short_trial(question.model, context) if question.projection is None else None
    if tried is not None:
        number, name, why = tried[1].count, tried[0].name, tried[1].why
    else:
        shared, found = _answered(asked, question, runner, context, parts, marginals=False)
        values = [value for _, value in found]
        number = sum(values) if shared is None else shared.count(values)
        name, why = "parts" if shared is None else "bands", f"{len(found):,} parts"
    return Counted(number, name, why, time.perf_counter() - begin)


def marginals_in_parts(
    asked: Asked,
    runner: Runner,
    context: Context = UNLIMITED,
    parts: int = PARTS,
) -> AnyArray:
    """Compute the marginals of a Sudoku in at least ``parts`` parts by a runner."""
    if not isinstance(asked, Puzzle):
        raise BddSudokuError(f"marginals in parts are those of a Sudoku, not of {asked!r}")
    question = question_of(asked)
    shared, found = _answered(asked, question, runner, context, parts, marginals=True)
    if shared is not None:
        return shared.whole(found)
    whole: AnyArray = np.zeros((asked.n,) * 3, dtype=object)
    for _, value in found:
        whole = whole + value.astype(object)
    return whole.astype(np.int64) if int(whole.sum()) < 1 << 62 else whole


def count(
    asked: Puzzle | Askable | Model,
    engine: str = "auto",
    *,
    jobs: int | None = None,
    client: Client | Runner | None = None,
    max_memory: int | None = None,
    time_limit: float | None = None,
    progress: Progress | None = None,
    journal: Journal | None = None,
) -> int:
    """The exact number of solutions, as an int of any size.

    Args:
        subject: a puzzle of any layout (0 for contradictory hints), an exact cover, a tiling, …
        engine: ``auto`` takes the cheapest by prediction.
        jobs: local processes that count in parts; by default this process counts, on as many
            threads as the engine uses.
        client: a ``distributed.Client`` whose workers count; takes precedence over ``jobs``.
        max_memory: bytes; with ``jobs`` or ``client``, of each worker.
        time_limit: seconds, for everything.
        progress: called with (done, total).
        journal: stores the results of parts, with ``jobs`` or ``client``.

    Raises:
        LimitReached: a limit ended the count, or the cluster was lost.
        BddSudokuError: an engine was named together with ``jobs``, ``client`` or ``journal``.
    """
    context = Context(max_memory, time_limit).reporting(progress)
    if not _is_shared(jobs, client, journal):
        return counted(asked, engine, context).count
    if engine != "auto":
        raise BddSudokuError(f"parts choose engines of their own: {engine!r} cannot be named")
    with runner_for(jobs, client, journal) as runner:
        return counted_in_parts(asked, runner, context).count


def marginals(
    puzzle: Puzzle,
    *,
    jobs: int | None = None,
    client: Client | Runner | None = None,
    max_memory: int | None = None,
    time_limit: float | None = None,
    progress: Progress | None = None,
    journal: Journal | None = None,
) -> AnyArray:
    """The marginals: the number of solutions in which each digit stands in each cell.

    Args:
        puzzle: of any layout, with any rules.
        jobs, client, max_memory, time_limit, progress, journal: as for :func:`count`.

    Returns:
        (n, n, n): [row, column, digit - 1]; Python ints where 64 bits are too few.

    Raises:
        LimitReached: a limit ended the computation, or the cluster was lost.
    """
    context = Context(max_memory, time_limit)
    found: AnyArray
    if not _is_shared(jobs, client, journal):
        found = solved(puzzle, context=context.silent).solutions.marginals()
        return found
    with runner_for(jobs, client, journal) as runner:
        return marginals_in_parts(puzzle, runner, context.reporting(progress))


def _is_shared(jobs: int | None, client: object, journal: object) -> bool:
    return client is not None or journal is not None or (jobs or 1) > 1
