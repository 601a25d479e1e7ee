"""A board that somebody plays with: the count first, then shares, each the cheapest way there is.

Of an ordinary board the count comes from narrow sums (a millisecond with 17 hints and more), the
shares from the solutions themselves while they can be listed in some hundredths of a second, and
from the bands beyond. Every other board is solved as always. What was found is kept for what is
asked next: samples, single solutions, ranks.

What stands in some solution: asked of a search, which need not visit them all.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bddsudoku.context import UNLIMITED, Context, Progress
from bddsudoku.engine.bitboard import Search
from bddsudoku.engine.bitboard import true_candidates as on_ordinary
from bddsudoku.engine.search.engine import SearchEngine
from bddsudoku.jit import kernel
from bddsudoku.puzzle.sudoku.allocation import allocate
from bddsudoku.puzzle.sudoku.grid import Puzzle
from bddsudoku.solver.ask import counted, solved
from bddsudoku.solver.question import question_of


def true_candidates(puzzle: Puzzle, context: Context = UNLIMITED) -> NDArray[np.bool_]:
    """Which digits stand in which cells in some solution.

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
        allowed: NDArray[np.bool_] = bits.astype(np.bool_)
        return allowed.reshape(n, n, n)
    model = allocate(puzzle)
    held = np.zeros(n**3, dtype=np.bool_)
    held[SearchEngine().supports(model, context)] = True
    return held.reshape(n, n, n)


LISTED = 40_000
"""Of so many solutions the shares are taken by listing them: sooner than by bands."""
_SLICE = 20_000
"""Nodes of a search between two looks at the limits: some 10 ms."""


@kernel
def _tally(rows: Any, counts: Any) -> None:
    """In how many rows a digit stands in a cell: counts[cell, digit - 1] grow."""
    for i in range(rows.shape[0]):
        for cell in range(rows.shape[1]):
            counts[cell, rows[i, cell] - 1] += 1


class LiveBoard:
    """All that is asked about one board, each answer made when it is asked for and kept.

    Not for several threads at once, for the limits are those of the latest question: a session asks
    one question after the other (:class:`bddsudoku.explore.session.Session`).

    Args:
        puzzle: of any layout, with any rules.

    Every question takes the limits of that question; one that is ended by them can be asked again.
    """

    def __init__(self, puzzle: Puzzle) -> None:
        self.puzzle = puzzle
        self._limits = Context()
        self._progress: Progress | None = None
        self._count: int | None = None
        self._rows: NDArray[np.uint8] | None = None
        self._family: Any = None

    def _under(self, context: Context) -> None:
        self._limits, self._progress = context, context.progress
        context.check()

    def _watch(self, done: float, total: float) -> None:
        """Sets outlive the question that made them: the limits are those of the latest one."""
        self._limits.reporting(self._progress).report(done, total)

    def count(self, context: Context) -> int:
        """The exact number of solutions.

        Raises:
            LimitReached: a limit ended it.
        """
        self._under(context)
        if self._count is None:
            if self.puzzle.is_ordinary:
                self._count = int(self._bands.count())
            elif self.puzzle.rules:
                # a set is needed soon, and it counts itself
                self._count = int(self._held(context).count())
            else:
                self._count = counted(self.puzzle, context=context.reporting(self._watch)).count
        return self._count

    def possible(self, context: Context) -> NDArray[np.bool_]:
        """Which digits stand where in some solution: [row, column, digit - 1].

        Raises:
            LimitReached: a limit ended it.
        """
        self._under(context)
        return true_candidates(self.puzzle, context)

    def shares(self, context: Context) -> NDArray[Any]:
        """In how many solutions a digit stands in a cell: [row, column, digit - 1].

        Raises:
            LimitReached: a limit ended it.
        """
        number, n = self.count(context), self.puzzle.n
        rows = self._listed(number)
        if rows is None:
            family = self._held(context)
            return np.asarray(family.marginals())
        counts = np.zeros((n * n, n), dtype=np.int64)
        _tally(rows, counts)
        return counts.reshape(n, n, n)

    def unrank(self, index: int, context: Context) -> Puzzle:
        """The solution with a number, from 0, in an order that the board fixes.

        Raises:
            IndexError: there are not so many.
            LimitReached: a limit ended it.
        """
        number = self.count(context)
        if not 0 <= index < number:
            raise IndexError(f"no solution has number {index}: there are {number}, from 0")
        rows = self._listed(number)
        if rows is not None:
            return self._grid(rows[index])
        grid = self._held(context).unrank(index)
        return grid if isinstance(grid, Puzzle) else self._grid(grid)

    def sample(self, context: Context) -> tuple[int, Puzzle]:
        """A solution drawn uniformly, and its number: every number is as likely as any other.

        Raises:
            IndexError: there is no solution.
            LimitReached: a limit ended it.
        """
        import secrets

        number = self.count(context)
        if not number:
            raise IndexError("there is no solution to draw")
        index = secrets.randbelow(number)
        return index, self.unrank(index, context)

    def compiled(self, context: Context) -> Any:
        """The set on a diagram, which can be saved.

        Raises:
            LimitReached: a limit ended it.
        """
        self._under(context)
        return solved(self.puzzle, "frontier", context=context.reporting(self._watch)).solutions

    @cached_property
    def _bands(self) -> Any:
        from bddsudoku.engine.bands.bandset import BandSet

        return BandSet(
            self.puzzle.masks,
            memory_limit=self._limits.memory,
            progress=self._watch,
            decoder=question_of(self.puzzle).decoder,
        )

    def _held(self, context: Context) -> Any:
        """The set as an object; of an ordinary board the bands'."""
        if self.puzzle.is_ordinary:
            return self._bands
        if self._family is None:
            self._family = solved(self.puzzle, context=context.reporting(self._watch)).solutions
        return self._family

    def _listed(self, number: int) -> NDArray[np.uint8] | None:
        """All solutions of an ordinary board that has few, in the plain order of their lines."""
        if not self.puzzle.is_ordinary or number > LISTED:
            return None
        if self._rows is None:
            search = Search(np.array(self.puzzle.masks, dtype=np.uint16))
            found = [np.empty((0, 81), dtype=np.uint8)]
            while not search.done:
                found.append(search.batch(_SLICE, _SLICE))
                self._watch(search.count, number)
            rows = np.concatenate(found)
            if len(rows) != number:
                raise AssertionError(f"{number} solutions by sums, {len(rows)} by search")
            self._rows = rows[np.lexsort(rows.T[::-1])] if len(rows) > 1 else rows
        return self._rows

    def _grid(self, row: NDArray[np.uint8]) -> Puzzle:
        return Puzzle.trusted(tuple(map(int, row)), self.puzzle.layout, self.puzzle.rules)
