"""Few solutions as rows, against the same set on a diagram."""

from __future__ import annotations

import random

import pytest
from strategies import shuffled_grid

from bddsudoku.context import Context
from bddsudoku.errors import LimitReached
from bddsudoku.puzzle.sudoku import Layout, Puzzle
from bddsudoku.solver.dispatch import compile_set
from bddsudoku.solver.hint_analysis import clue_additions, hint_impact
from bddsudoku.solver.puzzle_lists import MAX_LISTED, solve_by_short_search

CLASH = "11" + "." * 79


def some_puzzles(number: int) -> list[Puzzle]:
    rng = random.Random(3)
    grids = [shuffled_grid(Layout(), rng) for _ in range(number)]
    return [g.without(*rng.sample(range(81), rng.randint(48, 55))) for g in grids]


@pytest.mark.parametrize("puzzle", [*some_puzzles(12), Puzzle.parse(CLASH)], ids=lambda p: p.line)
def test_answers_are_those_of_a_diagram(puzzle: Puzzle) -> None:
    found = solve_by_short_search(puzzle)
    diagram = compile_set(puzzle)
    if found is None:
        assert diagram.count() > MAX_LISTED
        return
    few = found.solutions
    assert clue_additions(puzzle, few) == clue_additions(puzzle, diagram)
    assert (few.backbone() == diagram.backbone()).all()
    if few.count():
        assert few.always_equal().tolist() == diagram.always_equal().tolist()
        assert few.always_different().tolist() == diagram.always_different().tolist()


def test_other_boards_and_many_solutions_are_for_others() -> None:
    for line in ("." * 16, "." * 81, "1" + "." * 80):
        assert solve_by_short_search(Puzzle.parse(line)) is None


def test_the_time() -> None:
    with pytest.raises(LimitReached):
        hint_impact(some_puzzles(1)[0], Context(seconds=0))
