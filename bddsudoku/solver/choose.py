"""Which engine fits a question, by predicted cost; it says which and why.

* What singles settle, or a short search, is answered at once (:meth:`Engine.trial`).
* Otherwise every engine that does not refuse forecasts its cost, and the cheapest counts; where
  that is seconds, a search gets a share of them first.
* A set is best held by a diagram, which answers more questions; where one would be too large an
  engine that holds sets without a diagram does it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from bddsudoku.engine.protocol import Compiles, Engine, Forecast, Found, Holds, Lists
from bddsudoku.engine.registry import engine, engines_for, searcher_for
from bddsudoku.errors import LimitReached
from bddsudoku.limits import Limits, Progress
from bddsudoku.model.model import Model
from bddsudoku.solutions.protocol import SolutionFamily
from bddsudoku.solver.question import Question

__all__ = ["Choice", "choose_counter", "choose_set", "short_trial"]

SEARCH_SOLUTIONS = 100_000
"""Solutions that a trial may hand over to a diagram."""
SEARCH_SOLUTIONS_HELD = 1_000
"""The same where another engine could hold the set: beyond it a diagram is compiled sooner."""
DIAGRAM_SECONDS = 5.0
"""A predicted diagram up to here is preferred to a set without one: it answers more questions."""
FIRST_SECONDS = 0.3
"""A search that suits a model gets so long before anything is predicted, which may take longer."""
SLOW_SECONDS = 2.0
"""Where a count is predicted to take longer, a search gets a share of that time first: this"""
SEARCH_SHARE = 0.2
"""share, and never more than"""
SEARCH_SECONDS = 10.0
"""seconds. Formulas may have few solutions and yet very wide diagrams."""
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
    held: SolutionFamily | None = None


def short_trial(model: Model, limits: Limits) -> tuple[Engine, Found] | None:
    """The first engine whose trial answers.

    Of those that search only the one that suits the model: where it does not end, no other does.
    """
    searcher = searcher_for(model)
    for candidate in engines_for(model, Engine, voting=False):
        if isinstance(candidate, Lists) and candidate is not searcher:
            continue
        found = candidate.trial(model, limits)
        if found is not None:
            return candidate, found
    return None


def choose_counter(model: Model, limits: Limits) -> Choice:
    """Who counts a model's solutions fastest.

    Raises:
        LimitReached: the time was used up by looking.
    """
    tried = short_trial(model, limits)
    if tried is not None:
        return Choice(tried[0].name, tried[1].why, tried[1].count)
    searcher = searcher_for(model)
    if searcher.suits(model) and (found := _searched(searcher, model, FIRST_SECONDS, limits)):
        return found
    best: tuple[Engine, Forecast] | None = None
    for candidate in engines_for(model, Engine):
        # One that is sure to be fast spares the others the work of looking.
        if best is not None and best[1].seconds <= DIAGRAM_SECONDS:
            break
        forecast = candidate.forecast(model, limits)
        if forecast is not None and (best is None or forecast.seconds < best[1].seconds):
            best = candidate, forecast
    if best is None:
        return Choice(searcher.name, "no other engine takes this")
    if best[1].seconds >= SLOW_SECONDS:
        share = min(SEARCH_SHARE * best[1].seconds, SEARCH_SECONDS)
        if found := _searched(searcher, model, share, limits):
            why = f"{found.why}, a diagram would take {best[1].seconds:.0f} s"
            return replace(found, why=why)
    return Choice(best[0].name, best[1].why, order=best[1].order)


def _searched(searcher: Lists, model: Model, seconds: float, limits: Limits) -> Choice | None:
    """The count by search, where it ends within a small share of what others would take."""
    try:
        number = searcher.count(model, limits.within(seconds))
    except LimitReached:
        limits.check("while an engine was chosen")
        return None
    return Choice(searcher.name, f"the search ended within {seconds:.1f} s", number)


def choose_set(
    question: Question, limits: Limits, order: str = "auto", progress: Progress | None = None
) -> Choice:
    """What holds a question's solutions best: a diagram while it is small.

    Args:
        question: what is asked.
        limits: memory and time.
        order: of the diagram; one that is named wants a diagram.
        progress: called with (done, total) where an engine must count to know.

    Raises:
        LimitReached: the time was used up by looking.
    """
    model = question.model
    # What singles settle in a problem of its own is still a choice of options: for a diagram.
    settles = model.origin is not None and model.origin.settles
    settled = engine("singles").trial(model, limits) if settles else None
    if settled is not None:
        return Choice("singles", settled.why, settled.count)
    compilers = engines_for(model, Compiles)
    if order != "auto":
        return Choice(compilers[0].name, f"the order {order} was named", order=order)
    holders = engines_for(model, Holds)
    tried = short_trial(model, limits)
    few = SEARCH_SOLUTIONS_HELD if holders else SEARCH_SOLUTIONS
    if tried is not None and tried[1].count <= few and isinstance(tried[0], Lists):
        return Choice(tried[0].name, tried[1].why, tried[1].count)
    if not holders or tried is not None:
        forecast = compilers[0].diagram_forecast(model, limits)
        number = None if tried is None else tried[1].count
        if forecast is None:
            return Choice(compilers[0].name, "it makes diagrams of any model", number)
        return Choice(compilers[0].name, forecast.why, number, forecast.order)
    holder = holders[0]
    held = holder.family(model, limits, progress, decoder=question.decoder)
    number = held.count()
    if number > DIAGRAM_SOLUTIONS:
        why = f"{number:,} solutions are too many for a diagram in seconds"
        return Choice(holder.name, why, number, held=held)
    forecast = compilers[0].diagram_forecast(model, limits)
    if forecast is not None and forecast.seconds <= DIAGRAM_SECONDS:
        why = f"{number:,} solutions, predicted {forecast.states:,.0f} states in order "
        return Choice(compilers[0].name, why + forecast.order, number, forecast.order)
    states = 0.0 if forecast is None else forecast.states
    why = f"a diagram would take {states:,.0f} states or more"
    return Choice(holder.name, why, number, held=held)
