"""Which engine fits a question, by predicted cost; it says which and why.

* What singles settle, or a short search, is answered at once (:meth:`Engine.trial`).
* Otherwise every engine that does not refuse forecasts its cost, and the cheapest counts; where
  that is seconds, a search gets a share of them first.
* A set is best held by a diagram, which answers more questions; where one would be too large an
  engine that holds sets without a diagram does it, or one that takes what falls apart.

Nobody looks at the clock: forecasts count states, and attempts are given steps, so that the choice,
and with it the order of a set and its samples, is the same on a busy machine.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from bddsudoku.context import Context
from bddsudoku.engine.protocol import (
    Compiles,
    Engine,
    Forecast,
    Found,
    Holds,
    Lists,
    decomposer_for,
    engine,
    engines_for,
    searcher_for,
)
from bddsudoku.errors import LimitReached
from bddsudoku.model.model import Model
from bddsudoku.sets.base import GridFamily
from bddsudoku.sets.countedset import CountedSet
from bddsudoku.sets.decoder import GridDecoder
from bddsudoku.solver.question import Question

SEARCH_SOLUTIONS = 100_000
"""Solutions that a trial may hand over to a diagram."""
SEARCH_SOLUTIONS_HELD = 1_000
"""The same where another engine could hold the set: beyond it a diagram is compiled sooner."""
DIAGRAM_SECONDS = 5.0
"""A predicted diagram up to here is preferred to a set without one: it answers more questions."""
FIRST_STEPS = 3e8
"""A search that suits a model gets so many steps (some 0.3 s) before anything is predicted, which
may take longer;"""
APART_STEPS = 6e8
"""one that takes what falls apart so many,"""
APART_SHARE = 1.5e9
"""and then so many for every second that a diagram is predicted to take, which is as long on two
cores: there is no telling which is faster."""
SLOW_SECONDS = 2.0
"""Where a count is predicted to take longer, a search gets a share of that first: so many"""
SEARCH_SHARE = 2e8
"""steps a second (a fifth of the time), and never more than"""
SEARCH_STEPS = 1e10
"""steps. Formulas may have few solutions and yet very wide diagrams."""
SPARE_STEPS = 6e10
"""Where a count does not fit into the memory, a search, which needs none, gets so many steps."""
COUNT_SECONDS = 20.0
"""Where a diagram is predicted to take longer than this, and a count"""
COUNT_TIMES = 20.0
"""times less, a set is only counted."""
DIAGRAM_SOLUTIONS = 20_000_000
"""Beyond so many solutions no diagram is predicted while another engine can hold the set."""


@dataclass(frozen=True)
class Choice:
    """An engine and why it.

    Attributes:
        engine: its name.
        why: half a sentence for people.
        count: the answer, where choosing already found it.
        order: order of a diagram, where one was picked.
        held: the set, where an engine that needs no diagram holds it.
    """

    engine: str
    why: str
    count: int | None = None
    order: str = "auto"
    held: GridFamily | None = None


def short_trial(model: Model, context: Context) -> tuple[Engine, Found] | None:
    """The first engine whose trial answers.

    Of those that search only the one that suits the model: where it does not end, no other does.
    """
    searcher = searcher_for(model)
    for candidate in engines_for(model, Engine, voting=False):
        if isinstance(candidate, Lists) and candidate is not searcher:
            continue
        found = candidate.trial(model, context)
        if found is not None:
            return candidate, found
    return None


def choose_counter(model: Model, context: Context) -> Choice:
    """Who counts a model's solutions fastest.

    Raises:
        LimitReached: the time was used up by looking.
    """
    tried = short_trial(model, context)
    if tried is not None:
        return Choice(tried[0].name, tried[1].why, tried[1].count)
    searcher = searcher_for(model)
    apart = decomposer_for(model)
    found = None
    if apart is not None:
        found = _attempted(apart, model, APART_STEPS, context)
    elif searcher.suits(model):
        found = _attempted(searcher, model, FIRST_STEPS, context)
    if found is not None:
        return found
    best: tuple[Engine, Forecast] | None = None
    for candidate in engines_for(model, Engine):
        # One that is sure to be fast spares the others the work of looking.
        if best is not None and best[1].seconds <= DIAGRAM_SECONDS:
            break
        forecast = candidate.forecast(model, context)
        if forecast is not None and (best is None or forecast.seconds < best[1].seconds):
            best = candidate, forecast
    if best is None:
        return Choice(searcher.name, "no other engine takes this")
    if apart is not None or best[1].seconds >= SLOW_SECONDS:
        share = min(SEARCH_SHARE * best[1].seconds, SEARCH_STEPS)
        if apart is not None:
            share = APART_SHARE * best[1].seconds
        if found := _attempted(apart or searcher, model, share, context):
            why = f"{found.why}, a diagram would take {best[1].seconds:.0f} s"
            return replace(found, why=why)
    return Choice(best[0].name, best[1].why, order=best[1].order)


def attempt(context: Context, steps: float) -> Context:
    """Limits of a search that may take so many steps."""
    return replace(context, work=int(min(steps, 1e18)))


def _attempted(engine: Engine, model: Model, steps: float, context: Context) -> Choice | None:
    """The count by a search, where it ends within a small share of what others would take."""
    try:
        number = engine.count(model, attempt(context, steps).silent)
    except LimitReached:
        context.check("while an engine was chosen")
        return None
    return Choice(engine.name, f"the search ended within {steps:,.0f} steps", number)


def _fallen_apart(question: Question, forecast: Forecast | None, context: Context) -> Choice | None:
    """A set that falls apart, where that shows within a small share of what a diagram would take.

    Args:
        question: what is asked; its solutions must be grids.
        forecast: of the diagram.
    """
    apart = decomposer_for(question.model)
    if apart is None or forecast is None or forecast.seconds <= DIAGRAM_SECONDS:
        return None
    if question.projection is not None or not isinstance(question.decoder, GridDecoder):
        return None
    share = attempt(context, APART_SHARE * forecast.seconds)
    try:
        held = apart.family(question.model, share, decoder=question.decoder)
    except LimitReached:
        context.check("while an engine was chosen")
        return None
    why = f"it falls apart, a diagram would take {forecast.seconds:.0f} s"
    return Choice(apart.name, why, held=held)


def _only_counted(question: Question, forecast: Forecast | None, context: Context) -> Choice | None:
    """A set that is asked by counts alone, where a diagram would take far longer than a count.

    Args:
        question: what is asked; its solutions must be grids.
        forecast: of the diagram.
    """
    model, decoder = question.model, question.decoder
    if (
        forecast is None
        or forecast.seconds <= COUNT_SECONDS
        or question.projection is not None
        or not isinstance(decoder, GridDecoder)
    ):
        return None
    counting = engine(engines_for(model, Compiles)[0].name).forecast(model, context)
    if counting is None or COUNT_TIMES * counting.seconds > forecast.seconds:
        return None

    def count(model: Model) -> int:
        chosen = choose_counter(model, context)
        if chosen.count is not None:
            return chosen.count
        return engine(chosen.engine).count(model, context.silent)

    why = f"it is counted again for each question, a diagram would take {forecast.seconds:,.0f} s"
    return Choice("frontier", why, held=CountedSet(model, decoder, count))


def choose_set(question: Question, context: Context, order: str = "auto") -> Choice:
    """What holds a question's solutions best: a diagram while it is small.

    Args:
        question: what is asked.
        order: of the diagram; one that is named wants a diagram.

    Raises:
        LimitReached: the time was used up by looking.
    """
    model = question.model
    # What singles settle in a problem of its own is still a choice of options: for a diagram.
    settled = engine("singles").trial(model, context) if model.origin.settles else None
    if settled is not None:
        return Choice("singles", settled.why, settled.count)
    compilers = engines_for(model, Compiles)
    if order != "auto":
        return Choice(compilers[0].name, f"the order {order} was named", order=order)
    holders = engines_for(model, Holds) if question.projection is None else ()
    tried = short_trial(model, context)
    few = SEARCH_SOLUTIONS_HELD if holders else SEARCH_SOLUTIONS
    if tried is not None and tried[1].count <= few and isinstance(tried[0], Lists):
        return Choice(tried[0].name, tried[1].why, tried[1].count)
    if not holders or tried is not None:
        forecast = compilers[0].diagram_forecast(model, context)
        number = None if tried is None else tried[1].count
        if found := _fallen_apart(question, forecast, context):
            return found
        if found := _only_counted(question, forecast, context):
            return found
        if forecast is None:
            return Choice(compilers[0].name, "it makes diagrams of any model", number)
        return Choice(compilers[0].name, forecast.why, number, forecast.order)
    holder = holders[0]
    held = holder.family(model, context, decoder=question.decoder)
    number = held.count()
    if number > DIAGRAM_SOLUTIONS:
        why = f"{number:,} solutions are too many for a diagram in seconds"
        return Choice(holder.name, why, number, held=held)
    forecast = compilers[0].diagram_forecast(model, context)
    if forecast is not None and forecast.seconds <= DIAGRAM_SECONDS:
        why = f"{number:,} solutions, predicted {forecast.states:,.0f} states in order "
        return Choice(compilers[0].name, why + forecast.order, number, forecast.order)
    states = 0.0 if forecast is None else forecast.states
    why = f"a diagram would take {states:,.0f} states or more"
    return Choice(holder.name, why, number, held=held)
