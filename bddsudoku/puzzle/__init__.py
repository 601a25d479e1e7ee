"""Kinds of puzzles, each with readers, a constraint model and a decoder of its solutions.

The public names are exported here; each kind of puzzle has a package of its own.
"""

from __future__ import annotations

from bddsudoku.lazy_imports import lazy_names

__all__, __getattr__, __dir__ = lazy_names(__name__, __file__)
