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
from bddsudoku.model.to_mdd import Machine, machine

Product = tuple[tuple[int, bool], ...]
"""Variables by position, ascending, and whether they are true."""

if TYPE_CHECKING:
    from bddsudoku.jit.decorators import I32

    Nodes = I32

_MOST_MAPPED = 6
_MOST_VARIABLES = 200
"""Covers are made by recursion over the variables."""
_MOST_NODES = 20_000


def bdd_size(statement: Constraint | Expression) -> int:
    """Nodes of the reduced ordered BDD in the order of the variables, without terminals.

    With complemented edges, as the traces of conjunctions count: one node serves a function and its
    negation.
    """
    variable, low, high, _ = one_by_one(_constraint(statement)).bdd()
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
    root = covers.choice(bdd[3], 0, 1) if negated else bdd[3]
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
    if len(found) > 1:
        words = [f"({w})" if len(p) > 1 else w for w, p in zip(words, found, strict=True)]
    return " | ".join(words) or ("1" if found else "0")


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
    side, head = (" ".join(names[v] for v in part) for part in (variables[:half], variables[half:]))
    columns = _gray(len(variables) - half)
    rows = [[f"{side} \\ {head}" if side else head, *columns]]
    for row in _gray(half):
        rows.append([row])
        for column in columns:
            given = dict(zip(variables, map(int, row + column), strict=True))
            try:
                rows[-1].append(str(evaluate(expression, given)))
            except ModelError:
                rows[-1].append("-")
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ("  ".join(c.rjust(w) for c, w in zip(r, widths, strict=True)) for r in rows)
    return "\n".join(line.rstrip() for line in lines)


def _gray(bits: int) -> list[str]:
    """Binary numbers, each of which differs from the next in one digit."""
    return [f"{i ^ i >> 1:0{bits}b}"[:bits] for i in range(1 << bits)]


class _Covers:
    """Irredundant covers of the functions of a BDD, by Minato's and Morreale's recursion.

    Functions are numbers of nodes; operations on them make new ones.
    """

    def __init__(self, bdd: tuple[Nodes, Nodes, Nodes, int], most: int) -> None:
        variable, low, high, _ = bdd
        self.most = most
        last = 1 << 62
        rows = zip(variable.tolist(), low.tolist(), high.tolist(), strict=True)
        self.nodes = [(last, 0, 0), (last, 1, 1), *rows]
        self.number = {node: i for i, node in enumerate(self.nodes)}
        self.choices: dict[tuple[int, int, int], int] = {}
        self.covers: dict[tuple[int, int], tuple[list[Product], int]] = {}

    def made(self, variable: int, low: int, high: int) -> int:
        """The node of a function."""
        if low == high:
            return low
        node = (variable, low, high)
        if node not in self.number:
            self.number[node] = len(self.nodes)
            self.nodes.append(node)
        return self.number[node]

    def halves(self, *functions: int) -> tuple[int, list[tuple[int, int]]]:
        """The topmost variable, and every function where it is 0 and where it is 1."""
        nodes = [self.nodes[f] for f in functions]
        top = min(v for v, _, _ in nodes)
        return top, [
            (low, high) if v == top else (f, f)
            for f, (v, low, high) in zip(functions, nodes, strict=True)
        ]

    def choice(self, test: int, then: int, other: int) -> int:
        """``test ? then : other``."""
        if test == 1 or then == other:
            return then
        if test == 0 or (then == 1 and other == 0):
            return other if test == 0 else test
        key = (test, then, other)
        if key not in self.choices:
            variable, halves = self.halves(*key)
            low, high = zip(*halves, strict=True)
            self.choices[key] = self.made(variable, self.choice(*low), self.choice(*high))
        return self.choices[key]

    def cover(self, lower: int, upper: int) -> tuple[list[Product], int]:
        """Products whose sum lies between two functions, and this sum."""
        if lower == 0:
            return [], 0
        if upper == 1:
            return [()], 1
        key = (lower, upper)
        if key in self.covers:
            return self.covers[key]
        variable, ((l0, l1), (u0, u1)) = self.halves(lower, upper)
        # What only products with the variable can cover, with its negation, and what is left.
        true, f1 = self.cover(self.choice(u0, 0, l1), u1)
        false, f0 = self.cover(self.choice(u1, 0, l0), u0)
        rest = self.choice(self.choice(f0, 0, l0), 1, self.choice(f1, 0, l1))
        both, fb = self.cover(rest, self.choice(u0, u1, 0))
        found = [
            *(((variable, True), *p) for p in true),
            *(((variable, False), *p) for p in false),
            *both,
        ]
        if len(found) > self.most:
            raise LimitReached(f"more than {self.most:,} products", limit="nodes")
        self.covers[key] = (
            found,
            self.made(variable, self.choice(f0, 1, fb), self.choice(f1, 1, fb)),
        )
        return self.covers[key]
