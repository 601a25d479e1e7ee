"""Counting and solving a question by the engine that fits it, or by a named one."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from bddsudoku.context import UNLIMITED, Context, Progress
from bddsudoku.diagrams.zdd import Diagram, diagram_of_keys
from bddsudoku.engine.portfolio import SPARE_STEPS, Choice, attempt, choose_counter, choose_set
from bddsudoku.engine.protocol import (
    Compiled,
    Compiles,
    Engine,
    Holds,
    Lists,
    holder_for,
    searcher_for,
)
from bddsudoku.engine.protocol import engine as engine_of
from bddsudoku.engine.specs.levels import levels_of
from bddsudoku.errors import BddSudokuError, LimitReached
from bddsudoku.jit.decorators import I64
from bddsudoku.model.model import Model
from bddsudoku.model.propagation import prepared, singles
from bddsudoku.puzzle.sudoku.grid import Puzzle, PuzzleRecord
from bddsudoku.sets.gridset import DecomposedSet
from bddsudoku.solver.question import Asked, Counted, Solved, question_of

if TYPE_CHECKING:
    from bddsudoku.sets.base import SolutionFamily
    from bddsudoku.sets.solutionset import DiagramSet, SolutionSet

NODES = 1_000_000
"""Nodes of a first search (some 0.2 s), after which an engine is chosen by prediction."""


def willing(name: str, model: Model) -> Engine:
    """The engine with a given name, which must accept the model.

    Raises:
        BddSudokuError: there is no such engine, or it refuses the model.
    """
    found = engine_of(name)
    why = found.refuses(model)
    if why is not None:
        raise BddSudokuError(f"the engine {name} cannot take this: {why}")
    return found


def counted(asked: Asked, engine: str = "auto", context: Context = UNLIMITED) -> Counted:
    """Count the solutions exactly; return the count with the engine, the reason and the time.

    Args:
        subject: a puzzle or a saved set, a problem, a model.
        engine: ``auto``, or an engine's name (:func:`bddsudoku.engine.protocol.engine_names`).

    Raises:
        LimitReached: a limit ended the count.
        BddSudokuError: the named engine refuses the model.
    """
    begin = time.perf_counter()
    if isinstance(asked, PuzzleRecord) and asked.saved is not None:
        if engine != "auto":
            message = f"{asked.source}: a saved set is counted as it is, not by {engine}"
            raise BddSudokuError(message)
        count = asked.saved.count()
        return Counted(count, "saved", "a saved set", time.perf_counter() - begin)
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


def count_within(puzzle: Puzzle, context: Context, each: float | None) -> int | None:
    """The number of solutions of a puzzle, or None where a limit of ``each`` seconds ended it."""
    try:
        context.check()
        return counted(puzzle, context=context.within(each).silent).count
    except LimitReached:
        return None


def _visited(model: Model, searcher: Lists, stop: LimitReached, context: Context) -> int:
    """Count by enumerating solutions, after another engine has reached its memory limit."""
    try:
        return searcher.count(model, attempt(context, SPARE_STEPS))
    except LimitReached as late:
        if late.limit != "work":
            raise
        why = f"{stop}; visiting the solutions one by one (engine {searcher.name}) takes too long"
        raise LimitReached(why, limit=stop.limit, trace=stop.trace, details=stop.details) from late


def counted_up_to(
    puzzle: Puzzle, limit: int | None, context: Context, *, searched: bool = False
) -> Counted:
    """Count the solutions of a puzzle of any size no further than ``limit`` (None: all).

    Args:
        search_exhausted: a search has reached its node limit before: do not search again.
    """
    begin = time.perf_counter()
    if limit is not None and not searched:
        model = question_of(puzzle).model
        searcher = searcher_for(model)
        nodes = NODES if holder_for(model) else None
        number = search_count(searcher, model, limit, nodes, context)
        if number is not None:
            seconds = time.perf_counter() - begin
            why = f"counted up to {limit:,}"
            return Counted(number, searcher.name, why, seconds, number < limit)
    found = counted(puzzle, context=context)
    if limit is None:
        return found
    return replace(found, count=min(found.count, limit), exact=found.count < limit)


def search_count(
    searcher: Lists, model: Model, limit: int, nodes: int | None, context: Context
) -> int | None:
    """Count by search no further than ``limit``; None where ``max_nodes`` nodes do not suffice."""
    try:
        found = searcher.solutions(model, context, limit=limit, node_limit=nodes)
        return sum(1 for _ in found)
    except LimitReached as stop:
        if stop.limit != "nodes":
            raise
        return None


def solve(
    asked: Asked,
    engine: str = "auto",
    *,
    order: str = "auto",
    max_memory: int | None = None,
    time_limit: float | None = None,
    progress: Progress | None = None,
) -> SolutionFamily:
    """Compute the set of all solutions, in the representation that fits.

    For a Sudoku that is a GridSet on a ZDD, a BandSet for huge sets, or a ``DecomposedSet`` on a
    decision-DNNF for large boards with independent components; all are
    :class:`bddsudoku.sets.base.GridFamily` objects, and a GridSet can do more (set algebra,
    slices). For any other problem it is a SolutionSet.

    Args:
        subject: a puzzle of any layout (the empty set for contradictory hints), an exact cover, …
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
    """Compile the set of all solutions to a canonical ordered ZDD, however large it gets.

    Args:
        subject: as for :func:`solve`.
        order: in which the diagram reads the variables: ``auto`` predicts and picks; for a Sudoku
            ``rows`` makes the set's order the plain lexicographic order of the grids' lines
            (:mod:`bddsudoku.puzzle.sudoku.advice` has the names).
        max_memory, time_limit, progress: as for :func:`solve`.

    Raises:
        LimitReached: with ``level``, ``states`` and ``bytes`` in its details.
    """
    context = Context(max_memory, time_limit).reporting(progress)
    found: SolutionSet = solved(asked, "frontier", order, context).solutions
    return found


def solved(
    asked: Asked,
    engine: str = "auto",
    order: str = "auto",
    context: Context = UNLIMITED,
) -> Solved:
    """Compute the set of all solutions; return it with the engine, the reason and the cost.

    Raises:
        LimitReached: a limit ended the work.
        BddSudokuError: the named engine refuses the model, or can only count.
    """
    begin = time.perf_counter()
    if isinstance(asked, PuzzleRecord) and asked.saved is not None:
        return kept(asked.saved)
    question = question_of(asked)
    model, whole = question.model, question.projection is None
    choice = (
        choose_set(model, context, order, decoder=question.decoder, whole=whole)
        if engine == "auto"
        else Choice(engine, "named", order=order)
    )
    held, cost = choice.held, None
    if choice.engine == "singles" and choice.count is not None and choice.count <= 1:
        fixed = tuple(v.key for v in singles(model).fixed) if choice.count else ()
        diagram = Diagram.unit() if choice.count else Diagram.empty()
        cost = Compiled(diagram, fixed, "rows")
    elif held is None:
        maker = willing(choice.engine, model)
        if not whole and not isinstance(maker, Compiles | Lists):
            raise BddSudokuError(f"engine {maker.name} cannot project; take frontier")
        if isinstance(maker, Compiles):
            cost = maker.diagram(model, context, order=choice.order)
        elif isinstance(maker, Holds):
            held = maker.family(model, context, decoder=question.decoder)
        elif isinstance(maker, Lists):
            cost = _listed(model, maker, context)
        else:
            message = f"engine {maker.name} counts, but holds no set; take frontier or bands"
            raise BddSudokuError(message)
    found = held if cost is None else question.set_of(cost)
    return Solved(found, choice.engine, choice.why, time.perf_counter() - begin, cost)


def kept(saved: DiagramSet) -> Solved:
    """The result object of a saved set."""
    cost = None
    if not isinstance(saved, DecomposedSet):
        order = str(saved.info.get("order", "")) or "as saved"
        cost = Compiled(saved.diagram, order=order, variables=saved.diagram.levels)
    return Solved(saved, "saved", "a saved set", 0.0, cost)


def _listed(model: Model, maker: Lists, context: Context) -> Compiled:
    """Compile the solutions that a search engine enumerates into a ZDD."""
    begin = time.perf_counter()
    model = prepared(model)
    fixed = tuple(v.key for v in model.fixed)
    # In the variable order of the frontier engine, so that the diagram is the same.
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
) -> Iterator[I64]:
    """Enumerate solutions by search, each as its ascending true keys.

    Solutions of a projection come from its set, in that set's order: a search would find each of
    them many times.

    Args:
        subject: a puzzle, a problem, a model.
        limit: number of solutions after which to stop; None: all.
        seed: shuffles the order in which the search tries options; None: the model's order. It
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
