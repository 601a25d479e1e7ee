"""Brute force compared with known solutions and enumeration; its independence of models."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import exhaustive, four_by_four, grid_of, houses, keys_of
from strategies import models

from bddsudoku.context import Context
from bddsudoku.engine import dlx
from bddsudoku.engine.brute_force import BruteForceEngine, BruteForceSearch
from bddsudoku.errors import LimitReached, ModelError
from bddsudoku.model import Model, OneHot, forward_check, substitute, unit_propagate
from bddsudoku.model.model import Origin
from bddsudoku.puzzle.sudoku import Layout, Puzzle, allocate, empty_board_model, sudoku_model
from bddsudoku.solver import check

FIGURE_1 = "4.3.1...2.7..2..3.5...3.8...5..42.6.69.157.43.4.96..1...2.7...5.6..8..9.8...9.1.7"


def run(model: Model, **options: int) -> BruteForceSearch:
    search = BruteForceSearch(model)
    assert list(search.run(Context(), **options)) == []  # type: ignore[arg-type]
    return search


def found(model: Model, **options: int) -> list[frozenset[int]]:
    listed = BruteForceEngine().solutions(model, Context(), **options)
    return [frozenset(keys.tolist()) for keys in listed]


# The textbook program


def test_the_tree_is_that_of_the_textbook_program() -> None:
    """The textbook program in Python: same order, same placements, same tests."""
    board = list(Puzzle.parse(FIGURE_1).cells)
    peers = [{c for h in houses(Layout()) if cell in h for c in h} - {cell} for cell in range(81)]
    open_cells = [cell for cell in range(81) if not board[cell]]
    nodes = tests = 0
    grids = []

    def solve(k: int) -> None:
        nonlocal nodes, tests
        if k == len(open_cells):
            grids.append(tuple(board))
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
    for propagated in ("paper", "candidates", "singles"):
        search = run(allocate(Puzzle.parse(FIGURE_1), propagated))
        assert (search.count, search.done) == (len(grids), True) == (1, True)
        assert (search.nodes, search.tests) == (nodes, tests)
    assert found(allocate(Puzzle.parse(FIGURE_1))) == [keys_of(grids[0], 9)]


def test_all_4x4_grids_in_lexicographic_order() -> None:
    grids = [grid_of(keys, 4) for keys in found(empty_board_model(Layout(2, 2)))]
    assert tuple(grids) == four_by_four()
    shuffled = [grid_of(keys, 4) for keys in found(empty_board_model(Layout(2, 2)), seed=1)]
    assert shuffled != grids
    assert sorted(shuffled) == grids


# Covers and tilings


# What is told to a model later


@settings(max_examples=60)
@given(models(options=9), st.data(), st.sampled_from([forward_check, unit_propagate, lambda m: m]))
def test_assumptions_made_later_are_respected(
    model: Model, data: st.DataObject, propagate: object
) -> None:
    model = propagate(model)  # type: ignore[operator]
    if model.is_contradictory or not model.variables:
        return
    some = st.sets(st.integers(0, len(model.variables) - 1), max_size=2)
    assumed = substitute(model, data.draw(some), false=data.draw(some))
    expected = exhaustive(assumed)
    assert set(found(assumed)) == expected
    assert set(found(unit_propagate(assumed))) == expected


# What it owes to models: nothing


def test_models_made_by_hand_are_refused() -> None:
    board = empty_board_model(Layout(2, 2))
    extra = (*board.constraints, OneHot("extra", "", (0, 37), at_most=True))
    for model in (
        Model(board.variables, board.constraints),
        Model(board.variables, extra),
        replace(board, constraints=extra),
        replace(allocate(Puzzle([1] + [0] * 15)), fixed=()),
        board.with_origin(Origin()),
        empty_board_model(Layout(2, 2), ("row", "column", "block")),
    ):
        assert "the puzzle's own definition" in str(BruteForceEngine().refuses(model))
        with pytest.raises(ModelError, match="own definition"):
            BruteForceSearch(model)
    with pytest.raises(ModelError, match="own definition"):
        BruteForceEngine().solutions(Model((), ()), Context())


def test_it_is_independent_of_propagation(monkeypatch: pytest.MonkeyPatch) -> None:
    """A propagation that drops a good candidate: dancing links follow it, brute force does not."""
    four = allocate(Puzzle([0] * 16))
    broken = unit_propagate(substitute(four, [0]))
    monkeypatch.setattr(dlx, "forward_check", lambda model: substitute(model, (), false=[0]))
    assert dlx.DlxEngine().count(four, Context()) == 288 - 72
    assert BruteForceEngine().count(four, Context()) == 288
    assert BruteForceEngine().count(broken, Context()) == 72
    assert check(Puzzle([0] * 16), ["dlx", "brute-force"]).agree is False


def test_it_is_independent_of_the_model(monkeypatch: pytest.MonkeyPatch) -> None:
    """A model without blocks: engines that read its constraints count too many grids."""
    good = empty_board_model(Layout(2, 2))
    kept = tuple(c for c in good.constraints if c.family != "block")
    board = Model(good.variables, kept).with_origin(good.origin)
    monkeypatch.setattr(sudoku_model, "empty_board_model", lambda *asked: board)
    runs = check(Puzzle([0] * 16), ["frontier", "dlx", "brute-force"]).runs
    counts = {run.engine: run.count for run in runs}
    assert counts == {"frontier": 576, "dlx": 576, "brute-force": 288}


# Limits


def test_limits() -> None:
    model = empty_board_model(Layout(3, 3))
    assert run(model, limit=3).count == 3
    assert not run(model, limit=3).done
    assert len(found(model, limit=3)) == 3
    assert found(model, limit=0) == []
    search = BruteForceSearch(model)
    with pytest.raises(LimitReached, match="nodes limit reached by backtracking after 10 nodes"):
        list(search.run(Context(), node_limit=10))
    assert (search.nodes, search.done) == (10, False)
    with pytest.raises(
        LimitReached, match=r"time limit of 0\.3 s reached by backtracking"
    ) as caught:
        BruteForceEngine().count(model, Context(time_limit=0.3))
    assert caught.value.limit == "time"
