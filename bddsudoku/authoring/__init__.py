"""Tools for puzzle authors: new puzzles, minimal sets of hints, unavoidable sets.

:func:`generate` makes puzzles of any board and rules. Hints are removed by
:mod:`bddsudoku.authoring.puzzle_generator`.
"""

from __future__ import annotations

from bddsudoku.lazy_imports import lazy_names

__all__, __getattr__, __dir__ = lazy_names(__name__, __file__)
