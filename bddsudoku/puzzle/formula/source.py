"""A text, its places, and the limits that keep reading it short."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property

from bddsudoku.errors import PuzzleFormatError

MAX_STATEMENT = 1_000_000
"""Tokens of one statement."""

MAX_VARIABLES = 1_000_000
"""Variables of one problem."""

MAX_STEPS = 5_000_000
"""Steps of reading a file: operators applied, names looked up, rounds of ``for``."""

MAX_NAME = 1000
"""Characters of a name."""

_SHOWN = 40
_BREAK = re.compile(r"\r\n|\n|\r")


def shown(text: str) -> str:
    """A piece of text in quotes, short enough for a message."""
    return repr(text if len(text) <= _SHOWN else text[:_SHOWN] + "…")


@dataclass(frozen=True)
class Source:
    """What is read, and from where.

    Attributes:
        text: all of it.
        name: file name for messages; None when unknown.
    """

    text: str
    name: str | None = None

    @cached_property
    def _starts(self) -> list[int]:
        """Where lines begin."""
        return [0, *(m.end() for m in _BREAK.finditer(self.text))]

    def line(self, offset: int) -> int:
        """Line number, from 1, of a place in the text."""
        return bisect_right(self._starts, offset)

    def error(self, offset: int, expected: str) -> PuzzleFormatError:
        """An error at a place in the text."""
        line = self.line(offset)
        column = offset - self._starts[line - 1] + 1
        return PuzzleFormatError(expected, source=self.name, line=line, column=column)
