"""Which format a file is in: by its ending, else by how it begins."""

from __future__ import annotations

import re

from bddsudoku.puzzle.formula import cnf, opb
from bddsudoku.puzzle.formula.draft import Draft
from bddsudoku.puzzle.formula.run import run
from bddsudoku.puzzle.formula.source import Source

__all__ = ["fill"]

_CNF = re.compile(r"(?:c\b[^\n]*\n|\s)*p\s+cnf\b")
_OPB = re.compile(r"\s*(?:\*|(?:min|max):|[+-]?\d+\s+~?[A-Za-z])")


def fill(draft: Draft, source: Source, ending: str = "", ignore_objective: bool = False) -> None:
    """Add what a text in one of the three formats says.

    Args:
        draft: what it is added to.
        source: the text.
        ending: ``.opb``, ``.cnf`` (or ``.dimacs``), another for the language; empty when unknown.
        ignore_objective: leave the objective of an OPB file out rather than refuse it.

    Raises:
        PuzzleFormatError: it cannot be read; the message names line and column.
    """
    if ending in (".cnf", ".dimacs") or (not ending and _CNF.match(source.text)):
        cnf.read(source, draft)
    elif ending == ".opb" or (not ending and _OPB.match(source.text)):
        opb.read(source, draft, ignore_objective)
    else:
        run(source, draft)
