from __future__ import annotations

import random

import numpy as np
import pytest
from oracles import grid_of

from bddsudoku import Puzzle, count, solve
from bddsudoku.context import Context
from bddsudoku.engine import dlx
from bddsudoku.engine.bitboard import count_many
from bddsudoku.puzzle.sudoku.grid import PuzzleRecord
from bddsudoku.puzzle.sudoku.sudoku_model import allocate
from bddsudoku.report.sections import hints_text
from bddsudoku.solver import hint_impact
from bddsudoku.solver.hint_analysis import (
    clue_ablation,
    clue_additions,
)

FIGURE_1 = "4.3.1...2.7..2..3.5...3.8...5..42.6.69.157.43.4.96..1...2.7...5.6..8..9.8...9.1.7"
SEVENTEEN = "000000010400000000020000000000050407008000300001090000300400200050100000000806000"
EIGHTEEN = ".......71.2.8........5.3...7.9.6.......2..8..1.........3...25..6...1..4.........."


def searched(puzzle: Puzzle) -> list[tuple[int, ...]]:
    """All solutions by dancing links, which has no code in common with the engines tested."""
    found = dlx.DlxEngine().solutions(allocate(puzzle, "candidates"), Context())
    return [grid_of(keys.tolist(), puzzle.n) for keys in found]


@pytest.mark.parametrize(
    "text", [FIGURE_1, EIGHTEEN, "1....2.........4", "1...............", "11.............."]
)
def test_clue_ablation_against_search(text: str) -> None:
    puzzle = Puzzle.parse(text)
    total = len(searched(puzzle))
    answers = clue_ablation(puzzle, total)
    for cell, row in zip(puzzle.hints, answers.without, strict=True):
        number = dlx.count(allocate(puzzle.without(cell), "candidates")).count
        assert (row.count, row.redundant) == (number, number == total)
    assert answers.redundant == sum(row.redundant for row in answers.without)
    assert answers.minimal is (answers.redundant == 0)


def test_a_limit_leaves_a_hint_open() -> None:
    stopped = Context(time_limit=1.0, deadline=0.0)
    answers = clue_ablation(Puzzle.parse(EIGHTEEN), 1, stopped)
    assert {row.count for row in answers.without} == {None}
    assert answers.minimal is None
    assert "stayed open" in hints_text(answers, Puzzle.parse(EIGHTEEN))


@pytest.mark.parametrize("seed", range(4))
def test_additions_and_pairs_against_all_solutions(seed: int) -> None:
    grid = solve(Puzzle([0] * 16)).unrank(seed * 71)
    rng = random.Random(seed)
    puzzle = grid.without(*rng.sample(range(16), 13))
    grids = np.array(searched(puzzle))
    answers = clue_additions(puzzle, solve(puzzle))
    assert answers.count == len(grids)
    for cell in range(16):
        for digit in range(1, 5):
            marginal = answers.marginals[cell // 4, cell % 4, digit - 1]
            assert marginal == (grids[:, cell] == digit).sum()
    live = {
        ((c // 4, c % 4), d) for c in range(16) for d in range(1, 5) if (grids[:, c] == d).any()
    }
    candidates = {
        ((v.key // 16, v.key // 4 % 4), v.key % 4 + 1)
        for v in allocate(puzzle, "candidates").variables
    }
    assert {(d.cell, d.digit) for d in answers.dead} == candidates - live
    for d in answers.unique:
        assert count(puzzle.with_hint(d.cell, d.digit)) == 1
    houses = puzzle.layout.houses_by_cell
    pairs = [
        (a, b)
        for a in puzzle.open_cells
        for b in puzzle.open_cells
        if a < b and not {h.cells for h in houses[a]} & {h.cells for h in houses[b]}
        if len(set(grids[:, a])) > 1 and len(set(grids[:, b])) > 1
    ]
    equal = [pair for pair in pairs if (grids[:, pair[0]] == grids[:, pair[1]]).all()]
    different = [pair for pair in pairs if (grids[:, pair[0]] != grids[:, pair[1]]).all()]
    assert [tuple(map(puzzle.layout.cell, pair)) for pair in answers.always_equal] == equal
    assert [tuple(map(puzzle.layout.cell, pair)) for pair in answers.always_different] == different


def test_pairs_say_when_they_stay_open() -> None:
    puzzle = Puzzle.parse(
        "000000010400000000020000000000050400008000300001090000000400200050100000000806000"
    )
    answers = clue_additions(puzzle, solve(puzzle, "bands"))
    assert answers.always_equal is None
    assert "always equal: open (no diagram" in hints_text(answers, puzzle)


def test_a_saved_part_of_the_solutions_keeps_the_ablation_of_its_hints() -> None:
    puzzle = Puzzle.parse("1....2.........4")
    whole = solve(puzzle)
    part = whole.given({(0, 1): 3})
    assert 0 < part.count() < whole.count()
    part.decoder = whole.decoder
    answers = hint_impact(PuzzleRecord(puzzle, saved=part))
    assert answers.count == part.count()
    assert [r.count for r in answers.without] == [count(puzzle.without(c)) for c in puzzle.hints]


def test_clue_ablation_with_many_solutions() -> None:
    """What a short search leaves is summed: the counts of a longer one, and of dancing links."""
    puzzle = Puzzle.parse(SEVENTEEN)
    found = [row.count for row in clue_ablation(puzzle, None).without]
    wider = [puzzle.without(cell) for cell in puzzle.hints]
    tally = count_many(np.array([p.masks for p in wider], dtype=np.uint16))
    assert found == tally.counts.tolist()
    fewest = wider[int(tally.counts.argmin())]
    assert dlx.count(allocate(fewest, "candidates")).count == tally.counts.min()
