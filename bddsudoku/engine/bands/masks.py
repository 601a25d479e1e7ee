"""Candidate masks: checking, singles, and the relaxed form that shows the symmetries.

Masks are 81 ints in row-major order; bit d - 1 says that digit d is allowed.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bddsudoku.engine.bands.partitions import FULL
from bddsudoku.errors import PuzzleFormatError


def _houses() -> tuple[tuple[int, ...], ...]:
    rows = [tuple(9 * r + c for c in range(9)) for r in range(9)]
    columns = [tuple(9 * r + c for r in range(9)) for c in range(9)]
    blocks = [
        tuple(9 * (3 * b + i) + 3 * s + j for i in range(3) for j in range(3))
        for b in range(3)
        for s in range(3)
    ]
    return (*rows, *columns, *blocks)


#: The 27 houses as cell numbers: rows, columns, blocks.
HOUSES = _houses()
#: The 20 peers of each cell.
PEERS = tuple(
    tuple(sorted({p for house in HOUSES if cell in house for p in house} - {cell}))
    for cell in range(81)
)


def as_masks(masks: ArrayLike) -> NDArray[np.uint16]:
    """81 candidate masks as uint16, checked.

    Args:
        masks: 81 (or 9 x 9) integers from 0 to 511.

    Raises:
        PuzzleFormatError: not 81 integers, or one outside 0..511.
    """
    array = np.asarray(masks)
    if array.size != 81 or array.dtype.kind not in "iu":
        raise PuzzleFormatError(
            f"81 candidate masks expected, got {array.size} values of type {array.dtype}"
        )
    array = array.reshape(81)
    bad = np.nonzero((array < 0) | (array > FULL))[0]
    if len(bad):
        cell = int(bad[0])
        raise PuzzleFormatError(
            f"candidate mask from 0 to {FULL} expected, got {array[cell]}",
            cell=f"r{cell // 9 + 1}c{cell % 9 + 1}",
        )
    return array.astype(np.uint16)


def as_grid(grid: Any) -> NDArray[np.uint8]:
    """81 digits (0 for an open cell) as uint8, checked.

    Raises:
        PuzzleFormatError: not 81 integers, or one outside 0..9.
    """
    array = np.asarray(grid)
    if array.size != 81 or array.dtype.kind not in "iu":
        raise PuzzleFormatError(f"81 digits expected, got {array.size} values of {array.dtype}")
    array = array.reshape(81)
    bad = np.nonzero((array < 0) | (array > 9))[0]
    if len(bad):
        cell = int(bad[0])
        raise PuzzleFormatError(
            f"digit from 0 to 9 expected, got {array[cell]}",
            cell=f"r{cell // 9 + 1}c{cell % 9 + 1}",
        )
    return array.astype(np.uint8)


def _propagate(cells: list[int]) -> bool:
    """Naked and hidden singles to the fixpoint, in place; False at a contradiction."""
    placed = [False] * 81
    while True:
        moved = False
        for cell in range(81):
            mask = cells[cell]
            if mask == 0:
                return False
            if not placed[cell] and mask & (mask - 1) == 0:
                placed[cell] = moved = True
                for peer in PEERS[cell]:
                    cells[peer] &= ~mask
        for house in HOUSES:
            once = twice = 0
            for cell in house:
                twice |= once & cells[cell]
                once |= cells[cell]
            if once != FULL:
                return False
            once &= ~twice
            if once:
                for cell in house:
                    single = cells[cell] & once
                    if single & (single - 1):
                        return False
                    if single and cells[cell] != single:
                        cells[cell] = single
                        moved = True
        if not moved:
            return True


def place_singles(masks: NDArray[np.uint16]) -> NDArray[np.uint16] | None:
    """Masks after naked and hidden singles; None when they show that there is no solution."""
    cells = [int(m) for m in masks]
    return np.array(cells, dtype=np.uint16) if _propagate(cells) else None


def relax(masks: NDArray[np.uint16]) -> NDArray[np.uint16]:
    """Undo every elimination that is implied by a placed digit; the solution set stays.

    A digit that is missing from an open cell only because a peer holds it is put back: rows,
    columns and blocks forbid it anyway, and without such traces interchangeable digits and
    columns have equal masks.

    Args:
        masks: as `place_singles` returns them.
    """
    cells = [int(m) for m in masks]
    relaxed = list(cells)
    for cell in range(81):
        if cells[cell] & (cells[cell] - 1):
            for peer in PEERS[cell]:
                if cells[peer] & (cells[peer] - 1) == 0:
                    relaxed[cell] |= cells[peer]
    return np.array(relaxed, dtype=np.uint16)


def digit_classes(masks: NDArray[np.uint16]) -> list[list[int]]:
    """Digits (0..8) grouped by the set of cells that allow them: swapping two of a group is a
    symmetry of the masks."""
    groups: dict[bytes, list[int]] = {}
    for digit in range(9):
        groups.setdefault(((masks >> digit) & 1).tobytes(), []).append(digit)
    return list(groups.values())
