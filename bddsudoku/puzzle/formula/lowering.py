"""Lowering of statements to constraints: one-hot where possible, else linear, else a formula.

* A conjunction is split into its parts.
* A statement about one integer variable forbids values; one about two of them is a set of "at most
  one": a value of one variable and the values of the other that it excludes. ``all different`` is
  one such constraint for every value, "exactly one" when there are as many values as numbers.
* Comparisons of sums and clauses are linear; with all weights 1 and a total of 1 or 0, one-hot.

An integer variable is a group of Booleans of which exactly one is true, one for every value. In
expressions it is a chain of choices, ``n=0 ? 0 : n=1 ? 1 : … : 9``: whatever its Booleans are, its
value lies in the domain. The constraints hold together with "exactly one" for the Booleans of every
integer variable, which is why sums over them may be moved so that their least weight is 0.

A statement must have a value under every assignment (:func:`check_always_defined`). As in C,
operands of ``&& || ?:`` that do not decide are ignored, so a guard such as ``y != 0 && x / y == 2``
is enough.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from math import gcd

from bddsudoku.errors import ModelError
from bddsudoku.model.constraints import Constraint, Formula, Linear, OneHot, rename_constraint
from bddsudoku.model.expression import (
    Constant,
    Expression,
    Operation,
    Reference,
    as_linear,
    distinct_subexpressions,
    evaluate,
    support,
)
from bddsudoku.model.operators import PARTIAL, Value, apply
from bddsudoku.model.simplify import (
    as_boolean,
    simplified_operation,
    substitute,
    substitute_all,
)
from bddsudoku.puzzle.formula.language_values import Distinct

_Plain = OneHot | Linear | Formula
_MAX_PAIRS = 2500
"""Largest number of pairs of values with which a relation becomes one-hot constraints."""
_MAX_CASES = 1 << 15
"""Most cases in which it is looked whether a statement has a value."""


@dataclass(frozen=True)
class IntegerVariable:
    """An integer variable, represented by one Boolean for each of its ascending values."""

    name: str
    values: tuple[int, ...]
    members: tuple[int, ...]
    expression: Expression


def make_integer_variable(name: str, values: Sequence[int], first_position: int) -> IntegerVariable:
    """Make an integer variable; its Booleans have the positions from ``first_position`` on."""
    members = range(first_position, first_position + len(values))
    chain: Expression = Constant(values[-1])
    for value, member in zip(values[-2::-1], members[-2::-1], strict=True):
        chain = simplified_operation("?:", Reference(member), value, chain)
    return IntegerVariable(name, tuple(values), tuple(members), chain)


Integers = Mapping[Expression, IntegerVariable]
"""Integer variables by their expression."""


def integers_and_other_variables(
    expression: Expression, integers: Integers
) -> tuple[list[IntegerVariable], list[int]]:
    """The integer variables that an expression depends on, and positions of other variables."""
    order = distinct_subexpressions(expression, integers)
    others = [n.index for n in order if isinstance(n, Reference) and n not in integers]
    return [integers[n] for n in order if n in integers], others


def lower_statement(
    statement: Expression | Distinct, family: str, label: str, integers: Integers
) -> list[Constraint]:
    """The constraints that are equivalent to a statement, an expression that must not be 0.

    A single constraint gets the label; several get ``label #1``, ``label #2``, …
    """
    found = [*_Lowering(integers, label).lower(statement)]
    labels = [label] if len(found) == 1 else [f"{label} #{k}" for k in range(1, len(found) + 1)]
    return [rename_constraint(c, family, n) for c, n in zip(found, labels, strict=True)]


class _Lowering:
    """Translator of a statement to constraints, which get their family and labels afterwards."""

    def __init__(self, integers: Integers, label: str) -> None:
        self.integers = integers
        self.label = label

    def lower(self, statement: Expression | Distinct) -> Iterator[_Plain]:
        if isinstance(statement, Distinct):
            yield from self._lower_all_different(statement)
            return
        for part in _conjuncts(as_boolean(statement)):
            chains, others = integers_and_other_variables(part, self.integers)
            if len(chains) == 1 and not others:
                false = [
                    m for m, value in self._values_by_boolean(part, chains[0]).items() if not value
                ]
                if false:
                    yield OneHot("", "", tuple(false), 0)
            elif (
                len(chains) == 2
                and not others
                and len(chains[0].values) * len(chains[1].values) <= _MAX_PAIRS
            ):
                yield from self._lower_binary_constraint(part, *chains)
            else:
                for simpler in _conjuncts(self._reduce_to_booleans(part)):
                    yield from self._lower_boolean_condition(simpler)

    def _tabulate(
        self, expression: Expression, variables: Sequence[IntegerVariable]
    ) -> dict[tuple[int, ...], Value]:
        """Tabulate an expression's values, by tuples of one Boolean of each integer variable."""
        order = distinct_subexpressions(expression, self.integers)
        steps = [n for n in order if isinstance(n, Operation) and n not in self.integers]
        value: dict[Expression, Value] = {n: n.value for n in order if isinstance(n, Constant)}
        found: dict[tuple[int, ...], Value] = {}
        for row in product(*(zip(v.members, v.values, strict=True) for v in variables)):
            for variable, (_, number) in zip(variables, row, strict=True):
                value[variable.expression] = number
            for node in steps:
                value[node] = apply(node.op, [value[a] for a in node.arguments])
            found[tuple([m for m, _ in row])] = value[expression]
        return found

    def _values_by_boolean(
        self, expression: Expression, variable: IntegerVariable
    ) -> dict[int, Value]:
        return {m: value for (m,), value in self._tabulate(expression, [variable]).items()}

    def _lower_binary_constraint(
        self, condition: Expression, first: IntegerVariable, second: IntegerVariable
    ) -> Iterator[OneHot]:
        """Lower a condition on two integer variables to "at most one" constraints."""
        table = self._tabulate(condition, [first, second])
        choices = []
        for (one, other), step in (((first, second), 1), ((second, first), -1)):
            groups: dict[tuple[int, ...], list[int]] = {}
            for m in one.members:
                excluded = tuple([k for k in other.members if not table[(m, k)[::step]]])
                if excluded:
                    groups.setdefault(excluded, []).append(m)
            choices.append((groups, len(other.members)))
        groups, full = min(choices, key=lambda c: len(c[0]))
        for excluding, members in groups.items():
            if len(excluding) == full:
                yield OneHot("", "", tuple(members), 0)
            else:
                yield OneHot("", "", tuple(sorted((*members, *excluding))), at_most=True)

    def _lower_all_different(self, statement: Distinct) -> Iterator[_Plain]:
        """Lower ``all different`` to a one-hot constraint per value, or to ``!=`` of all pairs."""
        numbers = [part for part in statement.parts if isinstance(part, int)]
        parts = [part for part in statement.parts if not isinstance(part, int)]
        tables = [self._values_of_one_variable(part) for part in parts]
        places: dict[int, list[int]] = {value: [] for value in numbers}
        for table in tables:
            for m, value in (table or {}).items():
                assert value is not None
                places.setdefault(value, []).append(m)
        # Two functions of one variable may be equal for a value of it.
        if not all(tables) or any(len({*members}) < len(members) for members in places.values()):
            for a, b in combinations(statement.parts, 2):
                yield from self.lower(simplified_operation("!=", a, b))
            return
        every = len(places) == len(statement.parts)
        if len({*numbers}) < len(numbers) or len(places) < len(statement.parts):
            yield OneHot("", "", ())
            return
        for value, members in sorted(places.items()):
            house = tuple(sorted(members))
            if value in numbers:
                yield OneHot("", "", house, 0)
            elif every or len(house) > 1:
                yield OneHot("", "", house, at_most=not every, house=self.label)

    def _values_of_one_variable(self, part: Expression) -> dict[int, Value] | None:
        """What :meth:`_values_by_boolean` says of a function of one variable; None of others."""
        if not part.defined:
            return None
        chains, others = integers_and_other_variables(part, self.integers)
        return self._values_by_boolean(part, chains[0]) if len(chains) == 1 and not others else None

    def _reduce_to_booleans(self, expression: Expression) -> Expression:
        """Replace each condition on a single integer variable by a condition on its Booleans.

        ``n == 3`` becomes the Boolean ``n=3``, ``n <= 7`` becomes ``!(n=8 | n=9)``.
        """
        new: dict[Expression, Expression] = {}
        about: dict[Expression, IntegerVariable | Expression | None] = {**self.integers}
        for node in distinct_subexpressions(expression, self.integers):
            if node in self.integers:
                continue
            if not isinstance(node, Operation):
                about[node] = node if isinstance(node, Reference) else None
                continue
            found = {about[a] for a in node.arguments} - {None}
            variable = about[node] = found.pop() if len(found) == 1 else node if found else None
            if isinstance(variable, IntegerVariable) and node.is_boolean and node.defined:
                new[node] = self._condition_on_booleans(node, variable)
        return substitute_all([expression], {}, new)[0]

    def _condition_on_booleans(self, node: Expression, variable: IntegerVariable) -> Expression:
        table = self._values_by_boolean(node, variable)
        true = [Reference(m) for m, value in table.items() if value]
        false = [Reference(m) for m, value in table.items() if not value]
        if len(true) <= len(false):
            return simplified_operation("|", *true)
        return simplified_operation("!", simplified_operation("|", *false))

    def _lower_boolean_condition(self, condition: Expression) -> Iterator[_Plain]:
        if isinstance(condition, Constant):
            if not condition.value:
                yield OneHot("", "", ())
            return
        literals = _clause_weights(condition)
        if literals is not None:
            if literals:
                negative = sum(w < 0 for w in literals.values())
                yield from linear_constraint(dict(sorted(literals.items())), 1 - negative, None)
            return
        found = self._lower_comparison(condition)
        yield from [Formula("", "", condition)] if found is None else found

    def _lower_comparison(self, condition: Expression) -> Iterable[_Plain] | None:
        """Lower a comparison of sums to linear constraints; None for any other condition."""
        if not isinstance(condition, Operation):
            return None
        op = condition.op
        if (
            op == "^"
            and len(condition.arguments) == 2
            and all(a.is_boolean for a in condition.arguments)
        ):
            op = "!="
        if op not in ("==", "!=", "<", "<="):
            return None
        a, b = condition.arguments
        if op == "!=" and a.is_boolean and b.is_boolean:
            op, b = "==", simplified_operation("-", 1, b)
        forms = {e: dict(zip(i.members, i.values, strict=True)) for e, i in self.integers.items()}
        sides = as_linear(simplified_operation("-", a, b), forms)
        if sides is None:
            return None
        weights, constant = self._shift_least_weights_to_zero(*sides)
        if op == "==":
            return linear_constraint(weights, -constant, -constant)
        if op != "!=":
            return linear_constraint(weights, None, -constant - (op == "<"))
        least = sum(w for w in weights.values() if w < 0)
        most = sum(w for w in weights.values() if w > 0)
        if -constant == least:
            return linear_constraint(weights, least + 1, None)
        if -constant == most:
            return linear_constraint(weights, None, most - 1)
        reachable = least < -constant < most and constant % gcd(*weights.values()) == 0
        return None if reachable else ()

    def _shift_least_weights_to_zero(
        self, weights: dict[int, int], constant: int
    ) -> tuple[dict[int, int], int]:
        """Rewrite a sum so that the least weight of each integer variable's Booleans is 0."""
        for variable in self.integers.values():
            if variable.members[-1] in weights or variable.members[0] in weights:
                least = min(weights.get(m, 0) for m in variable.members)
                constant += least
                for m in variable.members:
                    weights[m] = weights.get(m, 0) - least
        return {v: weights[v] for v in sorted(weights) if weights[v]}, constant


def _nested_operands(
    statement: Expression, joining: Sequence[str], below_not: Sequence[str]
) -> list[tuple[Expression, bool]]:
    """The distinct operands under nested operators, each with True or, if it is negated, False.

    Below a ``!`` the operators ``below_not`` do what the operators ``joining`` do elsewhere.
    """
    found: list[tuple[Expression, bool]] = []
    seen: set[tuple[Expression, bool]] = set()
    stack = [(statement, True)]
    while stack:
        part = node, positive = stack.pop()
        if part in seen:
            continue
        seen.add(part)
        if isinstance(node, Operation):
            inside = positive != (node.op == "!")
            is_joined = node.op == "!" or node.op in (joining if positive else below_not)
            if is_joined and all(a.is_boolean for a in node.arguments):
                stack.extend([(a, inside) for a in reversed(node.arguments)])
                continue
        found.append(part)
    return found


def _conjuncts(statement: Expression) -> list[Expression]:
    """The operands of a conjunction (``&``); ``a && b`` stays whole, because a guards b."""
    parts = _nested_operands(statement, ("&",), ("|",))
    return [part if positive else simplified_operation("!", part) for part, positive in parts]


def _clause_weights(statement: Expression) -> dict[int, int] | None:
    """A clause as weights 1 and -1 by variable; {} if it always holds, None if it is no clause."""
    weights: dict[int, int] = {}
    parts = _nested_operands(statement, ("|",), ("&",))
    for part, positive in parts:
        if not isinstance(part, Reference):
            return None
        weights[part.index] = 1 if positive else -1
    return weights if len(weights) == len(parts) else {}


def linear_constraint(
    weights: Mapping[int, int],
    low: int | None,
    high: int | None,
    family: str = "",
    label: str = "",
) -> Iterator[OneHot | Linear]:
    """Yield the simplest constraint for a weighted sum between bounds; none if it always holds.

    The weights, none of them 0, are in the order of variables. The form is unique: weights have no
    common factor, the first is positive, and a bound is given only where it excludes something.
    """
    common = gcd(*weights.values()) or 1
    if next(iter(weights.values()), 1) < 0:
        common, low, high = -common, high, low
    variables = tuple(weights)
    scaled = tuple([w // common for w in weights.values()])
    least = sum([w for w in scaled if w < 0])
    most = sum([w for w in scaled if w > 0])
    low = least if low is None else max(least, -(-low // common))
    high = most if high is None else min(most, high // common)
    if low > high:
        yield OneHot(family, label, ())
    elif low > least or high < most:
        if scaled.count(1) == len(scaled) and high < 2 and (low == high or low == 0):
            yield OneHot(family, label, variables, high, at_most=low < high)
        else:
            yield Linear(
                family,
                label,
                variables,
                scaled,
                low if low > least else None,
                high if high < most else None,
            )


def check_always_defined(statement: Expression, names: Sequence[str], integers: Integers) -> None:
    """Raise ModelError if a statement has no value (x / 0) under some assignment."""
    values = _undefining_values(statement)
    if values is None:
        return
    complete = dict.fromkeys(support(statement), False) | values
    for node in _partial_operations(statement):
        try:
            second = evaluate(node.arguments[1], complete)
        except ModelError:
            continue
        division = node.op in ("/", "%")
        if second == 0 if division else second < 0:
            what = "a divisor that is never 0" if division else "a count that is never negative"
            chains, others = integers_and_other_variables(node.arguments[1], integers)
            found = [(c.name, evaluate(c.expression, complete)) for c in chains]
            found += [(names[v], int(complete[v])) for v in sorted(others)]
            where = ", ".join(f"{name} = {value}" for name, value in found[:4])
            where = (f" when {where}" if where else "") + (", …" if len(found) > 4 else "")
            raise ModelError(
                f"expected {what} after {node.op!r}, found one that is {second}{where}"
            )


def _undefining_values(statement: Expression) -> dict[int, bool] | None:
    """Values of some variables under which a statement has no value; None if there are none."""
    cases: list[tuple[Expression, dict[int, bool]]] = [(statement, {})]
    seen: set[Expression] = set()
    while cases:
        left, values = cases.pop()
        if left.defined or left in seen:
            continue
        seen.add(left)
        doubtful = _partial_operations(left)
        free = next(filter(None, map(support, (*(n.arguments[1] for n in doubtful), left))), ())
        if not free:
            return values
        if len(seen) > _MAX_CASES:
            raise ModelError(
                "expected a divisor that is never 0 and a shift that is never negative, "
                "found a statement for which this cannot be told"
            )
        choices = ({free[0]: False}, {free[0]: True})
        cases += [(substitute(left, choice), values | choice) for choice in choices]
    return None


def _partial_operations(expression: Expression) -> list[Operation]:
    """The operations that may be undefined (x / 0, negative shifts), innermost first."""
    return [
        n
        for n in distinct_subexpressions(expression)
        if isinstance(n, Operation) and n.op in PARTIAL and not n.defined
    ]
