"""A folder of published variants, as strings of Interactive-Sudoku-Solver: ours beside it.

Each file ``*.iss`` of the folder is one string. It is read and counted up to two, a first time and
then up to five times within --budget seconds; the time is the median CPU time of these, reading
included. With ``--iss CHECKOUT``, of its public repository, Interactive-Sudoku-Solver does the same
by node, in a process for each string, whose compiler is warm after the first time, not after all.

The tables have, by each kind of constraint that stands in a string, how many puzzles are read and
the times of those that both end; and every string that is refused, or takes ours more time.

Checked: where both end the counts are equal, and so are the only solutions.

    python experiments/published.py DIRECTORY --iss CHECKOUT
"""

from __future__ import annotations

import re
import time
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from statistics import median_low
from typing import Any

import harness
import iss

from bddsudoku import LimitReached, Puzzle, PuzzleFormatError, solve
from bddsudoku.context import Context
from bddsudoku.solver.dispatch import count_detailed

_KIND = re.compile(r"\.([A-Z]\w*)")
_LETTERS = "0ABCDEFGHIJKLMNOP"
_NOTICED = 0.05
"""Seconds by which a puzzle that takes more time than by ISS is listed."""


def answered(text: str, budget: float, limit: float) -> dict[str, Any]:
    """What we find for a string: its count up to two, its only solution, the median seconds."""
    times: list[float] = []
    try:
        while not times or (len(times) < 6 and sum(times[1:]) < budget):
            begin = time.process_time()
            puzzle = Puzzle.parse(text)
            count = count_detailed(puzzle, context=Context(None, limit), limit=2).count
            times.append(time.process_time() - begin)
        found = {"count": count, "cpu": median_low(times[1:] or times)}
        if count == 1:
            (grid,) = solve(puzzle, "search", time_limit=limit)
            digits = grid.cells[: puzzle.layout.grid_cell_count]
            is_lettered = max(digits) > 9
            found["solution"] = "".join(_LETTERS[d] if is_lettered else str(d) for d in digits)
    except PuzzleFormatError as error:
        return {"limit": "refused", "message": str(error)}
    except LimitReached as stop:
        return {"limit": stop.limit, "message": str(stop)}
    return found


def main(arguments: list[str] | None = None) -> int:
    parser = harness.parser(__doc__, "published", time_limit="30")
    parser.add_argument("directory", type=Path, help="of strings, in files *.iss")
    parser.add_argument("--iss", type=Path, help="a checkout of Interactive-Sudoku-Solver")
    parser.add_argument("--budget", type=float, default=1, help="seconds to repeat (%(default)s)")
    options = parser.parse_args(arguments)
    paths = sorted(options.directory.glob("*.iss"))[: 12 if options.quick else None]
    if not paths:
        parser.error(f"no strings, files *.iss, in {options.directory}")
    if options.iss is not None and (lack := iss.missing(options.iss)):
        parser.error(lack)
    journal = harness.Journal(options, budget=options.budget)
    texts = [path.read_text(encoding="utf-8") for path in paths]
    limits = options.budget, options.time_limit
    sides: dict[str, Callable[[str], dict[str, Any]]] = {"ours": lambda t: answered(t, *limits)}
    if options.iss is not None:
        sides["ISS"] = lambda text: iss.seconds_of(text, options.iss, *limits)
    found: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
    for path, text in zip(paths, texts, strict=True):
        for side, answer in sides.items():
            case = {"by": side, "name": path.stem}
            for _ in journal.pending([case]):
                harness.note(f"{side}: {path.stem}")
                journal.add(case, answer(text))
            found[side].append(journal.get(case) or {})

    checks = harness.Checks()
    kinds: defaultdict[str, list[int]] = defaultdict(list)
    refused, slow = [], []
    timed: dict[int, tuple[float, float]] = {}
    for i, (path, text, mine) in enumerate(zip(paths, texts, found["ours"], strict=True)):
        for kind in {"all", *_KIND.findall(text)} - {"End"}:
            kinds[kind].append(i)
        if "limit" in mine:
            refused.append([path.stem, mine["message"][:110]])
        theirs = found["ISS"][i] if options.iss is not None else {"limit": "not run"}
        checks.expect("limit" in mine or mine["count"] >= 0, f"{path.stem}: a count")
        if "limit" in mine or "limit" in theirs:
            continue
        checks.expect(mine["count"] == theirs["count"], f"{path.stem}: the count of ISS")
        same = mine.get("solution", theirs["solution"]) == theirs["solution"]
        checks.expect(same, f"{path.stem}: the solution of ISS")
        timed[i] = mine["cpu"], theirs["cpu"]
        if mine["cpu"] > theirs["cpu"] + _NOTICED:
            slow.append([path.stem, *(f"{1000 * s:.0f}" for s in timed[i])])
    rows = []
    for kind, members in sorted(kinds.items(), key=lambda item: -len(item[1])):
        read = sum(found["ours"][i].get("limit") != "refused" for i in members)
        pairs = [timed[i] for i in members if i in timed]
        sums = [f"{1000 * sum(column):.0f}" for column in zip(*pairs, strict=True)] or ["", ""]
        mean = harness.geometric_mean([a / b for a, b in pairs]) if pairs else None
        shown = None if mean is None else f"{mean:.2f}"
        rows.append([kind, len(members), read, len(pairs), *sums, shown])
    headers = ["constraint", "puzzles", "read", "both end", "ours, ms", "ISS, ms"]
    tables: list[harness.Table] = [
        ("By kind of constraint", [*headers, "ours / ISS (geometric)"], rows),
        ("Refused, or a limit", ["puzzle", "message"], refused),
        ("50 ms and more above ISS", ["puzzle", "ours, ms", "ISS, ms"], slow),
    ]
    harness.show(options, journal, tables)
    return checks.finish()


if __name__ == "__main__":
    harness.run(main)
