"""The live board without a server: embedded in an HTML page, and as a widget of a notebook.

On a page the board answers from precomputed counts: the marginals are the counts after one more
digit, the clue ablation those without one hint. Other questions are shown as unknown.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from bddsudoku.argument_types import check_types
from bddsudoku.errors import BackendUnavailable
from bddsudoku.explore.board_questions import board_record
from bddsudoku.explore.component import component_html
from bddsudoku.explore.live_board import candidate_masks, digit_lists_by_cell
from bddsudoku.lazy_imports import is_installed
from bddsudoku.puzzle.sudoku.grid import Puzzle

if TYPE_CHECKING:
    from bddsudoku.explore.widget import BoardWidget
    from bddsudoku.jit.decorators import AnyArray
    from bddsudoku.solver.sources import PuzzleLike


def live_board_html(
    puzzle: Puzzle, marginals: AnyArray, counts_without_hint: Mapping[int, str | None] | None = None
) -> str:
    """Make HTML of a live board with its styles, its script and precomputed counts.

    Args:
        puzzle: the puzzle.
        marginals: exact, shape (n, n, n).
        counts_without_hint: for each cell with a hint the number of solutions without it, decimal
            or None.
    """
    counts_by_cell = digit_lists_by_cell(marginals.astype(str))
    count = str(sum(map(int, counts_by_cell[0])))
    known: dict[str, list[dict[str, Any]]] = {
        "read": [{"kind": "read", "board": board_record(puzzle), "notes": []}],
        "board": [
            {"kind": "possible", "masks": candidate_masks(marginals != 0)},
            {"kind": "marginals", "count": count, "marginals": counts_by_cell},
        ],
    }
    if counts_without_hint:
        cells, counts = list(counts_without_hint), list(counts_without_hint.values())
        known["hints"] = [{"kind": "hints", "count": count, "cells": cells, "without": counts}]
    return component_html(known)


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
