"""Sets of solutions, independent of the engine that made them and of the kind of puzzle."""

from __future__ import annotations

from bddsudoku.lazy_imports import lazy_names

__all__, __getattr__, __dir__ = lazy_names(__name__, __file__)
