"""The operators of integer expressions: their values, and interval bounds of their values.

The meaning is that of C wherever C defines one: truth is 0 or 1, anything but 0 counts as true,
``/`` cuts towards zero, ``%`` has the sign of the dividend, ``& | ^`` work bit by bit on two's
complement (so on truths they are "and", "or" and "either … or"), ``>>`` keeps the sign. Integers
are exact and never wrap around; a value that could need more than :data:`MAX_BITS` bits is refused.

Division by 0 and a shift by a negative count have no value: None. An operator with a None operand
has the value None, except that ``?:`` evaluates, as in C, only the operand that its test selects.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Sequence
from functools import partial, reduce
from itertools import product

from bddsudoku.errors import ModelError

MAX_BITS = 4096
"""Greatest number of bits of an operation's bounds (1,233 decimal digits)."""

Value = int | None
"""The value of an expression; None where it has none."""

Interval = tuple[int, int]
"""A lower and an upper bound of a value, both included."""

PARTIAL = frozenset({"/", "%", "<<", ">>"})
"""Operators that have no value for some second operands (0, or negative counts)."""


def apply(op: str, values: Sequence[Value]) -> Value:
    """The value of an operator applied to the values of its operands; None where undefined.

    Raises:
        ModelError: a shift beyond :data:`MAX_BITS`.
    """
    if op == "?:":
        return None if values[0] is None else values[1] if values[0] else values[2]
    known = [v for v in values if v is not None]
    return OPERATORS[op][0](known) if len(known) == len(values) else None


def result_bounds(op: str, bounds: Sequence[Interval]) -> Interval:
    """Bounds of an operator's value, from bounds of its operands (safe, not always tight).

    Raises:
        ModelError: a value may need more than :data:`MAX_BITS` bits.
    """
    low, high = OPERATORS[op][1](bounds)
    if max(low.bit_length(), high.bit_length()) > MAX_BITS:
        raise ModelError(f"a value of {op!r} may need more than {MAX_BITS} bits")
    return low, high


def may_be_undefined(op: str, bounds: Sequence[Interval]) -> bool:
    """Whether an operator may lack a value for operands, themselves defined, within the bounds."""
    if op not in PARTIAL:
        return False
    low, high = bounds[1]
    return low < 0 if op in ("<<", ">>") else low <= 0 <= high


def _truncated_quotient(values: Sequence[int]) -> Value:
    """The quotient rounded towards zero, as in C."""
    a, b = values
    if b == 0:
        return None
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


def _truncated_remainder(values: Sequence[int]) -> Value:
    """The remainder with the sign of the dividend, as in C."""
    a, b = values
    if b == 0:
        return None
    rest = abs(a) % abs(b)
    return -rest if a < 0 else rest


def _shift_left(values: Sequence[int]) -> Value:
    a, count = values
    if count < 0:
        return None
    if count > MAX_BITS and a:
        size = count.bit_length()
        shown = count if size <= 64 else f"a number of {size} bits"
        raise ModelError(f"a shift by {shown} is beyond {MAX_BITS} bits")
    return a << count if a else 0


def _shift_right(values: Sequence[int]) -> Value:
    a, count = values
    return None if count < 0 else a >> min(count, MAX_BITS + 1)


def _truth_bounds(bounds: Interval) -> Interval:
    """Bounds of the truth value (0 or 1) of a number with given bounds."""
    low, high = bounds
    return (0 if low <= 0 <= high else 1, 0 if low == high == 0 else 1)


def _monotone(function: Callable[[Iterable[int]], int], bounds: Sequence[Interval]) -> Interval:
    """Bounds of a function that grows with every operand: its values at their bounds."""
    return (function([low for low, _ in bounds]), function([high for _, high in bounds]))


def _least_and_greatest(values: Sequence[int]) -> Interval:
    return (min(values), max(values))


def _product_of_two_bounds(a: Interval, b: Interval) -> Interval:
    found = _least_and_greatest([x * y for x, y in product(a, b)])
    if max(abs(found[0]), abs(found[1])).bit_length() > MAX_BITS:
        raise ModelError(f"a value of '*' may need more than {MAX_BITS} bits")
    return found


def _product_bounds(bounds: Sequence[Interval]) -> Interval:
    return reduce(_product_of_two_bounds, bounds, (1, 1))


def _quotient_bounds(bounds: Sequence[Interval]) -> Interval:
    dividend, (low, high) = bounds
    ends = {d for d in (low, high, max(low, 1), min(high, -1)) if d and low <= d <= high}
    return _least_and_greatest(
        [_truncated_quotient((x, y)) or 0 for x, y in product(dividend, ends)] or [0]
    )


def _remainder_bounds(bounds: Sequence[Interval]) -> Interval:
    (low, high), divisor = bounds
    most = max(abs(divisor[0]), abs(divisor[1]), 1) - 1
    return (max(min(low, 0), -most), min(max(high, 0), most))


def _shift_bounds(shift: Callable[[Sequence[int]], Value], bounds: Sequence[Interval]) -> Interval:
    counts = [max(c, 0) for c in bounds[1]]
    return _least_and_greatest([shift(pair) or 0 for pair in product(bounds[0], counts)])


def _greatest_bit_count(bounds: Sequence[Interval]) -> int:
    return max(end.bit_length() for pair in bounds for end in pair)


def _bitwise_and_bounds(bounds: Sequence[Interval]) -> Interval:
    highs = [high for low, high in bounds if low >= 0]
    if highs:
        return (0, min(highs))
    return (-(1 << _greatest_bit_count(bounds)), max(high for _, high in bounds))


def _bitwise_or_bounds(bounds: Sequence[Interval]) -> Interval:
    if all(low >= 0 for low, _ in bounds):
        return (max(low for low, _ in bounds), (1 << _greatest_bit_count(bounds)) - 1)
    return (-(1 << _greatest_bit_count(bounds)), (1 << _greatest_bit_count(bounds)) - 1)


def _bitwise_xor_bounds(bounds: Sequence[Interval]) -> Interval:
    low = 0 if all(low >= 0 for low, _ in bounds) else -(1 << _greatest_bit_count(bounds))
    return (low, (1 << _greatest_bit_count(bounds)) - 1)


def _logical_not_bounds(bounds: Sequence[Interval]) -> Interval:
    low, high = _truth_bounds(bounds[0])
    return (1 - high, 1 - low)


def _equality_bounds(bounds: Sequence[Interval]) -> Interval:
    a, b = bounds
    return (int(a == b and a[0] == a[1]), int(a[0] <= b[1] and b[0] <= a[1]))


def _inequality_bounds(bounds: Sequence[Interval]) -> Interval:
    low, high = _equality_bounds(bounds)
    return (1 - high, 1 - low)


def _if_then_else_bounds(bounds: Sequence[Interval]) -> Interval:
    low, high = _truth_bounds(bounds[0])
    return _least_and_greatest([*(bounds[1] if high else ()), *(() if low else bounds[2])])


def _order_bounds(holds: Callable[[int, int], bool], bounds: Sequence[Interval]) -> Interval:
    """Bounds of ``<`` or ``<=``: certain at its worst ends, possible at its best."""
    a, b = bounds
    return (int(holds(a[1], b[0])), int(holds(a[0], b[1])))


OPERATORS: dict[
    str, tuple[Callable[[Sequence[int]], Value], Callable[[Sequence[Interval]], Interval]]
] = {
    "+": (sum, partial(_monotone, sum)),
    "*": (lambda v: reduce(operator.mul, v, 1), _product_bounds),
    "/": (_truncated_quotient, _quotient_bounds),
    "%": (_truncated_remainder, _remainder_bounds),
    "<<": (_shift_left, partial(_shift_bounds, _shift_left)),
    ">>": (_shift_right, partial(_shift_bounds, _shift_right)),
    "&": (lambda v: reduce(operator.and_, v), _bitwise_and_bounds),
    "|": (lambda v: reduce(operator.or_, v), _bitwise_or_bounds),
    "^": (lambda v: reduce(operator.xor, v), _bitwise_xor_bounds),
    "!": (lambda v: int(not v[0]), _logical_not_bounds),
    "==": (lambda v: int(v[0] == v[1]), _equality_bounds),
    "!=": (lambda v: int(v[0] != v[1]), _inequality_bounds),
    "<": (lambda v: int(v[0] < v[1]), partial(_order_bounds, operator.lt)),
    "<=": (lambda v: int(v[0] <= v[1]), partial(_order_bounds, operator.le)),
    "?:": (lambda v: v[1] if v[0] else v[2], _if_then_else_bounds),
    "min": (min, partial(_monotone, min)),
    "max": (max, partial(_monotone, max)),
}
"""Operator → (its function, its interval function), for the operators of
:class:`.expression.Operation`. :mod:`bddsudoku.model.simplify` rewrites the other operators in
terms of these."""
