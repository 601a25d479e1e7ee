"""Running a file of the language: declarations make variables, statements make constraints."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from difflib import get_close_matches
from itertools import product
from typing import Any, TypeVar

from bddsudoku.errors import ModelError, PuzzleFormatError
from bddsudoku.model.expression import Constant, Expression
from bddsudoku.model.operators import PARTIAL
from bddsudoku.puzzle.formula.code import (
    Clause,
    Code,
    Constraint,
    Definition,
    Domain,
    Integers,
    Op,
    Projection,
    Statement,
    Symbols,
    Table,
    Target,
)
from bddsudoku.puzzle.formula.parser import parse
from bddsudoku.puzzle.formula.problem import Problem, UndefinedStatement
from bddsudoku.puzzle.formula.source import MAX_STEPS, MAX_VARIABLES, Source, shown
from bddsudoku.puzzle.formula.tokens import Token
from bddsudoku.puzzle.formula.values import (
    Array,
    Distinct,
    Element,
    SetOf,
    Value,
    aggregate,
    combine,
    plain,
)

__all__ = ["declare", "run"]

T = TypeVar("T")

_STATEMENT_STEPS = 20
"""What a constraint counts as, for the limit on the steps of a file."""


def run(source: Source) -> Problem:
    """The problem that a text in the language describes.

    Raises:
        PuzzleFormatError: it describes none; the message names line and column.
    """
    problem = Problem()
    runner = _Runner(problem, source)
    empty = True
    for statement in parse(source):
        runner.statement(statement)
        empty = False
    if empty:
        raise source.error(len(source.text), "expected a statement, found none")
    runner.finish()
    return problem


def declare(problem: Problem, text: str) -> list[Any]:
    """Variables of a declaration for use in Python: a Term each, Terms for an array.

    Raises:
        PuzzleFormatError: this is no declaration.
    """
    from bddsudoku.puzzle.formula.terms import Term, Terms

    source = Source(text)
    runner = _Runner(problem, source)
    for statement in parse(source):
        if not isinstance(statement, Symbols):
            raise source.error(0, "expected one declaration")
        runner.statement(statement)
    return [
        Terms(v, problem) if isinstance(v, Array) else Term(v, problem)
        for v in runner.scope.values()
        if isinstance(v, Array | Expression)
    ]


class _Runner:
    """Names, loops and steps of one text on its way into a problem."""

    def __init__(self, problem: Problem, source: Source) -> None:
        self.problem = problem
        self.source = source
        self.scope: dict[str, Value] = {}
        self.defined: dict[str, Array] = {}
        """Arrays whose items are defined one by one."""
        self.loops: dict[str, int] = {}
        self.steps = 0
        self.partial: dict[Expression, int] = {}
        """Where divisions stand whose divisor may be 0."""
        self.last: tuple[str, Definition] | None = None

    def statement(self, statement: Statement) -> None:
        """Carry out one."""
        match statement:
            case Symbols(targets):
                self._symbols(targets)
            case Integers(targets, domain):
                self._integers(targets, domain)
            case Table():
                self._table(statement)
            case Definition():
                self._definition(statement)
            case Constraint():
                self._constraint(statement)
            case Projection(targets):
                for name in targets:
                    self._project(name)

    def finish(self) -> None:
        """A file of definitions alone means its last one, as in the paper."""
        if not self.problem.statements and self.last is not None:
            name, definition = self.last
            value = self.scope[name]
            if isinstance(value, Expression | Distinct):
                self._demand(value, "definition", name, definition.name.offset)
                self.problem.notes.append(
                    f"no statement stands alone, so {name} is taken for the constraint"
                )

    # Messages

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
        self.steps += count
        if self.steps > MAX_STEPS:
            raise self.source.error(
                offset, f"expected a file that is read in at most {MAX_STEPS:,} steps"
            )

    def _new_name(self, name: Token, hint: str = "") -> None:
        if name.text in self.scope or name.text in self.loops:
            raise self.source.error(
                name.offset, f"expected a new name, found {name}, which is declared already{hint}"
            )

    # Declarations

    def _symbols(self, targets: list[Target]) -> None:
        for target in targets:
            self._declare(target, 1, self.problem.new)

    def _integers(self, targets: list[Target], domain: Domain) -> None:
        values = self._numbers(domain, MAX_VARIABLES)
        if not values:
            raise self.source.error(domain.offset, "expected values, found none")

        def made(name: str) -> Value:
            return plain(self.problem.new_integer(name, values).expression)

        for target in targets:
            self._declare(target, len(values), made)

    def _declare(self, target: Target, size: int, made: Callable[[str], Value]) -> None:
        """A variable, or one for every index."""
        self._new_name(target.name)
        name = target.name.text
        ranges = [self._numbers(r, MAX_VARIABLES) for r in target.ranges]
        total = size
        for domain, values in zip(target.ranges, ranges, strict=True):
            total *= len(values)
            if not values:
                raise self.source.error(domain.offset, "expected an index, found an empty range")
        if total + len(self.problem.names) > MAX_VARIABLES:
            raise self.source.error(
                target.name.offset, f"expected at most {MAX_VARIABLES:,} variables"
            )
        if not ranges:
            self.scope[name] = self._guarded(target.name.offset, made, name)
            return
        array = Array(name)
        for indices in _product(ranges):
            full = name + "".join(f"[{i}]" for i in indices)
            array.put(list(indices), self._guarded(target.name.offset, made, full))
        self.scope[name] = array

    def _table(self, table: Table) -> None:
        self._new_name(table.name)
        elements = self._elements(table.domain)
        if not table.ranges:
            self.scope[table.name.text] = SetOf(tuple(elements))
            return
        places = list(_product([self._numbers(r, MAX_STEPS) for r in table.ranges]))
        values = self._plain(table.domain, elements)
        if len(values) != len(places):
            raise self.source.error(
                table.domain.offset, f"expected {len(places):,} numbers, found {len(values):,}"
            )
        array = Array(table.name.text)
        for indices, value in zip(places, values, strict=True):
            array.put(list(indices), value)
        self.scope[table.name.text] = array

    def _definition(self, definition: Definition) -> None:
        name = definition.name
        if not definition.indices:
            self._new_name(name, " (to compare, write '==')")
            if definition.clauses:
                raise self.source.error(
                    name.offset, f"expected an index after {name}, which is defined in a loop"
                )
            self.scope[name.text] = value = self.run(definition.code)
            self.problem.define(name.text, value)
            self.last = (name.text, definition)
            return
        if name.text not in self.defined:
            self._new_name(name, " (to compare, write '==')")
            self.defined[name.text] = self.scope[name.text] = Array(name.text)
        array = self.defined[name.text]
        rounds = 0
        for _ in self._rounds(definition.clauses):
            rounds += 1
            indices = [self._integer(i, "an index") for i in definition.indices]
            full = name.text + "".join(f"[{i}]" for i in indices)
            value = self.run(definition.code)
            self.problem.define(full, value)
            if not array.put(indices, value):
                raise self.source.error(
                    name.offset, f"expected a new name, found {shown(full)}, which is taken"
                )
        if not rounds:
            raise self._no_round(definition.clauses)

    def _project(self, name: Token) -> None:
        value = self._named(name.text, name.offset)
        for found in _leaves(value):
            self._guarded(name.offset, self.problem.project_value, found)

    # Statements

    def _constraint(self, constraint: Constraint) -> None:
        line = self.source.line(constraint.offset)
        family = constraint.family or "line"
        rounds = 0
        for _ in self._rounds(constraint.clauses):
            rounds += 1
            words = [constraint.label] if constraint.label or constraint.family else [str(line)]
            if constraint.clauses:
                words.append(",".join(map(str, self.loops.values())))
            label = " ".join(w for w in words if w)
            if not constraint.label:
                base = label = label or str(line)
                k = 1
                while self.problem.called(family, label):
                    k += 1
                    label = f"{base} ({k})"
            value = self.run(constraint.code)
            self._demand(value, family, label, constraint.offset)
        if not rounds:
            raise self._no_round(constraint.clauses)

    def _demand(self, value: Value, family: str, label: str, offset: int) -> None:
        if isinstance(value, Array | SetOf):
            kind = f"the array {value.name}" if isinstance(value, Array) else "a set"
            raise self.source.error(offset, f"expected a statement, found {kind}")
        self._step(offset, _STATEMENT_STEPS)
        said = Constant(value) if isinstance(value, int) else value
        self._guarded(offset, self.problem.demand, said, family, label, self.source.line(offset))

    def _no_round(self, clauses: list[Clause]) -> PuzzleFormatError:
        domain = next(c.domain for c in clauses if c.domain is not None)
        return self.source.error(
            domain.offset, "expected at least one round of the loops, found none"
        )

    # Loops

    def _rounds(self, clauses: list[Clause]) -> Iterator[None]:
        """Once for every round, the loop variables set; once when there are no loops."""
        if not clauses:
            yield
            return
        first, rest = clauses[0], clauses[1:]
        if first.condition is not None:
            if self._integer(first.condition, "a condition without variables"):
                yield from self._rounds(rest)
            return
        assert first.domain is not None
        for name in first.names:
            self._new_name(name)
        words = [n.text for n in first.names]
        if len(words) == 1:
            for value in self._numbers(first.domain, MAX_STEPS):
                self._step(first.domain.offset)
                self.loops[words[0]] = value
                yield from self._rounds(rest)
        else:
            for element in self._elements(first.domain):
                self._step(first.domain.offset)
                if len(element) != len(words):
                    raise self.source.error(
                        first.domain.offset,
                        f"expected elements of {len(words)} numbers (one loop a name: "
                        f"for i in …, j in …), found {_written(element)}",
                    )
                self.loops.update(zip(words, element, strict=True))
                yield from self._rounds(rest)
        for word in words:
            self.loops.pop(word, None)

    def _numbers(self, domain: Domain, most: int) -> Sequence[int]:
        """What a range or a set of plain numbers runs over."""
        if domain.elements is not None or domain.name is not None:
            return self._plain(domain, self._elements(domain))
        low = self._integer(domain.low, "a number known")
        high = self._integer(domain.high, "a number known")
        if high - low >= most:
            raise self.source.error(
                domain.offset, f"expected a range of at most {most:,} numbers, found a longer one"
            )
        return range(low, high + 1)

    def _plain(self, domain: Domain, elements: list[Element]) -> list[int]:
        for element in elements:
            if len(element) != 1:
                raise self.source.error(
                    domain.offset, f"expected plain numbers, found {_written(element)}"
                )
        return [e[0] for e in elements]

    def _elements(self, domain: Domain) -> list[Element]:
        if domain.name is not None:
            found = self._named(domain.name.text, domain.offset)
            if not isinstance(found, SetOf):
                raise self.source.error(
                    domain.offset, f"expected a range or the name of a set, found {domain.name}"
                )
            return list(found.elements)
        if domain.elements is None:
            return [(n,) for n in self._numbers(domain, MAX_STEPS)]
        return [
            tuple(self._integer(part, "a number known") for part in element)
            for element in domain.elements
        ]

    def _integer(self, code: Code, what: str) -> int:
        value = self.run(code)
        if not isinstance(value, int):
            raise self.source.error(
                code[0].offset, f"expected {what}, found something that depends on variables"
            )
        return value

    # Expressions

    def _named(self, name: str, offset: int) -> Value:
        if name in self.loops:
            return self.loops[name]
        found = self.scope.get(name)
        if found is not None:
            return found
        position = self.problem.find(name)
        if position is not None:
            return position
        near = get_close_matches(name, [*self.scope, *self.loops], 1) if len(name) < 50 else []
        hint = f" (is it {near[0]!r}?)" if near else ""
        raise self.source.error(offset, f"expected a declared name, found {shown(name)}{hint}")

    def run(self, code: Code) -> Value:
        """The value of an expression."""
        stack: list[Value] = []
        known: list[bool] = []
        """For every ``?:`` that is open, whether its condition was a number."""
        place = 0
        while place < len(code):
            step = code[place]
            place += 1
            self.steps += 1
            match step.op:
                case Op.PUSH:
                    stack.append(step.number)
                case Op.NAME:
                    stack.append(self._named(step.text, step.offset))
                case Op.INDEX:
                    stack.append(self._indexed(step.offset, stack))
                case Op.APPLY | Op.CALL:
                    self._step(step.offset, step.number)
                    values = stack[-step.number :]
                    del stack[-step.number :]
                    rule = combine if step.op is Op.APPLY else aggregate
                    found = self._guarded(step.offset, rule, step.text, values)
                    stack.append(found)
                    if step.text in PARTIAL and isinstance(found, Expression):
                        self.partial.setdefault(found, step.offset)
                case Op.EACH:
                    assert step.each is not None
                    values = [self.run(step.each.body) for _ in self._rounds(step.each.clauses)]
                    stack.append(self._guarded(step.offset, aggregate, step.text, values))
                case Op.SHORT:
                    last = stack[-1]
                    if isinstance(last, int) and bool(last) is (step.text == "||"):
                        values = stack[-step.number :]
                        del stack[-step.number :]
                        if step.text == "->":
                            values = [1]
                        op = "||" if step.text != "&&" else "&&"
                        stack.append(self._guarded(step.offset, combine, op, values))
                        place += step.jump - 1
                case Op.IF:
                    condition = stack[-1]
                    known.append(isinstance(condition, int))
                    if isinstance(condition, int):
                        stack.pop()
                        if not condition:
                            place += step.jump - 1
                case Op.ELSE:
                    # Met only when "then" was run.
                    if known[-1]:
                        known.pop()
                        place += step.jump - 1
                case Op.CHOOSE:
                    if not known.pop():
                        values = stack[-3:]
                        del stack[-3:]
                        stack.append(self._guarded(step.offset, combine, "?:", values))
        self._step(code[0].offset if code else 0, 0)
        return stack[0]

    def _indexed(self, offset: int, stack: list[Value]) -> Value:
        index = stack.pop()
        array = stack.pop()
        if not isinstance(array, Array):
            raise self.source.error(offset, "expected an operator, found '[' after a plain name")
        if not isinstance(index, int):
            raise self.source.error(
                offset, "expected a number known as index, found one that depends on variables"
            )
        return self._guarded(offset, array.at, index)


def _leaves(value: Value) -> Iterator[Value]:
    if isinstance(value, Array):
        for inner in value.items.values():
            yield from _leaves(inner)
    else:
        yield value


def _product(ranges: list[Sequence[int]]) -> Iterator[tuple[int, ...]]:
    return product(*ranges)


def _written(element: Element) -> str:
    return str(element[0]) if len(element) == 1 else f"({', '.join(map(str, element))})"
