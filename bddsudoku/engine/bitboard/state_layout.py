"""The memory layout of search states: the bit of each candidate of a board.

A *state* is 36 words of 32 bits, four for each digit: a word for each of the three bands, and one
that stays 0, so that a digit fills 128 bits. In a word, bit 10 r + c stands for the cell in row r
of the band (0 to 2) and column c (0 to 8); the tenth bit of each row is free and takes carries.

Loops over single cells see the same memory as 18 words of 64 bits: ``state[2 d]`` holds digit
d + 1 in the first two bands, ``state[2 d + 1]`` in the third. So a cell is a *half* (0 or 1) and a
bit. The order of the halves is that of a little-endian machine, which numba's are.
"""

from __future__ import annotations

import numpy as np

from bddsudoku.engine.classic_board import HOUSES as CELLS_OF_HOUSES
from bddsudoku.engine.classic_board import PEERS as PEERS_OF_CELLS
from bddsudoku.jit.decorators import I64, U64

DIGITS = 9
CELLS = 81
ROW = 10
"""Bits from one row of a band to the next."""
LANES = 4
"""Words of 32 bits for a digit: three bands and a zero."""
STATE = DIGITS * LANES // 2
"""Words of 64 bits in a state."""
STRIDE = 24
"""Words of 64 bits from one state on the stack to the next: whole lines of the cache."""
LEVELS = CELLS + 3
"""States on the stack; one more cell is settled on every level, and one state is to spare."""


def word_and_bit(cell: int) -> tuple[int, int]:
    """Return the place of a cell (0 to 80) in a state: word 0 or 1 of each digit, and the bit."""
    row, column = divmod(cell, 9)
    band = row // 3
    return band // 2, 32 * (band % 2) + ROW * (row % 3) + column


def _cell_set_masks(cell_sets: I64) -> U64:
    """Convert sets of cells to bit masks in the layout of a state, two words each."""
    table = np.zeros((len(cell_sets), 2), dtype=np.uint64)
    for number, cells in enumerate(cell_sets.tolist()):
        for half, bit in map(word_and_bit, cells):
            table[number, half] |= np.uint64(1 << bit)
    return table


PLACE = np.array([word_and_bit(cell) for cell in range(CELLS)])
"""The half and bit of a cell, shape (81, 2)."""
CELL = np.zeros((2, 64), dtype=np.int64)
"""The cell of a half and a bit, shape (2, 64); 0 where there is none."""
CELL[PLACE[:, 0], PLACE[:, 1]] = np.arange(CELLS)
HOUSES = _cell_set_masks(CELLS_OF_HOUSES)
"""The cells of rows, columns and blocks as bits, shape (27, 2)."""
PEERS = np.zeros((2, 64, 2), dtype=np.uint64)
"""The 20 cells that share a house with one, as bits: by its half and bit, shape (2, 64, 2)."""
PEERS[PLACE[:, 0], PLACE[:, 1]] = _cell_set_masks(PEERS_OF_CELLS)
