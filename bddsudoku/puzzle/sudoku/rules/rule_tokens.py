"""How a rule's line is cut into words: plain words, texts in quotes, rules in brackets.

A word is what stands between blanks, commas and colons. A text in quotes is one word with its
quotes, and ``(rule; rule; …)`` is one word with its brackets, which may stand inside each other.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from bddsudoku.errors import PuzzleFormatError

_TOKEN = re.compile(r'"[^"]*"|[^\s,:;()"]+|[;()"]')
_RULE_NAME = re.compile(r"((?:any|all)\s+of|[a-z]+)(?![^\s,:(])", re.IGNORECASE)
MAX_DEPTH = 20
"""Largest depth of brackets inside each other."""


def split_rule_name(line: str) -> tuple[str, str]:
    """Split a rule's line into the rule's name, in small letters without blanks, and the rest.

    ``any of`` and ``all of`` are names of two words. Where the line does not begin with a word of
    letters, all up to the first blank stands for the name.
    """
    match = _RULE_NAME.match(line) or re.match(r"(\S*)", line)
    assert match is not None
    return "".join(match[1].lower().split()), line[match.end() :]


def _tokens_with_depth(text: str) -> Iterator[tuple[re.Match[str], int]]:
    """Yield each token with the number of bracket pairs around it; a bracket's own pair counts."""
    depth = 0
    for token in _TOKEN.finditer(text):
        depth += token[0] == "("
        if token[0] == '"':
            raise PuzzleFormatError(f"expected a closing quote after {text[token.start() :][:20]}")
        if depth > MAX_DEPTH or (not depth and token[0] == ")"):
            what = f"at most {MAX_DEPTH} brackets inside each other" if depth else "no ')'"
            raise PuzzleFormatError(f"expected {what} after {text[: token.start()][-20:]!r}")
        yield token, depth
        depth -= token[0] == ")"


def open_brackets(line: str) -> int:
    """How many brackets more a line opens than it closes; above 0 the next lines belong to it."""
    return sum((token[0] == "(") - (token[0] == ")") for token in _TOKEN.finditer(line))


def split_words(text: str) -> list[str]:
    """The words of a rule's line; a text in quotes and rules in brackets are one word each."""
    words: list[str] = []
    opened = -1
    for token, depth in _tokens_with_depth(text):
        if not depth and token[0] == ";":
            raise PuzzleFormatError(f"expected no ';' after {text[: token.start()][-20:]!r}")
        if not depth:
            words.append(token[0])
        elif depth == 1 and token[0] == "(":
            opened = token.start()
        elif depth == 1 and token[0] == ")":
            words.append(text[opened : token.end()])
            opened = -1
    if opened >= 0:
        raise PuzzleFormatError(f"expected ')' for {text[opened : opened + 20]!r}, found none")
    return words


def bracketed_lines(word: str) -> list[str]:
    """Split a bracketed list ``(rule; rule; …)`` into the text of each rule; drop empty texts."""
    cuts = [0, *(t.start() for t, depth in _tokens_with_depth(word) if depth == 1 and t[0] == ";")]
    lines = [
        word[a + 1 : b].strip(" \t,:")
        for a, b in zip(cuts, [*cuts[1:], len(word) - 1], strict=True)
    ]
    return [line for line in lines if line]
