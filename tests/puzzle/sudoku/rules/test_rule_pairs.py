"""Any two rules on one board."""

from __future__ import annotations

import random
from functools import cache
from itertools import combinations_with_replacement

import pytest
from agreement import ENGINES, agreed
from grids import random_grids
from recipes import names, random_rule

from bddsudoku.puzzle.sudoku import Layout, Puzzle

PAIRS = [*combinations_with_replacement(names(), 2)]
LAYOUTS = [
    Layout(2, 2),
    Layout(2, 3),
    Layout(3, 2),
    Layout.jigsaw((0, 0, 0, 1, 2, 0, 1, 1, 2, 2, 3, 1, 2, 3, 3, 3)),
    Layout.jigsaw(
        (0, 0, 0, 1, 1, 0, 2, 0, 1, 1, 2, 2, 2, 3, 1, 4, 2, 3, 3, 3, 4, 4, 4, 4, 3)
    ),
    Layout.latin(5),
]  # fmt: skip


@cache
def grids_of(layout: Layout) -> list[Puzzle]:
    """Some, to draw rules from."""
    return random_grids(layout, 60)


def looked_at(pair: tuple[str, str], seed: str) -> int:
    """A board with two rules of these names and hints of a grid; the number of solutions."""
    rng = random.Random(f"{pair} {seed}")
    layout = rng.choice(LAYOUTS)
    cells = layout.cell_count
    for grid in rng.sample(grids_of(layout), 20):
        drawn = [random_rule(name, layout, rng, grid) for name in pair]
        rules = [rule for rule in drawn if rule is not None]
        if all(rule.holds(grid) for rule in rules):
            break
    few = cells == 16
    hinted = rng.sample(range(cells), rng.randint(0, 5) if few else cells // 2)
    puzzle = Puzzle([0] * cells, layout, rules=rules).with_hints({c: grid[c] for c in hinted})
    return len(agreed(puzzle, ENGINES if few else ("frontier", "search")))


def test_some_pairs() -> None:
    chosen = random.Random(0).sample(PAIRS, min(len(PAIRS), 90))
    some = sum(looked_at(pair, "") > 0 for pair in chosen)
    assert some > len(chosen) // 3, "most have a solution, or this test says little"


@pytest.mark.slow
@pytest.mark.parametrize("first", names())
def test_all_pairs(first: str) -> None:
    for pair in PAIRS:
        if first == pair[0]:
            for seed in range(6):
                looked_at(pair, f"all {seed}")
