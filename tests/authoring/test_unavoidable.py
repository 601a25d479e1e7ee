from __future__ import annotations

import pytest
from oracles import fillings, four_by_four, houses, masks_of
from worlds import Family, cells_of, check_minimal, grid, seeds

from bddsudoku import Context, Layout, LimitReached, Puzzle, PuzzleFormatError, count
from bddsudoku.authoring import (
    region_cells,
    solution_grid,
    unavoidable_sets,
)
from bddsudoku.puzzle.sudoku.rules import Diagonals

CLASSIC = Layout(3, 3)
REGIONS = [
    {"rows": (1, 2)},
    {"rows": (4, 9)},
    {"boxes": (1, 2)},
    {"boxes": (3, 7)},
    {"digits": (1, 2)},
]


def by_search(whole: Puzzle, region: tuple[int, ...]) -> Family:
    """Every way to fill the region, compared with the grid; what holds no other difference."""
    cells = [0 if c in region else d for c, d in enumerate(whole.cells)]
    found = fillings(masks_of(cells, whole.n), houses(whole.layout))
    differences = {frozenset(c for c in region if other[c] != whole[c]) for other in found} - {
        frozenset()
    }
    return frozenset(d for d in differences if not any(e < d for e in differences))


@pytest.mark.parametrize("seed", seeds(8, 20))
def test_two_rows_two_boxes_two_digits(seed: int) -> None:
    whole = grid(CLASSIC, seed)
    for named in REGIONS:
        region = region_cells(whole, **named)
        assert len(region) == 18
        assert cells_of(unavoidable_sets(whole, region).sets) == by_search(whole, region)


def test_all_sets_of_a_grid_of_side_four() -> None:
    for seed in range(5):
        whole = grid(Layout(2, 2), seed)
        found = unavoidable_sets(whole)
        differ = [frozenset(c for c in range(16) if g[c] != whole[c]) for g in four_by_four()]
        expected = [d for d in differ if d and not any(e and e < d for e in differ)]
        assert cells_of(found.sets) == frozenset(expected)
        # what hits them all are the minimal puzzles
        for puzzle in found.hitting_sets().sample(10, seed):
            check_minimal(puzzle)
        for size in (4, 6, 8):
            small = unavoidable_sets(whole, size=size)
            assert cells_of(small.sets) == frozenset(d for d in expected if len(d) <= size)


def test_up_to_a_size() -> None:
    """What is found in the whole grid is what regions show that can hold it."""
    whole = grid(CLASSIC, 5)
    found = cells_of(unavoidable_sets(whole, size=6).sets)
    # a set of at most six cells has at most three digits, for each of them stands in it twice
    expected = set()
    for a in range(1, 10):
        for b in range(a + 1, 10):
            for c in range(b + 1, 10):
                region = region_cells(whole, digits=(a, b, c))
                expected |= cells_of(unavoidable_sets(whole, region).sets)
    assert found == {s for s in expected if len(s) <= 6}
    rows = region_cells(whole, rows=(1, 2, 3))
    within = cells_of(unavoidable_sets(whole, rows, size=6).sets)
    assert within == {s for s in found if s <= set(rows)}


def test_other_sizes_and_rules() -> None:
    whole = grid(Layout(2, 3), 2)
    region = region_cells(whole, rows=(1, 2), columns=(3,))
    assert cells_of(unavoidable_sets(whole, region).sets) == by_search(whole, region)
    latin = Puzzle.parse("1234341221434321")
    held = next(
        p.with_rule(Diagonals())
        for g in four_by_four()
        if count((p := Puzzle(g)).with_rule(Diagonals())) == 1
    )
    plain = cells_of(unavoidable_sets(Puzzle(held.cells)).sets)
    bound = cells_of(unavoidable_sets(held).sets)
    assert all(any(p <= s for p in plain) for s in bound)
    assert plain != bound
    assert cells_of(unavoidable_sets(held, size=8).sets) == {s for s in bound if len(s) <= 8}
    assert unavoidable_sets(latin, ()).sets.count() == 0


def test_what_cannot_be_answered() -> None:
    whole = grid(CLASSIC, 0)
    with pytest.raises(PuzzleFormatError, match="without open cells"):
        unavoidable_sets(whole.without(3))
    for bad in ({"rows": (10,)}, {"boxes": (0,)}, {"digits": (12,)}, {"cells": "r1c10"}):
        with pytest.raises(PuzzleFormatError, match="there is no"):
            region_cells(whole, **bad)
    with pytest.raises(LimitReached, match=r"time limit"):
        unavoidable_sets(whole, size=14, context=Context(time_limit=0.3))
    assert solution_grid(whole.without(0, 1)) == whole
    with pytest.raises(PuzzleFormatError, match="several solutions"):
        solution_grid(Puzzle([0] * 16))
