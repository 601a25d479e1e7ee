"""Numberlink: join the two terminals of every pair, no two paths in one cell."""

from bddsudoku.puzzle.numberlink.board import Board, Point, Rule
from bddsudoku.puzzle.numberlink.links import Links
from bddsudoku.puzzle.numberlink.text import (
    answer_text,
    board_json,
    contest_text,
    parse_answer,
    parse_board,
)

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
