"""The live board in a notebook, whose packages are imported when it is asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bddsudoku.argument_types import check_types
from bddsudoku.errors import BackendUnavailable
from bddsudoku.lazy_imports import is_installed

if TYPE_CHECKING:
    from bddsudoku.explore.widget import BoardWidget
    from bddsudoku.solver.sources import PuzzleLike


@check_types
def board_widget(puzzle: PuzzleLike | None = None, *, size: int = 0) -> BoardWidget:
    """Make an interactive board for a puzzle, as a widget for notebooks.

    Args:
        puzzle: the first puzzle, in any form; by default the empty board.
        size: its greatest width in CSS pixels; 0: as wide as the notebook's cell.

    Returns:
        A widget whose ``puzzle`` is the puzzle on the board.

    Raises:
        BackendUnavailable: anywidget is not installed.
        PuzzleFormatError: it is no puzzle.
    """
    if not is_installed("anywidget"):
        raise BackendUnavailable("a board in a notebook needs anywidget: pip install anywidget")
    from bddsudoku.explore.widget import BoardWidget

    return BoardWidget(puzzle, size=size)
