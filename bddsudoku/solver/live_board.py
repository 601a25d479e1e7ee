"""Count, marginals and solutions of an interactive board, computed on demand and cached.

On a classic board the count comes from direct sums by bands (a millisecond with 17 hints and more);
the marginals come from the listed solutions if there are few, otherwise from bands. Every other
board is solved by the engine that fits. Results are cached for the next queries: samples, single
solutions, ranks.

True candidates come from a search that need not visit all solutions.
"""

from __future__ import annotations

from functools import cached_property
from secrets import randbelow
from typing import Any

import numpy as np

from bddsudoku.context import UNLIMITED, Context
from bddsudoku.engine.bitboard import true_candidates as classic_true_candidates
from bddsudoku.engine.calibration import LIVE_SOLUTIONS, MAX_SEARCH_NODES
from bddsudoku.engine.portfolio import list_few_solutions
from bddsudoku.engine.search.engine import SearchEngine
from bddsudoku.jit.decorators import AnyArray, Flags
from bddsudoku.puzzle.sudoku.grid import Puzzle
from bddsudoku.puzzle.sudoku.sudoku_decoder import SudokuDecoder
from bddsudoku.puzzle.sudoku.sudoku_model import allocate
from bddsudoku.sets.listedset import ListedSet
from bddsudoku.solver.dispatch import count_detailed, solve_detailed


def true_candidates(puzzle: Puzzle, context: Context = UNLIMITED) -> Flags:
    """The true candidates: which digits stand in which cells in some solution.

    Args:
        puzzle: of any layout, with any rules.

    Returns:
        bool, (rows, columns, digits): [row, column, digit - 1]; all False without a solution.

    Raises:
        LimitReached: the time was used up.

    Cost: a search for each candidate that no solution found before holds: milliseconds for a
    puzzle with few solutions, and for most with many.
    """
    layout = puzzle.layout
    shape = layout.row_count, layout.column_count, layout.digit_count
    if puzzle.is_classic:
        masks = classic_true_candidates(np.array([puzzle.masks], dtype=np.uint16), context=context)[
            0
        ]
        bits = masks[:, None] >> np.arange(shape[2], dtype=np.uint16) & 1
        allowed: Flags = bits.astype(np.bool_)
        return allowed.reshape(shape)
    model = allocate(puzzle)
    held = np.zeros(shape, dtype=np.bool_)
    held.reshape(-1)[SearchEngine().supports(model, context)] = True
    return held


class LiveBoard:
    """A board whose count, marginals and solutions are computed on demand and cached.

    Not thread-safe, because the limits are those of the latest query: a session makes one query
    after the other (:class:`bddsudoku.explore.session.Session`).

    Every method raises LimitReached where a limit ended it.

    Args:
        puzzle: of any layout, with any rules.
    """

    def __init__(self, puzzle: Puzzle) -> None:
        self.puzzle = puzzle
        self._context = UNLIMITED

    def _check_and_keep_limits(self, context: Context) -> None:
        """Check the limits of a new query, and keep them for the computations that answer it."""
        context.check()
        self._context = context

    def _check_and_report_progress(self, done: float, total: float) -> None:
        """Callback of cached solution sets: check the latest query's limits, report progress."""
        self._context.check_and_report(done, total)

    @property
    def _latest_query_context(self) -> Context:
        """The context of cached sets: whenever checked, it checks the latest query's limits."""
        return self._context.with_progress(self._check_and_report_progress)

    def count(self, context: Context) -> int:
        """The exact number of solutions."""
        self._check_and_keep_limits(context)
        return self._cached_count

    def true_candidates(self, context: Context) -> Flags:
        """The true candidates, as a bool array [row, column, digit - 1]."""
        self._check_and_keep_limits(context)
        return true_candidates(self.puzzle, context)

    def marginals(self, context: Context) -> AnyArray:
        """The number of solutions with each digit in each cell, as [row, column, digit - 1]."""
        self._check_and_keep_limits(context)
        return np.asarray(self._solution_set.marginals())

    def unrank(self, index: int, context: Context) -> Puzzle:
        """The solution with a given rank, from 0, in an order that depends only on the board.

        Raises:
            IndexError: the rank is negative, or not below the count.
        """
        self._check_and_keep_limits(context)
        if not 0 <= index < self._cached_count:
            raise IndexError(
                f"no solution has number {index}: there are {self._cached_count}, from 0"
            )
        grid: Puzzle = self._solution_set.unrank(index)
        return grid

    def sample(self, context: Context) -> tuple[int, Puzzle]:
        """A pair (rank, solution) for a uniformly drawn solution.

        Raises:
            IndexError: there is no solution.
        """
        number = self.count(context)
        if not number:
            raise IndexError("there is no solution to draw")
        index = randbelow(number)
        return index, self.unrank(index, context)

    def compile_diagram(self, context: Context) -> Any:
        """The solution set compiled to a diagram, which can be saved."""
        self._check_and_keep_limits(context)
        return solve_detailed(self.puzzle, "frontier", context=self._latest_query_context).solutions

    @cached_property
    def _cached_count(self) -> int:
        """The exact number of solutions, cached."""
        if self.puzzle.is_classic:
            return int(self._band_set.count())
        if self.puzzle.rules:  # a set is needed soon, and it counts itself
            return int(self._solution_set.count())
        return count_detailed(self.puzzle, context=self._latest_query_context).count

    @cached_property
    def _band_set(self) -> Any:
        """The BandSet of a classic board's solutions, cached."""
        from bddsudoku.engine.bands.band_set import BandSet

        return BandSet(
            self.puzzle.masks,
            memory_limit=self._context.memory,
            progress=self._check_and_report_progress,
            decoder=SudokuDecoder(self.puzzle),
        )

    @cached_property
    def _solution_set(self) -> Any:
        """The solution set: for a classic board a BandSet, or a ListedSet if the set is small."""
        if not self.puzzle.is_classic:
            return solve_detailed(self.puzzle, context=self._latest_query_context).solutions
        rows = list_few_solutions(self.puzzle.masks, LIVE_SOLUTIONS, MAX_SEARCH_NODES)
        if rows is None:
            return self._band_set
        return ListedSet(rows[np.lexsort(rows.T[::-1])], SudokuDecoder(self.puzzle))
