"""Question → the count, or the set object, that fits: which engine, and why."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from bddsudoku.context import UNLIMITED, Context, Progress
from bddsudoku.engine.portfolio import SPARE_STEPS, Choice, attempt, choose_counter, choose_set
from bddsudoku.engine.protocol import (
    Compiled,
    Compiles,
    Engine,
    Holds,
    Lists,
    engines_for,
    searcher_for,
)
from bddsudoku.engine.protocol import engine as engine_of
from bddsudoku.engine.specs.levels import levels_of
from bddsudoku.errors import BddSudokuError, LimitReached
from bddsudoku.model.model import Model
from bddsudoku.model.propagation import prepared, singles
from bddsudoku.puzzle.sudoku.grid import PuzzleRecord
from bddsudoku.solver.question import Asked, Counted, Question, Solved, question_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bddsudoku.sets.base import SolutionFamily
    from bddsudoku.sets.solutionset import DiagramSet, SolutionSet


def willing(name: str, model: Model, kind: type[Engine] = Engine) -> Engine:
    """The engine of a name, if it takes the model.

    Raises:
        BddSudokuError: there is none, it refuses, or it cannot do this kind of work.
    """
    found = engine_of(name)
    if not isinstance(found, kind):
        can = " or ".join(e.name for e in engines_for(model, kind))
        raise BddSudokuError(f"engine {name} counts, but does not do this; take {can}")
    why = found.refuses(model)
    if why is not None:
        raise BddSudokuError(f"the engine {name} cannot take this: {why}")
    return found


def counted(asked: Asked, engine: str = "auto", context: Context = UNLIMITED) -> Counted:
    """Count the solutions exactly.

    Args:
        asked: a puzzle or a saved set, a problem, a model.
        engine: ``auto``, or an engine's name (:func:`bddsudoku.engine.protocol.engine_names`).

    Raises:
        LimitReached: a limit ended the count.
        BddSudokuError: the named engine refuses this.
    """
    begin = time.perf_counter()
    if isinstance(asked, PuzzleRecord) and asked.saved is not None:
        if engine != "auto":
            message = f"{asked.source}: a saved set is counted as it is, not by {engine}"
            raise BddSudokuError(message)
        seconds = time.perf_counter() - begin
        return Counted(asked.saved.count(), "saved", "a saved set", seconds)
    question = question_of(asked)
    if question.projection is not None:
        made = solved(question, engine, context=context)
        number = made.solutions.count()
        return Counted(number, made.engine, made.why, time.perf_counter() - begin)
    model = question.model
    choice = choose_counter(model, context) if engine == "auto" else Choice(engine, "named")
    number, name, why = choice.count, choice.engine, choice.why
    if number is None:
        counter = willing(name, model)
        try:
            number = counter.count(model, context)
        except LimitReached as stop:
            if engine != "auto" or stop.limit not in ("memory", "states"):
                raise
            searcher = searcher_for(model)
            name, why = searcher.name, f"{name} reached its {stop.limit} limit"
            number = _visited(model, searcher, stop, context)
    return Counted(number, name, why, time.perf_counter() - begin)


def _visited(model: Model, searcher: Lists, stop: LimitReached, context: Context) -> int:
    """The count of what did not fit into the memory, by visiting solution after solution.

    Raises:
        LimitReached: the time was used up, or there are too many; it says what did not fit.
    """
    try:
        return searcher.count(model, attempt(context, SPARE_STEPS))
    except LimitReached as late:
        if late.limit != "work":
            raise
        why = f"{stop}; visiting the solutions one by one (engine {searcher.name}) takes too long"
        raise LimitReached(why, limit=stop.limit, trace=stop.trace, details=stop.details) from late


def solve(
    asked: Asked,
    engine: str = "auto",
    *,
    order: str = "auto",
    max_memory: int | None = None,
    time_limit: float | None = None,
    progress: Progress | None = None,
) -> SolutionFamily:
    """The set of all solutions, as the object that fits.

    For a Sudoku that is a GridSet on a diagram, a BandSet for huge sets, or a DecomposedSet for
    large boards that fall apart; all satisfy
    :class:`bddsudoku.sets.base.GridFamily`, and a GridSet can do more (set algebra,
    slices). For anything else it is a SolutionSet.

    Args:
        asked: a puzzle of any layout (contradictory hints give the empty set), an exact cover, …
        engine: ``auto``, ``frontier``, ``dlx`` (search, then a diagram of what was found),
            ``bands`` or ``components``.
        order: the diagram's order; a name that ``bddsudoku compile --order`` takes.
        max_memory: bytes.
        time_limit: seconds, for everything.
        progress: called with (done, total).

    Raises:
        LimitReached: a limit ended the work.
    """
    context = Context(max_memory, time_limit)
    found: SolutionFamily = solved(asked, engine, order, context.reporting(progress)).solutions
    return found


def compile_set(
    asked: Asked,
    order: str = "auto",
    *,
    max_memory: int | None = None,
    time_limit: float | None = None,
    progress: Progress | None = None,
) -> SolutionSet:
    """:func:`solve` on a canonical ordered ZDD, however large it gets.

    Args:
        asked: as there.
        order: in which the diagram reads the variables: ``auto`` predicts and picks; for a Sudoku
            ``rows`` makes the set's order the plain lexicographic order of the grids' lines
            (:mod:`bddsudoku.puzzle.sudoku.orders` has the names).
        max_memory: bytes.
        time_limit: seconds, for everything.
        progress: called with (levels done, levels).

    Raises:
        LimitReached: with ``level``, ``states`` and ``bytes`` in its details.
    """
    context = Context(max_memory, time_limit).reporting(progress)
    found: SolutionSet = solved(asked, "frontier", order, context).solutions
    return found


def kept(saved: DiagramSet) -> Solved:
    """A saved set as an answer."""
    from bddsudoku.sets.gridset import DecomposedSet

    if isinstance(saved, DecomposedSet):
        return Solved(saved, "saved", "a saved set", 0.0)
    name = str(saved.info.get("order", "")) or "as saved"
    cost = Compiled(saved.diagram, order=name, variables=saved.diagram.levels)
    return Solved(saved, "saved", "a saved set", 0.0, cost)


def solved(
    asked: Asked,
    engine: str = "auto",
    order: str = "auto",
    context: Context = UNLIMITED,
) -> Solved:
    """:func:`solve` with the engine, the reason and the cost.

    Raises:
        LimitReached: a limit ended the work.
        BddSudokuError: the named engine refuses, or holds no set.
    """
    begin = time.perf_counter()
    if isinstance(asked, PuzzleRecord) and asked.saved is not None:
        return kept(asked.saved)
    question = question_of(asked)
    choice = (
        choose_set(
            question.model,
            context,
            order,
            decoder=question.decoder,
            whole=question.projection is None,
        )
        if engine == "auto"
        else Choice(engine, "named", order=order)
    )
    name = choice.engine
    if choice.held is not None:
        return Solved(choice.held, name, choice.why, time.perf_counter() - begin)
    if choice.count is not None and choice.count <= 1 and name == "singles":
        cost = _settled(question.model, choice.count)
    else:
        maker = willing(name, question.model, Engine)
        if question.projection is not None and not isinstance(maker, Compiles | Lists):
            raise BddSudokuError(f"engine {name} cannot project; take frontier")
        if isinstance(maker, Holds) and not isinstance(maker, Compiles):
            held = maker.family(question.model, context, decoder=question.decoder)
            return Solved(held, name, choice.why, time.perf_counter() - begin)
        cost = compiled(question, maker, choice.order, context)
    found = question.set_of(cost, order=cost.order)
    return Solved(found, name, choice.why, time.perf_counter() - begin, cost)


def compiled(question: Question, maker: Engine, order: str, context: Context) -> Compiled:
    """The diagram of a question, by an engine that makes diagrams or by one that lists solutions.

    Raises:
        LimitReached: a limit ended the work.
        BddSudokuError: the engine does neither.
    """
    model = question.model
    if isinstance(maker, Compiles):
        return maker.diagram(model, context, order=order)
    if isinstance(maker, Lists):
        return _listed(model, maker, context)
    raise BddSudokuError(f"engine {maker.name} counts, but holds no set; take frontier or bands")


def _settled(model: Model, number: int) -> Compiled:
    """The diagram of a question that has one answer, or none."""
    from bddsudoku.diagrams.zdd import Diagram

    diagram = Diagram.unit() if number else Diagram.empty()
    fixed = tuple(v.key for v in singles(model).fixed) if number else ()
    return Compiled(diagram, fixed, "rows")


def _listed(model: Model, maker: Lists, context: Context) -> Compiled:
    """The diagram of what a search finds: the one place where covers become a diagram."""
    from bddsudoku.diagrams.zdd import diagram_of_keys

    begin = time.perf_counter()
    model = prepared(model)
    fixed = tuple(v.key for v in model.fixed)
    # In the order in which the frontier reads them, so that the diagram is the same.
    keys = [model.variables[v].key for v in levels_of(model).sequence.tolist()]
    diagram = diagram_of_keys(keys, maker.solutions(model, context), fixed)
    seconds = time.perf_counter() - begin
    return Compiled(diagram, () if diagram.is_empty else fixed, "rows", len(keys), seconds=seconds)


def keys_of(
    asked: Asked,
    context: Context = UNLIMITED,
    *,
    limit: int | None = None,
    seed: int | None = None,
) -> Iterator[NDArray[np.int64]]:
    """The solutions one by one as a search finds them, each as its ascending keys.

    Those of a projection come from its set, in that set's order: a search would meet them again
    and again.

    Args:
        asked: a puzzle, a problem, a model.
        limit: stop after so many.
        seed: try the options in an order shuffled by this; None: in the order of the model. It
            does not change the order of a projection.

    Raises:
        LimitReached: the time was used up before the end.
    """
    question = question_of(asked)
    if question.projection is None:
        searcher = searcher_for(question.model)
        yield from searcher.solutions(question.model, context, limit=limit, seed=seed)
        return
    found = solved(replace(question, decoder=None), context=context.silent).solutions
    for keys in islice(found, limit):
        context.check("while solutions were listed")
        yield np.array(keys, dtype=np.int64)
