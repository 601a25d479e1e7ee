"""Parser of the formula language: statements, and expressions by precedence climbing.

From the least to the most tightly binding: ``?:``, ``<->``, ``->``, ``||``, ``&&``, ``|``, ``^``,
``&``, ``== !=``, ``< <= > >=``, ``<< >>``, ``+ -``, ``* / %``, prefixes ``! ~ - +``, indices.
``->`` and ``?:`` group to the right, all others to the left; comparisons do not chain, because C
would compare the truth of ``a < b`` with ``c``.

An expression is a tree of operations over names and numbers. A chain of one operator is one node,
so that the depth of a tree is that of its brackets, which is limited.
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
    FormulaText,
    Token,
    quote,
)

MAX_DEPTH = 100
"""Largest depth of nested brackets."""
MAX_LOOPS = 40
"""Largest depth of nested loops."""

_LEVELS = "<->", "->", "||", "&&", "|", "^", "&", "== !=", "< <= > >=", "<< >>", "+ -", "* / %"
_LEVEL = {op: level for level, ops in enumerate(_LEVELS, 1) for op in ops.split()}
_COMPARISONS = frozenset({_LEVEL["=="], _LEVEL["<"]})
_IN_ROWS = frozenset(["<->", "->", "||", "&&", "|", "^", "&", "+", "*"])
_HINTS = {
    "print": ", which is a command",
    "include": ": a file cannot include others",
    "import": ": a file cannot include others",
}

T = TypeVar("T")


class CallNode(NamedTuple):
    """A node of a parsed expression: an operator or a function, and its operands.

    Attributes:
        kind: the operator (``-`` with one operand or two), ``[`` for an index, ``?:`` for choices
            (a condition and a value each, and the value when none holds), or a function's name;
            in the domains of loops ``..`` for a range (both ends included), ``{`` for a set, and
            ``(`` for an element of it that is a tuple of numbers.
        offset: its offset in the text.
        operands: expressions.
        clauses: the loops of a function whose operand is evaluated in every round.
    """

    kind: str
    offset: int
    operands: list[Node]
    clauses: Sequence[LoopClause] = ()


Node = Token | CallNode
"""An expression; a token is a number or a name."""


class LoopClause(NamedTuple):
    """One clause of a loop: ``for names in over`` or, without names, the condition ``if over``."""

    names: list[Token]
    over: Node


class ParsedStatement(NamedTuple):
    """A parsed statement of the formula language.

    Attributes:
        kind: ``symbol``, ``integer``, ``project``, ``=`` for ``F[i] = …`` or a table of numbers or
            a set, ``:`` for a constraint with its name (family and label, perhaps empty).
        first: the first token; of a constraint, that of its expression.
        targets: names with their indices: declared, defined or projected to.
        body: the expression, or the values of an integer variable.
    """

    kind: str
    first: Token
    targets: list[tuple[Token, list[Node]]]
    body: Node | None = None
    clauses: Sequence[LoopClause] = ()
    family: str = ""
    label: str = ""


def parse_statement(source: FormulaText, tokens: list[Token]) -> ParsedStatement:
    """Parse the tokens of one statement, the last of which is END."""
    return _Parser(source, tokens).whole_statement()


class _Parser:
    def __init__(self, source: FormulaText, tokens: list[Token]) -> None:
        self.source = source
        self.tokens = tokens
        self.position = 0
        self.depth = 0
        self.loops = 0
        """Loops inside each other, of what was read last."""

    # Tokens

    @property
    def token(self) -> Token:
        """The token at the current position; it is not consumed."""
        return self.tokens[self.position]

    def error(self, expected: str, hint: str = "") -> PuzzleFormatError:
        message = f"expected {expected}, found {self.token}{hint}"
        return self.source.error(self.token.offset, message)

    def advance(self) -> Token:
        self.position += 1
        return self.tokens[self.position - 1]

    def accept(self, kind: str) -> bool:
        """Whether the next token is of a kind; if so, it is consumed."""
        found = self.token.kind == kind
        self.position += found
        return found

    def expect(self, kind: str, expected: str | None = None) -> None:
        if not self.accept(kind):
            raise self.error(expected or repr(kind))

    def name(self, expected: str = "a name") -> Token:
        if self.token.kind != NAME:
            reserved = self.token.kind in RESERVED
            raise self.error(expected, ", a word of the language" if reserved else "")
        return self.advance()

    def comma_list(self, read_part: Callable[[], T]) -> list[T]:
        """Read parts separated by commas, each part by ``read_part``."""
        found = [read_part()]
        while self.accept(","):
            found.append(read_part())
        return found

    def indices(self, read_index: Callable[[], Node]) -> list[Node]:
        """Read indices ``[…][…]``, each by ``read_index``; an empty list if there are none."""
        found = []
        while self.accept("["):
            found.append(read_index())
            self.expect("]", "an operator or ']'")
        return found

    # Statements

    def whole_statement(self) -> ParsedStatement:
        found = self.statement()
        if self.token.kind == END:
            return found
        if self.token.kind == "=":
            raise self.error("'==' for a comparison (only a name alone can be given a meaning)")
        first = self.tokens[0]
        if found.kind == ":" and self.position == 1 and first.text in _HINTS:
            message = f"expected a statement, found {first}{_HINTS[first.text]}"
            raise self.source.error(first.offset, message)
        symbols = found.kind == "symbol"
        raise self.error("a name or a range" if symbols else "an operator or the end of the line")

    def statement(self) -> ParsedStatement:
        first = self.token
        if self.accept("symbol"):
            return ParsedStatement("symbol", first, self.declared_names())
        if self.accept("integer"):
            targets = self.declared_names()
            self.expect("in", "'in' and a range, such as in 0..9")
            return ParsedStatement(
                "integer", first, targets, self.domain("a range such as 0..9, or a set")
            )
        if self.accept("project"):
            names = [self.name()]
            while self.accept(",") or self.token.kind != END:
                names.append(self.name())
            return ParsedStatement("project", first, [(name, []) for name in names])
        if equals := self.find_equals():
            table = self.tokens[equals + 1].kind == "{"
            name = self.name("a name to define")
            indices = self.indices(self.domain if table else self.expression)
            self.expect("=")
            body = self.domain() if table else self.expression()
            clauses = () if table else self.loop_clauses()
            return ParsedStatement("=", first, [(name, indices)], body, clauses)
        family, label = self.family_and_label()
        first = self.token
        return ParsedStatement(
            ":", first, [], self.expression(), self.loop_clauses(), family, label
        )

    def declared_names(self) -> list[tuple[Token, list[Node]]]:
        """Read the names in a declaration, ``a b x[1..9][1..9]``, with or without commas."""
        found = []
        comma = True
        while comma or self.token.kind not in (END, "in"):
            found.append((self.name("a name to declare"), self.indices(self.domain)))
            comma = self.accept(",")
        return found

    def find_equals(self) -> int:
        """The position of the ``=`` after a name and its indices; 0 when there is none."""
        if self.token.kind != NAME and self.token.kind not in RESERVED:
            return 0
        place, depth = 1, 0
        while depth or self.tokens[place].kind == "[":
            kind = self.tokens[place].kind
            depth += (kind in OPENING) - (kind in CLOSING)
            place += 1
        return place if self.tokens[place].kind == "=" else 0

    def family_and_label(self) -> tuple[str, str]:
        """Read the ``family label:`` before a statement; two empty texts if there is none."""
        end = 1 if self.token.kind == NAME else 0
        while end and self.tokens[end].kind in {*RESERVED, NAME, NUMBER}:
            end += 1
        if not end or self.tokens[end].kind != ":":
            return "", ""
        label = " ".join(t.text for t in self.tokens[1:end])
        if len(label) > 200:
            message = f"expected a label of at most 200 characters, found {quote(label)}"
            raise self.source.error(self.tokens[1].offset, message)
        self.position = end + 1
        return self.tokens[0].text, label

    # Domains and loops

    def domain(self, expected: str = "a range such as 1..9") -> Node:
        """Read a set of numbers: ``low..high``, ``{…}`` or the name of a set."""
        offset = self.token.offset
        if self.accept("{"):
            elements = self.comma_list(self.set_element)
            self.expect("}", "',' or '}'")
            return CallNode("{", offset, elements)
        low = self.expression()
        if self.accept(".."):
            return CallNode("..", offset, [low, self.expression()])
        if low[0] == NAME:
            return low
        raise self.source.error(offset, f"expected {expected}, found no '..' before {self.token}")

    def set_element(self) -> Node:
        """Read an element of a set: a number, or a tuple of numbers in brackets."""
        start, offset = self.position, self.token.offset
        if self.accept("("):
            parts = self.comma_list(self.expression)
            self.expect(")", "',' or ')'")
            if len(parts) > 1:
                return CallNode("(", offset, parts)
            self.position = start
        return self.expression()

    def loop_clauses(self, call: Token | None = None) -> list[LoopClause]:
        """Read the loops of a call or statement: ``for i in 1..9, j in 1..9 if i < j for …``."""
        found: list[LoopClause] = []
        while True:
            if self.accept("for"):
                found += self.comma_list(self.loop)
            elif found and self.accept("if"):
                found.append(LoopClause([], self.expression()))
            else:
                break
        if self.token.kind == "if":
            raise self.error("'for' before 'if' (of one statement: condition -> statement)")
        self.loops += len(found)
        if self.loops > MAX_LOOPS:
            message = f"expected at most {MAX_LOOPS} loops inside each other"
            raise self.source.error((call or self.tokens[0]).offset, message)
        return found

    def loop(self) -> LoopClause:
        names = self.comma_list(lambda: self.name("the name of a loop variable"))
        self.expect("in")
        return LoopClause(names, self.domain())

    # Expressions

    def expression(self) -> Node:
        """Read an expression up to the first token that cannot continue it."""
        self.depth += 1
        if self.depth > MAX_DEPTH:
            message = f"expected at most {MAX_DEPTH} brackets inside each other"
            raise self.source.error(self.token.offset, message)
        operands = [self.binary_operation(1)]
        offset = 0
        while self.accept("?"):
            operands.append(self.expression())
            offset = self.token.offset
            self.expect(":", "':' of the '?:'")
            operands.append(self.binary_operation(1))
        self.depth -= 1
        return CallNode("?:", offset, operands) if len(operands) > 1 else operands[0]

    def binary_operation(self, least_precedence: int) -> Node:
        """Read an expression whose binary operators all have at least the given precedence."""
        left = self.operand()
        while (level := _LEVEL.get(self.token.kind, 0)) >= least_precedence:
            first = self.token
            kind = "+" if first.kind == "-" else first.kind
            same = ("+", "-") if kind == "+" else (kind,)
            operands = [left]
            while self.token.kind in same:
                token = self.advance()
                right = self.binary_operation(level + 1)
                operands.append(
                    CallNode("-", token.offset, [right]) if token.kind == "-" else right
                )
                if level in _COMPARISONS and _LEVEL.get(self.token.kind) == level:
                    what = "brackets or '&': comparisons do not chain"
                    raise self.error(what, f" after {token}")
                if kind not in _IN_ROWS:
                    break
            left = CallNode(kind, first.offset, operands)
        return left

    def operand(self) -> Node:
        """Read prefixes, then a number, a name with indices, a bracketed expression or a call."""
        prefixes = []
        while self.token.kind in ("!", "~", "-", "+"):
            prefixes.append(self.advance())
        found: Node
        if self.accept("("):
            found = self.expression()
            self.expect(")", "an operator or ')'")
        elif self.token.kind in FUNCTIONS:
            found = self.call()
        elif self.token.kind == NUMBER:
            found = self.advance()
        else:
            found = self.name("a number, a name or '('")
            while self.token.kind == "[":
                offset = self.advance().offset
                found = CallNode("[", offset, [found, self.expression()])
                self.expect("]", "an operator or ']'")
        for prefix in reversed(prefixes):
            if prefix.kind != "+":
                found = CallNode(prefix.kind, prefix.offset, [found])
        return found

    def call(self) -> CallNode:
        call = self.advance()
        function = FUNCTIONS[call.kind]
        if function == "all" and self.token.text == "different":
            self.position += 1
            function = "all different"
        self.expect("(", f"'(' after {function!r}")
        outer, self.loops = self.loops, 0
        operands = self.comma_list(self.expression)
        looped = self.token.kind == "for"
        if looped and len(operands) > 1:
            raise self.error("',' or ')' (loops follow a single expression)")
        clauses = self.loop_clauses(call) if looped else []
        self.expect(")", "an operator, ',', 'for'" + (", 'if' or ')'" if looped else " or ')'"))
        self.loops = max(outer, self.loops)
        return CallNode(function, call.offset, operands, clauses)
