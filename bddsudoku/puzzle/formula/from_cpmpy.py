"""Import of CPMpy models (extra ``cpmpy``) into formula problems, expression by expression.

Integer variables become groups of Booleans. What has no value everywhere (``x // y``, ``x[i]``) and
what the language lacks (``Circuit``, ``Table``, …) is rewritten by CPMpy itself, in whose
*relational semantics* the innermost condition around an undefined part is false; auxiliary
variables are not counted. CPMpy 0.9.24 and 1.0 are read.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from typing import Any

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

_PARTIAL = frozenset({"div", "mod", "element", "nd_element"})


def from_cpmpy(model: Any, ignore_objective: bool = False) -> Problem:
    """Make a problem from a CPMpy model: its variables, then its constraints.

    Args:
        model: a ``cpmpy.Model``.
        ignore_objective: leave an objective out rather than refuse it.

    Raises:
        BackendUnavailable: CPMpy is not installed.
        ModelError: the model has an objective, or an expression that cannot be imported.
    """
    try:
        from cpmpy.transformations.get_variables import get_variables_model
    except ImportError as error:
        raise BackendUnavailable("CPMpy is not installed: pip install cpmpy") from error
    if model.has_objective() and not ignore_objective:
        raise ModelError("an objective is no constraint (it can be ignored)")
    reading = _CpmpyReader()
    with refusing_deep_expressions():
        for variable in get_variables_model(model):
            reading.translate_variable(variable)
        own = len(reading.problem.names)
        for number, constraint in enumerate(_flatten(model.constraints), 1):
            reading.require(constraint, str(number))
    if len(reading.problem.names) > own:
        reading.problem.project_to(range(own))
    return reading.problem


def _flatten(constraints: Any) -> list[Any]:
    from cpmpy.exceptions import NotSupportedError
    from cpmpy.transformations.normalize import toplevel_list

    try:
        found: list[Any] = toplevel_list(constraints, merge_and=False)
    except NotSupportedError as error:
        raise ModelError(str(error)) from None
    return found


@contextmanager
def refusing_deep_expressions() -> Iterator[None]:
    """Turn an error of recursion, which CPMpy's own functions may raise, into a ModelError."""
    try:
        yield
    except RecursionError:
        raise ModelError("expected an expression that is nested less deep") from None


class _CpmpyReader:
    """Importer of one CPMpy model, which declares variables at their first occurrence."""

    def __init__(self) -> None:
        self.problem = Problem()
        self.made: dict[str, Number] = {}
        self.pending: list[Any] = []

    def require(self, constraint: Any, label: str) -> None:
        """Add a constraint, and the constraints that define its auxiliary variables."""
        from cpmpy.transformations.safening import no_partial_functions

        self.pending = [constraint]
        for number in count():
            if not self.pending:
                return
            first, *rest = self.pending
            total, *defining = no_partial_functions([first], safen_toplevel=_PARTIAL)
            self.pending = rest + defining
            value = self.translate(total)
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
                "sum", [apply_operator("*", [*map(self.translate, pair)]) for pair in pairs]
            )
        if name == "alldifferent" and len(args) < 2:
            return 1
        if name in _FUNCTIONS:
            return apply_function(_FUNCTIONS[name], [self.translate(a) for a in args])
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
        self.pending += _flatten(defining)
        if expression.is_bool():
            return apply_function("all", [self.translate(p) for p in _flatten(inner)])
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
