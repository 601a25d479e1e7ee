"""How the frontier counts a model: which states, sorted or not, in which order."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

from bddsudoku.engine.frontier.predict import predict_spec
from bddsudoku.engine.orders import OrderChoice, choose_order
from bddsudoku.engine.protocol import Forecast
from bddsudoku.engine.sorting import choose_sorting
from bddsudoku.engine.specs.product import model_spec
from bddsudoku.errors import LimitReached
from bddsudoku.limits import Limits
from bddsudoku.model.colours import colourings
from bddsudoku.model.origin import item_orders, order_variants

if TYPE_CHECKING:
    from bddsudoku.engine.frontier.spec import Spec
    from bddsudoku.model.model import Model

__all__ = ["STATES_A_SECOND", "Plan", "best_order", "plan_of", "unsorted_plan"]

STATES_A_SECOND = 3e6
"""Frontier states made in a second on the usual machine, both passes."""
_LARGE = 500
"""Variables beyond which both the words of a state and its children grow, so that the rate falls
with their square."""
_WITH_MACHINES = 1e6
"""The same where states hold the registers of machines."""
_GLANCE = 60
"""Beam of a look at the natural order."""
_NARROW = 20_000
"""Predicted states up to which nothing else is looked at."""
_SOON = 300_000
"""Predicted sorted states up to which no others are looked at; likewise where the natural order of
unsorted ones has"""
_FAR = 50
"""times as many."""
_HOPELESS = 3000.0
"""Times the unsorted states of the natural order that sorted ones may have at first sight: narrow
beams see few of the states that are one."""
_SORTED_A_SECOND = 5e6
"""Sorted states made in a second, which carry no options with them,"""
_TURNED_A_SECOND = 1.2e6
"""and where their houses are sorted, too."""


@dataclass(frozen=True, eq=False)
class Plan:
    """A spec to be counted.

    Attributes:
        forecast: what it will cost.
        spec: makes it.
    """

    forecast: Forecast
    spec: Callable[[], Spec]


def best_order(model: Model, limits: Limits) -> OrderChoice:
    """The item order with the fewest predicted states, for a propagated model."""
    return choose_order(
        model,
        item_orders(model),
        refine=lambda name: order_variants(model, name),
        limits=limits,
    )


def unsorted_plan(model: Model, limits: Limits) -> Plan:
    """States that name their colours, as diagrams need them, for a propagated model."""
    chosen = best_order(model, limits)
    states = chosen.predicted.get(chosen.name, 0.0)
    why = f"{len(model.variables)} variables, predicted {states:,.0f} states in order {chosen.name}"
    forecast = Forecast(states / _rate(model), why, chosen.name, states)
    return Plan(forecast, lambda: model_spec(model, chosen.order))


def plan_of(model: Model, limits: Limits) -> Plan:
    """The cheaper one of sorted and unsorted states, for a propagated model.

    Raises:
        LimitReached: the time was used up.
    """
    every = colourings(model)
    first = next(every, None)
    if first is None:
        return unsorted_plan(model, limits)
    order = next(iter(item_orders(model).values()))
    natural = predict_spec(model_spec(model, order, check=limits.account()), _GLANCE).states
    if natural <= _NARROW:
        return unsorted_plan(model, limits)
    try:
        found = choose_sorting(model, limits, chain([first], every), _HOPELESS * natural)
    except LimitReached as stop:
        if stop.limit == "time":
            raise
        found = None  # a machine of the model before hints is too wide
    if found is None:
        return unsorted_plan(model, limits)
    why = f"{len(model.variables)} variables, {found.why}"
    spec = found.sorted.spec
    rate = _SORTED_A_SECOND if found.sorted.houses == 1 else _TURNED_A_SECOND
    sorted_ = Plan(Forecast(found.states / rate, why, found.order, found.states), lambda: spec)
    if found.states <= _SOON or natural > _FAR * found.states:
        return sorted_
    other = unsorted_plan(model, limits)
    return other if other.forecast.seconds <= sorted_.forecast.seconds else sorted_


def _rate(model: Model) -> float:
    if model.beyond_covers is not None:
        return _WITH_MACHINES
    return STATES_A_SECOND * min(1.0, (_LARGE / max(len(model.variables), 1)) ** 2)
