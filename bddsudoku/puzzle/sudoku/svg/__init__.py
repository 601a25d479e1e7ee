"""Boards as SVG: cells, borders, digits, and whatever marks the rules leave."""

from bddsudoku.puzzle.sudoku.svg.board_picture import board_svg

__all__ = ["board_svg"]
