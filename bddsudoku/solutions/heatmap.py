"""A small heat map of a grid set's marginals as one HTML table, for notebooks."""

from __future__ import annotations

from html import escape
from math import ceil, log, sqrt
from typing import TYPE_CHECKING

from bddsudoku.solutions.wording import number

if TYPE_CHECKING:
    from bddsudoku.solutions.gridset import GridSet

__all__ = ["heatmap_html"]


def heatmap_html(solutions: GridSet) -> str:
    """The grid with settled symbols in bold and the possible symbols, small, elsewhere.

    The darker a cell, the less is known about it (entropy over the solutions); the shares of its
    symbols are in the cell's title. The text says the same as the colour.
    """
    rows, columns, symbols = solutions.shape
    total = solutions.count()
    name = f"{number(total)} solution{'' if total == 1 else 's'}"
    if not total:
        return f"<p>{rows}×{columns} grids: no solution</p>"
    counts = solutions.marginals().tolist()
    written = solutions.decoder.symbols
    side = ceil(sqrt(symbols))

    def small(cell: list[int]) -> str:
        """The symbols that a cell can have, each at its place."""
        signs = "".join(written[s] if k else "\u2007" for s, k in enumerate(cell))
        marks = "<br>".join(escape(signs[i : i + side]) for i in range(0, symbols, side))
        return f'<div style="font:.6em/1.1 monospace;white-space:pre">{marks}</div>'

    lines = []
    for r in range(rows):
        cells = []
        for c in range(columns):
            shares = [(k / total, written[s]) for s, k in enumerate(counts[r][c]) if k]
            entropy = -sum(p * log(p) for p, _ in shares if p > 0)
            shade = entropy / log(symbols) if symbols > 1 else 0.0
            light = 100 - 38 * max(0.0, min(1.0, shade))
            text = f"<b>{escape(shares[0][1])}</b>" if len(shares) == 1 else small(counts[r][c])
            title = escape(f"r{r + 1}c{c + 1}: " + ", ".join(f"{s} {p:.1%}" for p, s in shares))
            cells.append(
                f'<td title="{title}" style="border:1px solid #999;width:2.4em;height:2.4em;'
                f'text-align:center;padding:0;color:#000;background:hsl(210,60%,{light:.0f}%)">'
                f"{text}</td>"
            )
        lines.append(f"<tr>{''.join(cells)}</tr>")
    caption = f"{name}; bold: settled, small: possible; the darker, the less is known"
    return (
        '<table style="border-collapse:collapse"><caption>'
        f"{escape(caption)}</caption>{''.join(lines)}</table>"
    )
