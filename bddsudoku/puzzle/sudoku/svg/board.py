"""A board as one stand-alone SVG: its cells, its blocks, its rules' marks, its digits."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from bddsudoku.puzzle.sudoku.layout import SYMBOLS, Layout
from bddsudoku.puzzle.sudoku.rules.marks import Mark, Shade
from bddsudoku.puzzle.sudoku.rules.places import Place
from bddsudoku.puzzle.sudoku.svg.digits import Digits
from bddsudoku.puzzle.sudoku.svg.drawn import drawn
from bddsudoku.puzzle.sudoku.svg.elements import element, length, safe
from bddsudoku.puzzle.sudoku.svg.palette import ROOT, style
from bddsudoku.puzzle.sudoku.svg.shapes import across, walls

if TYPE_CHECKING:
    from bddsudoku.puzzle.sudoku.grid import Puzzle

_FRAME = 0.07
"""Width of the lines between blocks and around the board."""
_REST = 0.06
"""Around everything."""


def board_svg(
    puzzle: Puzzle,
    *,
    solution: Puzzle | None = None,
    shares: Sequence[Sequence[int]] | None = None,
    struck: Sequence[int] | None = None,
    size: float | None = None,
    title: str | None = None,
) -> str:
    """A picture of a puzzle that needs nothing else, for pages and for files.

    It is light or dark as the reader's other windows are. Nothing in it has an id, so that any
    number of boards may stand on one page.

    Args:
        puzzle: hints are bold, candidates of open cells small; rules are drawn by their marks.
        solution: digits for open cells, lighter than hints.
        shares: for each of the n² cells how many solutions have each of the n digits there: the
            digits are the larger, and the cell the lighter, the more is known; the exact numbers
            come up as the cell's title. Where no solution is drawn.
        struck: n² masks of candidates to be struck out.
        size: side of a cell in CSS pixels; by default what the cells hold decides.
        title: its name; by default size and number of hints.
    """
    lay, n = puzzle.layout, puzzle.n
    marks: list[Mark] = [
        Shade(tuple(Place(*divmod(cell, n)) for cell in house.cells)) for house in lay.extras
    ]
    for rule in puzzle.rules:
        marks += rule.beside(puzzle.rules).marks(lay)
    seen = drawn(marks, n)
    digits = Digits(lay, seen.worded)
    grounds, cells = _cells(puzzle, digits, solution, shares, struck)
    box = seen.box
    box.left, box.top, box.right, box.bottom = (
        box.left - _REST, box.top - _REST, box.right + _REST, box.bottom + _REST
    )  # fmt: skip
    wide, high = box.right - box.left, box.bottom - box.top
    body = "".join(
        [
            element("rect", class_="paper", x=box.left, y=box.top, width=wide, height=high),
            *grounds,
            *seen.under,
            *_grid(lay),
            *seen.cages,
            *cells,
            *seen.over,
        ]
    )
    name = title or f"{n}×{n} Sudoku with {puzzle.hint_count} hint{'s' * (puzzle.hint_count != 1)}"
    has_marks = shares is not None or struck is not None or puzzle.candidates is not None
    side = size or max(46 if seen.worded else 38, 17 * across(n)[1] if has_marks else 0)
    used = {c for classes in re.findall(r' class="([^"]*)"', body) for c in classes.split()}
    inner = (
        element("title", safe(name))
        + element("desc", safe(_described(puzzle)))
        + element("style", style(used))
        + body
    )
    return element(
        "svg",
        inner,
        xmlns="http://www.w3.org/2000/svg",
        class_=ROOT,
        role="img" if shares is None else "group",
        aria_label=name,
        viewBox=" ".join(map(length, (box.left, box.top, wide, high))),
        width=f"{wide * side:.0f}",
        height=f"{high * side:.0f}",
    )


def _cells(
    puzzle: Puzzle,
    digits: Digits,
    solution: Puzzle | None,
    shares: Sequence[Sequence[int]] | None,
    struck: Sequence[int] | None,
) -> tuple[list[str], list[str]]:
    """The grounds of cells, and what stands in them."""
    grounds: list[str] = []
    out: list[str] = []
    for cell, hint in enumerate(puzzle.cells):
        gone = struck[cell] if struck is not None else 0
        if solution is None and shares is not None:
            counts = [int(k) for k in shares[cell]]
            grounds.append(digits.ground(cell, counts))
            out.append(digits.shares(cell, counts, gone, hint))
        elif hint:
            out.append(digits.large(cell, hint, "hint"))
        elif solution is not None and solution.cells[cell]:
            out.append(digits.large(cell, solution.cells[cell], "found"))
        elif puzzle.candidates is not None or gone:
            held = 0 if puzzle.candidates is None else puzzle.candidates[cell]
            out += digits.marks(cell, held, gone)
    return grounds, out


def _grid(layout: Layout) -> list[str]:
    """Lines between cells, lines between blocks, the frame."""
    n = layout.n
    side = length(n)
    thin = "".join(f"M0 {length(i)}H{side}M{length(i)} 0V{side}" for i in range(1, n))
    heavy = "".join(
        f"M{length(w.x1)} {length(w.y1)}"
        + (f"H{length(w.x2)}" if w.y1 == w.y2 else f"V{length(w.y2)}")
        for w in walls(layout)
    )
    lines = [element("path", class_="thin", d=thin, stroke_width=0.02)]
    if heavy:
        lines.append(element("path", class_="thick", d=heavy, stroke_width=0.05))
    frame = element(
        "rect", class_="thick", x=0, y=0, width=n, height=n, fill="none", stroke_width=_FRAME
    )
    return [*lines, frame]


def _described(puzzle: Puzzle) -> str:
    """The grid row by row, and its rules, for those who do not see it."""
    n = puzzle.n
    signs = "".join(SYMBOLS[d - 1] if d else "." for d in puzzle.cells)
    rows = [signs[i : i + n] for i in range(0, n * n, n)]
    return "\n".join([*rows, *(rule.text for rule in puzzle.rules)])
