from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from oracles import four_by_four

from bddsudoku import Puzzle, solve
from bddsudoku.sets.listedset import ListedSet
from bddsudoku.solver.next_hints import best_next_hints

FOUR = np.array(four_by_four(), dtype=np.uint8)


def puzzles() -> list[Puzzle]:
    rng = np.random.default_rng(5)
    found = []
    for _ in range(25):
        grid = FOUR[rng.integers(288)]
        kept = rng.random(16) < rng.choice([0.1, 0.2, 0.3])
        found.append(Puzzle(np.where(kept, grid, 0).tolist()))
    return found


def solutions_of(puzzle: Puzzle) -> np.ndarray:
    hints = puzzle.hints
    cells, digits = list(hints), list(hints.values())
    return FOUR[(FOUR[:, cells] == digits).all(axis=1)]


def fewest(rows: np.ndarray) -> int:
    """Hints that leave one row, by trying all sets of cells."""
    for size in range(17):
        for cells in combinations(range(16), size):
            _, counts = np.unique(rows[:, cells], axis=0, return_counts=True)
            if len(rows) == 1 or (size and (counts == 1).any()):
                return size
    raise AssertionError


@pytest.mark.parametrize("puzzle", puzzles(), ids=lambda p: p.line)
def test_by_all_solutions(puzzle: Puzzle) -> None:
    rows = solutions_of(puzzle)
    answers = best_next_hints(puzzle, solve(puzzle))
    if len(rows) < 2:
        assert answers is None
        return
    by_cell = {}
    least = len(rows)
    for cell in puzzle.open_cells:
        counts = np.bincount(rows[:, cell], minlength=5)[1:]
        least = min(least, *(int(k) for k in counts if k))
        if (counts > 0).sum() > 1:
            by_cell[divmod(cell, 4)] = (
                Fraction(int((counts**2).sum()), len(rows)),
                int(counts.max()),
            )
    assert {row.cell for row in answers.cells} == set(by_cell)
    for row in answers.cells:
        expected, worst = by_cell[row.cell]
        assert abs(Fraction(row.expected) - expected) <= Fraction(1, 200)
        assert row.worst == worst
    assert by_cell[answers.expected][0] == min(e for e, _ in by_cell.values())
    assert by_cell[answers.worst][1] == min(w for _, w in by_cell.values())
    assert {hint.count for hint in answers.hints} == {least}
    way = answers.shortest
    assert way.at_least <= fewest(rows) <= way.at_most == len(way.hints)
    if way.exact:
        assert way.at_most == fewest(rows)
    for hint in way.hints:
        rows = rows[rows[:, puzzle.layout.cell(hint.cell)] == hint.digit]
    assert len(rows) == 1


def test_few_solutions_and_a_diagram_agree() -> None:
    for puzzle in puzzles():
        few = ListedSet(solutions_of(puzzle))
        assert best_next_hints(puzzle, few) == best_next_hints(puzzle, solve(puzzle))
