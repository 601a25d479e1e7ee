"""For people who make puzzles: puzzles to order, and how many there are.

:func:`generate` makes puzzles of any board and rules; :mod:`.estimate` tells how many minimal ones
there are. Hints are taken away by :mod:`bddsudoku.authoring.hint_removal_search`.
"""

from __future__ import annotations

from bddsudoku.lazy_imports import lazy_names

__all__, __getattr__, __dir__ = lazy_names(__name__, __file__)
