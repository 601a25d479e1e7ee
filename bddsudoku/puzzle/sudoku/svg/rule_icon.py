"""Icons of rules: the marks that a rule draws, cut out of a board."""

from __future__ import annotations

from bddsudoku.puzzle.sudoku.layout import Layout
from bddsudoku.puzzle.sudoku.places import Place
from bddsudoku.puzzle.sudoku.rules.places_and_marks import Disc, Mark, Shade, centre_point
from bddsudoku.puzzle.sudoku.rules.rule import FieldKind, Rule
from bddsudoku.puzzle.sudoku.svg.elements import (
    ROOT,
    MarkElements,
    element,
    format_length,
    path_element,
    polyline_data,
    style_sheet,
    used_classes,
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
    places = [
        place
        for key, kind in rule.fields.items()
        if kind is FieldKind.PLACES
        for place in getattr(rule, key)
    ]
    if not marks:
        places = _related_places(rule, layout)
        marks = [Shade(tuple(places), "blue")]
        if len(places) < layout.cell_count:
            marks.append(Disc(centre_point(_middle(layout)), 0.2, "grey", None))
    elif not places:
        layout = Layout(2, 2)  # thin lines across 9x9 cells could not be seen
        marks, places = [*rule.marks(layout)], [*layout.places]
    rows, columns = ([place[side] for place in places] for side in (0, 1))
    top, left = min(rows), min(columns)
    side = max(max(rows) - top + 1, max(columns) - left + 1, _LEAST_SIDE)
    top = min(top, max(layout.row_count - side, -1))
    left = min(left, max(layout.column_count - side, -1))
    steps = range(side + 1) if side < _LARGE else (0, side)
    across = [((left, top + k), (left + side, top + k)) for k in steps]
    down = [((left + k, top), (left + k, top + side)) for k in steps]
    grid = path_element(
        "".join(map(polyline_data, (*across, *down))), "", 0.03, stroke="currentColor",
        stroke_opacity="0.45",
    )  # fmt: skip
    drawn = MarkElements(marks, layout.row_count, layout.column_count)
    body = "".join([*drawn.under, grid, *drawn.cages, *drawn.over])
    box = (left - 0.1, top - 0.1, side + 0.2, side + 0.2)
    return element(
        "svg",
        element("style", style_sheet(used_classes(body))) + body,
        xmlns="http://www.w3.org/2000/svg",
        class_=ROOT,
        viewBox=" ".join(map(format_length, box)),
    )


def _middle(layout: Layout) -> Place:
    return Place(layout.row_count // 2, layout.column_count // 2)


def _related_places(rule: Rule, layout: Layout) -> list[Place]:
    """The cells that a rule of the whole board relates to the middle one; else to the first."""
    n, middle = layout.digit_count, layout.cell(_middle(layout))
    groups = [
        {variable // n for variable in constraint.variables}
        for constraint in rule.constraints(layout)
    ]
    near = [group for group in groups if middle in group] or groups[:1]
    cells = sorted(set().union(*near))
    return [layout.places[cell] for cell in cells] or [_middle(layout)]
