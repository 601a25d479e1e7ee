"""The paper in ten pictures."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from _diagrams import bdd
from _drawing import BLACK, BLUE, GREEN, GREY, ORANGE, PINK, RED, canvas, chart, grid, label, plain
from _drawing import save as keep
from matplotlib.patches import Patch, Rectangle

from bddsudoku import Puzzle, allocate
from bddsudoku.file_io import open_atomic
from bddsudoku.model import OneHot
from bddsudoku.model.schedules import make_puzzle_schedule
from bddsudoku.model.to_mdd import constraint_mdd
from bddsudoku.puzzle import board_svg
from bddsudoku.report.plots import new_figure
from bddsudoku.solver import build_puzzle

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "experiments" / "results"
#: Table 1 of the paper: seconds of its procedures by hints; None where memory overflowed.
TABLE = {
    35: (16.47, 0.52, 0.30),
    33: (26.04, 0.49, 0.24),
    30: (214.70, 0.77, 0.28),
    28: (745.32, 1.20, 0.54),
    24: (42232.59, 1.92, 0.91),
    21: (None, 13.37, 11.74),
    18: (None, 16.92, 14.55),
}
#: Section 5.2: solutions and nodes by hints.
REMOVAL = {17: (9_434, 564_048), 16: (188_105, 5_576_727), 15: (3_379_627, 54_943_067)}
FAMILIES = {"cell": GREY, "row": BLUE, "column": RED, "block": GREEN}
PROCEDURES = (GREY, BLUE, RED)


def _puzzle(hints: int) -> Puzzle:
    return Puzzle.parse((ROOT / "data" / "paper" / f"{hints}.txt").read_text(encoding="utf-8"))


def results(name: str) -> list[dict[str, Any]]:
    """The runs of an experiment."""
    lines = (RESULTS / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return [row for row in map(json.loads, lines) if "case" in row]


def variables(folder: Path) -> None:
    """The names of the variables in the first block of Figure 1."""
    puzzle = _puzzle(35)
    model = allocate(puzzle, "paper")
    figure, axes = canvas(6.0, 6.0, 9.4, 9.4)
    for r in range(3):
        for c in range(3):
            hint = puzzle[r, c]
            cell = "abc"[r] + "abc"[c]
            names = [v.name for v in model.variables if v.name[:2] == cell]
            x, y = 0.2 + 3 * c, 0.2 + 3 * r
            if hint:
                axes.add_patch(Rectangle((x, y), 3, 3, facecolor="#ececec"))
                label(axes, x + 1.5, y + 1.55, str(hint), size=26)
            for n, name in enumerate(names):
                label(axes, x + 0.5 + n % 3, y + 0.55 + n // 3, name, size=13, color=BLUE,
                )  # fmt: skip
    grid(axes, 0.2, 0.2, ["..."] * 3, side=3)
    keep(figure, folder, "paper_variables")


def one_hot(folder: Path) -> None:
    """The formula that the paper prints, as a BDD."""
    figure, axes = canvas(5.2, 3.9, 6.4, 4.2)
    made = constraint_mdd(OneHot("one", "of three", (0, 1, 2)))
    places = {0: 1.2, 1: 4.6, 2: 4.2, 3: 2.4, 4: 4.2, 5: 2.4, 6: 3.3}
    bdd(axes, made, "abc", places, size=13)
    label(axes, 5.3, 0.75, "solid: yes\ndashed: no")
    keep(figure, folder, "paper_onehot")


def statement(folder: Path) -> None:
    """What the hints leave of the statements of the first row."""
    puzzle = _puzzle(35)
    model = allocate(puzzle, "paper")
    rows = [c for c in model.constraints if c.family == "row" and c.label.startswith("a ")]
    figure, axes = canvas(6.6, 3.4, 13.2, 6.8)
    for n, constraint in enumerate(rows[:5]):
        assert isinstance(constraint, OneHot)
        y = 0.5 + 1.25 * n
        open_here = {model.variables[v].name[1]: v for v in constraint.variables}
        for c, column in enumerate("abcdefghi"):
            x = 0.1 + 1.24 * c
            there = column in open_here
            hint = puzzle[0, c]
            text = f"a{column}{n + 1}" if there else ("1" if hint == n + 1 else "0")
            axes.add_patch(Rectangle((x, y), 1.0, 0.8, facecolor="#dbe9f5" if there else "#ececec"))
            label(axes, x + 0.5, y + 0.42, text, size=11,
                color=BLUE if there else BLACK,
            )  # fmt: skip
            label(axes, x + 1.12, y + 0.42, "+" if c < 8 else "", size=11)
        axes.text(11.4, y + 0.42, "== 1", va="center", fontsize=12)
    keep(figure, folder, "paper_statement")


def procedures(folder: Path) -> None:
    """Which constraints the three procedures take when."""
    puzzle = _puzzle(35)
    model = allocate(puzzle, "paper")
    figure = new_figure(6.6, 2.5)
    axes = figure.add_subplot()
    for n in (1, 2, 3):
        plan = [*make_puzzle_schedule(model, n)]
        for at, position in enumerate(plan):
            colour = FAMILIES[model.constraints[position].family]
            axes.barh(n - 1, 1, left=at, height=0.7, color=colour, linewidth=0)
    axes.set_yticks(range(3), [f"procedure {n}" for n in (1, 2, 3)])
    axes.invert_yaxis()
    axes.set(xlabel="constraints, in the order in which they are conjoined")
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    handles = [Patch(color=colour, label=name) for name, colour in FAMILIES.items()]
    figure.legend(handles=handles, frameon=False, loc="outside upper center", ncols=4)
    keep(figure, folder, "paper_procedures")


def peaks(folder: Path) -> None:
    """Nodes after every conjunction, 21 hints, open candidates only."""
    puzzle = _puzzle(21)
    with chart(
        folder, "paper_peaks", 6.6, 3.9, "constraints conjoined", "BDD nodes", loc="lower right"
    ) as axes:
        for n, dash in ((1, "-"), (2, "--"), (3, "-.")):
            result = build_puzzle(puzzle, procedure=n, allocation="candidates")
            nodes = [max(step.nodes, 1) for step in result.steps]
            name = f"procedure {n}: at most {result.peak_nodes:,}"
            axes.plot(range(1, len(nodes) + 1), nodes, color=PROCEDURES[n - 1], ls=dash, label=name)
        axes.set(yscale="log")


def _table() -> list[dict[str, Any]]:
    return [r for r in results("ordering_table") if r["case"]["allocation"] == "paper"]


def table(folder: Path) -> None:
    """The paper's seconds and ours, by procedure."""
    figure = new_figure(6.6, 3.9)
    parts = figure.subplots(1, 3, sharey=True)
    for n, axes in enumerate(parts, 1):
        paper = [(h, row[n - 1]) for h, row in TABLE.items()]
        known = [(h, s) for h, s in paper if s is not None]
        axes.plot(*zip(*known, strict=True), "s--", color=RED, ms=5, label="paper, 2008")
        for h, s in paper:
            if s is None:
                axes.plot(h, 1e5, "x", color=RED, ms=9, mew=2)
        ours = [
            (row["case"]["hints"], row["result"]["cpu_seconds"])
            for row in _table()
            if row["case"]["procedure"] == n and "cpu_seconds" in row["result"]
        ]
        if ours:
            axes.plot(*zip(*sorted(ours), strict=True), "o-", color=BLUE, ms=5, label="here")
        axes.set_title(f"procedure {n}", fontsize=11)
        axes.set_yscale("log")
        axes.set_xlim(36.5, 16.5)
        plain(axes)
    parts[0].set_ylabel("seconds")
    figure.supxlabel("hints", fontsize=10)
    handles, names = parts[1].get_legend_handles_labels()
    figure.legend(handles, names, frameon=False, loc="outside upper center", ncols=2)
    keep(figure, folder, "paper_table")


def final(folder: Path) -> None:
    """Where the nodes of the last diagram come from: nine for each open cell."""
    with chart(folder, "paper_final", 6.4, 3.0, "open cells", "nodes of the last BDD") as axes:
        rows = [r for r in _table() if r["case"]["procedure"] == 3]
        points = sorted((81 - r["case"]["hints"], r["result"]["nodes"]) for r in rows)
        axes.plot(*zip(*points, strict=True), "o", color=BLUE, ms=7)
        axes.plot([40, 66], [360, 594], color=GREY, lw=1, ls=":")
        axes.text(57, 470, "9 × open cells", fontsize=11, color=GREY)


def removal(folder: Path) -> None:
    """Nodes for each solution as hints go: the paper's puzzle and ours."""
    with chart(folder, "paper_removal", 6.4, 3.4, "solutions", "nodes for each solution") as axes:
        paper = [(found, nodes / found) for found, nodes in REMOVAL.values()]
        ours: dict[str, list[tuple[float, float]]] = {"bdd_nodes": [], "zdd_nodes": []}
        for row in results("hint_removal"):
            result = row["result"]
            count = float(result.get("count", 0))
            if row["case"]["engine"] == "rows" and count > 1:
                for name, points in ours.items():
                    points.append((count, result[name] / count))
        axes.loglog(*zip(*sorted(paper), strict=True), "s--", color=RED, label="BDD, paper")
        for (name, points), look in zip(ours.items(), ("o-", "^-"), strict=True):
            colour = ORANGE if name == "bdd_nodes" else BLUE
            label = "BDD, ours, same variables" if name == "bdd_nodes" else "ZDD, ours"
            axes.loglog(*zip(*sorted(points), strict=True), look, color=colour, label=label)


def allocations(folder: Path) -> None:
    """Variables under each allocation, and the peak of procedure 2."""
    figure = new_figure(6.4, 3.4)
    left, right = figure.subplots(1, 2)
    for axes in (left, right):
        axes.set_xlabel("hints")
        axes.set_xlim(36.5, 16.5)
    for name, colour, mark in (
        ("paper", RED, "s"),
        ("candidates", BLUE, "o"),
        ("singles", PINK, "^"),
    ):
        rows = [
            r for r in results("ordering_table")
            if r["case"]["allocation"] == name and r["case"]["procedure"] == 2
        ]  # fmt: skip
        have = sorted((r["case"]["hints"], r["result"]["variables"]) for r in rows)
        peak = sorted((r["case"]["hints"], r["result"]["peak_nodes"]) for r in rows)
        left.plot(*zip(*have, strict=True), marker=mark, color=colour, ms=5, label=name)
        right.plot(
            [h for h, p in peak if p], [p for _, p in peak if p], marker=mark, color=colour, ms=5
        )
    left.set_ylabel("variables")
    right.set_ylabel("largest BDD (nodes)")
    right.set_yscale("log")
    plain(left)
    plain(right)
    figure.legend(frameon=False, loc="outside upper center", ncols=3)
    keep(figure, folder, "paper_allocations")


def draw(folder: Path) -> None:
    """All ten."""
    with open_atomic(folder / "paper_puzzle.svg") as file:
        file.write(board_svg(_puzzle(35)).encode())
    for picture in (
        variables,
        one_hot,
        statement,
        procedures,
        peaks,
        table,
        final,
        removal,
        allocations,
    ):
        picture(folder)
