"""Sudoku with blocks of any shape: boards, puzzles, rules, text, pictures, models and orders."""

from bddsudoku.lazy_imports import lazy_names

__all__, __getattr__, __dir__ = lazy_names(__name__, __file__)
