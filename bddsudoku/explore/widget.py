"""The live board as a widget of Jupyter, marimo and other hosts of anywidget.

Needs the extra ``notebook``. ``BoardWidget(puzzle)`` is shown when it is the last value of a cell;
``widget.puzzle`` is the puzzle on the board at any time.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from importlib.resources import files
from itertools import count
from typing import Any

import anywidget
import traitlets

from bddsudoku.errors import BddSudokuError
from bddsudoku.explore.answering import Event, board_of, puzzle_of
from bddsudoku.explore.session import Session
from bddsudoku.puzzle.sudoku.grid import Puzzle

_STATIC = files("bddsudoku.explore") / "static"


class BoardWidget(anywidget.AnyWidget):  # type: ignore[misc,unused-ignore]
    """A live board as a widget; threads of the notebook's Python process answer its questions.

    Args:
        puzzle: the first puzzle, or its text in any form; by default the empty board.

    Attributes:
        opening: the text of the first puzzle.
        ask: the latest question of the component.
        answer: the latest event of the answer.
        puzzle: the puzzle on the board.
    """

    _esm = (_STATIC / "board.js").read_text(encoding="utf-8")
    _css = (_STATIC / "board.css").read_text(encoding="utf-8")
    opening = traitlets.Unicode("").tag(sync=True)
    ask = traitlets.Dict().tag(sync=True)
    answer = traitlets.Dict().tag(sync=True)

    def __init__(self, puzzle: Puzzle | str | None = None) -> None:
        begin = board_of(9) if puzzle is None else puzzle
        begin = Puzzle.parse(begin) if isinstance(begin, str) else begin
        self.puzzle = begin
        self._session = Session()
        self._numbers = count()
        super().__init__(opening=begin.text)
        self.observe(self._asked, "ask")

    def _asked(self, change: Mapping[str, Any]) -> None:
        """Start to answer a new question of the component."""
        asked = dict(change["new"])
        if asked.get("kind") == "stop":
            self._session.stop()
            return
        if asked.get("kind") == "board":
            with suppress(BddSudokuError, KeyError):  # the answer reports it
                self.puzzle = puzzle_of(asked["board"])

        def tell(event: Event) -> None:
            # the number makes two events of one kind different, so that each is sent
            self.answer = {**event, "id": asked.get("id"), "number": next(self._numbers)}

        self._session.ask(asked, tell)

    def close(self) -> None:
        """End the question that is being answered, and the widget."""
        self._session.stop()
        super().close()
