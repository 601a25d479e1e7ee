"""The narrow waist: one-hot constraints. Knows no puzzle and no engine."""

from bddsudoku.model.onehot import CoverArrays, Model, OneHot, Variable
from bddsudoku.model.propagation import candidates, singles, substitute

__all__ = ["CoverArrays", "Model", "OneHot", "Variable", "candidates", "singles", "substitute"]
