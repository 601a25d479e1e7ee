"""Brute force against dancing links, known solutions, and other slots."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bddsudoku.engine import backtrack, dlx
from bddsudoku.errors import LimitReached, ModelError
from bddsudoku.limits import Limits
from bddsudoku.model.model import Model
from bddsudoku.model.onehot import OneHot, Variable
from bddsudoku.puzzle.sudoku.allocation import allocate, full_model
from bddsudoku.puzzle.sudoku.grid import Layout, Puzzle

TELEGRAPH = "8..........36......7..9.2...5...7.......457.....1...3...1....68..85...1..9....4.."
TELEGRAPH_SOLUTION = (
    "812753649943682175675491283154237896369845721287169534521974368438526917796318452"
)
FIGURE_1 = "4.3.1...2.7..2..3.5...3.8...5..42.6.69.157.43.4.96..1...2.7...5.6..8..9.8...9.1.7"


def puzzle(text: str) -> Puzzle:
    return Puzzle([0 if ch == "." else int(ch) for ch in text])


def grid_of(model: Model, chosen: np.ndarray, n: int = 9) -> str:
    cells = ["?"] * (n * n)
    for key in [model.variables[int(v)].key for v in chosen] + [v.key for v in model.fixed]:
        cells[key // n] = str(key % n + 1)
    return "".join(cells)


@pytest.mark.parametrize("allocation", ["paper", "candidates", "singles"])
def test_the_telegraph_board(allocation: str) -> None:
    model = allocate(puzzle(TELEGRAPH), allocation)
    chosen = backtrack.first(model)
    assert chosen is not None
    assert grid_of(model, chosen) == TELEGRAPH_SOLUTION


def test_the_tree_is_that_of_the_textbook_program() -> None:
    """The textbook program in Python: same order, same placements, same tests."""
    board = [0 if ch == "." else int(ch) for ch in FIGURE_1]
    layout = Layout(3, 3)
    peers = [
        {c for h in layout.houses if cell in h.cells for c in h.cells} - {cell}
        for cell in range(81)
    ]
    open_cells = [cell for cell in range(81) if not board[cell]]
    nodes = tests = 0
    found = []

    def solve(k: int) -> None:
        nonlocal nodes, tests
        if k == len(open_cells):
            found.append("".join(map(str, board)))
            return
        cell = open_cells[k]
        for digit in range(1, 10):
            tests += 1
            if all(board[p] != digit for p in peers[cell]):
                nodes += 1
                board[cell] = digit
                solve(k + 1)
                board[cell] = 0

    solve(0)
    model = allocate(puzzle(FIGURE_1), "paper")
    result = backtrack.count(model)
    assert (result.count, result.exact) == (len(found), True) == (1, True)
    assert (result.nodes, result.tests) == (nodes, tests)
    one = backtrack.first(model)
    assert one is not None
    assert grid_of(model, one) == found[0]
    fewer = backtrack.count(allocate(puzzle(FIGURE_1), "candidates"))
    assert fewer.nodes == nodes
    assert fewer.tests < tests


def test_all_4x4_grids_in_lexicographic_order() -> None:
    model = full_model(Layout(2, 2))
    grids = [grid_of(model, s, 4) for s in backtrack.solutions(model)]
    assert len(grids) == 288
    assert grids == sorted(set(grids))
    assert all(Puzzle([int(d) for d in g], Layout(2, 2)).is_solution for g in grids)


def test_latin_squares_of_order_5() -> None:
    variables = tuple(Variable(str(k), k) for k in range(125))
    constraints = [
        OneHot(family, f"{a}{b}", tuple(k for k in range(125) if pick(k) == (a, b)))
        for family, pick in (
            ("cell", lambda k: (k // 25, k // 5 % 5)),
            ("row", lambda k: (k // 25, k % 5)),
            ("column", lambda k: (k // 5 % 5, k % 5)),
        )
        for a in range(5)
        for b in range(5)
    ]
    model = Model(variables, tuple(constraints))
    for slots in (None, "cell", "row", "column"):
        assert backtrack.count(model, slots=slots).count == 161280


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_agrees_with_dancing_links_on_4x4_and_6x6(data: st.DataObject) -> None:
    layout = data.draw(st.sampled_from([Layout(2, 2), Layout(2, 3), Layout(3, 2)]))
    n = layout.n
    seed = data.draw(st.integers(0, 999))
    solution = dlx.first(full_model(layout), seed=seed)
    assert solution is not None
    keep = data.draw(st.sets(st.integers(0, n * n - 1), min_size=n * n // 3))
    cells = [int(o) % n + 1 if c in keep else 0 for c, o in enumerate(solution)]
    wrong = data.draw(st.one_of(st.none(), st.integers(0, n * n - 1)))
    if wrong is not None:
        cells[wrong] = data.draw(st.integers(1, n))
    p = Puzzle(cells, layout)
    expected = {tuple(c.tolist()) for c in dlx.covers(allocate(p, "candidates"))}
    model = allocate(p, "candidates")
    assert {tuple(s.tolist()) for s in backtrack.solutions(model)} == expected
    for allocation in ("paper", "singles"):
        assert backtrack.count(allocate(p, allocation)).count == len(expected)


def test_a_slot_order_of_ones_own() -> None:
    model = allocate(puzzle(FIGURE_1), "candidates")
    cells = [c.variables for c in model.constraints if c.family == "cell" and c.total]
    result = backtrack.count(model, slots=cells[::-1])
    assert result.count == 1
    assert result.nodes != backtrack.count(model).nodes


def test_constraints_that_the_slots_leave_open_are_checked() -> None:
    # both slots filled, but the third item may stay uncovered or be covered
    model = Model(
        tuple(Variable(c, k) for k, c in enumerate("abcd")),
        (
            OneHot("slot", "1", (0, 1)),
            OneHot("slot", "2", (2, 3)),
            OneHot("item", "x", (0, 2)),
        ),
    )
    assert [s.tolist() for s in backtrack.solutions(model)] == [[0, 3], [1, 2]]
    optional = Model(
        model.variables, (*model.constraints[:2], OneHot("item", "x", (0, 2), 1, True))
    )
    assert backtrack.count(optional).count == 3 == dlx.count(optional).count


def test_slots_that_do_not_hold_every_variable_once_are_refused() -> None:
    model = full_model(Layout(2, 2))
    with pytest.raises(ModelError, match="no constraints of a family 'tile'"):
        backtrack.count(model, slots="tile")
    with pytest.raises(ModelError, match="64 variables once"):
        backtrack.count(model, slots=[[0, 1]])


def test_limits() -> None:
    model = full_model(Layout(3, 3))
    assert backtrack.count(model, limit=3).count == 3
    assert len(list(backtrack.solutions(model, limit=3))) == 3
    assert list(backtrack.solutions(model, limit=0)) == []
    result = backtrack.count(model, limits=Limits(seconds=0.2))
    assert not result.exact
    assert result.seconds < 3
    assert backtrack.count(model, node_limit=10).nodes == 10
    with pytest.raises(LimitReached, match="nodes limit"):
        backtrack.first(model, node_limit=10)


def test_the_empty_model_and_a_contradiction() -> None:
    assert backtrack.count(Model((), ())).count == 1
    first = backtrack.first(Model((), ()))
    assert first is not None
    assert first.tolist() == []
    clash = allocate(Puzzle([1, 1] + [0] * 79), "paper")
    assert backtrack.count(clash) == backtrack.BacktrackResult(0, True, 0, 0, 0.0)
    assert backtrack.first(clash) is None
