"""Which format a file is in: by its ending, else by how it begins."""

from __future__ import annotations

import re
from pathlib import Path

from bddsudoku.errors import ModelError
from bddsudoku.puzzle.formula import cnf, opb
from bddsudoku.puzzle.formula.draft import Draft
from bddsudoku.puzzle.formula.run import run
from bddsudoku.puzzle.formula.source import Source

_ENDINGS = ("formula", "opb", "cnf", "dimacs")
_CNF = re.compile(r"(?:c\b[^\n]*\n|\s)*p\s+cnf\b")
_OPB = re.compile(r"\s*(?:\*|(?:min|max):|[+-]?\d+\s+~?[A-Za-z])")


def ending_of(path: str | Path) -> str:
    """What a file's name says of its format, as :func:`fill` takes it; empty when nothing."""
    suffix = Path(path).suffix.lower()
    return suffix if suffix.removeprefix(".") in ("", *_ENDINGS) else "formula"


def fill(draft: Draft, source: Source, ending: str = "", ignore_objective: bool = False) -> None:
    """Add what a text in one of the three formats says.

    Args:
        draft: what it is added to.
        source: the text.
        ending: ``opb``, ``cnf``, ``dimacs``, or ``formula`` for the language, with or without a
            dot; empty when the text shall tell.
        ignore_objective: leave the objective of an OPB file out rather than refuse it.

    Raises:
        PuzzleFormatError: it cannot be read; the message names line and column.
        ModelError: the ending is another one.
    """
    form = ending.lower().removeprefix(".")
    if form not in ("", *_ENDINGS):
        raise ModelError(f"expected one of the endings {', '.join(_ENDINGS)}, found {ending!r}")
    if form in ("cnf", "dimacs") or (not form and _CNF.match(source.text)):
        cnf.read(source, draft)
    elif form == "opb" or (not form and _OPB.match(source.text)):
        opb.read(source, draft, ignore_objective)
    else:
        run(source, draft)
