"""The paper's constraints printed as a formula file, read back, and built again.

For the seven puzzles of Table 1 and procedures 2 and 3 (1 where it ends soon), the command
``build --show-constraints`` prints the constraints in the procedure's order; the file is read, and
its statements are conjoined as they are written. The number of solutions, and the nodes after every
step, have to be those of the puzzle itself. Then the diagram of a 15-hint puzzle, compiled from the
puzzle and from the file read back, in the same order: the arrays have to be the same; times are
medians.

Checked: all of the above, the peaks of the paper's example, and that the second compilation takes
at most --bar times the first.

    python experiments/own_words.py --table experiments/results/own_words.md
"""

from __future__ import annotations

import time
from collections.abc import Callable
from statistics import median
from typing import Any

import harness
import rivals

PAPER = harness.DATA / "paper"
HINTS = ("35", "33", "30", "28", "24", "21", "18")
PEAKS = {("35", 1): 1_363_666, ("35", 2): 9_041, ("35", 3): 9_784}


def work(case: dict[str, Any], send: Callable[[Any], None]) -> dict[str, Any]:
    """Build a puzzle, or the formula file of its constraints."""
    from bddsudoku import Puzzle
    from bddsudoku.engine.conjunction import build
    from bddsudoku.model.ordering import make_puzzle_schedule
    from bddsudoku.puzzle.formula import Problem
    from bddsudoku.puzzle.sudoku.sudoku_model import allocate, constraint_lines

    puzzle = Puzzle.parse((PAPER / f"{case['puzzle']}.txt").read_text(encoding="utf-8"))
    model = allocate(puzzle)
    plan = make_puzzle_schedule(model, case["procedure"])
    if case["from"] == "file":
        model = Problem.parse("\n".join(constraint_lines(model, plan))).model()
        plan = make_puzzle_schedule(model)
    begin = time.perf_counter()
    result = build(model, plan)
    return {
        "seconds": time.perf_counter() - begin,
        "count": str(result.count()),
        "nodes": result.nodes,
        "steps": [step.nodes for step in result.steps],
    }


def compiled(case: dict[str, Any], send: Callable[[Any], None]) -> dict[str, Any]:
    """Compile a puzzle with 15 hints and its formula file, one after the other."""
    import numpy as np

    from bddsudoku import Puzzle
    from bddsudoku.context import Context
    from bddsudoku.engine.frontier import compile_spec
    from bddsudoku.engine.order_choice import best_order
    from bddsudoku.engine.specs.product_spec import model_spec
    from bddsudoku.model.propagation import propagate_for_diagram
    from bddsudoku.puzzle.formula import Problem
    from bddsudoku.puzzle.sudoku.sudoku_model import allocate, constraint_lines
    from bddsudoku.sets import SolutionSet

    puzzle = Puzzle.parse(rivals.FIFTEEN)
    own = propagate_for_diagram(allocate(puzzle))
    read = propagate_for_diagram(Problem.parse("\n".join(constraint_lines(own))).model())
    order = best_order(own, Context()).order
    harness.warmed(lambda: compile_spec(model_spec(own, order)))
    times: dict[str, list[float]] = {"puzzle": [], "file": []}
    made = {}
    for _ in range(case["repeat"]):
        for name, model in (("puzzle", own), ("file", read)):
            begin = time.perf_counter()
            made[name] = compile_spec(model_spec(model, order)).diagram
            times[name].append(time.perf_counter() - begin)
    first, second = made["puzzle"], made["file"]
    same = all(
        np.array_equal(getattr(first, part), getattr(second, part))
        for part in ("variable", "low", "high")
    )
    return {
        "same": same,
        "count": str(SolutionSet(second).count()),
        "nodes": second.size,
        "seconds": {name: median(t) for name, t in times.items()},
    }


def main(arguments: list[str] | None = None) -> int:
    parser = harness.parser(__doc__, output="own_words.jsonl", time_limit="300")
    parser.add_argument("--repeat", type=int, default=5, help="compilations (%(default)s)")
    parser.add_argument(
        "--bar", type=float, default=1.5, help="largest ratio of times (%(default)s)"
    )
    options = parser.parse_args(arguments)
    hints = HINTS[:2] if options.quick else HINTS
    asked = [(name, number) for name in hints for number in (2, 3)]
    if not options.quick:
        asked.insert(0, (HINTS[0], 1))
    journal = harness.Journal(options, "own_words", repeat=options.repeat)
    cases = [
        {"puzzle": name, "procedure": number, "from": source}
        for name, number in asked
        for source in ("puzzle", "file")
    ]
    last = {"puzzle": "15 hints", "repeat": options.repeat}
    journal.measure(cases, "own_words:work", "{puzzle} hints, procedure {procedure}: {from}")
    journal.measure([last], "own_words:compiled", "{puzzle}: compiled")

    checks = harness.Checks()
    rows = []
    for name, number in asked:
        own, read = (
            journal.get({"puzzle": name, "procedure": number, "from": source}) or {}
            for source in ("puzzle", "file")
        )
        title = f"{name} hints, procedure {number}"
        if "limit" in own or "limit" in read:
            checks.expect(("limit" in own) == ("limit" in read), f"{title}: both reach the limit")
            rows.append([name, number, "×", "×", "×", own.get("limit"), read.get("limit")])
            continue
        for part in ("count", "nodes", "steps"):
            checks.expect(own[part] == read[part], f"{title}: the same {part}")
        peak = max(own["steps"])
        if (name, number) in PEAKS:
            checks.expect(PEAKS[name, number] == peak, f"{title}: peak {peak:,}")
        rows.append(
            [
                name,
                number,
                f"{int(own['count']):,}",
                f"{own['nodes']:,}",
                f"{peak:,}",
                f"{own['seconds']:.2f}",
                f"{read['seconds']:.2f}",
            ]
        )
    found = journal.get(last) or {}
    compilations = []
    if checks.expect("same" in found, "15 hints are compiled"):
        checks.expect(found["same"], "15 hints: the same arrays")
        checks.expect(found["count"] == "2284505", f"15 hints: {found['count']} solutions")
        seconds = found["seconds"]
        ratio = seconds["file"] / seconds["puzzle"]
        checks.expect(ratio <= options.bar, f"15 hints: {ratio:.2f} times, bar {options.bar}")
        compilations.append(
            [
                f"{int(found['count']):,}",
                f"{found['nodes']:,}",
                *(f"{seconds[source]:.3f}" for source in ("puzzle", "file")),
                f"{ratio:.2f}",
            ]
        )
    headers = ["hints", "procedure", "solutions", "nodes", "peak", "puzzle, s", "file, s"]
    more = ["solutions", "ZDD nodes", "puzzle, s", "file, s", "ratio"]
    harness.show(
        options,
        journal,
        [
            ("Conjunction: the puzzle, and the file that it prints", headers, rows),
            ("15 hints compiled in the same order", more, compilations),
        ],
    )
    return checks.finish()


if __name__ == "__main__":
    harness.run(main)
