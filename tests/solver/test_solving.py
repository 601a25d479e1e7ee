from __future__ import annotations

import time
from collections.abc import Callable

import figures
import pytest

from bddsudoku import LimitReached, Puzzle, compile_set, count, solve
from bddsudoku.context import Context
from bddsudoku.engine.portfolio import choose_set
from bddsudoku.engine.search.engine import ConstraintSearch
from bddsudoku.puzzle import Problem
from bddsudoku.puzzle.sudoku import allocate
from bddsudoku.solver import marginals
from bddsudoku.solver.dispatch import iterate_solution_keys, solve_detailed

SEVENTEEN = Puzzle.parse(figures.SEVENTEEN)
EMPTY = Puzzle([0] * 81)


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


def test_orders_change_the_diagram_not_the_set() -> None:
    puzzle = SEVENTEEN.without((6, 0))
    rows, columns = compile_set(puzzle, "rows"), compile_set(puzzle, "columns")
    assert rows == columns
    assert rows.diagram.size != columns.diagram.size
    lines = [grid.line for grid in rows]
    assert lines == sorted(lines)


@pytest.mark.parametrize("ask", [count, solve, compile_set, marginals])
@pytest.mark.parametrize(
    "text",
    [
        "",
        "integer z[1..60] in 0..99\nsum(z[i] for i in 1..60) == 3000",
        "integer a b c d e f in 0..250\na * b + c * d == e * f + 1000",
        "symbol x[1..3000]\nsum(i * x[i] for i in 1..3000) == 1000000",
    ],
)
def test_a_time_limit_ends_any_work(ask: Callable[..., object], text: str) -> None:
    if text and ask is marginals:
        return
    count(Problem.parse("integer a b in 0..99\n2 * a == b * b"))  # loads the kernels
    subject = Problem.parse(text) if text else Puzzle([0] * 256)
    begin = time.process_time()
    with pytest.raises(LimitReached, match=r"time limit of 0\.3 s"):
        ask(subject, time_limit=0.3)
    assert time.process_time() - begin < 5


def test_integers_of_many_values_are_not_searched(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ConstraintSearch, "__init__", None)
    assert (
        count(Problem.parse("integer a b in 10..999\nb == 10 * a - 491"), max_memory=1 << 30) == 99
    )


@pytest.mark.slow
def test_problems_of_too_many_variables_are_not_searched(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ConstraintSearch, "__init__", None)
    literals = " ".join(map(str, range(1, 33_001)))
    many = Problem.parse(f"p cnf 33000 1\n{literals} 0\n")
    assert count(many) == 2**33_000 - 1
    assert len(next(iterate_solution_keys(many))) > 0
