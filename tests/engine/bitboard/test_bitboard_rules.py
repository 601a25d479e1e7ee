"""The rules on vectors: against their definitions, cell by cell, and as machine code."""

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
from bddsudoku.jit.decorators import U32, U64, Flags

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


def parts(words: U32) -> list[U32]:
    return np.split(words, np.cumsum(rules.PARTS)[:-1])


def whole(of: list[U32]) -> U32:
    return np.concatenate(of)


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


def propagated(cube: Cube) -> tuple[Cube, bool, bool]:
    """By the rules on numpy arrays: candidates, whether wrong, whether solved."""
    words = packed(cube)
    while True:
        done = rules.propagate_once(parts(words))
        if any(w.any() for w in done.wrong):
            return unpacked(whole(done.state)), True, False
        if not any(c.any() for c in done.changed):
            return unpacked(words), False, not done.unsettled.any()
        words = whole(done.state)


def houses(row: int, column: int) -> list[Flags]:
    """The houses of a cell, as 9×9 planes."""
    planes = np.zeros((3, 9, 9), bool)
    planes[0, row] = planes[1, :, column] = True
    planes[2, row // 3 * 3 :, column // 3 * 3 :][:3, :3] = True
    return list(planes)


@pytest.mark.parametrize("cube", CUBES)
def test_what_is_stable_has_no_singles_left(cube: Cube) -> None:
    """Naked and hidden singles in every kind of house, though only rows are looked at."""
    kept, wrong, _ = propagated(cube)
    if wrong:
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


# The same as machine code


@njit
def _stepped(stack: Any) -> Any:
    return rules.propagate_step(stack, 1)


def on_stack(cube: Cube) -> U64:
    stack = new_stack()
    stack[1, :STATE] = packed(cube).view(np.uint64)
    return stack


@pytest.mark.parametrize("cube", CUBES)
def test_machine_code_steps_as_the_rules_say(cube: Cube) -> None:
    stack, words = on_stack(cube), packed(cube)
    while True:
        done = rules.propagate_once(parts(words))
        verdict = _stepped(stack)
        words = whole(done.state)
        assert (stack[1, :STATE].view(np.uint32) == words).all()
        if any(w.any() for w in done.wrong):
            assert verdict == rules.DEAD
        elif any(c.any() for c in done.changed):
            assert verdict == rules.CHANGED
            continue
        else:
            open_cells = done.unsettled.any()
            assert verdict == (rules.STABLE if open_cells else rules.SOLVED)
        break
    assert not stack[0].any()
    assert not stack[2:].any()
