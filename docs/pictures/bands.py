"""Pictures of the page on bands: partitions, a table, orbits."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from _drawing import (
    BLACK,
    BLUE,
    GREEN,
    GREY,
    ORANGE,
    PALE,
    PINK,
    RED,
    arrow,
    canvas,
    chart,
    grid,
    label,
)
from _drawing import save as keep
from matplotlib.colors import ListedColormap

from bddsudoku import Puzzle, solve
from bddsudoku.engine.bands.band_plan import PlanInput, make_plan
from bddsudoku.engine.bands.partition_pair_orbits import canonical_pairs, merge_orbits, pair_orbits
from bddsudoku.engine.bands.partitions import partition_tables
from bddsudoku.engine.bands.summation import ThreadTeam, plan_sums
from bddsudoku.report.plots import new_figure

SEVENTEEN = "000000010400000000020000000000050407008000300001090000300400200050100000000806000"
COLUMNS = (PALE[BLUE], PALE[ORANGE], PALE[GREEN])


def _plan_input(puzzle: Puzzle) -> PlanInput:
    """What a plan of the board is made from."""
    given = [1 << d - 1 if d else 511 for d in puzzle.cells]
    plan_input = PlanInput.from_masks(np.array(given, dtype=np.uint16))
    assert plan_input is not None
    return plan_input


def _triples(rows: list[str], columns: bool) -> str:
    lines = ["".join(row[c] for row in rows) for c in range(3)] if columns else rows
    return " | ".join("".join(sorted(line)) for line in lines)


def partition(folder: Path, solved: list[str]) -> None:
    """A block, and what the rest of its stack sees of it."""
    block = [row[:3] for row in solved[:3]]
    other = [block[1][0] + block[2][1] + block[0][2]]
    other += [block[2][0] + block[0][1] + block[1][2]]
    other += [block[0][0] + block[1][1] + block[2][2]]
    figure, axes = canvas(6.6, 2.7, 13.2, 5.4)
    shades = {(r, c): COLUMNS[c] for r in range(3) for c in range(3)}
    for left, rows in ((0.6, block), (5.1, other)):
        grid(axes, left, 0.7, rows, side=1.1, grounds=shades, size=15)
        axes.text(left + 1.65, 4.6, "rows", ha="center", fontsize=10, color=GREY)
        axes.text(left + 1.65, 5.1, _triples(rows, False), ha="center", fontsize=10)
    for c, triple in enumerate(_triples(block, True).split(" | ")):
        grid(axes, 9.7 + 1.1 * c, 0.7, triple, side=1.1, box=(9, 9), size=13)
        for r in range(3):
            grounds = {(0, 0): COLUMNS[c]}
            grid(axes, 9.7 + 1.1 * c, 0.7 + 1.1 * r, [triple[r]], side=1.1, grounds=grounds)
    axes.text(11.35, 4.6, "columns of both", ha="center", fontsize=10, color=GREY)
    axes.text(11.35, 5.1, _triples(block, True), ha="center", fontsize=10)
    label(axes, 4.5, 2.4, "≠", size=16)
    arrow(axes, (8.6, 2.35), (9.5, 2.35))
    keep(figure, folder, "bands_partition")


def stacks(folder: Path, solved: list[str]) -> None:
    """A solved grid: bands, stacks, and the partitions down one stack."""
    figure, axes = canvas(6.6, 4.6, 15.4, 10.6)
    shades = {(r, c): COLUMNS[c] for r in range(9) for c in range(3)}
    grid(axes, 0.2, 0.8, solved, grounds=shades, size=12)
    for n, name in enumerate("abc"):
        axes.text(9.5, 2.45 + 3 * n, name, va="center", fontsize=13, style="italic")
        triples = _triples([row[:3] for row in solved[3 * n : 3 * n + 3]], True).split(" | ")
        for k, triple in enumerate(triples):
            x = 10.6 + 1.6 * k
            label(axes, x + 0.7, 2.3 + 3 * n, triple, size=13,
                bbox={"facecolor": COLUMNS[k], "edgecolor": "none", "pad": 5},
            )  # fmt: skip
    for n, name in enumerate("tpq"):
        axes.text(1.7 + 3 * n, 0.5, name, ha="center", fontsize=13, style="italic")
    for k in range(3):
        assert len({row[k] for row in solved}) == 9
    axes.text(12.9, 10.2, "each column: 1 to 9, once", ha="center", fontsize=10, color=GREY)
    keep(figure, folder, "bands_stacks")


def entries(folder: Path) -> None:
    """Which values the table of an empty band has, and how often."""
    plan = make_plan(_plan_input(Puzzle((0,) * 81)))
    table = plan_sums(plan, ThreadTeam(1)).problem.a
    values, times = np.unique(table, return_counts=True)
    with chart(
        folder, "bands_table", 6.4, 3.0, "fillings of the band", "entries (millions)", grid="y"
    ) as axes:
        axes.bar([str(6 * v) for v in values], times / 1e6, color=BLUE)
        axes.tick_params(axis="x", labelrotation=45)
        axes.set_title(f"{table.size:,} entries, {len(values)} different values", fontsize=11)


def orbits(folder: Path) -> None:
    """All pairs of partitions of the empty grid's outermost band, coloured by orbit."""
    canonical = np.unique(partition_tables().reorder.min(axis=0)).astype(np.int32)
    firsts, seconds = np.repeat(canonical, 280), np.tile(canonical, 280)
    every = np.arange(6)
    groups = [list(range(9))]
    keys, _ = canonical_pairs(firsts, seconds, (every, every), groups, ThreadTeam(1).run)
    _, number = np.unique(keys, return_inverse=True)
    number = number.reshape(280, 280)
    inside = np.bincount(number[0], minlength=5)
    order = np.argsort(number[0], kind="stable")
    colours = [BLACK, ORANGE, BLUE, PINK, GREEN]
    figure = new_figure(6.4, 4.2)
    axes = figure.add_subplot()
    axes.imshow(number[order][:, order], cmap=ListedColormap(colours), interpolation="nearest")
    axes.set(xticks=[], yticks=[])
    axes.set(xlabel="280 partitions of a in stack q", ylabel="280 partitions of a in stack p")
    for n, colour in enumerate(colours):
        axes.plot([], [], "s", ms=10, color=colour, label=f"{inside[n]} of 280")
    axes.legend(
        frameon=False, loc="center left", bbox_to_anchor=(1.02, 0.5), fontsize=11,
        title="in every row", title_fontsize=11,
    )  # fmt: skip
    keep(figure, folder, "bands_orbits")


def ladder(folder: Path, puzzle: Puzzle) -> None:
    """Pairs, orbits of the board, orbits of the frame, as hints are taken away."""
    team = ThreadTeam(1)
    lines: dict[str, list[tuple[int, float]]] = {
        "pairs of the outermost band": [],
        "pairs unlike on this board": [],
        "pairs unlike to the other two bands": [],
    }
    hints = [cell for cell, digit in enumerate(puzzle.cells) if digit]
    for count in (15, 13, 11, 9, 7, 5, 3, 1, 0):
        cells = tuple(d if n in hints[:count] else 0 for n, d in enumerate(puzzle.cells))
        plan = make_plan(_plan_input(Puzzle(cells)))
        a, p, q, board = plan.roles.a, plan.roles.p, plan.roles.q, plan.board
        alive = plan.grid.columns[a, p], plan.grid.columns[a, q]
        found = pair_orbits(alive, (board.orders[p], board.orders[q]), board.groups, team.run)
        frame = merge_orbits(found, plan.frame, p, q, team.run)
        sizes = (alive[0].sum() * alive[1].sum(), len(found.firsts), len(frame.firsts))
        for line, size in zip(lines.values(), sizes, strict=True):
            line.append((count, float(size)))
    with chart(folder, "bands_ladder", 6.6, 3.9, "hints left", loc="upper left") as axes:
        looks = ((GREY, "o", "-"), (RED, "s", "--"), (BLUE, "^", "-."))
        for (name, points), (colour, mark, dash) in zip(lines.items(), looks, strict=True):
            xs, ys = zip(*points, strict=True)
            axes.plot(xs, ys, color=colour, marker=mark, ls=dash, ms=5, lw=1.4, label=name)
        axes.set(yscale="log")
        axes.invert_xaxis()


def draw(folder: Path) -> None:
    """All pictures of the page."""
    puzzle = Puzzle.parse(SEVENTEEN)
    line = next(iter(solve(puzzle))).line
    solved = [line[9 * r : 9 * r + 9] for r in range(9)]
    partition(folder, solved)
    stacks(folder, solved)
    entries(folder)
    orbits(folder)
    ladder(folder, puzzle)
