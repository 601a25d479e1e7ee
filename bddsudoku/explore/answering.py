"""Questions of the component and their answers: one dictionary in, a few events out.

A question has a ``kind`` (:data:`KINDS`) and, for most, a ``board``. Events have a ``kind``, too;
numbers of solutions are decimal strings, because they pass 2⁵³. What goes wrong is an event
``error`` with one line, a limit an event ``limit``; both end the answer.
"""

from __future__ import annotations

import base64
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from bddsudoku.context import Context
from bddsudoku.errors import BddSudokuError, LimitReached, PuzzleFormatError
from bddsudoku.explore.boards import board_of, board_record, ground, masks_of, puzzle_of, read_board
from bddsudoku.puzzle.sudoku.fpuzzles import write_fpuzzles
from bddsudoku.puzzle.sudoku.grid import Puzzle
from bddsudoku.puzzle.sudoku.svg import board_svg
from bddsudoku.solver.hints import removal_answers
from bddsudoku.solver.live import LiveBoard
from bddsudoku.solver.rules import without_each_rule

Event = dict[str, Any]
Question = Mapping[str, Any]

_LARGEST_FILE = 64 << 20
_LARGEST_TEXT = 200_000
"""Characters of a text that is read as a puzzle."""
_EACH = 20.0
"""Seconds for the count without one hint or rule."""


class Answers:
    """Answers one question after the other; remembers the last board, which is mostly meant again.

    Not for several threads at once (:mod:`.desk`).
    """

    def __init__(self) -> None:
        self._live = LiveBoard(board_of(9))

    def events(self, asked: Question, context: Context) -> Iterator[Event]:
        """The answer, piece by piece; never raises for what was asked.

        Args:
            asked: the question.
        """
        try:
            kind = asked.get("kind")
            answer = _ANSWERS.get(kind) if isinstance(kind, str) else None
            if answer is None:
                raise PuzzleFormatError(f"kind: expected one of {', '.join(KINDS)}")
            yield from answer(self, asked, context)
        except LimitReached as error:
            yield {"kind": "limit", "limit": error.limit, "text": str(error)}
        except MemoryError:
            yield {"kind": "limit", "limit": "memory", "text": "out of memory"}
        except (BddSudokuError, IndexError) as error:
            yield {"kind": "error", "text": str(error)}
        yield {"kind": "end"}

    def live(self, asked: Question) -> LiveBoard:
        """What is known of the board that a question is about.

        Raises:
            PuzzleFormatError: it has none.
        """
        board = asked.get("board")
        if not isinstance(board, Mapping):
            raise PuzzleFormatError("board: expected an object")
        puzzle = puzzle_of(board)
        if puzzle != self._live.puzzle:
            self._live = LiveBoard(puzzle)
        return self._live

    def read(self, asked: Question, context: Context) -> Iterator[Event]:
        """A text as a board, the empty board of a side, or a board from a link as it is."""
        side, text, board = asked.get("side"), asked.get("text"), asked.get("board")
        if isinstance(board, Mapping):
            yield {"kind": "read", "board": board_record(puzzle_of(board)), "notes": []}
            return
        if type(side) is int:
            yield {"kind": "read", "board": board_record(board_of(side)), "notes": []}
            return
        if not isinstance(text, str) or len(text) > _LARGEST_TEXT:
            raise PuzzleFormatError(f"expected a puzzle of at most {_LARGEST_TEXT:,} characters")
        puzzle, notes = read_board(text)
        yield {"kind": "read", "board": board_record(puzzle), "notes": notes}

    def draw(self, asked: Question, context: Context) -> Iterator[Event]:
        """The board under the digits: other rules leave other marks."""
        yield {"kind": "ground", "ground": ground(self.live(asked).puzzle)}

    def board(self, asked: Question, context: Context) -> Iterator[Event]:
        """What is shown at every step: the count, candidates in some solution, all shares."""
        live = self.live(asked)
        clashes = [[a, b] for a, b, _ in live.puzzle.clashes()]
        if clashes:
            yield {"kind": "clashes", "pairs": clashes[:100]}
        if not live.puzzle.is_ordinary:
            # what some solution has is often known long before their number
            yield {"kind": "possible", "masks": masks_of(live.possible(context))}
        count = live.count(context)
        yield {"kind": "count", "count": str(count)}
        if live.puzzle.is_ordinary:
            yield {"kind": "possible", "masks": masks_of(live.possible(context))}
        n = live.puzzle.n
        shares = live.shares(context).reshape(n * n, n).tolist()
        yield {"kind": "shares", "count": str(count), "shares": [[*map(str, x)] for x in shares]}

    def hints(self, asked: Question, context: Context) -> Iterator[Event]:
        """The number of solutions without each hint."""
        live = self.live(asked)
        total = live.count(context)
        found = removal_answers(live.puzzle, total, context, each=_EACH)
        context.check()
        counts = [row["count"] for row in found["without"]]
        cells = list(live.puzzle.hints)
        yield {"kind": "hints", "count": str(total), "cells": cells, "without": counts}

    def rules(self, asked: Question, context: Context) -> Iterator[Event]:
        """The number of solutions without each rule."""
        live = self.live(asked)
        total = live.count(context)
        counts: list[str | None] = []
        rules = live.puzzle.rules
        for number in without_each_rule(live.puzzle, context, _EACH):
            counts.append(None if number is None else str(number))
            context.report(len(counts), len(rules))
        yield {
            "kind": "rules",
            "count": str(total),
            "rules": [rule.text for rule in rules],
            "without": counts,
        }

    def sample(self, asked: Question, context: Context) -> Iterator[Event]:
        """A solution drawn uniformly."""
        live = self.live(asked)
        index, grid = live.sample(context)
        yield self._solution(live, index, grid, context)

    def unrank(self, asked: Question, context: Context) -> Iterator[Event]:
        """The solution with a number."""
        live = self.live(asked)
        index = asked.get("index")
        if not isinstance(index, str) or not index.isdecimal() or len(index) > 400:
            raise PuzzleFormatError("index: expected a whole number, 0 or more")
        grid = live.unrank(int(index), context)
        yield self._solution(live, int(index), grid, context)

    def _solution(self, live: LiveBoard, index: int, grid: Puzzle, context: Context) -> Event:
        return {
            "kind": "solution",
            "index": str(index),
            "count": str(live.count(context.silent)),
            "cells": list(grid.cells),
        }

    def save(self, asked: Question, context: Context) -> Iterator[Event]:
        """A file to keep: ``form`` is text, f-puzzles, svg or set."""
        live = self.live(asked)
        puzzle, form = live.puzzle, asked.get("form")
        match form:
            case "text":
                yield _file("puzzle.txt", "text/plain", puzzle.text.encode())
            case "f-puzzles":
                text = write_fpuzzles(puzzle)
                yield _file("puzzle.json", "application/json", text.encode())
            case "svg":
                shares = None
                if asked.get("shares") is True:
                    n = puzzle.n
                    shares = live.shares(context).reshape(n * n, n).tolist()
                    if not live.count(context.silent):
                        shares = None
                yield _file(
                    "puzzle.svg", "image/svg+xml", board_svg(puzzle, shares=shares).encode()
                )
            case "set":
                yield _file("puzzle.set", "application/octet-stream", _saved(live, context))
            case _:
                raise PuzzleFormatError("form: expected text, f-puzzles, svg or set")


def _saved(live: LiveBoard, context: Context) -> bytes:
    """The bytes of a saved set."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "puzzle.set"
        live.compiled(context).save(path)
        if path.stat().st_size > _LARGEST_FILE:
            raise PuzzleFormatError(
                f"the set takes {path.stat().st_size >> 20} MiB: "
                "`bddsudoku compile --output` writes it"
            )
        return path.read_bytes()


def _file(name: str, type_: str, data: bytes) -> Event:
    return {"kind": "file", "name": name, "type": type_, "data": base64.b64encode(data).decode()}


_Answer = Callable[[Answers, Question, Context], Iterator[Event]]
_ANSWERS: dict[str, _Answer] = {
    "read": Answers.read,
    "draw": Answers.draw,
    "board": Answers.board,
    "hints": Answers.hints,
    "rules": Answers.rules,
    "sample": Answers.sample,
    "unrank": Answers.unrank,
    "save": Answers.save,
}
KINDS = tuple(_ANSWERS)
"""Every kind of question."""
