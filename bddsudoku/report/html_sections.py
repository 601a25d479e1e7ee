"""The sections of a page; each is made of one dictionary of the analysis."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from html import escape
from typing import Any

from bddsudoku.puzzle.sudoku.grid import Puzzle
from bddsudoku.puzzle.sudoku.layout import SYMBOLS
from bddsudoku.puzzle.sudoku.svg import board_svg
from bddsudoku.report.hint_tables import next_lines
from bddsudoku.report.html_parts import data_table, listed
from bddsudoku.report.tables import counted_words, decimal_words, hint_words, thousands

CROSS = "×"


def _time(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}" if value < 10 else f"{value:.1f}"


def _shown(count: str | int | None) -> str:
    return CROSS if count is None else thousands(int(count))


def summary(sections: Mapping[str, dict[str, Any]]) -> str:
    """The answer in one or two sentences, for the top of the page."""
    found = sections.get("solutions", {})
    if found.get("count") is None:
        return "The number of solutions stayed open at a limit." if found else ""
    parts = [f"{counted_words(int(found['count'])).capitalize()}."]
    hints = sections.get("hints", {})
    if "minimal" in hints and hints["without"]:
        parts.append(
            {
                True: "No hint can go without adding solutions: the puzzle is minimal.",
                False: f"{hints['redundant']} of {len(hints['without'])} hints could go, "
                "one at a time, without adding a solution.",
                None: "Whether it is minimal stayed open at a limit.",
            }[hints["minimal"]]
        )
    return " ".join(parts)


def stopped_by(found: Mapping[str, Any]) -> str:
    """The body of a section that a limit ended; empty for one that is there."""
    limit = found.get("limit")
    return f"<p>{CROSS} {escape(limit)}</p>" if limit else ""


def limits_reached(sections: Mapping[str, dict[str, Any]]) -> list[str]:
    """One sentence for everything that a limit kept from being known."""
    out = [
        f"{title}: {found['limit']}."
        for name, title in TITLES.items()
        if (found := sections.get(name)) and found.get("limit")
    ]
    out += [
        f"Procedure {run['procedure']} was stopped by the {run['limit']} limit."
        for run in sections.get("procedures", {}).get("runs", ())
        if run["limit"]
    ]
    out += [
        f"The cross-check by {run['engine']} was stopped: {run['limit']}."
        for run in sections.get("check", {}).get("runs", ())
        if run["limit"]
    ]
    open_hints = [
        row["cell"] for row in sections.get("hints", {}).get("without", ()) if row["count"] is None
    ]
    if open_hints:
        out.append(f"Not counted in time: the solutions without {', '.join(open_hints)}.")
    return out


def _puzzle(data: dict[str, Any], puzzle: Puzzle) -> str:
    clashes = "".join(f"<p><strong>Hints clash:</strong> {escape(t)}</p>" for t in data["clashes"])
    if dead := ", ".join(data["without_candidates"]):
        clashes += f"<p><strong>Cells without a candidate:</strong> {dead}</p>"
    marks = "" if data["candidates"] is None else f", {data['candidates']} candidates"
    head = f"{escape(data['layout'])}, {data['hints']} hints{marks}"
    return (
        board_svg(puzzle, title="The puzzle")
        + f"<p>{head}: <code>{puzzle.line}</code></p>"
        + (_rules(puzzle) if puzzle.rules else "")
        + clashes
    )


def _rules(puzzle: Puzzle) -> str:
    kinds = {rule.name: rule.about for rule in puzzle.rules}
    times = Counter(rule.name for rule in puzzle.rules)
    rows = [(name, times[name], about) for name, about in kinds.items()]
    return data_table("Rules", ["rule", "times", "meaning"], rows, words=(0, 2))


def _variables(data: dict[str, Any], puzzle: Puzzle) -> str:
    rows = [(a, d["variables"], d["constraints"], d["fixed"]) for a, d in data.items()]
    return (
        "<p>One Boolean variable says that a digit stands in a cell. Which of them exist is the "
        "allocation: nine for every open cell (paper), those that no hint rules out (candidates), "
        "or those left after placing singles.</p>"
    ) + data_table(
        "Variables under each allocation",
        ["allocation", "variables", "constraints", "cells settled"],
        rows,
    )


def _procedures(data: dict[str, Any], puzzle: Puzzle) -> str:
    rows = [
        (
            run["procedure"],
            CROSS if run["nodes"] is None else thousands(run["nodes"]),
            thousands(run["peak_nodes"]),
            _time(run["seconds"]),
            run["limit"] or "",
        )
        for run in data["runs"]
    ]
    how = (
        "The constraints' BDDs conjoined in the paper's three orders, with the allocation "
        f"{data['allocation']}, on {data['backend'] or 'no backend'}; limits {data['limits']}; "
        f"{CROSS} where one was reached."
    )
    return f"<p>{escape(how)}</p>" + data_table(
        "BDD by conjunction",
        ["procedure", "nodes", "peak nodes", "seconds", "stopped by"],
        rows,
        words=(0, 4),
    )


def _solutions(data: dict[str, Any], puzzle: Puzzle) -> str:
    count = int(data["count"])
    out = [
        f"<p><strong>{counted_words(count)}</strong>, held by {escape(data['engine'])} after "
        f"{_time(data['seconds'])} s: {escape(data['why'])}.</p>"
    ]
    if data.get("zdd_nodes"):
        out.append(
            f"<p>As a diagram: {thousands(data['zdd_nodes'])} ZDD nodes, "
            f"{thousands(data['bdd_nodes'])} BDD nodes over the same variables "
            f"(cell order {escape(str(data['order']))}).</p>"
        )
    first = [Puzzle.parse(line, puzzle.layout) for line in data["first"]]
    if count == 1 and first:
        out.append(board_svg(puzzle, solution=first[0], title="The only solution"))
    elif first:
        items = "".join(f"<li><code>{grid.line}</code></li>" for grid in first)
        head = "All of them:" if count == len(first) else f"The first {len(first)}, in its order:"
        out.append(f"<p>{head}</p><ol>{items}</ol>")
    return "".join(out)


def _cells(data: dict[str, Any], puzzle: Puzzle) -> str:
    return (
        f"<p>{data['settled']} of {data['open']} open cells are the same in all solutions. "
        f"The hints leave {data['candidates']} candidates, of which {data['dead']} stand in no "
        "solution.</p>"
    )


def _hints(data: dict[str, Any], puzzle: Puzzle) -> str:
    out = []
    if data.get("without"):
        rows = [
            (
                r["cell"],
                SYMBOLS[r["digit"] - 1],
                _shown(r["count"]),
                "redundant" if r["redundant"] else "",
            )
            for r in data["without"]
        ]
        out.append(
            data_table(
                "Solutions without each hint",
                ["hint", "digit", "solutions", "note"],
                rows,
                words=(0, 3),
                marked=[i for i, r in enumerate(data["without"]) if r["redundant"]],
            )
        )
    if "marginals" in data:
        out.append(_additions(data, puzzle))
    return "".join(out)


def _additions(data: dict[str, Any], puzzle: Puzzle) -> str:
    n = puzzle.n
    rows = []
    for cell in puzzle.open_cells:
        counts = [int(k) for k in data["marginals"][cell // n][cell % n]]
        if sum(1 for k in counts if k) > 1:
            rows.append(
                (f"r{cell // n + 1}c{cell % n + 1}", *(f"{k:,}" if k else "" for k in counts))
            )
    out = []
    if rows:
        out.append(
            "<details open><summary>Solutions left if a digit is added</summary>"
            + data_table("One more hint", ["cell", *SYMBOLS[:n]], rows)
            + "</details>"
        )
    if int(data["count"]) > 1:
        out.append(
            listed("Single additions that make it unique", [hint_words(i) for i in data["unique"]])
        )
    if data.get("next"):
        out.append(_next(data["next"]))
    out.append(listed("Candidates in no solution", [hint_words(i) for i in data["dead"]]))
    for key, words in (
        ("always_equal", "Cells always equal"),
        ("always_different", "Cells always different though they share no house"),
    ):
        pairs = data.get(key)
        if pairs is None:
            out.append(f"<p>{words}: open ({escape(data.get('pairs_open', ''))}).</p>")
        else:
            out.append(listed(words, [f"{a}–{b}" for a, b in pairs]))
    return "".join(out)


def _next(data: dict[str, Any]) -> str:
    """What to give next."""
    rows = [
        (row["cell"], decimal_words(row["expected"]), _shown(row["worst"])) for row in data["cells"]
    ]
    return (
        "".join(f"<p>{escape(line)}.</p>" for line in next_lines(data))
        + "<details open><summary>Solutions left if a cell is given</summary>"
        + data_table("One more cell", ["cell", "left on average", "left at worst"], rows)
        + "</details>"
    )


def _check(data: dict[str, Any], puzzle: Puzzle) -> str:
    rows = [
        (run["engine"], _shown(run["count"]), _time(run["seconds"]), run["limit"] or "")
        for run in data["runs"]
    ]
    verdict = {
        True: f"{data['finished']} engines agree.",
        False: "The engines disagree!",
        None: "Fewer than two engines finished within the limits.",
    }[data["agree"]]
    return (
        data_table(
            "The engines side by side",
            ["engine", "solutions", "seconds", "stopped by"],
            rows,
            words=(0, 3),
        )
        + f"<p>{verdict}</p>"
    )


TITLES = {
    "puzzle": "The puzzle",
    "solutions": "Its solutions",
    "cells": "What they have in common",
    "hints": "What the hints contribute",
    "variables": "Variables",
    "procedures": "The paper's procedures",
    "check": "Cross-check",
}
"""Sections in the order of the page."""

WRITERS: dict[str, Callable[[dict[str, Any], Puzzle], str]] = {
    "puzzle": _puzzle,
    "solutions": _solutions,
    "cells": _cells,
    "hints": _hints,
    "variables": _variables,
    "procedures": _procedures,
    "check": _check,
}
