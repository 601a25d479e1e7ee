"""One hard question in parts that know nothing of each other: counts and marginals add up.

The ordinary board is counted by bands, and its parts are parts of their outermost sum. Any other
model is split by branching: one of an "exactly one" group holds, each in turn; the part with the
most left to say is branched again, until there are enough parts and none stands out. How much a
part has left to say is predicted from the sizes of its groups alone.

A part is asked of whatever engine suits it. Tables that parts of one question share are made once a
process (:mod:`bddsudoku.engine.bands.sharing`; here the question's model).
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
"""Parts unless told, whoever works: a journal knows them again."""
UNEVEN = 4.0
"""A part is branched again while it is predicted to take so many times the average."""
MOST = 4
"""But there are no more than so many times as many parts as were asked for."""


Told = tuple[tuple[int, bool], ...]
"""What was branched on: the keys of variables, and whether they hold."""


def branched(
    model: Model,
    parts: int,
    context: Context = UNLIMITED,
    projection: Set[int] | None = None,
) -> list[Told]:
    """What to tell of a model so that it falls into parts: disjoint, and together all of it.

    Args:
        model: of any kind.
        parts: at least so many, as long as there is something to branch on.
        projection: keys of the variables that may be branched on; None for all. Parts of a
            projected count add up where they differ in what is looked at.

    Cost: the deduction of singles for each part, some 10 ms each for boards with 16×16 cells.
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
    """A model of which something was told, and what follows at once."""
    if told:
        place = model.index_of_key
        true, false = ([place[key] for key, holds in told if holds is way] for way in (True, False))
        model = substitute(model, true, (), false)
    return singles(candidates(model))


def _ways(model: Model, projection: Set[int] | None) -> list[tuple[int, bool]]:
    """The ways to branch: which member of the smallest group holds, or whether a variable does."""
    free = [projection is None or v.key in projection for v in model.variables]
    groups = [c.variables for _, c in model.one_hots if not c.at_most and c.total == 1]
    if choices := [group for group in groups if len(group) > 1 and all(free[v] for v in group)]:
        return [(model.variables[v].key, True) for v in min(choices, key=len)]
    held = Counter(v for _, c in model.demands for v in c.variables if free[v])
    return [(model.variables[v].key, way) for v, _ in held.most_common(1) for way in (True, False)]


def _left(model: Model) -> float:
    """Logarithm of the solutions of a part, as far as its groups by themselves tell.

    A variable stands in several groups, on average in so many; their choices count once.
    """
    groups = [len(c.variables) for _, c in model.one_hots if not c.at_most and c.variables]
    shared = max(sum(groups) / max(len(model.variables), 1), 1.0)
    return sum(map(log, groups)) / shared + len(model.loose) * log(2.0)


# -- what workers do -------------------------------------------------------------------------------

Branch = tuple[bytes, Told]
"""The question, pickled, the same bytes for all parts; and what makes it this part."""


@lru_cache(maxsize=4)
def _asked(data: bytes) -> Question:
    """The question of some parts, its model made once a process."""
    return question_of(pickle.loads(data))


def _branch(part: Branch) -> Question:
    question = _asked(part[0])
    return replace(question, model=told_of(question.model, part[1]))


def count_branch(part: Branch, home: Home) -> int:
    """The number of solutions of a part."""
    return counted(_branch(part), context=home.context.silent).count


def marginals_branch(part: Branch, home: Home) -> AnyArray:
    """The marginals of a part, as the set's own."""
    found: AnyArray = solved(_branch(part), context=home.context.silent).solutions.marginals()
    return found


def sum_bands(part: Part, home: Home) -> Summed:
    """A part of a sum of bands."""
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
    """The parts, each with what it tells; and what puts parts of a sum of bands together."""
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
    """:func:`.ask.counted` in so many parts at least, done by a runner.

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
    """:func:`marginals` likewise; of a Sudoku only."""
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
        asked: a puzzle of any layout (contradictory hints give 0), an exact cover, a tiling, …
        engine: ``auto`` takes the cheapest by prediction.
        jobs: processes of this machine among which the work is shared out; by default it is done
            here, on as many threads as the engine likes.
        client: a ``distributed.Client`` whose workers do it; goes before ``jobs``.
        max_memory: bytes; of each worker where the work is shared out.
        time_limit: seconds, for everything.
        progress: called with (done, total).
        journal: keeps what parts have told, where the work is shared out.

    Raises:
        LimitReached: a limit ended the count, or the cluster is gone.
        BddSudokuError: an engine was named, and the work is to be shared out.
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
    """In how many solutions every digit stands in every cell.

    Args:
        puzzle: of any layout, with any rules.
        jobs, client, max_memory, time_limit, progress, journal: as for :func:`count`.

    Returns:
        (n, n, n): [row, column, digit - 1]; Python ints where 64 bits do not hold them.

    Raises:
        LimitReached: a limit ended it, or the cluster is gone.
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
