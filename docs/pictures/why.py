"""Pictures of the page on 14 hints: one set as a tree and as diagrams, growth, peaks."""

from __future__ import annotations

from pathlib import Path

from _drawing import BLACK, BLUE, GREY, ORANGE, RED, chart, layered
from _drawing import save as keep
from paper import REMOVAL, results

from bddsudoku import Puzzle, solve
from bddsudoku.report.plots import new_figure
from bddsudoku.solver import build_puzzle, solve_detailed

ROOT = Path(__file__).parents[2]
#: The puzzle with 18 hints that the measured ladder begins with.
LADDER = ".......71.2.8........5.3...7.9.6.......2..8..1.........3...25..6...1..4.........."
#: Nodes that the paper's machine could hold.
CAPACITY = 3e9


def _ladder() -> dict[int, dict[str, float]]:
    """From the measured ladder that starts at 18 hints: by hints, counts and nodes."""
    out: dict[int, dict[str, float]] = {}
    for row in results("hint_removal"):
        case, result = row["case"], row["result"]
        if any(sign not in (".", hint) for sign, hint in zip(case["puzzle"], LADDER, strict=True)):
            continue  # of the other ladder
        hints = sum(sign in "123456789" for sign in case["puzzle"])
        here = out.setdefault(hints, {})
        if "count" in result:
            here["solutions"] = float(result["count"])
        for name in ("zdd_nodes", "bdd_nodes", "states"):
            if result.get(name):
                here.setdefault(name, float(result[name]))
    return out


def growth(folder: Path) -> None:
    """Solutions and nodes as hints go, and the room that there is."""
    with chart(folder, "why_growth", 6.6, 4.4, "hints left") as axes:
        ladder = sorted(_ladder().items())
        ours = [(h, row["solutions"]) for h, row in ladder]
        axes.plot(*zip(*ours, strict=True), "o-", color=GREY, ms=4, label="solutions (ours)")
        nodes = [(h, n) for h, (_, n) in REMOVAL.items()]
        found = [(h, n) for h, (n, _) in REMOVAL.items()]
        axes.plot(*zip(*found, strict=True), "D:", color=ORANGE, ms=6, label="solutions (paper)")
        axes.plot(*zip(*nodes, strict=True), "s--", color=RED, ms=6, label="BDD nodes (paper)")
        zdd = [(h, row["zdd_nodes"]) for h, row in ladder if row.get("zdd_nodes", 0) > 1]
        axes.plot(*zip(*zdd, strict=True), "^-", color=BLUE, ms=6, label="ZDD nodes (ours)")
        axes.axhline(CAPACITY, color=BLACK, lw=1)
        axes.text(0.2, CAPACITY * 1.8, "128 GB: three billion nodes", fontsize=10, ha="right")
        axes.set(yscale="log")
        axes.invert_xaxis()
        axes.set_xticks(range(0, 19, 2))


def peak(folder: Path) -> None:
    """The BDD while constraints are conjoined, beside the states of a sweep."""
    puzzle = Puzzle.parse((ROOT / "data" / "paper" / "18.txt").read_text())
    result = build_puzzle(puzzle, procedure=2, allocation="candidates")
    cost = solve_detailed(puzzle, "frontier", "rows").cost
    assert cost is not None
    levels = cost.levels
    with chart(folder, "why_peak", 6.6, 3.9, "part of the work that is done (%)") as axes:
        steps = [max(step.nodes, 1) for step in result.steps]
        share = [100 * (n + 1) / len(steps) for n in range(len(steps))]
        axes.plot(share, steps, color=RED, lw=1.5, label="nodes of the paper's product")
        done = [100 * (level.level + 1) / level.levels for level in levels]
        axes.plot(
            done, [level.states for level in levels], color=BLUE, lw=1.5, ls="--",
            label="states of our sweep",
        )  # fmt: skip
        axes.axhline(result.nodes, color=GREY, lw=1, ls=":")
        axes.text(
            36, result.nodes * 0.5, f"the answer: {result.nodes} nodes", fontsize=10, color=GREY
        )
        axes.set(yscale="log")


def _merged(rows: list[str]) -> tuple[list[list[object]], list[tuple[int, object, object]]]:
    """Of equally long words: what can still follow, letter by letter; equal futures once."""
    layers: list[list[object]] = []
    edges: list[tuple[int, object, object]] = []
    here: list[frozenset[str]] = [frozenset(rows)]
    for level in range(len(rows[0])):
        layers.append([*here])
        after: list[frozenset[str]] = []
        for node in here:
            for letter in sorted({word[0] for word in node}):
                child = frozenset(word[1:] for word in node if word[0] == letter)
                if child not in after:
                    after.append(child)
                edges.append((level, node, child))
        here = after
    return [*layers, [*here]], edges


def tree(folder: Path) -> None:
    """All solutions of a small board as a tree, and with equal futures kept once."""
    rows = sorted(grid.line for grid in solve(Puzzle.parse("1" + "." * 15)))
    length = len(rows[0])
    prefixes = [sorted({row[:n] for row in rows}) for n in range(length + 1)]
    grown = [(n, row[:n], row[: n + 1]) for row in rows for n in range(length)]
    layers, edges = _merged(rows)
    figure = new_figure(6.6, 4.6)
    axes = figure.add_subplot()
    axes.set(xlim=(-1, 31), ylim=(length + 0.5, -2.2))
    axes.axis("off")
    layered(axes, 0, 19, prefixes, sorted(set(grown)), colour=RED, size=4, width=0.5)
    layered(axes, 20.5, 10, layers, edges, size=12)
    many = sum(len(p) for p in prefixes)
    few = sum(len(layer) for layer in layers)
    axes.text(9.5, -1.2, f"{len(rows)} solutions as a tree: {many} nodes", ha="center", fontsize=11)
    axes.text(25.5, -1.2, f"shared: {few} nodes", ha="center", fontsize=11)
    keep(figure, folder, "why_tree")


def draw(folder: Path) -> None:
    """All pictures of the page."""
    growth(folder)
    peak(folder)
    tree(folder)
