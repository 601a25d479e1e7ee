"""Expressions in C's precedence, by two stacks (E. W. Dijkstra's shunting yard).

From loose to tight: ``?:``, ``<->``, ``->``, ``||``, ``&&``, ``|``, ``^``, ``&``, ``== !=``,
``< <= > >=``, ``<< >>``, ``+ -``, ``* / %``, the prefixes ``! ~ - +``, and indices. ``->`` and
``?:`` group to the right, all others to the left; comparisons do not chain, because C would compare
the truth of ``a < b`` with ``c``.
"""

from __future__ import annotations

from dataclasses import dataclass

from bddsudoku.errors import PuzzleFormatError
from bddsudoku.puzzle.formula.code import MAX_LOOPS, Clause, Code, Domain, Each, Instruction, Op
from bddsudoku.puzzle.formula.cursor import FUNCTIONS, Cursor
from bddsudoku.puzzle.formula.tokens import Kind, Token

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
    ("negative",),  # b of a - b: tighter than + and -, looser than *
    ("*", "/", "%"),
    ("prefix",),
)
_LEVEL = {op: level for level, ops in enumerate(_LEVELS, 1) for op in ops}
_CHOICE = 0
_MARK = -1
_PREFIXES = frozenset("!~-+")
_NARY = frozenset({"+", "*", "&", "|", "^", "&&", "||"})
_LAZY = frozenset({"&&", "||", "->"})
_COMPARING = frozenset({_LEVEL["=="], _LEVEL["<"]})


@dataclass
class _Waiting:
    """An operator or bracket that waits for what stands to its right.

    Attributes:
        token: where it stands; its text is the operator.
        level: how tightly it binds; negative for brackets.
        count: operands so far.
        start: where its code begins (calls), or the instruction to be completed.
        shorts: jumps to be completed.
    """

    token: Token
    level: int
    text: str
    count: int = 1
    start: int = 0
    shorts: list[int] | None = None


class Reader(Cursor):
    """Reads the tokens of one statement."""

    _loops = 0

    def domain(self, what: str = "a range such as 1..9") -> Domain:
        """``low..high``, ``{…}`` or the name of a set."""
        offset = self.token.offset
        if self.takes("{"):
            elements = [self._element()]
            while self.takes(","):
                elements.append(self._element())
            self.take("}", "',' or '}'")
            return Domain(offset, elements=elements)
        low = self.expression()
        if self.takes(".."):
            return Domain(offset, low, self.expression())
        if len(low) == 1 and low[0].op is Op.NAME:
            return Domain(offset, name=Token(Kind.NAME, low[0].text, offset))
        raise self.source.error(offset, f"expected {what}, found no '..' before {self.token}")

    def _element(self) -> list[Code]:
        """A number of a set, or a tuple of numbers in brackets."""
        if self.next_is("("):
            start = self.position
            self.position += 1
            parts = [self.expression()]
            while self.takes(","):
                parts.append(self.expression())
            self.take(")", "',' or ')'")
            if len(parts) > 1:
                return parts
            self.position = start
        return [self.expression()]

    def clauses(self) -> list[Clause]:
        """``for i in 1..9, j in 1..9 if i < j for …``, or nothing."""
        found: list[Clause] = []
        while self.next_is("for") or (found and self.next_is("if")):
            if self.takes("if"):
                found.append(Clause(condition=self.expression()))
                continue
            self.position += 1
            found.append(self._run())
            while self.takes(","):
                found.append(self._run())
            if len(found) > MAX_LOOPS:
                raise self.too_many_loops(self.token)
        if self.next_is("if"):
            raise self.expected("'for' before 'if' (of one statement: condition -> statement)")
        return found

    def _run(self) -> Clause:
        names = [self.name("the name of a loop variable")]
        while self.takes(","):
            names.append(self.name("the name of a loop variable"))
        self.take("in")
        return Clause(names, self.domain())

    def expression(self) -> Code:
        """Everything up to a token that cannot go on with it.

        Raises:
            PuzzleFormatError: an operand, operator or bracket is missing.
        """
        return _Yard(self).run()

    def inner_clauses(self, call: Token) -> list[Clause]:
        """The loops of a call.

        Raises:
            PuzzleFormatError: too many loops inside each other.
        """
        self._loops += 1
        if self._loops > MAX_LOOPS:
            raise self.too_many_loops(call)
        found = self.clauses()
        self._loops -= 1
        return found

    def too_many_loops(self, token: Token) -> PuzzleFormatError:
        """An error at a call or loop."""
        return self.source.error(
            token.offset, f"expected at most {MAX_LOOPS} loops inside each other"
        )


class _Yard:
    """One expression on its way from tokens to code."""

    def __init__(self, reader: Reader) -> None:
        self.reader = reader
        self.code: Code = []
        self.waiting: list[_Waiting] = []
        self.open = 0
        """Brackets and calls that wait."""

    def run(self) -> Code:
        while True:
            self._operand()
            while self._postfix():
                pass
            if not self._operator():
                break
        self._reduce(_CHOICE)
        if self.waiting:
            raise self.reader.expected("':' of the '?:'")
        return self.code

    def _emit(self, op: Op, token: Token, text: str = "", number: int = 0) -> None:
        self.code.append(Instruction(op, token.offset, text, number))

    def _operand(self) -> None:
        """Prefixes and opening brackets, up to a number or name."""
        reader = self.reader
        while True:
            token = reader.token
            if token.kind is Kind.NUMBER:
                reader.position += 1
                self._emit(Op.PUSH, token, number=token.value)
                return
            if token.kind is Kind.SIGN and token.text in _PREFIXES:
                reader.position += 1
                self.waiting.append(_Waiting(token, _LEVEL["prefix"], token.text))
            elif token.kind is Kind.SIGN and token.text == "(":
                reader.position += 1
                self._open(token, "(")
            elif token.kind is Kind.NAME and self._function() is not None:
                name = self._function() or ""
                reader.position += 2 if reader.next_is("all", "different") else 1
                reader.take("(", f"'(' after {name!r}")
                self._open(token, name)
            elif token.kind is Kind.STRING or token.kind is Kind.NAME:
                self._emit(Op.NAME, reader.name("a number, a name or '('"), token.text)
                return
            else:
                raise reader.expected("a number, a name or '('")

    def _function(self) -> str | None:
        if self.reader.next_is("all", "different"):
            return "all different"
        return FUNCTIONS.get(self.reader.token.text)

    def _open(self, token: Token, text: str) -> None:
        self.waiting.append(_Waiting(token, _MARK, text, start=len(self.code)))
        self.open += 1

    def _bracket(self) -> _Waiting | None:
        """The innermost open bracket or call; None outside of all."""
        if not self.open:
            return None
        return next(w for w in reversed(self.waiting) if w.level == _MARK and w.text != "?")

    def _postfix(self) -> bool:
        """An index, or a closing bracket after an operand; whether there was one."""
        reader = self.reader
        if reader.next_is("["):
            last = self.code[-1]
            closed = reader.tokens[reader.position - 1]
            if last.op not in (Op.NAME, Op.INDEX) or closed.text == ")":
                raise reader.expected("an operator")
            self._open(reader.token, "[")
            reader.position += 1
            self._operand()
            return True
        if reader.next_is(")") or reader.next_is("]"):
            bracket = self._bracket()
            if bracket is None:
                return False
            self._close(bracket)
            return True
        return False

    def _close(self, bracket: _Waiting) -> None:
        """Take the closing bracket; the tokens were matched before, so that it fits."""
        reader = self.reader
        self._reduce(_CHOICE)
        if self.waiting[-1] is not bracket:
            raise reader.expected("':' of the '?:'")
        reader.position += 1
        self.waiting.pop()
        self.open -= 1
        if bracket.text == "[":
            self._emit(Op.INDEX, bracket.token)
        elif bracket.text != "(":
            self._emit(Op.CALL, bracket.token, bracket.text, bracket.count)

    def _operator(self) -> bool:
        """What stands between operands; False where the expression ends."""
        reader = self.reader
        while True:
            token = reader.token
            sign = token.text if token.kind is Kind.SIGN else ""
            if sign == "?":
                self._question(token)
            elif sign == ":" and self._colon(token):
                pass
            elif sign in _LEVEL:
                self._binary(token)
            elif not self.open:
                return False
            elif self._inside():
                continue
            reader.position += 1
            return True

    def _inside(self) -> bool:
        """A comma inside a call, or its loops: True when they were read, with its bracket."""
        reader = self.reader
        bracket = self._bracket()
        assert bracket is not None
        call = bracket.text not in ("(", "[")
        if not call or not (reader.next_is(",") or reader.next_is("for")):
            closing = "']'" if bracket.text == "[" else "')'"
            loops = ", ',', 'for'" if call else ""
            raise reader.expected(f"an operator{loops} or {closing}")
        self._reduce(_CHOICE)
        if self.waiting[-1] is not bracket:
            raise reader.expected("':' of the '?:'")
        if reader.next_is(","):
            bracket.count += 1
            return False
        if bracket.count > 1:
            raise reader.expected("',' or ')' (loops follow a single expression)")
        clauses = reader.inner_clauses(bracket.token)
        if not reader.next_is(")"):
            raise reader.expected("an operator, ',', 'for', 'if' or ')'")
        each = Each(self.code[bracket.start :], clauses)
        if each.depth > MAX_LOOPS:
            raise reader.too_many_loops(bracket.token)
        self.code[bracket.start :] = [
            Instruction(Op.EACH, bracket.token.offset, bracket.text, each=each)
        ]
        self.waiting.pop()
        self.open -= 1
        reader.position += 1
        while self._postfix():
            pass
        return True

    def _question(self, token: Token) -> None:
        self._reduce(_CHOICE + 1)
        self.waiting.append(_Waiting(token, _MARK, "?", start=len(self.code)))
        self._emit(Op.IF, token)

    def _colon(self, token: Token) -> bool:
        """The ``:`` of the innermost ``?``; False when none is open here."""
        self._reduce(_CHOICE)
        if not self.waiting or self.waiting[-1].text != "?":
            return False
        question = self.waiting.pop()
        self._emit(Op.ELSE, token)
        self._aim(question.start)
        self.waiting.append(_Waiting(token, _CHOICE, ":", start=len(self.code) - 1))
        return True

    def _aim(self, instruction: int) -> None:
        """Let a jump lead to what comes next."""
        old = self.code[instruction]
        self.code[instruction] = old._replace(jump=len(self.code) - instruction)

    def _binary(self, token: Token) -> None:
        text = token.text
        level = _LEVEL[text]
        added = "+" if text == "-" else text
        self._reduce(level + 1)
        top = self.waiting[-1] if self.waiting and self.waiting[-1].level == level else None
        if top is not None and level in _COMPARING:
            raise self.reader.source.error(
                token.offset,
                f"expected brackets or '&': comparisons do not chain, found {token} after "
                f"{top.token}",
            )
        if top is not None and top.text == added and added in _NARY:
            top.count += 1
        else:
            if text != "->":
                self._reduce(level)
            top = _Waiting(token, level, added, 2, shorts=[] if text in _LAZY else None)
            self.waiting.append(top)
        if top.shorts is not None:
            top.shorts.append(len(self.code))
            self._emit(Op.SHORT, token, text, top.count - 1)
        if text == "-":
            self.waiting.append(_Waiting(token, _LEVEL["negative"], "-"))

    def _reduce(self, level: int) -> None:
        """Emit what binds at least as tightly."""
        while self.waiting and self.waiting[-1].level >= level:
            done = self.waiting.pop()
            if done.text == ":":
                self._emit(Op.CHOOSE, done.token)
                self._aim(done.start)
                continue
            if done.text != "+" or done.level != _LEVEL["prefix"]:
                self._emit(Op.APPLY, done.token, done.text, done.count)
            for short in done.shorts or ():
                self._aim(short)
