"""Branching over one-hot constraints and machines: near-unique puzzles of any rules.

:func:`prepare` makes flat arrays of a problem; :func:`count`, :func:`solutions` and
:func:`true_candidates` ask about it, any number of times. Nothing here is shared with dancing links
or the plain backtracker.
"""

from __future__ import annotations

from bddsudoku.engine.search.prepare import Prepared, prepare
from bddsudoku.engine.search.search import (
    Search,
    SearchResult,
    count,
    solutions,
    true_candidates,
)

__all__ = [
    "Prepared",
    "Search",
    "SearchResult",
    "count",
    "prepare",
    "solutions",
    "true_candidates",
]
