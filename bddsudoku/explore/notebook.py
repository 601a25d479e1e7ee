"""The board in a notebook, where its extra is installed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bddsudoku.errors import BackendUnavailable
from bddsudoku.puzzle.sudoku.grid import Puzzle

if TYPE_CHECKING:
    from bddsudoku.explore.widget import BoardWidget


def board_widget(puzzle: Puzzle | str | None = None) -> BoardWidget:
    """A board to play with, shown where it stands at the end of a cell.

    Args:
        puzzle: to begin with: a Puzzle, or its text in any form; by default the empty board.

    Returns:
        A widget whose ``puzzle`` is what stands on the board.

    Raises:
        BackendUnavailable: anywidget is not installed.
        PuzzleFormatError: the text is no puzzle.
    """
    try:
        from bddsudoku.explore.widget import BoardWidget
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("anywidget", "traitlets"):
            raise
        raise BackendUnavailable(
            "a board in a notebook needs anywidget: pip install 'bddsudoku[notebook]'"
        ) from None
    return BoardWidget(puzzle)
