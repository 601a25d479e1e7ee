"""Solving puzzles: the choice of an engine, and the functions that commands and notebooks call."""

from __future__ import annotations

from bddsudoku.lazy_imports import lazy_names

__all__, __getattr__, __dir__ = lazy_names(__name__, __file__)
