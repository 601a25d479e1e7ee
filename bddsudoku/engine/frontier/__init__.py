"""Frontier engine: top-down construction of the canonical ordered ZDD.

Its input is a *spec* (:mod:`bddsudoku.engine.frontier.spec`); the spec of a model is made by
:mod:`bddsudoku.engine.specs.product_spec`. Conjunction builds huge diagrams on the way to a small
one; this engine never holds more than the states and edges of its levels.
"""

from bddsudoku.engine.frontier.backward import compile_spec
from bddsudoku.engine.frontier.forward import count_spec
from bddsudoku.engine.frontier.spec import DEAD, Spec, define_step, expand
from bddsudoku.engine.frontier.width_forecast import WidthForecast, forecast_widths

__all__ = [
    "DEAD",
    "Spec",
    "WidthForecast",
    "compile_spec",
    "count_spec",
    "define_step",
    "expand",
    "forecast_widths",
]
