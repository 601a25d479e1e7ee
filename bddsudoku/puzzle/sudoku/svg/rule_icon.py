"""Icons of rules: the marks that a rule draws, cut out of a board."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from bddsudoku.puzzle.sudoku.layout import Layout
from bddsudoku.puzzle.sudoku.places import Place
from bddsudoku.puzzle.sudoku.rules.places_and_marks import Disc, Mark, Shade, centre_point
from bddsudoku.puzzle.sudoku.rules.rule import Rule
from bddsudoku.puzzle.sudoku.svg.elements import (
    MarkElements,
    path_element,
    polyline_data,
    svg_picture,
)

_LEAST_SIDE = 2
"""Cells along a side of an icon, at least."""
_LARGE = 5
"""Cells along a side from which on lines between them are left out."""


def rule_icon(rule: Rule, layout: Layout) -> str:
    """A small square SVG of a rule, as it is drawn on a board, or of cells that it relates.

    Lines between cells have the text's colour, marks those of the board, light and dark.

    Args:
        rule: fits the layout.
        layout: the board; the icon shows its smallest part with the whole rule.
    """
    marks: list[Mark] = [*rule.marks(layout)]
    places: Sequence[Place] = [*chain.from_iterable(rule.place_lists)]
    if not marks:
        middle = layout.cell_count // 2
        places = [layout.places[cell] for cell in _related_cells(rule, layout, middle)]
        marks = [Shade(tuple(places), "blue")]
        if len(places) < layout.cell_count:
            marks.append(Disc(centre_point(layout.places[middle]), 0.2, "grey", None))
    elif not places:
        layout = Layout(2, 2)  # thin lines across 9x9 cells could not be seen
        marks, places = [*rule.marks(layout)], layout.places
    rows, columns = zip(*places, strict=True)
    top, left = min(rows), min(columns)
    side = max(max(rows) - top + 1, max(columns) - left + 1, _LEAST_SIDE)
    top = min(top, max(layout.row_count - side, -1))
    left = min(left, max(layout.column_count - side, -1))
    lines = [
        line
        for k in (range(side + 1) if side < _LARGE else (0, side))
        for line in (
            ((left, top + k), (left + side, top + k)),
            ((left + k, top), (left + k, top + side)),
        )
    ]
    data = "".join(map(polyline_data, lines))
    grid = path_element(data, "", 0.03, stroke="currentColor", stroke_opacity="0.45")
    drawn = MarkElements(marks, layout.row_count, layout.column_count)
    body = "".join([*drawn.under, grid, *drawn.cages, *drawn.over])
    return svg_picture(body, (left - 0.1, top - 0.1, side + 0.2, side + 0.2))


def _related_cells(rule: Rule, layout: Layout, middle: int) -> list[int]:
    """The cells that a rule of the whole board relates to the middle one; else to the first."""
    n = layout.digit_count
    groups = [{variable // n for variable in c.variables} for c in rule.constraints(layout)]
    near = [group for group in groups if middle in group] or groups[:1]
    return sorted(set().union(*near)) or [middle]
