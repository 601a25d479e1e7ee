"""Hints removed one by one down to none, as in section 5.2 of Tateishi & Minato.

Claim: the paper had to stop at 15 hints (14 overflowed 128 GB); counted by bands, every puzzle on
the way to the empty grid takes seconds, and a ZDD in a good order holds the sets several hints
further than the paper's BDD.

From unique puzzles of 18 and 17 hints, hints go one at a time, from the last to the first or in
random orders. Every puzzle is counted by all engines that finish within the limits:
bands, frontier (which also gives the diagrams' sizes) and dancing links; they must agree. Node
counts: the ZDD in the order that `auto` picks; the BDD over the paper's variables (nine for every
open cell) in the paper's order, row by row, as far as --bdd-hints.

    python experiments/hint_removal.py                          both puzzles, given order
    python experiments/hint_removal.py --random 3 --seed 7      three random orders more, each
    python experiments/hint_removal.py --plot curve.png         also as a picture
    python experiments/hint_removal.py --quick                  some rows, a few seconds
"""

from __future__ import annotations

import random
import time
from pathlib import Path
from typing import Any

import harness

from bddsudoku.context import Context
from bddsudoku.errors import BddSudokuError
from bddsudoku.puzzle.sudoku.grid import Puzzle
from bddsudoku.puzzle.sudoku.text import read_puzzles
from bddsudoku.solver import count_detailed, solve_detailed

PUZZLES = (harness.DATA / "paper" / "18.txt", harness.DATA / "seventeen.txt")
PAPER = {17: (9_434, 564_048), 16: (188_105, 5_576_727), 15: (3_379_627, 54_943_067)}
"""Hints left in the paper's No. 65 → solutions, BDD nodes (section 5.2)."""
EMPTY_GRID = 6_670_903_752_021_072_936_960


def paper_keys(puzzle: Puzzle) -> list[int]:
    """Keys of the paper's variables: nine for every open cell, row by row."""
    n = puzzle.n
    return [cell * n + d for cell in puzzle.open_cells for d in range(n)]


def count_case(case: dict[str, Any], send: Any) -> dict[str, Any]:
    """Count one puzzle with one engine, after a warm-up on an easy puzzle."""
    engine = case["engine"]
    puzzle = Puzzle.parse(case["puzzle"])
    warm = Puzzle.parse(case["warm"])
    if engine in ("frontier", "rows"):
        order = "auto" if engine == "frontier" else "rows"
        harness.warmed(lambda: solve_detailed(warm, "frontier", order).solutions.node_count("bdd"))
        begin = time.perf_counter()
        done = solve_detailed(puzzle, "frontier", order, Context(case["memory"]))
        found = done.solutions
        count = found.count()
        result = {"seconds": time.perf_counter() - begin, "zdd_nodes": found.node_count("zdd")}
        assert done.cost is not None
        result |= {
            "order": done.order,
            "states": done.cost.states,
            "peak_bytes": done.cost.peak_bytes,
        }
        if engine == "rows":
            result["bdd_nodes"] = found.node_count("bdd", variables=paper_keys(puzzle))
    else:
        count_detailed(warm, engine)
        begin = time.perf_counter()
        count = count_detailed(puzzle, engine, Context(case["memory"])).count
        result = {"seconds": time.perf_counter() - begin}
    return {"count": str(count), **result}


def removals(puzzle: Puzzle, seed: int | None) -> list[Puzzle]:
    """The puzzle, and the puzzles after each removal, down to the empty grid."""
    cells = list(puzzle.hints)
    if seed is None:
        cells.reverse()
    else:
        random.Random(seed).shuffle(cells)
    found = [puzzle]
    for cell in cells:
        found.append(found[-1].without(cell))
    return found


def cases_of(puzzle: Puzzle, options: Any) -> list[dict[str, Any]]:
    """Cases of one puzzle, one for each engine that is to be tried."""
    least = {
        "bands": 0,
        "frontier": options.diagram_hints,
        "rows": options.bdd_hints,
        "dlx": options.dlx_hints,
    }
    return [
        {
            "puzzle": puzzle.line,
            "engine": engine,
            "memory": options.max_memory,
            "warm": Puzzle.parse(options.warm).line,
        }
        for engine, hints in least.items()
        if puzzle.hint_count >= hints
    ]


def seconds_text(result: dict[str, Any] | None) -> str | None:
    """Seconds as text, or × and the limit; None if the engine was not tried."""
    if result is None:
        return None
    return f"× {result['limit']}" if "limit" in result else f"{result['seconds']:.3f}"


def rows_of(
    chain: list[Puzzle], options: Any, journal: harness.Journal, checks: harness.Checks
) -> tuple[list[list[Any]], list[tuple[int, int]]]:
    """The table of one order of removal, and (hints, solutions) for the picture."""
    rows: list[list[Any]] = []
    curve: list[tuple[int, int]] = []
    before: int | None = None
    for puzzle in chain:
        found = {c["engine"]: journal.get(c) for c in cases_of(puzzle, options)}
        counts = {e: int(r["count"]) for e, r in found.items() if r and "count" in r}
        where = f"{puzzle.hint_count} hints"
        checks.expect(bool(counts), f"{where}: some engine counts")
        if not counts:
            continue
        checks.expect(len(set(counts.values())) == 1, f"{where}: engines agree, {counts}")
        count = next(iter(counts.values()))
        if before is not None:
            checks.expect(count >= before, f"{where}: no fewer solutions than with one hint more")
        if not puzzle.hint_count:
            checks.expect(count == EMPTY_GRID, "the empty grid's number of solutions")
        step = rows[-1][0] - puzzle.hint_count if rows else 0
        zdd = (found.get("frontier") or {}).get("zdd_nodes")
        bdd = (found.get("rows") or {}).get("bdd_nodes")
        paper = PAPER.get(puzzle.hint_count, (None, None))
        rows.append(
            [
                puzzle.hint_count,
                f"{count:,}",
                f"{count / before:,.1f}" if before and step == 1 else None,
                f"{zdd:,}" if zdd is not None else None,
                f"{bdd:,}" if bdd is not None else None,
                f"{bdd / count:.1f}" if bdd is not None else None,
                *(seconds_text(found.get(e)) for e in ("bands", "frontier", "rows", "dlx")),
                *(f"{v:,}" if v is not None else None for v in paper),
            ]
        )
        curve.append((puzzle.hint_count, count))
        before = count
    return rows, curve


HEADERS = [
    "hints",
    "solutions",
    "growth",
    "ZDD nodes",
    "BDD nodes (paper's order)",
    "BDD nodes / solution",
    "bands s",
    "frontier s",
    "row order s",
    "DLX s",
    "paper: solutions",
    "paper: BDD nodes",
]


def main(arguments: list[str] | None = None) -> int:
    parser = harness.parser(__doc__, "hint_removal", max_memory="8GiB")
    add = parser.add_argument
    add("--puzzles", nargs="*", default=[str(p) for p in PUZZLES], help="files (%(default)s)")
    add("--random", type=int, default=0, help="random orders of removal beside the given one")
    add("--diagram-hints", type=int, default=14, help="ZDDs down to here (%(default)s)")
    add("--bdd-hints", type=int, default=15, help="BDDs in row order down to here (%(default)s)")
    add("--dlx-hints", type=int, default=14, help="dancing links down to here (%(default)s)")
    add("--plot", type=Path, default=None, help="a picture: png, svg or pdf")
    options = parser.parse_args(arguments)
    try:
        puzzles = [next(iter(read_puzzles(path))).puzzle for path in options.puzzles]
    except BddSudokuError as error:
        harness.note(str(error))
        return 2
    options.warm = puzzles[0].line
    chains = {}
    for puzzle in puzzles:
        for number in range(options.random + 1):
            seed = None if number == 0 else options.seed + number - 1
            how = "last hint first" if seed is None else f"random order, seed {seed}"
            chain = removals(puzzle, seed)
            if options.quick:
                chain = [p for p in chain if p.hint_count in (17, 16, 0)]
            chains[f"{puzzle.hint_count} hints, {how}"] = chain
    journal = harness.Journal(options)
    cases = [case for chain in chains.values() for p in chain for case in cases_of(p, options)]
    journal.measure(cases, "hint_removal:count_case", "{puzzle}: {engine}")
    checks = harness.Checks()
    tables = []
    curves = {}
    for name, chain in chains.items():
        rows, curve = rows_of(chain, options, journal, checks)
        tables.append((f"From {name}", HEADERS, rows))
        curves[name] = curve
    harness.show(options, journal, tables)
    if options.plot is not None:
        from bddsudoku.report.plots import plot_removal, save_figure

        curves["paper's No. 65"] = [(h, solutions) for h, (solutions, _) in PAPER.items()]
        save_figure(plot_removal(curves), options.plot)
    return checks.finish()


if __name__ == "__main__":
    harness.run(main)
