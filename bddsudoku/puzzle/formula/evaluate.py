"""Carrying out a file of the language: declarations make variables, statements make constraints."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from difflib import get_close_matches
from itertools import product
from math import prod
from typing import Any, TypeVar

from bddsudoku.errors import ModelError
from bddsudoku.model.expression import Expression
from bddsudoku.model.operators import PARTIAL
from bddsudoku.puzzle.formula.definedness import UndefinedStatement
from bddsudoku.puzzle.formula.draft import Draft
from bddsudoku.puzzle.formula.lexer import (
    FUNCTIONS,
    MAX_STEPS,
    MAX_VARIABLES,
    NUMBER,
    Source,
    Token,
    shown,
    statements,
)
from bddsudoku.puzzle.formula.parser import (
    Call,
    Clause,
    Declaration,
    Demand,
    Domain,
    NamedExpression,
    Node,
    NumberTable,
    Projection,
    Statement,
    parse,
)
from bddsudoku.puzzle.formula.values import (
    Array,
    Distinct,
    SetOf,
    Value,
    aggregate,
    combine,
    fold,
    plain,
)

_STATEMENT_STEPS = 20
"""What a constraint counts as, for the limit on the steps of a file."""
_CALLS = frozenset(FUNCTIONS.values())
_LAZY = frozenset({"&&", "||", "->"})

T = TypeVar("T")


def run(source: Source, draft: Draft) -> dict[str, Value]:
    """Carry out a text in the language.

    Returns:
        What its names stand for.

    Raises:
        PuzzleFormatError: it is none; the message names line and column.
    """
    evaluation = _Evaluation(source, draft)
    tokens: list[Token] = []
    for tokens in statements(source):
        try:
            evaluation.carry_out(parse(source, tokens))
        except RecursionError:
            raise source.error(
                tokens[0].offset, "expected a statement whose parts stand less deep in each other"
            ) from None
    if not tokens:
        raise source.error(len(source.text), "expected a statement, found none")
    evaluation.finish()
    return evaluation.scope


class _Evaluation:
    """Names, loops and steps of one text on its way into a problem."""

    def __init__(self, source: Source, problem: Draft) -> None:
        self.problem = problem
        self.source = source
        self.scope: dict[str, Value] = {}
        self.loops: dict[str, int] = {}
        self.steps = 0
        self.partial: dict[Expression, int] = {}
        """Where divisions stand whose divisor may be 0."""
        self.itemwise: set[str] = set()
        """Arrays whose items are defined one by one."""
        self.last: NamedExpression | None = None

    def carry_out(self, statement: Statement) -> None:
        """A statement."""
        match statement:
            case Declaration():
                self._declare(statement)
            case NumberTable():
                self._table(statement)
            case NamedExpression():
                self._define(statement)
            case Demand():
                self._constrain(statement)
            case Projection(names):
                for name in names:
                    self._project(name)

    def finish(self) -> None:
        """A file of definitions alone means its last one, as in the paper."""
        if self.problem.statements or self.last is None:
            return
        name = self.last.name
        value = self.scope[name.text]
        if isinstance(value, Expression | Distinct):
            self._demand(value, "definition", name.text, name.offset)
            self.problem.notes.append(
                f"no statement stands alone, so {name.text} is taken for the constraint"
            )

    # Statements

    def _declare(self, declaration: Declaration) -> None:
        made: Callable[[str], Value] = self.problem.new
        size = 1
        if declaration.domain is not None:
            numbers = self.numbers(declaration.domain, MAX_VARIABLES)
            size = len(numbers)
            if not numbers:
                raise self.source.error(declaration.domain.offset, "expected values, found none")

            def made(name: str) -> Value:
                return plain(self.problem.new_integer(name, numbers).expression)

        for name, domains in declaration.targets:
            self._new_name(name)
            ranges = [self.numbers(d, MAX_VARIABLES) for d in domains]
            for domain, values in zip(domains, ranges, strict=True):
                if not values:
                    raise self.source.error(
                        domain.offset, "expected an index, found an empty range"
                    )
            total = size * prod(map(len, ranges))
            if total + len(self.problem.names) > MAX_VARIABLES:
                raise self.source.error(
                    name.offset, f"expected at most {MAX_VARIABLES:,} variables"
                )
            array = Array(name.text)
            for indices in product(*ranges):
                item = self._guarded(name.offset, made, indexed(name.text, indices))
                if indices:
                    array.put(indices, item)
                self.scope[name.text] = array if indices else item

    def _table(self, table: NumberTable) -> None:
        self._new_name(table.name)
        name = table.name.text
        if not table.ranges:
            self.scope[name] = SetOf(tuple(self._elements(table.domain)))
            return
        places = list(product(*(self.numbers(r) for r in table.ranges)))
        values = self.numbers(table.domain)
        if len(values) != len(places):
            raise self.source.error(
                table.domain.offset, f"expected {len(places):,} numbers, found {len(values):,}"
            )
        self.scope[name] = array = Array(name)
        for indices, value in zip(places, values, strict=True):
            array.put(indices, value)

    def _define(self, definition: NamedExpression) -> None:
        token, name = definition.name, definition.name.text
        if not definition.indices or name not in self.itemwise:
            self._new_name(token, " (to compare, write '==')")
        if not definition.indices:
            if definition.clauses:
                raise self.source.error(
                    token.offset, f"expected an index after {token}, which is defined in a loop"
                )
            self.scope[name] = value = self.value(definition.body)
            self.problem.define(name, value)
            self.last = definition
            return
        self.itemwise.add(name)
        array = self.scope.setdefault(name, Array(name))
        assert isinstance(array, Array)
        for _ in self._some_rounds(definition.clauses):
            indices = tuple(self._integer(i, "an index") for i in definition.indices)
            full = indexed(name, indices)
            value = self.value(definition.body)
            self.problem.define(full, value)
            if not array.put(indices, value):
                raise self.source.error(
                    token.offset, f"expected a new name, found {shown(full)}, which is taken"
                )

    def _project(self, name: Token) -> None:
        for full, found in _leaves(name.text, self._named(name.text, name.offset)):
            if self.problem.find(full) == found:
                self.problem.project_named(full)
            else:
                self._guarded(name.offset, self.problem.project_value, found)

    def _constrain(self, demand: Demand) -> None:
        family = demand.family or "line"
        line = str(self.source.line(demand.offset))
        given = demand.label or ("" if demand.family else line)
        for _ in self._some_rounds(demand.clauses):
            round_ = ",".join(map(str, self.loops.values())) if demand.clauses else ""
            label = " ".join(filter(None, (given, round_)))
            if not demand.label:
                label = self.problem.free_label(family, label or line)
            self._demand(self.value(demand.body), family, label, demand.offset)

    def _demand(self, value: Value, family: str, label: str, offset: int) -> None:
        if isinstance(value, Array | SetOf):
            kind = f"the array {value.name}" if isinstance(value, Array) else "a set"
            raise self.source.error(offset, f"expected a statement, found {kind}")
        self._step(offset, _STATEMENT_STEPS)
        self._guarded(offset, self.problem.demand, value, family, label, self.source.line(offset))

    # Loops

    def rounds(self, clauses: Sequence[Clause]) -> Iterator[None]:
        """Once for every round, the loop variables set; once when there are no loops."""
        if not clauses:
            yield
            return
        (names, domain, condition), *rest = clauses
        if domain is None:
            assert condition is not None
            if self._integer(condition, "a condition without variables"):
                yield from self.rounds(rest)
            return
        for name in names:
            self._new_name(name)
        words = [n.text for n in names]
        for element in self._elements(domain, len(words)):
            self._step(domain.offset)
            self.loops.update(zip(words, element, strict=True))
            yield from self.rounds(rest)
        for word in words:
            self.loops.pop(word, None)

    def _some_rounds(self, clauses: Sequence[Clause]) -> Iterator[None]:
        """The same, but none is an error."""
        some = False
        for _ in self.rounds(clauses):
            some = True
            yield
        if not some:
            domain = next(c.domain for c in clauses if c.domain is not None)
            raise self.source.error(
                domain.offset, "expected at least one round of the loops, found none"
            )

    def numbers(self, domain: Domain, most: int = MAX_STEPS) -> list[int]:
        """What a range or a set of plain numbers runs over."""
        return [number for (number,) in self._elements(domain, 1, most)]

    def _elements(
        self, domain: Domain, count: int = 0, most: int = MAX_STEPS
    ) -> Iterator[tuple[int, ...]]:
        """What a set or a range holds: tuples of a number of numbers, if one is demanded."""
        found: Iterable[tuple[int, ...]]
        if domain.low is None:
            found = [
                tuple(self._integer(part, "a number known") for part in element)
                for element in domain.elements
            ]
        elif domain.high is None:
            value = self.value(domain.low)
            if not isinstance(value, SetOf):
                raise self.source.error(
                    domain.offset, f"expected a range or the name of a set, found {domain.low}"
                )
            found = value.elements
        else:
            low = self._integer(domain.low, "a number known")
            high = self._integer(domain.high, "a number known")
            if high - low >= most:
                raise self.source.error(
                    domain.offset,
                    f"expected a range of at most {most:,} numbers, found a longer one",
                )
            found = zip(range(low, high + 1))
        for element in found:
            if count and len(element) != count:
                wanted = "plain numbers"
                if count > 1:
                    wanted = f"elements of {count} numbers (one loop a name: for i in …, j in …)"
                written = ", ".join(map(str, element))
                raise self.source.error(
                    domain.offset,
                    f"expected {wanted}, found "
                    + (f"({written})" if len(element) > 1 else written),
                )
            yield element

    # Expressions

    def _integer(self, node: Node, what: str) -> int:
        """The value of an expression that may not depend on variables."""
        value = self.value(node)
        if not isinstance(value, int):
            while isinstance(node, Call):
                node = node.operands[0]
            raise self.source.error(
                node.offset, f"expected {what}, found something that depends on variables"
            )
        return value

    def _named(self, name: str, offset: int) -> Value:
        """What a name stands for."""
        if name in self.loops:
            return self.loops[name]
        found = self.scope.get(name)
        if found is None:
            found = self.problem.find(name)
        if found is None:
            near = get_close_matches(name, [*self.scope, *self.loops], 1) if len(name) < 50 else []
            hint = f" (is it {near[0]!r}?)" if near else ""
            raise self.source.error(offset, f"expected a declared name, found {shown(name)}{hint}")
        return found

    def value(self, node: Node) -> Value:
        """The value of an expression."""
        self.steps += 1
        if isinstance(node, Token):
            return node.value if node.kind == NUMBER else self._named(node.text, node.offset)
        kind, offset, operands, clauses = node
        if kind == "?:":
            return self._choice(offset, operands)
        values: list[Value] = []
        if kind in _CALLS:
            values = [self.value(o) for _ in self.rounds(clauses) for o in operands]
            return self._applied(aggregate, kind, values, offset)
        for operand in operands:
            values.append(self.value(operand))
            last = values[-1]
            if kind in _LAZY and isinstance(last, int) and bool(last) is (kind == "||"):
                if kind == "->" and len(values) < len(operands):
                    values[-1] = 1
                break
        if kind == "[":
            return self._item(offset, *values)
        found = self._applied(fold, kind, values, offset)
        if kind in PARTIAL and isinstance(found, Expression):
            self.partial.setdefault(found, offset)
        return found

    def _choice(self, offset: int, operands: list[Node]) -> Value:
        """``a ? b : c ? d : e``; what a known condition rules out is not looked at."""
        open_: list[tuple[Value, Value]] = []
        *pairs, last = operands
        for test, then in zip(pairs[::2], pairs[1::2], strict=True):
            condition = self.value(test)
            if not isinstance(condition, int):
                open_.append((condition, self.value(then)))
            elif condition:
                last = then
                break
        found = self.value(last)
        for condition, chosen in reversed(open_):
            found = self._applied(combine, "?:", [condition, chosen, found], offset)
        return found

    def _item(self, offset: int, array: Value, index: Value) -> Value:
        if not isinstance(array, Array):
            raise self.source.error(offset, "expected an operator, found '[' after a plain name")
        if not isinstance(index, int):
            raise self.source.error(
                offset, "expected a number known as index, found one that depends on variables"
            )
        return self._guarded(offset, array.at, index)

    def _applied(
        self, rule: Callable[[str, list[Value]], T], op: str, values: list[Value], offset: int
    ) -> T:
        self._step(offset, len(values))
        return self._guarded(offset, rule, op, values)

    # Errors

    def _guarded(self, offset: int, action: Callable[..., T], *args: Any) -> T:
        """Run something; what goes wrong is told with its place."""
        try:
            return action(*args)
        except UndefinedStatement as error:
            place = offset if error.node is None else self.partial.get(error.node, offset)
            raise self.source.error(place, str(error)) from None
        except ModelError as error:
            words = str(error)
            if not words.startswith("expected"):
                words = f"expected smaller numbers: {words}"
            raise self.source.error(offset, words) from None

    def _step(self, offset: int, count: int = 1) -> None:
        """Count work."""
        self.steps += count
        if self.steps > MAX_STEPS:
            raise self.source.error(
                offset, f"expected a file that is read in at most {MAX_STEPS:,} steps"
            )

    def _new_name(self, name: Token, hint: str = "") -> None:
        """Check that a name means nothing yet."""
        if name.text in self.scope or name.text in self.loops:
            raise self.source.error(
                name.offset, f"expected a new name, found {name}, which is declared already{hint}"
            )


def indexed(name: str, indices: Iterable[int]) -> str:
    """``x[1][2]``."""
    return name + "".join(f"[{i}]" for i in indices)


def _leaves(name: str, value: Value) -> Iterator[tuple[str, Value]]:
    """A value, or an array's, each with its full name."""
    if isinstance(value, Array):
        for index, inner in value.items.items():
            yield from _leaves(f"{name}[{index}]", inner)
    else:
        yield name, value
