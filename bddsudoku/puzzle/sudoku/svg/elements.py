"""Elements of SVG as text. Lengths are given in cells and written in hundredths of one."""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape

from bddsudoku.puzzle.sudoku.rules.marks import Point

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
