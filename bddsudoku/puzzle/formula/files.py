"""Which format a file is in, by its ending."""

from __future__ import annotations

from pathlib import Path

from bddsudoku.puzzle.formula.problem import Problem
from bddsudoku.puzzle.formula.run import run
from bddsudoku.puzzle.formula.source import Source

__all__ = ["read"]


def read(path: str | Path) -> Problem:
    """See :meth:`Problem.read`."""
    return run(Source.read(path))
