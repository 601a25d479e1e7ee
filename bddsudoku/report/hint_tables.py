"""What every hint contributes, as text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bddsudoku.puzzle.sudoku.grid import Puzzle
from bddsudoku.puzzle.sudoku.layout import SYMBOLS
from bddsudoku.report.tables import decimal_words, hint_words, table, thousands

_SHOWN = 24
_WIDE = 60


def hints_text(data: Mapping[str, Any], puzzle: Puzzle) -> str:
    """Removals and additions, one after the other."""
    parts = []
    if "without" in data:
        parts.append(removals_text(data, puzzle))
    if "marginals" in data:
        parts.append(additions_text(data, puzzle))
    return "\n\n".join(parts)


def removals_text(data: Mapping[str, Any], puzzle: Puzzle) -> str:
    """One line a hint: the number of solutions without it."""
    rows = [
        (
            row["cell"],
            SYMBOLS[row["digit"] - 1],
            "×" if row["count"] is None else thousands(int(row["count"])),
            "redundant" if row["redundant"] else "",
        )
        for row in data["without"]
    ]
    if not rows:
        return "No hints to take away."
    verdict = {
        True: "Minimal: no hint can go without adding solutions.",
        False: f"Not minimal: {data['redundant']} hints could go one at a time, changing nothing.",
        None: "Whether the puzzle is minimal stayed open at a limit.",
    }[data["minimal"]]
    head = table(rows, ["hint", "digit", "solutions without it", ""], align="lrrl")
    return f"{head}\n{verdict}"


def _listed(items: list[str]) -> str:
    more = f" … and {len(items) - _SHOWN} more" if len(items) > _SHOWN else ""
    return (", ".join(items[:_SHOWN]) or "none") + more


def _places(items: list[Mapping[str, Any]]) -> str:
    return _listed([hint_words(item) for item in items])


def additions_text(data: Mapping[str, Any], puzzle: Puzzle) -> str:
    """Solutions left for every open cell and digit, and what follows from the set."""
    n = puzzle.n
    rows = []
    for cell in puzzle.open_cells:
        counts = [int(k) for k in data["marginals"][cell // n][cell % n]]
        if sum(1 for k in counts if k) > 1:
            name = f"r{cell // n + 1}c{cell % n + 1}"
            rows.append((name, *(f"{k:,}" if k else "." for k in counts)))
    lines = []
    if rows:
        lines += ["Solutions left if a digit is added:", table(rows, ["cell", *SYMBOLS[:n]]), ""]
    if int(data["count"]) > 1:
        lines.append(f"Single additions that make it unique: {_places(data['unique'])}")
    if data.get("next"):
        lines += next_lines(data["next"])
    return "\n".join([*lines, _set_text(data)])


def next_lines(data: Mapping[str, Any]) -> list[str]:
    """The best next hints and cells, and the way to a single solution."""
    best = data["hints"]
    cells = {row["cell"]: row for row in data["cells"]}
    average, worst = cells[data["expected"]], cells[data["worst"]]
    way = data["shortest"]
    least = "open"
    if way is not None:
        number = way["at_most"] if way["exact"] else f"{way['at_least']} to {way['at_most']}"
        least = f"{number}, as {_places(way['hints'])}"
    return [
        f"Best next hint, {thousands(int(best[0]['count']))} left: {_places(best)}",
        f"Best next cell: {average['cell']}, {decimal_words(average['expected'])} left on average; "
        f"{worst['cell']}, {thousands(int(worst['worst']))} at worst",
        f"Fewest hints to a single solution: {least}",
    ]


def rules_text(data: Mapping[str, Any], puzzle: Puzzle) -> str:
    """One line a rule and one a hint: the number of solutions without it; then what the set says.

    Rules that change nothing are marked.
    """
    rows = [
        (
            row["rule"] if len(row["rule"]) <= _WIDE else row["rule"][: _WIDE - 1] + "…",
            "×" if row["count"] is None else thousands(int(row["count"])),
            "redundant" if row["redundant"] else "",
        )
        for row in data["rules"]
    ]
    parts = ["No rules to take away."]
    if rows:
        parts = [table(rows, ["rule", "solutions without it", ""], align="lrl")]
    if data["without"]:
        parts.append(removals_text(data, puzzle))
    return "\n\n".join([*parts, _set_text(data)])


def _set_text(data: Mapping[str, Any]) -> str:
    """Candidates in no solution, cells that are always equal or different."""
    lines = []
    dead = data["dead"]
    if dead is None:
        lines.append("Candidates in no solution: open")
    else:
        lines.append(f"Candidates in no solution ({len(dead)}): {_places(dead)}")
    for key, words in (
        ("always_equal", "Cells always equal"),
        ("always_different", "Cells always different though they share no house"),
    ):
        pairs = data.get(key)
        known = (
            data.get("pairs_open", "") if pairs is None else _listed([f"{a}–{b}" for a, b in pairs])
        )
        lines.append(f"{words}: {known}" if pairs is not None else f"{words}: open ({known})")
    return "\n".join(lines)
