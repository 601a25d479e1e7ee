"""Running a file of the language: declarations make variables, statements make constraints."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import product
from typing import Any

from bddsudoku.errors import PuzzleFormatError
from bddsudoku.model.expression import Constant, Expression
from bddsudoku.puzzle.formula.code import (
    Clause,
    Constraint,
    Definition,
    Domain,
    Integers,
    Projection,
    Statement,
    Symbols,
    Table,
    Target,
)
from bddsudoku.puzzle.formula.draft import Draft
from bddsudoku.puzzle.formula.evaluation import Evaluation
from bddsudoku.puzzle.formula.parser import parse
from bddsudoku.puzzle.formula.source import MAX_STEPS, MAX_VARIABLES, Source, shown
from bddsudoku.puzzle.formula.terms import Term, Terms
from bddsudoku.puzzle.formula.tokens import Token
from bddsudoku.puzzle.formula.values import (
    Array,
    Distinct,
    SetOf,
    Value,
    plain,
)

_STATEMENT_STEPS = 20
"""What a constraint counts as, for the limit on the steps of a file."""


def run(source: Source, draft: Draft) -> None:
    """Carry out a text in the language.

    Raises:
        PuzzleFormatError: it is none; the message names line and column.
    """
    runner = _Runner(draft, source)
    empty = True
    for statement in parse(source):
        runner.statement(statement)
        empty = False
    if empty:
        raise source.error(len(source.text), "expected a statement, found none")
    runner.finish()


def declare(problem: Draft, text: str) -> list[Any]:
    """Variables of a declaration for use in Python: a Term each, Terms for an array.

    Raises:
        PuzzleFormatError: this is no declaration.
    """
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


class _Runner(Evaluation):
    """One text on its way into a problem."""

    def __init__(self, problem: Draft, source: Source) -> None:
        super().__init__(problem, source)
        self.defined: dict[str, Array] = {}
        """Arrays whose items are defined one by one."""
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

    # Declarations

    def _symbols(self, targets: list[Target]) -> None:
        for target in targets:
            self._declare(target, 1, self.problem.new)

    def _integers(self, targets: list[Target], domain: Domain) -> None:
        values = self.numbers(domain, MAX_VARIABLES)
        if not values:
            raise self.source.error(domain.offset, "expected values, found none")

        def made(name: str) -> Value:
            return plain(self.problem.new_integer(name, values).expression)

        for target in targets:
            self._declare(target, len(values), made)

    def _declare(self, target: Target, size: int, made: Callable[[str], Value]) -> None:
        """A variable, or one for every index."""
        self.new_name(target.name)
        name = target.name.text
        ranges = [self.numbers(r, MAX_VARIABLES) for r in target.ranges]
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
            self.scope[name] = self.guarded(target.name.offset, made, name)
            return
        array = Array(name)
        for indices in _product(ranges):
            full = name + "".join(f"[{i}]" for i in indices)
            array.put(list(indices), self.guarded(target.name.offset, made, full))
        self.scope[name] = array

    def _table(self, table: Table) -> None:
        self.new_name(table.name)
        elements = self.elements(table.domain)
        if not table.ranges:
            self.scope[table.name.text] = SetOf(tuple(elements))
            return
        places = list(_product([self.numbers(r, MAX_STEPS) for r in table.ranges]))
        values = self.plain_numbers(table.domain, elements)
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
            self.new_name(name, " (to compare, write '==')")
            if definition.clauses:
                raise self.source.error(
                    name.offset, f"expected an index after {name}, which is defined in a loop"
                )
            self.scope[name.text] = value = self.run(definition.code)
            self.problem.define(name.text, value)
            self.last = (name.text, definition)
            return
        if name.text not in self.defined:
            self.new_name(name, " (to compare, write '==')")
            self.defined[name.text] = self.scope[name.text] = Array(name.text)
        array = self.defined[name.text]
        rounds = 0
        for _ in self.rounds(definition.clauses):
            rounds += 1
            indices = [self.integer(i, "an index") for i in definition.indices]
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
        for full, found in _leaves(name.text, self.named(name.text, name.offset)):
            if self.problem.find(full) == found:
                self.problem.project_named(full)
            else:
                self.guarded(name.offset, self.problem.project_value, found)

    # Statements

    def _constraint(self, constraint: Constraint) -> None:
        line = self.source.line(constraint.offset)
        family = constraint.family or "line"
        rounds = 0
        for _ in self.rounds(constraint.clauses):
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
        self.step(offset, _STATEMENT_STEPS)
        said = Constant(value) if isinstance(value, int) else value
        self.guarded(offset, self.problem.demand, said, family, label, self.source.line(offset))

    def _no_round(self, clauses: list[Clause]) -> PuzzleFormatError:
        domain = next(c.domain for c in clauses if c.domain is not None)
        return self.source.error(
            domain.offset, "expected at least one round of the loops, found none"
        )


def _leaves(name: str, value: Value) -> Iterator[tuple[str, Value]]:
    """A value, or an array's, each with its full name."""
    if isinstance(value, Array):
        for index, inner in value.items.items():
            yield from _leaves(f"{name}[{index}]", inner)
    else:
        yield name, value


def _product(ranges: list[Sequence[int]]) -> Iterator[tuple[int, ...]]:
    return product(*ranges)
