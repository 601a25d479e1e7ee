"""Pictures of the page on orders: a small function twice, a set in many orders."""

from __future__ import annotations

import random
from pathlib import Path

from _diagrams import bdd, spread
from _drawing import BLUE, ORANGE, RED, canvas, chart
from _drawing import save as keep

from bddsudoku import Puzzle, compile_set
from bddsudoku.model import Formula
from bddsudoku.model.expression import Reference
from bddsudoku.model.simplify import simplified_operation
from bddsudoku.model.to_mdd import constraint_mdd
from bddsudoku.sets import GridSet

PUZZLE = "000000010400000000020000000000050407008000300001090000000400200050100000000806000"


def pairs(folder: Path) -> None:
    """Three pairs that are equal: partners side by side, and far apart."""
    equal = [simplified_operation("<->", Reference(v), Reference(v + 3)) for v in range(3)]
    statement = Formula("pairs", "equal", simplified_operation("&", *equal))
    figure, axes = canvas(6.6, 4.6, 13.2, 7.6)
    for left, wide, order in ((0.0, 4.4, (0, 3, 1, 4, 2, 5)), (4.9, 8.2, range(6))):
        made = constraint_mdd(statement, [[v] for v in order])
        bdd(axes, made, "abcxyz", spread(made, wide), left=left)
        nodes = len(made.bdd()[0])
        axes.text(left + wide / 2, 7.3, f"{nodes} nodes", ha="center", fontsize=12)
    keep(figure, folder, "order_pairs")


def sizes(folder: Path) -> None:
    """One set in many orders of its cells."""
    puzzle = Puzzle.parse(PUZZLE)
    found = compile_set(puzzle, order="rows")
    assert isinstance(found, GridSet)
    bars = {}
    for name in ("rows", "columns", "blocks", "greedy"):
        other = found if name == "rows" else compile_set(puzzle, order=name)
        bars[name] = other.node_count()
    evens = sorted(range(81), key=lambda cell: (cell % 2, cell))
    bars["every second cell"] = found.in_cell_order(evens).node_count()
    for seed in (1, 2, 3):
        cells = [*range(81)]
        random.Random(seed).shuffle(cells)
        bars[f"shuffled ({seed})"] = found.in_cell_order(cells).node_count()
    with chart(folder, "order_sizes", 6.4, 3.4, "ZDD nodes of the same set", grid="x") as axes:
        names = [*bars]
        colours = [BLUE if n < 4 else ORANGE if n == 4 else RED for n in range(len(names))]
        axes.barh(names, [bars[n] for n in names], color=colours)
        for n, name in enumerate(names):
            axes.text(bars[name], n, f" {bars[name]:,}", va="center", fontsize=10)
        axes.invert_yaxis()
        axes.set(xlim=(0, max(bars.values()) * 1.25))


def profiles(folder: Path) -> None:
    """Where the nodes are: rows and a shuffled order."""
    found = compile_set(Puzzle.parse(PUZZLE), order="rows")
    assert isinstance(found, GridSet)
    cells = [*range(81)]
    random.Random(1).shuffle(cells)
    with chart(
        folder, "order_profiles", 6.4, 3.4, "part of the variables (%)", "nodes", loc="lower center"
    ) as axes:
        for name, made, colour, dash in (
            ("rows", found, BLUE, "-"),
            ("shuffled (1)", found.in_cell_order(cells), RED, "--"),
        ):
            wide = [int(n) for n in made.diagram.profile()]
            parts = [sum(wide[n * len(wide) // 40 : (n + 1) * len(wide) // 40]) for n in range(40)]
            axes.stairs(
                parts, [2.5 * n for n in range(41)], color=colour, ls=dash, lw=1.6,
                label=f"{name}: {sum(wide):,} nodes",
            )  # fmt: skip
        axes.set(yscale="log")


def draw(folder: Path) -> None:
    """All pictures of the page."""
    pairs(folder)
    sizes(folder)
    profiles(folder)
