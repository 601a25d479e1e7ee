"""Random boards for the tests of the 9×9 engine: grids, puzzles, candidate masks."""

from __future__ import annotations

import numpy as np

from bddsudoku.engine import dlx
from bddsudoku.engine.bitboard import count_many
from bddsudoku.jit.decorators import U8, U16
from bddsudoku.puzzle.sudoku import Layout, Puzzle, allocate

CLASSIC = Layout(3, 3)


def boards(*lines: str) -> U8:
    """Digits of puzzles on one line each."""
    return np.array([[int(c) if c.isdigit() else 0 for c in line] for line in lines], np.uint8)


def masks_of(digits: U8) -> U16:
    """The same as candidate masks."""
    return np.where(digits > 0, 1 << np.maximum(digits.astype(int) - 1, 0), 511).astype(np.uint16)


def random_grids(size: int, seed: int) -> U8:
    """Full grids: three blocks at random, the rest by dancing links."""
    rng = np.random.default_rng(seed)
    grids = []
    for _ in range(size):
        board = np.zeros((9, 9), np.uint8)
        for k in (0, 3, 6):
            board[k : k + 3, k : k + 3] = rng.permutation(9).reshape(3, 3) + 1
        model = allocate(Puzzle(board.ravel().tolist(), CLASSIC), "candidates")
        (found,) = dlx.covers(model, seed=int(rng.integers(1 << 30)), limit=1)
        for key in [v.key for v in model.fixed] + [model.variables[v].key for v in found]:
            board[divmod(key // 9, 9)] = key % 9 + 1
        grids.append(board.ravel())
    return np.array(grids)


def random_puzzles(grids: U8, most: int, rng: np.random.Generator) -> U8:
    """A puzzle from every grid, with 17 to 40 hints and at most so many solutions.

    Hints go as long as the number aimed at is not reached; one that cannot go stays.
    """
    puzzles = grids.copy()
    aims = rng.integers(17, 41, len(grids))
    orders = np.array([rng.permutation(81) for _ in grids])
    each = np.arange(len(grids))
    for turn in range(81):
        cells = orders[:, turn]
        fewer = puzzles.copy()
        fewer[each, cells] = 0
        tally = count_many(fewer, most + 1, jobs=1)
        goes = (tally.counts <= most) & ((puzzles > 0).sum(axis=1) > aims)
        puzzles[goes] = fewer[goes]
    return puzzles


def random_masks(grids: U8, density: float, rng: np.random.Generator) -> U16:
    """Boards that allow a grid's digit in each cell, and every other with some chance."""
    others = rng.random((*grids.shape, 9)) < density
    weights = 1 << np.arange(9)
    return (others @ weights | 1 << (grids.astype(int) - 1)).astype(np.uint16)
