"""Pictures of the page on bands: partitions, tables, products, orbits, roles."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from _drawing import BLACK, BLUE, GREEN, GREY, ORANGE, PALE, PINK, RED, arrow, canvas, grid, plain
from _drawing import save as keep
from matplotlib.colors import ListedColormap

from bddsudoku import Puzzle, solve
from bddsudoku.engine.bands.band_plan import BandPlan, PlanInput, fastest_loop_order, make_plan
from bddsudoku.engine.bands.partition_pair_orbits import canonical_pairs, merge_orbits, pair_orbits
from bddsudoku.engine.bands.partitions import partition_tables
from bddsudoku.engine.bands.summation import BandSums, ThreadTeam, plan_sums
from bddsudoku.report.plots import new_figure

DATA = Path(__file__).parents[2] / "data"
COLUMNS = (PALE[BLUE], PALE[ORANGE], PALE[GREEN])


def _puzzles(name: str) -> list[Puzzle]:
    """The puzzles of a file of data/, in its order."""
    lines = (DATA / name).read_text().splitlines()
    return [Puzzle.parse(line.split()[0]) for line in lines if line[:1] not in ("", "#")]


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
    axes.text(4.5, 2.4, "≠", ha="center", va="center", fontsize=16)
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
            axes.text(
                x + 0.7, 2.3 + 3 * n, triple, ha="center", va="center", fontsize=13,
                bbox={"facecolor": COLUMNS[k], "edgecolor": "none", "pad": 5},
            )  # fmt: skip
    for n, name in enumerate("tpq"):
        axes.text(1.7 + 3 * n, 0.5, name, ha="center", fontsize=13, style="italic")
    for k in range(3):
        assert len({row[k] for row in solved}) == 9
    axes.text(12.9, 10.2, "each column: 1 to 9, once", ha="center", fontsize=10, color=GREY)
    keep(figure, folder, "bands_stacks")


def products(folder: Path, plan: BandPlan, sums: BandSums) -> None:
    """The operands of one pair and the dot products of the empty grid."""
    held = sums.problem
    first, second = int(held.orbits.firsts[4]), int(held.orbits.seconds[4])
    p, q = plan.p, plan.q
    pb, pc = (x[p.ptr[first] : p.ptr[first + 1]] for x in (p.b, p.c))
    qb, qc = (x[q.ptr[second] : q.ptr[second + 1]] for x in (q.b, q.c))
    left = held.b[qb[:, None], pb[None, :]].reshape(-1, plan.tb.shape[2]).T
    right = held.c[qc[:, None], pc[None, :]].reshape(-1, plan.tc.shape[2]).T
    assert left.shape == (280, 3136)
    figure = new_figure(6.6, 3.5)
    axes = figure.subplots(1, 3, width_ratios=[1, 1, 1])
    show = {"cmap": "cividis", "vmin": 16, "vmax": 100, "interpolation": "nearest"}
    for part, data, name in ((axes[0], left, "X: band b"), (axes[1], right, "Y: band c")):
        part.imshow(data[:56, :56], **show)
        part.set_title(name, fontsize=11)
        part.set(xlabel="ways down p and q (k)", xticks=[], yticks=[])
    axes[0].set_ylabel("partition of t in b")
    axes[1].set_ylabel("partition of t in c")
    whole = left.astype(np.int64) @ right.T.astype(np.int64)
    t_ptr, t_c, _ = held.t
    used = np.full(whole.shape, np.nan)
    for u in range(len(t_ptr) - 1):
        used[u, t_c[t_ptr[u] : t_ptr[u + 1]]] = whole[u, t_c[t_ptr[u] : t_ptr[u + 1]]]
    axes[2].imshow(used[:70, :70], cmap="cividis", interpolation="nearest")
    axes[2].set_title("X · Yᵀ, where both fit", fontsize=11)
    axes[2].set(xlabel="partition of t in c", ylabel="partition of t in b", xticks=[], yticks=[])
    keep(figure, folder, "bands_products")


def entries(folder: Path, sums: BandSums) -> None:
    """Which values the table of an empty band has, and how often."""
    table = sums.problem.a
    values, times = np.unique(table, return_counts=True)
    figure = new_figure(6.4, 3.0)
    axes = figure.add_subplot()
    axes.bar([str(6 * v) for v in values], times / 1e6, color=BLUE)
    axes.set(xlabel="fillings of the band", ylabel="entries (millions)")
    axes.tick_params(axis="x", labelrotation=45)
    plain(axes)
    axes.grid(False, axis="x")
    axes.set_title(f"{table.size:,} entries, {len(values)} different values", fontsize=11)
    keep(figure, folder, "bands_table")


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
        frame = merge_orbits(found, plan.frame if plan.plan_input.framed else None, p, q, team.run)
        sizes = (alive[0].sum() * alive[1].sum(), len(found.firsts), len(frame.firsts))
        for line, size in zip(lines.values(), sizes, strict=True):
            line.append((count, float(size)))
    figure = new_figure(6.6, 3.9)
    axes = figure.add_subplot()
    looks = ((GREY, "o", "-"), (RED, "s", "--"), (BLUE, "^", "-."))
    for (name, points), (colour, mark, dash) in zip(lines.items(), looks, strict=True):
        xs, ys = zip(*points, strict=True)
        axes.plot(xs, ys, color=colour, marker=mark, ls=dash, ms=5, lw=1.4, label=name)
    axes.set(xlabel="hints left", yscale="log")
    axes.invert_xaxis()
    plain(axes)
    axes.legend(frameon=False, loc="lower left", fontsize=10)
    keep(figure, folder, "bands_ladder")


def roles(folder: Path, puzzle: Puzzle) -> None:
    """Predicted time of every choice of orientation and outermost band."""
    plan_input = _plan_input(puzzle)
    figure = new_figure(6.4, 2.9)
    axes = figure.add_subplot()
    names, costs = [], []
    for way, line in ((False, "rows"), (True, "columns")):
        for band in range(3):
            names.append(f"{line} {3 * band + 1}–{3 * band + 3}")
            costs.append(
                fastest_loop_order(plan_input._replace(outer=band, transposed=way))[0] / 1e6
            )
    best = int(np.argmin(costs))
    axes.barh(names, costs, color=[BLUE if n == best else "#b9b9b9" for n in range(6)])
    for n, cost in enumerate(costs):
        axes.text(cost, n, f" {cost:,.1f} ms", va="center", fontsize=10)
    axes.invert_yaxis()
    axes.set(xlabel="predicted time of one core (ms)", xlim=(0, max(costs) * 1.2))
    plain(axes)
    axes.grid(False, axis="y")
    keep(figure, folder, "bands_roles")


def draw(folder: Path) -> None:
    """All pictures of the page."""
    puzzle = _puzzles("seventeen.txt")[0]

    line = next(iter(solve(puzzle))).line
    solved = [line[9 * r : 9 * r + 9] for r in range(9)]
    partition(folder, solved)
    stacks(folder, solved)
    plan = make_plan(_plan_input(Puzzle((0,) * 81)))
    sums = plan_sums(plan, ThreadTeam(1))
    entries(folder, sums)
    products(folder, plan, sums)
    orbits(folder)
    ladder(folder, puzzle)
    roles(folder, _puzzles("few_hints.txt")[3])
