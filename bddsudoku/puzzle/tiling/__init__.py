"""Polyomino tilings of any board by any set of pieces, each used any number of times or once."""

from bddsudoku.puzzle.tiling.polyomino import Board, Piece, Symmetry, pieces, polyominoes
from bddsudoku.puzzle.tiling.tiling import (
    Placement,
    Tiling,
    TilingDecoder,
    TilingPicture,
    count_orbits,
)

__all__ = [
    "Board",
    "Piece",
    "Placement",
    "Symmetry",
    "Tiling",
    "TilingDecoder",
    "TilingPicture",
    "count_orbits",
    "pieces",
    "polyominoes",
]
