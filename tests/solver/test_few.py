"""Few solutions as rows, against the same set on a diagram."""

from __future__ import annotations

import random

import pytest
from strategies import shuffled_grid

from bddsudoku.context import Context
from bddsudoku.errors import LimitReached
from bddsudoku.puzzle.sudoku import Layout, Puzzle
from bddsudoku.solver.ask import compile_set
from bddsudoku.solver.batch import FEW, few_solved
from bddsudoku.solver.hints import addition_answers, hint_answers

CLASH = "11" + "." * 79


def some_puzzles(number: int) -> list[Puzzle]:
    rng = random.Random(3)
    grids = [shuffled_grid(Layout(), rng) for _ in range(number)]
    return [g.without(*rng.sample(range(81), rng.randint(48, 55))) for g in grids]


@pytest.mark.parametrize("puzzle", [*some_puzzles(12), Puzzle.parse(CLASH)], ids=lambda p: p.line)
def test_answers_are_those_of_a_diagram(puzzle: Puzzle) -> None:
    found = few_solved(puzzle)
    diagram = compile_set(puzzle)
    if found is None:
        assert diagram.count() > FEW
        return
    few = found.solutions
    assert addition_answers(puzzle, few) == addition_answers(puzzle, diagram)
    assert (few.backbone() == diagram.backbone()).all()
    if few.count():
        assert few.always_equal().tolist() == diagram.always_equal().tolist()
        assert few.always_different().tolist() == diagram.always_different().tolist()


def test_other_boards_and_many_solutions_are_for_others() -> None:
    for line in ("." * 16, "." * 81, "1" + "." * 80):
        assert few_solved(Puzzle.parse(line)) is None


def test_the_time() -> None:
    with pytest.raises(LimitReached):
        hint_answers(some_puzzles(1)[0], Context(seconds=0))
