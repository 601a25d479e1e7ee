"""HTML of objects in notebooks: a table of facts about an object, and the heat map of a set.

Notebooks call an object's ``_repr_html_`` each time a cell shows it, so nothing that takes long is
computed for a table.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from html import escape
from math import ceil, log2, sqrt

from bddsudoku.number_text import format_integer

Facts = Iterable[tuple[str, object]]
"""Names of facts about an object, and what they are: integers, or text."""

_MAX_KINDS = 8


def facts_html(kind: str, facts: Facts) -> str:
    """A small table about an object: a row for each fact, below the object's kind.

    Args:
        kind: what the object is, as the table's caption.
        facts: integers are written with commas; None leaves a fact out.
    """
    rows = []
    for name, value in facts:
        if value is None:
            continue
        text = format_integer(value) if isinstance(value, int) else str(value)
        rows.append(
            f'<tr><th scope="row" style="text-align:left">{escape(name)}</th>'
            f'<td style="text-align:right">{escape(text)}</td></tr>'
        )
    return f"<table><caption>{escape(kind)}</caption>{''.join(rows)}</table>"


def tally_text(kinds: Iterable[str]) -> str:
    """How many there are of each kind, the most frequent first: ``81 cell, 27 row, 3 other``."""
    found = Counter(kinds).most_common()
    rest = sum(number for _, number in found[_MAX_KINDS:])
    tallied = [*found[:_MAX_KINDS], *([("other", rest)] if rest else [])]
    return ", ".join(f"{number:,} {kind}" for kind, number in tallied)


def entropy(counts: Sequence[int]) -> float:
    """The entropy, in bits, of a cell's symbol over the solutions.

    Args:
        counts: in how many solutions each symbol is there.

    Returns:
        0 where one symbol is in all solutions; log2(symbols) at most.
    """
    total = sum(counts)
    shares = [k / total for k in counts if k]
    return -sum(p * log2(p) for p in shares if p)


def heatmap_html(counts: Sequence[Sequence[Sequence[int]]], total: int, symbols: str) -> str:
    """A heat map of a set of grids: backbone symbols in bold, true candidates small.

    A cell is the darker the greater the entropy of its symbol over the solutions; its title has
    the symbols' marginal probabilities. The text says the same as the colour.

    Args:
        counts: for each row, column and symbol the number of solutions that have it there.
        total: number of solutions.
        symbols: the signs of the symbols.
    """
    name = f"{format_integer(total)} solution{'' if total == 1 else 's'}"
    if not total:
        return f"<p>{len(counts)}×{len(counts[0])} grids: no solution</p>"
    side = ceil(sqrt(len(symbols)))

    def candidates_html(cell: Sequence[int]) -> str:
        """HTML of the symbols that a cell can have, in a small square pattern."""
        signs = "".join(symbols[s] if k else "\u2007" for s, k in enumerate(cell))
        marks = "<br>".join(escape(signs[i : i + side]) for i in range(0, len(symbols), side))
        return f'<div style="font:.6em/1.1 monospace;white-space:pre">{marks}</div>'

    lines = []
    for r, row in enumerate(counts):
        cells = []
        for c, cell in enumerate(row):
            probabilities = [(k / total, symbols[s]) for s, k in enumerate(cell) if k]
            light = 100 - 38 * entropy(cell) / log2(max(len(symbols), 2))
            text = (
                f"<b>{escape(probabilities[0][1])}</b>"
                if len(probabilities) == 1
                else candidates_html(cell)
            )
            title = escape(
                f"r{r + 1}c{c + 1}: " + ", ".join(f"{s} {p:.1%}" for p, s in probabilities)
            )
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
