"""Counts of grids with other blocks: jigsaws over all dissections, Latin squares."""

from __future__ import annotations

import pytest
from grids import dissections, symmetric_dissections

from bddsudoku.puzzle.sudoku import Layout, empty_board_model
from bddsudoku.solver import count

JIGSAWS = [1, 4, 72, 13872, 11762160]
"""Grids of n x n over all dissections into n connected regions (OEIS A172477 counts regions)."""
LATIN = [1, 2, 12, 576, 161280, 812851200]
"""OEIS A002860."""


def jigsaws(n: int, engine: str) -> int:
    total = 0
    left = {*dissections(n)}
    while left:
        symmetric = symmetric_dissections(next(iter(left)), n)
        assert symmetric <= left
        left -= symmetric
        model = empty_board_model(Layout.jigsaw(symmetric.pop()))
        total += (1 + len(symmetric)) * count(model, engine)
    return total


@pytest.mark.parametrize("engine", ["frontier", "search", "dlx"])
@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_jigsaws(n: int, engine: str) -> None:
    assert jigsaws(n, engine) == JIGSAWS[n - 1]


@pytest.mark.slow
def test_jigsaws_of_five() -> None:
    assert jigsaws(5, "frontier") == JIGSAWS[4]


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_latin_squares(n: int) -> None:
    model = empty_board_model(Layout.latin(n))
    assert count(model, "frontier") == LATIN[n - 1]
    if n < 5:
        assert count(model, "dlx") == count(model, "search") == LATIN[n - 1]


@pytest.mark.slow
def test_latin_squares_of_six() -> None:
    assert count(empty_board_model(Layout.latin(6)), "frontier") == LATIN[5]
