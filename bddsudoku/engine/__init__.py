"""Engines, which count or compile the solutions of a model and know nothing of puzzles.

The names with which an engine of one's own is written and made known are found here.
"""

from __future__ import annotations

from bddsudoku.lazy_imports import lazy_names

__all__, __getattr__, __dir__ = lazy_names(__name__, __file__)
