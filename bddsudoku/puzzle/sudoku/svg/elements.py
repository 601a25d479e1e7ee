"""Elements of SVG as text. Lengths are given in cells and written in hundredths of one.

Colours by name, in light and dark, and the style sheet of a board.

A colour has three tones: *soft* for what lies under digits, *mid* for thin lines there, *strong*
for what stands by itself. Rules name their colours; which tone is taken depends on where they
stand. The style uses nothing but classes and a media query, so that converters which know no CSS
variables draw the light board.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from html import escape

from bddsudoku.puzzle.sudoku.rules.places import Point

SCALE = 100
"""Units of a cell's side: browsers round and bound the sizes of letters below one unit."""

LETTER, WIDE = 0.72, 0.58
"""Height of a digit and its width, as parts of the size of its font."""

_NOT_XML = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def length(value: float) -> str:
    """A length or place in cells, as it is written."""
    text = f"{value * SCALE:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text


def safe(text: str) -> str:
    """Text for an element or an attribute; what XML cannot hold is replaced."""
    return escape(_NOT_XML.sub("\ufffd", text))


def element(tag: str, content: str = "", /, **attributes: str | float) -> str:
    """An element.

    Args:
        tag: its name.
        content: elements, or safe text.
        attributes: numbers are lengths in cells; ``_`` stands for ``-``, and one at the end for
            nothing (``class_``).
    """
    said = "".join(
        f' {key.rstrip("_").replace("_", "-")}="'
        f'{safe(value) if isinstance(value, str) else length(value)}"'
        for key, value in attributes.items()
    )
    return f"<{tag}{said}>{content}</{tag}>" if content else f"<{tag}{said}/>"


def box(x: float, y: float, wide: float, high: float, /, **attributes: str | float) -> str:
    """A rectangle with its top left corner somewhere."""
    return element("rect", x=x, y=y, width=wide, height=high, **attributes)


def line(data: str, class_: str, width: float, /, **attributes: str | float) -> str:
    """A path with its data, class of the style, and width."""
    return element("path", class_=class_, d=data, stroke_width=width, **attributes)


def polyline(points: Iterable[Point]) -> str:
    """The data of a path through points."""
    return "M" + "L".join(f"{length(x)} {length(y)}" for x, y in points)


def loop(points: Iterable[Point]) -> str:
    """The data of a path through points and back to the first."""
    return polyline(points) + "Z"


def word(text: str, at: Point, size: float, class_: str) -> str:
    """A word with its middle somewhere.

    Args:
        text: any.
        at: the middle.
        size: height of a digit.
        class_: of the style.
    """
    x, y = at
    return element("text", safe(text), class_=class_, x=x, y=y + size / 2, font_size=size / LETTER)


ROOT = "bddsudoku-board"
"""The class of a board: all rules of the style are bound to it."""

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
_FIXED = {
    "hint": "font-weight:700",
    "found": "font-weight:400",
    "cage": "stroke-dasharray:7 5",
    "sum": "text-anchor:start",
}


def _known() -> dict[str, tuple[str, str]]:
    """What the style says of every class, on light boards and, where it differs, on dark ones."""
    known = {**_BOARD}
    for colour, tones in _TONES.items():
        for tone, day, night in zip(("soft", "mid", "strong"), tones, tones[3:], strict=False):
            for key, said in (("fill", "fill"), ("stroke", "line")):
                known[f"{tone}-{said}-{colour}"] = (key, day, night)
        # in front of the board a black dot is black and a white one white, by day and by night
        plain = {"black": "#111111", "white": "#ffffff"}.get(colour)
        known[f"disc-{colour}"] = ("fill", plain or tones[2], plain or tones[5])
        on = {"black": ("#ffffff",) * 2, "white": ("#111111",) * 2}
        known[f"on-{colour}"] = ("fill", *on.get(colour, ("#ffffff", "#111111")))
    found = {
        name: (f"{key}:{day}", f"{key}:{night}" if day != night else "")
        for name, (key, day, night) in known.items()
    }
    for name, fixed in _FIXED.items():
        day, night = found.get(name, ("", ""))
        found[name] = (f"{day};{fixed}".strip(";"), night)
    return found


_KNOWN = _known()


def style(classes: Collection[str]) -> str:
    """The style sheet for some classes, without those that need none."""
    wanted = [(name, *said) for name, said in _KNOWN.items() if name in classes]
    light = "".join(f".{ROOT} .{name}{{{day}}}" for name, day, _ in wanted)
    dark = "".join(f".{ROOT} .{name}{{{night}}}" for name, _, night in wanted if night)
    return (
        f".{ROOT}{{font-family:system-ui,sans-serif;text-anchor:middle}}"
        f".{ROOT} path{{fill:none;stroke-linecap:round;stroke-linejoin:round}}"
        # on pages; in a media query because converters would take it for the size of the picture
        f"@media screen{{.{ROOT}{{max-width:100%;height:auto}}}}{light}"
        + (f"@media screen and (prefers-color-scheme:dark){{{dark}}}" if dark else "")
    )
