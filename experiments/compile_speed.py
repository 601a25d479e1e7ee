"""Solution sets of Sudoku with few hints: frontier, conjunction and enumeration compared.

Claim: conjunction builds huge diagrams to arrive at small ones; the frontier engine, which never
does, is two orders of magnitude faster at 15 hints and goes on where Tateishi & Minato's machine
ran out of memory (14 hints, 128 GB), and the order that it picks by the hints beats row order.

One puzzle with 18 hints down to 13 by removal. In one run, each in a process of its own under the
same limits: the paper's procedure 3 on CUDD and OxiDD under `paper` and `candidates` (time of the
conjunctions alone), the frontier engine with the chosen order and in row order (everything from
the model on, after a warm-up), dancing links (every solution visited, after a warm-up).

    python experiments/compile_speed.py                   all of it; an hour with the limits reached
    python experiments/compile_speed.py --quick           18 to 16 hints, a minute
    python experiments/compile_speed.py --table experiments/results/compile_speed.md

Checked: all methods that end agree on the count, at 15, 14 and 13 hints with the known numbers; the
two frontier runs and the BDDs, which share no code, agree; at 15 hints the frontier is at least
--bar times as fast as procedure 3 under `candidates` on CUDD.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any

import harness
from rival_instances import SEVENTEEN

from bddsudoku.puzzle.sudoku import Puzzle, allocate

REMOVED = ((6, 0), (3, 8), (8, 3), (7, 3))
"""Cells whose hints go, from 17 hints on: 16, 15, 14 and 13 are left."""
KNOWN = {17: 1, 15: 2_284_505, 14: 75_221_305, 13: 675_960_429}
METHODS = {
    "frontier, auto": ("frontier", "auto"),
    "frontier, rows": ("frontier", "rows"),
    "DLX": ("dlx",),
    "procedure 3, cudd, candidates": ("bdd", "cudd", "candidates"),
    "procedure 3, cudd, paper": ("bdd", "cudd", "paper"),
    "procedure 3, oxidd, candidates": ("bdd", "oxidd", "candidates"),
    "procedure 3, oxidd, paper": ("bdd", "oxidd", "paper"),
}
QUICK_BELOW = 2.0
"""Seconds; shorter runs are repeated and the median is told."""


def puzzles() -> list[Puzzle]:
    """Puzzles with 18 to 13 hints, most hints first."""
    from bddsudoku.engine.dlx import engine as dlx

    seventeen = Puzzle(map(int, SEVENTEEN))
    model = allocate(seventeen, "candidates")
    (cover,) = dlx.covers(model, limit=1)
    cell, digit = divmod(min(model.variables[option].key for option in cover), 9)
    found = [seventeen.with_hint(cell, digit + 1), seventeen]
    for place in REMOVED:
        found.append(found[-1].without(place))
    return found


def work(case: dict[str, Any], send: Callable[[Any], None]) -> dict[str, Any]:
    """Count one puzzle with the frontier or with dancing links."""
    kind, *how = METHODS[case["method"]]
    run = _frontier if kind == "frontier" else _dlx
    harness.warmed(lambda: run(Puzzle(map(int, SEVENTEEN)).without(REMOVED[0]), case, *how))
    board = Puzzle([int(c) for c in case["puzzle"].replace(".", "0")])
    results: list[dict[str, Any]] = []
    times: list[float] = []
    while not times or (len(times) < case["repeat"] and times[-1] < QUICK_BELOW):
        begin = time.perf_counter()
        results.append(run(board, case, *how))
        times.append(results[-1].pop("_seconds", time.perf_counter() - begin))
    return results[-1] | {"seconds": statistics.median(times), "memory": harness.peak_memory()}


def _frontier(board: Puzzle, case: dict[str, Any], order: str) -> dict[str, Any]:
    from bddsudoku.context import Context
    from bddsudoku.diagrams.counting import Counts
    from bddsudoku.diagrams.measures import node_count
    from bddsudoku.engine.frontier import compile_spec
    from bddsudoku.engine.order_choice import choose_order
    from bddsudoku.engine.specs.product_spec import model_spec
    from bddsudoku.model.ordering import item_order, item_orders

    begin = time.perf_counter()
    model = allocate(board, "candidates")
    if order == "auto":
        choice = choose_order(
            model,
            item_orders(model),
            refine=lambda name: model.origin.order_variants(model, name),
        )
        order, items = choice.name, choice.order
    else:
        items = item_order(model, order)
    chosen = time.perf_counter()
    done = compile_spec(model_spec(model, items), context=Context(memory=case["max_memory"]))
    seconds = time.perf_counter() - begin
    return {
        "_seconds": seconds,
        "choice_seconds": chosen - begin,
        "order": order,
        "states": done.states,
        "peak": done.width,
        "zdd": done.diagram.size - 2,
        "bdd": node_count(done.diagram, "bdd"),
        "count": str(Counts(done.diagram)[done.diagram.root]),
    }


def _dlx(board: Puzzle, case: dict[str, Any]) -> dict[str, Any]:
    from bddsudoku.engine.dlx import engine as dlx

    return {"count": str(dlx.count(allocate(board, "candidates")).count)}


def conjoined(case: dict[str, Any], options: Any) -> dict[str, Any]:
    """Build the BDD of one puzzle by procedure 3, in a process of its own."""
    from bddsudoku.context import Context
    from bddsudoku.errors import BackendUnavailable, LimitReached
    from bddsudoku.solver.paper_procedures import build_puzzle, solutions_from_build

    _, backend, allocation = METHODS[case["method"]]
    board = Puzzle([int(c) for c in case["puzzle"].replace(".", "0")])
    context = Context(options.max_memory, options.time_limit)
    try:
        done = build_puzzle(
            board, procedure=3, allocation=allocation, backend=backend, context=context
        )
    except BackendUnavailable as error:
        return {"limit": "absent", "message": str(error)}
    except LimitReached as stop:
        nodes = max((s.nodes for s in stop.trace or ()), default=None)
        return {"limit": stop.limit, "message": str(stop), "peak": nodes}
    solutions = solutions_from_build(board, done, allocation)
    return {
        "seconds": done.seconds,
        "peak": done.peak_nodes,
        "bdd": done.nodes,
        "zdd": solutions.node_count("zdd"),
        "count": str(solutions.count()),
        "memory": done.peak_rss,
    }


def verify(journal: harness.Journal, checks: harness.Checks, bar: float) -> None:
    """Check the results of this experiment."""
    results = list(journal.results())
    for hints in sorted({r["hints"] for r in results}, reverse=True):
        ended = {r["method"]: r for r in results if r["hints"] == hints and "count" in r}
        counts = {int(r["count"]) for r in ended.values()}
        checks.expect(len(counts) <= 1, f"{hints} hints: all methods count {counts}")
        checks.expect("frontier, auto" in ended, f"{hints} hints: the frontier ends")
        if hints in KNOWN:
            checks.expect(counts == {KNOWN[hints]}, f"{hints} hints: {KNOWN[hints]:,} solutions")
        if hints == 15:
            slow = ended.get("procedure 3, cudd, candidates")
            fast = ended.get("frontier, auto")
            if slow and fast:
                ratio = slow["seconds"] / fast["seconds"]
                checks.expect(ratio >= bar, f"15 hints: {ratio:.0f} times as fast, bar {bar:g}")
        bdds = {r["bdd"] for m, r in ended.items() if m.endswith("candidates") and "bdd" in r}
        checks.expect(len(bdds) <= 1, f"{hints} hints: both packages build the same BDD: {bdds}")


def main(arguments: list[str] | None = None) -> int:
    parser = harness.parser(
        __doc__, output="compile_speed.jsonl", max_memory="8GiB", time_limit="600"
    )
    parser.add_argument("--repeat", type=int, default=5, help="quick runs; median (%(default)s)")
    parser.add_argument("--bar", type=float, default=50, help="required speed-up (%(default)s)")
    options = parser.parse_args(arguments)
    journal = harness.Journal(options, "compile_speed", repeat=options.repeat)
    boards = puzzles()[: 3 if options.quick else None]
    cases = [
        {"puzzle": board.line, "hints": board.hint_count, "method": method}
        for board in boards
        for method in METHODS
        if not (options.quick and "oxidd" in method)
    ]
    for case in journal.pending(cases):
        harness.note(f"{case['hints']} hints: {case['method']}")
        begin = time.perf_counter()
        if METHODS[case["method"]][0] == "bdd":
            result = conjoined(case, options)
        else:
            asked = {**case, "max_memory": options.max_memory, "repeat": options.repeat}
            result = harness.measured("compile_speed:work", asked, options)
        journal.add(case, {"wall_seconds": round(time.perf_counter() - begin, 3)} | result)

    checks = harness.Checks()
    verify(journal, checks, options.bar)
    heads = [
        "hints", "method", "solutions", "seconds", "peak nodes/states", "BDD", "ZDD", "MiB",
    ]  # fmt: skip
    rows = []
    for r in journal.results():
        shown = f"× {r['limit']}" if "limit" in r else f"{r['seconds']:.3f}"
        sizes = (r.get(key) for key in ("peak", "bdd", "zdd"))
        numbers = [None if size is None else f"{size:,}" for size in sizes]
        chosen = r["method"].endswith("auto") and "order" in r
        name = f"{r['method']} ({r['order']})" if chosen else r["method"]
        count = f"{int(r['count']):,}" if "count" in r else None
        memory = f"{r['memory'] / 2**20:,.0f}" if r.get("memory") else None
        rows.append([r["hints"], name, count, shown, *numbers, memory])
    harness.show(options, journal, [("Set of all solutions, 18 to 13 hints", heads, rows)])
    return checks.finish()


if __name__ == "__main__":
    harness.run(main)
