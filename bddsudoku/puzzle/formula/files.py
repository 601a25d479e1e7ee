"""Which format a file is in: by its ending, and standard input by its first word."""

from __future__ import annotations

import re
from pathlib import Path

from bddsudoku.puzzle.formula import cnf, opb
from bddsudoku.puzzle.formula.problem import Problem
from bddsudoku.puzzle.formula.run import run
from bddsudoku.puzzle.formula.source import Source

__all__ = ["parse", "read"]

_CNF = re.compile(r"(?:c\b[^\n]*\n|\s)*p\s+cnf\b")
_OPB = re.compile(r"\s*(?:\*|(?:min|max):|[+-]?\d+\s+~?[A-Za-z])")


def read(path: str | Path, ignore_objective: bool = False) -> Problem:
    """See :meth:`Problem.read`."""
    return parse(Source.read(path), Path(path).suffix.lower(), ignore_objective)


def parse(source: Source, ending: str = "", ignore_objective: bool = False) -> Problem:
    """A text in one of the three formats.

    Args:
        source: the text.
        ending: ``.opb``, ``.cnf`` (or ``.dimacs``), another for the language; empty when unknown.
        ignore_objective: leave the objective of an OPB file out rather than refuse it.

    Raises:
        PuzzleFormatError: it cannot be read; the message names line and column.
    """
    if ending in (".cnf", ".dimacs") or (not ending and _CNF.match(source.text)):
        return cnf.read(source)
    if ending == ".opb" or (not ending and _OPB.match(source.text)):
        return opb.read(source, ignore_objective)
    return run(source)
