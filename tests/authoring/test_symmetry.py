"""Orbits of cells under symmetries, and patterns in files."""

from __future__ import annotations

import numpy as np
import pytest

from bddsudoku import Layout, PuzzleFormatError
from bddsudoku.authoring.puzzle_request import (
    SYMMETRIES,
    cell_orbits,
    check_symmetry,
    read_pattern,
)

MOVES = {
    "rotate180": [lambda a: np.rot90(a, 2)],
    "rotate90": [np.rot90],
    "left-right": [np.fliplr],
    "top-bottom": [np.flipud],
    "diagonal": [np.transpose],
    "antidiagonal": [lambda a: np.rot90(a, 2).T],
    "mirrors": [np.fliplr, np.flipud],
    "diagonals": [np.transpose, lambda a: np.rot90(a, 2).T],
    "full": [np.rot90, np.transpose],
    "none": [],
}
NUMBER = {"none": 81, "rotate180": 41, "rotate90": 21, "mirrors": 25, "diagonals": 25, "full": 15}


@pytest.mark.parametrize("name", SYMMETRIES)
@pytest.mark.parametrize("n", [4, 6, 9])
def test_orbits_are_the_smallest_sets_that_look_the_same(name: str, n: int) -> None:
    found = cell_orbits(n, name)
    assert sorted(cell for orbit in found for cell in orbit) == list(range(n * n))
    if n == 9:
        assert len(found) == NUMBER.get(name, 45)
    for orbit in found:
        board = np.zeros((n, n), bool)
        board.flat[orbit] = True
        for move in MOVES[name]:
            assert (move(board) == board).all()
        reached = np.zeros((n, n), bool)
        reached.flat[orbit[0]] = True
        for _ in range(8):
            for move in MOVES[name]:
                reached |= move(reached)
        assert (reached == board).all()


def test_patterns() -> None:
    small = Layout(2, 2)
    assert read_pattern(["# note", "#..x", "", "1", "....", ""], small) == {0, 3, 8}
    with pytest.raises(PuzzleFormatError, match="line 2: expected 4 signs"):
        read_pattern(["....", ".....", "....", "...."], small, "file")
    check_symmetry(frozenset({0, 15}), cell_orbits(4, "rotate180"), 4)
