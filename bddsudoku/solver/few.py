"""Few solutions of an ordinary board, held as they are: what is asked of them needs no diagram."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from bddsudoku.engine.bitboard import TRIAL_NODES, Search
from bddsudoku.puzzle.sudoku.grid import Puzzle

FEW = 1_000
"""So many solutions are few."""


class Few:
    """All solutions as rows; answers as a set on a diagram does.

    Args:
        rows: uint8, (k, n²), digits from 1.
    """

    def __init__(self, rows: NDArray[np.uint8]) -> None:
        self.rows = rows
        self.n = round(rows.shape[1] ** 0.5)

    def given(self, hints: Mapping[int, int]) -> Few:
        """Those that agree with more hints, {cell: digit}."""
        agree = np.ones(len(self.rows), dtype=np.bool_)
        for cell, digit in hints.items():
            agree &= self.rows[:, cell] == digit
        return Few(self.rows[agree])

    def count(self) -> int:
        """Their number."""
        return len(self.rows)

    def marginals(self) -> NDArray[np.int64]:
        """In how many a digit stands in a cell: [row, column, digit - 1]."""
        digits = np.arange(1, self.n + 1, dtype=np.uint8)
        counts = np.stack([(self.rows == d).sum(axis=0) for d in digits], axis=-1)
        return counts.astype(np.int64).reshape(self.n, self.n, self.n)

    def backbone(self) -> NDArray[np.uint8]:
        """The digit that a cell has in all, 0 where they differ: [row, column]."""
        first = self.rows[0] if len(self.rows) else np.zeros(self.n**2, np.uint8)
        return np.where((self.rows == first).all(axis=0), first, 0).reshape(self.n, self.n)

    def always_equal(self) -> NDArray[np.int64]:
        """Pairs of cells with the same digit in all: (pairs, 2), ascending."""
        return self._pairs(equal=True)

    def always_different(self) -> NDArray[np.int64]:
        """Pairs of cells with different digits in all, those of a house among them."""
        return self._pairs(equal=False)

    def _pairs(self, *, equal: bool) -> NDArray[np.int64]:
        first, second = np.triu_indices(self.rows.shape[1], 1)
        always = ((self.rows[:, first] == self.rows[:, second]) == equal).all(axis=0)
        return np.stack([first[always], second[always]], axis=1)[: None if len(self.rows) else 0]


def few_solutions(puzzle: Puzzle) -> Few | None:
    """All solutions of an ordinary board where a short search finds them; else None."""
    if not puzzle.is_ordinary:
        return None
    search = Search(np.array(puzzle.masks, dtype=np.uint16))
    rows = search.batch(FEW + 1, TRIAL_NODES)
    return Few(rows) if search.done and len(rows) <= FEW else None
