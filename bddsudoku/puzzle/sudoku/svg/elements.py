"""SVG elements as text, a board's style sheet, and drawings of rules (cages, lines, dots).

Lengths are given in cells and written in hundredths of a cell.

A colour has three tones: *soft* for marks under digits, *mid* for thin lines there, *strong* for
marks in front. Marks name their colours; the tone depends on their position. The style uses only
classes and a media query, so that converters without CSS variables draw the light board.

Marks lie in layers, from the lowest: shades, filled shapes, lines, shapes with an edge, the lines
of the grid, cages, the digits, and above them lines, shapes and texts.
"""

from __future__ import annotations

import re
from cmath import phase, rect
from collections.abc import Callable, Iterable, Sequence
from html import escape
from math import ceil, dist, isqrt, pi
from typing import Any

from bddsudoku.puzzle.sudoku.rules.places_and_marks import (
    DashedOutline,
    Disc,
    Mark,
    Point,
    Shade,
    Stroke,
    WordMark,
)

SCALE = 100
"""Units per cell (not 1, because browsers round and limit font sizes below one unit)."""

LETTER, WIDE = 0.72, 0.58
"""Height and width of a digit as fractions of the font size."""

_NOT_XML = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def format_length(value: float) -> str:
    """A length or coordinate in cells as text in SVG units."""
    text = f"{value * SCALE:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text


def escape_text(text: str) -> str:
    """Text escaped for XML; characters that XML does not allow are replaced."""
    return escape(_NOT_XML.sub("\ufffd", text))


def element(tag: str, content: str = "", /, **attributes: str | float) -> str:
    """An XML element as text; its content is elements or escaped text.

    Attributes that are numbers are lengths in cells; in their names ``_`` stands for ``-`` and is
    dropped at the end (``class_``).
    """
    attribute_text = "".join(
        f' {key.rstrip("_").replace("_", "-")}="'
        f'{escape_text(value) if isinstance(value, str) else format_length(value)}"'
        for key, value in attributes.items()
    )
    return f"<{tag}{attribute_text}>{content}</{tag}>" if content else f"<{tag}{attribute_text}/>"


def rectangle(x: float, y: float, wide: float, high: float, /, **attributes: str | float) -> str:
    """A ``rect`` element, given by its top left corner, width and height."""
    return element("rect", x=x, y=y, width=wide, height=high, **attributes)


def path_element(data: str, class_: str, width: float, /, **attributes: str | float) -> str:
    """A ``path`` element with path data, style class and stroke width."""
    return element("path", class_=class_, d=data, stroke_width=width, **attributes)


def polyline_data(points: Iterable[Point]) -> str:
    """Path data of a polyline through points."""
    return "M" + "L".join(f"{format_length(x)} {format_length(y)}" for x, y in points)


def text_element(text: str, at: Point, size: float, class_: str, /, **attributes: str) -> str:
    """A ``text`` element with its centre at a point; ``size`` is the height of a digit."""
    x, y = at
    place = {"x": x, "y": y + size / 2, "font_size": size / LETTER}
    return element("text", escape_text(text), class_=class_, **place, **attributes)


ROOT = "bddsudoku-board"
"""Class of the root element; all style rules apply below it only."""

_TONES = {
    # soft, mid, strong of light boards; of dark boards
    "grey": ("#d2d2d2", "#9c9c9c", "#666666", "#474747", "#7a7a7a", "#b4b4b4"),
    "blue": ("#b3d4f2", "#6ea8dc", "#0060a0", "#27486a", "#4b83b8", "#82bdf2"),
    "green": ("#b5e0b5", "#66b56c", "#1e7b34", "#2a5433", "#4e9a5c", "#82d390"),
    "orange": ("#f9d5a5", "#e8a04a", "#b35900", "#654618", "#b87f30", "#f2ad58"),
    "pink": ("#f7c3de", "#e07fb4", "#b3357f", "#642c4d", "#b3588c", "#f295c8"),
    "purple": ("#d9c5f0", "#a884d8", "#6f3fb0", "#49366c", "#8462bd", "#c3a0f2"),
    "red": ("#f7beb8", "#e07a70", "#b3261e", "#692d28", "#bb5a52", "#f49088"),
    "yellow": ("#f4e79d", "#cdb530", "#7d6300", "#564d1e", "#a08c30", "#e8d262"),
    "black": ("#b4b4b4", "#5c5c5c", "#111111", "#5c5c5c", "#a0a0a0", "#eeeeee"),
    "white": ("#ffffff", "#ffffff", "#ffffff", "#1b1b1b", "#1b1b1b", "#1b1b1b"),
}
_BOARD = {
    # class: property, light, dark
    "paper": ("fill", "#ffffff", "#1b1b1b"),
    "thin": ("stroke", "#a6a6a6", "#5e5e5e"),
    "thick": ("stroke", "#111111", "#dddddd"),
    "hint": ("fill", "#111111", "#f2f2f2"),
    "found": ("fill", "#0060a0", "#82bdf2"),
    "open": ("fill", "#111111", "#f2f2f2"),
    "marks": ("fill", "#555555", "#bbbbbb"),
    "none": ("fill", "#b3261e", "#f49088"),
    "struck": ("fill", "#8a8a8a", "#8f8f8f"),
    "strike": ("stroke", "#b3261e", "#f49088"),
    "unknown": ("fill", "#2171b5", "#3f87c9"),
}


def _class_styles() -> dict[str, tuple[str, str, str]]:
    """The property that each class sets, and its colours on light and on dark boards."""
    known = {**_BOARD}
    for colour, tones in _TONES.items():
        for tone, day, night in zip(("soft", "mid", "strong"), tones, tones[3:], strict=False):
            known[f"{tone}-fill-{colour}"] = ("fill", day, night)
            known[f"{tone}-line-{colour}"] = ("stroke", day, night)
        known[f"disc-{colour}"] = ("fill", tones[2], tones[5])
        known[f"on-{colour}"] = ("fill", "#ffffff", "#111111")
    # black and white dots keep their colours on dark boards
    for colour, plain, on in (("black", "#111111", "#ffffff"), ("white", "#ffffff", "#111111")):
        known[f"disc-{colour}"], known[f"on-{colour}"] = ("fill", plain, plain), ("fill", on, on)
    return known


_CLASS_STYLES = _class_styles()


def svg_picture(
    body: str, box: tuple[float, float, float, float], head: str = "", **attributes: str
) -> str:
    """A stand-alone SVG, with the styles of the classes that its elements name.

    Args:
        body: its elements.
        box: left, top, width and height of what is shown.
        head: elements before the styles, such as a title.
        attributes: of the root element.
    """
    named = {c for classes in re.findall(r' class="([^"]*)"', body) for c in classes.split()}
    wanted = [(name, *style) for name, style in _CLASS_STYLES.items() if name in named]
    light = "".join(f".{ROOT} .{name}{{{key}:{day}}}" for name, key, day, _ in wanted)
    dark = "".join(
        f".{ROOT} .{name}{{{key}:{night}}}" for name, key, day, night in wanted if night != day
    )
    styles = (
        f".{ROOT}{{font-family:system-ui,sans-serif;font-weight:400;text-anchor:middle}}"
        f".{ROOT} path{{fill:none;stroke-linecap:round;stroke-linejoin:round}}"
        # in a media query, because converters would take it for the size of the picture
        f"@media screen{{.{ROOT}{{max-width:100%;height:auto}}}}{light}"
        + (f"@media screen and (prefers-color-scheme:dark){{{dark}}}" if dark else "")
    )
    return element(
        "svg",
        head + element("style", styles) + body,
        xmlns="http://www.w3.org/2000/svg",
        class_=ROOT,
        viewBox=" ".join(map(format_length, box)),
        **attributes,
    )


def outline_data(cells: Iterable[tuple[int, int]], inset: float) -> str:
    """Path data of the closed lines just inside the border of some cells."""
    return "".join(polyline_data(line) + "Z" for line in inset_outlines(cells, inset))


def inset_outlines(cells: Iterable[tuple[int, int]], inset: float) -> list[list[Point]]:
    """Closed lines just inside the border of some cells, counterclockwise around holes.

    Cells that touch only at a corner are not connected there. Points and steps are complex
    numbers: a step times 1j turns right. The distance from the border is below half a cell.
    """
    inside = {complex(c, r) for r, c in cells}
    half = 0.5 + 0.5j
    # An edge is its beginning and a step with the inside to its right.
    edges = {
        (cell + half - step * half, step)
        for cell in inside
        for step in (1, 1j, -1, -1j)
        if cell - 1j * step not in inside
    }
    found = []
    while edges:
        edge = min(edges, key=lambda e: (e[0].real, e[0].imag, e[1].real, e[1].imag))
        way = []
        while edge in edges:
            edges.remove(edge)
            way.append(edge)
            at, step = edge
            ahead = ((at + step, step * turn) for turn in (1j, 1, -1j))  # right stays in its cell
            edge = next((e for e in ahead if e in edges), edge)
        corners = [
            at + inset * 1j * (before + step)
            for (_, before), (at, step) in zip([way[-1], *way], way, strict=False)
            if before != step
        ]
        found.append([(corner.real, corner.imag) for corner in corners])
    return found


def small_digit_grid(n: int) -> tuple[int, int]:
    """Numbers of rows and columns of small digits in a cell, nearly square: 9 → (3, 3)."""
    columns = isqrt(n - 1) + 1
    return ceil(n / columns), columns


CAGE_WORD = 0.165
"""Height of a cage's text, in cells."""

_CAGE, _SHADE = 0.065, 0.04
"""Distances of cages and shades from the borders of their cells."""
_EDGE = 0.045
"""Stroke width of the edge of a shape."""
_THIN = 0.08
"""Greatest width of lines that hide no digit and therefore have a stronger tone."""


class MarkElements:
    """The SVG elements that draw a board's rules and extra houses, sorted into layers.

    The layer ``under`` is below the lines of the grid, ``cages`` above them and below the digits,
    ``over`` above the digits. The extremes of ``xs`` and ``ys`` bound the board and all marks.
    """

    def __init__(self, marks: Sequence[Mark], rows: int, columns: int) -> None:
        self.under: list[str] = []
        self.cages: list[str] = []
        self.over: list[str] = []
        self.worded: dict[tuple[int, int], float] = {}
        """Widths of the small texts at the top of cells, by (row, column)."""
        self.xs: list[float] = [0.0, columns]
        self.ys: list[float] = [0.0, rows]
        self._rows, self._columns = rows, columns
        ordered = sorted(marks, key=_layer_number)
        self._grounds = [m for m in marks if isinstance(m, Disc) and not m.behind and m.fill]
        kinds: dict[type, Callable[[Any], Iterable[str]]] = {
            Shade: self._draw_shade,
            DashedOutline: self._draw_cage,
            WordMark: self._draw_text,
            Disc: self._draw_disc,
            Stroke: self._draw_stroke,
        }
        for mark in ordered:
            depth = _layer_number(mark)
            layer = self.under if depth < 4 else self.cages if depth == 4 else self.over
            layer += kinds[type(mark)](mark)

    def _extend_bounds(self, points: Iterable[Point], wide: float = 0.0, high: float = 0.0) -> None:
        """Extend the picture's bounds so that points and a margin around them lie inside."""
        for x, y in points:
            self.xs += (x - wide, x + wide)
            self.ys += (y - high, y + high)

    def _draw_shade(self, shade: Shade) -> Iterable[str]:
        """Yield the path that fills some cells with a colour."""
        classes = f"soft-fill-{shade.colour} mid-line-{shade.colour}"
        yield path_element(outline_data(shade.cells, _SHADE), classes, 0.02, fill_opacity="0.6")

    def _draw_stroke(self, stroke: Stroke) -> Iterable[str]:
        """Yield the path of a line and, if it is an arrow, the path of its head."""
        tone = "strong" if not stroke.behind else "mid" if stroke.width <= _THIN else "soft"
        lines = [stroke.points]
        if stroke.arrow:
            before, tip = (complex(*point) for point in stroke.points[-2:])
            back, arm = phase(before - tip), 0.16 + 1.2 * stroke.width
            head = (tip + rect(arm, back + pi / 5), tip, tip + rect(arm, back - pi / 5))
            lines.append(tuple((at.real, at.imag) for at in head))
        for points in lines:
            self._extend_bounds(points)
            yield path_element(polyline_data(points), f"{tone}-line-{stroke.colour}", stroke.width)

    def _draw_disc(self, disc: Disc) -> Iterable[str]:
        """Yield the rectangle, with round corners, of a disc, square or pill."""
        (x, y), (u, v), r = disc.at, disc.to or disc.at, disc.radius
        self._extend_bounds(((x, y), (u, v)), r + _EDGE / 2, r + _EDGE / 2)
        fill, edge = ("soft-fill", "mid") if disc.behind else ("disc", "strong")
        style: dict[str, str | float] = {} if disc.fill else {"fill": "none"}
        classes = [f"{fill}-{disc.fill}"] if disc.fill else []
        if _has_edge(disc):
            classes.append(f"{edge}-line-{disc.edge}")
            style["stroke_width"] = _EDGE
        style |= {"class_": " ".join(classes), "rx": r / 8 if disc.shape == "square" else r}
        wide, high = abs(u - x) + 2 * r, abs(v - y) + 2 * r
        yield rectangle(min(x, u) - r, min(y, v) - r, wide, high, **style)

    def _draw_cage(self, cage: DashedOutline) -> Iterable[str]:
        """Yield the dashed outline of a cage and, if it has one, its text."""
        data = outline_data(cage.cells, _CAGE)
        style = f"strong-line-{cage.colour}"
        yield path_element(data, style, 0.025, stroke_dasharray="7 5")
        if cage.text:
            row, column = min(cage.cells)
            used = self.worded.get((row, column), 0.0)
            self.worded[row, column] = used + (len(cage.text) + 1) * WIDE * CAGE_WORD / LETTER
            yield element(
                "text",
                escape_text(cage.text),
                class_=f"sum strong-fill-{cage.colour}",
                text_anchor="start",
                x=column + 0.1 + used,
                y=row + 0.1 + CAGE_WORD,
                font_size=CAGE_WORD / LETTER,
            )

    def _draw_text(self, sign: WordMark) -> Iterable[str]:
        """Yield the background rectangle of a text, if it has one, and the text."""
        x, y = sign.at
        wide, high = len(sign.text) * WIDE * sign.size / LETTER / 2, sign.size / 2
        pad = 0.0 if 0 <= x <= self._columns and 0 <= y <= self._rows else 0.1
        self._extend_bounds([sign.at], wide + pad, high + pad)
        below = [g.fill for g in self._grounds if dist(g.at, sign.at) < g.radius]
        colour = f"on-{below[-1]}" if below else f"strong-fill-{sign.colour}"
        if sign.backed:
            wide, high = wide + 0.03, high + 0.02
            yield rectangle(x - wide, y - high, 2 * wide, 2 * high, class_="paper", rx=0.05)
            colour = f"strong-fill-{sign.colour}"
        yield text_element(sign.text, sign.at, sign.size, colour)


def _layer_number(mark: Mark) -> int:
    """The number of the layer in which a mark is drawn, from 0, the lowest, to 7."""
    if isinstance(mark, Disc):
        return 6 if not mark.behind else 3 if _has_edge(mark) else 1
    if isinstance(mark, Stroke):
        return 2 if mark.behind else 5
    return 0 if isinstance(mark, Shade) else 4 if isinstance(mark, DashedOutline) else 7


def _has_edge(disc: Disc) -> bool:
    """Whether to draw a disc's edge; behind digits, an edge in the fill's colour is left out."""
    return disc.edge is not None and not (disc.behind and disc.edge == disc.fill)
