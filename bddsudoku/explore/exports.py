"""What a setter publishes: pictures, texts, files and links of the puzzle on the board."""

from __future__ import annotations

import base64
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import quote

from bddsudoku.context import Context
from bddsudoku.errors import PuzzleFormatError
from bddsudoku.explore.live_board import Event, LiveBoard, digit_lists_by_cell
from bddsudoku.file_io import temporary_folder
from bddsudoku.puzzle.sudoku.fpuzzles import write_fpuzzles, write_link
from bddsudoku.puzzle.sudoku.fpuzzles.compressed_links import pack_own_link
from bddsudoku.puzzle.sudoku.grid import Puzzle
from bddsudoku.puzzle.sudoku.iss import write_iss
from bddsudoku.puzzle.sudoku.puzzle_info import PuzzleInfo
from bddsudoku.puzzle.sudoku.svg import board_svg
from bddsudoku.puzzle.sudoku.text.writer import write_text
from bddsudoku.sets.diagram_set import DiagramSet
from bddsudoku.solver.dispatch import solve_detailed

_MAX_FILE_BYTES = 64 << 20
_ISS_PAGE = "https://sigh.github.io/Interactive-Sudoku-Solver/?q="
_FILES = {
    "text": "puzzle.txt text/plain",
    "svg": "puzzle.svg image/svg+xml",
    "f-puzzles": "puzzle.json application/json",
    "iss": "puzzle.iss text/plain",
    "set": "puzzle.set application/octet-stream",
}
"""Forms that are files: the file's name and type. The others are links."""
_WRITERS: dict[object, Callable[[Puzzle, PuzzleInfo], str]] = {
    "text": lambda puzzle, info: f"{write_text(puzzle, info)}\n",
    "f-puzzles": write_fpuzzles,
    "iss": lambda puzzle, _: f"{write_iss(puzzle)}\n",
    "link": lambda puzzle, info: pack_own_link(write_text(puzzle, info)),
    "f-puzzles-link": write_link,
    "sudokupad-link": partial(write_link, for_sudokupad=True),
    "iss-link": lambda puzzle, _: _ISS_PAGE + quote(write_iss(puzzle), safe="~"),
}
_LEFT_OUT = "Interactive-Sudoku-Solver's strings hold no title, no author and no rules in words"


def export(
    live: LiveBoard, form: object, content: object, info: PuzzleInfo, context: Context
) -> Event:
    """The event ``file`` or ``link`` with a puzzle in some form; ``notes`` say what it leaves out.

    Args:
        live: the board.
        form: one of the forms of files and links.
        content: of a picture: ``puzzle``, ``marginals`` or ``solution``.
        info: title, author and rules in words.
        context: limits, while a set is compiled.

    Raises:
        PuzzleFormatError: the form cannot express the puzzle, or there is no such form.
        LimitReached: a limit ended the compilation of a set.
    """
    notes = [_LEFT_OUT] if form in ("iss", "iss-link") and any(info) else []
    if form == "set":
        data = _saved_set(live, context)
    elif form == "svg":
        data = _picture(live, content, info).encode()
    elif form in _WRITERS:
        data = _WRITERS[form](live.puzzle, info).encode()
    else:
        raise PuzzleFormatError(f"form: expected svg, set, {', '.join(map(str, _WRITERS))}")
    if form not in _FILES:
        return {"kind": "link", "form": form, "url": data.decode(), "notes": notes}
    name, type_ = _FILES[str(form)].split()
    packed = base64.b64encode(data).decode()
    return {"kind": "file", "name": name, "type": type_, "data": packed, "notes": notes}


def _picture(live: LiveBoard, content: object, info: PuzzleInfo) -> str:
    """The SVG of the board, with the solution or with marginals where they are asked for."""
    shown: dict[str, Any] = {}
    if content == "solution":
        if live.count != 1 or live.example is None:
            raise PuzzleFormatError("the solution is drawn of a puzzle that is known to have one")
        shown["solution"] = Puzzle(live.example, live.puzzle.layout)
    elif content == "marginals":
        if live.solutions is None:
            raise PuzzleFormatError("the numbers of solutions with each digit are not known")
        shown["marginals"] = digit_lists_by_cell(live.solutions.marginals())
    elif content not in (None, "puzzle"):
        raise PuzzleFormatError("content: expected puzzle, marginals or solution")
    return board_svg(live.puzzle, title=info.title or None, **shown)


def _saved_set(live: LiveBoard, context: Context) -> bytes:
    """The bytes of a file with the set of solutions, which is compiled where it is no diagram."""
    found: object = live.solutions
    if not isinstance(found, DiagramSet):
        found = solve_detailed(live.question, "frontier", context=context).compiled_set
    with temporary_folder() as folder:
        path = Path(folder) / "puzzle.set"
        found.save(path)
        if path.stat().st_size > _MAX_FILE_BYTES:
            raise PuzzleFormatError(
                f"the set takes {path.stat().st_size >> 20} MiB: "
                "`bddsudoku compile --output` writes it"
            )
        return path.read_bytes()
