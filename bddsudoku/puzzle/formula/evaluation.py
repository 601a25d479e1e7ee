"""Running expressions and loops: programs for a stack, names, and rounds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from difflib import get_close_matches
from typing import Any, TypeVar

from bddsudoku.errors import ModelError
from bddsudoku.model.expression import Expression
from bddsudoku.model.operators import PARTIAL
from bddsudoku.puzzle.formula.code import Clause, Code, Domain, Op
from bddsudoku.puzzle.formula.draft import Draft, UndefinedStatement
from bddsudoku.puzzle.formula.source import MAX_STEPS, Source, shown
from bddsudoku.puzzle.formula.tokens import Token
from bddsudoku.puzzle.formula.values import Array, Element, SetOf, Value, aggregate, combine

T = TypeVar("T")


class Evaluation:
    """Names, loops and steps of one text.

    Args:
        problem: whose variables can be named.
        source: the text, for messages.
    """

    def __init__(self, problem: Draft, source: Source) -> None:
        self.problem = problem
        self.source = source
        self.scope: dict[str, Value] = {}
        self.loops: dict[str, int] = {}
        self.steps = 0
        self.partial: dict[Expression, int] = {}
        """Where divisions stand whose divisor may be 0."""

    def guarded(self, offset: int, action: Callable[..., T], *args: Any) -> T:
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

    def step(self, offset: int, count: int = 1) -> None:
        """Count work.

        Raises:
            PuzzleFormatError: there has been too much.
        """
        self.steps += count
        if self.steps > MAX_STEPS:
            raise self.source.error(
                offset, f"expected a file that is read in at most {MAX_STEPS:,} steps"
            )

    def new_name(self, name: Token, hint: str = "") -> None:
        """Check that a name means nothing yet.

        Raises:
            PuzzleFormatError: it does.
        """
        if name.text in self.scope or name.text in self.loops:
            raise self.source.error(
                name.offset, f"expected a new name, found {name}, which is declared already{hint}"
            )

    # Loops

    def rounds(self, clauses: list[Clause]) -> Iterator[None]:
        """Once for every round, the loop variables set; once when there are no loops."""
        if not clauses:
            yield
            return
        first, rest = clauses[0], clauses[1:]
        if first.condition is not None:
            if self.integer(first.condition, "a condition without variables"):
                yield from self.rounds(rest)
            return
        assert first.domain is not None
        for name in first.names:
            self.new_name(name)
        words = [n.text for n in first.names]
        if len(words) == 1:
            for value in self.numbers(first.domain, MAX_STEPS):
                self.step(first.domain.offset)
                self.loops[words[0]] = value
                yield from self.rounds(rest)
        else:
            for element in self.elements(first.domain):
                self.step(first.domain.offset)
                if len(element) != len(words):
                    raise self.source.error(
                        first.domain.offset,
                        f"expected elements of {len(words)} numbers (one loop a name: "
                        f"for i in …, j in …), found {_written(element)}",
                    )
                self.loops.update(zip(words, element, strict=True))
                yield from self.rounds(rest)
        for word in words:
            self.loops.pop(word, None)

    def numbers(self, domain: Domain, most: int) -> Sequence[int]:
        """What a range or a set of plain numbers runs over."""
        if domain.elements is not None or domain.name is not None:
            return self.plain_numbers(domain, self.elements(domain))
        low = self.integer(domain.low, "a number known")
        high = self.integer(domain.high, "a number known")
        if high - low >= most:
            raise self.source.error(
                domain.offset, f"expected a range of at most {most:,} numbers, found a longer one"
            )
        return range(low, high + 1)

    def plain_numbers(self, domain: Domain, elements: list[Element]) -> list[int]:
        """The numbers of elements that are no tuples.

        Raises:
            PuzzleFormatError: one is a tuple.
        """
        for element in elements:
            if len(element) != 1:
                raise self.source.error(
                    domain.offset, f"expected plain numbers, found {_written(element)}"
                )
        return [e[0] for e in elements]

    def elements(self, domain: Domain) -> list[Element]:
        """What a set or a range holds.

        Raises:
            PuzzleFormatError: the name is not that of a set.
        """
        if domain.name is not None:
            found = self.named(domain.name.text, domain.offset)
            if not isinstance(found, SetOf):
                raise self.source.error(
                    domain.offset, f"expected a range or the name of a set, found {domain.name}"
                )
            return list(found.elements)
        if domain.elements is None:
            return [(n,) for n in self.numbers(domain, MAX_STEPS)]
        return [
            tuple(self.integer(part, "a number known") for part in element)
            for element in domain.elements
        ]

    def integer(self, code: Code, what: str) -> int:
        """The value of an expression that may not depend on variables.

        Raises:
            PuzzleFormatError: it does.
        """
        value = self.run(code)
        if not isinstance(value, int):
            raise self.source.error(
                code[0].offset, f"expected {what}, found something that depends on variables"
            )
        return value

    # Expressions

    def named(self, name: str, offset: int) -> Value:
        """What a name stands for.

        Raises:
            PuzzleFormatError: nothing.
        """
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
                    stack.append(self.named(step.text, step.offset))
                case Op.INDEX:
                    stack.append(self._indexed(step.offset, stack))
                case Op.APPLY | Op.CALL:
                    self.step(step.offset, step.number)
                    values = stack[-step.number :]
                    del stack[-step.number :]
                    rule = combine if step.op is Op.APPLY else aggregate
                    found = self.guarded(step.offset, rule, step.text, values)
                    stack.append(found)
                    if step.text in PARTIAL and isinstance(found, Expression):
                        self.partial.setdefault(found, step.offset)
                case Op.EACH:
                    assert step.each is not None
                    values = [self.run(step.each.body) for _ in self.rounds(step.each.clauses)]
                    stack.append(self.guarded(step.offset, aggregate, step.text, values))
                case Op.SHORT:
                    last = stack[-1]
                    if isinstance(last, int) and bool(last) is (step.text == "||"):
                        values = stack[-step.number :]
                        del stack[-step.number :]
                        if step.text == "->":
                            values = [1]
                        op = "||" if step.text != "&&" else "&&"
                        stack.append(self.guarded(step.offset, combine, op, values))
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
                        stack.append(self.guarded(step.offset, combine, "?:", values))
        self.step(code[0].offset if code else 0, 0)
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
        return self.guarded(offset, array.at, index)


def _written(element: Element) -> str:
    return str(element[0]) if len(element) == 1 else f"({', '.join(map(str, element))})"
