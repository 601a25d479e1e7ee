"""Pictures of Sudoku boards in SVG: cells, borders, digits and marks of rules."""

from bddsudoku.puzzle.sudoku.svg.board_picture import board_svg

__all__ = ["board_svg"]
