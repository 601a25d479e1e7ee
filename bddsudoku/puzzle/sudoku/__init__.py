"""Sudoku of any block shape: layout, puzzle, text, allocation, the paper's procedures."""

from bddsudoku.puzzle.sudoku.allocation import Allocation, allocate, full_model
from bddsudoku.puzzle.sudoku.grid import Puzzle
from bddsudoku.puzzle.sudoku.layout import Layout

__all__ = ["Allocation", "Layout", "Puzzle", "allocate", "full_model"]
