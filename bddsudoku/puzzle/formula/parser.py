"""Statements of the language: declarations, definitions, constraints, projections."""

from __future__ import annotations

from collections.abc import Iterator

from bddsudoku.errors import PuzzleFormatError
from bddsudoku.puzzle.formula.code import (
    MAX_LOOPS,
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
from bddsudoku.puzzle.formula.cursor import RESERVED
from bddsudoku.puzzle.formula.expressions import Reader
from bddsudoku.puzzle.formula.source import Source, shown
from bddsudoku.puzzle.formula.tokens import Kind, Token, statements

_END = "an operator or the end of the line"


def parse(source: Source) -> Iterator[Statement]:
    """The statements of a text, one after the other.

    Raises:
        PuzzleFormatError: a statement cannot be read; the message names line and column.
    """
    for tokens in statements(source):
        yield _statement(Reader(source, tokens))


def _statement(reader: Reader) -> Statement:
    found: Statement
    if reader.takes("symbol"):
        found = Symbols(_targets(reader))
    elif reader.takes("integer"):
        targets = _targets(reader)
        reader.take("in", "'in' and a range, such as in 0..9")
        found = Integers(targets, reader.domain("a range such as 0..9, or a set"))
    elif reader.takes("project"):
        found = Projection(_names(reader))
    elif _is_definition(reader.tokens):
        found = _definition(reader)
    else:
        found = _constraint(reader)
    if reader.token.kind is not Kind.END:
        raise _surplus(reader, found)
    return found


def _surplus(reader: Reader, found: Statement) -> PuzzleFormatError:
    """Something stands behind a statement."""
    if reader.next_is("="):
        return reader.expected("'==' for a comparison (only a name alone can be given a meaning)")
    first = reader.tokens[0]
    if isinstance(found, Constraint) and reader.position == 1 and first.kind is Kind.NAME:
        if first.text == "print":
            return reader.source.error(
                first.offset, "expected a statement, found 'print', which is a command"
            )
        if first.text in ("include", "import"):
            return reader.source.error(
                first.offset, f"expected a statement, found {first}: a file cannot include others"
            )
    return reader.expected(_END if not isinstance(found, Symbols) else "a name or a range")


def _targets(reader: Reader) -> list[Target]:
    """``a b x[1..9][1..9]``, with or without commas."""
    found: list[Target] = []
    while True:
        name = reader.name("a name to declare")
        ranges: list[Domain] = []
        while reader.takes("["):
            ranges.append(reader.domain())
            reader.take("]")
        found.append(Target(name, ranges))
        comma = reader.takes(",")
        if not comma and (reader.token.kind is Kind.END or reader.next_is("in")):
            return found


def _names(reader: Reader) -> list[Token]:
    found = [reader.name("a name")]
    while reader.takes(",") or reader.token.kind is not Kind.END:
        found.append(reader.name("a name"))
    return found


def _is_definition(tokens: list[Token]) -> bool:
    """Whether ``=`` follows a name and its indices."""
    if tokens[0].kind not in (Kind.NAME, Kind.STRING):
        return False
    depth = 0
    for token in tokens[1:]:
        if token.kind is Kind.SIGN:
            if token.text in "([{":
                if depth == 0 and token.text != "[":
                    return False
                depth += 1
            elif token.text in ")]}":
                depth -= 1
            elif depth == 0:
                return token.text == "="
        elif depth == 0:
            return False
    return False


def _definition(reader: Reader) -> Statement:
    name = reader.name("a name to define")
    start = reader.position
    indices = []
    while not reader.next_is("="):
        reader.take("[")
        if _is_table(reader):
            break
        indices.append(reader.expression())
        reader.take("]", "an operator or ']'")
    if _is_table(reader):
        reader.position = start
        return _table(reader, name)
    reader.take("=")
    code = reader.expression()
    clauses = _loops(reader)
    return Definition(name, indices, code, clauses)


def _is_table(reader: Reader) -> bool:
    """Whether ``{`` follows the first ``=``."""
    for token, after in zip(
        reader.tokens[reader.position :], reader.tokens[reader.position + 1 :], strict=False
    ):
        if token.kind is Kind.SIGN and token.text == "=":
            return after.kind is Kind.SIGN and after.text == "{"
    return False


def _table(reader: Reader, name: Token) -> Table:
    ranges = []
    while reader.takes("["):
        ranges.append(reader.domain())
        reader.take("]")
    reader.take("=")
    return Table(name, ranges, reader.domain("numbers in {}"))


def _constraint(reader: Reader) -> Constraint:
    family, label = _label(reader)
    offset = reader.token.offset
    code = reader.expression()
    return Constraint(family, label, code, _loops(reader), offset)


def _loops(reader: Reader) -> list[Clause]:
    found = reader.clauses()
    if len(found) > MAX_LOOPS:
        raise reader.too_many_loops(reader.token)
    return found


def _label(reader: Reader) -> tuple[str, str]:
    """``family words:`` before a statement."""
    tokens = reader.tokens
    first = tokens[0]
    if first.kind is not Kind.STRING and (first.kind is not Kind.NAME or first.text in RESERVED):
        return "", ""
    end = 1
    while tokens[end].kind in (Kind.NAME, Kind.NUMBER, Kind.STRING):
        end += 1
    colon = tokens[end]
    if colon.kind is not Kind.SIGN or colon.text != ":":
        return "", ""
    label = " ".join(t.text for t in tokens[1:end])
    if len(label) > 200:
        raise reader.source.error(
            tokens[1].offset, f"expected a label of at most 200 characters, found {shown(label)}"
        )
    reader.position = end + 1
    return first.text, label
