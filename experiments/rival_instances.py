"""Exact covers that packages are compared on: Sudoku and tilings, as sparse matrices."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

__all__ = ["FIFTEEN", "INSTANCES", "SEVENTEEN", "WARM_UP", "Instance", "board", "instance"]

SEVENTEEN = "000000010400000000020000000000050407008000300001090000300400200050100000000806000"
FIFTEEN = "000000010400000000020000000000050400008000300001090000000400200050100000000806000"
SIX = "123456" + "." * 30


def _sudoku(line: str, rows: int = 3, columns: int = 3) -> Any:
    from bddsudoku.puzzle.sudoku.grid import Puzzle
    from bddsudoku.puzzle.sudoku.layout import Layout

    return Puzzle.parse(line, Layout(rows, columns))


def board(size: str, names: str, once: bool = False) -> Any:
    """Tiling problem of a board and its pieces."""
    from bddsudoku.puzzle.tiling import Board, Tiling, pieces

    return Tiling(Board.parse(size), pieces(names), once=once)


INSTANCES: dict[str, tuple[int, Callable[[], Any]]] = {
    "Sudoku, 17 hints": (1, lambda: _sudoku(SEVENTEEN)),
    "Sudoku, 16 hints": (15085, lambda: _sudoku(SEVENTEEN).without((6, 0))),
    "Sudoku, 16 hints (2)": (507806, lambda: _sudoku(SEVENTEEN).without((0, 7))),
    "Sudoku, 15 hints": (2284505, lambda: _sudoku(FIFTEEN)),
    "2x3 Sudoku, first row": (28200960 // 720, lambda: _sudoku(SIX, 2, 3)),
    "2x3 Sudoku, empty": (28200960, lambda: _sudoku("." * 36, 2, 3)),
    "L-trominoes 9x9": (1193600, lambda: board("9x9", "L3")),
    "pentominoes 6x10": (9356, lambda: board("6x10", "pentominoes", once=True)),
    "L-trominoes 5x6": (2 * 36, lambda: board("5x6", "L3")),
}
"""Name → number of covers, and the puzzle. The last one is for warming up."""
WARM_UP = "L-trominoes 5x6"


@dataclass(frozen=True)
class Instance:
    """An exact cover problem with a known count.

    Attributes:
        name: see :data:`INSTANCES`.
        count: the known number of covers.
        puzzle: the Puzzle or Tiling.
        model: its model (Sudoku: under ``candidates``).
        options: for every option its items, ascending.
        items: number of items, all to be covered exactly once.
    """

    name: str
    count: int
    puzzle: Any
    model: Any
    options: list[list[int]]
    items: int

    def members(self) -> list[list[int]]:
        """Options of every item."""
        found: list[list[int]] = [[] for _ in range(self.items)]
        for option, items in enumerate(self.options):
            for item in items:
                found[item].append(option)
        return found

    def matrix(self) -> Any:
        """Matrix of the exact cover: bool, options × items."""
        dense = np.zeros((len(self.options), self.items), dtype=bool)
        for option, items in enumerate(self.options):
            dense[option, items] = True
        return dense


def instance(name: str) -> Instance:
    """Build an instance by its name."""
    from bddsudoku.puzzle.sudoku.grid import Puzzle
    from bddsudoku.puzzle.sudoku.sudoku_model import allocate

    count, make = INSTANCES[name]
    puzzle = make()
    model = allocate(puzzle, "candidates") if isinstance(puzzle, Puzzle) else puzzle.model()
    cover = model.cover()
    options = [
        cover.indices[cover.indptr[o] : cover.indptr[o + 1]].tolist() for o in range(cover.options)
    ]
    assert cover.primary == cover.items
    return Instance(name, count, puzzle, model, options, cover.items)
