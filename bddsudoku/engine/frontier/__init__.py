"""Frontier engine: top-down construction of the canonical ordered ZDD (DESIGN 4.2).

Written over a *spec* (:mod:`bddsudoku.engine.frontier.spec`); exact cover is its first
(:mod:`bddsudoku.engine.specs.exact_cover`). Where conjunction builds huge diagrams on the way to a
small one, this never holds more than the states of its levels.
"""

from bddsudoku.engine.frontier.compile import (
    Compiled,
    compile_cover,
    compile_spec,
    count_cover,
    count_spec,
)
from bddsudoku.engine.frontier.forward import LevelTrace
from bddsudoku.engine.frontier.spec import DEAD, Spec, Stamp, stamp, step

__all__ = [
    "DEAD",
    "Compiled",
    "LevelTrace",
    "Spec",
    "Stamp",
    "compile_cover",
    "compile_spec",
    "count_cover",
    "count_spec",
    "stamp",
    "step",
]
