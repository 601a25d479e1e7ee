"""Values of the formula language (numbers, expressions, arrays, sets), and its operators."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, reduce
from itertools import combinations

from bddsudoku.errors import ModelError
from bddsudoku.model.expression import Constant, Expression
from bddsudoku.model.simplify import simplified_operation

Number = int | Expression
"""A known number, or an expression that depends on variables (never a Constant)."""

Elements = tuple[tuple[int, ...], ...]
"""A set that loops run over: every element is a tuple, of one number for a plain number."""


@dataclass
class Array:
    """An array of the formula language: its name, and its items by index."""

    name: str
    items: dict[int, Value] = field(default_factory=dict)

    def item(self, index: int) -> Value:
        """The item at an index; an error if the array has none there."""
        found = self.items.get(index)
        if found is None:
            low, high = min(self.items, default=0), max(self.items, default=0)
            gaps = "" if len(self.items) == high - low + 1 else " (with gaps)"
            raise ModelError(
                f"expected an index of {self.name} from {low} to {high}{gaps}, found {index}"
            )
        return found

    def set_item(self, indices: Sequence[int], value: Value) -> bool:
        """Set a new item; return False if it exists already or the number of indices is wrong."""
        array = self
        for index in indices[:-1]:
            if index not in array.items:
                array.items[index] = Array(f"{array.name}[{index}]")
            inner = array.items[index]
            if not isinstance(inner, Array):
                return False
            array = inner
        if indices[-1] in array.items or isinstance(next(iter(array.items.values()), 0), Array):
            return False
        array.items[indices[-1]] = value
        return True


@dataclass(frozen=True)
class Distinct:
    """The condition that some numbers are all different, as a value of the formula language."""

    parts: tuple[Number, ...]

    @cached_property
    def expression(self) -> Expression:
        """The conjunction of "not equal" over all pairs.

        Cost: quadratic in the number of parts.
        """
        return simplified_operation(
            "&", *(simplified_operation("!=", a, b) for a, b in combinations(self.parts, 2))
        )


Value = int | Expression | Array | Elements | Distinct


def as_number_if_constant(expression: Expression) -> Number:
    """A constant expression as an int; any other expression unchanged."""
    return expression.value if isinstance(expression, Constant) else expression


def as_operand(value: Value) -> Number:
    """A value as a number or an expression; an error if it is an array or a set."""
    if isinstance(value, Distinct):
        return as_number_if_constant(value.expression)
    if isinstance(value, Array):
        raise ModelError(f"expected an index after {value.name}, found none")
    if isinstance(value, tuple):
        raise ModelError("expected a number, found a set")
    return value


def flatten_values(values: Iterable[Value]) -> Iterator[Number]:
    """Yield numbers and expressions; arrays among the values are replaced by their items."""
    stack = list(values)[::-1]
    while stack:
        value = stack.pop()
        if isinstance(value, Array):
            stack.extend(reversed(value.items.values()))
        else:
            yield as_operand(value)


def apply_operator(op: str, values: Iterable[Value]) -> Number:
    """Apply an operator of the formula language to values.

    ``~`` of a value that can only be 0 or 1 is ``!``, as in NumPy: C's ``~a`` would never be 0.
    """
    numbers = [as_operand(v) for v in values]
    if op in ("/", "%") and numbers[1] == 0:
        raise ModelError(f"expected a divisor other than 0 after {op!r}, found 0")
    if op in ("<<", ">>") and isinstance(numbers[1], int) and numbers[1] < 0:
        raise ModelError(f"expected a count from 0 on after {op!r}, found {numbers[1]}")
    if op == "~" and isinstance(numbers[0], Expression) and numbers[0].is_boolean:
        op = "!"
    return as_number_if_constant(simplified_operation(op, *numbers))


def fold_operator(op: str, values: Sequence[Value]) -> Value:
    """Apply an operator to successive values: ``->`` from the right, all others from the left."""
    if op == "->":
        return reduce(lambda right, left: apply_operator(op, [left, right]), reversed(values))
    if op == "<->":
        return reduce(lambda left, right: apply_operator(op, [left, right]), values)
    return apply_operator(op, values)


def apply_function(function: str, values: Iterable[Value]) -> Number | Distinct:
    """Apply a function of the formula language to its arguments."""
    numbers = list(flatten_values(values))
    if function == "all different":
        if len(numbers) < 2:
            raise ModelError(f"expected two values or more that differ, found {len(numbers)}")
        return Distinct(tuple(numbers))
    if function == "abs":
        if len(numbers) != 1:
            raise ModelError(f"expected one argument of abs, found {len(numbers)}")
        return apply_operator("max", [numbers[0], apply_operator("-", numbers)])
    if function in ("min", "max") and not numbers:
        raise ModelError(f"expected arguments of {function}, found none")
    return apply_operator({"sum": "+", "any": "||", "all": "&&"}.get(function, function), numbers)
