"""The problems of ``data/formula`` counted by the engines of this package and by other packages.

Queens, matchings, magic squares, a sum of words, Langford pairings, colourings, knapsacks, a
timetable. Every solver runs in a process of its own, after a warm-up on small problems; what is
timed is its solving alone, without the import, the reading of the file and the writing of its input
(``formula_rivals.py`` describes how each is used). The frontier's time holds its choice of an
order.

Packages of the extras ``peers`` and ``cpmpy``; those that are not installed are skipped with a
note. "–": a solver does not take this problem. The picture shows how many states the frontier has
on every level of its order, a panel a problem, all on one logarithmic axis.

Checked: every count, against numbers from other sources (``data/README.md``); at least one engine
of this package finishes every problem.

    python experiments/formula.py --plot formula.png
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import formula_rivals as rivals
import harness

QUICK = ("queens_8", "send_more", "petersen", "knapsack_20", "timetable")


def main(arguments: list[str] | None = None) -> int:
    parser = harness.parser(__doc__, "formula", time_limit="30")
    parser.add_argument("--only", action="append", help="only solvers whose name contains this")
    parser.add_argument("--problem", action="append", help="only problems whose name contains this")
    parser.add_argument("--plot", type=Path, default=None, help="write a picture: png, svg or pdf")
    options = parser.parse_args(arguments)
    names = list(QUICK if options.quick else rivals.COUNTS)
    if options.problem:
        names = [n for n in names if any(part in n for part in options.problem)]
    solvers = harness.present(rivals.SOLVERS, rivals.absent, options.only)
    journal = harness.Journal(
        options, versions={s: rivals.version(s) for s in solvers if not ours(s)}
    )
    cases = [
        {"problem": name, "solver": solver}
        for name in names
        for solver in solvers
        if rivals.takes(solver, name)
    ]
    limits = {"memory": options.max_memory, "seconds": options.time_limit}
    task, title = "formula_rivals:run", "{problem}: {solver}"
    journal.measure(cases, task, title, foreign=True, **limits)

    found: dict[str, dict[str, dict[str, Any]]] = {name: {} for name in names}
    for result in journal.results():
        found[result["problem"]][result["solver"]] = result
    checks = harness.Checks()
    for name, by_solver in found.items():
        for solver, result in by_solver.items():
            if "count" in result:
                right = int(result["count"]) == rivals.COUNTS[name]
                checks.expect(right, f"{name}: {solver} counts {result['count']}")
        finished = [s for s, r in by_solver.items() if ours(s) and "count" in r]
        checks.expect(bool(finished), f"{name}: one of ours finishes")
    harness.show(options, journal, tables(found, solvers))
    if options.plot is not None:
        plot(found, options.plot)
    return checks.finish()


def ours(solver: str) -> bool:
    """Whether a solver is this package's."""
    return rivals.SOLVERS[solver].package == "bddsudoku"


def tables(
    found: Mapping[str, Mapping[str, Mapping[str, Any]]], solvers: list[str]
) -> list[harness.Table]:
    """Tables of times and diagram sizes, and problems on which another package is fastest."""
    times: list[list[Any]] = []
    sizes: list[list[Any]] = []
    faster: list[list[Any]] = []
    for name, by_solver in found.items():
        asked = rivals.asked(name)
        times.append(
            [
                name,
                shown(rivals.COUNTS[name]),
                *(harness.time_cell(by_solver.get(s)) for s in solvers),
            ]
        )
        made, built = by_solver.get("frontier, set", {}), by_solver.get("conjunction", {})
        levels = made.get("levels") or [[0, 0]]
        partly = "" if "count" in made else ">"
        sizes.append(
            [
                name,
                len(asked.model.variables),
                len(asked.model.constraints),
                made.get("order"),
                made.get("depth"),
                f"{partly}{max(states for _, states in levels):,}",
                f"{partly}{sum(states for _, states in levels):,}",
                *(f"{r[k]:,}" if k in r else None for r, k in (
                    (made, "nodes"), (built, "nodes"), (built, "peak")
                )),
            ]
        )  # fmt: skip
        done = {s: r["seconds"] for s, r in by_solver.items() if "count" in r}
        best = min((t, s) for s, t in done.items() if ours(s)) if any(map(ours, done)) else None
        for solver, seconds in done.items():
            if best is not None and not ours(solver) and seconds < best[0]:
                own, other = harness.seconds_text(best[0]), harness.seconds_text(seconds)
                faster.append([name, solver, other, best[1], own])
    kinds = [f"{s} ({rivals.SOLVERS[s].kind})" for s in solvers]
    made_of = ["variables", "constraints", "order", "levels", "widest level", "states"]
    sized = [*made_of, "ZDD nodes", "BDD nodes", "conjunction's peak"]
    return [
        ("Seconds to the exact count", ["problem", "solutions", *kinds], times),
        ("Sizes: frontier, and conjunction in the order of the file", ["problem", *sized], sizes),
        (
            "Where another package is faster than all of ours",
            ["problem", "package", "seconds", "fastest of ours", "seconds"],
            faster or [["none", None, None, None, None]],
        ),
    ]


def shown(count: int) -> str:
    """A count as text; a long one in scientific notation."""
    return f"{count:,}" if count < 10**12 else f"{count:.3e}".replace("e+", "·10^")


def plot(found: Mapping[str, Mapping[str, Mapping[str, Any]]], path: Path) -> None:
    """Plot the states on every level of the frontier, a panel for each problem."""
    from bddsudoku.report.plots import PALETTE, new_figure

    traces = {n: r for n, by in found.items() if (r := by.get("frontier, set", {})).get("levels")}
    if not traces:
        harness.note("no levels to be drawn")
        return
    columns = min(4, len(traces))
    rows = math.ceil(len(traces) / columns)
    figure = new_figure(2.5 * columns, 1.75 * rows + 0.4)
    grid = figure.subplots(rows, columns, sharey=True, squeeze=False)
    top = max(states for r in traces.values() for _, states in r["levels"])
    for axes, (name, result) in zip(grid.flat, traces.items(), strict=False):
        levels, states = zip(*result["levels"], strict=True)
        stopped = "count" not in result
        colour = PALETTE[1] if stopped else PALETTE[0]
        axes.fill_between(levels, states, 0.7, step="mid", color=colour, alpha=0.25, lw=0)
        axes.step(levels, states, where="mid", color=colour, lw=1.4)
        peak = max(states)
        where = levels[states.index(peak)]
        axes.plot(where, peak, "o", color=colour, ms=4)
        depth = result["depth"]
        # The label stands on the side where there is room.
        side = "left" if where < 0.3 * depth else "right" if where > 0.7 * depth else "center"
        text = f"{peak:,}, then stopped" if stopped else f"{peak:,}"
        axes.annotate(
            text, (where, peak), xytext=(0, 6), textcoords="offset points", ha=side, fontsize=9
        )
        axes.set_title(name, fontsize=10)
        axes.set_yscale("log")
        axes.set_xlim(-0.02 * depth, depth * 1.02)
        axes.set_ylim(0.7, top * 40)
        axes.set_xticks([0, depth], ["0", str(depth)])
        axes.tick_params(labelsize=9)
        axes.grid(alpha=0.3, axis="y")
    for axes in grid.flat[len(traces) :]:
        axes.set_visible(False)
    figure.supylabel("states of the frontier (at its widest: number)", fontsize=10)
    figure.supxlabel("level: variables or groups of them decided so far", fontsize=10)
    harness.save_figure(figure, path, dpi=160)


if __name__ == "__main__":
    harness.run(main)
