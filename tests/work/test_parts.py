"""Hard questions in parts: they add up to the whole."""

from __future__ import annotations

from typing import Any

import pytest

from bddsudoku.errors import BddSudokuError
from bddsudoku.model import Linear, Model, OneHot, Variable
from bddsudoku.puzzle.sudoku.grid import Puzzle
from bddsudoku.solver import count
from bddsudoku.solver.cube_and_conquer import (
    assume,
    count_in_parts,
    split_into_cubes,
)
from bddsudoku.solver.question import make_question
from bddsudoku.work import LocalRunner, Processes

FOUR = "1....2.........4"
DIAGONAL = "1...............\ndiagonals"


def test_a_board_without_solutions() -> None:
    puzzle = Puzzle.parse("11" + "." * 79)
    assert count_in_parts(puzzle, LocalRunner()).count == 0


@pytest.mark.parametrize("text", [FOUR, DIAGONAL, "." * 16])
def test_branches_are_disjoint_and_all_there_is(text: str) -> None:
    puzzle = Puzzle.parse(text)
    model = make_question(puzzle).model
    found = split_into_cubes(model, 12)
    assert len(found) >= 12 or count(puzzle) < 12
    assert sum(count(assume(model, assumed)) for assumed in found) == count(puzzle)
    assert count_in_parts(puzzle, LocalRunner()).count == count(puzzle)


def test_a_model_without_groups() -> None:
    names = tuple(Variable(name, i) for i, name in enumerate("abcdef"))
    heavy = Linear("load", "truck", (0, 1, 2, 3), (5, 7, 9, 4), low=None, high=14)
    some = OneHot("one", "of", (3, 4))
    model = Model(names, (heavy, some))
    assert count_in_parts(model, LocalRunner()).count == count(model)


def test_in_processes(tmp_path: Any) -> None:
    with Processes(2) as two:
        assert count_in_parts(Puzzle.parse(DIAGONAL), two).count == count(Puzzle.parse(DIAGONAL))


def test_what_cannot_be_sent_is_told() -> None:
    class Local:
        def model(self) -> Model:
            return make_question(Puzzle.parse("." * 36)).model

        def decoder(self) -> None:
            return None

    with pytest.raises(BddSudokuError, match="cannot be sent to a process of its own"):
        count_in_parts(Local(), LocalRunner())  # type: ignore[arg-type]
