r"""Regular expressions over digits, and their automata.

``4`` is a digit (``A`` is 10, ``B`` 11, …), ``.`` any digit, ``[1-46]`` one of several, ``[^12]``
any other; ``(…)`` groups, ``|`` separates alternatives, and ``* + ? {3} {2,} {2,5} {,5}`` say how
often. The meaning is that of Python's :mod:`re`, of which these signs are a part.

The automaton is Thompson's: its states read a digit or branch without reading, and the states in
which it may be after some digits are one state of the search for words.

Source: K. Thompson, *Regular expression search algorithm*, Communications of the ACM 11 (1968).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial, reduce
from typing import TypeAlias

from bddsudoku.errors import LimitReached, PuzzleFormatError
from bddsudoku.puzzle.sudoku.layout import LARGEST, VALUE_SYMBOLS

MAX_PATTERN = 500
"""Largest number of characters of a pattern."""
_MAX_STATES = 4_000
"""Greatest number of states of an automaton."""
_MAX_SIZE = 4_000_000
"""Greatest number of states in the sets after all steps together."""
_MAX_DEPTH = 50
_DIGIT = f"[{VALUE_SYMBOLS}]"
_ONE_OF = rf"\.|{_DIGIT}|\[\^?(?:{_DIGIT}(?:-{_DIGIT})?)+\]"
_TIMES = r"[*+?]|\{(?=,?\d)\d{0,3}(?:,\d{0,3})?\}"
_TOKEN = re.compile(rf"{_ONE_OF}|\((?!\?)|[|)]|(?:{_TIMES})(?![*+?{{])")

Builder: TypeAlias = Callable[[int], int]
"""Adds the states of an expression, given the state that follows; returns the first of them."""
States: TypeAlias = "frozenset[int]"
"""The states in which an automaton may be."""


class PatternAutomaton:
    """The automaton of a regular expression, for words up to a length; state 0 is the end.

    Raises:
        PuzzleFormatError: the pattern is malformed; the message has the column.
        LimitReached: there are too many states.
    """

    def __init__(self, pattern: str, length: int) -> None:
        self._most_times = length + 1  # more repetitions make no difference
        self._digits: list[frozenset[int] | None] = []
        """By state: the digits that it reads; None if it branches."""
        self._next: list[list[int]] = []
        self._size = 0
        end = self._add(frozenset())
        tokens = _split_pattern(pattern.upper())
        self.start = self._reading_states([self._parse(tokens[::-1])(end)])

    def step(self, states: States, digit: int) -> States | None:
        """The states after a digit; None if no word can match any more."""
        read = (s for s in states if digit in (self._digits[s] or ()))
        after = self._reading_states([follower for s in read for follower in self._next[s]])
        self._size += len(after)
        self._check_size()
        return after or None

    @staticmethod
    def accepts(states: States) -> bool:
        """Whether the word may end."""
        return 0 in states

    def _reading_states(self, states: list[int]) -> States:
        """The states that read, or are the end, among some states and what these branch to."""
        found: set[int] = set()
        while states:
            state = states.pop()
            if state not in found:
                found.add(state)
                states += self._next[state] if self._digits[state] is None else ()
        return frozenset(s for s in found if self._digits[s] is not None)

    def _check_size(self) -> None:
        if len(self._digits) > _MAX_STATES or self._size > _MAX_SIZE:
            raise LimitReached(
                f"the pattern's automaton is too wide: more than {_MAX_STATES:,} states, "
                f"or {_MAX_SIZE:,} in the sets of them",
                limit="states",
            )

    def _add(self, digits: frozenset[int] | None, *followers: int) -> int:
        """Add a state that reads one of some digits, or branches (None)."""
        self._digits.append(digits)
        self._next.append([*followers])
        self._check_size()
        return len(self._digits) - 1

    def _parse(self, tokens: list[str], depth: int = 0) -> Builder:
        """Parse an expression from the end of the tokens, up to ``)`` or their beginning."""
        if depth > _MAX_DEPTH:
            raise PuzzleFormatError(f"expected at most {_MAX_DEPTH} brackets inside each other")
        choices: list[list[Builder]] = [[]]
        while tokens and (token := tokens.pop()) != ")":
            if token == "|":
                choices.append([])
            elif token == "(":
                choices[-1].append(self._parse(tokens, depth + 1))
            elif token[0] in "*+?{":
                choices[-1].append(self._repeat(choices[-1].pop(), token))
            else:
                choices[-1].append(partial(self._add, _digits_of(token)))

        def build(after: int) -> int:
            firsts = [reduce(lambda at, part: part(at), parts[::-1], after) for parts in choices]
            return firsts[0] if len(firsts) == 1 else self._add(None, *firsts)

        return build

    def _repeat(self, part: Builder, sign: str) -> Builder:
        """The expression of a repetition of another."""
        times = {"*": "0,", "+": "1,", "?": "0,1"}.get(sign, sign.strip("{}"))
        low, comma, high = times.partition(",")
        least = min(int(low or 0), self._most_times)
        most = min(int(high), self._most_times) if high else None if comma else least

        def build(after: int) -> int:
            first = after
            if most is None:
                first = self._add(None, after)
                self._next[first].append(part(first))
            for _ in range((most or least) - least):
                first = self._add(None, after, part(first))
            for _ in range(least):
                first = part(first)
            return first

        return build


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
