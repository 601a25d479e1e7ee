"""Answers as text tables; the layout is tabulate's."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tabulate import tabulate

from bddsudoku.puzzle.sudoku.layout import SYMBOLS


def thousands(number: int | None) -> str:
    """``2,284,505``; a dash for None."""
    return "–" if number is None else f"{number:,}"


def decimal_words(number: str) -> str:
    """``2,284.50`` of ``2284.50``."""
    whole, dot, places = number.partition(".")
    return f"{int(whole):,}{dot}{places}"


def counted_words(count: int) -> str:
    """``no solution``, ``1 solution``, ``2,284,505 solutions``."""
    return f"{count:,} solution{'' if count == 1 else 's'}" if count else "no solution"


def hint_words(hint: Mapping[str, Any]) -> str:
    """``r1c2=3`` of {cell, digit}."""
    return f"{hint['cell']}={SYMBOLS[hint['digit'] - 1]}"


def table(
    rows: Iterable[Sequence[Any]], headers: Sequence[str], *, form: str = "simple", align: str = ""
) -> str:
    """A table for people.

    Args:
        rows: cells as they shall be read (numbers keep their text form).
        headers: one a column.
        form: a tabulate format: ``simple``, ``github``, …
        align: one letter a column, ``l`` or ``r``; right by default but for the first column.
    """
    names = {"l": "left", "r": "right", "c": "center"}
    letters = align or "l" + "r" * (len(headers) - 1)
    return tabulate(
        [[str(c) for c in row] for row in rows],
        headers=list(headers),
        tablefmt=form,
        colalign=[names[a] for a in letters],
        disable_numparse=True,
    )


def marginals_table(counts: NDArray[Any]) -> str:
    """One line a cell, one column a digit; a dot where no solution has the digit there.

    Args:
        counts: shape (rows, columns, digits), exact.
    """
    rows, columns, digits = counts.shape
    lines = [
        [f"r{r + 1}c{c + 1}", *(f"{int(k):,}" if k else "." for k in counts[r, c])]
        for r in range(rows)
        for c in range(columns)
    ]
    return table(lines, ["cell", *SYMBOLS[:digits]])


def marginals_csv(counts: NDArray[Any]) -> str:
    """``row,column,digit,count`` for every digit that some solution has there, from 1."""
    lines = ["row,column,digit,count"]
    lines += [
        f"{r + 1},{c + 1},{d + 1},{int(counts[r, c, d])}"
        for r, c, d in np.argwhere(counts != 0).tolist()
    ]
    return "\n".join(lines) + "\n"
