"""Statements become constraints: one-hot where they can be, else linear, else a formula.

* A conjunction falls into its parts.
* A statement about one integer variable forbids values; one about two of them is a set of "at most
  one": a value of the one and the values of the other that it excludes. ``all different`` is one
  such constraint for every value, "exactly one" when there are as many values as numbers.
* Comparisons of sums and clauses are linear; with all weights 1 and a total of 1 or 0, one-hot.

The constraints hold together with "exactly one" for the Booleans of every integer variable, which
is why sums over them may be moved so that their least weight is 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations
from math import gcd

from bddsudoku.model.constraints import Constraint, Formula, Linear, OneHot
from bddsudoku.model.expression import Constant, Expression, Operation, Reference, as_linear
from bddsudoku.model.simplify import operation, truth
from bddsudoku.puzzle.formula.integers import (
    Integers,
    IntegerVariable,
    dependencies,
    reduced,
    tabulate,
)
from bddsudoku.puzzle.formula.values import Distinct, Number

_MOST_PAIRS = 2500
"""Pairs of values up to which a relation of two integer variables becomes one-hot constraints."""


class Lowering:
    """Makes the constraints of statements.

    Args:
        integers: the integer variables by their expression.
    """

    def __init__(self, integers: Integers) -> None:
        self.integers = integers

    def constraints(
        self, statement: Expression | Distinct, family: str, label: str
    ) -> list[Constraint]:
        """The constraints that say the same as a statement.

        Args:
            statement: what shall not be 0.
            family: of all constraints.
            label: of the only constraint; of several ``label #1``, ``label #2``, …
        """
        found = _joined(self._made(statement))
        if len(found) == 1:
            return [_named(found[0], family, label)]
        return [_named(c, family, f"{label} #{k}") for k, c in enumerate(found, 1)]

    def _made(self, statement: Expression | Distinct) -> Iterator[Constraint]:
        """Constraints without names."""
        if isinstance(statement, Distinct):
            yield from self._different(statement)
            return
        for part in _conjuncts(truth(statement)):
            yield from self._part(part)

    def _part(self, part: Expression) -> Iterator[Constraint]:
        if isinstance(part, Constant):
            if not part.value:
                yield OneHot("", "", ())
            return
        chains, others = dependencies(part, self.integers)
        if not others:
            if len(chains) == 1:
                yield from self._unary(part, chains[0])
                return
            if len(chains) == 2 and len(chains[0].values) * len(chains[1].values) <= _MOST_PAIRS:
                yield from self._binary(part, chains[0], chains[1])
                return
        for simpler in _conjuncts(reduced(part, self.integers)):
            yield from self._general(simpler)

    def _unary(self, part: Expression, variable: IntegerVariable) -> Iterator[Constraint]:
        table = tabulate(part, [variable], self.integers)
        false = [m for m, v in zip(variable.members, variable.values, strict=True) if not table[v,]]
        if false:
            yield OneHot("", "", tuple(false), 0)

    def _binary(
        self, part: Expression, first: IntegerVariable, second: IntegerVariable
    ) -> Iterator[Constraint]:
        table = tabulate(part, [first, second], self.integers)
        choices = []
        for turned, (a, b) in enumerate([(first, second), (second, first)]):
            excluded: dict[tuple[int, ...], list[int]] = {}
            for v, member in zip(a.values, a.members, strict=True):
                conflict = tuple(
                    m
                    for w, m in zip(b.values, b.members, strict=True)
                    if not table[(w, v) if turned else (v, w)]
                )
                if conflict:
                    excluded.setdefault(conflict, []).append(member)
            choices.append((excluded, len(b.members)))
        excluded, full = min(choices, key=lambda c: len(c[0]))
        for conflict, members in excluded.items():
            if len(conflict) == full:
                yield OneHot("", "", tuple(members), 0)
            else:
                yield OneHot("", "", tuple(sorted((*members, *conflict))), at_most=True)

    def _different(self, statement: Distinct) -> Iterator[Constraint]:
        """``all different`` of functions of one integer variable; else all pairs differ."""
        places: dict[int, dict[int, None]] = {}
        numbers: list[int] = []
        never: dict[int, None] = {}
        for part in statement.parts:
            if isinstance(part, int):
                numbers.append(part)
                continue
            chains, others = dependencies(part, self.integers)
            if others or len(chains) != 1 or not part.defined:
                yield from self._pairs(statement.parts)
                return
            table = tabulate(part, chains, self.integers)
            for v, m in zip(chains[0].values, chains[0].members, strict=True):
                value = table[v,]
                assert value is not None
                here = places.setdefault(value, {})
                # Two functions of one variable, equal for this value of it.
                (never if m in here else here)[m] = None
        values = set(places) | set(numbers)
        if len(set(numbers)) < len(numbers) or len(values) < len(statement.parts):
            yield OneHot("", "", ())
            return
        every = len(values) == len(statement.parts)
        if never:
            yield OneHot("", "", tuple(sorted(never)), 0)
        for value in sorted(places):
            members = tuple(sorted(places[value]))
            if value in numbers:
                yield OneHot("", "", members, 0)
            elif every or len(members) > 1:
                yield OneHot("", "", members, at_most=not every)

    def _pairs(self, parts: Iterable[Number]) -> Iterator[Constraint]:
        for a, b in combinations(parts, 2):
            yield from self._made(operation("!=", a, b))

    def _general(self, part: Expression) -> Iterator[Constraint]:
        """A statement about Booleans."""
        if isinstance(part, Constant):
            yield from self._part(part)
            return
        literals = _clause(part)
        if literals is not None:
            if literals:
                yield from self._at_least(literals, sum(w < 0 for w in literals.values()), 1)
            return
        found = self._comparison(part)
        if found is None:
            yield Formula("", "", part)
            return
        weights, low, high = found
        yield from linear(weights, low, high)

    def _at_least(self, weights: dict[int, int], constant: int, low: int) -> Iterator[Constraint]:
        yield from linear({v: weights[v] for v in sorted(weights)}, low - constant, None)

    def _comparison(self, part: Expression) -> tuple[dict[int, int], int | None, int | None] | None:
        """A comparison of sums as weights between bounds; None when it is none."""
        if not isinstance(part, Operation):
            return None
        if part.op == "^" and len(part.arguments) == 2 and all(a.is_truth for a in part.arguments):
            op, (a, b) = "!=", part.arguments
        elif part.op in ("==", "!=", "<", "<="):
            op, (a, b) = part.op, part.arguments
        else:
            return None
        if op == "!=" and a.is_truth and b.is_truth:
            op, b = "==", operation("-", 1, b)
        forms = {e: i.weights for e, i in self.integers.items()}
        sides = as_linear(operation("-", a, b), forms)
        if sides is None:
            return None
        weights, constant = self._moved(*sides)
        least = sum(w for w in weights.values() if w < 0)
        most = sum(w for w in weights.values() if w > 0)
        if op == "==":
            return weights, -constant, -constant
        if op in ("<", "<="):
            return weights, None, -constant - (op == "<")
        if -constant in (least, most):
            return (weights, least + 1, None) if -constant == least else (weights, None, most - 1)
        reachable = least < -constant < most and constant % gcd(*weights.values()) == 0
        return None if reachable else (weights, None, None)

    def _moved(self, weights: dict[int, int], constant: int) -> tuple[dict[int, int], int]:
        """The same sum, the least weight in every integer variable's group 0."""
        for variable in self.integers.values():
            if variable.members[-1] in weights or variable.members[0] in weights:
                least = min(weights.get(m, 0) for m in variable.members)
                constant += least
                for m in variable.members:
                    weights[m] = weights.get(m, 0) - least
        return {v: weights[v] for v in sorted(weights) if weights[v]}, constant


def _named(constraint: Constraint, family: str, label: str) -> Constraint:
    if isinstance(constraint, OneHot):
        return OneHot(family, label, constraint.variables, constraint.total, constraint.at_most)
    if isinstance(constraint, Linear):
        return Linear(
            family,
            label,
            constraint.variables,
            constraint.weights,
            constraint.low,
            constraint.high,
        )
    assert isinstance(constraint, Formula)
    return Formula(family, label, constraint.expression)


def _conjuncts(statement: Expression) -> list[Expression]:
    """The parts that must all hold; those of ``&&`` stay together, as they guard each other."""
    found: list[Expression] = []
    stack = [statement]
    while stack:
        node = stack.pop()
        if isinstance(node, Operation):
            args = node.arguments
            if node.op == "&" and all(a.is_truth for a in args):
                stack.extend(reversed(args))
                continue
            if node.op == "!" and isinstance(args[0], Operation):
                inner = args[0]
                if inner.op == "|" and all(a.is_truth for a in inner.arguments):
                    stack.extend(operation("!", a) for a in reversed(inner.arguments))
                    continue
        found.append(node)
    return list(dict.fromkeys(found))


def _clause(statement: Expression) -> dict[int, int] | None:
    """A disjunction of literals as weights 1 and -1; {} when it always holds, else None."""
    weights: dict[int, int] = {}
    stack = [(statement, True)]
    always = False
    seen: set[tuple[Expression, bool]] = set()
    while stack:
        node, positive = stack.pop()
        if (node, positive) in seen:
            continue
        seen.add((node, positive))
        if isinstance(node, Reference):
            weight = 1 if positive else -1
            always = always or weights.get(node.index, weight) != weight
            weights[node.index] = weight
        elif isinstance(node, Operation) and node.op == "!":
            stack.append((node.arguments[0], not positive))
        elif isinstance(node, Operation) and all(a.is_truth for a in node.arguments):
            if node.op not in (("|", "||") if positive else ("&", "&&")):
                return None
            stack.extend((a, positive) for a in node.arguments)
        else:
            return None
    return {} if always else weights


def linear(
    weights: dict[int, int],
    low: int | None,
    high: int | None,
    family: str = "",
    label: str = "",
) -> Iterator[OneHot | Linear]:
    """A weighted sum between bounds, in the simplest form; nothing when it always holds.

    Args:
        weights: by variable, ascending, none 0.
        low, high: bounds, None for none.
        family, label: the name of the constraint.

    The form is unique: weights without a common factor, the first one positive, and a bound only
    where it says something.
    """
    if next(iter(weights.values()), 1) < 0:
        weights = {v: -w for v, w in weights.items()}
        low, high = (None if high is None else -high), (None if low is None else -low)
    common = gcd(*weights.values()) or 1
    variables = tuple(weights)
    scaled = tuple(w // common for w in weights.values())
    low = None if low is None else -(-low // common)
    high = None if high is None else high // common
    least = sum(w for w in scaled if w < 0)
    most = sum(w for w in scaled if w > 0)
    low = None if low is not None and low <= least else low
    high = None if high is not None and high >= most else high
    if low is None and high is None:
        return
    if max(least if low is None else low, least) > min(most if high is None else high, most):
        yield OneHot(family, label, ())
        return
    ones = all(w == 1 for w in scaled)
    if ones and len(scaled) == 1:
        yield OneHot(family, label, variables, int(low is not None))
    elif ones and high in (0, 1) and low in (None, high):
        yield OneHot(family, label, variables, high or 0, at_most=low is None and high == 1)
    else:
        yield Linear(family, label, variables, scaled, low, high)


def _joined(constraints: Iterable[Constraint]) -> list[Constraint]:
    """Bounds of one and the same sum become one constraint (a sum between two bounds)."""
    found: list[Constraint] = []
    place: dict[tuple[tuple[int, ...], tuple[int, ...]], int] = {}
    for c in constraints:
        if isinstance(c, Linear):
            key = (c.variables, c.weights)
            if key in place:
                other = found[place[key]]
                assert isinstance(other, Linear)
                lows = [b.low for b in (c, other) if b.low is not None]
                highs = [b.high for b in (c, other) if b.high is not None]
                both = linear(
                    dict(zip(*key, strict=True)),
                    max(lows, default=None),
                    min(highs, default=None),
                )
                (found[place[key]],) = both
                if not isinstance(found[place[key]], Linear):
                    del place[key]
                continue
            place[key] = len(found)
        found.append(c)
    return found
