"""Speed-up by more workers, and the overhead of a cluster.

A question that divides into independent parts: ``hints`` for a list of puzzles with 17 hints. It
runs on one worker and on two, each on one thread: processes of this machine (``jobs``), and workers
of a Dask cluster on this machine. Workers have started and loaded their kernels before the clock
starts. The speed-up is over one process.
Processes and a cluster of as many workers run in turn, and the overhead is the median of the ratios
of their times. All answers are compared.

Bytes are those of the tasks and of their answers as they are pickled, for each puzzle.

The third table is about puzzles with too few hints for a short search: it removes two hints at
random from puzzles with 17, counts, and extrapolates from the mean to all C(17, 2) removals of all
49,158 known puzzles. ``--list`` names a file of puzzles with 17 hints; by default they are those of
:mod:`puzzle_lists`.

    python experiments/scaling.py
"""

from __future__ import annotations

import hashlib
import os
import pickle
import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import harness
import numpy as np

KNOWN = 49_158
"""Puzzles with 17 hints that are known, up to symmetry (G. Royle's list)."""
WAYS = ("processes", "cluster")
CHUNKS = (8, 64)


# -- the cases -------------------------------------------------------------------------------------


@contextmanager
def runner(way: str, workers: int) -> Iterator[Any]:
    """Runner of the tasks: processes or a cluster."""
    from bddsudoku.work import DaskRunner, Processes

    if way == "processes":
        with Processes(workers) as found:
            yield found
        return
    from distributed import Client, LocalCluster

    with (
        LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            processes=True,
            dashboard_address=":0",  # none would be port 8787 all the same
            silence_logs=60,
        ) as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        yield DaskRunner(client)


def tasks_of(case: dict[str, Any], seed: int) -> list[Any]:
    """Divide a question into tasks."""
    import puzzle_lists

    from bddsudoku.puzzle.sudoku.grid import Puzzle, PuzzleRecord
    from bddsudoku.work import Task

    lines = puzzle_lists.make("17 hints", case["size"], seed)
    records = [PuzzleRecord(Puzzle.parse(line)) for line in lines]
    chunk = case["chunk"]
    return [
        Task(
            "bddsudoku.solver.puzzle_lists:apply_to_chunk",
            (
                "bddsudoku.solver.hint_analysis:hint_impact_records",
                records[at : at + chunk],
                {},
            ),
        )
        for at in range(0, len(records), chunk)
    ]


def work(case: dict[str, Any], send: Callable[[Any], None]) -> dict[str, Any]:
    """Run a question by processes and by a cluster in turn; seconds of each run."""
    with ExitStack() as stack:
        runners = {way: stack.enter_context(runner(way, case["workers"])) for way in WAYS}
        # As many small tasks as keep every worker busy for a while: kernels and tables are loaded.
        small = tasks_of({**case, "size": 2 * case["workers"], "chunk": 1}, 99)
        for found in 3 * list(runners.values()):
            list(found.run(small))
        seconds: dict[str, list[float]] = {way: [] for way in WAYS}
        answers = set()
        for number in range(case["repeat"]):
            # Other puzzles each time: a cluster remembers what it was asked.
            asked = tasks_of(case, 1 + number)
            for way in WAYS if number % 2 else WAYS[::-1]:
                begin = time.perf_counter()
                outcomes = list(runners[way].run(asked, ordered=True))
                seconds[way].append(time.perf_counter() - begin)
                values = [outcome.result() for outcome in outcomes]
                flat = [a for value in values for a in value]
                answers.add((number, hashlib.sha256(repr(flat).encode()).hexdigest()))
    return {
        "seconds": seconds,
        "sent": sum(len(pickle.dumps(task)) for task in asked) / case["size"],
        "home": sum(len(pickle.dumps(value)) for value in values) / case["size"],
        "answers": sorted(answers),
        "load": os.getloadavg()[0],
    }


def removals(case: dict[str, Any], send: Callable[[Any], None]) -> dict[str, Any]:
    """Processor seconds, on one thread, to count puzzles without two random hints."""
    import puzzle_lists

    from bddsudoku.solver.bulk_solving import count_many
    from bddsudoku.work.resources import limit_threads

    lines = Path(case["list"]).read_text("utf-8").split() if case["list"] else None
    rng = np.random.default_rng(case["seed"])
    boards = puzzle_lists.digits_of(lines or puzzle_lists.SEVENTEEN)
    boards = boards[rng.integers(0, len(boards), case["removals"])].copy()
    for board in boards:
        board[rng.choice(np.flatnonzero(board), 2, replace=False)] = 0
    seconds, counts = [], []
    with limit_threads(1):
        count_many(boards[:20], jobs=1)
        for board in boards:
            begin = time.process_time()
            counts.append(int(count_many(board[None], jobs=1)[0]))
            seconds.append(time.process_time() - begin)
    return {"each": seconds, "counts": [str(count) for count in counts]}


# -- the tables ------------------------------------------------------------------------------------


def speed_table(title: str, found: list[dict[str, Any]]) -> harness.Table:
    rows: list[list[Any]] = []
    usual = {
        r["chunk"]: statistics.median(r["seconds"]["processes"]) for r in found if r["workers"] == 1
    }
    for r in found:
        for way in WAYS:
            seconds = statistics.median(r["seconds"][way])
            pairs = zip(r["seconds"][way], r["seconds"]["processes"], strict=True)
            over = statistics.median(a / b for a, b in pairs) - 1
            rows.append(
                [
                    way, r["workers"], r["chunk"] or None, f"{seconds:.2f}",
                    f"{usual[r['chunk']] / seconds:.2f}" if r["chunk"] in usual else None,
                    None if way == "processes" else f"{over:+.1%}",
                    f"{r['sent']:,.0f}", f"{r['home']:,.0f}", f"{r['load']:.1f}",
                ]
            )  # fmt: skip
    heads = ["by", "workers", "chunk", "seconds", "speed-up", "over processes", "bytes sent"]
    return title, [*heads, "bytes home", "load"], rows


def paper_table(each: list[float], overhead: float) -> harness.Table:
    rows: list[list[Any]] = []
    mean = float(np.mean(each))
    half = 1.96 * float(np.std(each, ddof=1)) / len(each) ** 0.5
    number = KNOWN * 17 * 16 // 2
    for cores in (1, 2, 100, 1000):
        hours = number * mean * (1 + (overhead if cores > 1 else 0)) / cores / 3600
        shown = f"{hours:,.1f} h" if hours >= 1 else f"{60 * hours:.1f} min"
        rows.append([f"{cores:,}", f"{1000 * mean:.2f} ± {1000 * half:.2f} ms", shown])
    title = f"{number:,} puzzles with 15 hints, on paper ({len(each):,} counted)"
    return title, ["cores", "a puzzle", "all of them"], rows


def main(arguments: list[str] | None = None) -> int:
    parser = harness.parser(__doc__, "scaling", time_limit="900")
    parser.add_argument("--list", default="", help="file of puzzles with 17 hints")
    parser.add_argument(
        "--sample", type=int, default=400, help="number of two-hint removals (%(default)s)"
    )
    options = parser.parse_args(arguments)
    if find_spec("distributed") is None:
        parser.error("the cluster needs Dask: pip install '.[cluster]' in a checkout")
    size = 16 if options.quick else 1024
    repeat = 1 if options.quick else 3
    journal = harness.Journal(options, seed=options.seed)
    cases = [
        {"workers": workers, "chunk": chunk, "size": size}
        for chunk in (CHUNKS[:1] if options.quick else CHUNKS)
        for workers in (1, 2)
    ]
    cases = [{**case, "repeat": repeat} for case in cases]
    last = {"removals": 10 if options.quick else options.sample, "list": Path(options.list).name}
    for case in journal.pending(cases):
        harness.note(" ".join(map(str, case.values())))
        journal.add(
            case, harness.measured("scaling:work", case, options, bound_address_space=False)
        )
    given = {"list": options.list, "seed": options.seed}
    journal.measure([last], "scaling:removals", "two hints removed", **given)

    checks = harness.Checks()
    found = [r for r in journal.results() if "seconds" in r]
    checks.expect(len(found) == len(cases), "every case ends")
    answers = {tuple(pair) for r in found for pair in r["answers"]}
    checks.expect(len(answers) == repeat, "all workers answer alike")
    tables = [speed_table(f"hints of {size} puzzles with 17 hints", found)]
    each = (journal.get(last) or {}).get("each", [])
    if checks.expect(len(each) == last["removals"], "the removals are counted"):
        tables.append(paper_table(each, 0.05))
    harness.show(options, journal, tables)
    return checks.finish()


if __name__ == "__main__":
    harness.run(main)
