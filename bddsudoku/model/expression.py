"""Integer-valued expressions over Boolean variables, immutable and shared.

An expression is a :class:`Constant`, a :class:`Reference` (a variable by its position in
``Model.variables``; its values are 0 and 1) or an :class:`Operation`
(:mod:`bddsudoku.model.operators` defines the operators). As a statement, an expression is true
when its value is not 0.

Expressions are hash-consed: equal expressions are one object, so comparison and hashing take
constant time and a common subexpression is processed once. No function recurses, so brackets may
be nested 100,000 deep. Expressions can be pickled.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from threading import RLock
from typing import Any, Self
from weakref import WeakValueDictionary

from bddsudoku.errors import ModelError
from bddsudoku.model.operators import (
    MAX_BITS,
    OPERATORS,
    Value,
    apply,
    may_be_undefined,
    result_bounds,
)

_ARITY = {
    "!": (1, 1),
    "?:": (3, 3),
    "+": (0, None),
    "*": (0, None),
}
_ARITY.update(dict.fromkeys(("&", "|", "^", "min", "max"), (1, None)))

_interned: WeakValueDictionary[tuple[object, ...], Expression] = WeakValueDictionary()
_lock = RLock()
"""Lock from look-up to entry, so that two threads cannot create the same expression twice."""


class Expression:
    """An integer-valued function of Boolean variables.

    Attributes:
        low, high: bounds of the value under every assignment (safe, not always tight).
        defined: True when it provably has a value under every assignment (no division by 0).
    """

    __slots__ = ("__weakref__", "defined", "high", "low")

    low: int
    high: int
    defined: bool

    @property
    def is_boolean(self) -> bool:
        """True when the value can only be 0 or 1."""
        return self.low >= 0 and self.high <= 1

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"an expression is immutable: {name} cannot be set")

    def __reduce__(self) -> tuple[Any, ...]:  # Any: as pickle declares it
        position: dict[Expression, int] = {}
        flat: list[object] = []
        for node in distinct_subexpressions(self):
            position[node] = len(flat)
            if isinstance(node, Operation):
                flat.append((node.op, *(position[a] for a in node.arguments)))
            elif isinstance(node, Reference):
                flat.append((node.index,))
            elif isinstance(node, Constant):
                flat.append(node.value)
        return _unpickle_expression, (flat,)

    @classmethod
    def _find_or_create(cls, *fields: Any) -> Self:  # Any: those of the class, by ``__slots__``
        """The expression with given fields, which exists once; errors are those of `_bounds`."""
        key = (cls, *fields)
        with _lock:
            found = _interned.get(key)
            if not isinstance(found, cls):
                bounds = cls._bounds(*fields)
                found = object.__new__(cls)
                names = (*cls.__slots__, "low", "high", "defined")
                for name, value in zip(names, (*fields, *bounds), strict=True):
                    object.__setattr__(found, name, value)
                _interned[key] = found
        return found

    @classmethod
    def _bounds(cls, *fields: Any) -> tuple[int, int, bool]:
        """Check the fields; return the attributes ``low``, ``high`` and ``defined``."""
        raise NotImplementedError


class Constant(Expression):
    """A constant integer.

    Raises:
        ModelError: it needs more than ``MAX_BITS`` bits.
    """

    __slots__ = ("value",)

    value: int

    def __new__(cls, value: int) -> Self:
        """Return the existing constant with this value, or create it."""
        return cls._find_or_create(int(value))

    @classmethod
    def _bounds(cls, value: int) -> tuple[int, int, bool]:
        if value.bit_length() > MAX_BITS:
            raise ModelError(f"a number of {value.bit_length()} bits; at most {MAX_BITS}")
        return value, value, True

    def __repr__(self) -> str:
        return f"Constant({self.value})"


class Reference(Expression):
    """The value (0 or 1) of the variable at a position of ``Model.variables``.

    Raises:
        ModelError: the position is negative.
    """

    __slots__ = ("index",)

    index: int

    def __new__(cls, index: int) -> Self:
        """Return the existing reference to this position, or create it."""
        return cls._find_or_create(int(index))

    @classmethod
    def _bounds(cls, index: int) -> tuple[int, int, bool]:
        if index < 0:
            raise ModelError(f"a variable has no position {index}")
        return 0, 1, True

    def __repr__(self) -> str:
        return f"Reference({self.index})"


class Operation(Expression):
    """An operator applied to operands, unsimplified (see :func:`.simplify.simplified_operation`).

    Args:
        op: a key of :data:`bddsudoku.model.operators.OPERATORS`.
        arguments: its operands.

    Raises:
        ModelError: no such operator, a wrong number of operands, or values beyond ``MAX_BITS``.
    """

    __slots__ = ("arguments", "op")

    op: str
    arguments: tuple[Expression, ...]

    def __new__(cls, op: str, arguments: Iterable[Expression]) -> Self:
        """Return the existing operation with this operator and operands, or create it."""
        return cls._find_or_create(tuple(arguments), op)

    @classmethod
    def _bounds(cls, arguments: tuple[Expression, ...], op: str) -> tuple[int, int, bool]:
        if op not in OPERATORS:
            raise ModelError(f"expected an operator, found {op!r}")
        least, most = _ARITY.get(op, (2, 2))
        if len(arguments) < least or (most is not None and len(arguments) > most):
            raise ModelError(f"operator {op!r} cannot take {len(arguments)} operands")
        bounds = [(a.low, a.high) for a in arguments]
        defined = all(a.defined for a in arguments) and not may_be_undefined(op, bounds)
        return *result_bounds(op, bounds), defined

    def __repr__(self) -> str:
        return f"<Operation {self.op!r} of {len(self.arguments)}, {self.low} … {self.high}>"


def _unpickle_expression(flat: Sequence[Any]) -> Expression:
    """Rebuild a pickled expression from the flat list of its subexpressions, operands first."""
    made: list[Expression] = []
    for entry in flat:
        if isinstance(entry, int):
            made.append(Constant(entry))
        elif len(entry) == 1 and isinstance(entry[0], int):
            made.append(Reference(entry[0]))
        else:
            made.append(Operation(entry[0], [made[p] for p in entry[1:]]))
    return made[-1]


def distinct_subexpressions(
    expression: Expression, unexpanded: Container[Expression] = frozenset()
) -> list[Expression]:
    """The list of all subexpressions without repetition, operands before their operations.

    Args:
        expression: the root.
        unexpanded: operations whose operands are not visited.
    """
    found: list[Expression] = []
    seen: set[Expression] = set()
    stack: list[tuple[Expression, bool]] = [(expression, False)]
    while stack:
        node, ready = stack.pop()
        if ready:
            found.append(node)
        elif node not in seen:
            seen.add(node)
            if isinstance(node, Operation) and node.arguments and node not in unexpanded:
                stack.append((node, True))
                stack.extend((a, False) for a in reversed(node.arguments) if a not in seen)
            else:
                found.append(node)
    return found


def support(expression: Expression) -> tuple[int, ...]:
    """The positions of the variables of an expression, ascending."""
    return tuple(
        sorted(n.index for n in distinct_subexpressions(expression) if isinstance(n, Reference))
    )


def evaluate(
    expression: Expression, assignment: Mapping[int, bool | int] | Sequence[bool | int]
) -> int:
    """The value of an expression when its variables (by position) have the assigned values.

    Raises:
        ModelError: it has no value: division by 0 or a shift by a negative count.
        LookupError: the assignment lacks a variable.
    """
    value: dict[Expression, Value] = {}
    for node in distinct_subexpressions(expression):
        if isinstance(node, Operation):
            value[node] = apply(node.op, [value[a] for a in node.arguments])
        elif isinstance(node, Reference):
            value[node] = int(bool(assignment[node.index]))
        elif isinstance(node, Constant):
            value[node] = node.value
    found = value[expression]
    if found is None:
        raise ModelError("no value: division by 0 or a shift by a negative count")
    return found


def as_linear(
    expression: Expression, linear_forms: Mapping[Expression, Mapping[int, int]] | None = None
) -> tuple[dict[int, int], int] | None:
    """An expression as a weighted sum of variables plus a constant; None if it is not linear.

    Args:
        expression: any expression.
        linear_forms: subexpression → weights by variable, for subexpressions that are known to
            equal a weighted sum (the number that a group of variables encodes).

    Returns:
        Weights by variable (ascending, none 0), and the constant.
    """
    if not expression.defined:
        return None
    forms = linear_forms or {}
    order = distinct_subexpressions(expression, forms)
    factor = dict.fromkeys(order, 0)
    factor[expression] = 1
    weights: dict[int, int] = {}
    total = 0
    for node in reversed(order):
        if not factor[node]:
            continue
        form = {node.index: 1} if isinstance(node, Reference) else forms.get(node)
        if form is not None:
            for v, weight in form.items():
                weights[v] = weights.get(v, 0) + factor[node] * weight
            continue
        parts = _weighted_operands(node)
        if parts is None:
            return None
        total += factor[node] * parts[1]
        for part, inner in parts[0]:
            factor[part] += factor[node] * inner
    return {v: weights[v] for v in sorted(weights) if weights[v]}, total


def _weighted_operands(node: Expression) -> tuple[list[tuple[Expression, int]], int] | None:
    """Write an expression as a weighted sum of operands plus a constant; None if impossible."""
    if isinstance(node, Constant):
        return [], node.value
    if not isinstance(node, Operation):
        return None
    args = node.arguments
    if node.op == "+":
        return [(a, 1) for a in args], 0
    if node.op == "!" and args[0].is_boolean:
        return [(args[0], -1)], 1
    if node.op == "*":
        rest = [a for a in args if not isinstance(a, Constant)]
        constant = 1
        for a in args:
            constant *= a.value if isinstance(a, Constant) else 1
        if len(rest) <= 1:
            return [(a, constant) for a in rest], 0 if rest else constant
    if node.op == "?:" and args[0].is_boolean:
        _, then, other = args
        if isinstance(then, Constant) and isinstance(other, Constant):
            return [(args[0], then.value - other.value)], other.value
    return None
