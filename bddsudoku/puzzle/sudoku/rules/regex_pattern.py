r"""Regular expressions over digits, and their automata.

``4`` is a digit (``A`` is 10, ``B`` 11, …), ``.`` any digit, ``[1-46]`` one of several, ``[^12]``
any other; ``(…)`` groups, ``|`` separates alternatives, and ``* + ? {3} {2,} {2,5} {,5}`` say how
often. The meaning is that of Python's :mod:`re`, of which these signs are a part.

A state of the automaton is the set of all that may follow the digits read: Antimirov's partial
derivatives of the pattern.

Source: V. Antimirov, *Partial derivatives of regular expressions and finite automaton
constructions*, Theoretical Computer Science 155 (1996).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain
from math import inf
from typing import NamedTuple, TypeAlias

from bddsudoku.errors import LimitReached, PuzzleFormatError
from bddsudoku.puzzle.sudoku.layout import LARGEST, VALUE_SYMBOLS

MAX_PATTERN = 500
"""Largest number of characters of a pattern."""
_MAX_STATES = 1_000
"""Greatest number of continuations of a word."""
_MAX_DEPTH = 50
_DIGIT = f"[{VALUE_SYMBOLS}]"
_ONE_OF = rf"\.|{_DIGIT}|\[\^?(?:{_DIGIT}(?:-{_DIGIT})?)+\]"
_TIMES = r"[*+?]|\{(?=,?\d)\d{0,3}(?:,\d{0,3})?\}"
_TOKEN = re.compile(rf"{_ONE_OF}|\((?!\?)|[|)]|(?:{_TIMES})(?![*+?{{])")


class Repeat(NamedTuple):
    """One of some sequences, ``least`` to ``most`` times; 0 or more if one of them may be empty."""

    choices: tuple[Sequence, ...]
    least: int
    most: float


Sequence: TypeAlias = "tuple[frozenset[int] | Repeat, ...]"
"""Parts of a pattern that follow each other: one of some digits, or a repetition."""
States: TypeAlias = "frozenset[Sequence]"
"""All that may follow the digits read."""


def after_digit(states: States, digit: int) -> States | None:
    """What may follow a further digit; None if no word can match any more.

    Raises:
        LimitReached: there are too many continuations.
    """
    after = set[Sequence]()
    for more in chain.from_iterable(_after_digit(sequence, digit) for sequence in states):
        after.add(more)
        if len(after) > _MAX_STATES:
            what = f"the pattern's automaton is too wide: more than {_MAX_STATES:,} states"
            raise LimitReached(what, limit="states")
    return frozenset(after) or None


def may_end(states: States) -> bool:
    """Whether the word may end."""
    return any(map(_may_be_empty, states))


def _may_be_empty(sequence: Sequence) -> bool:
    """Whether nothing at all matches the parts of a sequence."""
    return all(isinstance(part, Repeat) and not part.least for part in sequence)


def _after_digit(sequence: Sequence, digit: int) -> Iterator[Sequence]:
    """Yield all that may follow when a digit is the first that a sequence matches."""
    for i, part in enumerate(sequence, 1):
        if not isinstance(part, Repeat):
            if digit in part:
                yield sequence[i:]
            return
        again = part._replace(least=max(part.least - 1, 0), most=part.most - 1)
        rest = (again, *sequence[i:]) if again.most > 0 else sequence[i:]
        if part.most:
            for choice in part.choices:
                for more in _after_digit(choice, digit):
                    yield more + rest
        if part.least:
            return


def parse_pattern(pattern: str) -> States:
    """The first state of a pattern's automaton.

    Raises:
        PuzzleFormatError: the pattern is malformed; the message has the column.
    """
    return frozenset([(_parse(_split_pattern(pattern.upper())[::-1]),)])


def _parse(tokens: list[str], depth: int = 0) -> Repeat:
    """Parse alternatives from the end of the tokens, up to ``)`` or their beginning."""
    if depth > _MAX_DEPTH:
        raise PuzzleFormatError(f"expected at most {_MAX_DEPTH} brackets inside each other")
    choices: list[Sequence] = [()]
    while tokens and (token := tokens.pop()) != ")":
        if token == "|":
            choices.append(())
        elif token[0] in "*+?{":
            *before, last = choices[-1]
            choices[-1] = (*before, _repeat(((last,),), token))
        else:
            part = _parse(tokens, depth + 1) if token == "(" else _digits_of(token)
            choices[-1] += (part,)
    return _repeat(tuple(choices), "1")


def _repeat(choices: tuple[Sequence, ...], sign: str) -> Repeat:
    """Alternatives as often as a sign says, such as ``*`` or ``{2,5}``."""
    times = {"*": "0,", "+": "1,", "?": "0,1"}.get(sign, sign.strip("{}"))
    low, comma, high = times.partition(",")
    least = 0 if any(map(_may_be_empty, choices)) else int(low or 0)
    return Repeat(choices, least, int(high) if high else inf if comma else int(low))


def _split_pattern(pattern: str) -> list[str]:
    """The signs of a pattern, which is checked: single ones here, their order by :mod:`re`."""
    if len(pattern) > MAX_PATTERN:
        raise PuzzleFormatError(
            f"expected a pattern of at most {MAX_PATTERN} characters, found {len(pattern)}"
        )
    tokens, at = [], 0
    while at < len(pattern):
        token = _TOKEN.match(pattern, at)
        if token is None:
            raise PuzzleFormatError(
                f"column {at + 1} of the pattern: expected a digit, '.', '[1-46]', '|', brackets, "
                f"or once behind them * + ? {{2,5}}, found {pattern[at]!r}"
            )
        tokens.append(token[0])
        at = token.end()
    try:
        re.compile(pattern)
    except re.error as error:
        raise PuzzleFormatError(
            f"column {(error.pos or 0) + 1} of the pattern: {error.msg}"
        ) from None
    return tokens


def _digits_of(token: str) -> frozenset[int]:
    """The digits that a sign such as ``4``, ``.``, ``[1-46]`` or ``[^12]`` stands for."""
    every = frozenset(range(LARGEST + 1))
    if token == ".":
        return every
    spans = re.findall(rf"({_DIGIT})(?:-({_DIGIT}))?", token)
    ends = [[VALUE_SYMBOLS.index(symbol) for symbol in (a, b or a)] for a, b in spans]
    found = every.intersection(d for low, high in ends for d in range(low, high + 1))
    return every - found if "^" in token else found
