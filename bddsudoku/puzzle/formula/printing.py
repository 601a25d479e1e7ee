"""Statements to look at: as a sum of products, as a map, their bounds and the size of their BDD.

The sums of products are irredundant and made of prime implicants only: S. Minato, *Fast generation
of prime-irredundant covers from binary decision diagrams*, IEICE Trans. Fundamentals E76-A (1993).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from bddsudoku.errors import LimitReached, ModelError, PuzzleFormatError
from bddsudoku.model.constraints import Constraint, Formula
from bddsudoku.model.expression import Expression, evaluate, support
from bddsudoku.model.mtbdd import value_range
from bddsudoku.model.to_mdd import Machine, machine

Product = tuple[tuple[int, bool], ...]
"""Variables by position, ascending, and whether they are true."""

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Nodes = NDArray[np.int32]

_MOST_MAPPED = 6
_MOST_VARIABLES = 200
"""Covers are made by recursion over the variables."""
_MOST_NODES = 20_000


def exact_bounds(expression: Expression) -> tuple[int, int]:
    """The least and the greatest value over all assignments.

    Raises:
        LimitReached: the diagram of its values is too large.
    """
    return value_range(expression)


def bdd_size(statement: Constraint | Expression, complemented: bool = True) -> int:
    """Nodes of the reduced ordered BDD in the order of the variables, without terminals.

    Args:
        statement: what is true or not.
        complemented: with complemented edges, as the traces of conjunctions count, one node
            serves a function and its negation.
    """
    variable, low, high, _ = one_by_one(_constraint(statement)).bdd()
    if not complemented:
        return len(variable)
    # A signed number for every function; a node is kept in the polarity of its high edge.
    signed = [-1, 1]
    found: dict[tuple[int, int, int], int] = {}
    for v, lo, hi in zip(variable.tolist(), low.tolist(), high.tolist(), strict=True):
        sign = 1 if signed[hi] > 0 else -1
        key = (v, sign * signed[lo], sign * signed[hi])
        signed.append(sign * found.setdefault(key, len(found) + 2))
    return len(found)


def products(
    statement: Constraint | Expression, most: int = 1000, *, negated: bool = False
) -> list[Product]:
    """A statement as an irredundant sum of prime products.

    Args:
        statement: a constraint, or an expression that is asked for its truth.
        most: products that are allowed.
        negated: for the assignments that do not satisfy it; each product is then a clause of the
            statement, all signs turned.

    Raises:
        LimitReached: there are more, more than 200 variables, or 20,000 nodes in the BDD.
    """
    constraint = _constraint(statement)
    if len(constraint.variables) > _MOST_VARIABLES:
        raise LimitReached(f"more than {_MOST_VARIABLES} variables", limit="nodes")
    bdd = one_by_one(constraint).bdd()
    if len(bdd[0]) > _MOST_NODES:
        raise LimitReached(f"more than {_MOST_NODES:,} nodes", limit="nodes")
    covers = _Covers(bdd, most)
    root = covers.combine("-", 1, covers.root) if negated else covers.root
    return covers.cover(root, root)[0]


def one_by_one(constraint: Constraint) -> Machine:
    """The machine of a constraint that reads its variables one after the other."""
    return machine(constraint, [[v] for v in constraint.variables])


def _constraint(statement: Constraint | Expression) -> Constraint:
    return Formula("", "", statement) if isinstance(statement, Expression) else statement


def sum_of_products(
    statement: Constraint | Expression, names: Sequence[str], most: int = 100
) -> str:
    """``(a & !b & !c) | (!a & b & !c) | …``, as in section 3 of the paper.

    Args:
        statement: as for :func:`products`.
        names: of the variables; the Boolean ``n=3`` of an integer is written ``n == 3``.
        most: products that are written; when there are more, it says so instead.
    """
    try:
        found = products(statement, most)
    except LimitReached as error:
        return f"… ({error})"
    words = [" & ".join(_literal(names[v], true) for v, true in p) for p in found]
    if words == [""]:
        return "1"
    several = len(words) > 1
    return (
        " | ".join(
            f"({w})" if several and len(p) > 1 else w for w, p in zip(words, found, strict=True)
        )
        or "0"
    )


def _literal(name: str, true: bool) -> str:
    """A variable or its negation."""
    number, equals, value = name.rpartition("=")
    if equals:
        return f"{number} {'==' if true else '!='} {value}"
    return name if true else f"!{name}"


def truth_map(expression: Expression, names: Sequence[str]) -> str:
    """The values for all assignments as a table, neighbours differing in one variable (Karnaugh).

    Args:
        expression: of at most six variables.
        names: of the variables, as they shall be written.

    Raises:
        PuzzleFormatError: it has more variables.
    """
    variables = support(expression)
    if len(variables) > _MOST_MAPPED:
        raise PuzzleFormatError(
            f"expected a statement of at most {_MOST_MAPPED} variables for a map, "
            f"found {len(variables)}"
        )
    half = len(variables) // 2
    across, down = variables[half:], variables[:half]
    columns = _gray(len(across))
    head = " ".join(names[v] for v in across)
    side = " ".join(names[v] for v in down)
    rows = [[f"{side} \\ {head}" if side else head, *map(_bits, columns)]]
    for row in _gray(len(down)):
        cells = []
        for column in columns:
            given = dict(zip((*down, *across), (*row, *column), strict=True))
            try:
                cells.append(str(evaluate(expression, given)))
            except ModelError:
                cells.append("-")
        rows.append([_bits(row), *cells])
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ("  ".join(c.rjust(w) for c, w in zip(r, widths, strict=True)) for r in rows)
    return "\n".join(line.rstrip() for line in lines)


def _gray(count: int) -> list[tuple[int, ...]]:
    numbers = (i ^ (i >> 1) for i in range(1 << count))
    return [tuple(n >> (count - 1 - k) & 1 for k in range(count)) for n in numbers]


def _bits(values: tuple[int, ...]) -> str:
    return "".join(map(str, values))


class _Covers:
    """Irredundant covers of the functions of a BDD, by Minato's and Morreale's recursion.

    Functions are numbers of nodes; operations on them make new ones.
    """

    def __init__(self, bdd: tuple[Nodes, Nodes, Nodes, int], most: int) -> None:
        variable, low, high, self.root = bdd
        self.most = most
        self.nodes = [
            (1 << 62, 0, 0),
            (1 << 62, 1, 1),
            *zip(variable.tolist(), low.tolist(), high.tolist(), strict=True),
        ]
        self.number = {node: i for i, node in enumerate(self.nodes) if i > 1}
        self.done: dict[tuple[str, int, int], int] = {}
        self.covers: dict[tuple[int, int], tuple[list[Product], int]] = {}

    def made(self, variable: int, low: int, high: int) -> int:
        """The node of a function."""
        if low == high:
            return low
        node = (variable, low, high)
        found = self.number.get(node)
        if found is None:
            found = self.number[node] = len(self.nodes)
            self.nodes.append(node)
        return found

    def parts(self, function: int, variable: int) -> tuple[int, int]:
        """The function where a variable (its topmost or one above) is 0 and 1."""
        v, low, high = self.nodes[function]
        return (low, high) if v == variable else (function, function)

    def combine(self, op: str, a: int, b: int) -> int:
        """``&``, ``|``, or ``-`` (a and not b)."""
        if op == "&":
            if a == b or b == 1 or a == 0:
                return a
            if a == 1 or b == 0:
                return b
        elif op == "|":
            if a == b or b == 0 or a == 1:
                return a
            if a == 0 or b == 1:
                return b
        elif a == 0 or b == 1 or a == b:
            return 0
        elif b == 0:
            return a
        key = (op, a, b)
        found = self.done.get(key)
        if found is None:
            variable = min(self.nodes[a][0], self.nodes[b][0])
            a0, a1 = self.parts(a, variable)
            b0, b1 = self.parts(b, variable)
            found = self.made(variable, self.combine(op, a0, b0), self.combine(op, a1, b1))
            self.done[key] = found
        return found

    def cover(self, lower: int, upper: int) -> tuple[list[Product], int]:
        """Products whose sum lies between two functions, and this sum.

        Raises:
            LimitReached: there are too many.
        """
        if lower == 0:
            return [], 0
        if upper == 1:
            return [()], 1
        key = (lower, upper)
        known = self.covers.get(key)
        if known is not None:
            return known
        variable = min(self.nodes[lower][0], self.nodes[upper][0])
        l0, l1 = self.parts(lower, variable)
        u0, u1 = self.parts(upper, variable)
        true, f1 = self.cover(self.combine("-", l1, u0), u1)
        false, f0 = self.cover(self.combine("-", l0, u1), u0)
        rest = self.combine("|", self.combine("-", l0, f0), self.combine("-", l1, f1))
        both, fb = self.cover(rest, self.combine("&", u0, u1))
        found = [
            *(((variable, True), *p) for p in true),
            *(((variable, False), *p) for p in false),
            *both,
        ]
        if len(found) > self.most:
            raise LimitReached(f"more than {self.most:,} products", limit="nodes")
        total = self.made(variable, self.combine("|", f0, fb), self.combine("|", f1, fb))
        self.covers[key] = found, total
        return found, total
