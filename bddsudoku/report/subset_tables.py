"""Families of hints, as text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bddsudoku.puzzle.sudoku.grid import Puzzle
from bddsudoku.report.tables import hint_words, table, thousands


def minimal_words(data: Mapping[str, Any]) -> str:
    """``9,865``, or ``× (at least 120)``."""
    return _words(data["minimal"])


def _words(part: Mapping[str, Any]) -> str:
    if part["count"] is not None:
        return thousands(int(part["count"]))
    names = (("at_least", "at least"), ("at_most", "at most"))
    bounds = [f"{words} {thousands(int(part[key]))}" for key, words in names if part.get(key)]
    return f"× ({', '.join(bounds)})" if bounds else "×"


def _range(part: Mapping[str, Any]) -> str:
    """The sizes of minimal subsets."""
    if part["smallest"] is not None:
        low, high = part["smallest"], part["largest"]
        return f"{low} hints" if low == high else f"{low} to {high} hints"
    most = part["smallest_at_most"]
    known = "" if most is None else f", at most {most}; one has {part['largest_at_least']}"
    return f"smallest: at least {part['smallest_at_least']}{known}"


def subsets_text(data: Mapping[str, Any], puzzle: Puzzle) -> str:
    """Numbers of subsets, by size; the hints that cannot go; in how many minimal ones each is."""
    subsets, minimal = data["subsets"], data["minimal"]
    lines = [
        f"Subsets of the {puzzle.hint_count} hints with the same solutions: {_words(subsets)}",
        f"Minimal among them: {_words(minimal)} ({_range(minimal)})",
    ]
    if data["unavoidable"] is not None:
        lines.append(
            f"Minimal sets of hints that cannot go together: {thousands(int(data['unavoidable']))}"
        )
    alone = ", ".join(hint_words(hint) for hint in data["necessary"]) or "none"
    lines.append(f"Hints that cannot go at all ({len(data['necessary'])}): {alone}")
    parts = ["\n".join(lines)]
    sizes = sorted({int(k) for k in (*subsets["sizes"], *minimal["sizes"])})
    if sizes:
        both = [[_of(part, size) for part in (subsets, minimal)] for size in sizes]
        rows = [(size, *pair) for size, pair in zip(sizes, both, strict=True)]
        parts.append(table(rows, ["hints", "subsets", "minimal"], align="rrr"))
    total = int(minimal["at_least"])
    if total:
        rows = [
            (
                hint_words(hint),
                thousands(int(hint["minimal"])),
                f"{int(hint['minimal']) / total:.1%}",
            )
            for hint in data["standing"]
        ]
        if rows:
            parts.append(table(rows, ["hint", "in minimal subsets", "share"]))
    return "\n\n".join(parts)


def _of(part: Mapping[str, Any], size: int) -> str:
    found = part["sizes"].get(str(size))
    if found is None:
        return "0" if part["count"] is not None else "×"
    return thousands(int(found)) if part["count"] is not None else f"≥ {thousands(int(found))}"


def unavoidable_text(data: Mapping[str, Any]) -> str:
    """Numbers of unavoidable sets and of the minimal sets that hit them, by size."""
    sets, hitting = data["sets"], data["hitting"]
    most = "" if data["size"] is None else f" of at most {data['size']} cells"
    smallest = "" if not hitting["smallest"] else f", of {hitting['smallest']} cells or more"
    lines = [
        f"Minimal unavoidable sets{most} within {len(data['region'])} cells: "
        f"{thousands(int(sets['count']))}",
        f"Minimal sets of cells that hit them all: {_words(hitting)}{smallest}",
    ]
    sizes = sorted({int(k) for part in (sets, hitting) for k in part["sizes"]})
    if not sizes:
        return "\n".join(lines)
    rows = [(size, *(_of(part, size) for part in (sets, hitting))) for size in sizes]
    return "\n".join([*lines, "", table(rows, ["cells", "unavoidable", "hitting"], align="rrr")])
