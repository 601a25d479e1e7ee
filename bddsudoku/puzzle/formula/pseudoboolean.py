"""Any model as OPB, the format of the pseudo-Boolean competitions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from bddsudoku.model.constraints import Constraint, Formula, Linear, OneHot
from bddsudoku.model.expression import Constant, Expression, Operation, Reference, nodes
from bddsudoku.puzzle.formula.clauses import Clauses

Polynomial = dict[frozenset[int], int]
"""Coefficients of products of variables."""

_MOST_TERMS = 500
"""Products of a formula up to which it is written with products."""


def write(
    names: Sequence[str],
    constraints: Iterable[Constraint],
    projection: Iterable[int] | None = None,
    comments: Iterable[str] = (),
    *,
    linear: bool = False,
) -> Iterator[str]:
    """The lines of a file.

    Variable ``x1`` is the one at position 0; comments say what it is called. Formulas are written
    with products of variables; where this is not possible, or not wanted, as clauses with new
    variables. When there are such, or a projection, ``* p show`` names the variables that are to
    be counted.

    Args:
        names: of the variables, in order.
        constraints: of any kind.
        projection: positions of the variables that are counted; None for all.
        comments: lines for the top.
        linear: write no products (many solvers read none).

    Raises:
        LimitReached: the machine of a constraint is too large.
    """
    clauses = Clauses(len(names))
    rows: list[tuple[Polynomial, str, int]] = []
    for c in constraints:
        found = _rows(c, linear)
        if found is None:
            clauses.add(c)
        else:
            rows += found
    for literals in clauses.clauses:
        weights = {frozenset([abs(v) - 1]): 1 if v > 0 else -1 for v in literals}
        rows.append((weights, ">=", 1 - sum(v < 0 for v in literals)))
    shown = projection
    if shown is None and clauses.variables > len(names):
        shown = range(len(names))
    head = f"* #variable= {clauses.variables} #constraint= {len(rows)}"
    products = {term for terms, _, _ in rows for term in terms if len(term) > 1}
    if products:
        head += f" #product= {len(products)} sizeproduct= {sum(map(len, products))}"
    yield head
    yield from (f"* {line}" for line in comments)
    yield from (f"* x{v} is {' '.join(name.split())}" for v, name in enumerate(names, 1))
    if shown is not None:
        yield " ".join(["* p show", *(f"x{v + 1}" for v in shown), "0"])
    for terms, relation, bound in rows:
        left = " ".join(
            f"{weight:+d} {' '.join(f'x{v + 1}' for v in sorted(term))}"
            for term, weight in terms.items()
        )
        yield f"{left} {relation} {bound} ;".lstrip()


def _rows(constraint: Constraint, linear: bool) -> list[tuple[Polynomial, str, int]] | None:
    """A constraint as polynomials with bounds; None when it must become clauses."""
    if constraint.verdict is True:
        return []
    if isinstance(constraint, OneHot):
        weights = {frozenset([v]): 1 for v in constraint.variables}
        return _bounded(weights, None if constraint.at_most else constraint.total, constraint.total)
    if isinstance(constraint, Linear):
        weights = {
            frozenset([v]): w
            for v, w in zip(constraint.variables, constraint.weights, strict=True)
            if w
        }
        return _bounded(weights, constraint.low, constraint.high)
    if isinstance(constraint, Formula) and not linear and constraint.expression.defined:
        return _compared(constraint.expression)
    return None


def _bounded(
    terms: Polynomial, low: int | None, high: int | None
) -> list[tuple[Polynomial, str, int]] | None:
    if not terms:
        return None
    if low is not None and low == high:
        return [(terms, "=", low)]
    rows: list[tuple[Polynomial, str, int]] = []
    if low is not None:
        rows.append((terms, ">=", low))
    if high is not None:
        rows.append(({t: -w for t, w in terms.items()}, ">=", -high))
    return rows


def _compared(statement: Expression) -> list[tuple[Polynomial, str, int]] | None:
    """A comparison of polynomials, or a polynomial truth; None when it is none."""
    if isinstance(statement, Operation) and statement.op in ("==", "<", "<="):
        sides = [polynomial(a) for a in statement.arguments]
        if None in sides:
            return None
        difference = _combined([(1, sides[1] or {}), (-1, sides[0] or {})])
        constant = difference.pop(frozenset(), 0)
        bound = int(statement.op == "<") - constant
        return _bounded(difference, bound, bound if statement.op == "==" else None)
    terms = polynomial(statement) if statement.is_truth else None
    if terms is None:
        return None
    constant = terms.pop(frozenset(), 0)
    return _bounded(terms, 1 - constant, None)


def polynomial(expression: Expression) -> Polynomial | None:
    """An expression as a sum of products of variables, the constant under the empty product.

    None when it is none (it divides, say, or compares), or one of too many terms.
    """
    found: dict[Expression, Polynomial] = {}
    for node in nodes(expression):
        terms = _terms(node, found)
        if terms is None or len(terms) > _MOST_TERMS:
            return None
        found[node] = terms
    return found[expression]


def _terms(node: Expression, found: Mapping[Expression, Polynomial]) -> Polynomial | None:
    if isinstance(node, Constant):
        return {frozenset(): node.value} if node.value else {}
    if isinstance(node, Reference):
        return {frozenset([node.index]): 1}
    assert isinstance(node, Operation)
    parts = [found[a] for a in node.arguments]
    truths = all(a.is_truth for a in node.arguments)
    one: Polynomial = {frozenset(): 1}
    if node.op == "+":
        return _combined([(1, p) for p in parts])
    if node.op == "*" or (node.op in ("&", "&&") and truths):
        return _product(parts)
    if node.op == "!" and truths:
        return _combined([(1, one), (-1, parts[0])])
    if node.op in ("|", "||") and truths:
        inverse = _product([_combined([(1, one), (-1, p)]) for p in parts])
        return None if inverse is None else _combined([(1, one), (-1, inverse)])
    if node.op == "?:" and node.arguments[0].is_truth:
        change = _product([parts[0], _combined([(1, parts[1]), (-1, parts[2])])])
        return None if change is None else _combined([(1, parts[2]), (1, change)])
    if node.op in ("^", "!=", "==") and truths:
        return _parity(parts, node.op == "==")
    return None


def _combined(parts: Iterable[tuple[int, Polynomial]]) -> Polynomial:
    total: Polynomial = {}
    for factor, terms in parts:
        for term, weight in terms.items():
            total[term] = total.get(term, 0) + factor * weight
    return {t: w for t, w in total.items() if w}


def _product(parts: Sequence[Polynomial]) -> Polynomial | None:
    result: Polynomial = {frozenset(): 1}
    for terms in parts:
        if len(result) * len(terms) > _MOST_TERMS**2:
            return None
        total: Polynomial = {}
        for a, x in result.items():
            for b, y in terms.items():
                total[a | b] = total.get(a | b, 0) + x * y
        result = {t: w for t, w in total.items() if w}
        if len(result) > _MOST_TERMS:
            return None
    return result


def _parity(parts: Sequence[Polynomial], even: bool) -> Polynomial | None:
    """Whether an odd number of truths hold (an even one of two)."""
    total = parts[0]
    for terms in parts[1:]:
        both = _product([total, terms])
        if both is None:
            return None
        total = _combined([(1, total), (1, terms), (-2, both)])
    return _combined([(1, {frozenset(): 1}), (-1, total)]) if even else total
