"""Decoder of Sudoku solutions: keys, rows, grids, and descriptions in JSON."""

from __future__ import annotations

import numpy as np
import pytest

from bddsudoku.errors import PuzzleFormatError
from bddsudoku.puzzle.sudoku.grid import Puzzle
from bddsudoku.puzzle.sudoku.layout import Layout
from bddsudoku.puzzle.sudoku.sudoku_decoder import SudokuDecoder

GRID = Puzzle([1, 2, 3, 4, 3, 4, 1, 2, 2, 1, 4, 3, 4, 3, 2, 1])
PUZZLE = GRID.without(3, 4, 9)


@pytest.mark.parametrize(
    "wrong", [Puzzle([0] * 81), [1, 2], np.full(16, 5), np.full(16, -1), np.zeros(16), "12", None]
)
def test_values_that_are_no_grid_of_the_layout(wrong: object) -> None:
    with pytest.raises((PuzzleFormatError, TypeError)):
        SudokuDecoder(PUZZLE).encode_row(wrong)


def test_spaces_are_layouts() -> None:
    assert SudokuDecoder(PUZZLE).space == SudokuDecoder(GRID).space
    assert SudokuDecoder(Layout(2, 3)).space != SudokuDecoder(Layout(3, 2)).space


def test_puzzle_of_a_combined_set() -> None:
    a, b = SudokuDecoder(PUZZLE), SudokuDecoder(GRID.without(0, 4))
    assert a.merge(b, True).puzzle == GRID.without(4)
    assert a.merge(b, False).puzzle == GRID.without(0, 3, 4, 9)
    assert a.with_hints({3: 4}).puzzle == GRID.without(4, 9)
    assert a.with_hints({0: 1}).puzzle == a.puzzle
