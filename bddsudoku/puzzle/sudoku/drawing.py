"""A puzzle drawn with borders, as text that reads back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bddsudoku.puzzle.sudoku.layout import SYMBOLS

if TYPE_CHECKING:
    from bddsudoku.puzzle.sudoku.grid import Puzzle


def candidate_text(mask: int) -> str:
    """``1567`` for the mask of these digits."""
    return "".join(s for d, s in enumerate(SYMBOLS) if mask >> d & 1)


def cell_texts(puzzle: Puzzle) -> list[str]:
    """What stands in each cell: a digit, ``.``, or the candidates.

    Candidates stand bare, as solvers print them, where a reader cannot take them for anything
    else (see :mod:`bddsudoku.puzzle.sudoku.text.cells`), and in braces elsewhere.
    """
    if puzzle.candidates is None:
        return [SYMBOLS[d - 1] if d else "." for d in puzzle.cells]
    many = sum(mask & (mask - 1) != 0 for mask in puzzle.candidates)
    bare = puzzle.n < 10 and many >= 2 and not puzzle.dead_cells
    return [
        candidate_text(mask) if bare or digit else f"{{{candidate_text(mask)}}}"
        for mask, digit in zip(puzzle.candidates, puzzle.cells, strict=True)
    ]


def bordered(puzzle: Puzzle) -> str:
    """The grid with borders; reads back as the same puzzle."""
    lay, n = puzzle.layout, puzzle.n
    cells = cell_texts(puzzle)
    widths = [max(len(cells[r * n + c]) for r in range(n)) for c in range(n)]
    high, wide = (lay.box_rows, lay.box_columns) if lay.regions is None else (n, n)
    stacks = [range(c, c + wide) for c in range(0, n, wide)]
    border = "+" + "+".join("-" * (sum(widths[c] + 1 for c in s) + 1) for s in stacks) + "+"
    lines = []
    for row in range(n):
        if row % high == 0:
            lines.append(border)
        groups = [" ".join(cells[row * n + c].ljust(widths[c]) for c in s) for s in stacks]
        lines.append("| " + " | ".join(groups) + " |")
    return "\n".join([*lines, border])
