"""Boards of any size, searched from a model that is prepared once a layout."""

from __future__ import annotations

import random

import pytest
from strategies import shuffled_grid

from bddsudoku import Layout, Puzzle, count, count_many
from bddsudoku.context import Context
from bddsudoku.errors import LimitReached
from bddsudoku.solver.bulk_solving import count_by_short_search

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


def test_what_a_short_search_does_not_settle() -> None:
    empty = Puzzle([0] * 36, Layout(2, 3))
    assert count_by_short_search(empty) is None
    assert count_by_short_search(empty, 7) == 7
    assert count_many([empty]).tolist() == [28200960]
    with pytest.raises(LimitReached):
        count_by_short_search(empty, context=Context(seconds=0))
