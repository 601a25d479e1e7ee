"""Full grids at random, from which puzzles are made.

Where the set of all grids can be held they are drawn from it, each exactly as likely as any other:
the ordinary board (of which the set is 6.67e21 grids strong and a draw takes some 7 ms), and boards
of up to 36 cells under any rules. Elsewhere a search in shuffled order gives the first that it
meets, and :attr:`Grids.uniform` is False.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bddsudoku.context import Context
from bddsudoku.errors import BddSudokuError
from bddsudoku.puzzle.sudoku.grid import Puzzle
from bddsudoku.puzzle.sudoku.layout import Layout
from bddsudoku.sets.base import GridFamily
from bddsudoku.solver import solved
from bddsudoku.solver.reducing import first_at_random

DRAWN = 16
"""Grids that are drawn for a block of tries."""
IMAGES = 64
"""Tries that one of them serves in all blocks but the first;"""
MANY_IMAGES = 1024
"""where a pattern is to be filled, which few grids do with one solution."""
NODES = 20_000
"""Nodes of a first search for a grid."""
SMALL = 36
"""Cells of a board up to which all grids are held as a diagram."""

_held: dict[Puzzle, GridFamily] = {}
"""All grids of the boards that were asked for last, by the empty boards. Threads may make a set
twice; every look-up and change is a single step."""
_MOST_HELD = 4


def _all_grids(empty: Puzzle, context: Context) -> GridFamily:
    """The set of all grids of a board, which is kept.

    Raises:
        LimitReached: it was not made within the limits.
    """
    found = _held.get(empty)
    if found is None:
        found = solved(empty, context=context.silent).solutions
        for old in list(_held)[: 1 - _MOST_HELD]:
            _held.pop(old, None)
        _held[empty] = found
    return found


class OrdinaryGrids:
    """Blocks of 9×9 grids.

    Every grid is exactly uniform. In the first block they are independent; later ones share a draw
    among several grids, each moved by a random symmetry of its own: rows, columns, bands,
    stacks and digits exchanged, mirrored.

    Args:
        images: tries that a draw serves, in all blocks but the first.
        limits: memory and time.

    Raises:
        LimitReached: a limit ended the preparation.

    Cost: 2 s to begin with, once a process.
    """

    def __init__(self, images: int, context: Context) -> None:
        self._images = images
        self._family = _all_grids(Puzzle([0] * 81, Layout()), context)

    def block(self, number: int, rng: np.random.Generator) -> NDArray[np.uint8]:
        """The grids of a block, (n, 81)."""
        drawn = self._family.sample(DRAWN, rng).reshape(DRAWN, 81)
        return drawn if number == 0 else moved(np.repeat(drawn, self._images, axis=0), rng)


def moved(grids: NDArray[np.uint8], rng: np.random.Generator) -> NDArray[np.uint8]:
    """A random image of every grid under the symmetries of Sudoku, (n, 81)."""
    size = len(grids)

    def lines() -> NDArray[np.int64]:
        bands = rng.permuted(np.tile(np.arange(3), (size, 1)), axis=1)
        within = rng.permuted(np.tile(np.arange(3), (size, 3, 1)), axis=2)
        return np.asarray((3 * bands[:, :, None] + within).reshape(size, 9))

    names = rng.permuted(np.tile(np.arange(1, 10, dtype=np.uint8), (size, 1)), axis=1)
    every = np.arange(size)[:, None, None]
    rows, columns = lines(), lines()
    image = grids.reshape(size, 9, 9)[every, rows[:, :, None], columns[:, None, :]]
    image = names[every, image - 1]
    turned = rng.random(size) < 0.5
    image[turned] = image[turned].transpose(0, 2, 1)
    return np.ascontiguousarray(image.reshape(size, 81))


class Grids:
    """Grids of any board and rules, one at a time.

    Args:
        empty: the board and the rules that hold in every grid.
        limits: memory and time.

    Attributes:
        uniform: whether every grid is exactly as likely as any other.
    """

    def __init__(self, empty: Puzzle, context: Context) -> None:
        self._empty = empty
        self._limits = context
        self.uniform = empty.layout.cell_count <= SMALL
        self._family = _all_grids(empty, context) if self.uniform else None

    def draw(self, rng: np.random.Generator) -> Puzzle:
        """A grid, with the rules of the board.

        Raises:
            BddSudokuError: there is none.
            LimitReached: the time is used up.
        """
        found = self._met(rng) if self._family is None else self._drawn(self._family, rng)
        if found is None:
            raise BddSudokuError("no grid obeys the rules")
        return found

    def _drawn(self, family: GridFamily, rng: np.random.Generator) -> Puzzle | None:
        if not family.count():
            return None
        cells = family.sample(1, rng).ravel().tolist()
        return Puzzle(cells, self._empty.layout, rules=self._empty.rules)

    def _met(self, rng: np.random.Generator) -> Puzzle | None:
        """The first of a search; another one is begun where one takes too long, and has longer."""
        nodes = NODES
        while True:
            seed = int(rng.integers(1 << 31))
            found, whole = first_at_random(self._empty, seed, nodes, self._limits)
            if whole or found is not None:
                return found
            nodes *= 2
