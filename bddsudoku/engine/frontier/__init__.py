"""Frontier engine: top-down construction of the canonical ordered ZDD.

Written over a *spec* (:mod:`bddsudoku.engine.frontier.spec`); exact cover is its first
(:mod:`bddsudoku.engine.specs.product`). Where conjunction builds huge diagrams on the way to a
small one, this never holds more than the states of its levels.
"""

from bddsudoku.engine.frontier.compile import compile_spec
from bddsudoku.engine.frontier.count import count_spec
from bddsudoku.engine.frontier.predict import WidthPrediction, predict_spec
from bddsudoku.engine.frontier.spec import DEAD, Spec, expand, expand_by

__all__ = [
    "DEAD",
    "Spec",
    "WidthPrediction",
    "compile_spec",
    "count_spec",
    "expand",
    "expand_by",
    "predict_spec",
]
