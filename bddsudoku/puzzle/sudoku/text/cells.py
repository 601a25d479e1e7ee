"""Cells, however they were found, become a puzzle."""

from __future__ import annotations

from collections.abc import Sequence

from bddsudoku.errors import PuzzleFormatError
from bddsudoku.puzzle.sudoku.grid import Puzzle
from bddsudoku.puzzle.sudoku.layout import Layout, cell_name
from bddsudoku.puzzle.sudoku.text.regions import is_map, refuse_map
from bddsudoku.puzzle.sudoku.text.symbols import (
    choose_alphabet,
    number_of,
    refuse_two_zeros,
    show,
)


def puzzle_of_cells(
    cells: Sequence[str],
    lines: Sequence[int],
    layout: Layout,
    convention: str | None,
    source: str | None,
) -> Puzzle:
    """The puzzle with these n² cells, row by row.

    Args:
        cells: one symbol each, or numbers on boards of 10×10 and more; "" for an open one.
        lines: the line of every cell, or the one line of all of them.
        layout: the shape.
        convention: the symbols asked for, or None.
        source: file name for messages.

    Raises:
        PuzzleFormatError: a cell that is neither digit nor open, two conventions that fit, or a
            map of regions.
    """
    n = layout.n
    if is_map(cells, n):
        raise refuse_map(n, lines[0], source)
    if all(len(c) <= 1 for c in cells):
        symbols = "".join([c or "." for c in cells])
        letters = choose_alphabet(symbols, n, convention, lines[0], source)
        digits = letters.digits(symbols)
        if digits is None:
            at = letters.first_unknown(symbols)
            raise letters.refusal(symbols[at], at, lines[at if len(lines) > 1 else 0], source)
        return Puzzle.trusted(tuple(digits), layout)
    found: list[int] = []
    present: set[str] = set()
    for cell, token in enumerate(cells):
        value = number_of(token or ".", n)
        if value is None:
            what = f"a number 1 to {n}" if n >= 10 else f"one symbol 1-{n}"
            raise PuzzleFormatError(
                f"expected {what} or an open cell (. 0 _ * -), found {show(token)}",
                source=source,
                line=lines[cell if len(lines) > 1 else 0],
                cell=cell_name(cell, n),
            )
        found.append(value)
        present.add(str(value) if value else (token[:1] or ".").upper())
    if n >= 10:
        refuse_two_zeros(present, str(n), n, lines[0], source)
    return Puzzle.trusted(tuple(found), layout)
