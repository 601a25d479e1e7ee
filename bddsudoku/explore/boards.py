"""Boards as JSON: what the component holds, and the puzzle that it means."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bddsudoku.errors import PuzzleFormatError
from bddsudoku.puzzle.sudoku.grid import Puzzle
from bddsudoku.puzzle.sudoku.layout import SYMBOLS, Layout
from bddsudoku.puzzle.sudoku.svg import board_svg
from bddsudoku.puzzle.sudoku.text import read_puzzles
from bddsudoku.puzzle.sudoku.text.rule_lines import layout_lines, with_line

LARGEST = 16
"""Side of the largest board that is shown."""
_MOST_RULES = 400


def board_record(puzzle: Puzzle) -> dict[str, Any]:
    """Everything that the component needs to draw a puzzle and to ask about it.

    Returns:
        ``n``, ``box`` (rows, columns), ``lines`` (blocks of other shapes, extra houses), ``cells``,
        ``masks`` (None where all candidates are open), ``rules`` (their lines) and ``symbols``: by
        these :func:`puzzle_of` finds the puzzle again. ``houses``: their cells; ``ground``: the
        board and the marks of its rules as SVG; ``about``: what each rule demands.

    Raises:
        PuzzleFormatError: the board is too large.
    """
    layout = puzzle.layout
    if layout.n > LARGEST:
        raise PuzzleFormatError(f"boards up to {LARGEST}x{LARGEST} are shown, this is {layout}")
    return {
        "n": layout.n,
        "box": [layout.box_rows, layout.box_columns],
        "lines": layout_lines(layout),
        "cells": list(puzzle.cells),
        "masks": None if puzzle.candidates is None else list(puzzle.candidates),
        "rules": [rule.text for rule in puzzle.rules],
        "about": [rule.about for rule in puzzle.rules],
        "symbols": SYMBOLS[: layout.n],
        "houses": [list(house.cells) for house in layout.houses],
        "ground": ground(puzzle),
    }


def ground(puzzle: Puzzle) -> str:
    """The empty board with the marks of the rules, as SVG."""
    return board_svg(_empty(puzzle.layout, puzzle.rules), size=40, title="")


def _empty(layout: Layout, rules: Sequence[Any] = ()) -> Puzzle:
    return Puzzle([0] * layout.cell_count, layout, None, rules)


def read_board(text: str) -> tuple[Puzzle, list[str]]:
    """The first puzzle in a text of any form that is read, and notes about it.

    Raises:
        PuzzleFormatError: there is none, or what follows it is none.
    """
    records = read_puzzles(io.StringIO(text, newline=None), name="text")
    first = next(records, None)
    if first is None:
        raise PuzzleFormatError("expected a puzzle, found none")
    more = ["the first of several puzzles"] if next(records, None) is not None else []
    return first.puzzle, [*first.notes, *more]


def board_of(side: int) -> Puzzle:
    """The empty board of a side.

    Raises:
        PuzzleFormatError: there is none, or it is too large.
    """
    if side > LARGEST:
        raise PuzzleFormatError(f"boards up to {LARGEST}x{LARGEST} are shown")
    return _empty(Layout.of_size(side))


@lru_cache(maxsize=64)
def _frame(box: tuple[int, int], lines: tuple[str, ...], rules: tuple[str, ...]) -> Puzzle:
    """The empty board with houses and rules: read once, asked about at every key."""
    found = _empty(Layout(*box))
    for line in (*lines, *rules):
        found = with_line(found, line)
    return found


def puzzle_of(board: Mapping[str, Any]) -> Puzzle:
    """The puzzle that a board of the component means.

    Args:
        board: ``box``, ``lines``, ``cells``, ``masks``, ``rules`` as :func:`board_record` gives
            them. It may come from anywhere, so that nothing about it is taken for granted.

    Raises:
        PuzzleFormatError: it is no board.
    """
    box = _ints(board.get("box"), "box", 2)
    if min(box) < 1 or box[0] * box[1] > LARGEST:
        raise PuzzleFormatError(f"box: boards up to {LARGEST}x{LARGEST}")
    lines, rules = _texts(board.get("lines"), "lines"), _texts(board.get("rules"), "rules")
    frame = _frame((box[0], box[1]), lines, rules)
    size = frame.layout.cell_count
    cells = _ints(board.get("cells"), "cells", size)
    given = board.get("masks")
    masks = None if given is None else _ints(given, "masks", size)
    return Puzzle(cells, frame.layout, masks, frame.rules)


def _ints(value: object, name: str, size: int) -> list[int]:
    if isinstance(value, list) and len(value) == size and all(type(v) is int for v in value):
        return value
    raise PuzzleFormatError(f"{name}: expected {size} whole numbers")


def _texts(value: object, name: str) -> tuple[str, ...]:
    found = [] if value is None else value
    if not (
        isinstance(found, list)
        and len(found) <= _MOST_RULES
        and all(isinstance(v, str) and len(v) <= 4096 for v in found)
    ):
        raise PuzzleFormatError(f"{name}: expected at most {_MOST_RULES} lines")
    return tuple(found)


def masks_of(possible: NDArray[np.bool_]) -> list[int]:
    """Truths [row, column, digit - 1] as one mask a cell."""
    n = possible.shape[2]
    weights = 1 << np.arange(n, dtype=np.int64)
    masks: list[int] = (possible.reshape(n * n, n) * weights).sum(axis=1).tolist()
    return masks
