"""Boards of any size, searched from a model that is prepared once a layout."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor

import pytest
from strategies import shuffled_grid

from bddsudoku import Layout, Puzzle, count, count_many, solve
from bddsudoku.context import Context
from bddsudoku.errors import LimitReached
from bddsudoku.solver.puzzle_lists import count_by_short_search

SHAPES = [((2, 2), 5), ((2, 3), 10), ((3, 2), 10), ((2, 4), 30), ((4, 4), 150)]


def puzzles_of(shape: tuple[int, int], hints: int, size: int) -> list[Puzzle]:
    """Some hints of random grids."""
    layout, rng = Layout(*shape), random.Random(hints)
    cells = layout.n**2
    return [
        shuffled_grid(layout, rng).without(*rng.sample(range(cells), cells - hints))
        for _ in range(size)
    ]


@pytest.mark.parametrize(("shape", "hints"), SHAPES)
def test_counts_as_chosen_engines_do(shape: tuple[int, int], hints: int) -> None:
    puzzles = puzzles_of(shape, hints, 6)
    numbers = [count(puzzle) for puzzle in puzzles]
    assert count_many(puzzles).tolist() == numbers
    if shape[0] <= shape[1]:  # the usual one of that size
        assert count_many([p.line for p in puzzles]).tolist() == numbers
    for limit in (0, 1, 2, 1000):
        assert count_many(puzzles, limit).tolist() == [min(k, limit) for k in numbers]
        if limit:
            found = [count_by_short_search(puzzle, limit) for puzzle in puzzles]
            assert found == [min(k, limit) for k in numbers]


def test_clashes_and_pencil_marks() -> None:
    four = Layout(2, 2)
    assert count_by_short_search(Puzzle([1, 1] + [0] * 14, four)) == 0
    assert count_by_short_search(Puzzle([0] * 16, four)) == 288
    masks = [15] * 16
    masks[0], masks[5] = 3, 6
    marked = Puzzle.from_masks(masks, four)
    assert count_by_short_search(marked) == count(marked)
    masks[0] = 0
    assert count_by_short_search(Puzzle.from_masks(masks, four)) == 0


RULES = ("thermo r1c1 r2c1 r2c2", "cage 5 r3c3 r3c4", "antiknight", "diagonals", "even r1c1")


def boards_with(rule: str, size: int) -> list[Puzzle]:
    """Some hints of solutions of the 4×4 board with a rule, and boards that break it."""
    board = Puzzle.parse("." * 16 + "\n" + rule)
    rng = random.Random(rule)
    grids = [Puzzle(grid.tolist(), board.layout) for grid in solve(board).sample(size, 1)]
    digits = [{c: grid.cells[c] for c in rng.sample(range(16), 3)} for grid in grids]
    digits += [{c: rng.randint(1, 4) for c in rng.sample(range(16), 3)} for _ in range(size)]
    return [board.with_hints(hints) for hints in digits]


@pytest.mark.parametrize("rule", RULES)
def test_boards_with_rules_share_a_prepared_search(rule: str) -> None:
    puzzles = boards_with(rule, 12)
    numbers = [count(puzzle, "frontier") for puzzle in puzzles]
    assert {*numbers} > {0}
    assert [count_by_short_search(puzzle) for puzzle in puzzles] == numbers
    assert [count_by_short_search(puzzle, 2) for puzzle in puzzles] == [min(k, 2) for k in numbers]
    with ThreadPoolExecutor(4) as pool:
        assert [*pool.map(count_by_short_search, puzzles * 8)] == numbers * 8


def test_rules_that_contradict_each_other() -> None:
    board = Puzzle.parse("." * 16 + "\ncage 3 r1c1 r1c2\ncage 7 r1c1 r1c3\ncage 3 r1c3 r1c4")
    assert count_by_short_search(board) == count(board) == 0


def test_what_a_short_search_does_not_settle() -> None:
    empty = Puzzle([0] * 36, Layout(2, 3))
    assert count_by_short_search(empty) is None
    assert count_by_short_search(empty, 7) == 7
    assert count_many([empty]).tolist() == [28200960]
    with pytest.raises(LimitReached):
        count_by_short_search(empty, context=Context(time_limit=0))
