"""Lists of classic puzzles for experiments, made from seeds.

Known puzzles come under random symmetries of the board (digits renamed; rows, columns, bands and
stacks exchanged; mirrored), which keep the number of solutions, but not the path of a search. The
others are made here: hints are removed from random grids as long as there is one solution.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["HARDEST", "KINDS", "SEVENTEEN", "digits_of", "make"]

Boards = NDArray[np.uint8]

_SEVENTEEN = """
000000010400000000020000000000050407008000300001090000300400200050100000000806000
000000010400000000020000000000050604008000300001090000300400200050100000000807000
000000012000035000000600070700000300000400800100000000000120000080000040050000600
000000012003600000000007000410020000000500300700000600280000040000300500000000000
000000012008030000000000040120500000000004700060000000507000300000620000000100000
000000012040050000000009000070600400000100000000000050000087500601000300200000000
000000012050400000000000030700600400001000000000080000920000800000510700000003000
000000012300000060000040000900000500000001070020000000000350400001400800060000000
000000012400090000000000050070200000600000400000108000018000000000030700502000000
000000012500008000000700000600120000700000450000030000030000800000500700020000000
000000012700060000000000050080200000600000400000109000019000000000030800502000000
000000012800040000000000060090200000700000400000501000015000000000030900602000000
000000012980000000000600000100700080402000000000300600070000300050040000000010000
000000013000030080070000000000206000030000900000010000600500204000400700100000000
000000013000200000000000080000760200008000400010000000200000750600340000000008000
000000013000500070000802000000400900107000000000000200890000050040000600000010000
000000013000700060000508000000400800106000000000000200740000050020000400000010000
000000013000700060000509000000400900106000000000000200740000050080000400000010000
000000013000800070000502000000400900107000000000000200890000050040000600000010000
000000013020500000000000000103000070000802000004000000000340500670000200000010000
000000013040000080200060000609000400000800000000300000030100500000040706000000000
000000013040000080200060000906000400000800000000300000030100500000040706000000000
000000013040000090200070000607000400000300000000900000030100500000060807000000000
000000013040000090200070000706000400000300000000900000030100500000060807000000000
000000013200800000300000070000200600001000000040000000000401500680000200000070000
000000013400200000600000000000460500010000007200500000000031000000000420080000000
000000013400800000200000070000400900001000000060000000000501600380000200000070000
000000014000000203800050000000207000031000000000000650600000700000140000000300000
000000014000708000000000000104005000000200830600000000500040000030000700000090001
....14....3....2...7..........9...3.6.1.............8.2.....1.4....5.6.....7.8...
4.....8.5.3..........7......2.....6.....8.4......1.......6.3.7.5..2.....1.4......
52...6.........7.13...........4..8..6......5...........418.........3..2...87.....
6.....8.3.4.7.................5.4.7.3..2.....1.6.......2.....5.....8.6......1....
......52..8.4......3...9...5.1...6..2..7........3.....6...1..........7.4.......3.
6.2.5.........3.4..........43...8....1....2........7..5..27...........81...6.....
"""
SEVENTEEN = _SEVENTEEN.split()
"""Puzzles with 17 hints, the fewest there can be, from public lists."""

_HARDEST = """
.......39.....1..5..3.5.8....8.9...6.7...2...1..4.......9.8..5..2....6..4..7.....
1.......2.9.4...5...6...7...5.9.3.......7.......85..4.7.....6...3...9.8...2.....1
.......12........3..23..4....18....5.6..7.8.......9.....85.....9...4.5..47...6...
........3..1..56...9..4..7......9.5.7.......8.5.4.2....8..2..9...35..1..6........
..1..4.......6.3.5...9.....8.....7.3.......285...7.6..3...8...6..92......4...1...
..9...4...7.3...2.8...6...71..8....6....1..7.....56...3....5..1.4.....9...2...7..
12.4..3..3...1..5...6...1..7...9.....4.6.3.....3..2...5...8.7....7.....5.......98
"""
HARDEST = _HARDEST.split()
"""Puzzles among the hardest known, rated 11 and more by Sudoku Explainer, from public lists."""


def digits_of(lines: list[str]) -> Boards:
    """Convert lines to boards: uint8, shape (n, 81), 0 for an open cell."""
    return np.array([[int(c) if c.isdigit() else 0 for c in line] for line in lines], np.uint8)


def _moved(boards: Boards, rng: np.random.Generator) -> Boards:
    """A random image of every board under the symmetries of Sudoku."""
    out = np.empty_like(boards)
    for i, board in enumerate(boards):
        grid = board.reshape(9, 9)
        lines = [
            np.concatenate([3 * band + rng.permutation(3) for band in rng.permutation(3)])
            for _ in range(2)
        ]
        names = np.concatenate([[0], rng.permutation(9) + 1]).astype(np.uint8)
        moved = names[grid[np.ix_(*lines)]]
        out[i] = (moved.T if rng.integers(2) else moved).ravel()
    return out


def _known(lines: list[str], size: int, rng: np.random.Generator) -> Boards:
    return _moved(digits_of(lines)[np.arange(size) % len(lines)], rng)


def _grids(size: int, rng: np.random.Generator) -> Boards:
    """Random full grids: three random blocks, their first completion, a random symmetry."""
    from bddsudoku.engine.bitboard import solve_many

    boards = np.zeros((size, 9, 9), np.uint8)
    for k in (0, 3, 6):
        blocks = rng.permuted(np.tile(np.arange(1, 10, dtype=np.uint8), (size, 1)), axis=1)
        boards[:, k : k + 3, k : k + 3] = blocks.reshape(size, 3, 3)
    return _moved(solve_many(boards.reshape(size, 81), 1).solutions, rng)


def _reduced(boards: Boards, most: int, rng: np.random.Generator) -> Boards:
    """Remove hints in random order as long as there are not too many solutions."""
    from bddsudoku.engine.bitboard import count_many

    puzzles = boards.copy()
    orders = rng.permuted(np.tile(np.arange(81), (len(boards), 1)), axis=1)
    for cells in orders.T:
        asked = np.flatnonzero(puzzles[np.arange(len(boards)), cells])
        fewer = puzzles[asked]
        fewer[np.arange(len(asked)), cells[asked]] = 0
        goes = count_many(fewer, most + 1).counts <= most
        puzzles[asked[goes]] = fewer[goes]
    return puzzles


def _minimal(size: int, rng: np.random.Generator) -> Boards:
    return _reduced(_grids(size, rng), 1, rng)


def _hard(size: int, rng: np.random.Generator) -> Boards:
    """Hardest minimal puzzles, by search nodes, out of a hundred times as many."""
    from bddsudoku.engine.bitboard import count_many

    kept: list[Boards] = []
    for _ in range(10):
        pool = _minimal(10 * size, rng)
        nodes = count_many(pool, 2).nodes
        kept.append(pool[np.argsort(-nodes, kind="stable")[: size // 10 + 1]])
    return _moved(np.concatenate(kept)[:size], rng)


def _several(size: int, rng: np.random.Generator) -> Boards:
    """Puzzles with 2 to 1,555 solutions, which lack a few hints or many."""
    from bddsudoku.engine.bitboard import count_many

    kept: list[Boards] = []
    while sum(map(len, kept)) < size:
        boards, parts = _minimal(size, rng), []
        for i, most in enumerate((4, 20, 100, 500, 1555)):
            parts.append(_reduced(boards[i::5], most, rng))
        found = np.concatenate(parts)
        kept.append(found[count_many(found, 2).counts == 2])
    return np.concatenate(kept)[rng.permutation(size)]


KINDS: dict[str, Any] = {
    "17 hints": lambda size, rng: _known(SEVENTEEN, size, rng),
    "minimal at random": _minimal,
    "hard": _hard,
    "hardest known": lambda size, rng: _known(HARDEST, size, rng),
    "2 to 1,555 solutions": _several,
}
"""Name → maker of a list of some size."""


def make(kind: str, size: int, seed: int) -> list[str]:
    """Make a list of puzzles, one on each line."""
    number = list(KINDS).index(kind)
    boards = KINDS[kind](size, np.random.default_rng([seed, number]))
    symbols = np.frombuffer(b".123456789", np.uint8)
    return [symbols[board].tobytes().decode() for board in boards]
