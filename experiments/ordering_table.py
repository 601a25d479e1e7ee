"""Table 1 of Tateishi & Minato: one BDD built in three orders of conjunction.

Claim: the order of conjunction decides (procedure 1 is hundreds of times slower than procedures 2
and 3, or reaches the memory limit), and variables chosen by the hints (`candidates`, the paper's
future work) gain as much again.

Seven puzzles with 35, 33, 30, 28, 24, 21 and 18 hints; the paper's were taken from a book that is
not at hand, so but for the first (its Figure 1) they are others with as many hints, and its times,
from 2008 on an Opteron 885 at 2.6 GHz with 128 GB, stand beside ours for the shape, not the value.
Ours are processor seconds (one thread; the JSON lines have the wall clock, too), which other work
on the machine disturbs least; the time limit is by the wall clock. Procedure 1 at 30 and 28 hints,
which the paper's machine finished in minutes, has `--patience` instead of `--time-limit`.

    python experiments/ordering_table.py                        the whole table
    python experiments/ordering_table.py --quick                one puzzle, half a minute
    python experiments/ordering_table.py --table FILE.csv       also as CSV

It verifies: one solution each (by dancing links, which share no code with the BDDs); final nodes
= 9 x (81 - hints) under `paper`; the same solution from every build that ended.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterator
from typing import Any

import harness

from bddsudoku.context import Context
from bddsudoku.engine import dlx
from bddsudoku.errors import BddSudokuError, LimitReached
from bddsudoku.model.allocation import Allocation
from bddsudoku.puzzle.sudoku.grid import Puzzle
from bddsudoku.puzzle.sudoku.sudoku_decoder import SudokuDecoder
from bddsudoku.puzzle.sudoku.sudoku_model import allocate
from bddsudoku.puzzle.sudoku.text import read_puzzles
from bddsudoku.solver.comparison import build_puzzle, solutions_from_build

PUZZLES = str(harness.DATA / "ordering.sdm")
PROCEDURES = (1, 2, 3)
PAPER = {
    35: (16.47, 0.52, 0.30),
    33: (26.04, 0.49, 0.24),
    30: (214.70, 0.77, 0.28),
    28: (745.32, 1.20, 0.54),
    24: (42232.59, 1.92, 0.91),
    21: (None, 13.37, 11.74),
    18: (None, 16.92, 14.55),
}
"""Hints → seconds for procedures 1, 2, 3; None where its memory (3 billion nodes) overflowed."""

PATIENT = (30, 28)
"""Hints for which procedure 1 under `paper` has a time limit of its own."""

REPEATED_BELOW = 5.0
"""Seconds; shorter builds are repeated and the median is told."""


def build_case(case: dict[str, Any], options: Any) -> dict[str, Any]:
    """Build one BDD (several times if that is fast), each time in a process of its own."""
    puzzle = Puzzle([0 if c == "." else int(c) for c in case["puzzle"]])
    runs: list[Any] = []
    try:
        while not runs or (len(runs) < options.repeat and runs[-1].seconds < REPEATED_BELOW):
            runs.append(
                build_puzzle(
                    puzzle,
                    procedure=case["procedure"],
                    allocation=case["allocation"],
                    backend=case["backend"],
                    context=Context(options.max_memory, case.get("time_limit", options.time_limit)),
                )
            )
    except LimitReached as stop:
        steps = stop.trace or ()
        return {
            "limit": stop.limit,
            "message": str(stop),
            "steps_done": len(steps),
            "peak_nodes": max((s.nodes for s in steps), default=0),
        }
    last = runs[-1]
    peak = max(last.steps, key=lambda step: step.nodes, default=None)
    solutions = solutions_from_build(puzzle, last, case["allocation"])
    return {
        "variables": last.variables,
        "nodes": last.nodes,
        "peak_nodes": last.peak_nodes,
        "peak_step": f"{peak.family} {peak.label}" if peak else None,
        "seconds": round(statistics.median(r.seconds for r in runs), 6),
        "all_seconds": [round(r.seconds, 6) for r in runs],
        "cpu_seconds": round(statistics.median(r.cpu_seconds for r in runs), 6),
        "peak_rss": last.peak_rss,
        "backend_version": last.backend_version,
        "count": str(solutions.count()),
        "solution": next(iter(solutions)).line if solutions.count() else None,
    }


def solution_by_search(puzzle: Puzzle) -> tuple[int, str | None]:
    """Number of solutions (two at most) and one of them, by dancing links."""
    model = allocate(puzzle, Allocation.CANDIDATES)
    found = list(dlx.covers(model, limit=2))
    if not found:
        return 0, None
    keys = [v.key for v in model.fixed] + [model.variables[option].key for option in found[0]]
    return len(found), SudokuDecoder(puzzle).decode(keys).line


def seconds_text(seconds: float | None, limit: str | None) -> str:
    """Seconds with three digits as text, or × and the limit that was reached."""
    if limit is not None:
        return f"× {limit}"
    if seconds is None:
        return "×"
    return f"{seconds:.3f}" if seconds < 10 else f"{seconds:.1f}"


def rows_of(
    puzzles: list[Puzzle], allocation: str, options: Any, journal: harness.Journal
) -> Iterator[list[str]]:
    """Rows of the table, one for each puzzle."""
    for puzzle in puzzles:
        row = [str(puzzle.hint_count)]
        results = [journal.get(case_of(puzzle, allocation, p, options)) or {} for p in PROCEDURES]
        ended = [r for r in results if "nodes" in r]
        row += [f"{ended[0]['variables']}", f"{ended[0]['nodes']:,}"] if ended else ["", "×"]
        for number, result in zip(PROCEDURES, results, strict=True):
            limit = result.get("limit")
            peak = result.get("peak_nodes")
            row.append("" if peak is None else f"{'>' if limit else ''}{peak:,}")
            row.append(seconds_text(result.get("cpu_seconds"), limit) if result else "")
            if allocation == Allocation.PAPER:
                published = PAPER.get(puzzle.hint_count)
                row.append("" if published is None else seconds_text(published[number - 1], None))
        yield row


def case_of(puzzle: Puzzle, allocation: str, number: int, options: Any) -> dict[str, Any]:
    """Case of a result, with its time limit if that differs from the run's."""
    case = {
        "puzzle": puzzle.line,
        "hints": puzzle.hint_count,
        "allocation": str(allocation),
        "procedure": number,
        "backend": options.backend,
    }
    patient = number == 1 and allocation == Allocation.PAPER and puzzle.hint_count in PATIENT
    return case | ({"time_limit": options.patience} if patient else {})


def verify(
    puzzles: list[Puzzle],
    allocations: list[str],
    options: Any,
    journal: harness.Journal,
    checks: harness.Checks,
) -> None:
    """Check the results of this experiment."""
    for puzzle in puzzles:
        name = f"{puzzle.hint_count} hints"
        count, line = solution_by_search(puzzle)
        checks.expect(count == 1, f"{name}: exactly one solution by dancing links, not {count}")
        for allocation in allocations:
            for number in PROCEDURES:
                result = journal.get(case_of(puzzle, allocation, number, options))
                if result is None or "nodes" not in result:
                    continue
                which = f"{name}, {allocation}, procedure {number}"
                checks.expect(result["count"] == "1", f"{which}: one solution")
                checks.expect(result["solution"] == line, f"{which}: the solution of dancing links")
                if allocation == Allocation.PAPER:
                    expected = 9 * (81 - puzzle.hint_count)
                    checks.expect(
                        result["nodes"] == result["variables"] == expected,
                        f"{which}: {expected} final nodes, not {result['nodes']}",
                    )
        for number in (2, 3):
            ended = journal.get(case_of(puzzle, Allocation.PAPER, number, options))
            if ended is not None and ended.get("limit") == "crash":
                checks.expect(False, f"{name}: procedure {number} crashed")


def main(arguments: list[str] | None = None) -> int:
    parser = harness.parser(__doc__, "ordering_table")
    parser.add_argument("--puzzles", nargs="+", default=[PUZZLES], help="files of puzzles")
    parser.add_argument("--backend", default=None, help="cudd or oxidd")
    parser.add_argument("--allocations", default=",".join(Allocation), help="%(default)s")
    parser.add_argument("--repeat", type=int, default=3, help="quick builds; median (%(default)s)")
    parser.add_argument(
        "--patience",
        type=harness.duration,
        default="600",
        help="time limit of procedure 1 at 30 and 28 hints (%(default)s s)",
    )
    options = parser.parse_args(arguments)
    try:
        puzzles = [r.puzzle for file in options.puzzles for r in read_puzzles(file)]
        allocations = [Allocation(name).value for name in options.allocations.split(",")]
    except (BddSudokuError, ValueError) as error:
        harness.note(str(error))
        return 2
    puzzles.sort(key=lambda p: -p.hint_count)
    if options.quick:
        puzzles = puzzles[:1]
    journal = harness.Journal(options, repeat=options.repeat)
    cases = [
        case_of(puzzle, allocation, number, options)
        for allocation in allocations
        for puzzle in puzzles
        for number in reversed(PROCEDURES)
    ]
    for case in journal.pending(cases):
        result = build_case(case, options)
        journal.add(case, result)
        outcome = seconds_text(result.get("seconds"), result.get("limit"))
        harness.note(
            f"{case['hints']} hints, {case['allocation']}, procedure {case['procedure']}: "
            f"{outcome}, peak {result['peak_nodes']:,}"
        )
    checks = harness.Checks()
    verify(puzzles, allocations, options, journal, checks)
    tables = []
    for allocation in allocations:
        paper = allocation == Allocation.PAPER
        heads = ["hints", "variables", "final nodes"]
        for number in PROCEDURES:
            heads += [f"peak {number}", f"s {number}", *([f"paper {number}"] if paper else [])]
        rows = list(rows_of(puzzles, allocation, options, journal))
        title = f"Allocation {allocation}: peak nodes and processor seconds"
        if paper:
            hints = " and ".join(map(str, PATIENT))
            title += f"; procedure 1 at {hints} hints had {options.patience:g} s"
        tables.append((title, heads, rows))
    harness.show(options, journal, tables)
    return checks.finish()


if __name__ == "__main__":
    harness.run(main)
