"""Which rule to add next: the solutions that every one of some rules would leave."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from bddsudoku.context import UNLIMITED, Context
from bddsudoku.errors import LimitReached, PuzzleFormatError
from bddsudoku.puzzle.sudoku.grid import Puzzle
from bddsudoku.puzzle.sudoku.rules import (
    Antidiagonal,
    Diagonal,
    Diagonals,
    DisjointGroups,
    King,
    Knight,
    NonConsecutive,
    Windoku,
)
from bddsudoku.puzzle.sudoku.rules.rule import Rule
from bddsudoku.solver.ask import counted


def whole_board_rules(puzzle: Puzzle) -> list[Rule]:
    """The rules without a place of their own that fit a board and are not in the puzzle."""
    kinds = (
        Diagonal, Antidiagonal, Diagonals, Windoku, DisjointGroups, Knight, King, NonConsecutive
    )  # fmt: skip
    found: list[Rule] = []
    for kind in kinds:
        rule = kind()
        try:
            rule.check(puzzle.layout)
        except PuzzleFormatError:
            continue
        if rule not in puzzle.rules:
            found.append(rule)
    return found


def next_rules(
    puzzle: Puzzle,
    rules: Iterable[Rule] | None = None,
    context: Context = UNLIMITED,
    *,
    each: float | None = 20.0,
) -> dict[str, Any]:
    """What every rule would leave if it were added, by itself.

    Args:
        puzzle: of any layout.
        rules: to try; by default :func:`whole_board_rules`.
        each: seconds for any one count; what does not end in them stays open.

    Returns:
        ``count``: of the puzzle; ``rules``: {rule, count}, fewest first, those without a solution
        last but for the open ones (None); ``unique``: texts of the rules that leave exactly one;
        ``impossible``: of those that leave none. Counts are decimal strings.

    Raises:
        LimitReached: the time was used up before the puzzle itself was counted.
    """
    total = counted(puzzle, context=context.silent).count
    found: list[tuple[str, int | None]] = []
    for rule in whole_board_rules(puzzle) if rules is None else rules:
        number: int | None = None
        if not context.expired:
            try:
                number = counted(puzzle.with_rule(rule), context=context.within(each).silent).count
            except LimitReached:
                number = None
        found.append((rule.text, number))
    found.sort(key=lambda row: (row[1] is None, not row[1], row[1] or 0))
    return {
        "count": str(total),
        "rules": [{"rule": text, "count": None if k is None else str(k)} for text, k in found],
        "unique": [text for text, k in found if k == 1],
        "impossible": [text for text, k in found if k == 0],
    }
