"""Sudoku of any block shape: layout, puzzle, text, allocation, the paper's procedures."""

from bddsudoku.lazy_imports import lazy_names

__all__, __getattr__, __dir__ = lazy_names(__name__, __file__)
