"""Whether a statement has a value under every assignment: what has none shall not be counted.

C looks only at what decides ``&& || ?:``, so a guard such as ``y != 0 && x / y == 2`` is enough.
"""

from __future__ import annotations

from collections.abc import Sequence

from bddsudoku.errors import ModelError
from bddsudoku.model.expression import Expression, Operation, evaluate, nodes, support
from bddsudoku.model.operators import PARTIAL
from bddsudoku.model.simplify import substitute
from bddsudoku.puzzle.formula.lowering import Integers, dependencies

_MOST_NODES = 1_000_000


class UndefinedStatement(ModelError):
    """A statement without a value under some assignment.

    Attributes:
        node: the operation to blame, if one could be found.
    """

    def __init__(self, message: str, node: Expression | None = None) -> None:
        super().__init__(message)
        self.node = node


def check(statement: Expression, names: Sequence[str], integers: Integers) -> None:
    """Check that a statement always has a value.

    Raises:
        UndefinedStatement: it has none under some assignment, or it takes too long to tell.
    """
    if statement.defined:
        return
    witness = _without_value(statement)
    if witness is None:
        return
    complete = dict.fromkeys(support(statement), False) | witness
    for node in _partial(statement):
        try:
            second = evaluate(node.arguments[1], complete)
        except ModelError:
            continue
        division = node.op in ("/", "%")
        if second == 0 if division else second < 0:
            what = "a divisor that is never 0" if division else "a count that is never negative"
            chains, others = dependencies(node.arguments[1], integers)
            values = [(c.name, evaluate(c.expression, complete)) for c in chains]
            values += [(names[v], int(complete[v])) for v in sorted(others)]
            where = ", ".join(f"{name} = {value}" for name, value in values[:4])
            where = (f" when {where}" if where else "") + (", …" if len(values) > 4 else "")
            raise UndefinedStatement(
                f"expected {what} after {node.op!r}, found one that is {second}{where}", node
            )


def _partial(expression: Expression) -> list[Operation]:
    """Divisions and shifts that may lack a value, the innermost first."""
    return [
        n
        for n in nodes(expression)
        if isinstance(n, Operation) and n.op in PARTIAL and not n.defined
    ]


def _without_value(statement: Expression) -> dict[int, bool] | None:
    """An assignment under which a statement has no value; None when it always has one.

    Variables that do not matter are missing.
    """
    looked = 0
    seen: set[Expression] = set()
    stack: list[tuple[Expression, dict[int, bool]]] = [(statement, {})]
    while stack:
        rest, known = stack.pop()
        if rest.defined or rest in seen:
            continue
        seen.add(rest)
        looked += len(nodes(rest))
        if looked > _MOST_NODES:
            raise UndefinedStatement(
                "expected a divisor that is never 0 and a shift that is never negative, "
                "found a statement for which this cannot be told",
                next(iter(_partial(statement)), None),
            )
        # Variables of an operand that may be wrong first; without variables nothing is guarded.
        operands = [n.arguments[1] for n in _partial(rest)]
        variables = next(filter(None, map(support, [*operands, rest])), ())
        if not variables:
            return known
        for value in (False, True):
            more = {variables[0]: value}
            stack.append((substitute(rest, more), {**known, **more}))
    return None
