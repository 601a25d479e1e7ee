"""Symmetries of boards: canonical forms of puzzles and grids, and how many look the same."""

from __future__ import annotations

from bddsudoku.lazy_imports import lazy_names

__all__, __getattr__, __dir__ = lazy_names(__name__, __file__)
