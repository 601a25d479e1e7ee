"""Files that say which rules a puzzle is to have."""

from __future__ import annotations

import re
from collections.abc import Iterable

from bddsudoku.authoring.placing import canonical
from bddsudoku.errors import PuzzleFormatError
from bddsudoku.puzzle.sudoku.rules import Rule, rule_from_line

__all__ = ["read_wishes"]

MOST = 100
"""Rules of one kind."""


def read_wishes(
    lines: Iterable[str], source: str | None = None
) -> tuple[tuple[Rule, ...], tuple[tuple[str, int], ...]]:
    """Rules of every puzzle, and kinds that are placed on a solution with their numbers.

    A line is a rule as below a grid (``antiknight``, ``cage 15 r1c1 r1c2``), or ``place 5 cage``;
    blank lines and what follows ``#`` are passed over.

    Raises:
        PuzzleFormatError: a line is neither.
    """
    rules: list[Rule] = []
    place: list[tuple[str, int]] = []
    for number, line in enumerate(lines, 1):
        words = line.partition("#")[0].strip()
        if not words:
            continue
        try:
            if words.lower().split()[0] == "place":
                place.append(_kind(words))
            else:
                rules.append(rule_from_line(words))
        except PuzzleFormatError as error:
            raise PuzzleFormatError(error.expected, source=source, line=number) from None
    return tuple(rules), tuple(place)


def _kind(words: str) -> tuple[str, int]:
    match = re.fullmatch(r"place\s+(\d{1,6})\s+(\w+)", words, re.IGNORECASE)
    if match is None:
        raise PuzzleFormatError(f"expected a line such as 'place 5 cage', found {words[:40]!r}")
    if not 1 <= int(match[1]) <= MOST:
        raise PuzzleFormatError(f"expected 1 to {MOST} rules to place, found {match[1]}")
    return canonical(match[2]), int(match[1])
