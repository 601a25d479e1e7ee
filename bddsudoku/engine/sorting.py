"""Choosing how a count is sorted: the colours of a model, and an order with few sorted states.

Which orders are good for a count is another question than for a diagram: what matters is how soon
colours become alike, and how few houses are open then. Beams of a few hundred states of sorted
specs are far off (states of many ancestors are seen too seldom), those of thousands are not, and
take hundredths of a second.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from bddsudoku.engine.frontier.compile import worker_count
from bddsudoku.engine.frontier.predict import predict_spec
from bddsudoku.engine.specs.sorted import Sorted, sorted_spec
from bddsudoku.errors import ModelError
from bddsudoku.limits import Limits
from bddsudoku.model.colours import Colouring, colourings
from bddsudoku.model.model import Model
from bddsudoku.model.origin import count_orders

__all__ = ["Sorting", "choose_sorting"]

_LOOKS = 300, 3000, 10_000
"""Beams: of a first look at all orders, of those that lead then, and of the leaders of these."""
_LEADERS = 5, 2
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
    limits: Limits,
    found: Iterable[Colouring] | None = None,
    hopeless: float = float("inf"),
) -> Sorting | None:
    """The best order of a model whose colours are alike sooner or later.

    Args:
        model: propagated; what is left of it says what cannot be.
        limits: the time is looked at between two predictions.
        found: its colourings, if they are known already.
        hopeless: states of the first order at which no other is looked at.

    Returns:
        None where no two colours are alike before the end, or there is no hope.

    Raises:
        LimitReached: the time was used up, or a constraint's machine is too wide.
    """
    for colouring in colourings(model) if found is None else found:
        best = _best_order(model, colouring, limits, hopeless)
        if best is not None:
            return best
    return None


def _best_order(
    model: Model, colouring: Colouring, limits: Limits, hopeless: float
) -> Sorting | None:
    """The best order for a colouring."""
    race = _Race(model, colouring, _orders(model, colouring), limits)
    natural, *others = race.places
    first = race.look(natural, _LOOKS[0])
    if first is None or first.sorted.alike.most < 2 or first.states >= hopeless:
        return None
    if first.states <= _ENOUGH[0]:
        return first
    found = [first, *race.round(others, _LOOKS[0], first.states)]
    looked: list[Sorting] = []
    for beam, few, enough in zip(_LOOKS[1:], _LEADERS, _ENOUGH, strict=True):
        leaders = sorted(found, key=lambda s: s.states)[:few]
        found = race.round([s.order for s in leaders], beam, leaders[0].states)
        looked = looked or found
        best = min(found, key=lambda s: s.states)
        if best.states <= enough:
            break
    if best.sorted.houses == 1:
        return best
    plain = race.round([s.order for s in looked], _LOOKS[1], best.states, turned=False)
    other = min(plain, key=lambda s: s.states)
    return other if other.states <= _TURNED * best.states else best


class _Race:
    """Predictions of a colouring's specs in some orders."""

    def __init__(
        self,
        model: Model,
        colouring: Colouring,
        orders: dict[str, tuple[int, ...]],
        limits: Limits,
    ) -> None:
        self.colouring = colouring
        self.limits = limits
        self.known = frozenset(v.key for v in (*model.variables, *model.fixed))
        place_at = {constraint: place for place, constraint in enumerate(colouring.places)}
        self.places = {}
        for name, order in orders.items():
            places = [place_at[i] for i in order]
            self.places[name] = (*places, *sorted(set(place_at.values()).difference(places)))
        self.made: dict[tuple[str, bool], Sorted | None] = {}

    def look(
        self, name: str, beam: int, least: float = float("inf"), turned: bool = True
    ) -> Sorting | None:
        """Predict an order, and give up far beyond the least states of others.

        Raises:
            LimitReached: the time was used up, or a constraint's machine is too wide.
        """
        self.limits.check("while an order was chosen")
        if (name, turned) not in self.made:
            self.made[name, turned] = sorted_spec(
                self.colouring, self.places[name], turned=turned, known=self.known,
                check=self.limits.account(),
            )  # fmt: skip
        found = self.made[name, turned]
        if found is None:
            return None
        return Sorting(name, found, predict_spec(found.spec, beam, stop=_STOP * least).states)

    def round(
        self, names: Sequence[str], beam: int, least: float, turned: bool = True
    ) -> list[Sorting]:
        """Predict some orders, in threads."""
        with ThreadPoolExecutor(worker_count(None)) as pool:
            found = list(pool.map(lambda name: self.look(name, beam, least, turned), names))
        return [s for s in found if s is not None]


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
