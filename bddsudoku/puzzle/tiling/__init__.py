"""Polyomino tilings: any board, any set of pieces, each any number of times or exactly once."""

from bddsudoku.puzzle.tiling.polyomino import Board, Piece, Symmetry, pieces, polyominoes
from bddsudoku.puzzle.tiling.tiling import (
    Placement,
    Tiling,
    TilingDecoder,
    TilingPicture,
    orbit_count,
)

__all__ = [
    "Board",
    "Piece",
    "Placement",
    "Symmetry",
    "Tiling",
    "TilingDecoder",
    "TilingPicture",
    "orbit_count",
    "pieces",
    "polyominoes",
]
