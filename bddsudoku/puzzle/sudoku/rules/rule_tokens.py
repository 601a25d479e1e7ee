"""How a rule's line is cut into words: plain words, texts in quotes, rules in brackets.

A word is what stands between blanks, commas and colons. A text in quotes is one word with its
quotes, and ``(rule; rule; …)`` is one word with its brackets, which may stand inside each other.
"""

from __future__ import annotations

import re
from itertools import pairwise

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


def open_brackets(line: str) -> int:
    """How many brackets more a line opens than it closes; above 0 the next lines belong to it."""
    return sum((token[0] == "(") - (token[0] == ")") for token in _TOKEN.finditer(line))


def _pieces(text: str) -> list[tuple[int, int]]:
    """Beginning and end of each token of a text, and of each pair of brackets as a whole."""
    found: list[tuple[int, int]] = []
    depth = opened = 0
    for token in _TOKEN.finditer(text):
        if token[0] == '"':
            raise PuzzleFormatError(f"expected a closing quote after {text[token.start() :][:20]}")
        if token[0] == "(" and not depth:
            opened = token.start()
        depth += (token[0] == "(") - (token[0] == ")")
        if not 0 <= depth <= MAX_DEPTH:
            what = "no ')'" if depth < 0 else f"at most {MAX_DEPTH} brackets inside each other"
            raise PuzzleFormatError(f"expected {what} after {text[: token.start()][-20:]!r}")
        if not depth:
            found.append((opened if token[0] == ")" else token.start(), token.end()))
    if depth:
        raise PuzzleFormatError(f"expected ')' for {text[opened : opened + 20]!r}, found none")
    return found


def split_words(text: str) -> list[str]:
    """The words of a rule's line; a text in quotes and rules in brackets are one word each."""
    pieces = _pieces(text)
    for start, _ in pieces:
        if text[start] == ";":
            raise PuzzleFormatError(f"expected no ';' after {text[:start][-20:]!r}")
    return [text[start:end] for start, end in pieces]


def bracketed_lines(word: str) -> list[str]:
    """Split a bracketed list ``(rule; rule; …)`` into the text of each rule; drop empty texts."""
    inner = word[1:-1]
    cuts = [-1, *(start for start, _ in _pieces(inner) if inner[start] == ";"), len(inner)]
    lines = (inner[a + 1 : b].strip(" \t,:") for a, b in pairwise(cuts))
    return [*filter(None, lines)]
