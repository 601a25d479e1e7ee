"""Grid boards as frontier specs see them: edges and their keys, the eight pictures, balance."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

Pairs = Sequence[tuple[int, int]]
"""Cell numbers, ``row * width + column``, of the two terminals of every pair."""


def unbalanced(width: int, height: int, pairs: Pairs) -> bool:
    """Whether the chessboard forbids covering the board with paths between these cells.

    A path between two black cells covers one black cell more than white ones, one between a black
    and a white cell as many of either.
    """
    colour = sum(1 if sum(divmod(cell, width)) % 2 == 0 else -1 for p in pairs for cell in p)
    return colour != 2 * (width * height % 2)


def edge_labels(width: int, height: int, symmetry: int) -> tuple[NDArray[np.int64], int, int]:
    """Keys of the edges right of and below every cell of the transformed board, and its sides.

    The key of an edge is ``2 * cell`` for the one to the right of a cell of the given board and
    ``2 * cell + 1`` for the one below it.

    Args:
        width: cells in a row of the given board.
        height: its rows.
        symmetry: 0 … 7; bit 0 mirrors the columns, bit 1 the rows, then bit 2 transposes.

    Returns:
        int64 array, shape (rows, columns, 2), -1 where there is no edge; columns; rows.
    """
    columns, rows = (height, width) if symmetry & 4 else (width, height)
    old = _original(width, height, symmetry)
    keys = np.full((rows, columns, 2), -1, np.int64)
    for way, (a, b) in enumerate(((old[:, :-1], old[:, 1:]), (old[:-1], old[1:]))):
        least = np.minimum(a, b)
        key = 2 * least + (np.abs(a - b) != 1) if width > 1 else 2 * least + 1
        keys[: a.shape[0], : a.shape[1], way] = key
    return keys, columns, rows


def _original(width: int, height: int, symmetry: int) -> NDArray[np.int64]:
    """For every cell of the transformed board the number of the given board's cell there."""
    old = np.arange(width * height, dtype=np.int64).reshape(height, width)
    if symmetry & 1:
        old = old[:, ::-1]
    if symmetry & 2:
        old = old[::-1]
    return old.T if symmetry & 4 else old


def placed(width: int, height: int, pairs: Pairs, symmetry: int) -> tuple[tuple[int, int], ...]:
    """The pairs as cells of the transformed board, each ascending."""
    new = np.empty(width * height, np.int64)
    new[_original(width, height, symmetry).reshape(-1)] = np.arange(width * height)
    return tuple((int(min(new[a], new[b])), int(max(new[a], new[b]))) for a, b in pairs)


def blocks(
    keys: NDArray[np.int64], terminal: NDArray[np.int64]
) -> tuple[
    NDArray[np.int64], tuple[tuple[tuple[int, ...], ...], ...], NDArray[np.int64], NDArray[np.int32]
]:
    """What :class:`bddsudoku.engine.frontier.spec.Spec` wants to know about cells as levels.

    Args:
        keys: of the edges right of and below every cell, from :func:`edge_labels`.
        terminal: shape (rows, columns); not 0 in the cells of terminals.

    Returns:
        What every choice of a level draws (bit 0 right, bit 1 down), shape (levels, 4); the choices
        as subsets; the labels; the first variable of every level.
    """
    flat = keys.reshape(-1, 2)
    inside = flat >= 0
    first = np.zeros(len(flat) + 1, np.int32)
    np.cumsum(inside.sum(axis=1), out=first[1:])
    kinds = (inside[:, 0] + 2 * inside[:, 1] + 4 * (terminal.reshape(-1) > 0)).tolist()
    tables = [_cell(kind) for kind in range(8)]
    picks = np.array([row for row, _ in tables], np.int64)[kinds]
    return picks, tuple(tables[kind][1] for kind in kinds), flat[inside], first


def _cell(kind: int) -> tuple[list[int], tuple[tuple[int, ...], ...]]:
    """Picks and choices of a cell: bit 0 an edge to the right, bit 1 one down, bit 2 a terminal."""
    ways = [way for way in (0, 1) if kind >> way & 1]
    possible = [0, *(1 << way for way in ways)]
    if kind == 3:
        possible.append(3)
    row = [*possible, 0, 0, 0][:4]
    return row, tuple(tuple(i for i, way in enumerate(ways) if p >> way & 1) for p in possible)
