"""Expressions and constraints in the words of the language."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from bddsudoku.model.constraints import Linear, OneHot
from bddsudoku.model.expression import Constant, Expression, Operation, Reference
from bddsudoku.puzzle.formula.lexer import RESERVED

_LEVELS = (
    ("?:",),
    ("||",),
    ("&&",),
    ("|",),
    ("^",),
    ("&",),
    ("==", "!="),
    ("<", "<="),
    ("<<", ">>"),
    ("+",),
    ("*", "/", "%"),
    ("!",),
    ("min", "max"),
)
_LEVEL = {op: level for level, ops in enumerate(_LEVELS) for op in ops}
_ALONE = len(_LEVELS)
_Piece = str | tuple[Expression, int]
"""Text, or an expression with what it must bind at least."""
_NAME = re.compile(r"[^\W\d]\w*(?:\[-?(?:0|[1-9]\d*)\])*\Z")


def name_text(name: str, declared: bool = True) -> str:
    """A variable's name as it is written in a statement.

    Args:
        name: as the problem has it.
        declared: whether ``x[1]`` is written as the name of an item of an array.
    """
    plain = _NAME.match(name) and name not in RESERVED and (declared or "[" not in name)
    return name if plain else f'"{name}"'


def joined(words: Iterable[str], operator: str) -> str:
    """Words with an operator between them; ``0`` when there are none."""
    return f" {operator} ".join(words) or "0"


def onehot_text(constraint: OneHot, names: Sequence[str]) -> str:
    """``a + b + c == 1``."""
    left = joined((names[v] for v in constraint.variables), "+")
    return f"{left} {'<=' if constraint.at_most else '=='} {constraint.total}"


def linear_text(constraint: Linear, names: Sequence[str]) -> str:
    """``2 * a - b >= 1``; between two bounds ``1 <= … & … <= 3``."""
    parts: list[str] = []
    for v, weight in zip(constraint.variables, constraint.weights, strict=True):
        sign = ("- " if weight < 0 else "+ ") if parts else ("-" if weight < 0 else "")
        parts.append(sign + (names[v] if abs(weight) == 1 else f"{abs(weight)} * {names[v]}"))
    left = " ".join(parts) or "0"
    low, high = constraint.low, constraint.high
    if low is not None and low == high:
        return f"{left} == {low}"
    if low is None and high is None:
        return f"{left} == {left}"
    if high is None:
        return f"{left} >= {low}"
    return f"{left} <= {high}" if low is None else f"{low} <= {left} & {left} <= {high}"


def expression_text(
    expression: Expression, names: Sequence[str], known: Mapping[Expression, str] | None = None
) -> str:
    """An expression with no more brackets than C's precedence asks for.

    Args:
        expression: what to write.
        names: of the variables, as they are written.
        known: parts that have a name of their own (not the expression itself).

    Cost: linear in the text, which repeats what stands in several places and has no name.
    """
    known = known or {}
    out: list[str] = []
    stack: list[_Piece] = [(expression, 0)]
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            out.append(item)
            continue
        node, least = item
        parts: list[_Piece]
        if node in known and node is not expression:
            out.append(known[node])
        elif isinstance(node, Reference):
            out.append(names[node.index])
        elif isinstance(node, Constant):
            out.append(str(node.value) if node.value >= 0 or not least else f"({node.value})")
        elif isinstance(node, Operation):
            level, parts = _parts(node)
            if level < least:
                parts = ["(", *parts, ")"]
            stack.extend(reversed(parts))
    return "".join(out)


def _parts(node: Operation) -> tuple[int, list[_Piece]]:
    """How tightly an operation binds, and its pieces with what they must bind at least."""
    op, args = node.op, node.arguments
    level = _LEVEL[op]
    if op in ("min", "max"):
        return _ALONE, [f"{op}(", *_between(", ", [(a, 0) for a in args]), ")"]
    if op == "!":
        return level, ["!", (args[0], level)]
    if op == "?:":
        return level, [(args[0], level + 1), " ? ", (args[1], 0), " : ", (args[2], level)]
    if op == "*" and isinstance(args[0], Constant) and args[0].value == -1 and len(args) > 1:
        return _LEVEL["+"] + 1, ["-", *_row("*", level, list(args[1:]), level + 1)]
    if op == "+":
        return level, _sum(list(args))
    # a / b / c groups to the left; of others a * (b * c) and (a * b) * c are not a * b * c.
    first = level if op in ("/", "%", "<<", ">>") else level + 1
    return level, _row(op, level, list(args), first)


def _between(sign: str, pieces: list[_Piece]) -> list[_Piece]:
    """Pieces with a sign between them."""
    found: list[_Piece] = []
    for piece in pieces:
        found += [sign, piece] if found else [piece]
    return found


def _row(op: str, level: int, args: list[Expression], first: int) -> list[_Piece]:
    """Operands between which an operator stands."""
    return _between(f" {op} ", [(a, level + 1 if k else first) for k, a in enumerate(args)])


def _sum(args: list[Expression]) -> list[_Piece]:
    """A sum, with ``-`` where a term begins with a negative number."""
    level = _LEVEL["+"]
    parts: list[_Piece] = []
    for a in args:
        rest: list[Expression] = []
        factor = 1
        if isinstance(a, Constant):
            factor = a.value
        elif isinstance(a, Operation) and a.op == "*" and isinstance(a.arguments[0], Constant):
            factor = a.arguments[0].value
            rest = list(a.arguments[1:])
        if not parts or factor >= 0:
            parts += [" + "] if parts else []
            parts.append((a, level + 1))
            continue
        parts.append(" - ")
        if rest and factor == -1:
            parts += _row("*", _LEVEL["*"], rest, _LEVEL["*"])
        else:
            parts.append(str(-factor))
            for r in rest:
                parts += [" * ", (r, _LEVEL["*"] + 1)]
    return parts or ["0"]
