"""Hints for a board, however they are given."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

__all__ = ["symbols_of"]


def symbols_of(hints: Any, shape: tuple[int, int, int]) -> dict[int, int]:
    """{cell: symbol from 1} of anything that gives hints.

    Args:
        hints: {cell or (row, column): symbol}, an object with such a mapping as ``hints`` (a
            Puzzle), or an array with 0 for open cells. Everything counts from 0, symbols from 1.
        shape: rows, columns, symbols of the board.

    Raises:
        ValueError: a cell or symbol that does not exist.
    """
    rows, columns, symbols = shape
    hints = getattr(hints, "hints", hints)
    if isinstance(hints, Mapping):
        out = {}
        for place, symbol in hints.items():
            cell = place[0] * columns + place[1] if isinstance(place, tuple) else place
            inside = not isinstance(place, tuple) or (
                0 <= place[0] < rows and 0 <= place[1] < columns
            )
            if not (inside and 0 <= cell < rows * columns):
                raise ValueError(f"there is no cell {place} on a board of {rows}x{columns}")
            out[int(cell)] = int(symbol)
    else:
        array = np.asarray(hints)
        if array.size != rows * columns or not np.issubdtype(array.dtype, np.integer):
            raise ValueError(f"expected {rows * columns} symbol numbers, 0 for an open cell")
        out = {cell: s for cell, s in enumerate(array.reshape(-1).tolist()) if s}
    for cell, symbol in out.items():
        if not 1 <= symbol <= symbols:
            raise ValueError(f"expected a symbol 1 to {symbols} in cell {cell}, found {symbol}")
    return out
