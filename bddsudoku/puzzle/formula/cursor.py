"""A place in the tokens of a statement, and the words that cannot be names."""

from __future__ import annotations

from bddsudoku.errors import PuzzleFormatError
from bddsudoku.puzzle.formula.source import Source
from bddsudoku.puzzle.formula.tokens import Kind, Token

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
"""How functions may be written, and what they are called."""

RESERVED = frozenset({*FUNCTIONS, "for", "in", "if", "symbol", "integer", "project"})
"""Words that cannot be names."""

_WORDS = (Kind.SIGN, Kind.NAME)


class Cursor:
    """Reads the tokens of one statement.

    Args:
        source: the text, for messages.
        tokens: of the statement, END the last.
    """

    def __init__(self, source: Source, tokens: list[Token]) -> None:
        self.source = source
        self.tokens = tokens
        self.position = 0

    @property
    def token(self) -> Token:
        """The next one."""
        return self.tokens[self.position]

    def expected(self, what: str) -> PuzzleFormatError:
        """An error at the next token."""
        return self.source.error(self.token.offset, f"expected {what}, found {self.token}")

    def next_is(self, *texts: str) -> bool:
        """Whether these signs or words come next."""
        for k, text in enumerate(texts, self.position):
            token = self.tokens[k]  # END is no sign or word, so that the list is not left
            if token.text != text or token.kind not in _WORDS:
                return False
        return True

    def take(self, text: str, what: str | None = None) -> Token:
        """The next token, which must be this sign or word."""
        if not self.next_is(text):
            raise self.expected(what or repr(text))
        self.position += 1
        return self.tokens[self.position - 1]

    def takes(self, text: str) -> bool:
        """Whether this sign or word comes next; then it is taken."""
        found = self.next_is(text)
        self.position += found
        return found

    def name(self, what: str = "a name") -> Token:
        """The next token, which must be a name."""
        token = self.token
        if token.kind is Kind.NAME and token.text in RESERVED:
            raise self.source.error(
                token.offset, f"expected {what}, found {token}, a word of the language"
            )
        if token.kind not in (Kind.NAME, Kind.STRING):
            raise self.expected(what)
        self.position += 1
        return token
