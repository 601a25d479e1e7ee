"""Choice of the item order with the fewest predicted states, for diagrams and for counts.

First comes what an order leaves half done: at every level the items that some options above and
some below touch, each weighed by the entropy of the share that has been passed; no state is made.
On fourteen puzzles of 13 to 17 hints its first order had 1.4 times the states of the best of all,
row order 1.6 times.

The orders that lead then run a *race*: each is looked at by a beam of states
(:mod:`bddsudoku.engine.frontier.width_forecast`), and the best of them again by a wider one, as
long as the best is predicted to have so many states that the look costs a small part of them.

A count may merge states that are equal up to value symmetry. Then other orders are good: what
matters is how soon values become interchangeable, and how few houses are open then. Beams of a few
hundred such states are far off (states of many ancestors are seen too seldom), those of thousands
are not, and take hundredths of a second.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Generic, TypeVar

import numpy as np

from bddsudoku.context import Context
from bddsudoku.engine.calibration import (
    CLEAR_ADVANTAGE,
    FEW_STATES,
    HOPELESS_FACTOR,
    LARGE_STATES,
    MDD_STATES_PER_SECOND,
    SOON_SORTED_STATES,
    SORTED_HOUSE_STATES_PER_SECOND,
    SORTED_STATES_PER_SECOND,
    STATES_PER_SECOND,
)
from bddsudoku.engine.frontier.forward import thread_count
from bddsudoku.engine.frontier.width_forecast import forecast_widths
from bddsudoku.engine.protocol import Forecast
from bddsudoku.engine.specs.model_levels import model_levels
from bddsudoku.engine.specs.product_spec import model_spec
from bddsudoku.engine.specs.value_symmetry_spec import ValueSymmetrySpec, make_value_symmetry_spec
from bddsudoku.errors import LimitReached, ModelError
from bddsudoku.model.ordering import (
    item_orders,
    orders_for_value_symmetry,
    variable_constraint_pairs,
)
from bddsudoku.model.value_symmetry import ValueSymmetry, find_value_symmetry

if TYPE_CHECKING:
    from bddsudoku.engine.frontier.spec import Spec
    from bddsudoku.jit.decorators import I64
    from bddsudoku.model.model import Model

_TRIVIAL_STATES = 100_000
"""States below which no choice of order could pay."""
_FIRST_BEAM_WIDTH = 60
"""Beam of a first look at the natural order."""
_MAX_SPECS = 24
"""Specs whose memory a race may take, those included that threads are making."""
_CONTENDERS = 3
"""Orders that race for a diagram; more narrow looks would crown the one that is underrated most."""
_LOOKS = (300, 3, 2_000_000), (2500, 1, 0)
"""Looks of a race: the beam, how many orders are looked at again, and the predicted states of the
best for which no further look pays."""
_SORTED_LOOKS = (300, 5, 0), (3000, 2, 150_000), (10_000, 1, 1_000_000)
"""The same for a count up to symmetry."""
_STOP_FACTOR = 30
"""A look ends at so many times the states of the best order so far."""


@dataclass(frozen=True, eq=False)
class OrderChoice:
    """A chosen item order.

    Attributes:
        name: its name.
        order: the item order.
        states: predicted, of all levels.
    """

    name: str
    order: tuple[int, ...]
    states: float


def order_entropy(model: Model, order: Sequence[int], incidence_pairs: I64) -> float:
    """Estimate the logarithm of the number of states of a diagram under an order.

    Args:
        model: after propagation.
        order: of the levels.
        incidence_pairs: :func:`bddsudoku.model.ordering.variable_constraint_pairs` of the model.

    Cost: sorting the model's matrix, a millisecond for thousands of constraints.
    """
    levels = model_levels(model, order)
    height = len(levels)
    places = incidence_pairs[:, 1] * height + levels.level_of[incidence_pairs[:, 0]]
    places, touched = np.unique(places, return_counts=True)
    constraint, level = np.divmod(places, max(height, 1))
    # Runs of one constraint: what each has passed after a level, until the next that it touches.
    every = np.bincount(constraint, touched)
    passed = touched.cumsum()
    fraction = (passed - (every.cumsum() - every)[constraint]) / every[constraint]
    inner = np.clip(fraction, 1e-12, 1 - 1e-12)
    entropy = -(inner * np.log2(inner) + (1 - inner) * np.log2(1 - inner))
    entropy[fraction >= 1] = 0
    change = np.bincount(level, entropy, minlength=height + 1)
    change -= np.bincount(np.append(level[1:], 0)[: len(level)], entropy, minlength=height + 1)
    load = 0.3 * change.cumsum()[: max(height - 1, 0)].round(9)
    top = load.max(initial=0)
    return float(top + np.log(np.exp(load - top).sum() + 1e-300))


K = TypeVar("K", bound=Hashable)


class _OrderForecasts(Generic[K]):
    """Predicts the number of states under each of several orders, from samples of growing size.

    Args:
        make_spec: the spec of an order; None where it says nothing.
        activity: for the message when the time is up.
    """

    def __init__(
        self, make_spec: Callable[[K], Spec | None], context: Context, activity: str
    ) -> None:
        self.make_spec = make_spec
        self.context = context
        self.activity = activity
        self.specs: dict[K, Spec | None] = {}
        self.predicted: dict[K, float] = {}

    def predict_states(self, order: K, beam: int, stop: float = float("inf")) -> float:
        """Predict the number of states under one order.

        Several threads may do so at once, for distinct orders.

        Raises:
            LimitReached: the time was used up, or a constraint's machine is too wide.
        """
        self.context.check(self.activity)
        if order not in self.specs:
            self.specs[order] = self.make_spec(order)
        spec = self.specs[order]
        if spec is None:
            return float("inf")
        self.predicted[order] = forecast_widths(spec, beam, stop=stop).total_states
        return self.predicted[order]

    def race(self, orders: Sequence[K], looks: Sequence[tuple[int, int, int]], states: float) -> K:
        """The order that leads after looks by growing beams at fewer and fewer orders.

        Args:
            orders: those that take part.
            looks: see :data:`_LOOKS`.
            states: predicted of a good order.
        """
        for beam, kept, enough in looks:
            look = partial(self.predict_states, beam=beam, stop=_STOP_FACTOR * states)
            with ThreadPoolExecutor(thread_count(None)) as pool:
                list(pool.map(look, orders))
            known = [order for order in orders if self.specs[order] is not None]
            orders = sorted(known, key=self.predicted.__getitem__)[:kept]
            states = self.predicted[orders[0]]
            if states <= enough:
                break
        return orders[0]


def choose_order(model: Model, context: Context) -> OrderChoice:
    """Choose the item order with the fewest predicted states, for a model after propagation.

    The work is bounded by a number of states, not by a clock, so the choice is deterministic.

    Raises:
        LimitReached: the time was used up.
    """
    named = item_orders(model)
    every = {name: tuple(order) for name, order in named.items()}
    forecasts = _OrderForecasts[str](
        lambda name: model_spec(model, every[name], check=context.memory_checker()),
        context,
        "while an item order was chosen",
    )
    best = natural = next(iter(every))
    states = forecasts.predict_states(natural, _FIRST_BEAM_WIDTH)
    spec = forecasts.specs[natural]
    assert spec is not None
    fits = context.max_memory is None or _MAX_SPECS * spec.nbytes <= context.max_memory
    if states > _TRIVIAL_STATES and len(named) > 1 and fits:
        for name in named:
            for more, order in model.origin.order_variants(model, name).items():
                every.setdefault(more, tuple(order))
        pairs = variable_constraint_pairs(model)
        loads = {name: order_entropy(model, order, pairs) for name, order in every.items()}
        contenders = sorted(every, key=loads.__getitem__)[:_CONTENDERS]
        best = forecasts.race(contenders, _LOOKS, states)
    return OrderChoice(best, every[best], forecasts.predicted[best])


_ENOUGH_STATES = 150_000
"""Predicted states of the natural order for which no other is looked at."""
_MAX_ORDERS = 64
"""Orders that are looked at, at most."""
_SORTED_HOUSES_FACTOR = 4
"""Where lines are sorted, too, a step takes so many times as long."""


@dataclass(frozen=True, eq=False)
class ValueSymmetryOrder:
    """A chosen order for a count up to value symmetry, with its spec and predicted states.

    Attributes:
        order: its name.
        sorted: the spec and its classes.
        states: predicted.
    """

    order: str
    sorted: ValueSymmetrySpec
    states: float

    @property
    def why(self) -> str:
        """The reason for the choice of the order, as text for messages."""
        return (
            f"predicted {self.states:,.0f} states in order {self.order}, "
            f"up to {self.sorted.classes.largest_size} interchangeable values sorted"
            + (
                f" and {self.sorted.interchangeable_houses} lines"
                if self.sorted.interchangeable_houses > 1
                else ""
            )
        )


def choose_order_up_to_symmetry(
    model: Model,
    context: Context,
    symmetry: ValueSymmetry,
    give_up_states: float = float("inf"),
) -> ValueSymmetryOrder | None:
    """Choose an order of places (cells) for a count that merges states by value symmetry.

    Args:
        model: propagated; what is left of it says what cannot be.
        symmetry: its candidate value symmetry.
        give_up_states: states of the first order at which no other is looked at.

    Returns:
        None where no values are interchangeable, or ``give_up_states`` are reached.

    Raises:
        LimitReached: the time was used up, or a constraint's machine is too wide.
    """
    known = frozenset(v.key for v in (*model.variables, *model.fixed))
    place_at = {constraint: place for place, constraint in enumerate(symmetry.places)}
    orders: dict[str, list[int]] = {}
    for name, order in _place_orders(model, symmetry).items():
        places = [place_at[i] for i in order]
        orders[name] = [*places, *sorted(set(place_at.values()).difference(places))]
    made: dict[tuple[str, bool], ValueSymmetrySpec] = {}

    def spec_of(order: tuple[str, bool]) -> Spec | None:
        """Make the spec of an order, given by its name and by whether houses are sorted."""
        name, sorts_houses = order
        found = make_value_symmetry_spec(
            symmetry,
            orders[name],
            sort_houses=sorts_houses,
            known=known,
            check=context.memory_checker(),
        )
        if found is None:
            return None
        made[order] = found
        return found.spec

    forecasts = _OrderForecasts(spec_of, context, "while an order was chosen")

    def sorting(order: tuple[str, bool]) -> ValueSymmetryOrder:
        return ValueSymmetryOrder(order[0], made[order], forecasts.predicted[order])

    contenders = [(name, True) for name in orders]
    natural = contenders[0]
    states = forecasts.predict_states(natural, _SORTED_LOOKS[0][0])
    if states >= give_up_states or made[natural].classes.largest_size < 2:
        return None
    if states <= _ENOUGH_STATES:
        return sorting(natural)
    best = sorting(forecasts.race(contenders, _SORTED_LOOKS, states))
    if best.sorted.interchangeable_houses == 1:
        return best
    plain = best.order, False
    forecasts.predict_states(plain, _SORTED_LOOKS[1][0], _STOP_FACTOR * best.states)
    other = sorting(plain)
    return other if other.states <= _SORTED_HOUSES_FACTOR * best.states else best


def _place_orders(model: Model, symmetry: ValueSymmetry) -> dict[str, tuple[int, ...]]:
    places = set(symmetry.places)
    found: dict[str, tuple[int, ...]] = {"model": symmetry.places}
    try:
        named = orders_for_value_symmetry(model)
    except ModelError:
        return found
    good = {name: tuple(i for i in order if i in places) for name, order in named.items()}
    whole = {name: order for name, order in good.items() if order}
    return dict(list(whole.items())[:_MAX_ORDERS]) or found


@dataclass(frozen=True, eq=False)
class CountPlan:
    """A function that makes the spec of a count, with the predicted cost of the count.

    Attributes:
        forecast: what it will cost.
        spec: makes it.
    """

    forecast: Forecast
    spec: Callable[[], Spec]


def make_plan_without_symmetry(model: Model, context: Context) -> CountPlan:
    """Plan a count without merging states by symmetry, for a model after propagation."""
    chosen = choose_order(model, context)
    states = chosen.states
    why = f"{len(model.variables)} variables, predicted {states:,.0f} states in order {chosen.name}"
    forecast = Forecast(states / _states_per_second(model), why, chosen.name, states)
    return CountPlan(forecast, lambda: model_spec(model, chosen.order))


def make_count_plan(model: Model, context: Context) -> CountPlan:
    """Plan a count with or without merging states by symmetry, whichever is cheaper.

    The model has been simplified by propagation.

    Raises:
        LimitReached: the time was used up.
    """
    symmetry = find_value_symmetry(model)
    if symmetry is None:
        return make_plan_without_symmetry(model, context)
    order = next(iter(item_orders(model).values()))
    natural = forecast_widths(
        model_spec(model, order, check=context.memory_checker()), _FIRST_BEAM_WIDTH
    ).total_states
    if natural <= FEW_STATES:
        return make_plan_without_symmetry(model, context)
    try:
        found = choose_order_up_to_symmetry(model, context, symmetry, HOPELESS_FACTOR * natural)
    except LimitReached as stop:
        if stop.limit == "time":
            raise
        found = None  # a machine of the model before hints is too wide
    if found is None:
        return make_plan_without_symmetry(model, context)
    why = f"{len(model.variables)} variables, {found.why}"
    spec = found.sorted.spec
    rate = (
        SORTED_STATES_PER_SECOND
        if found.sorted.interchangeable_houses == 1
        else SORTED_HOUSE_STATES_PER_SECOND
    )
    sorted_ = CountPlan(Forecast(found.states / rate, why, found.order, found.states), lambda: spec)
    if found.states <= SOON_SORTED_STATES or natural > CLEAR_ADVANTAGE * found.states:
        return sorted_
    other = make_plan_without_symmetry(model, context)
    return other if other.forecast.seconds <= sorted_.forecast.seconds else sorted_


def _states_per_second(model: Model) -> float:
    """Estimate how many frontier states are made in a second, by the kind and size of the model."""
    if model.why_no_cover is not None:
        return MDD_STATES_PER_SECOND
    return STATES_PER_SECOND * min(1.0, (LARGE_STATES / max(len(model.variables), 1)) ** 2)
