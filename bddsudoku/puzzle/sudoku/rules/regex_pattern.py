r"""Regular expressions over digits, and their automata of partial derivatives.

``4`` is a digit (``A`` is 10, ``B`` 11, …), ``.`` any digit, ``[1-46]`` one of several, ``[^12]``
any other; ``(…)`` groups, ``|`` separates alternatives, and ``* + ? {3} {2,} {2,5} {,5}`` say how
often. The meaning is that of Python's :mod:`re`, of which these signs are a part.

The partial derivatives of an expression by a digit are the expressions that may match what follows
the digit. A state of the automaton is a set of them.

Source: V. Antimirov, *Partial derivatives of regular expressions and finite automaton
constructions*, Theoretical Computer Science 155 (1996).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TypeAlias

from bddsudoku.errors import LimitReached, PuzzleFormatError
from bddsudoku.puzzle.sudoku.layout import LARGEST, VALUE_SYMBOLS

MAX_PATTERN = 500
"""Largest number of characters of a pattern."""
_MAX_EXPRESSIONS = 1_000
"""Greatest number of expressions that the states of one automaton consist of."""
_MAX_SIZE = 4_000_000
"""Greatest number of expressions in the states after all steps together."""
_MAX_DEPTH = 50
_MAX_TIMES = 999
_TIMES: dict[str, tuple[int, int | None]] = {"*": (0, None), "+": (1, None), "?": (0, 1)}
"""The least and the greatest number of times of each repetition sign."""


class _HashedOnce:
    """Base class of expressions, which are deep: each computes its hash once."""

    @cached_property
    def _hash(self) -> int:
        return hash(tuple(vars(self).values()))

    def __hash__(self) -> int:
        return self._hash


@dataclass(frozen=True)
class OneOf(_HashedOnce):
    """The expression that matches one digit of a set."""

    __hash__ = _HashedOnce.__hash__
    digits: frozenset[int]


@dataclass(frozen=True)
class Sequence(_HashedOnce):
    """The expression that matches what its parts match, one after the other."""

    __hash__ = _HashedOnce.__hash__
    parts: tuple[Pattern, ...]


@dataclass(frozen=True)
class Choice(_HashedOnce):
    """The expression that matches what one of its parts matches."""

    __hash__ = _HashedOnce.__hash__
    parts: tuple[Pattern, ...]


@dataclass(frozen=True)
class Repeat(_HashedOnce):
    """The expression that matches ``least`` to ``most`` repetitions (None: any number)."""

    __hash__ = _HashedOnce.__hash__
    part: Pattern
    least: int
    most: int | None


Pattern: TypeAlias = "OneOf | Sequence | Choice | Repeat"
"""A regular expression over digits; a sequence without parts matches the empty word."""

States: TypeAlias = "frozenset[Pattern]"
"""The expressions of which one must match the rest of a word."""


@lru_cache(maxsize=4096)
def matches_empty(pattern: Pattern) -> bool:
    """Whether a pattern matches the empty word."""
    match pattern:
        case OneOf():
            return False
        case Sequence(parts):
            return all(map(matches_empty, parts))
        case Choice(parts):
            return any(map(matches_empty, parts))
        case Repeat(part, least, _):
            return least == 0 or matches_empty(part)


@lru_cache(maxsize=1 << 16)
def _shared(pattern: Pattern) -> Pattern:
    """The one object that stands for all equal expressions, so that sets compare them fast."""
    return pattern


def _append_to_each(patterns: States, tail: Pattern) -> States:
    """The set of the given expressions, each with the expression ``tail`` appended."""
    after = tail.parts if isinstance(tail, Sequence) else (tail,)
    return frozenset(
        _shared(Sequence((*(h.parts if isinstance(h, Sequence) else (h,)), *after)))
        for h in patterns
    )


def check_size(expressions: int, size: int = 0) -> None:
    """Raise LimitReached if an automaton consists of too many expressions.

    Args:
        expressions: their number.
        size: how many its states have together.
    """
    if expressions > _MAX_EXPRESSIONS or size > _MAX_SIZE:
        raise LimitReached(
            f"the pattern's automaton is too wide: more than {_MAX_EXPRESSIONS:,} partial "
            f"derivatives, or {_MAX_SIZE:,} in its states",
            limit="states",
        )


@lru_cache(maxsize=1 << 16)
def partial_derivatives(pattern: Pattern, digit: int) -> States:
    """The set of Antimirov's partial derivatives of a pattern by a digit."""
    match pattern:
        case OneOf(digits):
            return frozenset([Sequence(())] if digit in digits else ())
        case Choice(parts):
            return frozenset().union(*(partial_derivatives(part, digit) for part in parts))
        case Repeat(part, least, most):
            if most == 0:
                return frozenset()
            rest = Repeat(part, max(least - 1, 0), None if most is None else most - 1)
            return _append_to_each(partial_derivatives(part, digit), rest)
        case Sequence(parts):
            found: States = frozenset()
            for i, part in enumerate(parts):
                found |= _append_to_each(partial_derivatives(part, digit), Sequence(parts[i + 1 :]))
                check_size(len(found))
                if not matches_empty(part):
                    break
            return found


def step(states: States, digit: int) -> States | None:
    """The automaton's state after a digit; None if no word can match any more."""
    return frozenset().union(*(partial_derivatives(s, digit) for s in states)) or None


def accepts(states: States) -> bool:
    """Whether a state of the automaton is final: one of its expressions matches the empty word."""
    return any(map(matches_empty, states))


def parse_pattern(text: str) -> Pattern:
    """Parse a regular expression over digits; errors have the column in the text."""
    if len(text) > MAX_PATTERN:
        raise PuzzleFormatError(
            f"expected a pattern of at most {MAX_PATTERN} characters, found {len(text)}"
        )
    return _PatternParser(text).parse_whole()


class _PatternParser:
    """The recursive-descent parser of one pattern."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.depth = 0

    def error(self, expected: str, at: int | None = None) -> PuzzleFormatError:
        """An error, not yet raised, that says what was expected at a position and what is there."""
        at = self.at if at is None else at
        found = repr(self.text[at]) if at < len(self.text) else "its end"
        return PuzzleFormatError(
            f"column {at + 1} of the pattern: expected {expected}, found {found}"
        )

    def accept(self, sign: str) -> bool:
        """Whether the next character is the given one; if so, it is consumed."""
        found = self.text[self.at : self.at + 1] == sign
        self.at += found
        return found

    def parse_whole(self) -> Pattern:
        """Parse the whole text as one expression."""
        found = self.parse_choice()
        if self.at < len(self.text):
            raise self.error("no ')' without '('")
        return found

    def parse_choice(self) -> Pattern:
        """Parse one or more sequences that ``|`` separates."""
        parts = [self.parse_sequence()]
        while self.accept("|"):
            parts.append(self.parse_sequence())
        return parts[0] if len(parts) == 1 else Choice(tuple(parts))

    def parse_sequence(self) -> Pattern:
        """Parse expressions up to ``|``, ``)`` or the end, each with its repetition sign if any."""
        parts: list[Pattern] = []
        while self.at < len(self.text) and self.text[self.at] not in "|)":
            parts.append(self.parse_repeated_atom())
        return parts[0] if len(parts) == 1 else Sequence(tuple(parts))

    def parse_repeated_atom(self) -> Pattern:
        """Parse one atom and its repetition sign, if there is one."""
        part, begin = self.parse_atom(), self.at
        times = self.parse_repetition()
        if times is None:
            return part
        least, most = times
        if most is not None and least > most:
            raise self.error(f"a least number of times up to {most}", begin)
        if self.at < len(self.text) and self.text[self.at] in "*+?{":
            raise self.error("brackets around what is repeated twice")
        return Repeat(part, least, most)

    def parse_repetition(self) -> tuple[int, int | None] | None:
        """Parse a repetition such as ``*`` or ``{2,5}`` as (least, most); None if there is none."""
        for sign, times in _TIMES.items():
            if self.accept(sign):
                return times
        if not self.accept("{"):
            return None
        least = self.parse_number()
        most = least
        if self.accept(","):
            most = self.parse_number()
        if not self.accept("}"):
            raise self.error("'}'" if most is not None else "a number or '}'")
        if least is None and most is None:
            raise self.error("a number in the braces", self.at - 1)
        return least or 0, most

    def parse_number(self) -> int | None:
        """Parse a whole number in braces; None if there is no digit."""
        begin = self.at
        while self.at < len(self.text) and self.text[self.at] in "0123456789":
            self.at += 1
        digits = self.text[begin : self.at]
        if len(digits) > 3:
            raise self.error(f"a number up to {_MAX_TIMES}", begin)
        return int(digits) if digits else None

    def parse_atom(self) -> Pattern:
        """Parse a digit, ``.``, a digit class in ``[…]``, or an expression in ``(…)``."""
        if self.accept("."):
            return OneOf(frozenset(range(LARGEST + 1)))
        if self.accept("["):
            return self.parse_digit_class()
        if self.text[self.at] != "(":
            return OneOf(frozenset([self.parse_digit("a digit, '.', '[' or '('")]))
        opened = self.at
        self.at += 1
        self.depth += 1
        if self.depth > _MAX_DEPTH:
            raise self.error(f"at most {_MAX_DEPTH} brackets inside each other")
        found = self.parse_choice()
        if not self.accept(")"):
            raise self.error("')' for the '(' here", opened)
        self.depth -= 1
        return found

    def parse_digit_class(self) -> Pattern:
        """Parse the digits and ranges of digits that follow ``[``, up to ``]``."""
        is_negated = self.accept("^")
        digits: set[int] = set()
        while not digits or not self.accept("]"):
            begin = self.at
            first = last = self.parse_digit("a digit" if not digits else "a digit or ']'")
            if self.accept("-"):
                last = self.parse_digit("a digit after '-'")
            if first > last:
                raise self.error("a range that begins with its smaller digit", begin)
            digits |= {*range(first, last + 1)}
        every = frozenset(range(LARGEST + 1))
        return OneOf(every - digits if is_negated else frozenset(digits))

    def parse_digit(self, expected: str) -> int:
        """Parse one digit; ``expected`` says what was expected if there is none."""
        symbol = self.text[self.at : self.at + 1].upper()
        if not symbol or symbol not in VALUE_SYMBOLS:
            raise self.error(expected)
        self.at += 1
        return VALUE_SYMBOLS.index(symbol)
