"""Disjunctions of rules: as one MDD, and by a cell that chooses the alternative."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from grids import every_grid
from oracles import grid_of
from recipes import random_rule

from bddsudoku.context import Context
from bddsudoku.engine.protocol import ListingEngine, find_engine
from bddsudoku.puzzle.sudoku import Layout, Puzzle, allocate
from bddsudoku.puzzle.sudoku.rules import AnyOf, any_of_all_of, rule_from_line
from bddsudoku.solver import count, solve

SMALL = Layout(2, 2)


def check_groups(seeds: range) -> Counter[int]:
    """Compare counts with what the rules say of all grids; the numbers of those, 2 for many."""
    sizes: Counter[int] = Counter()
    for seed in seeds:
        rng = random.Random(seed)
        grids = every_grid(SMALL)
        grid = rng.choice(grids) if rng.random() < 0.6 else None
        groups = [random_rule("anyof", SMALL, rng, grid) for _ in range(rng.randint(1, 3))]
        puzzle = Puzzle([0] * 16, rules=[group for group in groups if group is not None])
        expected = sum(all(rule.holds(each) for rule in puzzle.rules) for each in grids)
        assert count(puzzle, "search") == expected, puzzle.text
        sizes[min(expected, 2)] += 1
    return sizes


@pytest.fixture
def apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """No disjunction is one MDD."""
    monkeypatch.setattr(any_of_all_of, "MAX_UNITED", 0)
    any_of_all_of._disjunction.cache_clear()


@pytest.mark.usefixtures("apart")
def test_alternatives_are_chosen() -> None:
    assert check_groups(range(30)).keys() >= {0, 2}


@pytest.mark.slow
@pytest.mark.usefixtures("apart")
def test_many_alternatives_are_chosen() -> None:
    assert min(check_groups(range(1000, 2000)).values()) > 1


@pytest.mark.usefixtures("apart")
def test_more_alternatives_than_digits() -> None:
    """Of 256 rows of digits 20 are allowed, some of them twice."""
    rng = random.Random(1)
    rows = ["".join(rng.choices("1234", k=4)) for _ in range(20)] + ["1234", "4321", "1234"]
    group = AnyOf(tuple(rule_from_line(f'regex "{row}" r1c1 r1c2 r1c3 r1c4') for row in rows))
    puzzle = Puzzle([0] * 16, rules=[group])
    expected = {grid.cells for grid in every_grid(SMALL) if group.holds(grid)}
    assert len(expected) >= 24
    assert {grid.cells for grid in solve(puzzle, "search")} == expected


def test_large_alternatives() -> None:
    """Whole-board rules, and alternatives of many rules (once a product of disjunctions)."""
    board = Puzzle([0] * 81).with_rule("nonconsecutive", "any of (antiknight; antiking)")
    assert count(board, limit=2) == 2
    clash = Puzzle.parse("1.......1" + "." * 72).with_rule("any of (antiknight; antiking)")
    assert count(clash) == 0
    parts = [
        [f".SameValues~2~R{i}C{k}~R{1 + (i + k) % 9}C{1 + k % 9}" for i in range(1, 10)]
        for k in range(1, 10)
    ]
    union = "".join(f".And{''.join(part)}.End" for part in parts)
    puzzle = Puzzle.parse(f".Or{union}.End.~R1C1_5~R5C5_5")
    searcher = find_engine("search")
    assert isinstance(searcher, ListingEngine)
    found = [*searcher.solutions(allocate(puzzle), Context(), limit=2)]
    grids = [grid_of(keys.tolist(), 9, 81) for keys in found]
    assert [Puzzle(grid, rules=puzzle.rules).is_solution for grid in grids] == [True, True]
