"""Queries about one interactively edited board, each answered in the cheapest way and cached.

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
from bddsudoku.engine.bitboard import true_candidates as on_ordinary
from bddsudoku.engine.bitboard.batch import solutions
from bddsudoku.engine.search.engine import SearchEngine
from bddsudoku.jit.decorators import AnyArray, Flags
from bddsudoku.puzzle.sudoku.allocation import allocate
from bddsudoku.puzzle.sudoku.decode import SudokuDecoder
from bddsudoku.puzzle.sudoku.grid import Puzzle
from bddsudoku.sets.listedset import ListedSet
from bddsudoku.solver.ask import counted, solved


def true_candidates(puzzle: Puzzle, context: Context = UNLIMITED) -> Flags:
    """The true candidates: which digits stand in which cells in some solution.

    Args:
        puzzle: of any layout, with any rules.

    Returns:
        bool, (n, n, n): [row, column, digit - 1]; all False without a solution.

    Raises:
        LimitReached: the time was used up.

    Cost: a search for each candidate that no solution found before holds: milliseconds for a
    puzzle with few solutions, and for most with many.
    """
    n = puzzle.n
    if puzzle.is_ordinary:
        masks = on_ordinary(np.array([puzzle.masks], dtype=np.uint16), context=context)[0]
        bits = masks[:, None] >> np.arange(n, dtype=np.uint16) & 1
        allowed: Flags = bits.astype(np.bool_)
        return allowed.reshape(n, n, n)
    model = allocate(puzzle)
    held = np.zeros(n**3, dtype=np.bool_)
    held[SearchEngine().supports(model, context)] = True
    return held.reshape(n, n, n)


LISTED = 40_000
"""Number of solutions up to which listing them for marginals is faster than bands."""


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

    def _under(self, context: Context) -> None:
        context.check()
        self._context = context

    def _watch(self, done: float, total: float) -> None:
        """Check the limits of the latest query, in sets that an earlier query has made."""
        self._context.report(done, total)

    @property
    def _watched(self) -> Context:
        return self._context.reporting(self._watch)

    def count(self, context: Context) -> int:
        """The exact number of solutions."""
        self._under(context)
        return self._number

    def possible(self, context: Context) -> Flags:
        """The true candidates: bool [row, column, digit - 1]."""
        self._under(context)
        return true_candidates(self.puzzle, context)

    def shares(self, context: Context) -> AnyArray:
        """The marginals: number of solutions by [row, column, digit - 1]."""
        self._under(context)
        return np.asarray(self._family.marginals())

    def unrank(self, index: int, context: Context) -> Puzzle:
        """The solution with a given rank, from 0, in an order that depends only on the board.

        Raises:
            IndexError: the rank is negative, or not below the count.
        """
        self._under(context)
        if not 0 <= index < self._number:
            raise IndexError(f"no solution has number {index}: there are {self._number}, from 0")
        grid: Puzzle = self._family.unrank(index)
        return grid

    def sample(self, context: Context) -> tuple[int, Puzzle]:
        """A uniformly drawn solution, with its rank: (rank, solution).

        Raises:
            IndexError: there is no solution.
        """
        number = self.count(context)
        if not number:
            raise IndexError("there is no solution to draw")
        index = randbelow(number)
        return index, self.unrank(index, context)

    def compiled(self, context: Context) -> Any:
        """The solution set compiled to a diagram, which can be saved."""
        self._under(context)
        return solved(self.puzzle, "frontier", context=self._watched).solutions

    @cached_property
    def _number(self) -> int:
        if self.puzzle.is_ordinary:
            return int(self._bands.count())
        if self.puzzle.rules:  # a set is needed soon, and it counts itself
            return int(self._family.count())
        return counted(self.puzzle, context=self._watched).count

    @cached_property
    def _bands(self) -> Any:
        from bddsudoku.engine.bands.bandset import BandSet

        return BandSet(
            self.puzzle.masks,
            memory_limit=self._context.memory,
            progress=self._watch,
            decoder=SudokuDecoder(self.puzzle),
        )

    @cached_property
    def _family(self) -> Any:
        """The solution set; of a classic board a BandSet, or a ListedSet for few solutions."""
        if not self.puzzle.is_ordinary:
            return solved(self.puzzle, context=self._watched).solutions
        return self._bands if self._number > LISTED else self._listed()

    def _listed(self) -> ListedSet:
        """The set of all solutions of a classic board as a list, in lexicographic order."""
        masks = np.array(self.puzzle.masks, dtype=np.uint16)
        found = solutions(masks, context=self._context.silent)
        rows = np.concatenate([np.empty((0, 81), dtype=np.uint8), *found])
        if len(rows) != self._number:
            raise AssertionError(f"{self._number} solutions by sums, {len(rows)} by search")
        return ListedSet(rows[np.lexsort(rows.T[::-1])], SudokuDecoder(self.puzzle))
