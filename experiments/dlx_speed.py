"""Dancing links of this package compared with compiled searches from PyPI.

A 15-hint Sudoku with 2,284,505 solutions, L-trominoes on 9x9, pentominoes on 5x12, dominoes on 8x8:
every solution visited once. Times are those of the search, after a warm-up and without building the
matrix; those of this package with and without shuffled options. Peers (dependency group ``peers``;
C, C++, numba) are skipped where they are not installed.

Checked: every count; the Sudoku within --bar seconds.

    python experiments/dlx_speed.py --table experiments/results/dlx_speed.md
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import harness
import rivals

EXTRA = {
    "pentominoes 5x12": (4040, lambda: rivals.board("5x12", "pentominoes", once=True)),
    "dominoes 8x8": (12988816, lambda: rivals.board("8x8", "I2")),
}
NAMES = ("Sudoku, 15 hints", "L-trominoes 9x9", "pentominoes 5x12", "dominoes 8x8")
PEERS = ("xcover", "exact-cover", "dxz")


def work(case: dict[str, Any], send: Callable[[Any], None]) -> dict[str, Any]:
    """Run one solver on one instance several times and return the median."""
    rivals.INSTANCES.update(EXTRA)
    if case["solver"].startswith("ours"):
        return _ours(case)
    solver = rivals.SOLVERS[case["solver"]]
    solver.prepare(rivals.instance(rivals.WARM_UP), case)()
    asked = rivals.instance(case["instance"])
    times = []
    while len(times) < case["repeat"]:
        call = solver.prepare(asked, case)
        begin = time.perf_counter()
        count = call()
        times.append(time.perf_counter() - begin)
    return {"count": str(count), "seconds": sorted(times)[len(times) // 2]}


def _ours(case: dict[str, Any]) -> dict[str, Any]:
    from bddsudoku.engine.dlx import engine as dlx

    seed = 1 if "shuffled" in case["solver"] else None
    dlx.count(rivals.instance(rivals.WARM_UP).model)
    arrays = rivals.instance(case["instance"]).model.cover()
    found = sorted(
        (dlx.count(arrays, seed=seed) for _ in range(case["repeat"])), key=lambda r: r.seconds
    )
    middle = found[len(found) // 2]
    return {
        "count": str(middle.count),
        "seconds": middle.seconds,
        "nodes": middle.nodes,
        "updates": middle.updates,
    }


def main(arguments: list[str] | None = None) -> int:
    parser = harness.parser(__doc__, output="dlx_speed.jsonl", time_limit="120")
    parser.add_argument("--repeat", type=int, default=5, help="runs of each (%(default)s)")
    parser.add_argument("--bar", type=float, default=2.5, help="seconds (%(default)s)")
    options = parser.parse_args(arguments)
    rivals.INSTANCES.update(EXTRA)
    names = ["L-trominoes 5x6", "L-trominoes 9x9"] if options.quick else list(NAMES)
    solvers = ["ours", "ours, shuffled", *harness.present(PEERS, rivals.absent, None)]
    journal = harness.Journal(options, "dlx_speed", repeat=options.repeat)
    cases = [
        {"instance": name, "solver": solver, "repeat": options.repeat}
        for name in names
        for solver in solvers
    ]
    journal.measure(cases, "dlx_speed:work", "{instance}: {solver}")

    checks = harness.Checks()
    rows = []
    base = {r["instance"]: r for r in journal.results() if r["solver"] == "ours"}
    for found in journal.results():
        name, solver = found["instance"], found["solver"]
        own = base.get(name, {}).get("seconds")
        if "limit" in found:
            rows.append([name, solver, f"× {found['limit']}", *[None] * 5])
            checks.expect(not solver.startswith("ours"), f"{name}: {solver} ends")
            continue
        count = int(found["count"])
        right = count == rivals.INSTANCES[name][0]
        checks.expect(right or not solver.startswith("ours"), f"{name}: {solver} counts {count}")
        nodes = found.get("nodes")
        rows.append(
            [
                name,
                solver,
                f"{count:,}" if right else f"wrong: {count:,}",
                f"{found['seconds']:.3f}",
                f"{count / found['seconds'] / 1e6:.2f}",
                f"{nodes:,}" if nodes else None,
                f"{nodes / found['seconds'] / 1e6:.1f}" if nodes else None,
                f"{found['seconds'] / own:.2f}" if own else None,
            ]
        )
    if NAMES[0] in base and "seconds" in base[NAMES[0]]:
        seconds = base[NAMES[0]]["seconds"]
        checks.expect(seconds <= options.bar, f"{NAMES[0]} in {seconds:.2f} s, bar {options.bar} s")
    headers = [
        "instance", "search", "covers", "seconds", "M covers/s", "nodes", "M nodes/s", "/ ours",
    ]  # fmt: skip
    harness.show(options, journal, [("Visiting every cover", headers, rows)])
    return checks.finish()


if __name__ == "__main__":
    harness.run(main)
