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
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING

import numpy as np

from bddsudoku.engine.frontier.compile import worker_count
from bddsudoku.engine.frontier.predict import predict_spec
from bddsudoku.engine.specs.levels import levels_of
from bddsudoku.engine.specs.product import model_spec
from bddsudoku.errors import ModelError
from bddsudoku.limits import Limits
from bddsudoku.model.orders import touches

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bddsudoku.engine.frontier.spec import Spec
    from bddsudoku.model import Model

__all__ = ["OrderChoice", "choose_order", "half_done"]

Orders = Mapping[str, Sequence[int]]

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


def half_done(model: Model, order: Sequence[int], pairs: NDArray[np.int64]) -> float:
    """How much an order leaves half done: the logarithm of a sum over its levels.

    Args:
        model: as for :func:`choose_order`.
        order: of the levels.
        pairs: :func:`bddsudoku.model.orders.touches` of the model.

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


class _Race:
    """Predictions of some orders with wider and wider beams."""

    def __init__(self, model: Model, orders: Orders, limits: Limits, threads: int | None) -> None:
        self.model = model
        self.limits = limits
        self.threads = threads
        self.orders = {name: tuple(order) for name, order in orders.items()}
        self.specs: dict[str, Spec] = {}
        self.predicted: dict[str, float] = {}
        self.expanded: list[int] = []  # by each look: threads may append, but not add up

    def weighed(self) -> list[str]:
        """All names, the least half done first."""
        pairs = touches(self.model)
        loads = {name: half_done(self.model, order, pairs) for name, order in self.orders.items()}
        return sorted(self.orders, key=loads.__getitem__)

    def look(self, name: str, beam: int, stop: float = float("inf")) -> float:
        """Predict one order's states (safe in threads, as long as names differ).

        Raises:
            LimitReached: the time was used up.
        """
        self.limits.check("while an item order was chosen")
        if name not in self.specs:
            self.specs[name] = model_spec(
                self.model, self.orders[name], check=self.limits.account()
            )
        found = predict_spec(self.specs[name], beam, stop=stop)
        self.predicted[name] = found.states
        self.expanded.append(found.expanded)
        return found.states

    def round(self, names: Sequence[str], beam: int) -> list[str]:
        """Predict some orders; the best first. Far worse ones are given up early."""
        known = 8.0 * min(self.predicted.values())
        with ThreadPoolExecutor(worker_count(self.threads)) as pool:
            list(pool.map(lambda name: self.look(name, beam, known), names))
        return sorted(names, key=self.predicted.__getitem__)


def choose_order(
    model: Model,
    orders: Orders,
    *,
    refine: Callable[[str], Orders] | None = None,
    threads: int | None = None,
    limits: Limits | None = None,
) -> OrderChoice:
    """The order with the fewest predicted states.

    The work is bounded by a number of states, not by a clock, so the choice is deterministic.

    Args:
        model: as for :func:`~bddsudoku.engine.specs.exact_cover.cover_spec`.
        orders: item orders by name.
        refine: given a name, further orders like it; asked about all of them where a race pays.
        threads: by default the cores of the process, four at most; the choice is the same.
        limits: the time is looked at between two predictions.

    Raises:
        ModelError: no orders.
        LimitReached: the time was used up.
    """
    began = perf_counter()
    if not orders:
        raise ModelError("no item orders to choose from")
    race = _Race(model, orders, limits or Limits(), threads)

    def chosen(name: str) -> OrderChoice:
        return OrderChoice(
            name, race.orders[name], race.predicted, sum(race.expanded), perf_counter() - began
        )

    natural = next(iter(race.orders))
    if race.look(natural, _GLANCE) <= _TRIVIAL or len(orders) == 1:
        return chosen(natural)
    if race.limits.memory is not None and _MADE * race.specs[natural].nbytes > race.limits.memory:
        return chosen(natural)
    if refine is not None:
        for name in orders:
            for more, order in refine(name).items():
                race.orders.setdefault(more, tuple(order))
    names = race.weighed()
    best = names[0]
    if best != natural:
        race.look(best, _GLANCE)
    levels = max(1, race.specs[best].levels)

    def beam(runs: int, share: float) -> int:
        """The beam with which so many runs follow a share of the states still free to follow."""
        most = min(_SHARE * min(race.predicted.values()), _MOST)
        return int(share * (most - sum(race.expanded)) / (runs * levels))

    if beam(_FEWEST, 1.0) < _NARROW:
        return chosen(best)
    # Many narrow looks would crown the order that is underrated most: few and wide ones.
    field = names[: min(_MANY, max(_FEWEST, beam(1, 0.5) // _FINE))]
    width = max(_NARROW, min(_WIDE, beam(len(field), 0.5 if len(field) > _FEWEST else 1.0)))
    leaders = race.round(field, width)[:_LEADERS]
    wider = min(_WIDE, beam(len(leaders), 1.0))
    if wider > 2 * width:
        leaders = race.round(leaders, wider)
    return chosen(leaders[0])
