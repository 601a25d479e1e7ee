"""Any model as a file of the language, which reads back as the same constraints."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product

from bddsudoku.errors import ModelError
from bddsudoku.model.constraints import Constraint, Formula, Linear, OneHot
from bddsudoku.model.expression import Constant, Expression, Operation, Reference, nodes
from bddsudoku.puzzle.formula.lexer import RESERVED
from bddsudoku.puzzle.formula.lowering import IntegerVariable

_LINE = 96
_INTEGER = re.compile(r"(?:0|-?[1-9]\d*)\Z", re.ASCII)
_NAME = re.compile(r"[^\W\d]\w*(?:\[-?(?:0|[1-9]\d*)\])*\Z")
_ITEM = re.compile(r"([^\W\d]\w*)((?:\[(?:0|-?[1-9]\d*)\])+)\Z")
_SHORT = 4
"""Operations up to this size are written again rather than named."""
_DEEP = 80
"""Operations that stand so deep inside each other are named: fewer than the brackets read back."""

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
_SUM, _PRODUCT = _LEVEL["+"], _LEVEL["*"]

_Integers = Mapping[int, tuple[str, list[int]]]
"""Names and values of integer variables, by the position of their first Boolean."""


def write(
    names: Sequence[str],
    constraints: Iterable[Constraint],
    projection: Iterable[int] | None = None,
    comments: Iterable[str] = (),
) -> Iterator[str]:
    """The lines of a file that says what a model says.

    What holds under every assignment becomes a comment. Parts that a formula holds in several
    places, or very deep inside, are given names.

    Args:
        names: of the variables, in order.
        constraints: one-hot, linear and formulas.
        projection: positions of the variables that are counted; None for all.
        comments: lines for the top.

    Raises:
        ModelError: a constraint of another kind, or a name with a quote or line break in it.
    """
    yield from (f"# {line}" for line in comments)
    for name in names:
        if not name or any(ch in name for ch in '"\r\n'):
            raise ModelError(f"expected a name that can be put in quotes, found {name!r}")
    constraints = list(constraints)
    if not names and all(c.verdict for c in constraints):
        yield "1 == 1"
    integers, declared = _integers(names, constraints)
    written: list[str] = []
    yield from _declarations(names, integers, written)
    numbers: dict[Expression, str] = {
        IntegerVariable.made(name, values, first).expression: _quoted(name)
        for first, (name, values) in integers.items()
        if len(values) > 1
    }
    taken = set(names)
    for c in constraints:
        if c.verdict is True:
            yield f"# {_label(c)} nothing left to say"
        elif isinstance(c, OneHot):
            if c not in declared:
                left = " + ".join(written[v] for v in c.variables) or "0"
                yield f"{_label(c)} {left} {'<=' if c.at_most else '=='} {c.total}"
        elif isinstance(c, Linear):
            yield f"{_label(c)} {_linear(c, written)}"
        elif isinstance(c, Formula):
            # Integer variables are written as such, and what stands in several places only once.
            words = _Words(written, dict(numbers))
            for part in _shared(c.expression, numbers):
                number = len(taken)
                while (name := f"part{number}") in taken:
                    number += 1
                taken.add(name)
                yield f"{name} = {words.operation(part)[1]}"
                words.known[part] = name
            yield f"{_label(c)} {words.expression(c.expression)}"
        else:
            raise ModelError(f"{c.family} {c.label} has no words in the language")
    if projection is not None:
        chosen = [_quoted(names[v]) for v in projection]
        if not chosen:
            raise ModelError("a projection to no variables cannot be written")
        yield from _wrapped("project", chosen)


# Names


def _quoted(name: str, item: bool = False) -> str:
    """A name, in quotes unless it is a word, or that of an item of an array."""
    plain = _NAME.match(name) and name not in RESERVED and (item or "[" not in name)
    return name if plain else f'"{name}"'


def _label(constraint: Constraint) -> str:
    """``family label:``, in quotes what is no word or number."""
    family, label = constraint.family, constraint.label
    if '"' in family + label or not family:
        raise ModelError(f"expected a family and a label that can be written, found {family!r}")
    name = family if family.isidentifier() and family not in RESERVED else f'"{family}"'
    plain = all(w.isidentifier() or (_INTEGER.match(w) and w[0] != "-") for w in label.split(" "))
    return f"{name} {label}:" if plain else f'{name} "{label}":'


def _integers(
    names: Sequence[str], constraints: Sequence[Constraint]
) -> tuple[_Integers, set[OneHot]]:
    """The integer variables, and the constraints that say so."""
    found: dict[int, tuple[str, list[int]]] = {}
    declared: set[OneHot] = set()
    for c in constraints:
        if isinstance(c, OneHot) and c.family == "integer" and c.variables and c.total == 1:
            first, last = c.variables[0], c.variables[-1]
            parts = [names[v].rpartition("=") for v in c.variables]
            values = [int(v) for _, _, v in parts if _INTEGER.match(v)]
            whole = last - first + 1 == len(c.variables) == len(values)
            if whole and values == sorted(set(values)) and {n for n, _, _ in parts} == {c.label}:
                found[first] = (c.label, values)
                declared.add(c)
    return found, declared


def _declarations(names: Sequence[str], integers: _Integers, written: list[str]) -> Iterator[str]:
    """Declarations of all variables in order; adds how each is written."""
    symbols: list[str] = []
    while (place := len(written)) < len(names):
        if place in integers:
            yield from _wrapped("symbol", symbols)
            symbols = []
            name, values = integers[place]
            whole = values == list(range(values[0], values[-1] + 1))
            domain = f"{values[0]}..{values[-1]}" if whole else f"{{{', '.join(map(str, values))}}}"
            yield f"integer {_quoted(name)} in {domain}"
            count = len(values)
        else:
            count, text = _array(names, place, integers)
            symbols.append(text)
        written += [_quoted(n, count > 1) for n in names[place : place + count]]
    yield from _wrapped("symbol", symbols)


def _array(names: Sequence[str], place: int, integers: _Integers) -> tuple[int, str]:
    """How many variables from here on make an array, and its declaration; or a single one."""
    base = names[place].partition("[")[0]
    indices: list[tuple[int, ...]] = []
    for v in range(place, len(names)):
        match = _ITEM.match(names[v])
        if v in integers or match is None or match[1] != base:
            break
        indices.append(tuple(int(i) for i in match[2][1:-1].split("][")))
    # The longest run that is a box, its last index the fastest.
    if len(indices) > 1 and len({len(i) for i in indices}) == 1:
        sides = [
            range(low, max(a) + 1)
            for low, a in zip(indices[0], zip(*indices, strict=True), strict=True)
        ]
        if list(product(*sides)) == indices:
            return len(indices), base + "".join(f"[{side[0]}..{side[-1]}]" for side in sides)
    return 1, _quoted(names[place])


def _wrapped(word: str, names: Iterable[str]) -> Iterator[str]:
    """``symbol a b c``, on as many lines as it takes."""
    line = word
    for name in names:
        if len(line) + len(name) >= _LINE and line != word:
            yield line
            line = word
        line += f" {name}"
    if line != word:
        yield line


# Statements


def _linear(constraint: Linear, names: Sequence[str]) -> str:
    """``2 * a - b >= 1``; between two bounds ``1 <= … & … <= 3``."""
    left = ""
    for v, weight in zip(constraint.variables, constraint.weights, strict=True):
        sign = (" - " if weight < 0 else " + ") if left else ("-" if weight < 0 else "")
        left += sign + (names[v] if abs(weight) == 1 else f"{abs(weight)} * {names[v]}")
    left = left or "0"
    low, high = constraint.low, constraint.high
    if low is not None and low == high:
        return f"{left} == {low}"
    if low is None and high is None:
        return f"{left} == {left}"
    if high is None:
        return f"{left} >= {low}"
    return f"{left} <= {high}" if low is None else f"{low} <= {left} & {left} <= {high}"


def _shared(expression: Expression, numbers: Mapping[Expression, str]) -> list[Operation]:
    """Larger parts that stand in several places, or deep inside, the inner ones first."""
    uses: dict[Expression, int] = {}
    height: dict[Expression, int] = {}
    order = nodes(expression, numbers)
    size = dict.fromkeys(order, 1)
    inner = [n for n in order if isinstance(n, Operation) and n not in numbers]
    for node in inner:
        for a in node.arguments:
            uses[a] = uses.get(a, 0) + 1
            size[node] += 1 if uses[a] > 1 and size[a] > _SHORT else size[a]
    found = []
    for node in inner:
        height[node] = 1 + max((height.get(a, 0) for a in node.arguments), default=0)
        several = uses.get(node, 0) > 1 and size[node] > _SHORT
        if several or (height[node] > _DEEP and node is not expression):
            height[node] = 0
            found.append(node)
    return found


class _Words:
    """Expressions with no more brackets than C's precedence asks for.

    Args:
        names: of the variables, as they are written.
        known: parts that have a name.
    """

    def __init__(self, names: Sequence[str], known: dict[Expression, str]) -> None:
        self.names = names
        self.known = known

    def expression(self, node: Expression, least: int = 0) -> str:
        """The words of an expression, in brackets if it binds less tightly than a level."""
        if node in self.known:
            return self.known[node]
        if isinstance(node, Reference):
            return self.names[node.index]
        if isinstance(node, Constant):
            return str(node.value) if node.value >= 0 or not least else f"({node.value})"
        assert isinstance(node, Operation)
        level, words = self.operation(node)
        return f"({words})" if level < least else words

    def operation(self, node: Operation) -> tuple[int, str]:
        """How tightly an operation binds, and its words."""
        op, args = node.op, node.arguments
        level = _LEVEL[op]
        if op in ("min", "max"):
            return level, f"{op}({', '.join(map(self.expression, args))})"
        if op == "!":
            return level, "!" + self.expression(args[0], level)
        if op == "?:":
            test, other = self.expression(args[0], 1), self.expression(args[2])
            return level, f"{test} ? {self.expression(args[1])} : {other}"
        if op == "+":
            return level, self._sum(args)
        if op == "*" and len(args) > 1 and isinstance(args[0], Constant) and args[0].value == -1:
            return _SUM + 1, "-" + self._row(op, args[1:], level + 1)
        # a / b / c groups to the left; of others a * (b * c) and (a * b) * c are not a * b * c.
        return level, self._row(op, args, level + (op not in ("/", "%", "<<", ">>")))

    def _row(self, op: str, args: Sequence[Expression], first: int) -> str:
        """Operands with an operator between them."""
        rest = [self.expression(a, _LEVEL[op] + 1) for a in args[1:]]
        return f" {op} ".join([self.expression(args[0], first), *rest])

    def _sum(self, args: Sequence[Expression]) -> str:
        """A sum, with ``-`` where a term begins with a negative number."""
        words = ""
        for a in args:
            factor, *rest = a.arguments if isinstance(a, Operation) and a.op == "*" else (a,)
            if not words or not isinstance(factor, Constant) or factor.value >= 0:
                words += (" + " if words else "") + self.expression(a, _SUM + 1)
            elif rest and factor.value == -1:
                words += " - " + self._row("*", rest, _PRODUCT)
            else:
                parts = [str(-factor.value), *(self.expression(r, _PRODUCT + 1) for r in rest)]
                words += " - " + " * ".join(parts)
        return words or "0"
