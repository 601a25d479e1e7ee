"""A statement written as a sum of products (SOP) or a Karnaugh map, and the size of its BDD.

The sums of products are irredundant and made of prime implicants only: S. Minato, *Fast generation
of prime-irredundant covers from binary decision diagrams*, IEICE Trans. Fundamentals E76-A (1993).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from bddsudoku.errors import LimitReached, ModelError, PuzzleFormatError
from bddsudoku.model.constraints import Constraint, Formula
from bddsudoku.model.expression import Expression, evaluate, support
from bddsudoku.model.to_mdd import ConstraintMdd, constraint_mdd

Product = tuple[tuple[int, bool], ...]
"""Variables by position, ascending, and whether they are true."""

if TYPE_CHECKING:
    from bddsudoku.jit.decorators import I32

    Nodes = I32

_MAX_MAP_VARIABLES = 6
_MAX_VARIABLES = 200
"""Largest number of variables: covers are made by recursion over them."""
_MAX_NODES = 20_000


def bdd_size(statement: Constraint | Expression) -> int:
    """Number of nodes, without terminals, of a statement's BDD in the order of the variables.

    With complemented edges, as the traces of conjunctions count: one node serves a function and its
    negation.
    """
    variable, low, high, _ = mdd_with_variable_levels(_statement_constraint(statement)).bdd()
    # A function is a signed number; a node is stored in the polarity of its high edge.
    signed = [-1, 1]
    found: dict[tuple[int, int, int], int] = {}
    for v, lo, hi in zip(variable.tolist(), low.tolist(), high.tolist(), strict=True):
        sign = 1 if signed[hi] > 0 else -1
        key = (v, sign * signed[lo], sign * signed[hi])
        signed.append(sign * found.setdefault(key, len(found) + 2))
    return len(found)


def irredundant_prime_products(
    statement: Constraint | Expression, most: int = 1000, *, negated: bool = False
) -> list[Product]:
    """An irredundant sum of products for a statement; every product is a prime implicant.

    An expression counts as true where it is not 0. If ``negated``, the assignments that do not
    satisfy the statement are covered: each product is then a clause of it, its literals negated.

    Raises:
        LimitReached: more than ``most`` products, 200 variables, or 20,000 nodes in the BDD.
    """
    constraint = _statement_constraint(statement)
    if len(constraint.variables) > _MAX_VARIABLES:
        raise LimitReached(f"more than {_MAX_VARIABLES} variables", limit="nodes")
    bdd = mdd_with_variable_levels(constraint).bdd()
    if len(bdd[0]) > _MAX_NODES:
        raise LimitReached(f"more than {_MAX_NODES:,} nodes", limit="nodes")
    covers = _IrredundantCovers(bdd, most)
    root = covers.if_then_else(bdd[3], 0, 1) if negated else bdd[3]
    return covers.irredundant_cover(root, root)[0]


def mdd_with_variable_levels(constraint: Constraint) -> ConstraintMdd:
    """The MDD of a constraint with one level for each of its variables."""
    return constraint_mdd(constraint, [[v] for v in constraint.variables])


def _statement_constraint(statement: Constraint | Expression) -> Constraint:
    return Formula("", "", statement) if isinstance(statement, Expression) else statement


def sum_of_products(
    statement: Constraint | Expression, names: Sequence[str], most: int = 100
) -> str:
    """A statement as the text of a sum of products: ``(a & !b & !c) | (!a & b & !c) | …``.

    The Boolean ``n=3`` of an integer is written ``n == 3``. When there are more than ``most``
    products, the text says so instead.
    """
    try:
        found = irredundant_prime_products(statement, most)
    except LimitReached as error:
        return f"… ({error})"
    words = [" & ".join(_literal(names[v], true) for v, true in p) for p in found]
    if len(found) > 1:
        words = [f"({w})" if len(p) > 1 else w for w, p in zip(words, found, strict=True)]
    return " | ".join(words) or ("1" if found else "0")


def _literal(name: str, true: bool) -> str:
    """A variable or its negation as text."""
    number, equals, value = name.rpartition("=")
    if equals:
        return f"{number} {'==' if true else '!='} {value}"
    return name if true else f"!{name}"


def karnaugh_map(expression: Expression, names: Sequence[str]) -> str:
    """The Karnaugh map of an expression as text: a table of its values under all assignments.

    Raises:
        PuzzleFormatError: it has more than six variables.
    """
    variables = support(expression)
    if len(variables) > _MAX_MAP_VARIABLES:
        raise PuzzleFormatError(
            f"expected a statement of at most {_MAX_MAP_VARIABLES} variables for a map, "
            f"found {len(variables)}"
        )
    half = len(variables) // 2
    side, head = (" ".join(names[v] for v in part) for part in (variables[:half], variables[half:]))
    columns = _gray_code(len(variables) - half)
    rows = [[f"{side} \\ {head}" if side else head, *columns]]
    for row in _gray_code(half):
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


def _gray_code(bits: int) -> list[str]:
    """All numbers of ``bits`` bits as binary texts; neighbours differ in one bit."""
    return [f"{i ^ i >> 1:0{bits}b}"[:bits] for i in range(1 << bits)]


class _IrredundantCovers:
    """Irredundant sums of products of a BDD's functions, by Minato's and Morreale's recursion.

    Functions are represented by numbers of nodes; operations may add nodes.
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

    def find_or_add(self, variable: int, low: int, high: int) -> int:
        """The number of the node (variable, low, high), added if it is new."""
        if low == high:
            return low
        node = (variable, low, high)
        if node not in self.number:
            self.number[node] = len(self.nodes)
            self.nodes.append(node)
        return self.number[node]

    def top_cofactors(self, *functions: int) -> tuple[int, list[tuple[int, int]]]:
        """The topmost variable of the given functions, and each function's two cofactors by it."""
        nodes = [self.nodes[f] for f in functions]
        top = min(v for v, _, _ in nodes)
        return top, [
            (low, high) if v == top else (f, f)
            for f, (v, low, high) in zip(functions, nodes, strict=True)
        ]

    def if_then_else(self, test: int, then: int, other: int) -> int:
        """The function ``test ? then : other``."""
        if test == 1 or then == other:
            return then
        if test == 0 or (then == 1 and other == 0):
            return other if test == 0 else test
        key = (test, then, other)
        if key not in self.choices:
            variable, halves = self.top_cofactors(*key)
            low, high = zip(*halves, strict=True)
            self.choices[key] = self.find_or_add(
                variable, self.if_then_else(*low), self.if_then_else(*high)
            )
        return self.choices[key]

    def irredundant_cover(self, lower: int, upper: int) -> tuple[list[Product], int]:
        """Irredundant products whose sum is between ``lower`` and ``upper``, and the sum's node."""
        if lower == 0:
            return [], 0
        if upper == 1:
            return [()], 1
        key = (lower, upper)
        if key in self.covers:
            return self.covers[key]
        variable, ((l0, l1), (u0, u1)) = self.top_cofactors(lower, upper)
        # What only products with the variable cover, only those with its negation, and the rest.
        true, f1 = self.irredundant_cover(self.if_then_else(u0, 0, l1), u1)
        false, f0 = self.irredundant_cover(self.if_then_else(u1, 0, l0), u0)
        rest = self.if_then_else(self.if_then_else(f0, 0, l0), 1, self.if_then_else(f1, 0, l1))
        both, fb = self.irredundant_cover(rest, self.if_then_else(u0, u1, 0))
        found = [
            *(((variable, True), *p) for p in true),
            *(((variable, False), *p) for p in false),
            *both,
        ]
        if len(found) > self.most:
            raise LimitReached(f"more than {self.most:,} products", limit="nodes")
        self.covers[key] = (
            found,
            self.find_or_add(variable, self.if_then_else(f0, 1, fb), self.if_then_else(f1, 1, fb)),
        )
        return self.covers[key]
