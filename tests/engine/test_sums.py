"""Sums of the constraint search: cliques, subset sums, and propagation against enumeration."""

from __future__ import annotations

import random
from itertools import combinations, product

import numpy as np
import pytest

from bddsudoku.context import Context
from bddsudoku.engine.search.engine import SearchEngine
from bddsudoku.engine.search.sums import (
    FAILED,
    MAX_VALUES,
    REMOVED,
    Sum,
    _subset_sums,
    find_sum,
    new_sum_workspace,
    propagate_sum,
    sum_tables,
)
from bddsudoku.model.constraints import Linear
from bddsudoku.puzzle.sudoku import Puzzle, allocate
from bddsudoku.puzzle.sudoku.rules import rule_from_line

Values = list[dict[int, int]]
"""For each item the candidate of every value."""


def some_items(rng: random.Random) -> tuple[Values, dict[int, int], set[tuple[int, int]]]:
    """Items with values, the conflict set of each candidate, and the pairs that differ.

    Items form up to three groups; within a group equal values conflict.
    """
    unit, low = rng.choice((1, 1, 2, 10, -1)), rng.randint(-5, 5)
    items: Values = []
    candidates = 0
    for _ in range(rng.randint(1, 5)):
        values = rng.sample(range(4), rng.randint(2, 4))
        items.append({low + unit * v: candidates + i for i, v in enumerate(values)})
        candidates += len(values)
    group = [rng.randrange(3) for _ in items]
    conflict = dict.fromkeys(range(candidates), 0)
    for i, item in enumerate(items):
        for value, u in item.items():
            conflict[u] |= 1 << i  # its own item
            conflict[u] |= 1 << (100 + 1000 * group[i] + value)
    differ = {(i, j) for i, j in combinations(range(len(items)), 2) if group[i] == group[j]}
    return items, conflict, differ


def linear_of(items: Values, low: int | None, high: int | None) -> Linear:
    weight = {u: value for item in items for value, u in item.items()}
    return Linear(
        "sum", "", tuple(sorted(weight)), tuple(weight[u] for u in sorted(weight)), low, high
    )


def grids(
    items: Values, differ: set[tuple[int, int]], live: set[int], low: int, high: int
) -> list[tuple[int, ...]]:
    """The candidates of every assignment within the bounds, by enumeration."""
    found = []
    for values in product(*items):
        chosen = tuple(item[v] for item, v in zip(items, values, strict=True))
        fits = low <= sum(values) <= high and live.issuperset(chosen)
        if fits and all(values[i] != values[j] for i, j in differ):
            found.append(chosen)
    return found


def propagated(one: Sum, candidates: int, live: set[int]) -> tuple[int, set[int]]:
    """The status of one propagation, and the candidates that it removes."""
    tables = sum_tables([one], np.arange(candidates))
    row, gone = np.zeros((2, -(-candidates // 64)), dtype=np.uint64)
    for u in live:
        row[u >> 6] |= np.uint64(1 << (u & 63))
    status = propagate_sum(np.uint64(0), row, gone, tables, new_sum_workspace(tables))
    return status, {u for u in range(candidates) if int(gone[u >> 6]) >> (u & 63) & 1}


@pytest.mark.parametrize("seed", range(300))
def test_no_solution_is_lost_and_every_wrong_total_is_found(seed: int) -> None:
    rng = random.Random(seed)
    items, conflict, differ = some_items(rng)
    candidates = len(conflict)
    total = sum(rng.choice([*item]) for item in items)
    low, high = total - rng.choice((0, 0, 3)), total + rng.choice((0, 0, 2))
    one = find_sum(linear_of(items, low, high), [[*item.values()] for item in items], conflict)
    assert one is not None
    live = {u for u in range(candidates) if rng.random() < 0.7}
    live |= {rng.choice([*item.values()]) for item in items}
    wanted = grids(items, differ, live, low, high)
    status, gone = propagated(one, candidates, live)
    if wanted:
        assert status != FAILED
        assert not gone & {u for chosen in wanted for u in chosen}
    assert (status == REMOVED) == bool(gone)
    decided = {rng.choice([u for u in item.values() if u in live]) for item in items}
    if all(conflict[u] & conflict[v] & ~0xFF == 0 for u, v in combinations(decided, 2)):
        status, gone = propagated(one, candidates, decided)
        assert (status == FAILED) == (not grids(items, differ, decided, low, high))


def test_one_clique_with_equal_values_is_exact() -> None:
    """Three different values of 1 to 6 with the sum 7 are 1, 2 and 4."""
    items = [{v: 6 * i + v - 1 for v in range(1, 7)} for i in range(3)]
    conflict = {u: 1 << (u % 6) for u in range(18)}
    one = find_sum(linear_of(items, 7, 7), [[*item.values()] for item in items], conflict)
    assert one is not None
    assert [len(rows) for _, rows in one.cliques] == [3]
    assert propagated(one, 18, {*range(18)}) == (
        REMOVED,
        {u for u in range(18) if u % 6 in (2, 4, 5)},
    )
    impossible = find_sum(linear_of(items, 5, 5), [[*item.values()] for item in items], conflict)
    assert impossible is not None
    assert propagated(impossible, 18, {*range(18)})[0] == FAILED


def test_subset_sums() -> None:
    table = _subset_sums(5)
    for mask, size in product(range(32), range(6)):
        chosen = combinations([v for v in range(5) if mask >> v & 1], size)
        assert int(table[mask, size]) == sum(1 << total for total in {sum(some) for some in chosen})


def test_what_is_left_to_mdds() -> None:
    """Items with too many values, with values that are far apart, or with equal weights."""
    wide = {v: v for v in range(MAX_VALUES + 1)}
    for item in (wide, {0: 0, 1: 1, MAX_VALUES: 2}):
        conflict = dict.fromkeys(item.values(), 1)
        assert find_sum(linear_of([item], 1, 1), [[*item.values()]], conflict) is None
    same = Linear("sum", "", (0, 1), (1, 1), 1, 1)
    assert find_sum(same, [[0, 1]], {0: 1, 1: 1}) is None
    far = [{0: 0, 10_000: 1}]
    assert find_sum(linear_of(far, 0, 0), [[0, 1]], {0: 1, 1: 1}) is None


def test_cells_that_differ_decide_a_shaft_at_the_root() -> None:
    """Rows 2 and 3 without a cell have a sum of 81 to 89: possible for a pill of two cells only."""
    shaft = " ".join(f"r{r}c{c}" for r in (2, 3) for c in range(1, 10) if r + c < 12)
    for pill, wanted in (("r1c1 r1c2", 1), ("r1c1", 0)):
        puzzle = Puzzle([0] * 81, rules=[rule_from_line(f"arrow {pill} > {shaft}")])
        found = SearchEngine().solutions(allocate(puzzle), Context(), limit=1, node_limit=200)
        assert len(list(found)) == wanted
