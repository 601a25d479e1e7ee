"""The frontier as an engine of the protocol: one-hot constraints as an exact cover."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar
from weakref import ref

from bddsudoku.engine.frontier import compile_spec, count_spec
from bddsudoku.engine.portfolio import OrderChoice, Plan, best_order, plan_of, unsorted_plan
from bddsudoku.engine.protocol import Compiled, Compiles, Forecast
from bddsudoku.engine.specs.product import model_spec
from bddsudoku.limits import Limits, Progress
from bddsudoku.model.model import Model
from bddsudoku.model.ordering import item_order, prepared

if TYPE_CHECKING:
    from bddsudoku.engine.frontier import LevelTrace
    from bddsudoku.engine.frontier.spec import Spec


class Frontier(Compiles):
    """Top-down construction of the canonical ZDD; a count needs the first pass only."""

    name: ClassVar[str] = "frontier"

    def __init__(self) -> None:
        # Of the model asked about last; read once and written in one step, for there are threads.
        self._plan: tuple[ref[Model], Plan] | None = None

    def count(self, model: Model, limits: Limits, progress: Progress | None = None) -> int:
        """In the order with the fewest predicted states, sorted where that pays."""
        spec = self.plan(model, limits).spec()
        return count_spec(spec, limits=limits, progress=by_levels(limits, progress))

    def plan(self, model: Model, limits: Limits) -> Plan:
        """How a model is counted; the last plan is remembered, for whoever asks and then counts.

        Raises:
            LimitReached: the time was used up.
        """
        last = self._plan
        if last is not None and last[0]() is model:
            return last[1]
        plan = plan_of(prepared(model), limits)
        self._plan = ref(model), plan
        return plan

    def diagram(
        self,
        model: Model,
        limits: Limits,
        progress: Progress | None = None,
        *,
        order: str = "auto",
    ) -> Compiled:
        """What is left open (see :func:`bddsudoku.model.ordering.prepared`) is compiled."""
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
        return self.plan(model, limits).forecast

    def diagram_forecast(self, model: Model, limits: Limits) -> Forecast | None:
        """Likewise; a diagram's states are never sorted."""
        model = prepared(model)
        return unsorted_plan(model, limits).forecast

    @staticmethod
    def order(model: Model, limits: Limits) -> OrderChoice:
        """The item order with the fewest predicted states, for a propagated model."""
        return best_order(model, limits)


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
