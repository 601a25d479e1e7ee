"""Rules on 9x9 boards: constraints against definitions, engines without rules, known counts."""

from __future__ import annotations

import random

import pytest
from agreement import expected_grids
from grids import random_grids

from bddsudoku.puzzle.sudoku import Layout, Puzzle
from bddsudoku.puzzle.sudoku.rules import Rule, rule_from_line
from bddsudoku.solver import count

NINE = Layout()
EMPTY = Puzzle([0] * 81)
GRIDS = random_grids(NINE, 60)


def rules(*lines: str) -> tuple[Rule, ...]:
    return tuple(map(rule_from_line, lines))


def test_all_three_moves_leave_seventy_two_grids() -> None:
    puzzle = EMPTY.with_rule(*rules("antiknight", "antiking", "nonconsecutive"))
    assert count(puzzle, "search") == 72


def test_knight_and_king_below_a_row() -> None:
    puzzle = EMPTY.with_rule(*rules("antiknight", "antiking"))
    first = puzzle.with_hints({cell: cell + 1 for cell in range(9)})
    assert count(first, "search") == count(first, "dlx") == 4


@pytest.mark.parametrize("digits", [(2, 5, 9), (1, 3, 6, 8), (1, 2, 4, 5, 6, 7, 8, 9)])
def test_counting_circles_on_a_large_board(digits: tuple[int, ...]) -> None:
    """Few circles and many, whose digits add up to the number of circles."""
    rng = random.Random(str(digits))
    for grid in rng.sample(GRIDS, 3):
        circles = []
        for d in digits:
            circles += rng.sample([cell for cell in range(81) if grid[cell] == d], d)
        places = " ".join(f"r{cell // 9 + 1}c{cell % 9 + 1}" for cell in circles)
        hints = {cell: grid[cell] for cell in rng.sample(range(81), 28)}
        puzzle = EMPTY.with_hints(hints).with_rule(*rules(f"countingcircles {places}"))
        assert count(puzzle, "search") == len(expected_grids(puzzle)) > 0
