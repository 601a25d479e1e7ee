"""The sections of an analysis as text, each printed as soon as it is known.

A section is a name and a JSON-able dictionary, made by :mod:`bddsudoku.solver.analysis`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from bddsudoku.puzzle.sudoku.grid import Puzzle
from bddsudoku.report.tables import table, thousands

CROSS = "×"


def section_text(name: str, data: Mapping[str, Any], puzzle: Puzzle) -> str:
    """One section for people, without a final newline."""
    return _WRITERS[name](data, puzzle)


def _seconds(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}" if value < 10 else f"{value:.1f}"


def _puzzle(data: Mapping[str, Any], puzzle: Puzzle) -> str:
    marks = "" if data["candidates"] is None else f", {data['candidates']} candidates"
    lines = [str(puzzle), f"{data['layout']}, {data['hints']} hints{marks}"]
    lines += [f"Hints clash: {text}" for text in data["clashes"]]
    if data["without_candidates"]:
        lines.append(f"Cells without a candidate: {', '.join(data['without_candidates'])}")
    return "\n".join(lines)


def _variables(data: Mapping[str, Any], puzzle: Puzzle) -> str:
    rows = [(a, d["variables"], d["constraints"], d["fixed"]) for a, d in data.items()]
    return table(rows, ["allocation", "variables", "constraints", "cells settled"])


def _procedures(data: Mapping[str, Any], puzzle: Puzzle) -> str:
    rows = []
    for run in data["runs"]:
        nodes = CROSS if run["nodes"] is None else thousands(run["nodes"])
        time = _seconds(run["seconds"]) + (f" {CROSS}" if run["limit"] else "")
        rows.append(
            (run["procedure"], nodes, thousands(run["peak_nodes"]), time, run["limit"] or "")
        )
    head = (
        f"BDD by conjunction, allocation {data['allocation']}, {data['backend']}; "
        f"limits {data['limits']}"
    )
    return (
        head
        + "\n"
        + table(rows, ["procedure", "nodes", "peak nodes", "seconds", "stopped by"], align="rrrrl")
    )


def _solutions(data: Mapping[str, Any], puzzle: Puzzle) -> str:
    if data.get("limit"):
        return f"Solutions: {CROSS} ({data['limit']})"
    count = int(data["count"])
    lines = [
        f"Solutions: {thousands(count)}",
        f"  counted by {data['engine']} in {_seconds(data['seconds'])} s: {data['why']}",
    ]
    if data.get("warm_up_seconds", 0) > 1:
        lines.append(f"  (before that, compiling the engines took {data['warm_up_seconds']:.0f} s)")
    if data.get("zdd_nodes") is not None:
        lines.append(
            f"  as a diagram: {thousands(data['zdd_nodes'])} ZDD nodes, "
            f"{thousands(data['bdd_nodes'])} BDD nodes over the same variables "
            f"(cell order {data['order']})"
        )
    first = [Puzzle.parse(line, puzzle.layout) for line in data["first"]]
    if count == 1 and first:
        lines += ["The only solution:", str(first[0])]
    elif first:
        lines.append("The first:" if count > len(first) else "All of them:")
        lines += [f"  {grid.line}" for grid in first]
    return "\n".join(lines)


def _cells(data: Mapping[str, Any], puzzle: Puzzle) -> str:
    lines = [
        f"Open cells settled all the same: {data['settled']} of {data['open']}",
        f"Candidates left by the hints: {data['candidates']}, "
        f"of which {data['dead']} stand in no solution",
    ]
    if data["settled"] < data["open"]:
        lines.append(f"  settled: {data['backbone']}")
    return "\n".join(lines)


def _hints(data: Mapping[str, Any], puzzle: Puzzle) -> str:
    from bddsudoku.report.hint_tables import hints_text

    return hints_text(data, puzzle)


def _check(data: Mapping[str, Any], puzzle: Puzzle) -> str:
    rows = []
    for run in data["runs"]:
        shown = CROSS if run["count"] is None else thousands(int(run["count"]))
        rows.append((run["engine"], shown, _seconds(run["seconds"]), run["limit"] or ""))
    verdict = {
        True: f"Cross-check: {data['finished']} engines agree.",
        False: "Cross-check: THE ENGINES DISAGREE.",
        None: "Cross-check: fewer than two engines could finish within the limits.",
    }[data["agree"]]
    return (
        table(rows, ["engine", "solutions", "seconds", "stopped by"], align="lrrl") + "\n" + verdict
    )


_WRITERS: dict[str, Callable[[Mapping[str, Any], Puzzle], str]] = {
    "puzzle": _puzzle,
    "variables": _variables,
    "procedures": _procedures,
    "solutions": _solutions,
    "cells": _cells,
    "hints": _hints,
    "check": _check,
}
