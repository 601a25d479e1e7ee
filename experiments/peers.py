"""This package compared with packages on PyPI that count exact covers or build diagrams.

On the same instances in one run: four Sudoku with 17 to 15 hints, the 2x3 board empty and with its
first row filled, the 9x9 board in L-trominoes, the twelve pentominoes on 6x10. Every solver runs in
a process of its own, after a warm-up on a small board; what is timed is its solving alone, without
the import, the compilation, and the writing of its input (``rivals.py`` describes how each is
used).

The first table has the answers of all solvers. The second compares each peer with our fastest
engine for the same kind of answer: a peer that builds a diagram with our fastest diagram, one that
counts or searches with our fastest count. Below it are the instances on which a peer is faster, or
ours is not three times as fast.

Peers are the packages of the extra ``peers``; those that are not installed are skipped with a note.
Checked: every count, against known numbers; the counts of our engines also against each other.

    python experiments/peers.py --plot peers.png
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import harness
import rivals

FACTOR = 3


def main(arguments: list[str] | None = None) -> int:
    parser = harness.parser(__doc__, "peers", max_memory="6GiB", time_limit="60")
    parser.add_argument("--only", action="append", help="only solvers whose name contains this")
    parser.add_argument(
        "--instance", action="append", help="only instances with this in their name"
    )
    parser.add_argument("--plot", type=Path, default=None, help="write a picture: png, svg or pdf")
    options = parser.parse_args(arguments)
    names = [n for n in rivals.INSTANCES if n != rivals.WARM_UP]
    if options.quick:
        names = ["Sudoku, 17 hints", "2x3 Sudoku, first row"]
    if options.instance:
        names = [n for n in names if any(part in n for part in options.instance)]
    solvers = harness.present(rivals.SOLVERS, rivals.absent, options.only)
    journal = harness.Journal(
        options, versions={s: rivals.version(s) for s in solvers if ours(s) is False}
    )
    cases = [
        {"instance": name, "solver": solver, "memory": options.max_memory}
        for name in names
        for solver in solvers
        if (only := rivals.SOLVERS[solver].only) is None or only(name)
    ]
    journal.measure(cases, "rivals:run", "{instance}: {solver}", foreign=True)

    checks = harness.Checks()
    table: dict[str, dict[str, dict[str, Any]]] = {name: {} for name in names}
    for result in journal.results():
        table[result["instance"]][result["solver"]] = result
    rows = []
    for name, by_solver in table.items():
        known = rivals.INSTANCES[name][0]
        for solver, result in by_solver.items():
            finished = "count" in result
            right = finished and int(result["count"]) == known
            if ours(solver) and finished:
                checks.expect(right, f"{name}: {solver} counts {result['count']}")
            rows.append(
                [
                    name,
                    solver,
                    rivals.SOLVERS[solver].kind,
                    "×" if not finished else "right" if right else f"wrong: {result['count']}",
                    harness.seconds_text(result["seconds"]) if finished else f"× {result['limit']}",
                    f"{result['rss'] / 2**20:,.0f}" if finished and result["rss"] else None,
                    f"{result['nodes']:,}" if finished and "nodes" in result else None,
                ]
            )
        finished_ours = [r for s, r in by_solver.items() if ours(s) and "count" in r]
        checks.expect(len(finished_ours) >= 2, f"{name}: two of ours finish")
    comparison, remarks, everything = compare(table)
    notes = [[line] for line in remarks] or [["none"]]
    headers = ["instance", "solver", "gives", "count", "seconds", "peak MiB", "diagram nodes"]
    tables: list[harness.Table] = [("Every solver on every instance", headers, rows)]
    if comparison:
        tables.append(
            (
                "Peer's time / ours (> : the peer reached a limit, so at least)",
                ["peer", "gives", *names, "geometric mean"],
                comparison,
            )
        )
        tables.append((f"Where ours is not {FACTOR} times as fast", ["instance"], notes))
    if everything is not None:
        harness.note(f"all comparisons together: ours {everything:.1f} times as fast")
    harness.show(options, journal, tables)
    if options.plot is not None:
        plot(table, options.plot)
    return checks.finish()


def ours(solver: str) -> bool:
    """Whether a solver is this package's."""
    return rivals.SOLVERS[solver].package == "bddsudoku"


def compare(
    table: dict[str, dict[str, dict[str, Any]]],
) -> tuple[list[list[str | None]], list[str], float | None]:
    """Rows of ratios for every peer, remarks, and the geometric mean over all.

    A peer that reached its limit counts with the time it was given, which flatters it. Wrong
    counts are left out.
    """
    peers = [s for s in rivals.SOLVERS if not ours(s) and any(s in by for by in table.values())]
    rows: list[list[str | None]] = []
    remarks = []
    all_ratios: list[float] = []
    for peer in peers:
        kind = rivals.SOLVERS[peer].kind
        ratios: list[float] = []
        row: list[str | None] = [peer, kind]
        for name, by_solver in table.items():
            result = by_solver.get(peer)
            fastest = best(by_solver, "diagram" if kind == "diagram" else None)
            if result is None or fastest is None or result.get("limit") in ("crash", "error"):
                row.append(None)
                continue
            if "limit" in result:
                if result["limit"] != "time":
                    row.append(f"× {result['limit']}")
                    continue
                ratio, sign = result["wall_seconds"] / fastest[1], ">"
            elif int(result["count"]) != rivals.INSTANCES[name][0]:
                row.append("wrong")
                continue
            else:
                ratio, sign = result["seconds"] / fastest[1], ""
            ratios.append(ratio)
            row.append(f"{sign}{ratio:,.1f}")
            if ratio < FACTOR and not sign:
                who = "the peer wins" if ratio < 1 else "ours wins, but not by as much"
                peer_text, own_text = map(harness.seconds_text, (result["seconds"], fastest[1]))
                remarks.append(f"{name}: {peer} {peer_text} s, {fastest[0]} {own_text} s ({who})")
        all_ratios += ratios
        row.append(f"{harness.geometric_mean(ratios):,.1f}" if ratios else None)
        rows.append(row)
    return rows, remarks, harness.geometric_mean(all_ratios) if all_ratios else None


def best(by_solver: dict[str, dict[str, Any]], kind: str | None) -> tuple[str, float] | None:
    """Fastest run of this package's engines, of one kind or of any."""
    found = [
        (result["seconds"], solver)
        for solver, result in by_solver.items()
        if ours(solver) and "count" in result and kind in (None, rivals.SOLVERS[solver].kind)
    ]
    if not found:
        return None
    fastest, solver = min(found)
    return solver, fastest


def plot(table: dict[str, dict[str, dict[str, Any]]], path: Path) -> None:
    """Plot times on a logarithmic axis, a panel for each instance and a bar for each solver."""
    from bddsudoku.report.plots import PALETTE, new_figure, save_figure

    solvers = [s for s in rivals.SOLVERS if any(s in by for by in table.values())]
    marks = {"search": "s", "count": "o", "diagram": "^"}
    columns = min(4, len(table))
    rows = -(-len(table) // columns)
    figure = new_figure(2.2 + 2.6 * columns, 1.2 + (0.4 + 0.19 * len(solvers)) * rows)
    grid = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False)
    for axes, (name, by_solver) in zip(grid.flat, table.items(), strict=False):
        for y, solver in enumerate(solvers):
            result = by_solver.get(solver)
            if result is None:
                continue
            colour = PALETTE[0] if ours(solver) else PALETTE[1]
            if "count" not in result:
                axes.plot(result["wall_seconds"], y, "x", color=colour, ms=5)
            elif int(result["count"]) != rivals.INSTANCES[name][0]:
                axes.text(
                    result["seconds"], y, "wrong", ha="center", va="center", fontsize=7,
                    color=colour,
                )  # fmt: skip
            else:
                axes.plot(
                    result["seconds"],
                    y,
                    marks[rivals.SOLVERS[solver].kind],
                    color=colour,
                    markerfacecolor=colour if ours(solver) else "white",
                    ms=5,
                )
        axes.set_title(name, fontsize=9)
        axes.set_xscale("log")
        axes.set_yticks(range(len(solvers)), solvers)
        axes.tick_params(labelsize=8)
        axes.grid(alpha=0.3)
    grid[0, 0].invert_yaxis()
    for axes in grid.flat[len(table) :]:
        axes.set_visible(False)
    figure.supxlabel(
        "seconds    filled: ours; circle: count, square: search, triangle: diagram; "
        "×: stopped at a limit; wrong: its count was",
        fontsize=9,
    )
    save_figure(figure, path)


if __name__ == "__main__":
    harness.run(main)
