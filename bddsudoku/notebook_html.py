"""HTML of objects in notebooks: a table of facts about an object.

Notebooks call an object's ``_repr_html_`` each time a cell shows it, so nothing that takes long is
computed for a table.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from html import escape
from math import log2

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
