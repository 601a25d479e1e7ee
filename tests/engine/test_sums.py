"""Sums of the constraint search: cliques, subset sums, and propagation against enumeration."""

from __future__ import annotations

import random
from itertools import combinations, product

import numpy as np
import pytest

from bddsudoku.context import Context
from bddsudoku.engine.search.engine import SearchEngine
from bddsudoku.engine.search.sums import (
    Sum,
    find_sum,
    make_sum_tables,
    new_sum_workspace,
    propagate_sum,
)
from bddsudoku.puzzle.sudoku import Puzzle, allocate
from bddsudoku.puzzle.sudoku.rules import rule_from_line

Live = set[tuple[int, int]]
"""Cells and values."""
Values = list[dict[int, int]]
"""For each cell the value of every weight."""


def some_cells(rng: random.Random) -> tuple[Values, set[tuple[int, int]]]:
    """Cells with weights, and the pairs that differ.

    Cells form up to three groups; in a group weights are different.
    """
    unit, low = rng.choice((1, 1, 2, 10, -1)), rng.randint(-5, 5)
    cells: Values = []
    for _ in range(rng.randint(1, 5)):
        weights = rng.sample(range(4), rng.randint(2, 4))
        cells.append({low + unit * w: rng.choice((w, i)) for i, w in enumerate(weights)})
        if len({*cells[-1].values()}) < len(weights):
            cells[-1] = {low + unit * w: w for w in weights}
    group = [rng.randrange(3) for _ in cells]
    return cells, {(i, j) for i, j in combinations(range(len(cells)), 2) if group[i] == group[j]}


def sum_of(cells: Values, differ: set[tuple[int, int]], low: int | None, high: int | None) -> Sum:
    """The sum as cliques."""
    apart = [0] * len(cells)
    for i, j in differ:
        if cells[i].keys() & cells[j].keys():
            apart[i] |= 1 << j
            apart[j] |= 1 << i
    found = find_sum(low, high, range(len(cells)), cells, apart)
    assert found is not None
    return found


def grids(
    cells: Values, differ: set[tuple[int, int]], live: Live, low: int, high: int
) -> list[tuple[tuple[int, int], ...]]:
    """The cells and values of every assignment within the bounds, by enumeration."""
    found = []
    for weights in product(*cells):
        chosen = tuple((i, of[w]) for i, (of, w) in enumerate(zip(cells, weights, strict=True)))
        fits = low <= sum(weights) <= high and live.issuperset(chosen)
        if fits and all(weights[i] != weights[j] for i, j in differ):
            found.append(chosen)
    return found


def propagated(one: Sum, cells: int, live: Live) -> tuple[bool, Live]:
    """Whether one propagation finds no dead end, and the values that it leaves."""
    tables = make_sum_tables([one])
    row = np.zeros(cells, dtype=np.uint64)
    for c, v in live:
        row[c] |= np.uint64(1 << v)
    changed = np.zeros(64 * cells + 2, dtype=np.uint64)
    n = propagate_sum(np.int64(0), row, changed, tables, new_sum_workspace(tables))
    return n >= 0, {(c, v) for c, v in live if int(row[c]) >> v & 1}


@pytest.mark.parametrize("seed", range(300))
def test_no_solution_is_lost_and_every_wrong_total_is_found(seed: int) -> None:
    rng = random.Random(seed)
    cells, differ = some_cells(rng)
    total = sum(rng.choice([*of]) for of in cells)
    low, high = total - rng.choice((0, 0, 3)), total + rng.choice((0, 0, 2))
    one = sum_of(cells, differ, low, high)
    live = {(i, v) for i, of in enumerate(cells) for v in of.values() if rng.random() < 0.7}
    live |= {(i, rng.choice([*of.values()])) for i, of in enumerate(cells)}
    wanted = grids(cells, differ, live, low, high)
    alive, left = propagated(one, len(cells), live)
    if wanted:
        assert alive
        assert left >= {place for chosen in wanted for place in chosen}
    decided = {(i, rng.choice([v for c, v in live if c == i])) for i in range(len(cells))}
    weight = [next(w for w, v in cells[i].items() if v == k) for i, k in sorted(decided)]
    if all(weight[i] != weight[j] for i, j in differ):
        alive, _ = propagated(one, len(cells), decided)
        assert alive == bool(grids(cells, differ, decided, low, high))


def test_one_clique_with_equal_weights_is_exact() -> None:
    """Three different digits of 1 to 6 with the sum 7 are 1, 2 and 4."""
    cells = [{v: v - 1 for v in range(1, 7)} for _ in range(3)]
    differ = {*combinations(range(3), 2)}
    every = {(c, v) for c in range(3) for v in range(6)}
    one = sum_of(cells, differ, 7, 7)
    assert [len(rows) for _, rows in one.cliques] == [3]
    assert propagated(one, 3, every) == (True, {(c, v) for c, v in every if v in (0, 1, 3)})
    assert not propagated(sum_of(cells, differ, 5, 5), 3, every)[0]


def test_cells_that_differ_decide_a_shaft_at_the_root() -> None:
    """Rows 2 and 3 without a cell have a sum of 81 to 89: possible for a pill of two cells only."""
    shaft = " ".join(f"r{r}c{c}" for r in (2, 3) for c in range(1, 10) if r + c < 12)
    for pill, wanted in (("r1c1 r1c2", 1), ("r1c1", 0)):
        puzzle = Puzzle([0] * 81, rules=[rule_from_line(f"arrow {pill} > {shaft}")])
        found = SearchEngine().solutions(allocate(puzzle), Context(), limit=1, node_limit=200)
        assert len(list(found)) == wanted
