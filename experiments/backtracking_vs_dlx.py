"""Backtracking compared with dancing links, on the board of an article and on twenty more.

An article on Sudoku in Java solves the Telegraph's board of 2012 by brute force (cell by cell,
value by value) and by dancing links, and reports about 250 ms against 50 ms. Here both are compiled
alike (numba, warmed up), so that only the search trees differ. Beside them run dancing links
that do not branch on the item with the fewest options, and the engine that ``auto`` picks.

For each puzzle: search nodes and time until the first solution, search nodes and time until it is
certain that there is no other. Times are those of the search; ``whole`` is the time from the puzzle
to the answer, which includes building the model.

Checked: the article's solution of its board; the same solution and count from every method; brute
force and dancing links that take the first item walk through the same tree.

    python experiments/backtracking_vs_dlx.py --table experiments/results/backtracking_vs_dlx.md
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import harness

from bddsudoku.puzzle.sudoku.text import read_puzzles

ARTICLE_SOLUTION = (
    "812753649943682175675491283154237896369845721287169534521974368438526917796318452"
)
METHODS = {
    "backtracking, all digits": ("brute-force", "paper", {}),
    "backtracking, candidates": ("brute-force", "candidates", {}),
    "DLX, first item": ("dlx", "candidates", {"mrv": False}),
    "DLX, fewest options": ("dlx", "candidates", {}),
    "our best": ("auto", "", {}),
}
SAME_TREE = ("backtracking, all digits", "backtracking, candidates", "DLX, first item")
BASELINE = "backtracking, all digits"


def work(case: dict[str, Any], send: Callable[[Any], None]) -> dict[str, Any]:
    """One method on one puzzle: the median of several runs, after a warm-up."""
    from bddsudoku.puzzle.sudoku.grid import Puzzle

    run = _auto if case["method"] == "our best" else _search
    run(case | {"puzzle": case["warm_up"]}, Puzzle.parse(case["warm_up"]))
    runs = []
    begin = time.perf_counter()
    while len(runs) < 7 and (len(runs) < 1 or time.perf_counter() - begin < 2):
        runs.append(run(case, Puzzle.parse(case["puzzle"])))
    middle = {
        key: sorted(r[key] for r in runs)[len(runs) // 2] for key in runs[0] if "seconds" in key
    }
    return runs[0] | middle | {"runs": len(runs)}


def _search(case: dict[str, Any], puzzle: Any) -> dict[str, Any]:
    from bddsudoku.context import Context
    from bddsudoku.engine.protocol import find_engine
    from bddsudoku.model import forward_check, substitute
    from bddsudoku.puzzle.sudoku.sudoku_model import allocate

    engine, allocation, settings = METHODS[case["method"]]
    begin = time.perf_counter()
    model = allocate(puzzle)
    if allocation == "candidates":
        # said, not deduced: brute force does not look at what a model has left
        left = forward_check(model).position_by_key
        struck = [v for v, variable in enumerate(model.variables) if variable.key not in left]
        model = substitute(model, (), false=struck)
    count, nodes, seconds = RUNS[engine](model, None, settings)
    whole = time.perf_counter() - begin
    _, first_nodes, first_seconds = RUNS[engine](model, 1, settings)
    keys = next(find_engine(engine).solutions(model, Context(), limit=1))  # type: ignore[attr-defined]
    return {
        "solution": "".join(str(k % 9 + 1) for k in keys.tolist()),
        "count": count,
        "first_nodes": first_nodes,
        "first_seconds": first_seconds,
        "nodes": nodes,
        "seconds": seconds,
        "whole_seconds": whole,
        "engine": engine,
    }


def _dlx(model: Any, limit: int | None, settings: dict[str, Any]) -> tuple[int, int, float]:
    from bddsudoku.engine.dlx import engine as dlx

    result = dlx.count(model, limit=limit, **settings)
    return result.count, result.nodes, result.seconds


def _backtrack(model: Any, limit: int | None, settings: dict[str, Any]) -> tuple[int, int, float]:
    from bddsudoku.context import Context
    from bddsudoku.engine.brute_force import BruteForceSearch

    search = BruteForceSearch(model)
    begin = time.perf_counter()
    list(search.run(Context(), limit=limit, **settings))
    return search.count, search.nodes, time.perf_counter() - begin


RUNS = {"dlx": _dlx, "brute-force": _backtrack}
"""Solutions, nodes and seconds of a search for all solutions, or for the first few."""


def _auto(case: dict[str, Any], puzzle: Any) -> dict[str, Any]:
    from bddsudoku.solver.dispatch import count_detailed, solve

    begin = time.perf_counter()
    answer = count_detailed(puzzle)
    whole = time.perf_counter() - begin
    return {
        "solution": solution_line(solve(puzzle).unrank(0)),
        "count": answer.count,
        "seconds": answer.seconds,
        "whole_seconds": whole,
        "engine": answer.engine,
    }


def solution_line(solution: Any) -> str:
    """A solution of either kind of set as 81 digits."""
    return solution.line if hasattr(solution, "line") else "".join(map(str, solution.reshape(-1)))


def main(arguments: list[str] | None = None) -> int:
    parser = harness.parser(__doc__, output="backtracking_vs_dlx.jsonl", time_limit="60")
    options = parser.parse_args(arguments)
    telegraph = next(iter(read_puzzles(harness.DATA / "telegraph.txt"))).puzzle.line
    more = [r.puzzle.line for r in read_puzzles(harness.DATA / "collection.sdm")]
    puzzles = [telegraph, *more[: 3 if options.quick else 20]]
    journal = harness.Journal(options, "backtracking_vs_dlx")
    cases = [
        {"puzzle": line, "method": method, "warm_up": more[0]}
        for line in puzzles
        for method in METHODS
    ]
    journal.measure(cases, "backtracking_vs_dlx:work", "{puzzle}: {method}")

    checks = harness.Checks()
    found: dict[str, dict[str, dict[str, Any]]] = {line: {} for line in puzzles}
    for result in journal.results():
        found[result["puzzle"]][result["method"]] = result
    for line, by_method in found.items():
        solved = {m: r for m, r in by_method.items() if "count" in r}
        checks.expect(len(solved) >= 2, f"{line}: at least two methods finish")
        answers = {(r["count"], r["solution"]) for r in solved.values()}
        checks.expect(len(answers) == 1, f"{line}: all methods say the same: {answers}")
        checks.expect(all(r["count"] == 1 for r in solved.values()), f"{line}: one solution")
        trees = [solved[m]["nodes"] for m in METHODS if m in solved and m in SAME_TREE]
        checks.expect(len(set(trees)) <= 1, f"{line}: the same tree, {trees}")
    for method, result in found[telegraph].items():
        if "count" in result:
            checks.expect(result["solution"] == ARTICLE_SOLUTION, f"{method}: article's solution")

    board = [row(method, result) for method, result in found[telegraph].items()]
    headers = ["method", "nodes to first", "ms", "nodes in all", "ms", "whole ms", "engine"]
    tables: list[harness.Table] = [("The Telegraph's board", headers, board)]
    summary = []
    for method in METHODS:
        results = [by_method[method] for line, by_method in found.items() if line != telegraph]
        finished = [r for r in results if "count" in r]
        ratios = [
            found[r["puzzle"]][BASELINE]["whole_seconds"] / r["whole_seconds"]
            for r in finished
            if "count" in found[r["puzzle"]][BASELINE]
        ]
        summary.append(
            [
                method,
                f"{len(finished)} of {len(results)}",
                mean([r.get("nodes") for r in finished], "{:,.0f}"),
                mean([r["seconds"] * 1e3 for r in finished], "{:.3f}"),
                mean([r["whole_seconds"] * 1e3 for r in finished], "{:.3f}"),
                mean(ratios, "{:.2f}"),
            ]
        )
    tables.append(
        (
            "Puzzles of data/collection.sdm, until it is certain that there is one solution "
            "(geometric means)",
            ["method", "finished", "nodes", "search ms", "whole ms", f"{BASELINE} / this"],
            summary,
        )
    )
    tables.append(
        (
            "Each of them: search ms",
            ["puzzle", *METHODS],
            [
                [line, *(time_of(by_method[m]) for m in METHODS)]
                for line, by_method in found.items()
                if line != telegraph
            ],
        )
    )
    harness.show(options, journal, tables)
    return checks.finish()


def row(method: str, result: dict[str, Any]) -> list[str | None]:
    """One row of the first table."""
    if "limit" in result:
        return [method, *[f"× {result['limit']}"] * 6]
    nodes = (f"{result[key]:,}" if key in result else None for key in ("first_nodes", "nodes"))
    first = f"{result['first_seconds'] * 1e3:.3f}" if "first_seconds" in result else None
    return [
        method, next(nodes), first, next(nodes), time_of(result),
        f"{result['whole_seconds'] * 1e3:.3f}", result["engine"],
    ]  # fmt: skip


def time_of(result: dict[str, Any]) -> str:
    """Milliseconds as text, or × for a limit."""
    return f"× {result['limit']}" if "limit" in result else f"{result['seconds'] * 1e3:.3f}"


def mean(numbers: list[Any], form: str) -> str | None:
    """Geometric mean; None of an empty list."""
    known = [n for n in numbers if n]
    if not known or None in numbers:
        return None
    return form.format(harness.geometric_mean(known))


if __name__ == "__main__":
    harness.run(main)
