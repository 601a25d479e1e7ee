"""The board on a page without a server, and in a notebook.

On a page it answers what the page already knows: the shares say what is left after any one digit
more, the removals what is left without any one hint; what neither says is told to be unknown.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from bddsudoku.errors import BackendUnavailable
from bddsudoku.explore.answering import LARGEST, board_record, by_cell, masks_of
from bddsudoku.puzzle.sudoku.grid import Puzzle

if TYPE_CHECKING:
    from bddsudoku.explore.widget import BoardWidget
    from bddsudoku.jit.decorators import AnyArray


def live_board(
    puzzle: Puzzle, marginals: AnyArray, without: Mapping[int, str | None] | None = None
) -> str:
    """HTML that shows a board to play with: its styles, its script and what they know.

    That are exact marginals, shape (n, n, n), and the number of solutions without the hint of each
    cell, decimal or None. Empty for boards of a side above 16.
    """
    if puzzle.n > LARGEST:
        return ""
    shares = [[str(int(k)) for k in cell] for cell in by_cell(marginals)]
    count = str(sum(map(int, shares[0])))
    known: dict[str, list[dict[str, Any]]] = {
        "read": [{"kind": "read", "board": board_record(puzzle), "notes": []}],
        "board": [
            {"kind": "possible", "masks": masks_of(marginals != 0)},
            {"kind": "shares", "count": count, "shares": shares},
        ],
    }
    if without:
        cells, counts = list(without), list(without.values())
        known["hints"] = [{"kind": "hints", "count": count, "cells": cells, "without": counts}]
    static = files("bddsudoku.explore") / "static"
    module = base64.b64encode((static / "board.js").read_bytes()).decode("ascii")
    style = (static / "board.css").read_text(encoding="utf-8")
    return (
        "<details><summary>Try it: one digit more, one hint less</summary>"
        '<noscript><p>This needs JavaScript.</p></noscript><div id="live"></div>'
        '<script type="module">\n'
        f'import board, {{ staticModel }} from "data:text/javascript;base64,{module}";\n'
        'const style = document.createElement("style");\n'
        f"style.textContent = {_literal(style)};\n"
        "document.head.append(style);\n"
        f"const model = staticModel({_literal(known)});\n"
        'board.render({ model, el: document.getElementById("live") });\n'
        "</script></details>\n"
    )


def _literal(value: object) -> str:
    """A value as JavaScript, in which nothing ends the element that it stands in."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return text.replace("<", "\\u003c")


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
