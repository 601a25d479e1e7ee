"""What stands in the cells: hints, digits of a solution, pencil marks, shares of solutions."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from math import log2

from bddsudoku.puzzle.sudoku.layout import SYMBOLS, Layout, cell_name
from bddsudoku.puzzle.sudoku.rules.marks import Point
from bddsudoku.puzzle.sudoku.svg.drawn import CAGE_WORD
from bddsudoku.puzzle.sudoku.svg.elements import LETTER, element, length, polyline, safe, word
from bddsudoku.puzzle.sudoku.svg.shapes import across

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
