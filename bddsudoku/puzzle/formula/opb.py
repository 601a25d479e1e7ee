"""OPB, the format of the pseudo-Boolean competitions: linear and with products.

::

    * #variable= 4 #constraint= 2
    +2 x1 +3 ~x2 x4 >= 2 ;
    -1 x1 +1 x3 = 0 ;

When the header counts variables and all are called ``x1``, ``x2``, …, all of them exist, whether a
constraint names them or not (each that none names doubles the count). Without header and
constraints a file says nothing, and is refused. An objective is no constraint, and is refused
unless it shall be ignored. Lines ``* p show x1 x2 0`` project, as in DIMACS CNF. A coefficient of 1
may be left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from bddsudoku.errors import ModelError, PuzzleFormatError
from bddsudoku.model.constraints import Constraint, Formula, Linear, OneHot
from bddsudoku.model.expression import Constant, Expression, Operation, Reference, nodes
from bddsudoku.model.simplify import operation
from bddsudoku.puzzle.formula.cnf import Clauses, remarks
from bddsudoku.puzzle.formula.draft import Draft
from bddsudoku.puzzle.formula.lexer import MAX_DIGITS, MAX_VARIABLES, Source, shown
from bddsudoku.puzzle.formula.lowering import linear

_WORD = re.compile(r"[<>=!]+|[+-]?\d+(?![\w.])|[+-]|[^\s<>=!+-]+", re.ASCII)
_NUMBER = re.compile(r"[+-]?\d+\Z", re.ASCII)
_LITERAL = re.compile(r"~?[A-Za-z_][A-Za-z0-9_\[\]{}.,^]*\Z")
_COUNTED = re.compile(r"#variable=\s*(\d+)\s+#constraint=\s*(\d+)", re.ASCII)
_FIRST_NAME = re.compile(r"^[^*\n]*?([A-Za-z_]\w*)(?![\w:])", re.MULTILINE)
_PLAIN = re.compile(r"x([1-9]\d*)\Z", re.ASCII)
_OBJECTIVE = ("min:", "max:")
_SOFT = ("soft:", "[")
_MOST_TERMS = 500
"""Products of a formula up to which it is written with products."""


def read(source: Source, draft: Draft, ignore_objective: bool = False) -> None:
    """Add what a text in OPB says.

    Args:
        source: the text.
        draft: what it is added to.
        ignore_objective: leave ``min:`` and ``max:`` out rather than refuse them.

    Raises:
        PuzzleFormatError: it is none; the message names line and column.
    """
    _Reading(source, draft, ignore_objective).run()


class _Reading:
    """One file on its way."""

    def __init__(self, source: Source, draft: Draft, ignore_objective: bool) -> None:
        self.source = source
        self.ignore_objective = ignore_objective
        self.problem = draft
        self.position: dict[str, int] = {}
        self.counts: tuple[int, int, int] | None = None
        """Variables and constraints of the header, and its place."""
        self.declared = 0
        self.found = 0
        self.shown: list[tuple[int, str]] | None = None
        self.start = 0
        self.text = ""
        """The statement that is read, and where it begins."""

    def run(self) -> None:
        kept: list[str] = []
        offset = 0
        for line in self.source.text.splitlines(keepends=True):
            if line.lstrip().startswith("*"):
                self._comment(offset, line)
                line = re.sub(r"[^\r\n]", " ", line)
            kept.append(line)
            offset += len(line)
        first = _FIRST_NAME.search(self.source.text)
        if self.counts is not None and (first is None or _PLAIN.match(first[1])):
            self.declared = self.counts[0]
            for v in range(self.declared):
                self._variable(f"x{v + 1}")
        *rows, rest = "".join(kept).split(";")
        for self.text in rows:
            self._statement()
            self.start += len(self.text) + 1
        if surplus := _WORD.search(rest):
            raise self.source.error(
                self.start + surplus.start(), "expected ';' at the end of the constraint"
            )
        self._finish()

    def _comment(self, offset: int, line: str) -> None:
        match = _COUNTED.search(line)
        if match is not None and self.counts is None:
            if max(len(match[1]), len(match[2])) > 9 or int(match[1]) > MAX_VARIABLES:
                raise self.source.error(
                    offset, f"expected at most {MAX_VARIABLES:,} variables, found {shown(match[1])}"
                )
            self.counts = int(match[1]), int(match[2]), offset + match.start()
        words = [(offset + m.start(), m.group()) for m in re.finditer(r"[^\s*]+", line)]
        if [w for _, w in words[:2]] == ["p", "show"]:
            self.shown = self.shown or []
            self.shown += (word for word in words[2:] if word[1] != "0")

    def _variable(self, name: str) -> int:
        found = self.position[name] = self.problem.new(name).index
        return found

    def _finish(self) -> None:
        if self.counts is not None:
            variables, constraints, place = self.counts
            for what, said, found in (
                ("variables", variables, len(self.position)),
                ("constraints", constraints, self.found),
            ):
                if said != found:
                    raise self.source.error(place, f"expected {said:,} {what}, found {found:,}")
        elif not self.found:
            raise self.source.error(
                0, "expected a header '* #variable= … #constraint= …' or a constraint, found none"
            )
        if self.shown is not None:
            for place, name in self.shown:
                if name not in self.position:
                    raise self.source.error(place, f"expected a variable, found {shown(name)}")
            self.problem.project_to(self.position[name] for _, name in self.shown)

    def _statement(self) -> None:
        """An objective or a constraint."""
        words = _WORD.findall(self.text)
        if words and words[0].startswith(_OBJECTIVE):
            if self.ignore_objective:
                return
            raise self._error(0, "a constraint (an objective is none; it can be ignored)")
        if words and words[0].startswith(_SOFT):
            raise self._error(0, "a constraint (soft constraints are not supported)")
        end = next((k for k, w in enumerate(words) if w[0] in "<>=!"), len(words))
        if end == len(words) or words[end] not in (">=", "<=", "="):
            raise self._error(end, "'>=', '<=' or '='")
        if len(words) != end + 2 or not _NUMBER.match(words[-1]):
            raise self._error(min(end + 1, len(words)), "an integer and ';'")
        self.found += 1
        weights: dict[int, int] = {}
        products: list[Expression] = []
        bound = self._integer(end + 1, words)
        k = 0
        while k < end:
            weight = -1 if words[k] == "-" else 1
            if words[k] in ("+", "-"):
                k += 1
            if k < end and not _LITERAL.match(words[k]):
                weight *= self._integer(k, words)
                k += 1
            first = k
            while k < end and _LITERAL.match(words[k]):
                k += 1
            if k == first:
                raise self._error(k, "a variable")
            if k > first + 1:
                factors = [self._literal(i, words) for i in range(first, k)]
                products.append(operation("*", weight, operation("&", *factors)))
                continue
            v = self._named(first, words)
            if words[first][0] == "~":
                bound -= weight
                weight = -weight
            weights[v] = weights.get(v, 0) + weight
        try:
            self._demand(words[end], weights, products, bound)
        except ModelError as error:
            raise self._error(0, "smaller numbers") from error

    def _named(self, k: int, words: list[str]) -> int:
        name = words[k].removeprefix("~")
        found = self.position.get(name)
        if found is None:
            if self.declared:
                raise self._error(k, f"a variable from x1 to x{self.declared}, as the header says")
            found = self._variable(name)
        return found

    def _literal(self, k: int, words: list[str]) -> Expression:
        variable = Reference(self._named(k, words))
        return operation("!", variable) if words[k][0] == "~" else variable

    def _integer(self, k: int, words: list[str]) -> int:
        if not _NUMBER.match(words[k]):
            raise self._error(k, "an integer or a variable")
        if len(words[k]) > MAX_DIGITS:
            raise self._error(k, f"at most {MAX_DIGITS:,} digits")
        return int(words[k])

    def _demand(
        self, relation: str, weights: dict[int, int], products: list[Expression], bound: int
    ) -> None:
        label = str(self.found)
        if products:
            terms = [operation("*", w, Reference(v)) for v, w in weights.items()]
            op = "==" if relation == "=" else relation
            statement = operation(op, operation("+", *terms, *products), bound)
            self.problem.demand(statement, "constraint", label)
            return
        low = None if relation == "<=" else bound
        high = None if relation == ">=" else bound
        ordered = {v: weights[v] for v in sorted(weights) if weights[v]}
        self.problem.constraints += linear(ordered, low, high, "constraint", label)

    def _error(self, word: int, what: str) -> PuzzleFormatError:
        """An error at a word of the statement, by its number."""
        for k, match in enumerate(_WORD.finditer(self.text)):
            if k == word:
                return self.source.error(
                    self.start + match.start(), f"expected {what}, found {shown(match.group())}"
                )
        return self.source.error(self.start + len(self.text), f"expected {what}, found ';'")


Polynomial = dict[frozenset[int], int]
"""Coefficients of products of variables; the constant is that of the empty product."""
_Row = tuple[Polynomial, str, int]
"""A sum, a relation and a bound."""


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
    variables (see :mod:`bddsudoku.puzzle.formula.cnf`). When there are such, or a projection,
    ``* p show`` names the variables that are to be counted.

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
    rows: list[_Row] = []
    for c in constraints:
        found = _rows(c, linear)
        if found is None:
            clauses.add(c)
        else:
            rows += found
    for literals in clauses.clauses:
        weights = {frozenset([abs(v) - 1]): 1 if v > 0 else -1 for v in literals}
        rows.append((weights, ">=", 1 - sum(v < 0 for v in literals)))
    head = f"* #variable= {clauses.variables} #constraint= {len(rows)}"
    products = {term for terms, _, _ in rows for term in terms if len(term) > 1}
    if products:
        head += f" #product= {len(products)} sizeproduct= {sum(map(len, products))}"
    yield head
    yield from remarks("* ", names, comments, "x")
    counted = clauses.counted(projection)
    if counted is not None:
        yield " ".join(["* p show", *(f"x{v + 1}" for v in counted), "0"])
    for terms, relation, bound in rows:
        left = " ".join(
            f"{weight:+d} {' '.join(f'x{v + 1}' for v in sorted(term))}"
            for term, weight in terms.items()
        )
        yield f"{left} {relation} {bound} ;".lstrip()


def _rows(constraint: Constraint, linear: bool) -> list[_Row] | None:
    """A constraint as polynomials with bounds; None when it must become clauses."""
    if constraint.verdict is True:
        return []
    if isinstance(constraint, OneHot):
        weights = {frozenset([v]): 1 for v in constraint.variables}
        return _bounded(weights, None if constraint.at_most else constraint.total, constraint.total)
    if isinstance(constraint, Linear):
        pairs = zip(constraint.variables, constraint.weights, strict=True)
        return _bounded({frozenset([v]): w for v, w in pairs if w}, constraint.low, constraint.high)
    if not isinstance(constraint, Formula) or linear or not constraint.expression.defined:
        return None
    statement = constraint.expression
    op = "<"
    sides: Sequence[Expression] = (Constant(0), statement)
    if isinstance(statement, Operation) and statement.op in ("==", "<", "<="):
        op, sides = statement.op, statement.arguments
    elif not statement.is_truth:
        return None
    try:
        less, more = map(_polynomial, sides)
    except _NoPolynomialError:
        return None
    terms = _combined((1, more), (-1, less))
    bound = int(op == "<") - terms.pop(frozenset(), 0)
    return _bounded(terms, bound, bound if op == "==" else None)


def _bounded(terms: Polynomial, low: int | None, high: int | None) -> list[_Row] | None:
    if not terms:
        return None
    if low is not None and low == high:
        return [(terms, "=", low)]
    rows: list[_Row] = []
    if low is not None:
        rows.append((terms, ">=", low))
    if high is not None:
        rows.append(({t: -w for t, w in terms.items()}, ">=", -high))
    return rows


class _NoPolynomialError(Exception):
    """An expression divides, say, or compares, or has too many terms."""


def _polynomial(expression: Expression) -> Polynomial:
    """An expression as a sum of products of variables."""
    found: dict[Expression, Polynomial] = {}
    for node in nodes(expression):
        found[node] = _terms(node, found)
        if len(found[node]) > _MOST_TERMS:
            raise _NoPolynomialError
    return found[expression]


def _terms(node: Expression, found: Mapping[Expression, Polynomial]) -> Polynomial:
    if isinstance(node, Constant):
        return {frozenset(): node.value} if node.value else {}
    if isinstance(node, Reference):
        return {frozenset([node.index]): 1}
    assert isinstance(node, Operation)
    op = node.op
    parts = [found[a] for a in node.arguments]
    truths = all(a.is_truth for a in node.arguments)
    if op == "+":
        return _combined(*((1, p) for p in parts))
    if op == "*" or (op in ("&", "&&") and truths):
        return _product(parts)
    if op == "?:" and node.arguments[0].is_truth:
        test, then, other = parts
        return _combined((1, other), (1, _product([test, _combined((1, then), (-1, other))])))
    if not truths:
        raise _NoPolynomialError
    if op == "!":
        return _inverse(parts[0])
    if op in ("|", "||"):
        return _inverse(_product([_inverse(p) for p in parts]))
    if op in ("^", "!=", "=="):
        odd = parts[0]
        for terms in parts[1:]:
            odd = _combined((1, odd), (1, terms), (-2, _product([odd, terms])))
        return _inverse(odd) if op == "==" else odd
    raise _NoPolynomialError


def _combined(*parts: tuple[int, Polynomial]) -> Polynomial:
    total: Polynomial = {}
    for factor, terms in parts:
        for term, weight in terms.items():
            total[term] = total.get(term, 0) + factor * weight
    return {t: w for t, w in total.items() if w}


def _inverse(terms: Polynomial) -> Polynomial:
    return _combined((1, {frozenset(): 1}), (-1, terms))


def _product(parts: Sequence[Polynomial]) -> Polynomial:
    result: Polynomial = {frozenset(): 1}
    for terms in parts:
        if len(result) * len(terms) > _MOST_TERMS**2:
            raise _NoPolynomialError
        total: Polynomial = {}
        for a, x in result.items():
            for b, y in terms.items():
                total[a | b] = total.get(a | b, 0) + x * y
        result = {t: w for t, w in total.items() if w}
        if len(result) > _MOST_TERMS:
            raise _NoPolynomialError
    return result
