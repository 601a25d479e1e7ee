"""Integer variables: groups of Booleans of which exactly one is true, one for every value.

In expressions such a number is a chain of choices, ``n=0 ? 0 : n=1 ? 1 : … : 9``: whatever its
Booleans are, its value lies in the domain.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bddsudoku.model.expression import Constant, Expression, Operation, Reference, nodes
from bddsudoku.model.operators import Value, apply
from bddsudoku.model.simplify import operation


@dataclass(frozen=True)
class IntegerVariable:
    """A number with a domain.

    Attributes:
        name: what people read.
        values: the domain, ascending.
        members: position of the Boolean for every value.
        expression: its value.
    """

    name: str
    values: tuple[int, ...]
    members: tuple[int, ...]
    expression: Expression

    @classmethod
    def made(cls, name: str, values: Sequence[int], first: int) -> IntegerVariable:
        """A variable whose Booleans begin at a position."""
        ordered = tuple(sorted(set(values)))
        members = tuple(range(first, first + len(ordered)))
        chain: Expression = Constant(ordered[-1])
        for value, member in zip(ordered[-2::-1], members[-2::-1], strict=True):
            chain = operation("?:", Reference(member), value, chain)
        return cls(name, ordered, members, chain)

    @property
    def weights(self) -> dict[int, int]:
        """The number as a weighted sum of its Booleans."""
        return dict(zip(self.members, self.values, strict=True))


Integers = Mapping[Expression, IntegerVariable]
"""Integer variables by their expression."""


def dependencies(
    expression: Expression, integers: Integers
) -> tuple[list[IntegerVariable], list[int]]:
    """The integer variables, and the positions of other variables, on which a value depends."""
    chains: list[IntegerVariable] = []
    others: list[int] = []
    for node in nodes(expression, integers):
        if node in integers:
            chains.append(integers[node])
        elif isinstance(node, Reference):
            others.append(node.index)
    return chains, others


def tabulate(
    expression: Expression, over: Sequence[IntegerVariable], integers: Integers
) -> dict[tuple[int, ...], Value]:
    """The values for all combinations of some integer variables, the only ones in it."""
    order = nodes(expression, integers)
    steps = [n for n in order if isinstance(n, Operation) and n not in integers]
    value: dict[Expression, Value] = {n: n.value for n in order if isinstance(n, Constant)}
    found: dict[tuple[int, ...], Value] = {}
    rows: list[tuple[int, ...]] = [()]
    for variable in over:
        rows = [(*row, v) for row in rows for v in variable.values]
    for row in rows:
        for variable, v in zip(over, row, strict=True):
            value[variable.expression] = v
        for node in steps:
            value[node] = apply(node.op, [value[a] for a in node.arguments])
        found[row] = value[expression]
    return found


def reduced(expression: Expression, integers: Integers) -> Expression:
    """The expression with truths about a single integer variable said by its Booleans.

    ``n == 3`` becomes the Boolean ``n=3``, ``n <= 7`` becomes ``!(n=8 | n=9)``.
    """
    if not integers:
        return expression
    new: dict[Expression, Expression] = {}
    about: dict[Expression, IntegerVariable | None] = {}
    several: set[Expression] = set()
    for node in nodes(expression, integers):
        new[node] = node
        about[node] = integers.get(node)
        if isinstance(node, Reference) and node not in integers:
            several.add(node)
        if not isinstance(node, Operation) or node in integers:
            continue
        found = {about[a] for a in node.arguments} - {None}
        if len(found) == 1 and several.isdisjoint(node.arguments):
            (about[node],) = found
            variable = about[node]
            if node.is_truth and node.defined and variable is not None:
                new[node] = _members(node, variable, integers)
                continue
        elif found or not several.isdisjoint(node.arguments):
            several.add(node)
        args = [new[a] for a in node.arguments]
        changed = any(a is not b for a, b in zip(args, node.arguments, strict=True))
        new[node] = operation(node.op, *args) if changed else node
    return new[expression]


def _members(node: Expression, variable: IntegerVariable, integers: Integers) -> Expression:
    table = tabulate(node, [variable], integers)
    true = [m for m, v in zip(variable.members, variable.values, strict=True) if table[(v,)]]
    false = [m for m in variable.members if m not in set(true)]
    if len(true) <= len(false):
        return operation("|", *map(Reference, true)) if true else Constant(0)
    return operation("!", operation("|", *map(Reference, false))) if false else Constant(1)
