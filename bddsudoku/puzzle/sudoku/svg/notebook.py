"""A puzzle in a notebook."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from bddsudoku.puzzle.sudoku.svg.board import board_svg

if TYPE_CHECKING:
    from bddsudoku.puzzle.sudoku.grid import Puzzle


def notebook_html(puzzle: Puzzle) -> str:
    """The board as a picture, and below it the rules that no picture shows."""
    silent = [rule for rule in puzzle.rules if not [*rule.marks(puzzle.layout)]]
    said = "".join(f"<p>{escape(f'{rule.text}: {rule.about}')}</p>" for rule in silent)
    return f"<div>{board_svg(puzzle)}{said}</div>"
