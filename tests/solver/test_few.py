"""Few solutions as rows, against the same set on a diagram."""

from __future__ import annotations

import random

import pytest
from strategies import shuffled_grid

from bddsudoku.engine.board_lists import list_few_solutions
from bddsudoku.engine.calibration import FEW_SOLUTIONS
from bddsudoku.puzzle.sudoku import Layout, Puzzle
from bddsudoku.sets.listedset import ListedSet
from bddsudoku.solver.dispatch import compile_set, solve_detailed
from bddsudoku.solver.hint_analysis import clue_additions

CLASH = "11" + "." * 79


def some_puzzles(number: int) -> list[Puzzle]:
    rng = random.Random(3)
    grids = [shuffled_grid(Layout(), rng) for _ in range(number)]
    return [g.without(*rng.sample(range(81), rng.randint(48, 55))) for g in grids]


@pytest.mark.parametrize("puzzle", [*some_puzzles(12), Puzzle.parse(CLASH)], ids=lambda p: p.line)
def test_answers_are_those_of_a_diagram(puzzle: Puzzle) -> None:
    few = solve_detailed(puzzle, in_any_order=True).grids
    diagram = compile_set(puzzle)
    assert isinstance(few, ListedSet) == (diagram.count() <= FEW_SOLUTIONS)
    assert clue_additions(puzzle, few) == clue_additions(puzzle, diagram)
    assert (few.backbone() == diagram.backbone()).all()
    if few.count() and isinstance(few, ListedSet):
        assert few.always_equal().tolist() == diagram.always_equal().tolist()
        assert few.always_different().tolist() == diagram.always_different().tolist()


def test_other_boards_and_many_solutions_are_for_others() -> None:
    for line in ("." * 81, "1" + "." * 80):
        assert list_few_solutions(Puzzle.parse(line).masks) is None
    four = solve_detailed(Puzzle.parse("." * 16), in_any_order=True)
    assert (four.solutions.count(), four.engine) == (288, "dlx")
