"""The paper's procedures, on boards of every shape."""

from __future__ import annotations

import pytest

from bddsudoku.errors import ScheduleError
from bddsudoku.model import Model
from bddsudoku.model.allocation import Allocation
from bddsudoku.model.schedules import make_puzzle_schedule
from bddsudoku.puzzle.sudoku.grid import Puzzle
from bddsudoku.puzzle.sudoku.layout import Layout
from bddsudoku.puzzle.sudoku.sudoku_model import allocate, empty_board_model
from bddsudoku.puzzle.sudoku.sudoku_orders import PROCEDURES

FIGURE_1 = Puzzle.parse(
    "4.3.1...2.7..2..3.5...3.8...5..42.6.69.157.43.4.96..1...2.7...5.6..8..9.8...9.1.7"
)
LAYOUTS = [Layout(2, 2), Layout(2, 3), Layout(3, 2), Layout(3, 3), Layout(2, 5), Layout(3, 4)]


def labels(model: Model, positions) -> list[str]:
    return [f"{model.constraints[i].family} {model.constraints[i].label}" for i in positions]


def test_procedure_3_on_4x4_word_by_word() -> None:
    model = empty_board_model(Layout(2, 2))
    digits = "4321"
    expected = (
        ["cell dd", "cell dc", "cell db", "cell da", "cell cd", "cell cc", "cell cb", "cell ca"]
        + [f"row {r} {d}" for r in "dc" for d in digits]
        + [f"block {b} {d}" for b in ("cc", "ca") for d in digits]
        + ["cell bd", "cell bc", "cell bb", "cell ba", "cell ad", "cell ac", "cell ab", "cell aa"]
        + [f"row {r} {d}" for r in "ba" for d in digits]
        + [f"block {b} {d}" for b in ("ac", "aa") for d in digits]
        + [f"column {c} {d}" for c in "abcd" for d in "1234"]
    )
    assert labels(model, make_puzzle_schedule(model, 3)) == expected


@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
@pytest.mark.parametrize("allocation", Allocation)
@pytest.mark.parametrize("number", PROCEDURES)
def test_a_permutation_on_every_board(layout: Layout, allocation: str, number: int) -> None:
    cells = [0] * layout.cell_count
    cells[0], cells[-1] = 1, 2
    model = allocate(Puzzle(cells, layout), allocation)
    plan = make_puzzle_schedule(model, number)
    assert sorted(plan) == [i for i, c in enumerate(model.constraints) if not c.is_trivial]
    assert plan.name == f"procedure {number}"


def test_bands_do_not_depend_on_the_variables_left() -> None:
    # Under candidates a column may have variables in one band only: a column all the same.
    model = allocate(FIGURE_1, "candidates")
    with pytest.raises(ScheduleError, match="lies in no single stage"):
        make_puzzle_schedule(model, "staged:cell>row>block>column")


def test_a_puzzle_without_blocks_has_other_schedules() -> None:
    latin = empty_board_model(Layout(2, 2), ("cell", "row", "column"))
    with pytest.raises(ScheduleError, match="found 'block'"):
        make_puzzle_schedule(latin, 1)
    assert len(make_puzzle_schedule(latin, "cell>row>column")) == 48
