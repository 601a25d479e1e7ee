"""Words and signs of the language, one statement after the other.

A statement ends with its line or with ``;``, unless a bracket is open or the next line begins with
``for`` or ``if``. ``#`` and ``//`` begin comments.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum
from typing import NamedTuple

from bddsudoku.errors import PuzzleFormatError
from bddsudoku.model.operators import MAX_BITS
from bddsudoku.puzzle.formula.source import MAX_NAME, MAX_STATEMENT, Source, shown


class Kind(Enum):
    """What a token is."""

    NAME = "a name"
    NUMBER = "a number"
    STRING = "a name in quotes"
    SIGN = "a sign"
    END = "the end of the line"


class Token(NamedTuple):
    """A word or sign.

    Attributes:
        kind: what it is.
        text: as written; of a quoted name what stands between the quotes.
        offset: where it begins in the text.
        value: of a number.
    """

    kind: Kind
    text: str
    offset: int
    value: int = 0

    def __str__(self) -> str:
        return self.kind.value if self.kind is Kind.END else shown(self.text)


_TOKEN = re.compile(
    r"""
    (?P<blank> [ \t\f\v\u3000]+ | (?:\#|//) [^\r\n]* )
  | (?P<newline> \r\n | \n | \r )
  | (?P<semicolon> ; )
  | (?P<number> \d\w* (?: \.\d+ )? )
  | (?P<name> [^\W\d]\w* )
  | (?P<string> "[^"\r\n]*" )
  | (?P<wrong> <=> | \*\* | => | =< | <> | :=| ≤ | ≥ | ≠ | ¬ | ∧ | ∨ | → | ↔ | \+\+ | [-+*/]= )
  | (?P<sign> <-> | -> | << | >> | <= | >= | == | != | && | \|\| | \.\.
            | [-=<>!~+*/%&|^?:,()\[\]{}] )
    """,
    re.VERBOSE,
)

_MEANT = {
    "<=>": "'<->'",
    "=>": "'->' (if … then) or '>='",
    "=<": "'<='",
    "<>": "'!='",
    ":=": "'='",
    "≤": "'<='",
    "≥": "'>='",
    "≠": "'!='",
    "¬": "'!'",
    "∧": "'&'",
    "∨": "'|'",
    "→": "'->'",
    "↔": "'<->'",
    "**": "'*' between two numbers (there are no powers)",
}
_OPENING = {"(": ")", "[": "]", "{": "}"}
_CLOSING = frozenset(_OPENING.values())
_MOST_DIGITS = len(str(1 << MAX_BITS))


def statements(source: Source) -> Iterator[list[Token]]:
    """The tokens of every statement, with an END as the last.

    Raises:
        PuzzleFormatError: something is no token, a bracket is not closed or never opened, or a
            statement is too long.
    """
    tokens: list[Token] = []
    brackets: list[Token] = []
    text = source.text
    offset, end = 0, len(text)
    ended = -1
    """Where the line of the statement ended, unless it goes on."""
    separated = False
    while offset < end:
        match = _TOKEN.match(text, offset)
        if match is None:
            raise _unknown(source, offset)
        kind = match.lastgroup
        word = match.group()
        if kind == "semicolon" and brackets:
            raise source.error(offset, f"expected {_OPENING[brackets[-1].text]!r}, found ';'")
        if kind in ("newline", "semicolon"):
            if tokens and not brackets and ended < 0:
                ended = offset
            separated = separated or kind == "semicolon"
        elif kind != "blank":
            if ended >= 0:
                if separated or word not in ("for", "if"):
                    yield [*tokens, Token(Kind.END, "", ended)]
                    tokens = []
                ended = -1
            separated = False
            if kind == "sign":
                _match_brackets(source, brackets, word, offset)
            tokens.append(_token(source, kind, word, offset))
            if len(tokens) > MAX_STATEMENT:
                raise source.error(
                    offset, f"expected a statement of at most {MAX_STATEMENT:,} words and signs"
                )
        offset = match.end()
    if brackets:
        raise source.error(
            brackets[-1].offset, f"expected a matching {_OPENING[brackets[-1].text]!r}, found none"
        )
    if tokens:
        yield [*tokens, Token(Kind.END, "", ended if ended >= 0 else end)]


def _token(source: Source, kind: str | None, word: str, offset: int) -> Token:
    if len(word) > MAX_NAME and kind in ("name", "string"):
        raise source.error(offset, f"expected a name of at most {MAX_NAME:,} characters")
    if kind == "name":
        return Token(Kind.NAME, word, offset)
    if kind == "sign":
        return Token(Kind.SIGN, word, offset)
    if kind == "number":
        return Token(Kind.NUMBER, word, offset, _number(source, word, offset))
    if kind == "string":
        if len(word) == 2:
            raise source.error(offset, "expected a name between the quotes, found nothing")
        return Token(Kind.STRING, word[1:-1], offset)
    meant = _MEANT.get(word, f"{word[0]!r}")
    raise source.error(offset, f"expected {meant}, found {word!r}")


def _number(source: Source, word: str, offset: int) -> int:
    """Decimal, ``0x…`` or ``0b…``; what begins with 0 is octal in C, so it is refused."""
    if word.isascii():
        if word.isdigit() and (word[0] != "0" or len(word) == 1):
            if len(word) > _MOST_DIGITS:
                raise source.error(
                    offset, f"expected at most {_MOST_DIGITS:,} digits, found {len(word):,}"
                )
            return int(word)
        if word[:2] in ("0x", "0X", "0b", "0B") and len(word) <= MAX_BITS + 2 and "_" not in word:
            try:
                value = int(word, 0)
            except ValueError:
                pass
            else:
                if value.bit_length() > MAX_BITS:
                    raise source.error(offset, f"expected a number of at most {MAX_BITS:,} bits")
                return value
        elif word[0] == "0" and word.isdigit():
            raise source.error(offset, f"expected a number without leading 0, found {shown(word)}")
    raise source.error(offset, f"expected an integer, found {shown(word)}")


def _match_brackets(source: Source, brackets: list[Token], word: str, offset: int) -> None:
    if word in _OPENING:
        brackets.append(Token(Kind.SIGN, word, offset))
    elif word in _CLOSING:
        if not brackets:
            raise source.error(offset, f"expected no {word!r}: no bracket is open")
        opened = brackets.pop()
        if _OPENING[opened.text] != word:
            raise source.error(
                offset,
                f"expected {_OPENING[opened.text]!r} for the {opened.text!r} in line "
                f"{source.line(opened.offset)}, found {word!r}",
            )


def _unknown(source: Source, offset: int) -> PuzzleFormatError:
    """What no token begins with."""
    sign = source.text[offset]
    if sign == '"':
        return source.error(offset, "expected a closing quote in this line, found none")
    name = repr(sign) if sign.isprintable() else f"the character U+{ord(sign):04X}"
    return source.error(offset, f"expected a word or an operator, found {name}")
