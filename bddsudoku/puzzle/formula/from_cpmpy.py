"""Import of CPMpy models (extra ``cpmpy``) into formula problems, expression by expression.

Integer variables become groups of Booleans. Constraints that the language lacks
(``Circuit``, ``Table``, ``Element``, …) are decomposed by CPMpy itself; auxiliary variables of
these are not counted. CPMpy 0.9.24 and 1.0 are read: in the first arrays of variables are
expressions, and functions decompose only as a side of a comparison.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import count
from typing import Any

import numpy as np

from bddsudoku.errors import BackendUnavailable, ModelError
from bddsudoku.model.expression import Expression
from bddsudoku.puzzle.formula.language_values import (
    Distinct,
    Number,
    Value,
    apply_function,
    apply_operator,
    as_number_if_constant,
)
from bddsudoku.puzzle.formula.problem import Problem

_SAME = ("->", "-", "==", "!=", "<", "<=", ">", ">=")
_OPERATORS = dict(zip(_SAME, _SAME, strict=True)) | {
    "and": "&&",
    "or": "||",
    "not": "!",
    "sub": "-",
    "mul": "*",
    "div": "/",
    "mod": "%",
}
_FUNCTIONS = {f: f for f in ("sum", "min", "max", "abs")} | {"alldifferent": "all different"}


def from_cpmpy(model: Any, ignore_objective: bool = False) -> Problem:
    """Make a problem from a CPMpy model: its variables, then its constraints.

    Args:
        model: a ``cpmpy.Model``.
        ignore_objective: leave an objective out rather than refuse it.

    Raises:
        BackendUnavailable: CPMpy is not installed.
        ModelError: the model has an objective, or an expression that cannot be imported, such as a
            division by what may be 0.
    """
    try:
        from cpmpy.transformations.get_variables import get_variables_model
    except ImportError as error:
        raise BackendUnavailable(
            "CPMpy is not installed: pip install 'bddsudoku[cpmpy]'"
        ) from error
    if model.has_objective() and not ignore_objective:
        raise ModelError("an objective is no constraint (it can be ignored)")
    reading = _CpmpyReader()
    for variable in get_variables_model(model):
        reading.translate_variable(variable)
    own = len(reading.problem.names)
    for number, constraint in enumerate(_flatten(model.constraints), 1):
        reading.require(constraint, str(number))
    if len(reading.problem.names) > own:
        reading.problem.project_to(range(own))
    return reading.problem


def _flatten(constraints: Iterable[Any]) -> Iterable[Any]:
    for constraint in constraints:
        is_array = isinstance(constraint, np.ndarray)  # has arguments, too, in CPMpy 0.9
        if is_array or (isinstance(constraint, Iterable) and not hasattr(constraint, "args")):
            yield from _flatten(constraint)
        else:
            yield constraint


class _CpmpyReader:
    """Importer of one CPMpy model, which declares variables at their first occurrence."""

    def __init__(self) -> None:
        self.problem = Problem()
        self.made: dict[str, Number] = {}
        self.pending: list[Any] = []

    def require(self, constraint: Any, label: str) -> None:
        """Add a constraint, and the constraints that define its auxiliary variables."""
        self.pending = [constraint]
        for number in count():
            if not self.pending:
                return
            value = self.translate(self.pending.pop(0))
            assert isinstance(value, int | Expression | Distinct)
            name = f"{label} defined {number}" if number else label
            self.problem.require(value, "constraint", name)

    def translate_variable(self, variable: Any) -> Number:
        """The expression for a CPMpy variable, which is declared at its first occurrence."""
        name = str(variable.name)
        if name not in self.made:
            if variable.is_bool():
                self.made[name] = self.problem.new_variable(name)
            else:
                values = range(int(variable.lb), int(variable.ub) + 1)
                self.made[name] = as_number_if_constant(
                    self.problem.new_integer(name, values).expression
                )
        return self.made[name]

    def translate(self, expression: Any) -> Value:
        """A CPMpy expression translated to a value of the formula language."""
        if not hasattr(expression, "args"):
            return self._translate_leaf(expression)
        name, args = str(expression.name), expression.args
        if name == "wsum":
            weights, parts = args
            pairs = zip(weights, parts, strict=True)
            return apply_function(
                "sum", [apply_operator("*", [int(w), self.translate(p)]) for w, p in pairs]
            )
        if name in _FUNCTIONS:
            return apply_function(_FUNCTIONS[name], [self.translate(a) for a in _flatten(args)])
        if name in _OPERATORS:
            return apply_operator(_OPERATORS[name], [self.translate(a) for a in args])
        if name == "boolval":
            return self._translate_leaf(args[0])
        if name == "pow":
            return apply_operator("*", [self.translate(args[0])] * int(args[1]))
        if hasattr(expression, "decompose"):
            inner, defining = expression.decompose()
        elif hasattr(expression, "decompose_comparison"):
            from cpmpy import intvar

            inner = intvar(*expression.get_bounds())
            defining = expression.decompose_comparison("==", inner)
        else:
            raise ModelError(f"expected an expression of CPMpy, found {name}")
        self.pending += list(_flatten(defining))
        if expression.is_bool():
            return apply_function("all", [self.translate(p) for p in _flatten([inner])])
        return self.translate(inner)

    def _translate_leaf(self, leaf: Any) -> Value:
        """A CPMpy variable, negated variable or integer as a value of the formula language."""
        if hasattr(leaf, "_bv"):  # a negated variable
            return apply_operator("!", [self.translate_variable(leaf._bv)])
        if hasattr(leaf, "lb"):
            return self.translate_variable(leaf)
        value = leaf.value() if hasattr(leaf, "value") else leaf
        value = value.item() if hasattr(value, "item") else value  # of NumPy
        if not isinstance(value, int):
            raise ModelError(f"expected an integer or a variable, found {leaf!r}")
        return int(value)
