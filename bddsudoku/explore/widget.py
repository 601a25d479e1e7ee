"""The live board as a widget of Jupyter, marimo and other hosts of anywidget.

Needs the extra ``notebook``. ``BoardWidget(puzzle)`` is shown when it is the last value of a cell;
``widget.puzzle`` is the puzzle on the board at any time.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from itertools import count
from typing import Any

import anywidget
import traitlets

from bddsudoku.errors import BddSudokuError
from bddsudoku.explore.board_questions import puzzle_from_record
from bddsudoku.explore.component import component_module, component_style
from bddsudoku.explore.live_board import Event
from bddsudoku.explore.session import Session
from bddsudoku.puzzle.sudoku.grid import Puzzle, empty_board
from bddsudoku.puzzle.sudoku.layout import Layout
from bddsudoku.solver.sources import PuzzleLike, as_puzzle


class BoardWidget(anywidget.AnyWidget):  # type: ignore[misc,unused-ignore]
    """A live board as a widget; threads of the notebook's Python process answer its questions.

    Args:
        puzzle: the first puzzle, in any form; by default the empty board.
        size: its greatest width in CSS pixels, in a narrower cell that of the cell; 0 for no limit.

    Attributes:
        opening: the text of the first puzzle.
        size: as above; it may be set at any time.
        ask: the latest question of the component.
        answer: the latest event of the answer.
        puzzle: the puzzle on the board.
    """

    _esm = component_module()
    _css = component_style()
    opening = traitlets.Unicode("").tag(sync=True)
    size = traitlets.Int(0, min=0).tag(sync=True)
    ask = traitlets.Dict().tag(sync=True)
    answer = traitlets.Dict().tag(sync=True)

    def __init__(self, puzzle: PuzzleLike | None = None, *, size: int = 0) -> None:
        self._session = Session()  # first, because it is closed after an error, too
        self.puzzle: Puzzle = empty_board(Layout()) if puzzle is None else as_puzzle(puzzle)
        self._numbers = count()
        super().__init__(opening=self.puzzle.text, size=size)
        self.observe(self._on_question, "ask")

    def _on_question(self, change: Mapping[str, Any]) -> None:
        """Start to answer a question that the widget's JavaScript has sent."""
        question = dict(change["new"])
        if question.get("kind") == "board":
            with suppress(BddSudokuError, KeyError):  # the answer reports it
                self.puzzle = puzzle_from_record(question["board"])

        def send_event(event: Event) -> None:
            # the number makes two events of one kind different, so that each is sent
            self.answer = {**event, "id": question.get("id"), "number": next(self._numbers)}

        self._session.ask(question, send_event)

    def close(self) -> None:
        """Stop the answer that is being computed, and close the widget."""
        self._session.stop()
        super().close()
