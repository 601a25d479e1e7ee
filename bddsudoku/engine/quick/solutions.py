"""The solutions of one board, as many and as fast as they are asked for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bddsudoku.engine.quick.boards import Boards, one_board, states_of
from bddsudoku.engine.quick.layout import CELLS
from bddsudoku.engine.quick.search import (
    ALL,
    BOARD,
    COUNTED,
    FOUND,
    NODES,
    WRITTEN,
    new_stack,
    new_state,
    run,
)  # fmt: skip
from bddsudoku.engine.quick.tally import SLICE
from bddsudoku.limits import Limits

__all__ = ["TRIAL_NODES", "Search", "count", "first", "solutions"]

TRIAL_NODES = 20_000
"""Nodes of a short search: some 5 ms, in which most puzzles with 17 and more hints are settled."""


class Search:
    """A search of one board that can be run a piece at a time.

    Args:
        board: digits (uint8, 0 where open) or candidate masks (uint16), of shape (81,).

    Raises:
        PuzzleFormatError: an array that is no board.
    """

    def __init__(self, board: Boards) -> None:
        self._states = states_of(one_board(board))
        self._stack = new_stack()
        self._at = new_state()
        self._counts = np.zeros(1, dtype=np.uint64)
        self._exact = np.zeros(1, dtype=np.bool_)
        self._nodes = np.zeros(1, dtype=np.int64)

    @property
    def done(self) -> bool:
        """Whether all solutions have been found."""
        return int(self._at[BOARD]) == 1

    @property
    def count(self) -> int:
        """Solutions found so far."""
        return int(self._counts[0] if self.done else self._at[FOUND])

    @property
    def nodes(self) -> int:
        """States propagated so far."""
        return int(self._nodes[0] if self.done else self._at[NODES])

    def advance(self, nodes: int = SLICE) -> bool:
        """Count on for so many nodes (by default 10 ms or so); whether the search is done."""
        return self._run(np.empty((0, CELLS), dtype=np.uint8), COUNTED, nodes)

    def batch(self, size: int, nodes: int = SLICE) -> NDArray[np.uint8]:
        """The next solutions, (k, 81): at most ``size``, and what so many nodes give.

        None at all may come although there are more; :attr:`done` tells.
        """
        out = np.empty((size, CELLS), dtype=np.uint8)
        self._run(out, ALL, nodes)
        written = int(self._at[WRITTEN])
        self._at[WRITTEN] = 0
        return out[:written]

    def _run(self, out: NDArray[Any], keep: int, nodes: int) -> bool:
        done = run(
            self._states, self._stack, self._at, self._counts, self._exact, self._nodes,
            out, keep, 0, 0, nodes,
        )  # fmt: skip
        return bool(done)


def count(board: Boards, *, limits: Limits | None = None) -> int:
    """The exact number of solutions of a board, by visiting them: some 3 million a second.

    Raises:
        PuzzleFormatError: an array that is no board.
        LimitReached: the time is used up.
    """
    search, given = Search(board), limits or Limits()
    while not search.advance():
        given.check(f"after {search.count} solutions")
    return search.count


def solutions(
    board: Boards, limit: int | None = None, *, size: int = 4096, limits: Limits | None = None
) -> Iterator[NDArray[np.uint8]]:
    """All solutions of a board, or the first ones, in batches: uint8, (at most ``size``, 81).

    Which come first is decided by the search. Between batches nothing runs; memory does not grow.

    Raises:
        PuzzleFormatError: an array that is no board.
        LimitReached: the time is used up.
    """
    search, given = Search(board), limits or Limits()
    left = limit
    while not search.done and left != 0:
        found = search.batch(size if left is None else min(size, left))
        if len(found):
            left = None if left is None else left - len(found)
            yield found
        given.check(f"after {search.count} solutions")


def first(board: Boards, k: int = 1, *, limits: Limits | None = None) -> NDArray[np.uint8]:
    """The first k solutions of a board, (at most k, 81).

    Raises:
        PuzzleFormatError: an array that is no board.
        LimitReached: the time is used up.
    """
    found = list(solutions(board, k, limits=limits))
    return np.concatenate([np.empty((0, CELLS), dtype=np.uint8), *found])
