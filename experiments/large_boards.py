"""Large boards that lack some hints: component caching, the frontier and searches compared.

Two puzzles of 98 and 102 hints with one solution, of which 4 and 8 hints were taken away
(``data/too_few_16x16.txt``), counted by every engine that may be fast there, each in a
process of its own; and 25×25, 16×16 and 12×12 grids with random hints.

Checked: all engines that finish agree.

    python experiments/large_boards.py
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import harness
import numpy as np

from bddsudoku.puzzle.sudoku import Layout, Puzzle

TOO_FEW = harness.DATA / "too_few_16x16.txt"
ENGINES = ("auto", "components", "frontier", "search", "dlx")
RANDOM = ((3, 4, 0.45), (4, 4, 0.45), (4, 4, 0.40), (5, 5, 0.65), (5, 5, 0.60))


def work(case: dict[str, Any], send: Callable[[Any], None]) -> dict[str, Any]:
    """Count one board with one engine, or by its diagram."""
    from bddsudoku.context import Context
    from bddsudoku.solver import count_detailed

    if case["engine"] == "diagram":
        return diagram(case)
    layout = Layout(*case["layout"])
    puzzle = Puzzle.parse(case["line"], layout)
    begin = time.perf_counter()
    found = count_detailed(puzzle, case["engine"], Context(None, case["seconds"]))
    return {
        "count": str(found.count),
        "engine": found.engine,
        "seconds": time.perf_counter() - begin,
    }


def diagram(case: dict[str, Any]) -> dict[str, Any]:
    """Build the decision-DNNF of one board; its time and size."""
    from bddsudoku.context import Context
    from bddsudoku.solver import solve_detailed

    puzzle = Puzzle.parse(case["line"], Layout(*case["layout"]))
    begin = time.perf_counter()
    found = solve_detailed(puzzle, "components", context=Context(None, case["seconds"])).solutions
    made = time.perf_counter() - begin
    begin = time.perf_counter()
    total = int(found.marginals()[0, 0].sum())
    assert total == found.count()
    return {
        "count": str(total),
        "nodes": found.diagram.size - 1,
        "bytes": found.diagram.nbytes,
        "seconds": made,
        "marginals": time.perf_counter() - begin,
    }


def random_puzzle(rows: int, columns: int, share: float, seed: int) -> tuple[list[int], str]:
    """A random puzzle: each cell of a shuffled pattern grid is a hint with a given probability."""
    rng = np.random.default_rng(seed)
    n = rows * columns
    r, c = np.mgrid[:n, :n]
    grid = (columns * (r % rows) + r // rows + c) % n
    lines = np.concatenate([b * rows + rng.permutation(rows) for b in rng.permutation(columns)])
    across = np.concatenate([b * columns + rng.permutation(columns) for b in rng.permutation(rows)])
    grid = rng.permutation(n)[grid[lines][:, across]] + 1
    cells = np.where(rng.random((n, n)) < share, grid, 0)
    return [rows, columns], Puzzle(cells.ravel().tolist(), Layout(rows, columns)).line


def main(arguments: list[str] | None = None) -> int:
    parser = harness.parser(__doc__, "large_boards", time_limit="120")
    parser.add_argument("--each", type=int, default=2, help="random boards (%(default)s)")
    options = parser.parse_args(arguments)
    journal = harness.Journal(options)
    boards = [([4, 4], line) for line in TOO_FEW.read_text(encoding="utf-8").split()]
    boards += [
        random_puzzle(*kind, seed=options.seed + k) for kind in RANDOM for k in range(options.each)
    ]

    def case(board: tuple[list[int], str], engine: str) -> dict[str, Any]:
        layout, line = board
        return {"layout": layout, "line": line, "engine": engine, "seconds": options.time_limit}

    if options.quick:
        boards = [
            random_puzzle(2, 3, 0.4, seed=options.seed),
            random_puzzle(3, 4, 0.7, seed=options.seed),
        ]
    cases = [case(board, engine) for board in boards for engine in (*ENGINES, "diagram")]
    journal.measure(cases, "large_boards:work", "{layout}, {engine}")

    checks = harness.Checks()
    rows = []
    for board in boards:
        layout, line = board
        results = {e: journal.get(case(board, e)) or {"limit": "?"} for e in (*ENGINES, "diagram")}
        counts = {r["count"] for r in results.values() if "limit" not in r}
        hints = sum(c != "." for c in line)
        name = f"{layout[0] * layout[1]}x{layout[0] * layout[1]}, {hints} hints"
        checks.expect(len(counts) <= 1, f"{name}: all agree, {counts}")
        own, made = results["auto"], results["diagram"]
        rows.append(
            [
                name,
                f"{int(counts.pop()):,}" if counts else "×",
                "×" if "limit" in own else f"{own['wall_seconds']:.2f}",
                "" if "limit" in own else own["engine"],
                *(
                    "×" if "limit" in results[e] else f"{results[e]['seconds']:.2f}"
                    for e in ENGINES[1:]
                ),
                *(
                    ["×"] * 2
                    if "limit" in made
                    else [f"{made['nodes']:,}", f"{made['marginals']:.2f}"]
                ),
            ]
        )
    head = ["board", "solutions", "`count` s in all", "by"]
    head += [f"{e} s" for e in ENGINES[1:]] + ["nodes", "marginals s"]
    harness.show(options, journal, [("Boards", head, rows)])
    return checks.finish()


if __name__ == "__main__":
    harness.run(main)
