"""What the numbers in :mod:`bddsudoku.engine.calibration` mean on this machine.

    python experiments/calibration.py

Prints, beside the values in use, how long the trials take that they allow, and where the sums by
bands overtake the search for boards of lists. Counts of both are compared.
"""

from __future__ import annotations

import argparse
from time import process_time

import harness
import numpy as np
import puzzle_lists
from showing import table

from bddsudoku import Layout, Puzzle
from bddsudoku.context import Context
from bddsudoku.engine import calibration, portfolio
from bddsudoku.engine.bands.many_hints import direct_counts
from bddsudoku.engine.bitboard import count_many
from bddsudoku.engine.protocol import find_engine
from bddsudoku.errors import LimitReached
from bddsudoku.puzzle.sudoku.sudoku_model import allocate

TRIED_NODES = 250, 500, 1_000, 2_000, 4_000, 8_000, 16_000
"""Nodes of a board's search that are compared."""


def boards_without_a_hint(size: int) -> puzzle_lists.Boards:
    """Puzzles of 17 hints, each without one of them, as candidate masks."""
    digits = puzzle_lists.digits_of(puzzle_lists.make("17 hints", size, 1))
    masks = np.where(digits, 1 << (digits.astype(np.uint16) - 1), 511).astype(np.uint16)
    for board, hint in zip(masks, np.argmax(digits > 0, axis=1), strict=True):
        board[hint] = 511
    return masks


def seconds_of_lists(checks: harness.Checks) -> list[list[object]]:
    """CPU seconds for a thousand boards, by the nodes after which sums by bands count."""
    boards = boards_without_a_hint(500)
    wanted = direct_counts(boards, jobs=1)
    rows: list[list[object]] = []
    for nodes in TRIED_NODES:
        begin = process_time()
        tally = count_many(boards, max_nodes=nodes, jobs=1)
        left = np.flatnonzero(~tally.exact)
        direct_counts(boards[left], jobs=1)
        seconds = (process_time() - begin) * 1000 / len(boards)
        checks.expect(bool((tally.counts == wanted)[tally.exact].all()), f"counts, {nodes} nodes")
        mark = "in use" if nodes == calibration.LIST_NODES else ""
        rows.append([nodes, len(left), round(seconds, 3), mark])
    return rows


def seconds_of_trials() -> list[list[object]]:
    """CPU seconds that the first trial of each engine takes where it does not end."""
    sixteen = allocate(Puzzle([0] * 256, Layout(4, 4)))
    knights = allocate(Puzzle.parse("." * 81 + "\nantiknight"))
    rows: list[list[object]] = []
    for name, model, number in (
        ("search", knights, "FIRST_STEPS"),
        ("dlx", sixteen, "FIRST_STEPS"),
        ("components", sixteen, "COMPONENTS_STEPS"),
    ):
        find_engine(name).warm_up()
        steps = getattr(calibration, number)
        begin = process_time()
        ended = portfolio.count_within(find_engine(name), model, Context(work=int(steps)))
        rows.append([name, number, f"{steps:.0e}", round(process_time() - begin, 2), ended])
    nodes = calibration.MAX_SEARCH_NODES
    begin = process_time()
    count_many(np.zeros((1, 81), np.uint8), max_nodes=nodes, jobs=1)
    rows.append(["bitboard", "MAX_SEARCH_NODES", nodes, round(process_time() - begin, 2), None])
    return rows


def seconds_of_diagrams() -> list[list[object]]:
    """Forecast and measured CPU seconds of diagrams."""
    rows: list[list[object]] = []
    engine = find_engine("frontier")
    engine.warm_up()
    for layout in (Layout(2, 3), Layout(3, 2), Layout(2, 4)):
        model = allocate(Puzzle([0] * layout.cell_count, layout))
        forecast = engine.forecast(model, Context())
        begin = process_time()
        try:
            engine.count(model, Context(time_limit=60))
        except LimitReached:
            continue
        seconds = round(process_time() - begin, 2)
        rows.append([str(layout), forecast and round(forecast.seconds, 2), seconds])
    return rows


def main() -> int:
    """Measure, print the tables, and compare the counts."""
    argparse.ArgumentParser(description=__doc__).parse_args()
    harness.print_machine()
    checks = harness.Checks()
    for title, heads, rows in (
        ("1,000 boards of 16 hints", ["nodes", "summed", "seconds", ""], seconds_of_lists(checks)),
        ("trials", ["engine", "number", "steps", "seconds", "count"], seconds_of_trials()),
        ("diagrams", ["board", "forecast", "seconds"], seconds_of_diagrams()),
    ):
        print(f"{title}\n\n{table(heads, rows)}\n")
    return checks.finish()


if __name__ == "__main__":
    harness.run(main)
