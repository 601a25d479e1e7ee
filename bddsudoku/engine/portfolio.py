"""The portfolio: the choice of an engine for a model, by predicted cost.

* What singles settle, or a short search, is answered at once (:meth:`Engine.probe`).
* Otherwise every engine that does not refuse forecasts its cost, and the cheapest counts; where
  that is seconds, a search gets a share of them first.
* A set is best held by a diagram, which answers more questions: of the solutions that such a search
  lists, or compiled. Where it would be too large, an engine gives the set without a diagram.

Nobody looks at the clock: forecasts count states, and attempts are given steps, so that the choice,
and with it the order of a set and its samples, is the same on a busy machine.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from bddsudoku.context import Context
from bddsudoku.engine.calibration import (
    BYTES_PER_STATE,
    COMPONENTS_STEPS,
    COMPONENTS_STEPS_PER_SECOND,
    DIAGRAM_BYTES,
    DIAGRAM_SECONDS,
    DIAGRAM_SOLUTIONS,
    ESTIMATED_SECONDS,
    FIRST_STEPS,
    MAX_DIAGRAM_COUNT,
    MAX_SEARCH_NODES,
    MAX_SEARCHED_PREFIX,
    SEARCH_SOLUTIONS,
    SEARCH_SOLUTIONS_IN_SET,
    SEARCH_STEPS,
    SEARCH_STEPS_PER_SECOND,
    SEARCHED_LIMIT,
    SLOW_SECONDS,
    SPARE_STEPS,
    STEPS_PER_SOLUTION,
    SURPLUS_BYTES,
)
from bddsudoku.engine.protocol import (
    BUILT_IN_ENGINES,
    NAMED,
    DiagramEngine,
    Engine,
    Forecast,
    ListingEngine,
    ProbeResult,
    choose_listing_engine,
    choose_set_engine,
    engine_names,
    engines_that_take,
    find_engine,
    require_engine,
)
from bddsudoku.engine.unfinished_counts import WhatIsKnown, estimate_count, estimate_many
from bddsudoku.errors import BddSudokuError, LimitReached
from bddsudoku.model.model import Model
from bddsudoku.sets.decoder import Decoder, GridDecoder

if TYPE_CHECKING:
    from bddsudoku.jit.decorators import I64
    from bddsudoku.sets.grid_family import GridFamily

_LOG = logging.getLogger(__name__)
_COMPILER = "frontier"
"""The engine that compiles any model to a diagram."""


@dataclass(frozen=True)
class EngineChoice:
    """A chosen engine, the reason for the choice, and the answer if the choice already found it.

    Attributes:
        engine: its name.
        why: half a sentence for people.
        count: the answer, where choosing already found it.
        order: order of a diagram, where one was picked.
        solution_set: the set, where an engine that needs no diagram holds it.
        solutions: all solutions, each as its ascending keys, where a search has listed them.
        states: predicted states of a diagram.
    """

    engine: str
    why: str
    count: int | None = None
    order: str = "auto"
    solution_set: GridFamily | None = None
    solutions: Sequence[I64] | None = None
    states: float = 0.0


def first_successful_probe(
    model: Model, context: Context, *, for_count: bool = True
) -> tuple[Engine, ProbeResult] | None:
    """Find the first engine whose probe succeeds; return the engine and the result, or None.

    Of those that search only the one that suits the model: where it does not end, no other does.

    Args:
        for_count: nothing but the count is wanted, so that a probe that is likely to fail is left
            out; sets do not change with what is likely.
    """
    for candidate in _engines_with_probes(model):
        if candidate.refuses(model) is not None:
            continue
        if for_count and not candidate.is_worth_a_probe(model):
            continue
        found = candidate.probe(model, context)
        if found is not None:
            return candidate, found
    return None


def _engines_with_probes(model: Model) -> Iterator[Engine]:
    """Yield singles, the search that suits a model, and the plug-ins that do not search."""
    yield find_engine("singles")
    yield choose_listing_engine(model)
    for name in engine_names():
        if name not in BUILT_IN_ENGINES and not isinstance(find_engine(name), ListingEngine):
            yield find_engine(name)


def choose_counting_engine(model: Model, context: Context) -> EngineChoice:
    """Choose the engine that is predicted to count a model's solutions fastest.

    Raises:
        LimitReached: the time was used up by looking.
    """
    tried = first_successful_probe(model, context)
    if tried is not None:
        return EngineChoice(tried[0].name, tried[1].why, tried[1].count)
    searcher = choose_listing_engine(model)
    decomposer = choose_set_engine(model, uses_components=True)
    steps = COMPONENTS_STEPS if decomposer else FIRST_STEPS * searcher.is_preferred(model)
    if found := _try_to_count(decomposer or searcher, model, steps, context):
        return found
    best: tuple[Engine, Forecast] | None = None
    for candidate in engines_that_take(model, Engine):
        forecast = candidate.forecast(model, context)
        if forecast is None:
            continue
        why, seconds = forecast.why, forecast.seconds
        _LOG.debug("%s forecasts a count of %.3g s: %s", candidate.name, seconds, why)
        if best is None or seconds < best[1].seconds:
            best = candidate, forecast
        # One that is sure to be fast spares the others the work of looking.
        if best[1].seconds <= DIAGRAM_SECONDS:
            break
    if best is None:
        estimate_many(model, context)
        return EngineChoice(searcher.name, "no other engine takes this")
    seconds = best[1].seconds
    if seconds > ESTIMATED_SECONDS:
        estimate_many(model, context)
    steps = COMPONENTS_STEPS_PER_SECOND * seconds if decomposer else _search_steps(seconds)
    if found := _try_to_count(decomposer or searcher, model, steps, context):
        return replace(found, why=f"{found.why}, a diagram would take {seconds:.0f} s")
    return EngineChoice(best[0].name, best[1].why, order=best[1].order, states=best[1].states)


def _search_steps(seconds: float) -> float:
    """Steps of a search before a diagram that is predicted to take so long; 0 where it is fast."""
    return 0 if seconds < SLOW_SECONDS else min(SEARCH_STEPS_PER_SECOND * seconds, SEARCH_STEPS)


def _try_to_count(
    engine: Engine, model: Model, steps: float, context: Context
) -> EngineChoice | None:
    """Count with an engine that is limited to ``steps`` search steps; None if it needs more."""
    limited = context.without_progress.with_work(steps)
    number = count_within(engine, model, limited) if steps else None
    why = f"the search ended within {steps:,.0f} steps"
    return None if number is None else EngineChoice(engine.name, why, number)


def count_within(
    engine: Engine,
    model: Model,
    context: Context,
    limit: int | None = None,
    max_nodes: int | None = None,
) -> int | None:
    """Count with one engine within a budget; None where it did not suffice.

    Args:
        engine: counts; up to a limit or within nodes, it lists.
        context: the budget of memory and steps. Where its time is used up, this is no answer.
        limit: count no further than this.
        max_nodes: nodes of an engine that lists.

    Raises:
        LimitReached: the time is used up.
    """
    if not engine.fits(model):
        return None
    try:
        if isinstance(engine, ListingEngine) and (limit, max_nodes) != (None, None):
            found = engine.solutions(model, context, limit=limit, node_limit=max_nodes)
            return sum(1 for _ in found)
        number = engine.count(model, context)
    except LimitReached as stop:
        context.check("while solutions were counted")
        _LOG.debug("%s: %s", engine.name, stop)
        return None
    return number if limit is None else min(number, limit)


def count_model(
    model: Model, context: Context, engine: str = "auto", limit: int | None = None
) -> EngineChoice:
    """Count a model's solutions by the engine that is predicted to be the fastest, or a named one.

    Where that reaches a limit of memory or states, or is predicted to take far more, a search
    estimates how many solutions there are; if they are not too many, it visits them one by one.
    What is known meanwhile is reported (:meth:`Context.report_found`).

    Args:
        model: what is asked about.
        context: limits.
        engine: ``auto`` or a name.
        limit: a search may stop at so many; a count beyond it may come all the same.

    Raises:
        LimitReached: a limit ended the count; ``details["known"]`` has what was known then.
        BddSudokuError: the named engine refuses the model, or lists no solutions for a limit.
    """
    known = WhatIsKnown(context.found)
    context = replace(context, found=known)
    try:
        if limit is not None:
            found = _count_up_to(limit, model, engine, context)
            if found is not None:
                return found
        if engine != "auto":
            return EngineChoice(engine, NAMED, require_engine(engine, model).count(model, context))
        choice = choose_counting_engine(model, context)
        if choice.count is not None:
            return choice
        try:
            _refuse_hopeless(choice, context)
            return replace(choice, count=find_engine(choice.engine).count(model, context))
        except LimitReached as stop:
            searcher = choose_listing_engine(model)
            if stop.limit not in ("memory", "states") or not searcher.fits(model):
                raise
            return _count_by_visiting(searcher, model, stop, choice.engine, context)
    except LimitReached as stop:
        stop.details["known"] = known.record()
        raise


def _refuse_hopeless(choice: EngineChoice, context: Context) -> None:
    """Raise LimitReached for a diagram that is predicted to take far more than the memory."""
    memory = DIAGRAM_BYTES if context.max_memory is None else context.max_memory
    if choice.states * BYTES_PER_STATE > SURPLUS_BYTES * memory:
        where = f"by prediction: {choice.engine} would need {choice.states:,.0f} states"
        raise context.limit_error(where, limit="memory")


def _count_by_visiting(
    searcher: ListingEngine, model: Model, stop: LimitReached, engine: str, context: Context
) -> EngineChoice:
    """Count by visiting all solutions, where an engine's limit ended its count.

    Raises:
        LimitReached: they are too many, by an estimate, or it takes too long.
    """
    why = f"{engine} reached its {stop.limit} limit"
    known = estimate_count(model, context)
    if known is not None and known.effective is None:
        return EngineChoice("search", f"{why}; descents met all", known.estimate)
    if known is None or known.low * STEPS_PER_SOLUTION < SPARE_STEPS:
        _LOG.info("%s: %s visits the solutions one by one", why, searcher.name)
        number = count_within(searcher, model, context.with_work(SPARE_STEPS))
        if number is not None:
            return EngineChoice(searcher.name, why, number)
    raise LimitReached(
        f"{stop}; visiting the solutions one by one (engine {searcher.name}) takes too long",
        limit=stop.limit,
        trace=stop.trace,
        details=stop.details,
    ) from None


def _count_up_to(limit: int, model: Model, engine: str, context: Context) -> EngineChoice | None:
    """Count up to a limit by search; None where an engine that counts all of them is faster."""
    named = engine != "auto"
    searcher = require_engine(engine, model) if named else choose_listing_engine(model)
    if not isinstance(searcher, ListingEngine):
        listing = ", ".join(e.name for e in engines_that_take(model, ListingEngine))
        raise BddSudokuError(f"the engine {engine} counts all solutions; for a limit: {listing}")
    counts_any_number = not named and choose_set_engine(model) is not None
    if counts_any_number and limit > SEARCHED_LIMIT:
        return None
    nodes = MAX_SEARCH_NODES if counts_any_number else None
    number = count_within(searcher, model, context, limit, nodes)
    return (
        None if number is None else EngineChoice(searcher.name, f"counted up to {limit:,}", number)
    )


_NO_DIAGRAM = Forecast(math.inf, "no other engine takes this", "auto", math.inf)
"""The forecast where the compiler refuses a model, or an MDD of it would be too wide."""


def _forecast_of_diagram(model: Model, context: Context) -> Forecast:
    compiler = find_engine(_COMPILER)
    assert isinstance(compiler, DiagramEngine)
    if compiler.refuses(model) is not None:
        return _NO_DIAGRAM
    try:
        return compiler.diagram_forecast(model, context) or _NO_DIAGRAM
    except LimitReached:
        context.check("while an engine was chosen")
        return _NO_DIAGRAM


def _choose_decomposition(
    model: Model, decoder: GridDecoder, seconds: float, context: Context
) -> EngineChoice | None:
    """Choose an engine that decomposes, if it ends within a share of what a diagram would take."""
    decomposer = choose_set_engine(model, uses_components=True)
    if decomposer is None:
        return None
    try:
        limited = context.with_work(COMPONENTS_STEPS_PER_SECOND * seconds)
        held = decomposer.solution_set(model, limited, decoder=decoder)
    except LimitReached:
        context.check("while an engine was chosen")
        return None
    why = f"it falls apart, a diagram would take {seconds:.0f} s"
    return EngineChoice(decomposer.name, why, solution_set=held)


def _list_by_search(
    searcher: ListingEngine, model: Model, limit: int, steps: float, context: Context
) -> list[I64] | None:
    """List the first `limit` solutions, or all; None if that takes more steps, or the memory."""
    limited = context.with_work(steps).without_progress
    check = context.memory_checker()
    listed = []
    try:
        for solution in searcher.solutions(model, limited, limit=limit):
            check(solution.nbytes)
            listed.append(solution)
    except LimitReached:
        context.check("while an engine was chosen")
        return None
    return listed


def _choose_listed_solutions(
    searcher: ListingEngine, model: Model, steps: float, context: Context
) -> EngineChoice | None:
    """Try to list all solutions; None if they are too many or take more than ``steps`` steps."""
    listed = _list_by_search(searcher, model, SEARCH_SOLUTIONS + 1, steps, context)
    if listed is None or len(listed) > SEARCH_SOLUTIONS:
        return None
    why = f"the search ended within {steps:,.0f} steps"
    return EngineChoice(searcher.name, why, len(listed), solutions=listed)


def choose_set(
    model: Model,
    context: Context,
    order: str = "auto",
    *,
    decoder: Decoder | None = None,
    unprojected: bool = True,
    limit: int | None = None,
) -> EngineChoice:
    """Choose how to represent a model's solution set, as a diagram if the diagram is small enough.

    Args:
        model: what is asked about.
        order: of the diagram; one that is named wants a diagram.
        decoder: turns keys into solutions.
        unprojected: all variables are looked at; a projection wants a diagram.
        limit: number of solutions that are wanted. If there are fewer, a search finds them all;
            if there are more, and a diagram would take long, the set has the first of a search.

    Raises:
        LimitReached: the time was used up by looking.
    """
    # What singles settle in a problem of its own is still a choice of options: for a diagram.
    settled = model.origin.allows_propagation and find_engine("singles").probe(model, context)
    if settled:
        return EngineChoice("singles", settled.why, settled.count)
    if order != "auto":
        return EngineChoice(_COMPILER, f"the order {order} was named", order=order)
    holder = choose_set_engine(model) if unprojected else None
    searcher = choose_listing_engine(model)
    first = None
    if limit is not None and unprojected and searcher.fits(model):
        steps = FIRST_STEPS if holder else math.inf
        first = _list_by_search(searcher, model, limit, steps, context)
        if first is not None and len(first) < limit:
            why = f"counted up to {limit:,}"
            return EngineChoice(searcher.name, why, len(first), solutions=first)
    tried = first_successful_probe(model, context, for_count=False)
    if tried is not None:
        engine, probe = tried
        most = SEARCH_SOLUTIONS if holder is None else SEARCH_SOLUTIONS_IN_SET
        if isinstance(engine, ListingEngine) and probe.count <= most:
            return EngineChoice(engine.name, probe.why, probe.count)
    grids = decoder if unprojected and isinstance(decoder, GridDecoder) else None
    if tried is None and holder is None and grids and searcher.is_preferred(model):
        found = _choose_listed_solutions(searcher, model, FIRST_STEPS, context)
        if found is not None:
            return found
    if holder is None or tried is not None:
        forecast = _forecast_of_diagram(model, context)
        slow = forecast.seconds > DIAGRAM_SECONDS
        if grids and slow and first is not None:
            from bddsudoku.sets.listedset import SearchedSet

            some = SearchedSet(len(first), lambda most: iter(first[:most]), grids)
            why = f"the first {len(first):,} of a search"
            return EngineChoice(searcher.name, why, solution_set=some)
        decomposes = choose_set_engine(model, uses_components=True) is not None
        steps = 0 if decomposes or tried is not None else _search_steps(forecast.seconds)
        found = _choose_listed_solutions(searcher, model, steps, context) if steps else None
        if found is None and grids and slow:
            found = _choose_decomposition(model, grids, forecast.seconds, context)
        return found or EngineChoice(_COMPILER, forecast.why, order=forecast.order)
    held = holder.solution_set(model, context, decoder=decoder)
    number = held.count()
    if number > DIAGRAM_SOLUTIONS:
        why = f"{number:,} solutions are too many for a diagram in seconds"
        return EngineChoice(holder.name, why, number, solution_set=held)
    forecast = _forecast_of_diagram(model, context)
    if forecast.seconds <= DIAGRAM_SECONDS:
        why = f"{number:,} solutions, predicted {forecast.states:,.0f} states in order "
        return EngineChoice(_COMPILER, why + forecast.order, number, forecast.order)
    why = f"a diagram would take {forecast.states:,.0f} states or more"
    return EngineChoice(holder.name, why, number, solution_set=held)


def choose_diagram_to_list(
    model: Model, number: int, wanted: int, context: Context
) -> EngineChoice | None:
    """Choose a diagram to list the first ``wanted`` solutions of ``number``; None for a search."""
    if number > MAX_DIAGRAM_COUNT or wanted < min(number, MAX_SEARCHED_PREFIX + 1):
        return None
    forecast = _forecast_of_diagram(model, context)
    memory = DIAGRAM_BYTES if context.max_memory is None else context.max_memory
    if forecast.states * BYTES_PER_STATE > memory:
        return None
    why = f"{number:,} solutions, predicted {forecast.states:,.0f} states"
    return EngineChoice(_COMPILER, why, order=forecast.order)
