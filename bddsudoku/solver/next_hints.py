"""The best next hints of a puzzle, and few hints that make its solution unique.

Everything comes from the solution set. The number of solutions left by a hint is its marginal k. If
a cell's digit is taken from one of the N solutions at random, Σ k² / N solutions are left on
average and the greatest k at worst. Hints that make the solution unique are found greedily, by the
hint that leaves fewest solutions; where one is enough, it is found.
"""

from __future__ import annotations

from decimal import Decimal

import numpy as np

from bddsudoku.puzzle.sudoku.grid import Puzzle
from bddsudoku.puzzle.sudoku.layout import Layout
from bddsudoku.puzzle.sudoku.places import Place
from bddsudoku.sets.diagram_set import DiagramSet
from bddsudoku.sets.grid_family import GridFamily
from bddsudoku.solver.answers import CountedHint, FewestHints, Hint, NextCell, NextHints

MAX_BEST_HINTS = 24
"""Number of best hints that are listed."""
MAX_GREEDY_COUNT = 10**9
"""Limit of the greedy choice: larger sets are not reduced hint by hint, unless on a diagram."""


def best_next_hints(puzzle: Puzzle, solutions: GridFamily) -> NextHints | None:
    """Find hints and cells that leave few solutions, and the fewest hints for a unique solution.

    Returns None where there are no two solutions.
    """
    total = solutions.count()
    if total < 2:
        return None
    layout, counts = puzzle.layout, solutions.marginals()
    by_cell = counts.reshape(layout.cell_count, -1)
    rows = []
    for cell in puzzle.open_cells:
        left = [int(k) for k in by_cell[cell].tolist() if k]
        if len(left) > 1:
            rows.append((sum(k * k for k in left), cell, max(left)))
    rows.sort()
    fewest = min(int(k) for k in counts.reshape(-1).tolist() if k)
    best = np.flatnonzero(counts == fewest)[:MAX_BEST_HINTS].tolist()
    places = [layout.places[cell] for _, cell, _ in rows]
    return NextHints(
        hints=tuple(CountedHint(*place_and_digit(key, layout), fewest) for key in best),
        cells=tuple(
            NextCell(cell, _rounded_quotient(squares, total), worst)
            for cell, (squares, _, worst) in zip(places, rows, strict=True)
        ),
        expected=places[0],
        worst=layout.places[min((worst, cell) for _, cell, worst in rows)[1]],
        shortest=fewest_hints_to_unique(puzzle, solutions),
    )


def place_and_digit(key: int, layout: Layout) -> tuple[Place, int]:
    """The cell and the digit of a hint, from its key ``cell * n + index of digit``."""
    cell, digit = divmod(key, layout.digit_count)
    return layout.places[cell], layout.values[digit]


def _rounded_quotient(numerator: int, denominator: int) -> Decimal:
    """A quotient, rounded to two decimal places."""
    whole, part = divmod((200 * numerator + denominator) // (2 * denominator), 100)
    return Decimal(f"{whole}.{part:02d}")


def fewest_hints_to_unique(puzzle: Puzzle, solutions: GridFamily) -> FewestHints | None:
    """Find few hints that make the solution unique, and a lower bound on how many are needed.

    Returns None for a set too large to look.
    """
    total, n = solutions.count(), puzzle.layout.digit_count
    if total > MAX_GREEDY_COUNT and not isinstance(solutions, DiagramSet):
        return None
    subset = solutions
    chosen: list[int] = []
    while subset.count() > 1:
        counts = subset.marginals().reshape(-1)
        key = min((int(k), key) for key, k in enumerate(counts.tolist()) if k)[1]
        chosen.append(key)
        subset = subset.given({key // n: puzzle.layout.values[key % n]})
    low = min(len(chosen), 2)  # one hint that leaves one solution would have been taken
    hints = tuple(Hint(*place_and_digit(key, puzzle.layout)) for key in sorted(chosen))
    return FewestHints(hints, at_most=len(hints), at_least=low, exact=low == len(hints))
