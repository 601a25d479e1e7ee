"""Files that say which blocks, houses and rules a puzzle is to have."""

from __future__ import annotations

import re
from collections.abc import Iterable

from bddsudoku.authoring.placing import canonical
from bddsudoku.errors import PuzzleFormatError
from bddsudoku.puzzle.sudoku.grid import Puzzle
from bddsudoku.puzzle.sudoku.layout import Layout
from bddsudoku.puzzle.sudoku.text.rule_lines import with_line

MOST = 100
"""Rules of one kind."""


def read_wishes(
    lines: Iterable[str], layout: Layout, source: str | None = None
) -> tuple[Puzzle, tuple[tuple[str, int], ...]]:
    """The empty board, and kinds of rules that are placed on a solution with their numbers.

    A line is one as below a grid (``antiknight``, ``cage 15 r1c1 r1c2``, ``regions …``), or ``place
    5 cage``; blank lines and what follows ``#`` are passed over.

    Args:
        lines: of the file.
        layout: the board, unless a line says otherwise.
        source: what messages call the file.

    Raises:
        PuzzleFormatError: a line is neither, or does not fit the board.
    """
    empty = Puzzle([0] * layout.cell_count, layout)
    place: list[tuple[str, int]] = []
    for number, line in enumerate(lines, 1):
        words = line.partition("#")[0].strip()
        if not words:
            continue
        try:
            if words.lower().split()[0] == "place":
                place.append(_kind(words))
            else:
                empty = with_line(empty, words)
        except PuzzleFormatError as error:
            raise PuzzleFormatError(error.expected, source=source, line=number) from None
    # What a rule means stays what it means here, whatever is placed beside it.
    rules = [rule.beside(empty.rules) for rule in empty.rules]
    return Puzzle(empty.cells, empty.layout, rules=rules), tuple(place)


def _kind(words: str) -> tuple[str, int]:
    match = re.fullmatch(r"place\s+(\d{1,6})\s+(\w+)", words, re.IGNORECASE)
    if match is None:
        raise PuzzleFormatError(f"expected a line such as 'place 5 cage', found {words[:40]!r}")
    if not 1 <= int(match[1]) <= MOST:
        raise PuzzleFormatError(f"expected 1 to {MOST} rules to place, found {match[1]}")
    return canonical(match[2]), int(match[1])
