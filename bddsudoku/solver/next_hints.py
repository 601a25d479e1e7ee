"""The best next hints of a puzzle, and the fewest hints that make its solution unique.

Everything comes from the solution set. The number of solutions left by a hint is its marginal k. If
a cell's digit is taken from one of the N solutions at random, Σ k² / N solutions are left on
average and the greatest k at worst. Hints that make the solution unique are found greedily, by the
hint that leaves fewest solutions; that fewer do not suffice is proved, for few solutions, by trying
all single hints, all pairs, all triples …
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from bddsudoku.engine.calibration import FEW_SOLUTIONS
from bddsudoku.puzzle.sudoku.grid import Puzzle
from bddsudoku.puzzle.sudoku.layout import Layout
from bddsudoku.sets.diagram_set import DiagramSet
from bddsudoku.sets.solution_family import GridFamily

if TYPE_CHECKING:
    from bddsudoku.jit.decorators import U8, Flags

MAX_BEST_HINTS = 24
"""Number of best hints that are listed."""
MAX_GREEDY_COUNT = 10**9
"""Limit of the greedy choice: larger sets are not reduced hint by hint, unless on a diagram."""
MAX_PROOF_STEPS = 2e9
"""Multiplications that a proof may take: about a second."""


def best_next_hints(puzzle: Puzzle, solutions: GridFamily) -> dict[str, Any]:
    """Find hints and cells that leave few solutions, and the fewest hints for a unique solution.

    Returns:
        ``next``: None where there are no two solutions; otherwise ``hints``: those that leave
        fewest, {cell, digit, count}, the first of them; ``cells``: all that are not settled,
        {cell, expected, worst}, decimal strings, best on average first; ``expected``, ``worst``:
        the cells that are best on average and at worst; ``shortest``: hints that leave one
        solution: {hints, at_most, at_least, exact}; None where the set is too large to look.
    """
    total = solutions.count()
    if total < 2:
        return {"next": None}
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
    return {
        "next": {
            "hints": [hint_record(key, layout) | {"count": str(fewest)} for key in best],
            "cells": [
                {
                    "cell": layout.cell_name(cell),
                    "expected": _format_quotient(squares, total),
                    "worst": str(worst),
                }
                for squares, cell, worst in rows
            ],
            "expected": layout.cell_name(rows[0][1]),
            "worst": layout.cell_name(min((worst, cell) for _, cell, worst in rows)[1]),
            "shortest": fewest_hints_to_unique(puzzle, solutions),
        }
    }


def hint_record(key: int, layout: Layout) -> dict[str, Any]:
    """A hint as JSON members ``cell`` and ``digit``, from its key ``cell * n + index of digit``."""
    cell, digit = divmod(key, layout.digit_count)
    return {"cell": layout.cell_name(cell), "digit": layout.values[digit]}


def _format_quotient(numerator: int, denominator: int) -> str:
    """The text of a quotient, rounded to two decimal places."""
    whole, part = divmod((200 * numerator + denominator) // (2 * denominator), 100)
    return f"{whole}.{part:02d}"


def fewest_hints_to_unique(puzzle: Puzzle, solutions: GridFamily) -> dict[str, Any] | None:
    """Find few hints that make the solution unique, and a lower bound on how many are needed.

    Returns:
        ``hints``: {cell, digit}; ``at_most``: their number; ``at_least``: fewer cannot do;
        ``exact``: whether both agree. None for a set too large to look.
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
    return {
        "hints": [hint_record(key, puzzle.layout) for key in sorted(chosen)],
        "at_most": len(chosen),
        "at_least": low,
        "exact": low == len(chosen),
    }


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
