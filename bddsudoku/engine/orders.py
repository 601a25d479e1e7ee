"""Choosing an item order for a diagram: look at little, and at no more than it may save.

Three looks, each dearer and better than the one before:

* what an order leaves half done: at every level the items that some options above and some below
  touch, each weighed by the entropy of the share that has been passed; no state is made. On
  fourteen puzzles of 13 to 17 hints its first order had 1.4 times the states of the best of all,
  row order 1.6 times.
* a beam of states (:mod:`bddsudoku.engine.frontier.predict`) for the three or more that lead: 1.2
  times, for a twentieth of the states of the compilation.
* a wide beam for the three that lead then.

All beams together follow at most a seventh of the states that the best order is predicted to have,
which costs a fifth of the compilation.

Choosing how a count is sorted: the colours of a model, and an order with few sorted states.

Which orders are good for a count is another question than for a diagram: what matters is how soon
colours become alike, and how few houses are open then. Beams of a few hundred states of sorted
specs are far off (states of many ancestors are seen too seldom), those of thousands are not, and
take hundredths of a second.

How the frontier counts a model: which states, sorted or not, in which order.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import chain
from time import perf_counter
from typing import TYPE_CHECKING, Generic, TypeVar

import numpy as np

from bddsudoku.context import UNLIMITED, Context
from bddsudoku.engine.frontier.forward import worker_count
from bddsudoku.engine.frontier.predict import predict_spec
from bddsudoku.engine.protocol import Forecast
from bddsudoku.engine.specs.levels import levels_of
from bddsudoku.engine.specs.product import model_spec
from bddsudoku.engine.specs.symmetric import Sorted, sorted_spec
from bddsudoku.errors import LimitReached, ModelError
from bddsudoku.model.ordering import count_orders, item_orders, touches
from bddsudoku.model.symmetry import Colouring, colourings

if TYPE_CHECKING:
    from bddsudoku.engine.frontier.spec import Spec
    from bddsudoku.jit.decorators import I64
    from bddsudoku.model.model import Model, Orders

_SHARE = 0.14
"""Share of the best order's predicted states that all beams together may follow."""
_TRIVIAL = 100_000
"""States below which no choice of order could pay."""
_GLANCE = 60
"""Beam of a first look, which tells how much a race may cost."""
_NARROW = 100
"""Narrowest beam of a race."""
_FINE = 300
"""Beam that is wanted before a race takes in more orders."""
_FEWEST, _MANY = 3, 12
"""Orders in a race."""
_LEADERS = 3
"""Orders of the race that are looked at again."""
_WIDE = 5000
"""Widest beam: by then predictions are good to a few percent."""
_MADE = 24
"""Specs whose memory a race may take, those included that threads are making."""
_MOST = 3_000_000
"""States that are followed at most, however many there will be: some seconds."""


@dataclass(frozen=True, eq=False)
class OrderChoice:
    """The order that was picked, and why.

    Attributes:
        name: its name.
        order: the item order.
        predicted: for every order whose states were looked at, the last prediction of the states
            of all levels; a figure past that of the best may be where counting stopped.
        expanded: states looked at.
        seconds: time the choice took.
    """

    name: str
    order: tuple[int, ...]
    predicted: dict[str, float]
    expanded: int
    seconds: float


def half_done(model: Model, order: Sequence[int], pairs: I64) -> float:
    """How much an order leaves half done: the logarithm of a sum over its levels.

    Args:
        model: as for :func:`choose_order`.
        order: of the levels.
        pairs: :func:`bddsudoku.model.ordering.touches` of the model.

    Cost: sorting the model's matrix, a millisecond for thousands of constraints.
    """
    levels = levels_of(model, order)
    height = len(levels)
    places = pairs[:, 1] * height + levels.level_of[pairs[:, 0]]
    places, touched = np.unique(places, return_counts=True)
    constraint, level = np.divmod(places, max(height, 1))
    # Runs of one constraint: what each has passed after a level, until the next that it touches.
    every = np.bincount(constraint, touched)
    passed = touched.cumsum()
    share = (passed - (every.cumsum() - every)[constraint]) / every[constraint]
    inner = np.clip(share, 1e-12, 1 - 1e-12)
    entropy = -(inner * np.log2(inner) + (1 - inner) * np.log2(1 - inner))
    entropy[share >= 1] = 0
    change = np.bincount(level, entropy, minlength=height + 1)
    change -= np.bincount(np.append(level[1:], 0)[: len(level)], entropy, minlength=height + 1)
    load = 0.3 * change.cumsum()[: max(height - 1, 0)].round(9)
    top = load.max(initial=0)
    return float(top + np.log(np.exp(load - top).sum() + 1e-300))


K = TypeVar("K", bound=Hashable)


class _Race(Generic[K]):
    """Predictions of some orders' states with wider and wider beams.

    Args:
        made: the spec of an order; None where it says nothing.
        doing: for the message when the time is up.
    """

    def __init__(
        self,
        made: Callable[[K], Spec | None],
        context: Context,
        doing: str,
        threads: int | None = None,
    ) -> None:
        self.made = made
        self.context = context
        self.doing = doing
        self.threads = threads
        self.specs: dict[K, Spec | None] = {}
        self.predicted: dict[K, float] = {}
        self.expanded: list[int] = []  # by each look: threads may append, but not add up

    def look(self, order: K, beam: int, stop: float = float("inf")) -> float:
        """Predict one order's states (safe in threads, as long as orders differ).

        Raises:
            LimitReached: the time was used up, or a constraint's machine is too wide.
        """
        self.context.check(self.doing)
        if order not in self.specs:
            self.specs[order] = self.made(order)
        spec = self.specs[order]
        if spec is None:
            return float("inf")
        found = predict_spec(spec, beam, stop=stop)
        self.predicted[order] = found.states
        self.expanded.append(found.expanded)
        return found.states

    def round(self, orders: Sequence[K], beam: int, stop: float) -> list[K]:
        """Predict some orders, and give up beyond so many states; the best first."""
        with ThreadPoolExecutor(worker_count(self.threads)) as pool:
            list(pool.map(lambda order: self.look(order, beam, stop), orders))
        known = [order for order in orders if self.specs[order] is not None]
        return sorted(known, key=self.predicted.__getitem__)


def choose_order(
    model: Model,
    orders: Orders,
    *,
    refine: Callable[[str], Orders] | None = None,
    threads: int | None = None,
    context: Context = UNLIMITED,
) -> OrderChoice:
    """The order with the fewest predicted states.

    The work is bounded by a number of states, not by a clock, so the choice is deterministic.

    Args:
        model: as for :func:`~bddsudoku.engine.specs.product.model_spec`.
        orders: item orders by name.
        refine: given a name, further orders like it; asked about all of them where a race pays.
        threads: by default the cores of the process, four at most; the choice is the same.

    Raises:
        ModelError: no orders.
        LimitReached: the time was used up.
    """
    began = perf_counter()
    if not orders:
        raise ModelError("no item orders to choose from")
    every = {name: tuple(order) for name, order in orders.items()}
    race = _Race[str](
        lambda name: model_spec(model, every[name], check=context.account()),
        context,
        "while an item order was chosen",
        threads,
    )

    def chosen(name: str) -> OrderChoice:
        return OrderChoice(
            name, every[name], race.predicted, sum(race.expanded), perf_counter() - began
        )

    natural = next(iter(every))
    if race.look(natural, _GLANCE) <= _TRIVIAL or len(orders) == 1:
        return chosen(natural)
    spec = race.specs[natural]
    assert spec is not None
    if context.memory is not None and _MADE * spec.nbytes > context.memory:
        return chosen(natural)
    if refine is not None:
        for name in orders:
            for more, order in refine(name).items():
                every.setdefault(more, tuple(order))
    pairs = touches(model)
    loads = {name: half_done(model, order, pairs) for name, order in every.items()}
    names = sorted(every, key=loads.__getitem__)
    best = names[0]
    if best != natural:
        race.look(best, _GLANCE)
    spec = race.specs[best]
    assert spec is not None
    levels = max(1, spec.levels)

    def beam(runs: int, share: float) -> int:
        """The beam with which so many runs follow a share of the states still free to follow."""
        most = min(_SHARE * min(race.predicted.values()), _MOST)
        return int(share * (most - sum(race.expanded)) / (runs * levels))

    def round_of(names: Sequence[str], beam: int) -> list[str]:
        """Far worse ones are given up early."""
        return race.round(names, beam, 8.0 * min(race.predicted.values()))[:_LEADERS]

    if beam(_FEWEST, 1.0) < _NARROW:
        return chosen(best)
    # Many narrow looks would crown the order that is underrated most: few and wide ones.
    field = names[: min(_MANY, max(_FEWEST, beam(1, 0.5) // _FINE))]
    width = max(_NARROW, min(_WIDE, beam(len(field), 0.5 if len(field) > _FEWEST else 1.0)))
    leaders = round_of(field, width)
    wider = min(_WIDE, beam(len(leaders), 1.0))
    if wider > 2 * width:
        leaders = round_of(leaders, wider)
    return chosen(leaders[0])


_LOOKS = 300, 3000, 10_000
"""Beams: of a first look at all orders, of those that lead then, and of the leaders of these."""
_SYMMETRIC_LEADERS = 5, 2
"""Orders that are looked at again."""
_ENOUGH = 150_000, 1_000_000
"""Predicted states for which no further look pays: after the first one, and after the second."""
_ORDERS = 64
"""Orders that are looked at, at most."""
_TURNED = 4
"""Where lines are sorted, too, a step takes so many times as long."""
_STOP = 30
"""A look ends at so many times the states of another one."""


@dataclass(frozen=True, eq=False)
class Sorting:
    """A spec of sorted states, and what it will cost.

    Attributes:
        order: its name.
        sorted: the spec and its classes.
        states: predicted.
    """

    order: str
    sorted: Sorted
    states: float

    def __repr__(self) -> str:
        """What is worth reading."""
        return f"Sorting({self.why})"

    @property
    def why(self) -> str:
        """Half a sentence for people."""
        return (
            f"predicted {self.states:,.0f} states in order {self.order}, "
            f"up to {self.sorted.alike.most} interchangeable values sorted"
            + (f" and {self.sorted.houses} lines" if self.sorted.houses > 1 else "")
        )


def choose_sorting(
    model: Model,
    context: Context,
    found: Iterable[Colouring] | None = None,
    hopeless: float = float("inf"),
) -> Sorting | None:
    """The best order of a model whose colours are alike sooner or later.

    Args:
        model: propagated; what is left of it says what cannot be.
        found: its colourings, if they are known already.
        hopeless: states of the first order at which no other is looked at.

    Returns:
        None where no two colours are alike before the end, or there is no hope.

    Raises:
        LimitReached: the time was used up, or a constraint's machine is too wide.
    """
    for colouring in colourings(model) if found is None else found:
        best = _best_order(model, colouring, context, hopeless)
        if best is not None:
            return best
    return None


def _best_order(
    model: Model, colouring: Colouring, context: Context, hopeless: float
) -> Sorting | None:
    """The best order for a colouring."""
    known = frozenset(v.key for v in (*model.variables, *model.fixed))
    place_at = {constraint: place for place, constraint in enumerate(colouring.places)}
    orders: dict[str, list[int]] = {}
    for name, order in _orders(model, colouring).items():
        places = [place_at[i] for i in order]
        orders[name] = [*places, *sorted(set(place_at.values()).difference(places))]
    made: dict[tuple[str, bool], Sorted] = {}

    def spec_of(order: tuple[str, bool]) -> Spec | None:
        """By name, and whether lines may be sorted, too."""
        name, turned = order
        found = sorted_spec(
            colouring, orders[name], turned=turned, known=known, check=context.account()
        )
        if found is None:
            return None
        made[order] = found
        return found.spec

    race = _Race(spec_of, context, "while an order was chosen")

    def sorting(order: tuple[str, bool]) -> Sorting:
        return Sorting(order[0], made[order], race.predicted[order])

    natural, *others = [(name, True) for name in orders]
    first = race.look(natural, _LOOKS[0])
    if first >= hopeless or made[natural].alike.most < 2:
        return None
    if first <= _ENOUGH[0]:
        return sorting(natural)
    found = [natural, *race.round(others, _LOOKS[0], _STOP * first)]
    looked: list[tuple[str, bool]] = []
    for beam, few, enough in zip(_LOOKS[1:], _SYMMETRIC_LEADERS, _ENOUGH, strict=True):
        leaders = sorted(found, key=race.predicted.__getitem__)[:few]
        found = race.round(leaders, beam, _STOP * race.predicted[leaders[0]])
        looked = looked or found
        if race.predicted[found[0]] <= enough:
            break
    best = sorting(found[0])
    if best.sorted.houses == 1:
        return best
    plain = [(name, False) for name, _ in looked]
    other = sorting(race.round(plain, _LOOKS[1], _STOP * best.states)[0])
    return other if other.states <= _TURNED * best.states else best


def _orders(model: Model, colouring: Colouring) -> dict[str, tuple[int, ...]]:
    """Orders of the places of a colouring, as positions of their constraints, by name."""
    places = set(colouring.places)
    found: dict[str, tuple[int, ...]] = {"model": colouring.places}
    try:
        named = count_orders(model)
    except ModelError:
        return found
    good = {name: tuple(i for i in order if i in places) for name, order in named.items()}
    whole = {name: order for name, order in good.items() if order}
    return dict(list(whole.items())[:_ORDERS]) or found


STATES_A_SECOND = 3e6
"""Frontier states made in a second on the usual machine, both passes."""
_LARGE = 500
"""Variables beyond which both the words of a state and its children grow, so that the rate falls
with their square."""
_WITH_MACHINES = 1e6
"""The same where states hold the registers of machines."""
_FIRST_BEAM = 60
"""Beam of a look at the natural order."""
_FEW_STATES = 20_000
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


def best_order(model: Model, context: Context) -> OrderChoice:
    """The item order with the fewest predicted states, for a propagated model."""
    return choose_order(
        model,
        item_orders(model),
        refine=lambda name: model.origin.order_variants(model, name),
        context=context,
    )


def unsorted_plan(model: Model, context: Context) -> Plan:
    """States that name their colours, as diagrams need them, for a propagated model."""
    chosen = best_order(model, context)
    states = chosen.predicted.get(chosen.name, 0.0)
    why = f"{len(model.variables)} variables, predicted {states:,.0f} states in order {chosen.name}"
    forecast = Forecast(states / _rate(model), why, chosen.name, states)
    return Plan(forecast, lambda: model_spec(model, chosen.order))


def plan_of(model: Model, context: Context) -> Plan:
    """The cheaper one of sorted and unsorted states, for a propagated model.

    Raises:
        LimitReached: the time was used up.
    """
    every = colourings(model)
    first = next(every, None)
    if first is None:
        return unsorted_plan(model, context)
    order = next(iter(item_orders(model).values()))
    natural = predict_spec(model_spec(model, order, check=context.account()), _FIRST_BEAM).states
    if natural <= _FEW_STATES:
        return unsorted_plan(model, context)
    try:
        found = choose_sorting(model, context, chain([first], every), _HOPELESS * natural)
    except LimitReached as stop:
        if stop.limit == "time":
            raise
        found = None  # a machine of the model before hints is too wide
    if found is None:
        return unsorted_plan(model, context)
    why = f"{len(model.variables)} variables, {found.why}"
    spec = found.sorted.spec
    rate = _SORTED_A_SECOND if found.sorted.houses == 1 else _TURNED_A_SECOND
    sorted_ = Plan(Forecast(found.states / rate, why, found.order, found.states), lambda: spec)
    if found.states <= _SOON or natural > _FAR * found.states:
        return sorted_
    other = unsorted_plan(model, context)
    return other if other.forecast.seconds <= sorted_.forecast.seconds else sorted_


def _rate(model: Model) -> float:
    if model.beyond_covers is not None:
        return _WITH_MACHINES
    return STATES_A_SECOND * min(1.0, (_LARGE / max(len(model.variables), 1)) ** 2)
