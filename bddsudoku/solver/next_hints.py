"""The best next hints of a puzzle, and the fewest hints that make its solution unique.

Everything comes from the solution set. The number of solutions left by a hint is its marginal k. If
a cell's digit is taken from one of the N solutions at random, Σ k² / N solutions are left on
average and the greatest k at worst. Hints that make the solution unique are found greedily, by the
hint that leaves fewest solutions; that fewer do not suffice is proved, for few solutions, by trying
all single hints, all pairs, all triples …
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import TYPE_CHECKING

import numpy as np

from bddsudoku.engine.calibration import FEW_SOLUTIONS
from bddsudoku.puzzle.sudoku.grid import Puzzle
from bddsudoku.puzzle.sudoku.layout import Layout
from bddsudoku.puzzle.sudoku.places import Place
from bddsudoku.sets.diagram_set import DiagramSet
from bddsudoku.sets.grid_family import GridFamily
from bddsudoku.solver.answers import CountedHint, FewestHints, Hint, NextCell, NextHints

if TYPE_CHECKING:
    from bddsudoku.jit.decorators import U8, Flags

MAX_BEST_HINTS = 24
"""Number of best hints that are listed."""
MAX_GREEDY_COUNT = 10**9
"""Limit of the greedy choice: larger sets are not reduced hint by hint, unless on a diagram."""
MAX_PROOF_STEPS = 2e9
"""Multiplications that a proof may take: about a second."""


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
    low = min(len(chosen), 1)
    if total <= FEW_SOLUTIONS:
        rows, values = solutions.to_numpy(), puzzle.layout.values
        low, found = _bound_fewest_hints(rows, values, len(chosen))
        chosen = found or chosen
    elif len(chosen) > 1:  # one hint that leaves one solution would have been taken
        low = 2
    hints = tuple(Hint(*place_and_digit(key, puzzle.layout)) for key in sorted(chosen))
    return FewestHints(hints, at_most=len(hints), at_least=low, exact=low == len(hints))


def _bound_fewest_hints(rows: U8, values: range, known_size: int) -> tuple[int, list[int]]:
    """Find fewer than ``known_size`` hints for a unique solution, or prove a lower bound.

    Returns the lower bound and keys of hints; no keys unless fewer than ``known_size`` suffice.
    """
    holds = (rows[:, :, None] == np.array(values)).reshape(len(rows), -1)
    columns = np.flatnonzero(holds.any(axis=0) & ~holds.all(axis=0))
    _, first = np.unique(holds[:, columns], axis=1, return_index=True)
    columns = columns[np.sort(first)]
    held = holds[:, columns]
    work = 0.0
    for size in range(1, known_size):
        work += len(columns) ** max(size, 1) * len(rows)
        if work > MAX_PROOF_STEPS:
            return size, []
        if found := _find_isolating_columns(held, size, 0):
            return size, columns[found].tolist()
    return known_size, []


def _find_isolating_columns(held: Flags, size: int, begin: int) -> Sequence[int]:
    """Find ``size`` columns such that only one row has all of them set; empty if there are none."""
    if size == 1:
        alone = np.flatnonzero(held[:, begin:].sum(axis=0) == 1)
        return [begin + int(alone[0])] if len(alone) else []
    for column in range(begin, held.shape[1]):
        rows = held[held[:, column]]
        if found := _find_isolating_columns(rows, size - 1, column + 1):
            return [column, *found]
    return []
