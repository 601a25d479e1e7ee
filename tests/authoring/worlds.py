"""Grids and puzzles to try things on, and brute force over all subsets of hints."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
import pytest

from bddsudoku import Layout, Puzzle
from bddsudoku.engine import dlx
from bddsudoku.puzzle.sudoku.sudoku_model import allocate
from bddsudoku.sets.solutionset import SolutionSet
from bddsudoku.solver.dispatch import iterate_solution_keys

Family = frozenset[frozenset[int]]
"""Sets of cells."""


def seeds(few: int, all_of_them: int) -> list[Any]:
    """Seeds from 0; a fast run takes the first few."""
    rest = range(few, all_of_them)
    return [*range(few), *(pytest.param(seed, marks=pytest.mark.slow) for seed in rest)]


@cache
def grid(layout: Layout, seed: int) -> Puzzle:
    """Some grid of a board."""
    empty = Puzzle([0] * layout.cell_count, layout)
    (keys,) = iterate_solution_keys(empty, limit=1, seed=seed)
    return Puzzle([k % layout.n + 1 for k in keys.tolist()], layout)


def count(puzzle: Puzzle, limit: int) -> int:
    """Count by dancing links, up to a limit."""
    model = allocate(puzzle, "candidates")
    return 0 if model.is_contradictory else dlx.count(model, limit=limit).count


def thinned(whole: Puzzle, removable: int, seed: int, solutions: int = 1) -> Puzzle:
    """A puzzle of a grid with at most so many hints that can go one at a time.

    Args:
        whole: the grid.
        removable: hints that can go.
        seed: decides which ones go.
        solutions: go on until there are more than so many, at least.
    """
    rng = np.random.default_rng(seed)
    puzzle = whole
    for cell in rng.permutation(whole.layout.cell_count)[::2].tolist():  # most of these can go
        if count(puzzle.without(cell), 2) == 1:
            puzzle = puzzle.without(cell)
    total, can_go = 1, [*puzzle.hints]
    while True:
        # what cannot go cannot go with fewer hints, either
        can_go = [c for c in can_go if count(puzzle.without(c), total + 1) == total]
        if total >= solutions and len(can_go) <= removable:
            return puzzle
        if total >= solutions:
            gone = int(rng.choice(can_go))
            can_go.remove(gone)
            puzzle = puzzle.without(gone)
        else:
            puzzle = puzzle.without(int(rng.choice([*puzzle.hints])))
            total, can_go = count(puzzle, 10_000), [*puzzle.hints]


def cells_of(family: SolutionSet) -> Family:
    """A family of puzzles as sets of hinted cells."""
    return frozenset(frozenset(puzzle.hints) for puzzle in family)


def check_minimal(puzzle: Puzzle) -> None:
    """One solution, by a counter that took no part; without any of its hints there are two."""
    assert count(puzzle, 2) == 1
    assert all(count(puzzle.without(cell), 2) == 2 for cell in puzzle.hints)


def enough_by_counting(puzzle: Puzzle) -> tuple[Family, Family]:
    """All subsets of the hints with the same number of solutions, and the minimal ones.

    Every subset that holds the hints that cannot go is counted.
    """
    total = count(puzzle, 10_000)
    cells = list(puzzle.hints)
    can_go = [c for c in cells if count(puzzle.without(c), total + 1) == total]
    found = set()
    for bits in range(1 << len(can_go)):
        gone = [c for i, c in enumerate(can_go) if bits >> i & 1]
        if count(puzzle.without(*gone), total + 1) == total:
            found.add(frozenset(cells) - frozenset(gone))
    return frozenset(found), least(found)


def least(family: set[frozenset[int]] | Family) -> Family:
    """Members of a family closed upwards from which nothing can be left out."""
    return frozenset(s for s in family if not any(s - {c} in family for c in s))


def enough_by_listing(
    puzzle: Puzzle, grids: Sequence[Sequence[int]]
) -> tuple[set[int], set[int], list[int]]:
    """The same from all grids of a board: subsets as numbers, bit i for the i-th hint.

    Returns:
        All subsets that are enough, the minimal ones, and the hinted cells.
    """
    cells = list(puzzle.hints)
    digits = np.array([puzzle[c] for c in cells], dtype=np.int64)
    same = (np.array(grids)[:, cells] == digits) @ (1 << np.arange(len(cells)))
    full = (1 << len(cells)) - 1
    subsets = np.arange(full + 1)
    enough = np.ones(full + 1, dtype=bool)
    for other in np.unique(same[same != full]).tolist():
        enough &= subsets & ~other != 0
    small = enough.copy()
    for i in range(len(cells)):
        small &= ~((subsets >> i & 1 == 1) & enough[subsets & ~(1 << i)])
    return set(subsets[enough].tolist()), set(subsets[small].tolist()), cells
