"""Numberlink: join the two terminals of every pair by paths, no two of which share a cell.

Boards (:mod:`.board_text`, :mod:`.link_board`), their solutions (:mod:`.link_solution`), the set of
all solutions (:mod:`.link_sets`) by the frontier engine (:mod:`.path_spec`).
"""

from __future__ import annotations

from bddsudoku.lazy_imports import lazy_names

__all__, __getattr__, __dir__ = lazy_names(__name__, __file__)
