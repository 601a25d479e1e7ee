"""Counting and solving puzzles and models by the engine that fits, or by a named one."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Unpack, overload

import numpy as np

from bddsudoku.argument_types import check_types
from bddsudoku.context import UNLIMITED, Context, Limits, SharedLimits, limited
from bddsudoku.engine.board_lists import list_few_solutions
from bddsudoku.engine.portfolio import EngineChoice, choose_set, count_model
from bddsudoku.engine.protocol import (
    NAMED,
    Compiled,
    DiagramEngine,
    ListingEngine,
    SetEngine,
    choose_listing_engine,
    require_engine,
)
from bddsudoku.errors import BddSudokuError, LimitReached
from bddsudoku.model.allocation import propagate_for_diagram, unit_propagate
from bddsudoku.model.model import Model
from bddsudoku.puzzle.sudoku.grid import Puzzle, PuzzleRecord
from bddsudoku.puzzle.sudoku.sudoku_model import allocate
from bddsudoku.sets.decoder import S_co
from bddsudoku.solver.question import (
    CountResult,
    ModelProvider,
    Question,
    QuestionLike,
    SolveResult,
    log_result,
    make_question,
    read_subject,
)
from bddsudoku.solver.sources import PuzzleLike, as_puzzle

if TYPE_CHECKING:
    from bddsudoku.jit.decorators import I64, AnyArray, Flags
    from bddsudoku.sets.diagram_set import DiagramSet
    from bddsudoku.sets.grid_family import GridFamily
    from bddsudoku.sets.gridset import GridSet
    from bddsudoku.sets.solution_family import SolutionFamily
    from bddsudoku.sets.solutionset import SolutionSet


@check_types
def count_detailed(
    subject: QuestionLike,
    engine: str = "auto",
    context: Context = UNLIMITED,
    *,
    limit: int | None = None,
    **limits: Unpack[Limits],
) -> CountResult:
    """Count the solutions exactly; also return the engine, the reason for its choice and the time.

    Args:
        subject: a puzzle in any form, a saved set, a problem, a model.
        engine: ``auto``, or an engine's name (:func:`bddsudoku.engine.protocol.engine_names`).
        limit: count no further than this; a saved set is counted whole.

    Raises:
        LimitReached: a limit ended the count.
        BddSudokuError: the named engine refuses the model, or lists no solutions for a limit.
    """
    context = limited(context, **limits)
    begin = time.perf_counter()
    subject = read_subject(subject)
    if isinstance(subject, PuzzleRecord) and subject.saved is not None:
        if engine != "auto":
            message = f"{subject.source}: a saved set is counted as it is, not by {engine}"
            raise BddSudokuError(message)
        count = subject.saved.count()
        return log_result(CountResult(count, "saved", "a saved set", time.perf_counter() - begin))
    question = make_question(subject)
    if question.projection is not None:
        made = solve_detailed(question, engine, context=context)
        choice = EngineChoice(made.engine, made.why, made.solutions.count())
    else:
        choice = count_model(question.model, context, engine, limit)
    number = choice.count or 0
    exact = limit is None or number < limit
    number = number if limit is None else min(number, limit)
    seconds = time.perf_counter() - begin
    return log_result(CountResult(number, choice.engine, choice.why, seconds, exact))


def count_or_none(puzzle: Puzzle, context: Context, max_seconds: float | None) -> int | None:
    """The number of solutions of a puzzle; None if the time or another limit ended the count."""
    try:
        context.check()
        return count_detailed(
            puzzle, context=context.with_timeout(max_seconds).without_progress
        ).count
    except LimitReached:
        return None


@overload
def solve(
    subject: PuzzleLike, engine: str = ..., *, order: str = ..., **limits: Unpack[SharedLimits]
) -> GridFamily[Puzzle]: ...
@overload
def solve(
    subject: ModelProvider[S_co],
    engine: str = ...,
    *,
    order: str = ...,
    **limits: Unpack[SharedLimits],
) -> SolutionSet[S_co]: ...
@overload
def solve(
    subject: Model | Question,
    engine: str = ...,
    *,
    order: str = ...,
    **limits: Unpack[SharedLimits],
) -> SolutionFamily: ...
@check_types
def solve(
    subject: QuestionLike,
    engine: str = "auto",
    *,
    order: str = "auto",
    **limits: Unpack[SharedLimits],
) -> SolutionFamily:
    """Compute the set of all solutions, as a diagram or in another suitable representation.

    For a Sudoku that is a GridSet on a ZDD, a BandSet for huge sets, or a ``DnnfGridSet`` on a
    decision-DNNF for large boards with independent components; all are
    :class:`bddsudoku.sets.grid_family.GridFamily` objects, and a GridSet can do more (set
    algebra, slices); :func:`compile_set` makes one. For any other problem it is a SolutionSet.

    Args:
        subject: a puzzle of any layout (the empty set for contradictory hints), an exact cover, …
        engine: ``auto``, ``frontier``, ``dlx`` (search, then a diagram of what was found),
            ``bands`` or ``components``.
        order: the diagram's order; a name that ``bddsudoku compile --order`` takes.
        limits: ``max_memory``, ``time_limit``, ``progress``, ``context``: see
            :class:`bddsudoku.context.SharedLimits`.

    Raises:
        LimitReached: a limit ended the work.

    >>> solve([[1, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]], time_limit="10s").count()
    72
    """
    return solve_detailed(subject, engine, order, limited(**limits)).solutions


@check_types
def marginals(puzzle: PuzzleLike, **limits: Unpack[SharedLimits]) -> AnyArray:
    """The marginals: the number of solutions in which each digit stands in each cell.

    Args:
        puzzle: in any form, of any layout, with any rules.
        limits: ``max_memory``, ``time_limit``, ``progress``, ``context``: see
            :class:`bddsudoku.context.SharedLimits`.

    Returns:
        (n, n, n): [row, column, digit - 1]; Python ints where 64 bits are too few.

    Raises:
        LimitReached: a limit ended the computation.

    >>> marginals("1...............")[0].tolist()
    [[72, 0, 0, 0], [0, 24, 24, 24], [0, 24, 24, 24], [0, 24, 24, 24]]
    """
    context = limited(**limits).without_progress
    return solve_detailed(puzzle, context=context).solutions.marginals()


@overload
def compile_set(
    subject: PuzzleLike, order: str = ..., **limits: Unpack[SharedLimits]
) -> GridSet[Puzzle]: ...
@overload
def compile_set(
    subject: ModelProvider[S_co] | Model | Question,
    order: str = ...,
    **limits: Unpack[SharedLimits],
) -> SolutionSet[S_co]: ...
@check_types
def compile_set(
    subject: QuestionLike,
    order: str = "auto",
    **limits: Unpack[SharedLimits],
) -> SolutionSet:
    """Compile the set of all solutions to a canonical ordered ZDD.

    Args:
        subject: as for :func:`solve`.
        order: in which the diagram reads the variables: ``auto`` predicts and picks; for a Sudoku
            ``rows`` makes the set's order the plain lexicographic order of the grids' lines
            (:mod:`bddsudoku.puzzle.sudoku.sudoku_orders` has the names).
        limits: as for :func:`solve`.

    Raises:
        LimitReached: with ``level``, ``states`` and ``bytes`` in its details.

    >>> solutions = compile_set("1...............", "rows")
    >>> solutions.count(), solutions[0].line, solutions[-1].line
    (72, '1234341221434321', '1432324141232314')
    """
    return solve_detailed(subject, "frontier", order, limited(**limits)).compiled_set


@check_types
def solve_detailed(
    subject: QuestionLike,
    engine: str = "auto",
    order: str = "auto",
    context: Context = UNLIMITED,
    *,
    limit: int | None = None,
    in_any_order: bool = False,
    **limits: Unpack[Limits],
) -> SolveResult:
    """Compute the set of all solutions; also return the engine, why it was chosen, and the cost.

    Args:
        limit: for ``auto``: the number of solutions that are wanted; see :func:`.choose_set`.
        in_any_order: for ``auto``: the set answers questions about cells, and few solutions of a
            classic board are listed in the order in which a search finds them.

    Raises:
        LimitReached: a limit ended the work.
        BddSudokuError: the named engine refuses the model, or can only count.
    """
    context = limited(context, **limits)
    begin = time.perf_counter()
    subject = read_subject(subject)
    if isinstance(subject, PuzzleRecord) and subject.saved is not None:
        return saved_set_result(subject.saved)
    if in_any_order and engine == "auto" and isinstance(subject, Puzzle) and subject.is_classic:
        rows = list_few_solutions(subject.masks)
        if rows is not None:
            from bddsudoku.sets.listedset import ListedSet

            seconds = time.perf_counter() - begin
            why = "all solutions by a short search"
            return SolveResult(ListedSet(rows), "bitboard", why, seconds)
    question = make_question(subject)
    model, unprojected = question.model, question.projection is None
    choice = (
        choose_set(
            model, context, order, decoder=question.decoder, unprojected=unprojected, limit=limit
        )
        if engine == "auto"
        else EngineChoice(engine, NAMED, order=order)
    )
    family: SolutionFamily | None = choice.solution_set
    cost = None
    if choice.engine == "singles" and choice.count is not None and choice.count <= 1:
        from bddsudoku.diagrams.zdd import Diagram

        fixed = tuple(v.key for v in unit_propagate(model).fixed) if choice.count else ()
        diagram = Diagram.unit() if choice.count else Diagram.empty()
        cost = Compiled(diagram, fixed, "rows")
    elif family is None:
        maker = require_engine(choice.engine, model)
        if not unprojected and not isinstance(maker, DiagramEngine | ListingEngine):
            raise BddSudokuError(f"engine {maker.name} cannot project; take frontier")
        if isinstance(maker, DiagramEngine):
            cost = maker.diagram(model, context, order=choice.order)
        elif isinstance(maker, SetEngine):
            family = maker.solution_set(model, context, decoder=question.decoder)
        elif isinstance(maker, ListingEngine):
            cost = _diagram_by_search(model, maker, choice.solutions, context)
        else:
            message = f"engine {maker.name} counts, but holds no set; take frontier or bands"
            raise BddSudokuError(message)
    if cost is not None:
        family = question.make_set(cost)
    assert family is not None
    seconds = time.perf_counter() - begin
    return log_result(SolveResult(family, choice.engine, choice.why, seconds, cost))


def saved_set_result(saved: DiagramSet) -> SolveResult:
    """The :class:`SolveResult` of a saved set."""
    from bddsudoku.sets.gridset import DnnfGridSet

    cost = None
    if not isinstance(saved, DnnfGridSet):
        order = str(saved.info.get("order", "")) or "as saved"
        cost = Compiled(saved.diagram, order=order, variables=saved.diagram.levels)
    return SolveResult(saved, "saved", "a saved set", 0.0, cost)


def _diagram_by_search(
    model: Model, searcher: ListingEngine, listed: Iterable[I64] | None, context: Context
) -> Compiled:
    """Compile the solutions that a search engine has listed, or else lists now, into a ZDD."""
    from bddsudoku.diagrams.zdd import diagram_of_solutions
    from bddsudoku.engine.specs.model_levels import model_levels

    begin = time.perf_counter()
    model = propagate_for_diagram(model)
    if listed is None:
        listed = searcher.solutions(model, context)
    fixed = tuple(v.key for v in model.fixed)
    # In the variable order of the frontier engine, so that the diagram is the same.
    keys = [model.variables[v].key for v in model_levels(model).sequence.tolist()]
    diagram = diagram_of_solutions(keys, listed, fixed)
    seconds = time.perf_counter() - begin
    return Compiled(diagram, () if diagram.is_empty else fixed, "rows", len(keys), seconds=seconds)


@check_types
def iterate_solution_keys(
    subject: QuestionLike,
    context: Context = UNLIMITED,
    *,
    limit: int | None = None,
    seed: int | None = None,
    **limits: Unpack[Limits],
) -> Iterator[I64]:
    """Yield the solutions by search, each as the ascending keys of its true variables.

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
    context = limited(context, **limits)
    question = make_question(subject)
    searcher = choose_listing_engine(question.model)
    if question.projection is None and searcher.fits(question.model):
        yield from searcher.solutions(question.model, context, limit=limit, seed=seed)
        return
    found = solve_detailed(
        replace(question, decoder=None), context=context.without_progress
    ).solutions
    for keys in islice(found, limit):
        context.check("while solutions were listed")
        yield np.array(keys, dtype=np.int64)


@check_types
def true_candidates(
    puzzle: PuzzleLike, context: Context = UNLIMITED, **limits: Unpack[Limits]
) -> Flags:
    """The true candidates: which digits stand in which cells in some solution.

    Args:
        puzzle: in any form (:data:`.sources.PuzzleLike`), of any layout, with any rules.

    Returns:
        bool, (rows, columns, digits): [row, column, digit - 1]; all False without a solution.

    Raises:
        LimitReached: the time was used up.

    Cost: a search for each candidate that no solution found before holds: milliseconds for a
    puzzle with few solutions, and for most with many.
    """
    context = limited(context, **limits)
    from bddsudoku.engine.bitboard import true_candidates as classic_true_candidates
    from bddsudoku.engine.search.engine import SearchEngine

    puzzle = as_puzzle(puzzle)
    layout = puzzle.layout
    shape = layout.array_shape
    if puzzle.is_classic:
        masks = classic_true_candidates(np.array([puzzle.masks], dtype=np.uint16), context=context)[
            0
        ]
        bits = masks[:, None] >> np.arange(shape[2], dtype=np.uint16) & 1
        allowed: Flags = bits.astype(np.bool_)
        return allowed.reshape(shape)
    model = allocate(puzzle)
    held = np.zeros(shape, dtype=np.bool_)
    held.reshape(-1)[SearchEngine().supports(model, context)] = True
    return held
