"""The answer as a set. Knows no engine and no puzzle."""

from __future__ import annotations

from bddsudoku.lazy import lazy_names

__all__, __getattr__, __dir__ = lazy_names(__name__, __file__)
