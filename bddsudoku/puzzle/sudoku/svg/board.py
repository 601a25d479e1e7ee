"""A board as one stand-alone SVG: its cells, its blocks, its rules' marks, its digits.

What stands in the cells: hints, digits of a solution, pencil marks, shares of solutions.

A puzzle in a notebook.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from html import escape
from math import log2
from typing import TYPE_CHECKING

from bddsudoku.puzzle.sudoku.layout import SYMBOLS, Layout, cell_name
from bddsudoku.puzzle.sudoku.rules.places import Mark, Place, Point, Shade
from bddsudoku.puzzle.sudoku.svg.elements import (
    LETTER,
    ROOT,
    element,
    length,
    polyline,
    safe,
    style,
    word,
)
from bddsudoku.puzzle.sudoku.svg.marks import CAGE_WORD, across, drawn, walls

if TYPE_CHECKING:
    from bddsudoku.puzzle.sudoku.grid import Puzzle

_DIGIT = 0.44
"""Height of a digit in a cell of its own."""


class Digits:
    """Draws the cells of one board.

    Args:
        layout: of the board.
        worded: cells (row, column) that have a small word at the top.
    """

    def __init__(self, layout: Layout, worded: Collection[tuple[int, int]]) -> None:
        self.n = layout.n
        self._rows, self._columns = across(self.n)
        self._worded = worded
        free = self._bottom - self._top(bool(worded))
        self._small = min(0.67 * free / self._rows, 0.68 / self._columns, 0.22)

    _bottom = 0.92

    def _top(self, worded: bool) -> float:
        return 0.13 + CAGE_WORD if worded else 0.08

    def _at(self, cell: int, digit: int) -> Point:
        """The middle of a small digit, from 0, in its cell."""
        row, column = divmod(cell, self.n)
        down, right = divmod(digit, self._columns)
        top = self._top((row, column) in self._worded)
        return (
            column + 0.1 + 0.8 * (right + 0.5) / self._columns,
            row + top + (self._bottom - top) * (down + 0.5) / self._rows,
        )

    def large(self, cell: int, digit: int, class_: str) -> str:
        """A digit, from 1, in a cell of its own."""
        row, column = divmod(cell, self.n)
        return word(SYMBOLS[digit - 1], (column + 0.5, row + 0.52), _DIGIT, class_)

    def marks(self, cell: int, mask: int, struck: int) -> list[str]:
        """Candidates, each at its place; some of them struck out."""
        row, column = divmod(cell, self.n)
        if not mask | struck:
            return [word("∅", (column + 0.5, row + 0.52), _DIGIT, "none")]
        digits = [d for d in range(self.n) if (mask | struck) >> d & 1]
        out = []
        for class_, some in (
            ("marks", [d for d in digits if not struck >> d & 1]),
            ("struck", [d for d in digits if struck >> d & 1]),
        ):
            if not some:
                continue
            size = length(self._small / LETTER)
            out.append(
                element(
                    "g", "".join(self._mark(cell, d) for d in some), class_=class_, font_size=size
                )
            )
        return [*out, *self._strikes(cell, struck)]

    def _mark(self, cell: int, digit: int) -> str:
        x, y = self._at(cell, digit)
        return element("text", safe(SYMBOLS[digit]), x=x, y=y + self._small / 2)

    def _strikes(self, cell: int, struck: int) -> list[str]:
        a, b = 0.6 * self._small, 0.5 * self._small
        lines = [
            polyline(((x - a, y + b), (x + a, y - b)))
            for d in range(self.n)
            if struck >> d & 1
            for x, y in [self._at(cell, d)]
        ]
        if not lines:
            return []
        width = max(0.015, self._small / 9)
        return [element("path", class_="strike", d="".join(lines), stroke_width=width)]

    def ground(self, cell: int, counts: Sequence[int]) -> str:
        """A cell's colour: the darker, the less is known (entropy over the solutions)."""
        total = sum(counts)
        shares = [k / total for k in counts if k]
        bits = -sum(p * log2(p) for p in shares)
        if len(shares) < 2:
            return ""
        row, column = divmod(cell, self.n)
        return element(
            "rect",
            class_="unknown",
            x=column,
            y=row,
            width=1,
            height=1,
            fill_opacity=f"{0.62 * bits / log2(self.n):.3f}",
        )

    def shares(self, cell: int, counts: Sequence[int], struck: int, hinted: int) -> str:
        """Digits by the number of solutions that have them here: the more, the larger.

        The exact numbers are the title of the cell.
        """
        total = sum(counts)
        row, column = divmod(cell, self.n)
        live = [(d, k) for d, k in enumerate(counts) if k]
        said = ", ".join(
            f"{SYMBOLS[d]} in {'all ' if k == total else ''}{k:,}"
            + ("" if k == total else f" of {total:,} ({k / total:.1%})")
            for d, k in live
        )
        title = f"{cell_name(cell, self.n)}: {said or 'no solution'}"
        parts = [element("title", safe(title))]
        parts.append(
            element("rect", x=column, y=row, width=1, height=1, fill="none", pointer_events="all")
        )
        if hinted:
            parts.append(self.large(cell, hinted, "hint"))
        elif len(live) == 1 and not struck:
            parts.append(self.large(cell, live[0][0] + 1, "found"))
        else:
            for d, k in live:
                size = self._small * (0.5 + 0.65 * (k / total) ** 0.5)
                class_ = "found" if len(live) == 1 else "open"
                parts.append(word(SYMBOLS[d], self._at(cell, d), size, class_))
            if struck or not live:
                parts += self.marks(cell, 0, struck)
        return element("g", "".join(parts), role="img", aria_label=title)


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


def notebook_html(puzzle: Puzzle) -> str:
    """The board as a picture, and below it the rules that no picture shows."""
    silent = [rule for rule in puzzle.rules if not [*rule.marks(puzzle.layout)]]
    said = "".join(f"<p>{escape(f'{rule.text}: {rule.about}')}</p>" for rule in silent)
    return f"<div>{board_svg(puzzle)}{said}</div>"
