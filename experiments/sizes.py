"""Counts on boards of many sizes, with and without value symmetry.

Empty boards and Latin squares, whose numbers are known; series of boards from no hints to all
(random hints), 6×6 (usual blocks, jigsaw, Latin) and 8×8; and 8×8 boards with eight random hints,
one of each digit. Each is counted in a process of its own, as ``count`` would (seconds with and
without the start of the process); and, a group of boards in one process, by the frontier without
value symmetry and by search.

Checked: the known numbers; that all runs that finish agree; that counts grow as hints are removed.

    python experiments/sizes.py
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Callable, Iterator
from itertools import pairwise
from statistics import median
from typing import Any

import harness

from bddsudoku.puzzle.sudoku import Layout, Puzzle
from bddsudoku.puzzle.sudoku.sudoku_decoder import SudokuDecoder

BENT = "000122001122011122333455334455344455"
BOARDS = {
    **{f"{h}x{w}": Layout(h, w) for h, w in ((2, 2), (2, 3), (3, 2), (2, 4), (4, 2))},
    **{f"latin {n}": Layout.latin(n) for n in range(1, 9)},
    "jigsaw 6": Layout.of_side_or_rows(6).with_regions(int(c) for c in BENT),
}
KNOWN = {
    "2x2": 288,
    "2x3": 28_200_960,
    "3x2": 28_200_960,
    "2x4": 29_136_487_207_403_520,
    "4x2": 29_136_487_207_403_520,
    "latin 1": 1,
    "latin 2": 2,
    "latin 3": 12,
    "latin 4": 576,
    "latin 5": 161_280,
    "latin 6": 812_851_200,
    "latin 7": 61_479_419_904_000,
    "latin 8": 108_776_032_459_082_956_800,
}
SIX = ("2x3", "3x2", "jigsaw 6", "latin 6")
OTHERS = ("unsorted", "search")


def work(case: dict[str, Any], send: Callable[[Any], None]) -> dict[str, Any]:
    """Count one board as ``count`` would, and again for the states if value symmetry was used."""
    from bddsudoku.context import Context
    from bddsudoku.engine.order_choice import make_count_plan
    from bddsudoku.model.allocation import propagate_for_diagram
    from bddsudoku.puzzle.sudoku import allocate
    from bddsudoku.solver import count_detailed

    puzzle = Puzzle(case["cells"], BOARDS[case["board"]])
    context = Context(None, case["seconds"])
    begin = time.perf_counter()
    found = count_detailed(puzzle, context=context)
    seconds = time.perf_counter() - begin
    states = None
    if found.engine == "frontier":
        states, _ = swept(
            make_count_plan(propagate_for_diagram(allocate(puzzle)), context), context
        )
    why = f"{found.engine}: {found.why}"
    return {"count": str(found.count), "seconds": seconds, "states": states, "why": why}


def swept(plan: Any, context: Any) -> tuple[int, int]:
    """States and count of a plan of the frontier."""
    from bddsudoku.engine.frontier.forward import ForwardPass, StateCounts
    from bddsudoku.engine.frontier.state_table import ResourceAccounts

    spec, accounts = plan.spec(), ResourceAccounts(context)
    count = StateCounts(spec, accounts)
    forward = ForwardPass(spec, accounts)
    forward.expand_all_levels(count.move_past_level)
    return sum(level.states for level in forward.trace), count.total


def others(case: dict[str, Any], send: Callable[[Any], None]) -> dict[str, Any]:
    """Count the boards of a group by the frontier without value symmetry, or by search."""
    from bddsudoku.context import Context
    from bddsudoku.engine.order_choice import make_plan_without_symmetry
    from bddsudoku.engine.protocol import find_engine
    from bddsudoku.errors import LimitReached
    from bddsudoku.model.allocation import propagate_for_diagram
    from bddsudoku.puzzle.sudoku import allocate

    results: list[dict[str, Any]] = []
    for board, cells in case["boards"]:
        model = allocate(Puzzle(cells, BOARDS[board]))
        context = Context(None, case["seconds"])
        begin = time.perf_counter()
        states = None
        try:
            if case["how"] == "search":
                number = find_engine("dlx").count(model, context)
            else:
                states, number = swept(
                    make_plan_without_symmetry(propagate_for_diagram(model), context), context
                )
        except LimitReached as stop:
            results.append({"limit": stop.limit})
            continue
        seconds = time.perf_counter() - begin
        results.append({"count": str(number), "seconds": seconds, "states": states})
    return {"results": results}


def filled(layout: Layout, seed: int) -> Puzzle:
    """A random full board, found by search."""
    from bddsudoku.context import Context
    from bddsudoku.engine.protocol import ListingEngine, find_engine
    from bddsudoku.puzzle.sudoku import allocate

    dlx = find_engine("dlx")
    assert isinstance(dlx, ListingEngine)
    empty = Puzzle([layout.blank] * layout.cell_count, layout)
    (keys,) = dlx.solutions(allocate(empty), Context(), limit=1, seed=seed)
    return SudokuDecoder(empty).decode(keys.tolist())


def asked(options: Any) -> Iterator[tuple[str, str, list[int]]]:
    """Title of a group, board and cells."""
    quick = options.quick
    for board in ("2x2", "2x3", "latin 4") if quick else KNOWN:
        yield "empty", board, [0] * BOARDS[board].cell_count
    ladders = [(SIX[k % 4], 3) for k in range(1 if quick else options.six)]
    ladders += [("2x4" if k % 2 else "4x2", 4) for k in range(0 if quick else options.eight)]
    for k, (board, step) in enumerate(ladders):
        layout = BOARDS[board]
        full = filled(layout, options.seed + k)
        rng = random.Random(f"{options.seed} {k}")
        order = rng.sample(range(layout.cell_count), layout.cell_count)
        for hints in range(0, layout.cell_count + 1, 18 if quick else step):
            yield f"ladder {k + 1}", board, list(full.without(*order[hints:]).cells)
    for k in range(0 if quick else options.scattered):
        rng = random.Random(f"{options.seed} strewn {k}")
        cells = [0] * 64
        for digit, cell in enumerate(rng.sample(range(64), 8), 1):
            cells[cell] = digit
        yield "scattered", "2x4", cells


def main(arguments: list[str] | None = None) -> int:
    parser = harness.parser(__doc__, "sizes", time_limit="120")
    parser.add_argument("--six", type=int, default=20, help="series of 6x6 boards (%(default)s)")
    parser.add_argument("--eight", type=int, default=10, help="series of 8x8 boards (%(default)s)")
    parser.add_argument("--scattered", type=int, default=10, help="random boards (%(default)s)")
    parser.add_argument(
        "--patience", type=float, default=2, help="seconds for the others (%(default)s)"
    )
    options = parser.parse_args(arguments)
    journal = harness.Journal(options)
    boards = list(asked(options))

    groups: dict[str, list[tuple[str, list[int]]]] = {}
    for group, board, cells in boards:
        groups.setdefault(group, []).append((board, cells))

    def own_case(board: str, cells: list[int]) -> dict[str, Any]:
        return {"board": board, "cells": cells, "seconds": options.time_limit}

    def other_case(group: str, how: str) -> dict[str, Any]:
        return {"how": how, "boards": groups[group], "seconds": options.patience}

    # What the program does, each count in a process of its own.
    for board in ("2x3", "latin 5"):  # kernels are compiled once a machine, not by the clock
        harness.measured("sizes:work", own_case(board, [0] * BOARDS[board].cell_count), options)
    own_cases = [own_case(board, cells) for _, board, cells in boards]
    journal.measure(own_cases, "sizes:work", "{board}")
    # What it is held to, a group in one process.
    unlimited = argparse.Namespace(**vars(options) | {"time_limit": None})
    for one in journal.pending(other_case(g, how) for g in groups for how in OTHERS):
        harness.note(f"{len(one['boards'])} boards, {one['how']}")
        journal.add(one, harness.measured("sizes:others", one, unlimited))

    checks = harness.Checks()
    rows = []
    seconds: dict[str, list[float]] = {}
    counts: dict[str, list[int]] = {}
    known = {(g, how): journal.get(other_case(g, how)) or {} for g in groups for how in OTHERS}
    for group, board, cells in boards:
        own = journal.get(own_case(board, cells)) or {"limit": "?"}
        place = groups[group].index((board, cells))
        results = {
            how: known[group, how].get("results", [{"limit": "?"}] * len(groups[group]))[place]
            for how in OTHERS
        }
        unsorted, search = results["unsorted"], results["search"]
        title = f"{board}, {group}, {sum(map(bool, cells))} hints"
        if checks.expect("limit" not in own, f"{title}: counted"):
            for how in OTHERS:
                if "limit" not in results[how]:
                    checks.expect(results[how]["count"] == own["count"], f"{title}: {how} agrees")
            if group == "empty":
                checks.expect(int(own["count"]) == KNOWN[board], f"{title}: the known number")
            seconds.setdefault(f"{group.split()[0]} {BOARDS[board].n}", []).append(
                own["wall_seconds"]
            )
            counts.setdefault(group, []).append(int(own["count"]))
        rows.append(
            [
                board,
                group,
                sum(map(bool, cells)),
                *(["×"] * 4 if "limit" in own else _shown(own)),
                *(["×"] * 2 if "limit" in unsorted else _shown(unsorted | {"wall_seconds": 0})[2:]),
                "×" if "limit" in search else f"{search['seconds']:.2f}",
            ]
        )
    for group, numbers in counts.items():
        if group.startswith("ladder"):
            checks.expect(all(a >= b for a, b in pairwise(numbers)), f"{group}: never rises")
    short = [
        [group, len(found), f"{median(found):.2f}", f"{max(found):.2f}"]
        for group, found in seconds.items()
    ]
    head = ["board", "group", "hints", "count", "s in all", "s", "states"]
    head += ["s unsorted", "states unsorted", "s search"]
    harness.show(
        options,
        journal,
        [
            ("Boards", head, rows),
            ("Seconds of a process", ["group", "boards", "median", "worst"], short),
        ],
    )
    return checks.finish()


def _shown(found: dict[str, Any]) -> list[str]:
    """Count, seconds with and without the start, states."""
    states = f"{found['states']:,}" if found["states"] else "–"
    return [
        f"{int(found['count']):,}",
        f"{found['wall_seconds']:.2f}",
        f"{found['seconds']:.2f}",
        states,
    ]


if __name__ == "__main__":
    harness.run(main)
