"""L-tromino tilings counted by association lists, dancing links and the frontier.

The table of an article on tilings (M. Hiroi, "Algorithm X", 2014/2022): tilings of square boards,
some with one square removed, counted there by Algorithm X on association lists, which are copied at
every step instead of being changed and restored. That program is the baseline here, written anew in
plain Python. Beside it: dancing links (every tiling visited once, too), the frontier engine
counting, and the frontier engine building the set of all tilings as a ZDD. The methods that visit
or store all tilings reach only small boards; the table goes on as far as the frontier reaches.

Checked: the article's numbers; every count of a board equal to every other; for whole boards up to
12x12 also a row transfer matrix.

    python experiments/tromino_table.py
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

import harness

ARTICLE = {
    (6, None): 162,
    (7, 0): 1440,
    (7, 1): 704,
    (7, 2): 816,
    (7, 3): 1088,
    (7, 8): 704,
    (7, 9): 288,
    (7, 10): 576,
    (7, 16): 608,
    (7, 17): 416,
    (7, 24): 736,
    (8, 0): 30355,
    (9, None): 1193600,
}
"""Side, removed square (row by row, from 0): number of tilings."""
FARTHER = [(10, 0), (11, 0), (12, None), (13, 0), (14, 0), (15, None), (16, 0), (17, 0), (18, None)]
METHODS = ("association lists", "dlx", "frontier count", "frontier set", "row transfer")
SLOW_SIDE = {"association lists": 9, "dlx": 10, "row transfer": 12}
"""The largest side that a method is asked for at all."""

Columns = list[tuple[int, list[int]]]


def algorithm_x(options: list[list[int]]) -> int:
    """Algorithm X on an association list item → options, made anew at every step.

    As in the article: the item with the fewest options left; for each of its options a new list
    without the option's items and without the options that share one of them.
    """
    columns: Columns = []
    for number, items in enumerate(options):
        for item in items:
            entry = look_up(item, columns)
            if entry is None:
                columns.append((item, [number]))
            else:
                entry.append(number)
    found = 0

    def search(columns: Columns) -> None:
        nonlocal found
        if not columns:
            found += 1
            return
        fewest = columns[0][1]
        for _, entry in columns:
            if len(entry) < len(fewest):
                fewest = entry
        for number in fewest:
            chosen = options[number]
            clashing = union(look_up(item, columns) or [] for item in chosen)
            touched = union(options[other] for other in clashing)
            rest = []
            for item, entry in columns:
                if item in chosen:
                    continue
                if item in touched:
                    entry = [other for other in entry if other not in clashing]
                rest.append((item, entry))
            search(rest)

    search(columns)
    return found


def look_up(item: int, columns: Columns) -> list[int] | None:
    """Look up a key by searching an association list from its beginning."""
    for key, entry in columns:
        if key == item:
            return entry
    return None


def union(lists: Iterable[list[int]]) -> list[int]:
    """Union of two lists, each member once, in order of appearance."""
    together: list[int] = []
    for members in lists:
        for member in members:
            if member not in together:
                together.append(member)
    return together


def row_transfer(side: int) -> int:
    """Tilings of a whole board, row by row: the state is what the next row has covered already."""

    @cache
    def fill(taken: int, column: int) -> dict[int, int]:
        """Ways to fill a row from a column on; what they take of the next row → how many."""
        while column < side and taken >> column & 1:
            column += 1
        if column == side:
            return {0: 1}
        ways: dict[int, int] = {}
        here, right = 1 << column, 2 << column
        last = column == side - 1
        for mine, below in (
            *(() if last or taken & right else ((here | right, here), (here | right, right))),
            *(() if last else ((here, here | right),)),
            *(() if column == 0 else ((here, here | here >> 1),)),
        ):
            for more, number in fill(taken | mine, column + 1).items():
                if not more & below:
                    ways[more | below] = ways.get(more | below, 0) + number
        return ways

    vector = {0: 1}
    for _ in range(side):
        following: dict[int, int] = {}
        for state, number in vector.items():
            for more, ways in fill(state, 0).items():
                following[more] = following.get(more, 0) + number * ways
        vector = following
    return vector.get(0, 0)


def work(case: dict[str, Any], send: Callable[[Any], None]) -> dict[str, Any]:
    """One method on one board, timed after a warm-up on a small board (compiling takes seconds)."""
    from bddsudoku.puzzle.tiling import Board, Tiling, pieces

    def problem(side: int, removed: int | None) -> Any:
        board = Board.rectangle(side, side, () if removed is None else [removed])
        return Tiling(board, pieces("L3"))

    def timed(side: int, removed: int | None) -> dict[str, Any]:
        tiling = problem(side, removed)
        method = case["method"]
        if method == "association lists":
            place = {cell: i for i, cell in enumerate(tiling.board.cells)}
            options = [[place[cell] for cell in p.cells] for p in tiling.placements]
            begin = time.perf_counter()
            result = {"count": algorithm_x(options)}
        elif method == "row transfer":
            begin = time.perf_counter()
            result = {"count": row_transfer(side)}
        elif method == "dlx":
            from bddsudoku.engine import dlx

            begin = time.perf_counter()
            found = dlx.count(tiling.model())
            result = {"count": found.count, "search_nodes": found.nodes}
        elif method == "frontier count":
            from bddsudoku.engine.frontier import count_spec
            from bddsudoku.engine.specs.product_spec import model_spec

            begin = time.perf_counter()
            result = {"count": count_spec(model_spec(tiling.model()))}
        else:
            from bddsudoku.context import Context
            from bddsudoku.engine.frontier import compile_spec
            from bddsudoku.engine.specs.product_spec import model_spec
            from bddsudoku.sets.solutionset import SolutionSet

            begin = time.perf_counter()
            compiled = compile_spec(
                model_spec(tiling.model()), context=Context(max_memory=case["memory"])
            )
            solutions = SolutionSet(compiled.diagram)
            result = {
                "count": solutions.count(),
                "zdd_nodes": solutions.node_count("zdd"),
                "states": compiled.states,
            }
        result["seconds"] = time.perf_counter() - begin
        result["count"] = str(result["count"])
        return result

    harness.warmed(lambda: timed(5, 0))
    best = timed(case["side"], case["removed"])
    for _ in range(4):  # short ones again, the fastest counts
        if best["seconds"] > 0.5:
            break
        best = min(best, timed(case["side"], case["removed"]), key=lambda r: r["seconds"])
    return best


def cases(options: Any) -> list[dict[str, Any]]:
    """Cases: all boards by all methods that can finish."""
    boards = list(ARTICLE) if not options.quick else [(6, None), (7, 0), (7, 24)]
    farther = [] if options.quick else FARTHER
    return [
        {"side": side, "removed": removed, "method": method, "memory": options.max_memory}
        for side, removed in boards + farther
        for method in METHODS
        if side <= SLOW_SIDE.get(method, side)
        and not (method == "row transfer" and removed is not None)
    ]


def shown(result: dict[str, Any] | None, key: str) -> str | None:
    """A number as text, × for a limit, None if the method was not run."""
    if result is None:
        return None
    return f"{result[key]:,}" if key in result else f"× {result['limit']}"


def main(arguments: list[str] | None = None) -> int:
    parser = harness.parser(__doc__, "tromino_table", max_memory="6GiB", time_limit="600")
    parser.add_argument(
        "--reach", type=float, default=60, help="largest time of a board (%(default)s s)"
    )
    options = parser.parse_args(arguments)
    journal = harness.Journal(options)
    exhausted: set[str] = set()
    for case in cases(options):
        if case["method"] in exhausted:
            continue
        journal.measure([case], "tromino_table:work", "{side}x{side}, {removed}: {method}")
        result = journal.get(case) or {}
        too_far = "limit" in result or result.get("seconds", 0) > options.reach
        if too_far and case["side"] > 9:
            exhausted.add(case["method"])

    checks = harness.Checks()
    boards: dict[tuple[int, int | None], dict[str, dict[str, Any]]] = {}
    for found in journal.results():
        boards.setdefault((found["side"], found["removed"]), {})[found["method"]] = found
    rows = []
    for board, by_method in boards.items():
        counts = {m: r["count"] for m, r in by_method.items() if "count" in r}
        title = name({"side": board[0], "removed": board[1]})
        if board in ARTICLE:
            for method, count in counts.items():
                checks.expect(int(count) == ARTICLE[board], f"{title}: {method} counts {count}")
        if board in ARTICLE or board[0] <= 12:
            checks.expect(len(counts) >= 2, f"{title}: only {len(counts)} counts")
        checks.expect(len(set(counts.values())) <= 1, f"{title}: counts differ: {counts}")
        baseline, fast = by_method.get("association lists"), by_method.get("frontier count")
        ratio = None
        if baseline and fast and "count" in baseline and "count" in fast:
            ratio = f"{baseline['seconds'] / fast['seconds']:,.0f}"
        if board == (9, None) and baseline and fast:
            within = fast.get("seconds", 99) <= 0.5
            checks.expect(within, f"{title}: the frontier counts in 0.5 s")
            slow = baseline.get("seconds", baseline["wall_seconds"])
            checks.expect(slow >= 100 * fast.get("seconds", 99), f"{title}: 100 x the baseline")
        rows.append(
            [
                title,
                f"{int(next(iter(counts.values()))):,}" if counts else "×",
                *(harness.time_cell(by_method.get(m)) for m in METHODS[:3]),
                harness.time_cell(by_method.get("frontier set")),
                shown(by_method.get("frontier set"), "zdd_nodes"),
                shown(by_method.get("frontier set"), "states"),
                harness.time_cell(by_method.get("row transfer")),
                ratio,
            ]
        )
    headers = [
        "board", "tilings", "association lists s", "DLX s", "frontier count s", "frontier set s",
        "ZDD nodes", "states", "row transfer s", "lists / frontier",
    ]  # fmt: skip
    harness.show(options, journal, [("L-trominoes on square boards", headers, rows)])
    return checks.finish()


def name(case: dict[str, Any]) -> str:
    """``7x7 without 3``."""
    whole = f"{case['side']}x{case['side']}"
    return whole if case["removed"] is None else f"{whole} without {case['removed']}"


if __name__ == "__main__":
    harness.run(main)
