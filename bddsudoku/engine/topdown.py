"""The frontier as an engine of the protocol: one-hot constraints as an exact cover."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from bddsudoku.engine.frontier import compile_spec, count_spec
from bddsudoku.engine.orders import OrderChoice, choose_order
from bddsudoku.engine.protocol import Compiled, Compiles, Forecast
from bddsudoku.engine.specs.product import model_spec
from bddsudoku.limits import Limits, Progress
from bddsudoku.model.model import Model
from bddsudoku.model.origin import item_order, item_orders, order_variants, prepared

if TYPE_CHECKING:
    from bddsudoku.engine.frontier import LevelTrace
    from bddsudoku.engine.frontier.spec import Spec

__all__ = ["STATES_A_SECOND", "Frontier", "by_levels", "compiled"]

STATES_A_SECOND = 3e6
"""Frontier states made in a second on the usual machine, both passes."""
_WITH_MACHINES = 1e6
"""The same where states hold the registers of machines."""


class Frontier(Compiles):
    """Top-down construction of the canonical ZDD; a count needs the first pass only."""

    name: ClassVar[str] = "frontier"

    def count(self, model: Model, limits: Limits, progress: Progress | None = None) -> int:
        """In the order with the fewest predicted states."""
        model = prepared(model)
        spec = model_spec(model, self.order(model, limits).order)
        return count_spec(spec, limits=limits, progress=by_levels(limits, progress))

    def diagram(
        self,
        model: Model,
        limits: Limits,
        progress: Progress | None = None,
        *,
        order: str = "auto",
    ) -> Compiled:
        """What is left open (see :func:`bddsudoku.model.origin.prepared`) is compiled."""
        begin = time.perf_counter()
        model = prepared(model)
        items: Sequence[int]
        if order == "auto":
            chosen = self.order(model, limits)
            order, items = chosen.name, chosen.order
        else:
            items = item_order(model, order)
        choosing = time.perf_counter() - begin
        made = compiled(model_spec(model, items), limits, progress, order=order, began=begin)
        fixed = () if made.diagram.is_empty else tuple(v.key for v in model.fixed)
        return replace(made, fixed=fixed, choosing_seconds=choosing)

    def forecast(self, model: Model, limits: Limits) -> Forecast | None:
        """By the predicted states of the best order."""
        model = prepared(model)
        chosen = self.order(model, limits)
        states = chosen.predicted.get(chosen.name, 0.0)
        why = (
            f"{len(model.variables)} variables, predicted {states:,.0f} states "
            f"in order {chosen.name}"
        )
        rate = STATES_A_SECOND if model.beyond_covers is None else _WITH_MACHINES
        return Forecast(states / rate, why, chosen.name, states)

    @staticmethod
    def order(model: Model, limits: Limits) -> OrderChoice:
        """The item order with the fewest predicted states, for a propagated model."""
        return choose_order(
            model,
            item_orders(model),
            refine=lambda name: order_variants(model, name),
            limits=limits,
        )


def compiled(
    spec: Spec, limits: Limits, progress: Progress | None, *, order: str, began: float
) -> Compiled:
    """The diagram of a spec and what it cost.

    Args:
        spec: the family.
        limits: memory and time.
        progress: called with (done, total) levels.
        order: what the order of its levels is called.
        began: when the choice of that order began, by :func:`time.perf_counter`.
    """
    choosing = time.perf_counter() - began
    done = compile_spec(spec, limits=limits, progress=by_levels(limits, progress))
    return Compiled(
        done.diagram,
        (),
        order,
        len(spec.labels),
        done.states,
        done.width,
        done.levels,
        time.perf_counter() - began,
        choosing,
        done.peak_bytes,
    )


def by_levels(limits: Limits, progress: Progress | None) -> Callable[[LevelTrace], None]:
    """The engine reports the levels it has left; people want a share of all of them."""
    told = limits.watch(progress)
    return lambda level: told(level.level + 1, level.levels)
