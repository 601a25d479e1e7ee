"""Numberlink: join the two terminals of every pair, no two paths in one cell.

Boards (:mod:`.text`, :mod:`.board`), their solutions (:mod:`.links`), the set of all of them
(:mod:`.solving`) by the frontier engine (:mod:`.specs`), and a heuristic that looks for one
(:mod:`.router`).
"""

from __future__ import annotations

from bddsudoku.lazy_imports import lazy_names

__all__, __getattr__, __dir__ = lazy_names(__name__, __file__)
