from __future__ import annotations

import figures
import numpy as np
import pytest

from bddsudoku import LimitReached, Puzzle, compile_set, count, solve
from bddsudoku.context import Context
from bddsudoku.engine.portfolio import choose_set
from bddsudoku.puzzle.sudoku import allocate
from bddsudoku.sets.solution_family import GridFamily
from bddsudoku.solver.dispatch import solve_detailed

SEVENTEEN = Puzzle.parse(figures.SEVENTEEN)
EMPTY = Puzzle([0] * 81)
CLASH = Puzzle([5, 5] + [0] * 79)


def test_a_diagram_while_it_is_small_bands_beyond() -> None:
    small = choose_set(allocate(SEVENTEEN.without((6, 0))), Context())
    assert small.engine == "frontier"
    assert small.count == 15085
    large = choose_set(allocate(EMPTY), Context())
    assert large.engine == "bands"
    assert "too many" in large.why


@pytest.mark.parametrize(
    ("open_rows", "engine"), [(range(2), "dlx"), (range(0, 16, 2), "frontier")]
)
def test_large_boards_with_few_solutions_are_searched(open_rows: range, engine: str) -> None:
    rows = [[(4 * (r % 4) + r // 4 + c) % 16 + 1 for c in range(16)] for r in range(16)]
    full = Puzzle(rows)
    assert full.is_solution
    holes = full.without(*[(r, c) for r in open_rows for c in range(16)])
    found = solve_detailed(holes)
    assert found.engine == engine
    assert full in found.solutions


@pytest.mark.parametrize("engine", ["frontier", "bands", "dlx"])
def test_every_holder_of_a_set_answers_alike(engine: str) -> None:
    puzzle = SEVENTEEN.without((6, 0))
    found = solve(puzzle, engine)
    assert isinstance(found, GridFamily)
    assert found.count() == 15085
    auto = solve(puzzle)
    assert np.array_equal(found.marginals(), auto.marginals())
    assert np.array_equal(found.backbone(), auto.backbone())
    assert np.array_equal(found.true_candidates(), auto.true_candidates())
    grid = found.unrank(12345)
    assert isinstance(grid, Puzzle)
    assert found.rank(grid) == 12345
    assert grid in auto
    assert found.given({(0, 0): grid[0, 0]}).count() == auto.marginals()[0, 0, grid[0, 0] - 1]
    rows = found.sample(5, 1)
    assert rows.shape == (5, 81)
    assert all(Puzzle(row.tolist()) in auto for row in rows)


def test_orders_change_the_diagram_not_the_set() -> None:
    puzzle = SEVENTEEN.without((6, 0))
    rows, columns = compile_set(puzzle, "rows"), compile_set(puzzle, "columns")
    assert rows == columns
    assert rows.diagram.size != columns.diagram.size
    lines = [grid.line for grid in rows]
    assert lines == sorted(lines)


def test_time_is_one_clock_for_the_whole_question() -> None:
    with pytest.raises(LimitReached, match="time limit"):
        count(EMPTY, "dlx", time_limit=0.3)
    context = Context(seconds=1e-9)
    with pytest.raises(LimitReached, match="time limit of 1e-09 s reached"):
        _ = context.seconds_left


def test_progress_of_the_frontier_goes_to_its_total_and_no_further() -> None:
    """The total is that of the levels swept: cells that hints or singles settle have none."""
    reports: list[tuple[float, float]] = []
    wider = SEVENTEEN.without((6, 0))
    found = compile_set(wider, progress=lambda done, total: reports.append((done, total)))
    (total,) = {total for _, total in reports}
    assert total == len({key // 9 for key in found.diagram.labels.tolist()})
    done = [at for at, _ in reports]
    assert done == sorted(set(done))
    assert done[-1] == total
