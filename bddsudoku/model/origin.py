"""What a puzzle tells engines about a model of its own beyond the constraints.

Everything here is advice or plain data: an engine that asks nothing still gives the right answer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from bddsudoku.model.model import Model
    from bddsudoku.model.schedule import Order, Schedule

__all__ = [
    "Origin",
    "item_order",
    "item_orders",
    "order_variants",
    "prepared",
    "usual_schedule",
]

Orders = Mapping[str, Sequence[int]]
"""Orders of levels (:mod:`bddsudoku.model.orders`) by name."""


class Origin(Protocol):
    """The advice of one kind of puzzle; picklable, because models travel to other processes."""

    def item_orders(self, model: Model) -> Orders:
        """Orders worth trying when a diagram is compiled, the natural one first."""
        ...

    def order_variants(self, model: Model, name: str) -> Orders:
        """Further orders like a named one."""
        ...

    def item_order(self, model: Model, name: str) -> Sequence[int]:
        """The order behind a name.

        Raises:
            ModelError: there is no such order.
        """
        ...

    def schedule(
        self, model: Model, order: int | str | Order | Sequence[int] | Schedule | None = None
    ) -> Schedule:
        """The schedule behind a name; without one the schedule that serves the puzzle best.

        Raises:
            ScheduleError: the schedule cannot be read.
        """
        ...


def item_orders(model: Model) -> Orders:
    """Orders worth trying for any model, the natural one first."""
    from bddsudoku.model.orders import proposed_orders

    if model.origin is not None:
        return model.origin.item_orders(model)
    return proposed_orders(model)


def prepared(model: Model) -> Model:
    """A model as a diagram of its solutions is compiled.

    A puzzle's has its singles placed, and what they fix is no variable of the diagram. The covers
    of a problem of its own are told apart by all of their options, so that there only what cannot
    be is taken out.
    """
    from bddsudoku.model.propagation import candidates, singles

    return candidates(model) if model.origin is None else singles(model)


def order_variants(model: Model, name: str) -> Orders:
    """Further orders like a named one."""
    return {} if model.origin is None else model.origin.order_variants(model, name)


def item_order(model: Model, name: str) -> Sequence[int]:
    """The order behind a name.

    Raises:
        ModelError: there is no such order.
    """
    from bddsudoku.errors import ModelError
    from bddsudoku.model.orders import proposed_orders

    if model.origin is not None:
        return model.origin.item_order(model, name)
    known = proposed_orders(model)
    if name not in known:
        raise ModelError(f"no item order is called {name!r}; there are {', '.join(known)}")
    return known[name]


def usual_schedule(
    model: Model, order: int | str | Order | Sequence[int] | Schedule | None = None
) -> Schedule:
    """A schedule for conjunction: the named one, or the one that serves the puzzle best.

    Raises:
        ScheduleError: the schedule cannot be read.
    """
    from bddsudoku.errors import ScheduleError
    from bddsudoku.model.schedule import schedule

    if model.origin is not None:
        return model.origin.schedule(model, order)
    if isinstance(order, int):
        raise ScheduleError(f"this model has no procedure {order}")
    return schedule(model, order)
