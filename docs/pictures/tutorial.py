"""Pictures of the tutorial: shares of digits, a written constraint, a variant board."""

from __future__ import annotations

from pathlib import Path

from _drawing import save as keep

from bddsudoku import Puzzle, solve
from bddsudoku.file_io import open_atomic
from bddsudoku.puzzle import board_svg
from bddsudoku.report import plot_marginals

DATA = Path(__file__).parents[2] / "data"

VARIANT = """
......
......
......
......
......
......
antiknight
thermo r1c1 r2c1 r3c2 r4c2
cage 8 r5c5 r5c6 r6c6
arrow r3c5 > r2c4 r1c4
odd r2c1
"""


def draw(folder: Path) -> None:
    """All pictures of the tutorial."""
    puzzle = Puzzle.parse((DATA / "paper" / "24.txt").read_text(encoding="utf-8"))
    wider = puzzle.without((1, 1))
    keep(plot_marginals(wider, solve(wider).marginals()), folder, "tutorial_shares")
    with open_atomic(folder / "tutorial_variant.svg") as file:
        file.write(board_svg(Puzzle.parse(VARIANT)).encode())
