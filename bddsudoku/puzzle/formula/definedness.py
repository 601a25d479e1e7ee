"""Whether a statement has a value under every assignment: what has none shall not be counted.

C looks only at what decides ``&& || ?:``, so a guard such as ``y != 0 && x / y == 2`` is enough.
"""

from __future__ import annotations

from bddsudoku.errors import ModelError
from bddsudoku.model.expression import (
    Constant,
    Expression,
    Operation,
    evaluate,
    nodes,
    support,
)
from bddsudoku.model.operators import PARTIAL
from bddsudoku.model.simplify import substitute

_MOST_NODES = 1_000_000


def partial_nodes(expression: Expression) -> list[Operation]:
    """Divisions and shifts whose second operand may be one that they do not take."""
    found = []
    for node in nodes(expression):
        if isinstance(node, Operation) and node.op in PARTIAL:
            second = node.arguments[1]
            fine = (
                second.low >= 0 if node.op in ("<<", ">>") else not second.low <= 0 <= second.high
            )
            if not fine:
                found.append(node)
    return found


def without_value(expression: Expression) -> dict[int, bool] | None:
    """An assignment under which an expression has no value; None when it always has one.

    Variables that do not matter are missing.

    Raises:
        ModelError: it takes too long to tell.
    """
    looked = 0
    seen: set[Expression] = set()
    stack: list[tuple[Expression, dict[int, bool]]] = [(expression, {})]
    while stack:
        rest, known = stack.pop()
        if rest.defined or rest in seen:
            continue
        seen.add(rest)
        looked += len(nodes(rest))
        if looked > _MOST_NODES:
            raise ModelError("cannot tell soon enough")
        variables = _deciding(rest)
        if not variables:
            if _has_none(rest):
                return known
            continue
        for value in (False, True):
            more = {variables[0]: value}
            stack.append((substitute(rest, more), {**known, **more}))
    return None


def _deciding(expression: Expression) -> tuple[int, ...]:
    """Variables to try next: of an operand that may be wrong, else any."""
    for node in partial_nodes(expression):
        if not isinstance(node.arguments[1], Constant):
            return support(node.arguments[1])
    return support(expression)


def _has_none(expression: Expression) -> bool:
    try:
        evaluate(expression, {})
    except ModelError:
        return True
    return False
