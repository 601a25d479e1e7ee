"""Puzzle in, BDD and its solutions out."""

from __future__ import annotations

import itertools

import pytest
from figures import FIGURE_1

from bddsudoku.context import Context
from bddsudoku.engine.conjunction.engine import ConjunctionStep
from bddsudoku.errors import ScheduleError
from bddsudoku.model.allocation import Allocation
from bddsudoku.puzzle.sudoku.grid import Puzzle
from bddsudoku.puzzle.sudoku.layout import Layout
from bddsudoku.puzzle.sudoku.sudoku_model import allocate
from bddsudoku.solver.comparison import build_puzzle, solutions_from_build

SMALL = Context(max_memory=200 << 20)


@pytest.mark.parametrize("allocation", Allocation)
@pytest.mark.parametrize("isolated", [False, True])
def test_solutions_iterate_in_order_and_know_their_members(
    allocation: Allocation, isolated: bool
) -> None:
    puzzle = Puzzle.parse("1...............")
    result = build_puzzle(puzzle, allocation=allocation, context=SMALL, isolated=isolated)
    found = solutions_from_build(puzzle, result, allocation)
    lines = [grid.line for grid in found]
    assert len(lines) == found.count() == result.count() == 72
    assert lines == sorted(set(lines))
    assert all(Puzzle(list(map(int, line)), Layout(2, 2)).is_solution for line in lines)
    assert all(grid in found for grid in found)
    assert Puzzle.parse("2143432112343412") not in found
    # one at a time: nothing is gathered before the first grid comes out
    assert [g.line for g in itertools.islice(iter(found), 3)] == lines[:3]


def test_complete_and_contradictory_puzzles() -> None:
    grid = Puzzle.parse("1234341221434321")
    (only,) = solutions_from_build(grid, build_puzzle(grid, context=SMALL))
    assert only == grid
    clash = Puzzle.parse("11..............")
    assert list(solutions_from_build(clash, build_puzzle(clash, context=SMALL))) == []


def test_schedules_and_progress() -> None:
    puzzle = Puzzle.parse(FIGURE_1)
    reports: list[tuple[float, float]] = []
    steps: list[ConjunctionStep] = []
    result = build_puzzle(
        puzzle,
        schedule="block>cell>row>column",
        allocation="singles",
        context=SMALL.with_progress(lambda done, total: reports.append((done, total))),
        on_step=steps.append,
    )
    assert result.count() == 1
    assert len(reports) == len(steps) == len(result.steps)

    def columns_last(model):
        live = [i for i, c in enumerate(model.constraints) if not c.is_trivial]
        return sorted(live, key=lambda i: model.constraints[i].family == "column")

    mine = build_puzzle(puzzle, schedule=columns_last, allocation="candidates", context=SMALL)
    assert mine.schedule == "columns_last"
    assert [s.position for s in mine.steps] == columns_last(allocate(puzzle, "candidates"))
    with pytest.raises(ScheduleError):
        build_puzzle(puzzle, schedule=lambda model: [0, 1])
