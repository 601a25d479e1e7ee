"""Latency of the live board: time from a key press to the exact count and to all marginals.

A key press adds or deletes a hint. Each board is new to the program, which keeps nothing of the
previous one. The hints of classic boards are random cells of one grid; further boards come from two
files. Variants have rules of some kinds, and hints from one grid that obeys them.

    python experiments/latency.py [--each 9]
"""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import click
import harness
import numpy as np

from bddsudoku import Puzzle
from bddsudoku.context import Context
from bddsudoku.explore.board_questions import answer, board_record
from bddsudoku.explore.live_board import Event
from bddsudoku.puzzle.sudoku.sudoku_decoder import SudokuDecoder
from bddsudoku.puzzle.sudoku.text import read_puzzles
from bddsudoku.report.formatting import format_table
from bddsudoku.solver import iterate_solution_keys

DATA = Path(__file__).parent.parent / "data"
HINTS = (81, 40, 30, 26, 24, 22, 20, 19, 18, 17, 15, 12, 8, 4, 0)
GRID = tuple(
    map(int, "693784512487512936125963874932651487568247391741398625319475268856129743274836159")
)
VARIANTS = {
    "diagonals": ["diagonals"],
    "antiknight": ["antiknight"],
    "antiking": ["antiking"],
    "windoku": ["windoku"],
    "thermometers": ["thermometer r1c1 r2c1 r3c1 r4c1 r5c1", "thermometer r9c9 r8c9 r7c9 r6c9"],
    "cages": ["cage 9 r1c1 r1c2", "cage 21 r3c3 r3c4 r4c3", "cage 15 r7c7 r7c8 r8c7"],
}


def boards(hints: int, each: int, grid: Sequence[int] = GRID) -> Iterator[Puzzle]:
    """Boards with a given number of hints from one grid."""
    rng = random.Random(hints)
    for _ in range(each):
        kept = rng.sample(range(81), hints)
        yield Puzzle([grid[c] if c in kept else 0 for c in range(81)])


def timed(puzzle: Puzzle, context: float) -> tuple[dict[str, float], int | None]:
    """Seconds to each event, and the count; without events that a limit prevented."""
    asked = {"kind": "board", "board": board_record(puzzle)}
    found: dict[str, float] = {}
    number = None
    begin = time.perf_counter()

    def hear(event: Event) -> None:
        nonlocal number
        kind = "count" if event.get("state") in ("none", "exact") else event["kind"]
        found[kind] = time.perf_counter() - begin
        if kind == "count":
            number = int(event.get("count", 0))

    answer(asked, Context(4 << 30, context).with_progress(lambda *_: None), hear)
    return found, number


def row(name: str, puzzles: list[Puzzle], context: float) -> list[str]:
    """Median and longest times in milliseconds."""
    runs = [timed(p, context) for p in puzzles]
    numbers = [n for _, n in runs if n is not None]
    middle = f"{statistics.median_low(numbers):,}" if numbers else "×"
    out = [name, str(len(puzzles)), middle]
    for kind in ("count", "marginals"):
        ended = [times.get(kind, float("inf")) * 1e3 for times, _ in runs]
        out += [_format_ms(statistics.median(ended)), _format_ms(max(ended))]
    return out


def _format_ms(milliseconds: float) -> str:
    return "×" if np.isinf(milliseconds) else f"{milliseconds:,.1f}"


@click.command()
@click.option("--each", default=9, show_default=True, help="Boards of every kind.")
@click.option("--limit", default=60.0, show_default=True, help="Seconds for one board.")
def main(each: int, limit: float) -> None:
    """Print the table."""
    timed(Puzzle([0] * 81), limit)  # compiles, or loads what was compiled
    real = {
        name: [r.puzzle for r in read_puzzles(str(DATA / name))]
        for name in ("seventeen.txt", "collection.sdm")
    }
    for puzzle in real["seventeen.txt"]:
        timed(puzzle, limit)
    rows: list[list[str]] = []

    def add(name: str, puzzles: list[Puzzle]) -> None:
        rows.append(row(name, puzzles, limit))
        click.echo("  ".join(rows[-1]), err=True)

    for hints in HINTS:
        few = each if hints >= 15 else max(each // 3, 1)
        add(f"plain, {hints} hints", list(boards(hints, few)))
    for name, puzzles in real.items():
        add(f"data/{name}", puzzles[: 10 * each])
    one_less = [p.without(next(iter(p.hints))) for p in real["collection.sdm"][: 10 * each]]
    add("… without its first hint", one_less)
    for name, rules in VARIANTS.items():
        empty = Puzzle.parse("\n".join(["." * 9] * 9 + rules) + "\n")
        (keys,) = iterate_solution_keys(empty, limit=1, seed=1)
        grid = SudokuDecoder(empty).decode(keys.tolist()).cells
        for hints in (30, 24, 20):
            plain = boards(hints, max(each // 3, 3), grid)
            of = [Puzzle(p.cells, p.layout, None, empty.rules) for p in plain]
            timed(of[0], limit)
            add(f"{name}, {hints} hints", of)
    head = ["boards", "number", "solutions (median)"]
    head += ["count ms", "longest", "marginals ms", "longest"]
    harness.print_machine()
    click.echo(format_table(rows, head))


if __name__ == "__main__":
    main()
