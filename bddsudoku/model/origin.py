"""What a puzzle tells engines about a model of its own beyond the constraints.

Advice, which an engine may do without, and the puzzle in its own words (:class:`Definition`), from
which brute force counts without looking at the model. Everything here can be pickled, because
models travel to other processes.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from bddsudoku.model.model import Model
    from bddsudoku.model.schedule import Order, Schedule

__all__ = [
    "DefinedBy",
    "Definition",
    "Origin",
    "count_orders",
    "item_order",
    "item_orders",
    "order_variants",
    "prepared",
    "usual_schedule",
]

Orders = Mapping[str, Sequence[int]]
"""Orders of levels (:mod:`bddsudoku.model.orders`) by name."""


@dataclass(frozen=True)
class Definition:
    """A puzzle in its own words: places to be filled, and values that use things up.

    A thing is a place (a cell, a square of a board, an item), or whatever else may be used once
    (the digit 4 in row 3). Plain data, made from the puzzle and not from its constraints.

    Attributes:
        places: each is to be filled exactly once; in the order in which that is done.
        uses: key of a value → the things that it uses up, the places that it fills among them; in
            the order in which values are tried.
        given: keys of the values that the puzzle itself says are true.
        holds: what else is demanded: tested on the ascending keys of each full assignment.
    """

    places: tuple[Hashable, ...]
    uses: Mapping[int, Sequence[Hashable]]
    given: tuple[int, ...] = ()
    holds: Callable[[Sequence[int]], bool] | None = None


class Origin:
    """Where a model comes from; this one knows nothing but the model.

    A puzzle that has advice derives from it; one that only has a definition takes
    :class:`DefinedBy`.
    """

    settles: ClassVar[bool] = False
    """Whether what singles fix is no variable of a diagram, as what is given is none. Otherwise
    solutions are told apart by all variables, and only what cannot be is taken out."""

    def definition(self) -> Definition | None:
        """The puzzle in its own words; None when it has none."""
        return None

    def item_orders(self, model: Model) -> Orders:
        """Orders worth trying when a diagram is compiled, the natural one first."""
        from bddsudoku.model.orders import proposed_orders

        return proposed_orders(model)

    def order_variants(self, model: Model, name: str) -> Orders:
        """Further orders like a named one."""
        return {}

    def count_orders(self, model: Model, marked: Sequence[int]) -> Orders:
        """Orders worth trying for a count that forgets which of alike colours is which.

        Args:
            model: before anything was known.
            marked: keys of which something was said; what lies ahead is still told apart.
        """
        return self.item_orders(model)

    def item_order(self, model: Model, name: str) -> Sequence[int]:
        """The order behind a name.

        Raises:
            ModelError: there is no such order.
        """
        from bddsudoku.errors import ModelError

        known = Origin.item_orders(self, model)
        if name not in known:
            raise ModelError(f"no item order is called {name!r}; there are {', '.join(known)}")
        return known[name]

    def schedule(
        self, model: Model, order: int | str | Order | Sequence[int] | Schedule | None = None
    ) -> Schedule:
        """The schedule behind a name; without one the schedule that serves the puzzle best.

        Raises:
            ScheduleError: the schedule cannot be read.
        """
        from bddsudoku.errors import ScheduleError
        from bddsudoku.model.schedule import schedule

        if isinstance(order, int):
            raise ScheduleError(f"this model has no procedure {order}")
        return schedule(model, order)


@dataclass(frozen=True)
class DefinedBy(Origin):
    """The origin of a puzzle that says what it is and has no advice.

    Attributes:
        words: the puzzle in its own.
    """

    words: Definition

    def definition(self) -> Definition:
        """The puzzle's words."""
        return self.words

    def item_orders(self, model: Model) -> Orders:
        """A pure cover keeps its own order, in which its set is known to read the options."""
        if model.beyond_covers is not None:
            return super().item_orders(model)
        from bddsudoku.model.orders import usual_order

        return {"model": usual_order(model)}


def _origin(model: Model) -> Origin:
    return Origin() if model.origin is None else model.origin


def prepared(model: Model) -> Model:
    """A model as a diagram of its solutions is compiled (see :attr:`Origin.settles`)."""
    from bddsudoku.model.propagation import candidates, singles

    return singles(model) if _origin(model).settles else candidates(model)


def item_orders(model: Model) -> Orders:
    """Orders worth trying for any model; without advice the order of the model alone."""
    return _origin(model).item_orders(model)


def count_orders(model: Model) -> Orders:
    """Orders for a count (:meth:`Origin.count_orders`), as positions of "exactly one" constraints
    in ``model.original``; of those that have variables there."""
    from bddsudoku.model.propagation import candidates

    every = model.original
    base = candidates(every)  # its constraints keep their positions
    spoken = [c for _, c in every.demands] + [c for _, c in every.one_hots if c.total < 1]
    marked = {key for key, _ in model.told}
    marked |= {every.variables[v].key for c in spoken for v in c.variables}
    of = base.items.constraint_of.tolist()
    return {
        name: tuple(of[i] for i in order if i < base.items.primary)
        for name, order in _origin(model).count_orders(base, sorted(marked)).items()
    }


def order_variants(model: Model, name: str) -> Orders:
    """Further orders like a named one."""
    return _origin(model).order_variants(model, name)


def item_order(model: Model, name: str) -> Sequence[int]:
    """The order behind a name.

    Raises:
        ModelError: there is no such order.
    """
    return _origin(model).item_order(model, name)


def usual_schedule(
    model: Model, order: int | str | Order | Sequence[int] | Schedule | None = None
) -> Schedule:
    """A schedule for conjunction: the named one, or the one that serves the puzzle best.

    Raises:
        ScheduleError: the schedule cannot be read.
    """
    return _origin(model).schedule(model, order)
