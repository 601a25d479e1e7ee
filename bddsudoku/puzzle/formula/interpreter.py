"""Interpreter of the formula language: adds a text's variables and constraints to a problem."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from difflib import get_close_matches
from functools import partial
from math import prod
from typing import Any, TypeVar

from bddsudoku.errors import ModelError, PuzzleFormatError
from bddsudoku.model.expression import Expression
from bddsudoku.puzzle.formula.language_values import (
    Array,
    Distinct,
    Value,
    apply_function,
    apply_operator,
    as_number_if_constant,
    fold_operator,
)
from bddsudoku.puzzle.formula.lexer import (
    FUNCTIONS,
    MAX_STEPS,
    MAX_VARIABLES,
    NUMBER,
    FormulaText,
    Token,
    quote,
    tokenize_statements,
)
from bddsudoku.puzzle.formula.parser import (
    CallNode,
    LoopClause,
    Node,
    ParsedStatement,
    parse_statement,
)
from bddsudoku.puzzle.formula.problem_draft import Draft

_STATEMENT_STEPS = 20
"""Number of steps that a constraint counts for, in the limit on the steps of a file."""
_CALLS = frozenset(FUNCTIONS.values())
_LAZY = frozenset({"&&", "||", "->"})

T = TypeVar("T")


def interpret_text(source: FormulaText, draft: Draft) -> dict[str, Value]:
    """Add a text in the formula language to ``draft``; return the values of its names."""
    interpreter = _Interpreter(source, draft)
    tokens: list[Token] = []
    for tokens in tokenize_statements(source):
        try:
            interpreter.run_statement(parse_statement(source, tokens))
        except RecursionError:
            raise source.error(
                tokens[0].offset, "expected a statement whose parts stand less deep in each other"
            ) from None
    if not tokens:
        raise source.error(len(source.text), "expected a statement, found none")
    interpreter.require_last_definition()
    return interpreter.scope


class _Interpreter:
    """The state of one text's evaluation: values of names, loop variables, counted steps."""

    def __init__(self, source: FormulaText, problem: Draft) -> None:
        self.problem = problem
        self.error: Callable[[int, str], PuzzleFormatError] = source.error
        self.line = source.line_number
        self.scope: dict[str, Value] = {}
        self.loops: dict[str, int] = {}
        self.steps = 0
        self.itemwise: set[str] = set()
        """Arrays whose items are defined one by one."""
        self.last: Token | None = None
        """The name that was defined last."""

    def run_statement(self, statement: ParsedStatement) -> None:
        """Evaluate one parsed statement: a declaration, definition, constraint or projection."""
        if statement.kind == ":":
            self._add_constraints(statement)
        elif statement.kind == "=":
            ((name, indices),) = statement.targets
            assert statement.body is not None
            if statement.body.kind == "{":
                self._define_table_or_set(name, indices, statement.body)
            else:
                self._define(name, indices, statement.body, statement.clauses)
        elif statement.kind == "project":
            for name, _ in statement.targets:
                for full, value in _named_items(name.text, self._look_up(name)):
                    self._call_locating_errors(name.offset, self.problem.project_value, value, full)
        else:
            self._declare(statement)

    def require_last_definition(self) -> None:
        """Take the last definition for a constraint if the text has nothing but definitions."""
        if self.problem.statements or self.last is None:
            return
        name = self.last.text
        value = self.scope[name]
        if isinstance(value, Expression | Distinct):
            self._require(value, "definition", name, self.last.offset)
            self.problem.notes.append(
                f"no statement stands alone, so {name} is taken for the constraint"
            )

    # Statements

    def _declare(self, declaration: ParsedStatement) -> None:
        made: Callable[[str], Value] = self.problem.new_variable
        size = 1
        if declaration.body is not None:
            numbers = self._nonempty_numbers(declaration.body, "values, found none")
            size = len(numbers)

            def made(name: str) -> Value:
                return as_number_if_constant(self.problem.new_integer(name, numbers).expression)

        for name, domains in declaration.targets:
            self._check_name_is_new(name)
            ranges = [self._nonempty_numbers(d, "an index, found an empty range") for d in domains]
            if size * prod(map(len, ranges)) + len(self.problem.names) > MAX_VARIABLES:
                raise self.error(name.offset, f"expected at most {MAX_VARIABLES:,} variables")
            item = partial(self._call_locating_errors, name.offset, made)
            self.scope[name.text] = _fill_array(name.text, ranges, item)

    def _define_table_or_set(self, name: Token, ranges: Sequence[Node], domain: Node) -> None:
        """Define a table of numbers, ``name[…] = {…}``, or without ranges a set, ``name = {…}``."""
        self._check_name_is_new(name)
        if not ranges:
            self.scope[name.text] = tuple(self._elements(domain))
            return
        sides = [self._numbers(r) for r in ranges]
        values = self._numbers(domain)
        places = prod(map(len, sides))
        if len(values) != places:
            message = f"expected {places:,} numbers, found {len(values):,}"
            raise self.error(domain.offset, message)
        row = iter(values)
        self.scope[name.text] = _fill_array(name.text, sides, lambda _: next(row))

    def _define(
        self, token: Token, indices: Sequence[Node], body: Node, clauses: Sequence[LoopClause]
    ) -> None:
        name = token.text
        if not indices or name not in self.itemwise:
            self._check_name_is_new(token, " (to compare, write '==')")
        if not indices:
            if clauses:
                message = f"expected an index after {token}, which is defined in a loop"
                raise self.error(token.offset, message)
            self.scope[name] = self.evaluate(body)
            self.last = token
            return
        self.itemwise.add(name)
        array = self.scope.setdefault(name, Array(name))
        assert isinstance(array, Array)
        for _ in self._run_nonempty_loops(clauses):
            place = tuple(self._integer(i, "an index") for i in indices)
            if not array.set_item(place, self.evaluate(body)):
                taken = quote(name + "".join(f"[{i}]" for i in place))
                raise self.error(
                    token.offset, f"expected a new name, found {taken}, which is taken"
                )

    def _add_constraints(self, statement: ParsedStatement) -> None:
        offset, body = statement.first.offset, statement.body
        assert body is not None
        line = str(self.line(offset))
        family = statement.family or "line"
        given = statement.label or ("" if statement.family else line)
        for _ in self._run_nonempty_loops(statement.clauses):
            values = ",".join(map(str, self.loops.values()))
            label = " ".join(filter(None, (given, values)))
            if not statement.label:
                label = self.problem.unused_label(family, label or line)
            self._require(self.evaluate(body), family, label, offset)

    def _require(self, value: Value, family: str, label: str, offset: int) -> None:
        if isinstance(value, Array | tuple):
            kind = "a set" if isinstance(value, tuple) else f"the array {value.name}"
            raise self.error(offset, f"expected a statement, found {kind}")
        self._count_steps(offset, _STATEMENT_STEPS)
        self._call_locating_errors(
            offset, self.problem.require, value, family, label, self.line(offset)
        )

    # Loops

    def _run_loops(self, clauses: Sequence[LoopClause]) -> Iterator[None]:
        """Run nested loops, yielding in every round; without any loop, yield once."""
        if not clauses:
            yield
            return
        (names, over), *rest = clauses
        if not names:
            if self._integer(over, "a condition without variables"):
                yield from self._run_loops(rest)
            return
        for name in names:
            self._check_name_is_new(name)
        words = [n.text for n in names]
        for element in self._elements(over, len(words)):
            self._count_steps(over.offset)
            self.loops.update(zip(words, element, strict=True))
            yield from self._run_loops(rest)
        for word in words:
            self.loops.pop(word, None)

    def _run_nonempty_loops(self, clauses: Sequence[LoopClause]) -> Iterator[None]:
        """Run nested loops, yielding in every round; an error if there is no round."""
        some = False
        for _ in self._run_loops(clauses):
            some = True
            yield
        if not some:
            message = "expected at least one round of the loops, found none"
            raise self.error(clauses[0].over.offset, message)

    def _numbers(self, domain: Node, most: int = MAX_STEPS) -> list[int]:
        """The numbers of a range or set; an error if the set has tuples of several numbers."""
        return [number for (number,) in self._elements(domain, 1, most)]

    def _nonempty_numbers(self, domain: Node, expected: str) -> list[int]:
        """The numbers of a range or set in a declaration; an error if there are none."""
        found = self._numbers(domain, MAX_VARIABLES)
        if not found:
            raise self.error(domain.offset, f"expected {expected}")
        return found

    def _elements(
        self, domain: Node, length: int = 0, most: int = MAX_STEPS
    ) -> Iterator[tuple[int, ...]]:
        """Yield the elements of a set or range as tuples of ``length`` numbers (0: any length)."""
        found: Iterable[tuple[int, ...]]
        if isinstance(domain, Token):
            value = self.evaluate(domain)
            if not isinstance(value, tuple):
                message = f"expected a range or the name of a set, found {domain}"
                raise self.error(domain.offset, message)
            found = value
        elif domain.kind == "..":
            low, high = (self._integer(end, "a number known") for end in domain.operands)
            if high - low >= most:
                message = f"expected a range of at most {most:,} numbers, found a longer one"
                raise self.error(domain.offset, message)
            found = zip(range(low, high + 1))
        else:
            parts = [
                e.operands if isinstance(e, CallNode) and e.kind == "(" else [e]
                for e in domain.operands
            ]
            found = [tuple(self._integer(p, "a number known") for p in part) for part in parts]
        for element in found:
            if length and len(element) != length:
                wanted = "plain numbers"
                if length > 1:
                    wanted = f"elements of {length} numbers (one loop a name: for i in …, j in …)"
                written = ", ".join(map(str, element))
                written = f"({written})" if len(element) > 1 else written
                raise self.error(domain.offset, f"expected {wanted}, found {written}")
            yield element

    # Expressions

    def _integer(self, node: Node, expected: str) -> int:
        """The integer value of a parsed expression; an error if it depends on variables."""
        value = self.evaluate(node)
        if not isinstance(value, int):
            while isinstance(node, CallNode):
                node = node.operands[0]
            message = f"expected {expected}, found something that depends on variables"
            raise self.error(node.offset, message)
        return value

    def _look_up(self, token: Token) -> Value:
        """The value that a name stands for; an error if the name is unknown."""
        name = token.text
        found: Value | None = self.loops.get(name)
        if found is None:
            found = self.scope.get(name)
        if found is None:
            found = self.problem.find(name)
        if found is None:
            near = get_close_matches(name, [*self.scope, *self.loops], 1) if len(name) < 50 else []
            hint = f" (is it {near[0]!r}?)" if near else ""
            message = f"expected a declared name, found {quote(name)}{hint}"
            raise self.error(token.offset, message)
        return found

    def evaluate(self, node: Node) -> Value:
        """The value of a parsed expression."""
        self.steps += 1
        if isinstance(node, Token):
            return node.value if node.kind == NUMBER else self._look_up(node)
        kind, offset, operands, clauses = node
        if kind == "?:":
            return self._if_then_else(offset, operands)
        values: list[Value] = []
        if kind in _CALLS:
            values = [self.evaluate(o) for _ in self._run_loops(clauses) for o in operands]
            return self._apply_and_count_steps(apply_function, kind, values, offset)
        for operand in operands:
            values.append(self.evaluate(operand))
            last = values[-1]
            if kind in _LAZY and isinstance(last, int) and bool(last) is (kind == "||"):
                if kind == "->" and len(values) < len(operands):
                    values[-1] = 1
                break
        if kind == "[":
            return self._array_item(offset, *values)
        return self._apply_and_count_steps(fold_operator, kind, values, offset)

    def _if_then_else(self, offset: int, operands: list[Node]) -> Value:
        """The value of ``a ? b : c ? d : e``; branches excluded by known conditions are skipped."""
        open_: list[tuple[Value, Value]] = []
        *pairs, last = operands
        for test, then in zip(pairs[::2], pairs[1::2], strict=True):
            condition = self.evaluate(test)
            if not isinstance(condition, int):
                open_.append((condition, self.evaluate(then)))
            elif condition:
                last = then
                break
        found = self.evaluate(last)
        for condition, chosen in reversed(open_):
            found = self._apply_and_count_steps(
                apply_operator, "?:", [condition, chosen, found], offset
            )
        return found

    def _array_item(self, offset: int, array: Value, index: Value) -> Value:
        if not isinstance(array, Array):
            raise self.error(offset, "expected an operator, found '[' after a plain name")
        if not isinstance(index, int):
            message = "expected a number known as index, found one that depends on variables"
            raise self.error(offset, message)
        return self._call_locating_errors(offset, array.item, index)

    # Errors

    def _apply_and_count_steps(
        self, function: Callable[[str, list[Value]], T], op: str, values: list[Value], offset: int
    ) -> T:
        self._count_steps(offset, len(values))
        return self._call_locating_errors(offset, function, op, values)

    def _call_locating_errors(self, offset: int, action: Callable[..., T], *args: Any) -> T:
        """Call a function; its errors get the line and column of ``offset`` in the text."""
        try:
            return action(*args)
        except ModelError as error:
            words = str(error)
            if not words.startswith("expected"):
                words = f"expected smaller numbers: {words}"
            raise self.error(offset, words) from None

    def _count_steps(self, offset: int, count: int = 1) -> None:
        """Add to the interpreter's count of steps; raise an error when it exceeds the limit."""
        self.steps += count
        if self.steps > MAX_STEPS:
            message = f"expected a file that is read in at most {MAX_STEPS:,} steps"
            raise self.error(offset, message)

    def _check_name_is_new(self, name: Token, hint: str = "") -> None:
        """Raise an error if a name is declared already; ``hint`` ends the message."""
        if name.text in self.scope or name.text in self.loops:
            message = f"expected a new name, found {name}, which is declared already{hint}"
            raise self.error(name.offset, message)


def _fill_array(
    name: str, ranges: Sequence[Sequence[int]], make_item: Callable[[str], Value]
) -> Value:
    """Make an array with an item for each tuple of indices; without ``ranges``, make one item."""
    if not ranges:
        return make_item(name)
    return Array(name, {i: _fill_array(f"{name}[{i}]", ranges[1:], make_item) for i in ranges[0]})


def _named_items(name: str, value: Value) -> Iterator[tuple[str, Value]]:
    """Yield each item of an array with its full name; yield any other value with its own name."""
    if isinstance(value, Array):
        for index, inner in value.items.items():
            yield from _named_items(f"{name}[{index}]", inner)
    else:
        yield name, value
