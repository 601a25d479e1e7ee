"""Numberlink: join the two terminals of every pair, no two paths in one cell."""

from bddsudoku.puzzle.numberlink.answers import answer_text, parse_answer
from bddsudoku.puzzle.numberlink.board import Board
from bddsudoku.puzzle.numberlink.links import Links
from bddsudoku.puzzle.numberlink.shape import Point, Rule
from bddsudoku.puzzle.numberlink.text import board_json, contest_text

parse_board = Board.parse
"""The board in a text; see :meth:`Board.parse`."""

__all__ = [
    "Board",
    "Links",
    "Point",
    "Rule",
    "answer_text",
    "board_json",
    "contest_text",
    "parse_answer",
    "parse_board",
]
