"""Numberlink: the set of all solutions, beside Graphillion.

    python experiments/numberlink.py                              everything
    python experiments/numberlink.py --quick                      small boards only
    python experiments/numberlink.py --plot widths.png            states per row as a picture

NL_Q07 is from the DA Symposium 2014 contest; the other boards are random. Graphillion, if it is
installed (extra ``peers``), runs in the same run with its best settings: edges row by row in the
order that our prediction chose, traversal ``as-is``, one thread (more do not help it); this package
uses all cores. Every measurement is a process of its own: another board first, to warm up; then the
time to the exact count through the diagram, in wall seconds (compared) and processor seconds, and
the peak of the process's memory.
Graphillion's interpreter alone takes 15 MB, ours with numba some 150 MB.

Expected: this package is faster on every board, most of all where planarity and names by order keep
the number of states small (NL_Q07: some twenty times, in a tenth of the memory), least on sparse
boards with many solutions.

Checked: known counts (one solution for NL_Q07, OEIS A007764), equal counts from both packages,
valid solutions, and that this package is faster on every board.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from functools import partial
from importlib import util
from pathlib import Path
from typing import Any

import harness

from bddsudoku.number_text import format_size
from bddsudoku.numberlink import Board, parse_board
from bddsudoku.numberlink.path_spec import violates_parity

Q07 = "NL_Q07"
WALKS = "10x10, corner to corner"
KNOWN = {(Q07, "free"): 1, (Q07, "cover"): 1, (WALKS, "free"): 41044208702632496804}


def threaded(rng: random.Random, width: int, height: int, pairs: int) -> Board:
    """A random board with a solution: its pairs are the ends of disjoint random walks."""
    grid = Board.of_cells(width, height, [(0, 1)])
    while True:
        used: set[int] = set()
        ends = []
        for _ in range(pairs):
            open_cells = [c for c in range(width * height) if c not in used]
            if not open_cells:
                break
            path = [rng.choice(open_cells)]
            for _ in range(rng.randint(2, width + height)):
                near = [c for c in grid.neighbours[path[-1]] if c not in used and c not in path]
                if not near:
                    break
                path.append(rng.choice(near))
            if len(path) < 2:
                break
            used.update(path)
            ends.append((path[0], path[-1]))
        if len(ends) == pairs:
            return Board.of_cells(width, height, ends)


def boards(options: Any) -> Iterator[tuple[str, Board]]:
    """Names and boards of the comparison."""
    rng = random.Random(options.seed)

    def balanced(side: int, pairs: int) -> Board:
        """One that the chessboard does not forbid to cover."""
        while True:
            board = threaded(rng, side, side, pairs)
            if not violates_parity(side, side, board.cell_pairs):
                return board

    if options.quick:
        yield "8x8, 3 pairs", balanced(8, 3)
        yield "8x8, 6 pairs", balanced(8, 6)
        return
    yield WALKS, Board.of_cells(10, 10, [(0, 99)])
    for side, pairs in ((10, 4), (10, 7), (11, 9), (12, 10)):
        yield f"{side}x{side}, {pairs} pairs", balanced(side, pairs)
    text = (harness.DATA / "numberlink" / "nl_q07.txt").read_text(encoding="utf-8")
    yield Q07, parse_board(text)


def _board(case: dict[str, Any]) -> Board:
    return Board.of_cells(case["width"], case["height"], case["pairs"], case["rule"])


def _timed(work: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """Processor and wall time of some work, and the peak memory of the process."""
    wall, cpu = time.perf_counter(), time.process_time()
    result = work()
    return result | {
        "cpu": time.process_time() - cpu,
        "wall": time.perf_counter() - wall,
        "memory": harness.peak_memory(),
    }


def run_frontier(case: dict[str, Any], send: Any) -> dict[str, Any]:
    """All solutions by the frontier engine."""
    from bddsudoku.numberlink.link_sets import compile_links

    for pairs in ([(0, 99)], [(0, 99), (33, 56), (24, 28)]):  # counts on both sides of 2**64
        warm = Board.of_cells(10, 10, pairs)
        harness.warmed(partial(lambda board: compile_links(board).solutions.count(), warm))
    board = _board(case)
    found: list[Any] = []

    def work() -> dict[str, Any]:
        compiled = compile_links(board)
        found.append(compiled)
        return {"count": str(compiled.solutions.count())}

    result = _timed(work)
    compiled = found[0]
    solutions, cost = compiled.solutions, compiled.cost
    assert cost is not None
    samples = solutions.sample(20, 1) if solutions else []
    columns = board.height if solutions.info["symmetry"] & 4 else board.width
    states = [level.states for level in cost.levels]
    return result | {
        "valid": all(board.fault(links.edges) is None for links in samples),
        "nodes": solutions.node_count("zdd"),
        "states": cost.states,
        "symmetry": solutions.info["symmetry"],
        "widths": [max(states[i : i + columns]) for i in range(0, len(states), columns)],
        "wire": [solutions.shortest()[0], solutions.longest()[0]] if solutions else None,
    }


def run_graphillion(case: dict[str, Any], send: Any) -> dict[str, Any]:
    """All solutions by Graphillion, the board turned as ``case["symmetry"]`` says."""
    from graphillion import GraphSet

    symmetry = case["symmetry"]
    width, height = case["width"], case["height"]

    def place(cell: int) -> int:
        y, x = divmod(cell, width)
        x = width - 1 - x if symmetry & 1 else x
        y = height - 1 - y if symmetry & 2 else y
        return x * height + y if symmetry & 4 else y * width + x

    columns, rows = (height, width) if symmetry & 4 else (width, height)
    pairs = [[place(a), place(b)] for a, b in case["pairs"]]
    inner = range(2, 3) if case["rule"] == "cover" else range(0, 3, 2)
    degrees = dict.fromkeys(range(width * height), inner)
    degrees |= dict.fromkeys((c for pair in pairs for c in pair), range(1, 2))
    edges = []
    for cell in range(width * height):
        if (cell + 1) % columns:
            edges.append((cell, cell + 1))
        if cell + columns < columns * rows:
            edges.append((cell, cell + columns))
    GraphSet.omp_set_num_threads(1)

    def work() -> dict[str, Any]:
        GraphSet.set_universe(edges, traversal="as-is")
        found = GraphSet.graphs(vertex_groups=pairs, degree_constraints=degrees, no_loop=True)
        return {"count": str(found.len())}

    return _timed(work)


def compared(
    options: Any, journal: harness.Journal, checks: harness.Checks
) -> tuple[list[list[Any]], dict[str, dict[str, list[int]]]]:
    """Rows of the side-by-side table, and the widths per row by board and rule."""
    peer = util.find_spec("graphillion") is not None
    if not peer:
        harness.note(
            "graphillion is not installed (pip install '.[peers]'): its columns stay empty"
        )
    rows: list[list[Any]] = []
    widths: dict[str, dict[str, list[int]]] = {}
    for name, board in boards(options):
        for rule in ("free", "cover"):
            if rule == "cover" and name == WALKS:
                continue
            case = {
                "name": name,
                "rule": rule,
                "width": board.width,
                "height": board.height,
                "pairs": [list(pair) for pair in board.cell_pairs],
            }
            ours = _best("numberlink:run_frontier", case, options, journal)
            theirs: dict[str, Any] | None = None
            if peer and "limit" not in ours:
                turned = case | {"symmetry": ours["symmetry"]}
                theirs = _best("numberlink:run_graphillion", turned, options, journal)
            rows.append(_row(name, rule, ours, theirs, checks))
            if "widths" in ours:
                widths.setdefault(name, {})[rule] = ours["widths"]
    return rows, widths


def _best(task: str, case: dict[str, Any], options: Any, journal: harness.Journal) -> Any:
    """The fastest of several runs."""
    best: dict[str, Any] | None = None
    for turn in range(options.repeat):
        asked = case | {"task": task, "turn": turn}
        journal.measure([asked], task, "{name}, {rule}: {task}, {turn}")
        found = journal.get(asked)
        assert found is not None
        if "limit" in found:
            return found
        if best is None or found["wall"] < best["wall"]:
            best = found
    return best


def _row(
    name: str,
    rule: str,
    ours: dict[str, Any],
    theirs: dict[str, Any] | None,
    checks: harness.Checks,
) -> list[Any]:
    row: list[Any] = [name, rule]
    if not checks.expect("limit" not in ours, f"{name}, {rule}: the frontier ends"):
        return [*row, f"× {ours['limit']}"]
    wanted = KNOWN.get((name, rule))
    if wanted is not None:
        checks.expect(ours["count"] == str(wanted), f"{name}, {rule}: {wanted} solutions")
    checks.expect(ours["valid"], f"{name}, {rule}: sampled solutions are valid")
    row += [ours["count"], ours["nodes"], f"{ours['states']:,}"]
    row += [f"{ours['cpu']:.3f}", f"{ours['wall']:.3f}", format_size(ours["memory"])]
    if theirs is None:
        return row
    if "limit" in theirs:
        return [*row, f"× {theirs['limit']}"]
    checks.expect(ours["count"] == theirs["count"], f"{name}, {rule}: equal counts")
    ratio = theirs["wall"] / ours["wall"]
    checks.expect(ratio > 1, f"{name}, {rule}: faster than Graphillion ({ratio:.2f})")
    row += [f"{theirs['cpu']:.3f}", f"{theirs['wall']:.3f}", format_size(theirs["memory"])]
    return [*row, f"{ratio:.1f}"]


HEADERS = [
    "board", "rule", "solutions", "ZDD nodes", "states", "CPU s", "wall s", "memory",
    "Graphillion CPU s", "wall s", "memory", "ratio",
]  # fmt: skip


def picture(widths: dict[str, dict[str, list[int]]], path: Path) -> None:
    """Plot the states on each row, a panel for each board and a line for each rule."""
    from bddsudoku.report.plots import DASHES, MARKERS, PALETTE, new_figure, save_figure

    columns = min(4, len(widths))
    rows = -(-len(widths) // columns)
    figure = new_figure(2.3 * columns + 0.5, 1.7 * rows + 1.0)
    grid = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False)
    for axes in grid.flat[len(widths) :]:
        axes.set_visible(False)
    shown = {}
    for axes, (name, by_rule) in zip(grid.flat, widths.items(), strict=False):
        for look, (rule, states) in zip(
            zip(PALETTE, DASHES, MARKERS, strict=True), by_rule.items(), strict=False
        ):
            color, dashes, marker = look
            (shown[rule],) = axes.plot(
                range(1, len(states) + 1), states, color=color, ls=dashes, marker=marker, ms=3.5
            )
        axes.set_title(name, fontsize=9)
        axes.set_yscale("log")
        axes.grid(True, alpha=0.3)
    figure.supxlabel("row of the sweep", fontsize=10)
    figure.supylabel("states of the row's widest level", fontsize=10)
    title = "States on the way to all solutions, under either rule"
    figure.legend(shown.values(), shown, title=title, loc="outside upper center", ncols=2)
    save_figure(figure, path)


def main(arguments: list[str] | None = None) -> int:
    parser = harness.parser(__doc__, "numberlink", max_memory="8GiB")
    parser.add_argument("--plot", type=Path, default=None, help="a picture: png, svg or pdf")
    parser.add_argument("--repeat", type=int, default=3, help="runs, of which the fastest counts")
    options = parser.parse_args(arguments)
    journal = harness.Journal(options)
    checks = harness.Checks()
    table, widths = compared(options, journal, checks)
    harness.show(options, journal, [("All solutions", HEADERS, table)])
    if options.plot is not None:
        picture(widths, options.plot)
    return checks.finish()


if __name__ == "__main__":
    harness.run(main)
