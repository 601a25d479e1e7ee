"""Names of pairs: distinct while they are needed, few, and the same board whatever they are."""

from __future__ import annotations

import random

import numpy as np
import pytest

from bddsudoku.numberlink.naming import PAIR, naming


def board(rng: random.Random, rows: int, columns: int, pairs: int) -> np.ndarray:
    """Terminals at random; pairs numbered by their first."""
    cells = rng.sample(range(rows * columns), 2 * pairs)
    grid = np.zeros(rows * columns, np.int64)
    ends = sorted(sorted(cells[i : i + 2]) for i in range(0, len(cells), 2))
    for k, both in enumerate(ends):
        grid[both] = PAIR + k
    return grid.reshape(rows, columns)


@pytest.mark.parametrize("seed", range(20))
def test_names_are_distinct_and_few(seed: int) -> None:
    rng = random.Random(seed)
    rows, columns = rng.randint(2, 9), rng.randint(2, 9)
    grid = board(rng, rows, columns, rng.randint(1, rows * columns // 2))
    flat = grid.reshape(-1).tolist()
    names = naming(grid)
    first = {k: flat.index(k) for k in flat if k}
    last = {k: len(flat) - 1 - flat[::-1].index(k) for k in flat if k}
    for level in range(len(flat)):
        open_ = {k: int(names.of[level, k]) for k in first if first[k] < level <= last[k]}
        pool = [i for i in range(64) if int(names.pool[level]) >> i & 1]
        alive = [*open_.values(), *pool]
        assert len(set(alive)) == len(alive)
        assert all(PAIR <= name <= names.greatest for name in alive)
        seen = sum(last[k] < level for k in last)
        assert len(pool) == min(seen, max(0, columns + 1 - len(open_)) // 2)
        later = [int(names.of[level, k]) for k in first if first[k] >= level]
        assert len(set(later)) == len(later)
        assert all(code > names.greatest for code in later)
        arriving = {i for i in range(64) if int(names.seen[level]) >> i & 1}
        assert arriving.isdisjoint(open_.values())
        k = flat[level]
        if k and first[k] == level:  # its name belongs to nobody that is there already
            assert int(names.own[level]) not in alive
        if k and last[k] == level:
            assert int(names.own[level]) == open_[k]
        for near, there in ((names.right, level + 1), (names.below, level + columns)):
            inside = there < len(flat) and (near is names.below or there % columns)
            k = flat[there] if inside else 0
            known = k and first[k] <= level
            expected = 0 if not k else (int(names.own[first[k]]) if known else 255)
            assert int(near[level]) == expected


def test_pairs_one_after_the_other_share_a_name() -> None:
    grid = np.zeros((30, 2), np.int64)
    for k in range(30):
        grid[k] = PAIR + k
    names = naming(grid)
    assert names.greatest <= PAIR + 1
    assert naming(grid, fixed=True).greatest == PAIR + 29


def test_more_names_than_a_bit_set_holds_stay_as_they_are() -> None:
    grid = np.zeros((2, 70), np.int64)
    grid[0] = grid[1] = PAIR + np.arange(70)
    names = naming(grid)
    assert names.greatest == PAIR + 69
    assert not names.seen.any()
    assert names.own.tolist() == grid.reshape(-1).tolist()
