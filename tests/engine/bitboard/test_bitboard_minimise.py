"""Hints that can go: against counting every board without them."""

from __future__ import annotations

import numpy as np
import pytest
from random_boards import random_grids

from bddsudoku.engine.bitboard import count_many
from bddsudoku.engine.bitboard.hint_removal import removable_hints, remove_hints
from bddsudoku.jit.decorators import I16, U8

SINGLE = [[cell] for cell in range(81)]
TURNED = [[cell, 80 - cell] for cell in range(40)] + [[40]]


def orders_of(units: list[list[int]], number: int, seed: int) -> I16:
    some = np.tile(np.arange(len(units), dtype=np.int16), (number, 1))
    return np.random.default_rng(seed).permuted(some, axis=1)


def plainly(
    grid: U8, order: I16, units: list[list[int]], most: int, least: int
) -> tuple[list[int], int]:
    """The same, a count from scratch for every step."""
    board, count = grid.copy(), 1
    for unit in order.tolist():
        fewer = board.copy()
        fewer[units[unit]] = 0
        solutions = int(count_many(fewer[None], most + 1).counts[0])
        if np.count_nonzero(fewer) >= least and solutions <= most:
            board, count = fewer, solutions
    return board.tolist(), count


@pytest.mark.parametrize("units", [SINGLE, TURNED], ids=["single", "turned"])
@pytest.mark.parametrize(("most", "least"), [(1, 0), (1, 30), (2, 0), (20, 0)])
def test_reduced_as_by_counting(units: list[list[int]], most: int, least: int) -> None:
    full = random_grids(12, 3)
    orders = orders_of(units, 12, 4)
    boards, counts = remove_hints(full, orders, units, max_solutions=most, min_hints=least)
    for i in range(12):
        assert plainly(full[i], orders[i], units, most, least) == (boards[i].tolist(), counts[i])


def test_removable_as_by_counting_along_a_path() -> None:
    full = random_grids(10, 8)
    rng = np.random.default_rng(9)
    boards, asked = full.copy(), np.ones(full.shape, np.bool_)
    while asked.any():
        asked = removable_hints(boards, asked)
        for i in range(10):
            cells = np.flatnonzero(boards[i])
            fewer = np.repeat(boards[i][None], len(cells), axis=0)
            fewer[np.arange(len(cells)), cells] = 0
            assert (asked[i, cells] == (count_many(fewer, 2).counts == 1)).all()
        for i in range(10):
            if asked[i].any():
                last = rng.choice(np.flatnonzero(asked[i]))
                boards[i, last] = asked[i, last] = 0
