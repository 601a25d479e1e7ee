"""Boards of 4×4 cells, all of them: what puzzles there are, by plain counting."""

from __future__ import annotations

from functools import lru_cache
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

__all__ = ["grids", "has_one_solution"]


@lru_cache(maxsize=1)
def grids() -> NDArray[np.uint8]:
    """The 288 grids, (288, 16), row by row."""
    found: list[list[int]] = []

    def add(rows: list[tuple[int, ...]]) -> None:
        if len(rows) == 4:
            found.append([d for row in rows for d in row])
            return
        for row in permutations((1, 2, 3, 4)):
            if any(row[c] == other[c] for other in rows for c in range(4)):
                continue
            if len(rows) % 2 and ({*row[:2]} & {*rows[-1][:2]} or {*row[2:]} & {*rows[-1][2:]}):
                continue
            add([*rows, row])

    add([])
    return np.array(found, dtype=np.uint8)


@lru_cache(maxsize=1)
def has_one_solution() -> NDArray[np.bool_]:
    """(288, 2^16): whether the hints of a set, bit c for cell c, leave one grid."""
    every = grids()
    tables = np.ones((len(every), 1 << 16), dtype=np.bool_)
    for number, grid in enumerate(every):
        agree = (every == grid) @ (1 << np.arange(16))
        agree = np.delete(agree, number)
        tables[number, agree] = False
        for cell in range(16):  # with fewer hints they agree, too
            halves = tables[number].reshape(-1, 2, 1 << cell)
            halves[:, 0] &= halves[:, 1]
    return tables
