"""Construction of simplified expressions: constants folded, neutral operands dropped.

:func:`simplified_operation` takes every operator of the language and rewrites the rarer ones in
terms of the others (``a - b`` is ``a + -1 * b``, ``a -> b`` is ``!a || b``). An operand that may
lack a value (a division by 0) is dropped only where C would not evaluate it either: ``a && b`` is
then ``a ? b != 0 : 0``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial

from bddsudoku.errors import ModelError
from bddsudoku.model.expression import (
    Constant,
    Expression,
    Operation,
    Reference,
    distinct_subexpressions,
)
from bddsudoku.model.operators import apply, result_bounds

_ZERO = Constant(0)
_ONE = Constant(1)
_MAX_OPERANDS = 64
_INVERSE = {"==": "!=", "!=": "=="}


def simplified_operation(op: str, *arguments: Expression | int) -> Expression:
    """The simplified expression of an operator applied to operands.

    Args:
        op: ``+ - * / % << >> & | ^ ~ ! && || -> <-> == != < <= > >= ?: min max`` (``-`` also with
            one operand; ``+ * & | ^ && || min max`` with any number, all but the last two also
            with none).
        arguments: expressions or numbers.

    Raises:
        ModelError: no such operator, a wrong number of operands, or values beyond ``MAX_BITS``.
    """
    args = [a if isinstance(a, Expression) else Constant(a) for a in arguments]
    if op not in _RULES:
        return _fold_constants(op, args)
    rule, *counts = _RULES[op]
    if counts and len(args) not in counts:
        raise ModelError(f"operator {op!r} cannot take {len(args)} operands")
    return rule(args)


def as_boolean(expression: Expression) -> Expression:
    """The expression that is 1 where the given one is not 0, else 0."""
    if expression.is_boolean:
        return expression
    return simplified_operation("!=", expression, _ZERO)


def substitute(expression: Expression, known: Mapping[int, bool | int | Expression]) -> Expression:
    """Replace variables of an expression by values or expressions, and simplify.

    A subexpression that has no value then (a division by 0) stays, unless it is an operand that
    ``&&``, ``||`` or ``?:`` do not evaluate.

    Raises:
        ModelError: values grow beyond ``MAX_BITS`` (only where expressions are substituted).
    """
    return substitute_all((expression,), known)[0]


def substitute_all(
    expressions: Iterable[Expression],
    known: Mapping[int, bool | int | Expression],
    new: dict[Expression, Expression] | None = None,
) -> list[Expression]:
    """Like :func:`substitute` for several expressions; visits shared subexpressions once.

    In ``new`` are the results of earlier calls with the same values, if they are to be kept.
    """
    new = {} if new is None else new
    found = []
    for expression in expressions:
        for node in distinct_subexpressions(expression, new):
            if node in new:
                continue
            if isinstance(node, Reference):
                value = known.get(node.index, node)
                new[node] = value if isinstance(value, Expression) else Constant(bool(value))
            elif isinstance(node, Operation):
                args = [new[a] for a in node.arguments]
                changed = any(a is not b for a, b in zip(args, node.arguments, strict=True))
                new[node] = simplified_operation(node.op, *args) if changed else node
            else:
                new[node] = node
        found.append(new[expression])
    return found


def _fold_constants(op: str, args: Iterable[Expression]) -> Expression:
    """The operation with the given operands, or a constant if its value is always the same."""
    made = Operation(op, args)
    if made.defined and made.low == made.high:
        return Constant(made.low)
    if all(isinstance(a, Constant) for a in made.arguments):
        value = apply(op, [a.low for a in made.arguments])
        return made if value is None else Constant(value)
    return made


def _flatten(op: str, args: list[Expression]) -> list[Expression]:
    """Merge nested ``op`` operations into one list of operands, unless it would exceed 64."""
    if not any(isinstance(a, Operation) and a.op == op for a in args):
        return args
    parts: list[Expression] = []
    for a in args:
        parts += a.arguments if isinstance(a, Operation) and a.op == op else (a,)
    return parts if len(parts) <= _MAX_OPERANDS else args


def _split_constants(args: list[Expression]) -> tuple[list[int], list[Expression]]:
    numbers = [a.value for a in args if isinstance(a, Constant)]
    return numbers, [a for a in args if not isinstance(a, Constant)]


def _simplify_sum(args: list[Expression]) -> Expression:
    numbers, rest = _split_constants(_flatten("+", args))
    total = sum(numbers)
    if not rest:
        return Constant(total)
    if total:
        rest.append(Constant(total))
    return rest[0] if len(rest) == 1 else _fold_constants("+", rest)


def _simplify_difference(args: list[Expression]) -> Expression:
    negated = _simplify_product([Constant(-1), args[-1]])
    return negated if len(args) == 1 else _simplify_sum([args[0], negated])


def _simplify_product(args: list[Expression]) -> Expression:
    numbers, rest = _split_constants(_flatten("*", args))
    product = Constant(result_bounds("*", [(n, n) for n in numbers])[0])
    if not rest or (product is _ZERO and all(a.defined for a in rest)):
        return product
    truths = [a for a in rest if a.is_boolean]
    if len(truths) > 1:
        rest = [_simplify_bitwise_and(truths), *(a for a in rest if not a.is_boolean)]
        return _simplify_product([product, *rest])
    if product is not _ONE:
        rest.insert(0, product)
    return rest[0] if len(rest) == 1 else _fold_constants("*", rest)


def _simplify_quotient(args: list[Expression]) -> Expression:
    return args[0] if args[1] is _ONE else _fold_constants("/", args)


def _simplify_left_shift(args: list[Expression]) -> Expression:
    count = args[1]
    if isinstance(count, Constant) and count.value >= 0:
        power = apply("<<", [1, count.value])
        assert power is not None
        return _simplify_product([Constant(power), args[0]])
    return _fold_constants("<<", args)


def _simplify_bitwise_not(args: list[Expression]) -> Expression:
    return _simplify_sum([_simplify_product([Constant(-1), args[0]]), Constant(-1)])


def _simplify_bitwise(op: str, args: list[Expression], neutral: int) -> Expression:
    """Simplify ``&`` or ``|`` of operands; ``neutral`` is the constant that changes nothing.

    Among truth values 1 is neutral to ``&`` and decides ``|``.
    """
    numbers, rest = _split_constants(list(dict.fromkeys(_flatten(op, args))))
    number = _fold_constants(op, [Constant(n) for n in (neutral, *numbers)])
    if not rest:
        return number
    truths = all(a.is_boolean for a in rest) and -1 <= number.low <= 1
    decisive = _ZERO if op == "&" else _ONE if truths else Constant(-1)
    negated = {a.arguments[0] for a in rest if isinstance(a, Operation) and a.op == "!"}
    decided = number is decisive or (truths and not negated.isdisjoint(rest))
    if decided and all(a.defined for a in rest):
        return decisive
    if number.low != neutral and not (truths and op == "&" and number is _ONE):
        rest.append(number)
    return rest[0] if len(rest) == 1 else _fold_constants(op, rest)


_simplify_bitwise_and = partial(_simplify_bitwise, "&", neutral=-1)
_simplify_bitwise_or = partial(_simplify_bitwise, "|", neutral=0)


def _simplify_bitwise_xor(args: list[Expression]) -> Expression:
    numbers, rest = _split_constants(_flatten("^", args))
    number = 0
    for n in numbers:
        number ^= n
    if not rest:
        return Constant(number)
    if number == 1 and all(a.is_boolean for a in rest):
        return _simplify_logical_not([_simplify_bitwise_xor(rest)])
    if number:
        rest.append(Constant(number))
    return rest[0] if len(rest) == 1 else _fold_constants("^", rest)


def _simplify_logical_not(args: list[Expression]) -> Expression:
    inner = args[0]
    if isinstance(inner, Operation):
        first, *others = inner.arguments or (_ZERO,)
        if inner.op == "!" and first.is_boolean:
            return first
        if inner.op in _INVERSE:
            return _fold_constants(_INVERSE[inner.op], [first, *others])
        if inner.op in ("<", "<="):
            return _fold_constants("<=" if inner.op == "<" else "<", [*others, first])
    return _fold_constants("!", args)


def _simplify_and_or(op: str, args: list[Expression]) -> Expression:
    """Write ``&&`` or ``||`` by ``& |`` where every operand has a value, otherwise by ``?:``.

    The operands after the first one that decides the result are dropped.
    """
    stop = op == "||"
    kept: list[Expression] = []
    for a in dict.fromkeys(_flatten(op, args)):
        if not isinstance(a, Constant):
            kept.append(a)
        elif bool(a.value) is stop:
            kept.append(Constant(stop))
            break
    if not kept:
        return Constant(not stop)
    if all(a.defined for a in kept):
        return (_simplify_bitwise_or if stop else _simplify_bitwise_and)(
            [as_boolean(a) for a in kept]
        )
    *tests, last = kept
    found = as_boolean(last)
    for a in reversed(tests):
        found = _simplify_if_then_else([a, _ONE, found] if stop else [a, found, _ZERO])
    return found


def _simplify_equality(args: list[Expression]) -> Expression:
    if args[0] is args[1] and args[0].defined:
        return _ONE
    for a, b in (args, args[::-1]):
        if a.is_boolean and isinstance(b, Constant) and b.value in (0, 1):
            return a if b.value else _simplify_logical_not([a])
    return _fold_constants("==", args)


def _simplify_inequality(op: str, args: list[Expression]) -> Expression:
    if args[0] is args[1] and args[0].defined:
        return _ONE if op == "<=" else _ZERO
    return _fold_constants(op, args)


def _simplify_if_then_else(args: list[Expression]) -> Expression:
    test, then, other = args
    if isinstance(test, Constant):
        return then if test.value else other
    if then is other and test.defined:
        return then
    if then is _ONE and other is _ZERO:
        return as_boolean(test)
    if then is _ZERO and other is _ONE:
        return _simplify_logical_not([test])
    return _fold_constants("?:", args)


def _simplify_min_max(op: str, args: list[Expression]) -> Expression:
    numbers, rest = _split_constants(list(dict.fromkeys(_flatten(op, args))))
    if numbers:
        rest.append(_fold_constants(op, [Constant(n) for n in numbers]))
    if not rest:
        raise ModelError(f"{op} of nothing has no value")
    if all(a.is_boolean for a in rest):
        return (_simplify_bitwise_and if op == "min" else _simplify_bitwise_or)(rest)
    return rest[0] if len(rest) == 1 else _fold_constants(op, rest)


_RULES: dict[str, tuple[Callable[[list[Expression]], Expression], *tuple[int, ...]]] = {
    "+": (_simplify_sum,),
    "-": (_simplify_difference, 1, 2),
    "*": (_simplify_product,),
    "/": (_simplify_quotient, 2),
    "<<": (_simplify_left_shift, 2),
    "~": (_simplify_bitwise_not, 1),
    "&": (_simplify_bitwise_and,),
    "|": (_simplify_bitwise_or,),
    "^": (_simplify_bitwise_xor,),
    "!": (_simplify_logical_not, 1),
    "&&": (lambda args: _simplify_and_or("&&", args),),
    "||": (lambda args: _simplify_and_or("||", args),),
    "->": (lambda args: _simplify_and_or("||", [_simplify_logical_not(args[:1]), args[1]]), 2),
    "<->": (lambda args: _simplify_equality([as_boolean(a) for a in args]), 2),
    "==": (_simplify_equality, 2),
    "!=": (lambda args: _simplify_logical_not([_simplify_equality(args)]), 2),
    "<": (lambda args: _simplify_inequality("<", args), 2),
    "<=": (lambda args: _simplify_inequality("<=", args), 2),
    ">": (lambda args: _simplify_inequality("<", args[::-1]), 2),
    ">=": (lambda args: _simplify_inequality("<=", args[::-1]), 2),
    "?:": (_simplify_if_then_else, 3),
    "min": (lambda args: _simplify_min_max("min", args),),
    "max": (lambda args: _simplify_min_max("max", args),),
}
"""Operator → its simplifying constructor, and the allowed numbers of operands (none: any)."""
