"""Statements as layered automata: every part of an expression as a diagram, operands first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from bddsudoku.model.expression import (
    Constant,
    Expression,
    Operation,
    Reference,
    nodes,
    support,
)
from bddsudoku.model.forest import ASSOCIATIVE, Forest, Sum, Task
from bddsudoku.model.layers import Cap, Layers, never, unfold

__all__ = ["read", "value_range"]

_COMPARED: dict[str, tuple[int | None, int | None]] = {
    "==": (0, 0),
    "!=": (0, 0),
    "<": (None, -1),
    "<=": (None, 0),
}
"""Comparisons as bounds of the first operand less the second."""


def _terms(expression: Expression) -> Iterator[tuple[int, Expression]]:
    """An expression as a weighted sum of parts that are not sums themselves (1 for constants)."""
    stack = [(1, expression)]
    while stack:
        weight, node = stack.pop()
        if isinstance(node, Operation) and node.op == "+":
            stack.extend((weight, a) for a in node.arguments)
        elif isinstance(node, Operation) and node.op == "*":
            factor = 1
            rest = []
            for a in node.arguments:
                if isinstance(a, Constant):
                    factor *= a.value
                else:
                    rest.append(a)
            if len(rest) == 1:
                stack.append((weight * factor, rest[0]))
            elif rest:
                yield weight, node
            else:
                yield weight * factor, Constant(1)
        elif isinstance(node, Constant):
            yield weight * node.value, Constant(1)
        else:
            yield weight, node


def _summed(node: Operation) -> list[tuple[int, Expression]] | None:
    """The terms of a sum, or of the difference that a comparison is about; None if neither."""
    if node.op == "+":
        return list(_terms(node))
    if node.op in _COMPARED and all(a.defined for a in node.arguments):
        first, second = node.arguments
        return [*_terms(first), *((-w, part) for w, part in _terms(second))]
    return None


def _needed(expression: Expression) -> list[Expression]:
    """The parts for which diagrams are made, operands first: not the sums inside sums."""
    wanted = {expression}
    order: list[Expression] = []
    for node in reversed(nodes(expression)):
        if node not in wanted:
            continue
        order.append(node)
        if isinstance(node, Operation):
            terms = _summed(node) if node.defined else None
            wanted.update(part for _, part in terms) if terms else wanted.update(node.arguments)
    return order[::-1]


def _diagram(forest: Forest, node: Operation, of: Mapping[Expression, int]) -> int:
    """The diagram of an operation whose operands have theirs."""
    terms = _summed(node) if node.defined else None
    if terms is not None:
        total = 0
        parts: dict[int, int] = {}
        for weight, part in terms:
            d = of.get(part)
            if d is None or forest.is_end(d):
                total += weight * (part.low if d is None else forest.low[d])
            else:
                parts[d] = parts.get(d, 0) + weight
        truth = int(node.op != "!=")
        task = Sum(forest, parts, _COMPARED.get(node.op), truth)
        return forest.combine(task.start(total), task)
    operands = [of[a] for a in node.arguments]
    if node.op not in ASSOCIATIVE:
        task_ = Task(forest, node.op)
        return forest.combine(task_.simple(operands), task_)
    # From the lowest diagram up: what is below is then a whole, and not looked into again.
    operands.sort(key=lambda d: -forest.level[d])
    result = operands[0]
    pair = Task(forest, node.op)
    for d in operands[1:]:
        result = forest.combine(pair.simple([result, d]), pair)
    return result


def read(
    expression: Expression, levels: Sequence[Sequence[int]], exact: Sequence[bool], cap: Cap
) -> Layers:
    """The assignments under which an expression has a value other than 0.

    Args:
        expression: over the variables of the levels.
        levels: choice ``k`` of a level is its ``k``-th variable, 0 is none of them.
        exact: whether none of them is impossible, for every level.
        cap: for the states of one operator at one level.

    Raises:
        LimitReached: a part is wider than ``cap`` allows.
    """
    choices = [1 + len(level) for level in levels]
    lacking = [int(always) for always in exact]
    forest, root = _grown(expression, levels, exact, cap)

    def step(level: int, d: int, choice: int) -> int | None:
        choice -= lacking[level]
        if choice < 0:
            return None
        d = forest.child(d, level, choice)
        return None if not forest.low[d] and not forest.high[d] else d

    if not forest.low[root] and not forest.high[root]:
        return never(choices)
    # Other values than 0 mean the same.
    truth = Task(forest, "||")
    return unfold(choices, forest.combine(truth.simple([root]), truth), step, cap)


def value_range(expression: Expression, cap: Cap | None = None) -> tuple[int, int]:
    """The least and the greatest value over all assignments, exactly.

    Raises:
        LimitReached: a part is wider than ``cap`` allows.
    """
    variables = support(expression)
    forest, root = _grown(
        expression, [[v] for v in variables], [False] * len(variables), cap or Cap()
    )
    return forest.low[root], forest.high[root]


def _grown(
    expression: Expression, levels: Sequence[Sequence[int]], exact: Sequence[bool], cap: Cap
) -> tuple[Forest, int]:
    """The diagram of an expression: its forest and its number there."""
    choices = [1 + len(level) for level in levels]
    # Where none of a level's variables cannot be chosen there is one branch less.
    lacking = [int(always) for always in exact]
    branches = [count - less for count, less in zip(choices, lacking, strict=True)]
    forest = Forest(branches, cap)
    no, yes = forest.end(0), forest.end(1)
    of: dict[Expression, int] = {}
    for i, level in enumerate(levels):
        for k, v in enumerate(level, 1):
            row = [no] * choices[i]
            row[k] = yes
            of[Reference(v)] = forest.node(i, tuple(row[lacking[i] :]))
    for node in _needed(expression):
        if isinstance(node, Constant):
            of[node] = forest.end(node.value)
        elif isinstance(node, Operation):
            of[node] = _diagram(forest, node, of)
    return forest, of[expression]
