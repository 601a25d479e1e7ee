"""The grammar: statements, and expressions by precedence climbing.

From loose to tight: ``?:``, ``<->``, ``->``, ``||``, ``&&``, ``|``, ``^``, ``&``, ``== !=``,
``< <= > >=``, ``<< >>``, ``+ -``, ``* / %``, the prefixes ``! ~ - +``, and indices. ``->`` and
``?:`` group to the right, all others to the left; comparisons do not chain, because C would compare
the truth of ``a < b`` with ``c``.

An expression is a tree of operations over names and numbers. Rows of one operator are one node, so
that the depth of a tree is that of its brackets, which is limited.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeVar

from bddsudoku.errors import PuzzleFormatError
from bddsudoku.puzzle.formula.lexer import (
    CLOSING,
    END,
    FUNCTIONS,
    NAME,
    NUMBER,
    OPENING,
    RESERVED,
    Source,
    Token,
    shown,
)

MAX_DEPTH = 100
"""Brackets inside each other."""
MAX_LOOPS = 40
"""Loops inside each other."""

_LEVELS = (
    ("<->",),
    ("->",),
    ("||",),
    ("&&",),
    ("|",),
    ("^",),
    ("&",),
    ("==", "!="),
    ("<", "<=", ">", ">="),
    ("<<", ">>"),
    ("+", "-"),
    ("*", "/", "%"),
)
_LEVEL = {op: level for level, ops in enumerate(_LEVELS, 1) for op in ops}
_COMPARING = frozenset({_LEVEL["=="], _LEVEL["<"]})
_IN_ROWS = frozenset({"<->", "->", "||", "&&", "|", "^", "&", "+", "*"})
_PREFIXES = frozenset("!~-+")
_OPERAND = "a number, a name or '('"

T = TypeVar("T")


class Call(NamedTuple):
    """An operator or a function, and what it is applied to.

    Attributes:
        kind: the operator (``-`` with one operand or two), ``[`` for an index, ``?:`` for choices
            (a condition and a value each, and the value when none holds), or a function's name.
        offset: where it stands in the text.
        operands: expressions.
        clauses: of a function whose operand is taken in every round of loops.
    """

    kind: str
    offset: int
    operands: list[Node]
    clauses: Sequence[Clause] = ()


Node = Token | Call
"""An expression; a token is a number or a name."""


class Domain(NamedTuple):
    """What a loop or an index runs over.

    Attributes:
        offset: where it begins.
        elements: of a set ``{…}``; several numbers are a tuple ``(…, …)``.
        low, high: of a range, both ends included; low alone is the name of a set.
    """

    offset: int
    elements: list[list[Node]]
    low: Node | None = None
    high: Node | None = None


class Clause(NamedTuple):
    """``for names in domain``, or ``if condition``."""

    names: list[Token]
    domain: Domain | None = None
    condition: Node | None = None


class Declaration(NamedTuple):
    """``symbol a b x[1..9]`` or, with a domain, ``integer n q[1..8] in 0..9``."""

    targets: list[tuple[Token, list[Domain]]]
    domain: Domain | None = None


class NumberTable(NamedTuple):
    """``w[1..3] = {7, 8, 9}``, or without brackets a named set."""

    name: Token
    ranges: list[Domain]
    domain: Domain


class NamedExpression(NamedTuple):
    """``F = …`` or ``F[i] = … for i in …``."""

    name: Token
    indices: list[Node]
    body: Node
    clauses: list[Clause]


class Demand(NamedTuple):
    """A statement that shall hold, ``family label: body clauses``; both names may be empty."""

    family: str
    label: str
    offset: int
    body: Node
    clauses: list[Clause]


class Projection(NamedTuple):
    """``project a x``."""

    names: list[Token]


Statement = Declaration | NumberTable | NamedExpression | Demand | Projection


def parse(source: Source, tokens: list[Token]) -> Statement:
    """The statement that some tokens make, END the last.

    Raises:
        PuzzleFormatError: it cannot be read; the message names line and column.
    """
    return _Parser(source, tokens).statement()


class _Parser:
    """Reads the tokens of one statement."""

    def __init__(self, source: Source, tokens: list[Token]) -> None:
        self.source = source
        self.tokens = tokens
        self.position = 0
        self.depth = 0
        self.loops = 0
        """Loops inside each other, of what was read last."""

    # Tokens

    @property
    def token(self) -> Token:
        """The next one."""
        return self.tokens[self.position]

    def expected(self, what: str) -> PuzzleFormatError:
        return self.source.error(self.token.offset, f"expected {what}, found {self.token}")

    def advance(self) -> Token:
        self.position += 1
        return self.tokens[self.position - 1]

    def takes(self, kind: str) -> bool:
        """Whether this sign or word comes next; then it is taken."""
        found = self.token.kind == kind
        self.position += found
        return found

    def take(self, kind: str, what: str | None = None) -> None:
        if not self.takes(kind):
            raise self.expected(what or repr(kind))

    def name(self, what: str = "a name") -> Token:
        if self.token.kind in RESERVED:
            raise self.source.error(
                self.token.offset, f"expected {what}, found {self.token}, a word of the language"
            )
        if self.token.kind != NAME:
            raise self.expected(what)
        return self.advance()

    def row(self, read: Callable[[], T]) -> list[T]:
        """One or more, with commas between them."""
        found = [read()]
        while self.takes(","):
            found.append(read())
        return found

    def bracketed(self, read: Callable[[], T]) -> list[T]:
        """``[…][…]``, or nothing."""
        found = []
        while self.takes("["):
            found.append(read())
            self.take("]", "an operator or ']'")
        return found

    # Statements

    def statement(self) -> Statement:
        found: Statement
        if self.takes("symbol"):
            found = Declaration(self._targets())
        elif self.takes("integer"):
            targets = self._targets()
            self.take("in", "'in' and a range, such as in 0..9")
            found = Declaration(targets, self.domain("a range such as 0..9, or a set"))
        elif self.takes("project"):
            names = [self.name()]
            while self.takes(",") or self.token.kind != END:
                names.append(self.name())
            found = Projection(names)
        elif equals := self._equals():
            name = self.name("a name to define")
            if self.tokens[equals + 1].kind == "{":
                ranges = self.bracketed(self.domain)
                self.take("=")
                found = NumberTable(name, ranges, self.domain("numbers in {}"))
            else:
                indices = self.bracketed(self.expression)
                self.take("=")
                found = NamedExpression(name, indices, self.expression(), self.clauses())
        else:
            family, label = self._label()
            offset = self.token.offset
            found = Demand(family, label, offset, self.expression(), self.clauses())
        if self.token.kind != END:
            raise self._surplus(found)
        return found

    def _surplus(self, found: Statement) -> PuzzleFormatError:
        """Something stands behind a statement."""
        if self.token.kind == "=":
            return self.expected("'==' for a comparison (only a name alone can be given a meaning)")
        first = self.tokens[0]
        hints = {
            "print": ", which is a command",
            "include": ": a file cannot include others",
            "import": ": a file cannot include others",
        }
        if isinstance(found, Demand) and self.position == 1 and first.text in hints:
            return self.source.error(
                first.offset, f"expected a statement, found {first}{hints[first.text]}"
            )
        symbols = isinstance(found, Declaration) and found.domain is None
        return self.expected(
            "a name or a range" if symbols else "an operator or the end of the line"
        )

    def _targets(self) -> list[tuple[Token, list[Domain]]]:
        """``a b x[1..9][1..9]``, with or without commas."""
        found = []
        comma = True
        while comma or self.token.kind not in (END, "in"):
            found.append((self.name("a name to declare"), self.bracketed(self.domain)))
            comma = self.takes(",")
        return found

    def _equals(self) -> int:
        """Where ``=`` stands behind a name and its indices; 0 when it does not."""
        if self.token.kind != NAME and self.token.kind not in RESERVED:
            return 0
        place, depth = 1, 0
        while depth or self.tokens[place].kind == "[":
            kind = self.tokens[place].kind
            depth += (kind in OPENING) - (kind in CLOSING)
            place += 1
        return place if self.tokens[place].kind == "=" else 0

    def _label(self) -> tuple[str, str]:
        """``family words:`` before a statement."""
        if self.token.kind != NAME:
            return "", ""
        end = 1
        while self.tokens[end].kind in RESERVED or self.tokens[end].kind in (NAME, NUMBER):
            end += 1
        if self.tokens[end].kind != ":":
            return "", ""
        label = " ".join(t.text for t in self.tokens[1:end])
        if len(label) > 200:
            raise self.source.error(
                self.tokens[1].offset,
                f"expected a label of at most 200 characters, found {shown(label)}",
            )
        self.position = end + 1
        return self.tokens[0].text, label

    # Domains and loops

    def domain(self, what: str = "a range such as 1..9") -> Domain:
        """``low..high``, ``{…}`` or the name of a set."""
        offset = self.token.offset
        if self.takes("{"):
            elements = self.row(self._element)
            self.take("}", "',' or '}'")
            return Domain(offset, elements)
        low = self.expression()
        if self.takes(".."):
            return Domain(offset, [], low, self.expression())
        if low[0] == NAME:
            return Domain(offset, [], low)
        raise self.source.error(offset, f"expected {what}, found no '..' before {self.token}")

    def _element(self) -> list[Node]:
        """A number of a set, or a tuple of numbers in brackets."""
        start = self.position
        if self.takes("("):
            parts = self.row(self.expression)
            self.take(")", "',' or ')'")
            if len(parts) > 1:
                return parts
            self.position = start
        return [self.expression()]

    def clauses(self, call: Token | None = None) -> list[Clause]:
        """``for i in 1..9, j in 1..9 if i < j for …``, or nothing; of a call or the statement."""
        found: list[Clause] = []
        while self.token.kind == "for" or (found and self.token.kind == "if"):
            if self.takes("if"):
                found.append(Clause([], condition=self.expression()))
            else:
                self.position += 1
                found += self.row(self._loop)
        if self.token.kind == "if":
            raise self.expected("'for' before 'if' (of one statement: condition -> statement)")
        self.loops += len(found)
        if self.loops > MAX_LOOPS:
            raise self.source.error(
                (call or self.tokens[0]).offset,
                f"expected at most {MAX_LOOPS} loops inside each other",
            )
        return found

    def _loop(self) -> Clause:
        names = self.row(lambda: self.name("the name of a loop variable"))
        self.take("in")
        return Clause(names, self.domain())

    # Expressions

    def expression(self) -> Node:
        """Everything up to a token that cannot go on with it."""
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise self.source.error(
                self.token.offset, f"expected at most {MAX_DEPTH} brackets inside each other"
            )
        found = self._binary(1)
        if self.token.kind == "?":
            offset = self.token.offset
            operands: list[Node] = [found]
            while self.takes("?"):
                operands.append(self.expression())
                offset = self.token.offset
                self.take(":", "':' of the '?:'")
                operands.append(self._binary(1))
            found = Call("?:", offset, operands)
        self.depth -= 1
        return found

    def _binary(self, least: int) -> Node:
        """Operands and operators that bind at least as tightly as a level."""
        left = self._operand()
        while (level := _LEVEL.get(self.token.kind, 0)) >= least:
            first = self.token
            kind = "+" if first.kind == "-" else first.kind
            operands = [left]
            while self.token.kind == first.kind or (kind == "+" and self.token.kind in ("+", "-")):
                token = self.advance()
                right = self._binary(level + 1)
                if token.kind == "-":
                    right = Call("-", token.offset, [right])
                operands.append(right)
                if level in _COMPARING and _LEVEL.get(self.token.kind) == level:
                    raise self.source.error(
                        self.token.offset,
                        "expected brackets or '&': comparisons do not chain, found "
                        f"{self.token} after {token}",
                    )
                if kind not in _IN_ROWS:
                    break
            left = Call(kind, first.offset, operands)
        return left

    def _operand(self) -> Node:
        """Prefixes, then a number, a name with its indices, a bracket or a call."""
        prefixes = []
        while self.token.kind in _PREFIXES:
            prefixes.append(self.advance())
        token = self.token
        found: Node
        if self.takes("("):
            found = self.expression()
            self.take(")", "an operator or ')'")
        elif token.kind in FUNCTIONS:
            found = self._call()
        elif token.kind == NUMBER:
            found = self.advance()
        else:
            found = self.name(_OPERAND)
            while self.token.kind == "[":
                offset = self.advance().offset
                found = Call("[", offset, [found, self.expression()])
                self.take("]", "an operator or ']'")
        for prefix in reversed(prefixes):
            if prefix.kind != "+":
                found = Call(prefix.kind, prefix.offset, [found])
        return found

    def _call(self) -> Call:
        call = self.advance()
        function = FUNCTIONS[call.kind]
        if function == "all" and self.token.text == "different":
            self.position += 1
            function = "all different"
        self.take("(", f"'(' after {function!r}")
        outer, self.loops = self.loops, 0
        operands = self.row(self.expression)
        if self.token.kind == "for" and len(operands) > 1:
            raise self.expected("',' or ')' (loops follow a single expression)")
        closing = "an operator, ',', 'for' or ')'"
        clauses: list[Clause] = []
        if self.token.kind == "for":
            clauses = self.clauses(call)
            closing = "an operator, ',', 'for', 'if' or ')'"
        self.take(")", closing)
        self.loops = max(outer, self.loops)
        return Call(function, call.offset, operands, clauses)
