"""Whether some of a puzzle's hints are enough for its set of solutions: many sets at once.

Fewer hints never lose a solution, so that they are enough exactly when they gain none. That is
asked by counting one further than the puzzle's own solutions while these are few; with many it is
cheaper to ask which digits stand in some solution, because a new solution differs from the puzzle
in a hint that was taken away.
"""

from __future__ import annotations

import time

import numpy as np
from numpy.typing import NDArray

from bddsudoku.context import Context
from bddsudoku.engine.bitboard import true_candidates as on_ordinary
from bddsudoku.puzzle.sudoku.grid import Puzzle
from bddsudoku.solver.batch import count_many
from bddsudoku.solver.live import true_candidates

Flags = NDArray[np.bool_]
"""Sets of hints, (n, hints): whether each is there."""

COUNTED = 64
"""Up to so many solutions are counted."""
SECONDS = 0.3
"""What one call for a batch should take."""


class Oracle:
    """Answers for one puzzle.

    Args:
        puzzle: of any layout, with any rules.
        count: its number of solutions.
        limits: the time, and memory of a single hard count.
        seed: of the orders in which hints are tried.

    Attributes:
        cells: the hinted cells, ascending; columns of all flags.
        removable: which hints can go one at a time.
        asked: sets asked about so far.
        batch: how many to ask about at once, so that it takes a fraction of a second.
    """

    def __init__(self, puzzle: Puzzle, count: int, context: Context, seed: int = 0) -> None:
        self.puzzle = puzzle
        self.count = count
        self.context = context
        self.rng = np.random.default_rng(seed)
        self.cells = np.array(list(puzzle.hints), dtype=np.int64)
        self.asked = 0
        self.batch = 64
        self._masks = np.array(puzzle.masks, dtype=np.uint16) if puzzle.is_ordinary else None
        self.removable: Flags = self.enough(~np.eye(len(self.cells), dtype=np.bool_))

    def enough(self, kept: Flags) -> Flags:
        """Which sets of hints have the puzzle's set of solutions: bool, (n,).

        Raises:
            LimitReached: the time is used up.
        """
        if not len(kept):
            return np.zeros(0, dtype=np.bool_)
        self.context.check("while sets of hints were tried")
        begin = time.perf_counter()
        found = self._others(kept) if self._masks is None else self._ordinary(kept, self._masks)
        seconds = time.perf_counter() - begin
        self.asked += len(kept)
        if len(kept) >= self.batch or seconds > SECONDS:
            here = len(kept) * SECONDS / max(seconds, 1e-6)
            self.batch = int(np.clip(here, 16, min(4 * self.batch, 1 << 15)))
        return found

    def _ordinary(self, kept: Flags, masks: NDArray[np.uint16]) -> Flags:
        boards = np.repeat(masks[None], len(kept), axis=0)
        given = masks[self.cells]
        boards[:, self.cells] = np.where(kept, given, np.uint16(0x1FF))
        if self.count <= COUNTED:
            counts = count_many(boards, self.count + 1, context=self.context.silent)
            return np.asarray(counts == self.count, dtype=np.bool_)
        stand = on_ordinary(boards, context=self.context)[:, self.cells]
        same: Flags = (stand == given).all(axis=1)
        return same

    def _others(self, kept: Flags) -> Flags:
        puzzles = [self.puzzle.without(*self.cells[~row].tolist()) for row in kept]
        if self.count <= COUNTED:
            counts = count_many(puzzles, self.count + 1, context=self.context.silent)
            return np.asarray(counts == self.count, dtype=np.bool_)
        return np.array([self._settles(p) for p in puzzles], dtype=np.bool_)

    def _settles(self, wider: Puzzle) -> bool:
        n = wider.n
        stand = true_candidates(wider, self.context).reshape(n * n, n)[self.cells]
        digits = np.array([self.puzzle[c] - 1 for c in self.cells.tolist()], dtype=np.int64)
        return bool((stand.sum(axis=1) == 1).all() and stand[np.arange(len(digits)), digits].all())

    def grown(self, kept: Flags) -> Flags:
        """Sets that are not enough, with more hints, so that every further one would do.

        What such a set lacks is a minimal unavoidable set: one of it must be given.
        """
        return self._walked(kept, add=True)

    def shrunk(self, kept: Flags) -> Flags:
        """Sets that are enough, with fewer hints, so that none can go: minimal ones."""
        return self._walked(kept, add=False)

    def _walked(self, kept: Flags, *, add: bool) -> Flags:
        """Try one hint after the other in random order, for all sets side by side."""
        kept = kept.copy()
        rows = np.arange(len(kept))
        open_hints = np.flatnonzero(self.removable)
        order = open_hints[np.argsort(self.rng.random((len(kept), len(open_hints))), axis=1)]
        for hint in order.T:
            rest = np.flatnonzero(kept[rows, hint] != add)
            tried = kept[rest]
            tried[np.arange(len(rest)), hint[rest]] = add
            stays = rest[self.enough(tried) != add]
            kept[stays, hint[stays]] = add
        return kept
