"""Choosing how a count is sorted: the colours of a model, and an order with few sorted states.

Which orders are good for a count is another question than for a diagram: what matters is how soon
colours become alike, and how few houses are open then. Beams of a few hundred states of sorted
specs are far off (states of many ancestors are seen too seldom), those of thousands are not, and
take hundredths of a second.
"""

from __future__ import annotations

from dataclasses import dataclass

from bddsudoku.engine.frontier.predict import predict_spec
from bddsudoku.engine.specs.sorted import Sorted, sorted_spec
from bddsudoku.errors import ModelError
from bddsudoku.limits import Limits
from bddsudoku.model.colours import Colouring, colourings
from bddsudoku.model.model import Model
from bddsudoku.model.origin import count_orders

__all__ = ["Sorting", "choose_sorting"]

_LOOKS = (300, 3000, 10_000)
"""Beams: of a first look at all orders, of those that lead then, and of the leaders of these."""
_ENOUGH = 50_000, 300_000
"""Predicted states for which no further look pays: after the first one, and after the second."""
_LEADERS = 8, 3
"""Orders that are looked at again."""
_ORDERS = 64
"""Orders that are looked at, at most."""
_HOPELESS = 1e15
"""Predicted states at which no further order is looked at unless one was better."""


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

    @property
    def why(self) -> str:
        """Half a sentence for people."""
        return (
            f"predicted {self.states:,.0f} states in order {self.order}, "
            f"up to {self.sorted.alike.most} interchangeable values sorted"
        )


def choose_sorting(model: Model, limits: Limits) -> Sorting | None:
    """The best order of a model whose colours are alike sooner or later.

    Args:
        model: propagated; what is left of it says what cannot be.
        limits: the time is looked at between two predictions.

    Returns:
        None where no two colours are alike before the end.

    Raises:
        LimitReached: the time was used up, or a constraint's machine is too wide.
    """
    best: Sorting | None = None
    for colouring in colourings(model):
        found = _best_order(model, colouring, limits)
        if found is not None and (best is None or found.states < best.states):
            best = found
        if best is not None and best.states < _HOPELESS:
            break
    return best


def _best_order(model: Model, colouring: Colouring, limits: Limits) -> Sorting | None:
    """The best order for a colouring."""
    place_at = {constraint: place for place, constraint in enumerate(colouring.places)}
    known = frozenset(v.key for v in (*model.variables, *model.fixed))
    made: dict[str, Sorted] = {}
    predicted: dict[str, float] = {}

    def look(name: str, beam: int) -> None:
        limits.check("while an order was chosen")
        stop = 30 * min(predicted.values(), default=float("inf"))
        predicted[name] = predict_spec(made[name].spec, beam, stop=stop).states

    for name, order in _orders(model, colouring).items():
        places = [place_at[i] for i in order]
        places += sorted(set(range(len(place_at))) - {*places})
        spec = sorted_spec(colouring, places, known=known, check=limits.check)
        if spec is None or spec.alike.most < 2:
            if not made:
                return None
            continue
        made[name] = spec
        look(name, _LOOKS[0])
        if predicted[name] <= _ENOUGH[0]:
            return Sorting(name, spec, predicted[name])
    for beam, few, leaders in (
        (_LOOKS[1], _ENOUGH[0], _LEADERS[0]),
        (_LOOKS[2], _ENOUGH[1], _LEADERS[1]),
    ):
        names = sorted(predicted, key=predicted.__getitem__)[:leaders]
        if not names or (predicted[names[0]] <= few):
            break
        predicted = {}
        for name in names:
            look(name, beam)
    if not predicted:
        return None
    name = min(predicted, key=predicted.__getitem__)
    return Sorting(name, made[name], predicted[name])


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
