"""Boards as arrays: what is taken, and what is not."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bddsudoku.engine.quick.layout import CELLS, DIGITS, STATE
from bddsudoku.engine.quick.search import fill_states
from bddsudoku.errors import PuzzleFormatError

__all__ = ["Boards", "boards_of", "one_board", "states_of"]

Boards = NDArray[np.uint8] | NDArray[np.uint16]
"""Digits (uint8, 0 where open) or candidate masks (uint16, bit d - 1 for digit d), (n, 81)."""

_ALL = (1 << DIGITS) - 1


def boards_of(boards: NDArray[Any]) -> Boards:
    """Boards as the kernels want them; copied only if they are not contiguous.

    Raises:
        PuzzleFormatError: another shape, another type, or a number that is none of the board's.
    """
    if boards.ndim != 2 or boards.shape[1] != CELLS:
        raise PuzzleFormatError(f"expected boards of shape (n, {CELLS}), found {boards.shape}")
    if boards.dtype not in (np.uint8, np.uint16):
        raise PuzzleFormatError(
            f"expected digits (uint8) or candidate masks (uint16), found {boards.dtype}"
        )
    most = DIGITS if boards.dtype == np.uint8 else _ALL
    if len(boards) and int(boards.max()) > most:
        where = int(np.argmax((boards > most).any(axis=1)))
        what = "digits from 0 to" if boards.dtype == np.uint8 else "candidate masks up to"
        raise PuzzleFormatError(
            f"board {where}: expected {what} {most}, found {boards[where].max()}"
        )
    return np.ascontiguousarray(boards)


def one_board(board: NDArray[Any]) -> Boards:
    """A single board, of shape (81,), as an array of one.

    Raises:
        PuzzleFormatError: as :func:`boards_of`.
    """
    if board.shape != (CELLS,):
        raise PuzzleFormatError(f"expected a board of shape ({CELLS},), found {board.shape}")
    return boards_of(board[None])


def states_of(boards: Boards) -> NDArray[np.uint64]:
    """Boards as the search's states, (n, 18)."""
    states = np.empty((len(boards), STATE), dtype=np.uint64)
    fill_states(boards, states)
    return states
