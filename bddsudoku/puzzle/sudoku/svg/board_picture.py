"""Picture of a puzzle as a stand-alone SVG, and as HTML for notebooks.

It shows cells, blocks, marks of rules and, in the cells, hints, digits of a solution, pencil marks
or marginals (the number of solutions with each digit).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from math import log2

from bddsudoku.argument_types import check_types
from bddsudoku.notebook_html import entropy
from bddsudoku.puzzle.sudoku.grid import Puzzle
from bddsudoku.puzzle.sudoku.layout import Layout
from bddsudoku.puzzle.sudoku.places import Place
from bddsudoku.puzzle.sudoku.rules.places_and_marks import Mark, Point, Shade, WordMark
from bddsudoku.puzzle.sudoku.svg.elements import (
    CAGE_WORD,
    LETTER,
    MarkElements,
    element,
    escape_text,
    outline_data,
    path_element,
    polyline_data,
    rectangle,
    small_digit_grid,
    svg_picture,
    text_element,
)

_DIGIT = 0.44
"""Height of the only digit of a cell, in cells."""


class CellPainter:
    """Draws the contents of the cells of one board.

    If some cells have a small text at the top, such as a cage's sum, small digits stand below it.
    """

    _bottom = 0.92

    def __init__(self, layout: Layout, *, has_texts: bool) -> None:
        self._layout, self._symbols = layout, layout.symbols
        self._places = drawn_places(layout)
        self._rows, self._columns = small_digit_grid(len(self._symbols))
        self._top = 0.13 + CAGE_WORD if has_texts else 0.08
        free = self._bottom - self._top
        self._small = min(0.67 * free / self._rows, 0.68 / self._columns, 0.22)

    def _digit_centre(self, cell: int, digit: int) -> Point:
        """The centre of a small digit (from 0) in a cell."""
        row, column = self._places[cell]
        down, right = divmod(digit, self._columns)
        return (
            column + 0.1 + 0.8 * (right + 0.5) / self._columns,
            row + self._top + (self._bottom - self._top) * (down + 0.5) / self._rows,
        )

    def large_digit(self, cell: int, sign: str, class_: str) -> str:
        """Return the SVG element of one large symbol in the middle of a cell."""
        row, column = self._places[cell]
        weight = {"font_weight": "700"} if class_ == "hint" else {}
        return text_element(sign, (column + 0.5, row + 0.52), _DIGIT, class_, **weight)

    def pencil_marks(self, cell: int, mask: int, struck: int) -> list[str]:
        """A cell's candidates as SVG, in small digits; those in ``struck`` are crossed out."""
        if not mask | struck:
            return [self.large_digit(cell, "∅", "none")]
        small, out, strikes = self._small, [], []
        for class_, some in (("marks", mask & ~struck), ("struck", struck)):
            texts = []
            for d in (d for d in range(len(self._symbols)) if some >> d & 1):
                x, y = self._digit_centre(cell, d)
                texts.append(element("text", self._symbols[d], x=x, y=y + small / 2))
                if class_ == "struck":
                    a, b = 0.6 * small, 0.5 * small
                    strikes.append(polyline_data(((x - a, y + b), (x + a, y - b))))
            if texts:
                out.append(element("g", "".join(texts), class_=class_, font_size=small / LETTER))
        if strikes:
            out.append(path_element("".join(strikes), "strike", max(0.015, small / 9)))
        return out

    def _cell_rectangle(self, cell: int, **attributes: str) -> str:
        row, column = self._places[cell]
        return rectangle(column, row, 1, 1, **attributes)

    def entropy_background(self, cell: int, counts: Sequence[int]) -> str:
        """A cell's background in SVG, darker for a higher entropy of its digit in the solutions."""
        if not (unknown := entropy(counts)):
            return ""
        unknown /= log2(len(self._symbols))
        return self._cell_rectangle(cell, class_="unknown", fill_opacity=f"{0.62 * unknown:.3f}")

    def marginal_digits(self, cell: int, counts: Sequence[int], struck: int, hinted: int) -> str:
        """The SVG element of a cell's digits, each larger the more solutions have it in the cell.

        The exact numbers are the cell's tooltip.
        """
        total = sum(counts)
        live = {d: k for d, k in enumerate(counts) if k}
        description = ", ".join(
            f"{self._symbols[d]} in all {k:,}"
            if k == total
            else f"{self._symbols[d]} in {k:,} of {total:,} ({k / total:.1%})"
            for d, k in live.items()
        )
        title = f"{self._layout.cell_name(cell)}: {description or 'no solution'}"
        parts = [
            element("title", escape_text(title)),
            self._cell_rectangle(cell, fill="none", pointer_events="all"),
        ]
        class_ = "found" if len(live) == 1 else "open"
        if hinted:
            parts.append(self.large_digit(cell, self._symbols[hinted - 1], "hint"))
        elif len(live) == 1 and not struck:
            parts.append(self.large_digit(cell, self._symbols[min(live)], class_))
        else:
            for d, k in live.items():
                size = self._small * (0.5 + 0.65 * (k / total) ** 0.5)
                parts.append(
                    text_element(self._symbols[d], self._digit_centre(cell, d), size, class_)
                )
            if struck or not live:
                parts += self.pencil_marks(cell, 0, struck)
        return element("g", "".join(parts), role="img", aria_label=title)


_FRAME = 0.07
"""Width of the frame around the board."""
_REST = 0.06
"""Margin around the picture."""
_CAPTION = 50
"""Characters below the board, at most: some nine cells."""


@check_types
def board_svg(
    puzzle: Puzzle,
    *,
    solution: Puzzle | None = None,
    marginals: Sequence[Sequence[int]] | None = None,
    struck: Sequence[int] | None = None,
    size: float | None = None,
    title: str | None = None,
) -> str:
    """A puzzle as a stand-alone SVG, for web pages and files.

    Rules that draw nothing are written below the board if more than their name says something.
    Colours follow the reader's light or dark mode. No element has an id, so any number of boards
    may be on one page.

    Args:
        puzzle: hints are bold, candidates of open cells small; rules are drawn by their marks.
        solution: digits for open cells, lighter than hints.
        marginals: for each of the n² cells, how many solutions have each of the n digits there. A
            digit is larger, and the cell lighter, the more is known; the exact numbers are the
            cell's tooltip. Ignored when a solution is drawn.
        struck: n² masks of candidates to be struck out.
        size: side of a cell in CSS pixels; by default chosen by the cells' contents.
        title: the picture's title; by default the side and the number of hints.
    """
    lay, places = puzzle.layout, drawn_places(puzzle.layout)
    to = dict(zip(lay.places, places, strict=True))
    marks: list[Mark] = [Shade(tuple(places[cell] for cell in house)) for house in lay.extra]
    for rule in puzzle.rules:
        marks += rule.in_company(puzzle.rules).with_places(lambda p: to.get(p, p)).marks(lay)
    marks += _group_labels(lay)
    high, wide = (1 + max(sides) for sides in zip(*places, strict=True))
    below = max([high, *(mark.at[1] + 0.4 for mark in marks if isinstance(mark, WordMark))])
    marks += _captions(puzzle, (wide / 2, below + 0.25))
    seen = MarkElements(marks, high, wide)
    grounds, cells = _draw_cells(
        puzzle, CellPainter(lay, has_texts=bool(seen.worded)), solution, marginals, struck
    )
    left, top = min(seen.xs) - _REST, min(seen.ys) - _REST
    wide, high = max(seen.xs) + _REST - left, max(seen.ys) + _REST - top
    paper = rectangle(left, top, wide, high, class_="paper")
    drawn = [paper, *grounds, *seen.under, *_draw_grid_lines(lay), *seen.cages, *cells, *seen.over]
    hints = f"{puzzle.hint_count} hint{'s' * (puzzle.hint_count != 1)}"
    name = title or f"{lay.row_count}×{lay.column_count} Sudoku with {hints}"
    has_marks = marginals is not None or struck is not None or puzzle.candidates is not None
    side = size or max(
        46 if seen.worded else 38, 17 * small_digit_grid(lay.digit_count)[1] if has_marks else 0
    )
    texts = ("title", name), ("desc", _screen_reader_text(puzzle))
    return svg_picture(
        "".join(drawn),
        (left, top, wide, high),
        "".join(element(tag, escape_text(text)) for tag, text in texts),
        role="img" if marginals is None else "group",
        aria_label=name,
        width=f"{wide * side:.0f}",
        height=f"{high * side:.0f}",
    )


def _draw_cells(
    puzzle: Puzzle,
    painter: CellPainter,
    solution: Puzzle | None,
    marginals: Sequence[Sequence[int]] | None,
    struck: Sequence[int] | None,
) -> tuple[list[str], list[str]]:
    """Draw the cells; return the SVG elements of their backgrounds and those of their contents."""
    grounds: list[str] = []
    out: list[str] = []
    for cell, hint in enumerate(puzzle.numbers):
        gone = struck[cell] if struck is not None else 0
        given = hint or (solution.numbers[cell] if solution is not None else 0)
        if solution is None and marginals is not None:
            counts = [int(k) for k in marginals[cell]]
            grounds.append(painter.entropy_background(cell, counts))
            out.append(painter.marginal_digits(cell, counts, gone, hint))
        elif given:
            out.append(
                painter.large_digit(
                    cell, puzzle.layout.symbols[given - 1], "hint" if hint else "found"
                )
            )
        elif puzzle.candidates is not None or gone:
            held = 0 if puzzle.candidates is None else puzzle.candidates[cell]
            out += painter.pencil_marks(cell, held, gone)
    return grounds, out


def _draw_grid_lines(layout: Layout) -> list[str]:
    """SVG elements of the lines between cells and between blocks, and of the frame."""
    high, wide = layout.row_count, layout.column_count
    thin = [((0, i), (wide, i)) for i in range(1, high)]
    thin += [((i, 0), (i, high)) for i in range(1, wide)]
    lines = [path_element("".join(map(polyline_data, thin)), "thin", 0.02)]
    lines.append(rectangle(0, 0, wide, high, class_="thick", fill="none", stroke_width=_FRAME))
    places = drawn_places(layout)
    areas: list[Sequence[int]] = [house.cells for house in layout.blocks]
    for numbers in layout.cells_by_group.values():
        cells = [places[cell] for cell in numbers]
        lines.append(path_element("".join(outline_data([c], 0) for c in cells), "thin", 0.02))
        areas.append(numbers)
    outlines = (outline_data([places[cell] for cell in numbers], 0) for numbers in areas)
    return [*lines, *(path_element(outline, "thick", 0.05) for outline in outlines)]


def drawn_places(layout: Layout) -> list[Place]:
    """Where each cell is drawn: groups below the grid, under each other, with a gap above each.

    A single row that is longer than those of the grid is drawn in several.
    """
    found = list(layout.places[: layout.grid_cell_count])
    top = layout.row_count
    for group in layout.groups:
        wide = group.columns if group.rows > 1 else min(group.columns, layout.column_count)
        found += (Place(top + 1 + i // wide, i % wide) for i in range(group.cell_count))
        top = found[-1].row + 1
    return found


def _group_labels(layout: Layout) -> Iterator[Mark]:
    """Yield the name and the label of each group, above its cells."""
    places = drawn_places(layout)
    for group, cells in layout.cells_by_group.items():
        text = f"{group.name}: {group.label}" if group.label else group.name
        middle = max(group.columns if group.rows > 1 else 0, layout.column_count) / 2
        yield WordMark((middle, places[cells[0]].row - 0.3), text, 0.3)


def _captions(puzzle: Puzzle, at: Point) -> Iterator[Mark]:
    """Yield the lines of rules that say something but draw nothing, under each other."""
    x, y = at
    for rule in puzzle.rules:
        if rule.fields and not [*rule.marks(puzzle.layout)]:
            text = rule.text if len(rule.text) <= _CAPTION else f"{rule.text[: _CAPTION - 1]}…"
            yield WordMark((x, y), text, 0.22, "blue")
            y += 0.35


def _screen_reader_text(puzzle: Puzzle) -> str:
    """A description of the puzzle for screen readers: the rows of the grid, and its rules."""
    layout, n = puzzle.layout, puzzle.layout.column_count
    signs = "".join(f".{layout.symbols}"[d] for d in puzzle.numbers)
    rows = [signs[i : i + n] for i in range(0, layout.grid_cell_count, n)]
    for group, cells in layout.cells_by_group.items():
        rows.append(f"{group.text}: {signs[cells.start : cells.stop]}")
    return "\n".join([*rows, *(rule.text for rule in puzzle.rules)])


def notebook_html(puzzle: Puzzle) -> str:
    """Return HTML with the board's picture and, below it, the rules that it does not show."""
    silent = [rule for rule in puzzle.rules if not [*rule.marks(puzzle.layout)]]
    captions = "".join(f"<p>{escape(f'{rule.text}: {rule.about}')}</p>" for rule in silent)
    return f"<div>{board_svg(puzzle)}{captions}</div>"
