"""Classic puzzles counted a second, by kind of list, compared with other packages on PyPI.

The lists (`puzzle_lists.py`) are made from the seed: known puzzles with 17 hints and the hardest
known, under random symmetries; minimal puzzles made at random; those of them that take most
search nodes; puzzles with 2 to 1,555 solutions. This package counts the solutions (up to two; in
the last list all), reading the text of the list included. Other packages find one solution and do
not check whether it is the only one; they get each puzzle in the form that they want before the
clock starts, and ten seconds.

Also: all solutions of one puzzle, counted and listed; how time and memory grow with the list; what
a process needs until its first answer, with and without compiled code on disk.

Checked: every count is right (one solution; or, for samples, what dancing links count), one thread
and two agree, every solution of the others is valid, this package reaches the required speeds.

    pip install '.[peers]'      # packages that are missing are left out
    python experiments/batches.py

``--beside DIRECTORY`` compares with tdoku, from a checkout, and with the crate sudoku instead
(`beside.py`), one core each; ``--lists DIRECTORY`` takes the lists of a folder for that.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from typing import Any

import beside
import harness
import puzzle_lists
from batch_solvers import MANY, OTHERS, UNIQUE_ONLY, others, ours
from rival_instances import FIFTEEN

from bddsudoku.file_io import open_atomic

COMMANDS = (
    ("count", "17 hints", 49_158),
    ("count", MANY, 10_000),
    ("hints", "17 hints", 1),
    ("hints", "minimal at random", 1),
)
"""Command lines that are timed as whole processes: command, list, puzzles."""
SIZES = {
    "17 hints": 50_000,
    "minimal at random": 50_000,
    "hard": 1465,
    "hardest known": 375,
    "2 to 1,555 solutions": 10_000,
}
"""Length of each list."""
BARS = {"17 hints": 80_000, "hard": 25_000, "hardest known": 3_000, MANY: 5_000}
"""Puzzles a second asked of one thread."""
GROWTH = (1_000, 10_000, 100_000, 1_000_000)
"""Lines of the growing list."""
BUDGET = 10.0
"""Seconds for each of the others."""


# -- the cases -------------------------------------------------------------------------------------


def work(given: dict[str, Any], send: Callable[[Any], None]) -> dict[str, Any]:
    """One solver on one list."""
    if given["solver"].startswith("bitboard"):
        return ours(given, given["jobs"])
    return others(given)


def growing(given: dict[str, Any], send: Callable[[Any], None]) -> dict[str, Any]:
    """Count a list that is read as a stream, not held in memory."""
    from bddsudoku import count_each, count_many

    lines = total = 0
    count_many(puzzle_lists.SEVENTEEN, 2)  # loads, and compiles if need be
    begin = time.perf_counter()
    with open(given["path"], encoding="ascii") as file:
        for count in count_each(file, 2, given["jobs"]):
            lines += 1
            total += count
    seconds = time.perf_counter() - begin
    rss = harness.peak_memory()
    return {"puzzles": lines, "seconds": seconds, "right": lines == total, "rss": rss}


def every(given: dict[str, Any], send: Callable[[Any], None]) -> dict[str, Any]:
    """Count and list all solutions of one puzzle on one thread."""
    from bddsudoku.context import UNLIMITED
    from bddsudoku.engine.bitboard import BitboardSearch

    (board,) = puzzle_lists.digits_of([FIFTEEN])
    ways: dict[str, Callable[[], int]] = {
        "counted": lambda: BitboardSearch(board).run(UNLIMITED),
        "listed": lambda: len(BitboardSearch(board).next_rows(3_000_000, 1 << 60)),
    }
    found: dict[str, Any] = {"right": True}
    for way, visit in ways.items():
        best = float("inf")
        for _ in range(3):
            begin = time.perf_counter()
            found["right"] &= visit() == 2_284_505
            best = min(best, time.perf_counter() - begin)
        found[way] = best
    return found


def start(given: dict[str, Any], send: Callable[[Any], None]) -> dict[str, Any]:
    """Seconds until the command line has counted one puzzle, start-up included.

    Puzzles that unit propagation or a short search without kernels solves are answered sooner.
    """
    with tempfile.TemporaryDirectory() as kept:
        environment = os.environ | {"NUMBA_CACHE_DIR": kept}
        command = [sys.executable, "-m", "bddsudoku", "count", puzzle_lists.HARDEST[0]]
        seconds, answers = [], []
        for _ in range(4):
            begin = time.perf_counter()
            process = subprocess.run(command, env=environment, capture_output=True, check=True)
            seconds.append(time.perf_counter() - begin)
            answers.append(process.stdout.split())
    return {"cold": seconds[0], "warm": min(seconds[1:]), "right": answers == [[b"1"]] * 4}


def command(given: dict[str, Any], send: Callable[[Any], None]) -> dict[str, Any]:
    """Seconds of a command line as a whole process, start-up included: the median of five runs."""
    seconds, lines = [], 0
    for run in range(6):
        begin = time.perf_counter()
        words = [sys.executable, "-m", "bddsudoku", given["command"], given["path"]]
        process = subprocess.run(words, capture_output=True, check=True)
        if run:  # the first one compiles, or loads, what is needed
            seconds.append(time.perf_counter() - begin)
        lines = process.stdout.count(b"\n")
    return {"seconds": sorted(seconds)[2], "lines": lines}


def main(arguments: list[str] | None = None) -> int:
    parser = harness.parser(__doc__, "batches", time_limit="120")
    parser.add_argument(
        "--scale", type=float, default=1.0, help="of the lists' lengths (%(default)s)"
    )
    parser.add_argument("--beside", type=Path, help="a checkout of tdoku to compare with")
    parser.add_argument("--lists", type=Path, help="a folder of lists to take for that")
    options = parser.parse_args(arguments)
    scale = 0.02 if options.quick else options.scale
    if options.beside is not None or options.lists is not None:
        try:
            if options.beside is not None and (lack := beside.missing(options.beside)):
                parser.error(lack)
            if options.lists is not None:
                return beside.compare(options, beside.lists_of(options.lists))
            sizes = {kind: max(10, int(size * scale)) for kind, size in SIZES.items()}
            made = {kind: puzzle_lists.make(kind, n, options.seed) for kind, n in sizes.items()}
            return beside.compare(options, made)
        except (OSError, ValueError) as error:
            parser.error(str(error))
        except subprocess.SubprocessError as error:
            parser.error(f"{error} {str(getattr(error, 'stderr', None) or '').strip()[-500:]}")
    budget = 0.5 if options.quick else BUDGET
    growth = GROWTH[:2] if options.quick else GROWTH
    threads = [1, 2] if (os.cpu_count() or 1) > 1 else [1]
    journal = harness.Journal(options, scale=scale, budget=budget, seed=options.seed)
    there = harness.present(OTHERS, absent, None)

    runs = [
        {"list": kind, "solver": f"bitboard, {jobs} thread{'s' * (jobs > 1)}", "jobs": jobs}
        for kind in SIZES
        for jobs in threads
    ]
    for name in there:
        kinds = [k for k in SIZES if k != MANY or name not in UNIQUE_ONLY]
        runs += [{"list": kind, "solver": name} for kind in kinds]
    longer = [{"lines": lines, "jobs": jobs} for jobs in threads for lines in growth]
    commands = [
        {"command": name, "kind": kind, "puzzles": max(20, int(size * scale)) if size > 1 else 1}
        for name, kind, size in COMMANDS
    ]
    cases = [*runs, *longer, {"every": FIFTEEN}, {"start": "hardest known"}, *commands]
    pending = list(journal.pending(cases))
    with tempfile.TemporaryDirectory() as folder:
        for case in pending:
            if "list" in case:
                size = max(10, int(SIZES[case["list"]] * scale))
                path = written(folder, case["list"], size, options.seed)
                task, extra = "batches:work", {"path": path, "budget": budget}
            elif "lines" in case:
                path = written(folder, "17 hints", case["lines"], options.seed)
                task, extra = "batches:growing", {"path": path}
            elif "command" in case:
                path = written(folder, case["kind"], case["puzzles"], options.seed)
                task, extra = "batches:command", {"path": path}
            else:
                task, extra = "batches:every" if "every" in case else "batches:start", {}
            harness.note(" ".join(map(str, case.values())))
            journal.add(case, harness.measured(task, case | extra, options))

    checks = harness.Checks()
    tables = [
        speeds(journal, checks, threads, there, full=scale >= 1),
        every_table(journal, checks, full=scale >= 1),
        growing_table(journal, checks, longer),
        start_table(journal, checks),
        command_table(journal, checks, commands),
    ]
    harness.show(options, journal, tables)
    return checks.finish()


def absent(solver: str) -> str | None:
    """Why a solver cannot run; its module might belong to another distribution."""
    package = OTHERS[solver][0]
    return None if any(metadata.distributions(name=package)) else "it is not installed"


def written(folder: str, kind: str, size: int, seed: int) -> str:
    """Write a list to a file."""
    path = Path(folder) / f"{kind.replace(' ', '_')}-{size}.txt"
    if not path.exists():
        some = min(size, 50_000)
        lines = puzzle_lists.make(kind, some, seed)
        with open_atomic(path) as file:
            for begin in range(0, size, some):
                piece = lines[: size - begin]
                file.write("".join(line + "\n" for line in piece).encode("ascii"))
    return str(path)


def speeds(
    journal: harness.Journal,
    checks: harness.Checks,
    threads: list[int],
    there: list[str],
    full: bool,
) -> harness.Table:
    found = {(r["list"], r["solver"]): r for r in journal.results() if "list" in r}
    names = [f"bitboard, {jobs} thread{'s' * (jobs > 1)}" for jobs in threads] + there
    rows = []
    for kind in SIZES:
        own = found[kind, names[0]]
        rates: list[float | None] = []
        for name in names:
            if (kind, name) not in found:
                rates.append(None)
                continue
            result = found[kind, name]
            ended = "limit" not in result
            if name.startswith(("bitboard", "ours")):
                checks.expect(ended, f"{kind}: {name} ends")
            if ended:
                checks.expect(result["right"], f"{kind}: {name} is right")
            rates.append(result["puzzles"] / result["seconds"] if ended else None)
        if len(threads) > 1 and rates[0] and rates[1]:
            same = found[kind, names[1]]["solutions"] == own["solutions"]
            checks.expect(same, f"{kind}: one thread and two say the same")
        if full and kind in BARS and rates[0]:
            checks.expect(rates[0] >= BARS[kind], f"{kind}: {rates[0]:,.0f}/s on one thread")
        shown = [f"{r:,.0f}" if r and r >= 100 else f"{r:.1f}" if r else "×" for r in rates]
        shown = [cell if (kind, n) in found else "–" for n, cell in zip(names, shown, strict=True)]
        nodes = f"{own['nodes']:.1f}" if "nodes" in own else None
        rows.append([kind, f"{own.get('puzzles', 0):,}", nodes, *shown])
    heads = [
        name if name.startswith(("bitboard", "ours")) else f"{name} {_version(found, name)}"
        for name in names
    ]
    return "Puzzles a second", ["list", "puzzles", "nodes each", *heads], rows


def _version(found: dict[Any, Any], name: str) -> str:
    known = [r["version"] for (_, solver), r in found.items() if solver == name and "version" in r]
    return known[0] if known else ""


def every_table(journal: harness.Journal, checks: harness.Checks, full: bool) -> harness.Table:
    result = journal.get({"every": FIFTEEN}) or {}
    rows = []
    if checks.expect(result.get("right", False), "all solutions of one puzzle are found"):
        rows = [[f"{result['counted']:.2f}", f"{result['listed']:.2f}"]]
        if full:
            checks.expect(result["counted"] <= 1, "2,284,505 solutions in a second")
    return "Seconds for all 2,284,505 solutions of one puzzle", ["counted", "listed"], rows


def growing_table(
    journal: harness.Journal, checks: harness.Checks, cases: list[dict[str, Any]]
) -> harness.Table:
    rows, memory = [], []
    for case in cases:
        result = journal.get(case) or {}
        ended = "limit" not in result
        checks.expect(ended and result["right"], f"{case['lines']} lines are counted")
        if not ended:
            continue
        memory.append(result["rss"])
        rate = result["puzzles"] / result["seconds"]
        rows.append(
            [
                f"{case['lines']:,}",
                case["jobs"],
                f"{result['seconds']:.3f}",
                f"{rate:,.0f}",
                f"{result['rss'] >> 20} MiB",
            ]
        )
    checks.expect(max(memory) - min(memory) < 64 << 20, "memory does not grow with the list")
    heads = ["lines with 17 hints", "threads", "seconds", "puzzles/s", "peak memory"]
    return "Growth with the list", heads, rows


def start_table(journal: harness.Journal, checks: harness.Checks) -> harness.Table:
    result = journal.get({"start": "hardest known"}) or {}
    if checks.expect(result.get("right", False), "the first answer is right"):
        rows = [[f"{result['cold']:.2f}", f"{result['warm']:.2f}"]]
    else:
        rows = []
    heads = ["nothing compiled yet", "compiled code on disk"]
    return "Seconds from the start of a process to its first count", heads, rows


def command_table(
    journal: harness.Journal, checks: harness.Checks, cases: list[dict[str, Any]]
) -> harness.Table:
    rows = []
    for case in cases:
        result = journal.get(case) or {}
        title = f"{case['command']} takes {case['puzzles']:,} puzzles"
        if checks.expect(result.get("lines", 0) >= case["puzzles"], title):
            rows.append(
                [case["command"], case["kind"], f"{case['puzzles']:,}", f"{result['seconds']:.2f}"]
            )
    return "Seconds of a whole process", ["command", "list", "puzzles", "seconds"], rows


if __name__ == "__main__":
    harness.run(main)
