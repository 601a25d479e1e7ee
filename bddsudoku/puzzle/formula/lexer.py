"""Lexer of the formula language: tokens of statements, and limits on the size of texts.

A statement ends with its line or with ``;``, unless a bracket is open or the next line begins with
``for`` or ``if``. ``#`` and ``//`` begin comments.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from bddsudoku.errors import PuzzleFormatError
from bddsudoku.model.operators import MAX_BITS

MAX_STATEMENT = 1_000_000
"""Largest number of tokens in one statement."""
MAX_VARIABLES = 1_000_000
"""Largest number of variables of one problem."""
MAX_STEPS = 5_000_000
"""Largest number of steps of a file: operators applied, names looked up, rounds of ``for``."""
MAX_NAME = 1000
"""Largest number of characters of a name."""
MAX_DIGITS = len(str(1 << MAX_BITS))
"""Largest number of digits of a number."""

FUNCTIONS = {
    "sum": "sum",
    "min": "min",
    "max": "max",
    "abs": "abs",
    "any": "any",
    "all": "all",
    "alldifferent": "all different",
    "all_different": "all different",
}
"""Functions by each of the spellings of their names."""
RESERVED = frozenset({*FUNCTIONS, "for", "in", "if", "symbol", "integer", "project"})
"""Words that cannot be names."""

NAME = "a name"
NUMBER = "a number"
END = "the end of the line"
OPENING = {"(": ")", "[": "]", "{": "}"}
CLOSING = frozenset(OPENING.values())

_MAX_QUOTED = 40
_LINE_BREAK = re.compile(r"\r\n|\n|\r")
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
  | (?P<unknown> . )
    """,
    re.VERBOSE | re.DOTALL,
)
_SUGGESTIONS = {
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


def quote(text: str) -> str:
    """A text in quotes, shortened for a message."""
    return repr(text if len(text) <= _MAX_QUOTED else text[:_MAX_QUOTED] + "…")


@dataclass(frozen=True)
class FormulaText:
    """A text in the formula language, with its name for messages (None when unknown)."""

    text: str
    name: str | None = None

    @cached_property
    def _line_starts(self) -> list[int]:
        """The offsets at which the text's lines begin."""
        return [0, *(m.end() for m in _LINE_BREAK.finditer(self.text))]

    def line_number(self, offset: int) -> int:
        """The line number, from 1, of an offset in the text."""
        return bisect_right(self._line_starts, offset)

    def error(self, offset: int, expected: str) -> PuzzleFormatError:
        """Make an error that says what was expected, with the line and column of an offset."""
        line = self.line_number(offset)
        column = offset - self._line_starts[line - 1] + 1
        return PuzzleFormatError(expected, source=self.name, line=line, column=column)


class Token(NamedTuple):
    """A token of the formula language: a name, a number, a keyword or a sign.

    Its kind is NAME, NUMBER, END, or, for signs and keywords, the text itself. The text of a quoted
    name is what stands between the quotes.
    """

    kind: str
    text: str
    offset: int
    value: int = 0

    def __str__(self) -> str:
        return quote(self.text) if self.text else self.kind


def tokenize_statements(source: FormulaText) -> Iterator[list[Token]]:
    """Yield every statement's tokens, END as the last; an error if brackets do not match."""
    tokens: list[Token] = []
    brackets: list[Token] = []
    ended = -1
    """Where the line of the statement ended, unless it goes on."""
    separated = False
    for match in _TOKEN.finditer(source.text):
        kind, word, offset = match.lastgroup, match.group(), match.start()
        if kind == "blank":
            continue
        if kind in ("newline", "semicolon"):
            if kind == "semicolon":
                separated = True
                if brackets:
                    raise source.error(
                        offset, f"expected {OPENING[brackets[-1].kind]!r}, found ';'"
                    )
            if tokens and not brackets and ended < 0:
                ended = offset
            continue
        if ended >= 0 and (separated or word not in ("for", "if")):
            yield [*tokens, Token(END, "", ended)]
            tokens = []
        ended = -1
        separated = False
        tokens.append(_make_token(source, kind, word, offset))
        if word in OPENING:
            brackets.append(tokens[-1])
        elif word in CLOSING:
            if not brackets:
                raise source.error(offset, f"expected no {word!r}: no bracket is open")
            opened = brackets.pop()
            if OPENING[opened.kind] != word:
                raise source.error(
                    offset,
                    f"expected {OPENING[opened.kind]!r} for the {opened.kind!r} in line "
                    f"{source.line_number(opened.offset)}, found {word!r}",
                )
        if len(tokens) > MAX_STATEMENT:
            raise source.error(
                offset, f"expected a statement of at most {MAX_STATEMENT:,} words and signs"
            )
    if brackets:
        last = brackets[-1]
        raise source.error(last.offset, f"expected a matching {OPENING[last.kind]!r}, found none")
    if tokens:
        yield [*tokens, Token(END, "", ended if ended >= 0 else len(source.text))]


def _make_token(source: FormulaText, kind: str | None, word: str, offset: int) -> Token:
    if kind == "sign":
        return Token(word, word, offset)
    if kind == "number":
        return Token(NUMBER, word, offset, _parse_number(source, word, offset))
    if kind in ("name", "string"):
        if len(word) > MAX_NAME:
            raise source.error(offset, f"expected a name of at most {MAX_NAME:,} characters")
        if kind == "name":
            return Token(word if word in RESERVED else NAME, word, offset)
        if len(word) == 2:
            raise source.error(offset, "expected a name between the quotes, found nothing")
        return Token(NAME, word[1:-1], offset)
    if kind == "wrong":
        raise source.error(
            offset, f"expected {_SUGGESTIONS.get(word, repr(word[0]))}, found {word!r}"
        )
    if word == '"':
        raise source.error(offset, "expected a closing quote in this line, found none")
    name = repr(word) if word.isprintable() else f"the character U+{ord(word):04X}"
    raise source.error(offset, f"expected a word or an operator, found {name}")


def _parse_number(source: FormulaText, word: str, offset: int) -> int:
    """Parse a decimal, ``0x…`` or ``0b…`` number; a leading 0 (octal in C) is refused."""
    if word.isascii() and word.isdigit():
        if word[0] == "0" and len(word) > 1:
            raise source.error(offset, f"expected a number without leading 0, found {quote(word)}")
        if len(word) > MAX_DIGITS:
            raise source.error(
                offset, f"expected at most {MAX_DIGITS:,} digits, found {len(word):,}"
            )
        return int(word)
    if re.match(r"0(?:[xX][0-9a-fA-F]+|[bB][01]+)\Z", word):
        if len(word) > MAX_BITS + 2 or int(word, 0).bit_length() > MAX_BITS:
            raise source.error(offset, f"expected a number of at most {MAX_BITS:,} bits")
        return int(word, 0)
    raise source.error(offset, f"expected an integer, found {quote(word)}")
