"""The narrow waist: variables, constraints, machines. Knows no puzzle and no engine."""

from bddsudoku.model.automaton import Automaton
from bddsudoku.model.constraint import Constraint, Formula, Linear
from bddsudoku.model.model import Model
from bddsudoku.model.onehot import CoverArrays, OneHot, Variable
from bddsudoku.model.propagation import candidates, singles, substitute

__all__ = [
    "Automaton",
    "Constraint",
    "CoverArrays",
    "Formula",
    "Linear",
    "Model",
    "OneHot",
    "Variable",
    "candidates",
    "singles",
    "substitute",
]
