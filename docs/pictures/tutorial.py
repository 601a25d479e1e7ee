"""Pictures of the tutorial: shares of digits, a written constraint, a variant board."""

from __future__ import annotations

from pathlib import Path

from _drawing import save as keep

from bddsudoku import Puzzle, solve
from bddsudoku.cli.examples import example_text
from bddsudoku.file_io import open_atomic
from bddsudoku.puzzle import board_svg
from bddsudoku.report import plot_marginals


def draw(folder: Path) -> None:
    """All pictures of the tutorial."""
    puzzle = Puzzle.parse(example_text("puzzle.txt"))
    wider = puzzle.without((1, 1))
    keep(plot_marginals(wider, solve(wider).marginals()), folder, "tutorial_shares")
    with open_atomic(folder / "tutorial_variant.svg") as file:
        file.write(board_svg(Puzzle.parse(example_text("variant.txt"))).encode())
