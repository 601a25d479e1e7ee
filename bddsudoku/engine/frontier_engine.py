"""The engine frontier: top-down construction of diagrams, level by level."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from bddsudoku.context import Context
from bddsudoku.engine.frontier import compile_spec, count_spec
from bddsudoku.engine.order_choice import (
    CountPlan,
    choose_order,
    make_count_plan,
    make_plan_without_symmetry,
)
from bddsudoku.engine.protocol import Compiled, DiagramEngine, Forecast
from bddsudoku.engine.specs.product_spec import model_spec
from bddsudoku.errors import LimitReached
from bddsudoku.model.allocation import propagate_for_diagram
from bddsudoku.model.connectivity import why_no_diagram
from bddsudoku.model.model import Model
from bddsudoku.model.ordering import item_order

if TYPE_CHECKING:
    from bddsudoku.engine.frontier.spec import Spec


class FrontierEngine(DiagramEngine):
    """The engine ``frontier``, which builds the ZDD; a count needs only the first pass."""

    name: ClassVar[str] = "frontier"

    def refuses(self, model: Model) -> str | None:
        """Refuse connected regions on wide boards, such as 9x9 cells, and regions to be found."""
        return why_no_diagram(model.constraints)

    def count(self, model: Model, context: Context) -> int:
        """Count the solutions by the forward pass alone, without building a diagram."""
        spec = self.count_plan(model, context).spec()
        return count_spec(spec, context=context)

    def count_plan(self, model: Model, context: Context) -> CountPlan:
        """Choose the item order and the spec of a count; the choice is kept with the model.

        Raises:
            LimitReached: the time was used up.
        """
        return propagate_for_diagram(model).cached(make_count_plan, context)

    def diagram(self, model: Model, context: Context, *, order: str = "auto") -> Compiled:
        """Compile a model's solutions to a ZDD, after propagation."""
        begin = time.perf_counter()
        model = propagate_for_diagram(model)
        items: Sequence[int]
        if order == "auto":
            chosen = choose_order(model, context)
            order, items = chosen.name, chosen.order
        else:
            items = item_order(model, order)
        choosing = time.perf_counter() - begin
        made = compile_diagram(model_spec(model, items), context, order=order, began=begin)
        fixed = () if made.diagram.is_empty else tuple(v.key for v in model.fixed)
        return replace(made, fixed=fixed, choosing_seconds=choosing)

    def forecast(self, model: Model, context: Context) -> Forecast | None:
        """Predict the cost of a count from the predicted states of the best order.

        None where an MDD is too wide.
        """
        try:
            return self.count_plan(model, context).forecast
        except LimitReached:
            context.check("while an order was chosen")
            return None

    def diagram_forecast(self, model: Model, context: Context) -> Forecast | None:
        """Predict the cost of a diagram, without merging states by symmetry."""
        model = propagate_for_diagram(model)
        return make_plan_without_symmetry(model, context).forecast


def compile_diagram(spec: Spec, context: Context, *, order: str, began: float) -> Compiled:
    """Compile a spec to a diagram, and record the name of its order and the seconds taken.

    Args:
        spec: the family.
        order: what the order of its levels is called.
        began: when the choice of that order began, by :func:`time.perf_counter`.
    """
    choosing = time.perf_counter() - began
    done = compile_spec(spec, context=context)
    seconds = time.perf_counter() - began
    return replace(done, order=order, seconds=seconds, choosing_seconds=choosing)
