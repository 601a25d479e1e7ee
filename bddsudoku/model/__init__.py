"""The intermediate representation between puzzles and engines: variables, constraints, MDDs."""

from bddsudoku.model.allocation import forward_check, substitute, unit_propagate
from bddsudoku.model.connectivity import Connected
from bddsudoku.model.constraints import (
    Constraint,
    CoverArrays,
    Disjunction,
    Formula,
    Linear,
    OneHot,
    Variable,
)
from bddsudoku.model.model import Model
from bddsudoku.model.word_constraints import Automaton

__all__ = [
    "Automaton",
    "Connected",
    "Constraint",
    "CoverArrays",
    "Disjunction",
    "Formula",
    "Linear",
    "Model",
    "OneHot",
    "Variable",
    "forward_check",
    "substitute",
    "unit_propagate",
]
