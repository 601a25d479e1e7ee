"""The estimate of the number of minimal puzzles, where the number is known."""

from __future__ import annotations

import numpy as np
import pytest
from worlds import has_one_solution

from bddsudoku.authoring.minimal_puzzle_estimate import (
    ClassicBoards,
    TableBoardTests,
    classic_weight,
    estimate_population,
)

MINIMAL = {4: 25728, 5: 58368, 6: 1536}


@pytest.mark.parametrize("leap", [0, 5])
@pytest.mark.parametrize("favoured", [False, True])
def test_small_boards_are_estimated_without_bias(leap: int, favoured: bool) -> None:
    boards = TableBoardTests(has_one_solution())
    prefer = (lambda left, goes: (1.0 + goes) ** (left - 8)) if favoured else None
    found = []
    for seed in range(400):
        rng = np.random.default_rng([seed, leap])
        drawn = rng.integers(0, 288, 40)
        found.append(288 * estimate_population(boards, drawn, rng, systematic=leap, weight=prefer))
    mean = np.mean(found, axis=0)
    error = np.std(found, axis=0, ddof=1) / len(found) ** 0.5
    for hints, number in MINIMAL.items():
        assert abs(mean[hints] - number) < 4 * error[hints] + 1e-9 * number
        assert error[hints] < 0.3 * number
    assert mean.sum() == pytest.approx(sum(MINIMAL.values()), rel=0.1)


def test_estimate_for_classic_boards_is_close() -> None:
    line = "123456789456789123789123456231564897564897231897231564312645978645978312978312645"
    grid = np.array([[*map(int, line)]], dtype=np.uint8)
    rng = np.random.default_rng(1)
    boards = ClassicBoards(grid)
    found = estimate_population(
        boards, np.zeros(512, np.int64), rng, systematic=25, weight=classic_weight
    )
    assert 1e13 < found.sum() < 1e18  # 4.7e15 on average over all grids
    assert 22 <= found.argmax() <= 29
