"""The rules on vectors: against their definitions, cell by cell."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import numpy as np
import pytest
from numba import njit
from random_boards import random_grids, random_masks

from bddsudoku.engine.bitboard import propagation as rules
from bddsudoku.engine.bitboard.propagation import STATE
from bddsudoku.engine.bitboard.search import new_stack
from bddsudoku.jit.decorators import U32, Flags

GRIDS = random_grids(20, 1)
Cube = Flags
"""Candidates as bits: row, column, digit."""


def cubes(size: int, seed: int) -> list[Cube]:
    """Candidates of all kinds: around a grid, few or many; and any at all."""
    rng = np.random.default_rng(seed)
    made = []
    for i in range(size):
        density = rng.choice([0.02, 0.1, 0.3, 0.6])
        masks = random_masks(GRIDS[i % len(GRIDS)][None], density, rng)[0]
        if i % 4 == 3:
            masks &= rng.integers(0, 512, 81).astype(np.uint16)
        made.append((masks[:, None] >> np.arange(9) & 1).astype(bool).reshape(9, 9, 9))
    return made


def packed(cube: Cube) -> U32:
    """36 words, as the layout says: four for a digit, 10 bits for a row."""
    words = np.zeros((9, 4), np.uint32)
    for row, column, digit in np.argwhere(cube):
        words[digit, row // 3] |= np.uint32(1 << 10 * (row % 3) + column)
    return words.ravel()


def unpacked(words: U32) -> Cube:
    cube = np.zeros((9, 9, 9), bool)
    for digit, band, row, column in np.ndindex(9, 3, 3, 9):
        cube[3 * band + row, column, digit] = words[4 * digit + band] >> 10 * row + column & 1
    assert (packed(cube) == words).all(), "bits outside the board"
    return cube


def locked(plane: Flags) -> Flags:
    """One digit: what some placement in every band of rows, block by block, allows."""
    kept = np.zeros((9, 9), bool)
    for band in range(3):
        for order in permutations(range(3)):
            pieces = [(3 * band + r, 3 * b) for r, b in enumerate(order)]
            if all(plane[r, c : c + 3].any() for r, c in pieces):
                for r, c in pieces:
                    kept[r, c : c + 3] = True
    return plane & kept


CUBES = cubes(40, 2)


@njit
def _stepped(stack: Any) -> Any:
    return rules.propagate_step(stack, 1)


def propagated(cube: Cube) -> tuple[Cube, bool]:
    """The candidates that are left, and whether there is no contradiction."""
    stack = new_stack()
    stack[1, :STATE] = packed(cube).view(np.uint64)
    while (verdict := _stepped(stack)) == rules.CHANGED:
        pass
    kept = unpacked(stack[1, :STATE].view(np.uint32))
    assert (kept <= cube).all()
    assert not stack[0].any()
    assert not stack[2:].any()
    assert verdict == rules.DEAD or (verdict == rules.SOLVED) == (kept.sum() == 81)
    return kept, verdict != rules.DEAD


def houses(row: int, column: int) -> list[Flags]:
    """The houses of a cell, as 9×9 planes."""
    planes = np.zeros((3, 9, 9), bool)
    planes[0, row] = planes[1, :, column] = True
    planes[2, row // 3 * 3 :, column // 3 * 3 :][:3, :3] = True
    return list(planes)


@pytest.mark.parametrize("cube", CUBES)
def test_what_is_stable_has_no_singles_left(cube: Cube) -> None:
    """Naked and hidden singles in every kind of house, though only rows are looked at."""
    kept, fine = propagated(cube)
    if not fine:
        return
    counts = kept.sum(axis=2)
    for row, column, digit in np.argwhere(kept):
        spots = [kept[:, :, digit][house].sum() for house in houses(row, column)]
        if counts[row, column] == 1 or 1 in spots:
            assert counts[row, column] == 1
            assert spots == [1, 1, 1]
    for digit in range(9):
        assert (kept[:, :, digit] == locked(kept[:, :, digit])).all()
        assert (locked(kept[:, :, digit].T) == kept[:, :, digit].T).all()
