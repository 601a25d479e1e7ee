"""A list of boards with king's and knight's moves: is the solution of each the only one?

Random hints of random solutions (digits renamed), counted up to 2 by ``count --rules``'s prepared
search on one core; the first boards are counted again by the engine frontier.

Usage: python experiments/rule_lists.py [--boards 10000] [--hints 24] [--seed 7]
"""

from __future__ import annotations

import argparse
import random
from collections import Counter
from time import process_time

import harness

from bddsudoku import Puzzle, count
from bddsudoku.context import UNLIMITED
from bddsudoku.engine.search.engine import SearchEngine
from bddsudoku.puzzle import rule_from_line
from bddsudoku.puzzle.sudoku import Layout
from bddsudoku.puzzle.sudoku.grid import PuzzleRecord
from bddsudoku.puzzle.sudoku.sudoku_model import constraint_families, empty_board_model
from bddsudoku.solver.puzzle_lists import count_puzzles

LINES = ("antiking", "antiknight")
SOLUTIONS, SAMPLE = 40, 20


def boards(number: int, hints: int, seed: int) -> list[Puzzle]:
    """Boards with random hints of solutions that searches in shuffled order meet first."""
    rng = random.Random(seed)
    rules = tuple(map(rule_from_line, LINES))
    model = empty_board_model(Layout(), constraint_families(Layout()), rules)
    found = [
        sorted(keys.tolist())
        for shuffle in range(SOLUTIONS)
        for keys in SearchEngine().solutions(model, UNLIMITED, limit=1, seed=shuffle)
    ]
    made = []
    for _ in range(number):
        digits = [key % 9 for key in rng.choice(found)]
        names = rng.sample(range(1, 10), 9)
        kept = {*rng.sample(range(81), hints)}
        made.append(Puzzle([names[d] if c in kept else 0 for c, d in enumerate(digits)]))
    return made


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--boards", type=int, default=10_000)
    parser.add_argument("--hints", type=int, default=24)
    parser.add_argument("--seed", type=int, default=7)
    asked = parser.parse_args()
    listed = boards(asked.boards, asked.hints, asked.seed)
    records = [*map(PuzzleRecord, listed)]
    rules = ("moves", tuple(enumerate(LINES, 1)))
    next(count_puzzles(records[:1], limit=2, rules=rules))  # compile the kernels
    begin = process_time()
    counts = [record["count"] for record in count_puzzles(records, limit=2, rules=rules)]
    seconds = process_time() - begin
    harness.print_machine()
    print(f"{len(listed):,} boards, {seconds:.2f} s of one core, {len(listed) / seconds:,.0f}/s")
    print({f"{key} solutions (2: or more)": k for key, k in sorted(Counter(counts).items())})
    own = tuple(map(rule_from_line, LINES))
    for puzzle, found in list(zip(listed, counts, strict=True))[:SAMPLE]:
        if min(count(puzzle.with_rule(*own), "frontier"), 2) != int(found):
            raise SystemExit(f"the engines disagree on {puzzle.line}")
    print(f"the frontier engine agrees on the first {min(SAMPLE, len(listed))}")


if __name__ == "__main__":
    main()
