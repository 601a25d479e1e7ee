"""Polyomino tilings: any board, any set of pieces, each any number of times or exactly once."""

from bddsudoku.puzzle.tiling.pieces import Board, Piece, Symmetry, pieces, polyominoes
from bddsudoku.puzzle.tiling.tiling import Picture, Placement, Tiling, TilingDecoder, orbit_count

__all__ = [
    "Board",
    "Picture",
    "Piece",
    "Placement",
    "Symmetry",
    "Tiling",
    "TilingDecoder",
    "orbit_count",
    "pieces",
    "polyominoes",
]
