"""Tables for notebooks: pandas frames where pandas is installed, plain tables elsewhere."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bddsudoku.puzzle.sudoku.layout import SYMBOLS
from bddsudoku.report.tables import table


class Rows(list[dict[str, Any]]):
    """What :func:`frame` gives where pandas is missing: a list of rows that shows itself."""

    @property
    def columns(self) -> list[str]:
        """Names of the columns, in the order in which they first come up."""
        return list(dict.fromkeys(key for row in self for key in row))

    def _cells(self) -> list[list[str]]:
        return [[_shown(row.get(key)) for key in self.columns] for row in self]

    def __str__(self) -> str:
        return table(self._cells(), self.columns)

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{escape(key)}</th>" for key in self.columns)
        body = "".join(
            "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>"
            for row in self._cells()
        )
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _shown(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.3f}"
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)


def frame(rows: Iterable[Mapping[str, Any]], columns: Sequence[str] | None = None) -> Any:
    """Rows as a ``pandas.DataFrame``, or as :class:`Rows` where pandas is missing.

    Counts stay exact: columns with integers past 64 bits hold Python integers (dtype object).

    Args:
        rows: one mapping a row.
        columns: which ones, in which order; by default all.
    """
    given = [dict(row) for row in rows]
    if columns is not None:
        given = [{key: row.get(key) for key in columns} for row in given]
    try:
        import pandas as pd
    except ImportError:
        return Rows(given)
    return pd.DataFrame(given, columns=None if columns is None else list(columns))


def marginals_frame(counts: NDArray[Any]) -> Any:
    """Marginals in long form: one row for every cell and digit that some solution has there.

    Columns ``row``, ``column``, ``digit`` (as written) and ``count`` (exact), all from 1.

    Args:
        counts: shape (rows, columns, digits).
    """
    return frame(
        (
            {"row": r + 1, "column": c + 1, "digit": SYMBOLS[d], "count": int(counts[r, c, d])}
            for r, c, d in np.argwhere(counts != 0).tolist()
        ),
        ["row", "column", "digit", "count"],
    )


def steps_frame(steps: Iterable[Any]) -> Any:
    """A build's trace, a row for each conjunction.

    Args:
        steps: objects with ``family``, ``label``, ``nodes`` and ``seconds``.
    """
    return frame(
        {
            "step": number,
            "family": step.family,
            "constraint": step.label,
            "nodes": step.nodes,
            "seconds": step.seconds,
        }
        for number, step in enumerate(steps, 1)
    )
