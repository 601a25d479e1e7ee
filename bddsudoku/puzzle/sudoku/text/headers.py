"""The lines above a board that state its shape, digits, blocks or symbols, and what else they are.

A line whose first character is ``#`` or ``%`` is a comment. It is a *header* if it begins with
``digits``, ``shape``, ``layout`` or ``symbols`` and then has a colon, an equals sign or a number:
``# digits: 0-8``, ``# shape 8x9``. Such a line is obeyed or refused, never passed over; in
``# digits are from 0`` or ``# shapes`` the words are only words.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from bddsudoku.errors import PuzzleFormatError
from bddsudoku.number_text import parse_whole_number
from bddsudoku.puzzle.sudoku.layout import SMALLEST, Layout, why_no_default_blocks
from bddsudoku.puzzle.sudoku.text.symbols import show_symbol

COMMENT = ("#", "%")
"""First characters of comments."""
_HEADER = re.compile(
    r"(layout|symbols|shape|digits)(?:\s*[:=]\s*|\s+(?=[-+]?\d|auto$))(.*)", re.IGNORECASE
)
_VALUES = {
    "digits": (r"(\d+)\s*(?:-|\.\.|…|to)\s*(\d+)", "0-8' (the least and the greatest)"),
    "shape": (r"(\d+)\s*[x*]\s*(\d+)", "8x9' (rows x columns)"),
    "layout": (r"(\d+)\s*[x*]\s*(\d+)", "3x2' (rows x columns of a block)"),
}


class Header(NamedTuple):
    """What a header says: one of the four words, and the text behind it."""

    name: str
    value: str

    @property
    def is_auto(self) -> bool:
        """Whether the header ends what earlier ones said."""
        return self.value.lower() == "auto"

    @property
    def numbers(self) -> tuple[int, int]:
        """The two numbers of the header.

        Raises:
            PuzzleFormatError: it does not have them.
        """
        pattern, example = _VALUES[self.name]
        match = re.fullmatch(pattern, self.value, re.IGNORECASE)
        if match is None:
            raise PuzzleFormatError(
                f"expected '# {self.name}: {example}, found {show_symbol(self.value)}"
            )
        return parse_whole_number(match[1]) or 0, parse_whole_number(match[2]) or 0


def find_header(comment: str) -> Header | None:
    """The header that a comment is, given without its first characters; None for a mere comment."""
    match = _HEADER.fullmatch(comment.lstrip("#% \t").strip())
    return Header(match[1].lower(), match[2].strip()) if match else None


def stated_layout(stated: Mapping[str, tuple[int, int]]) -> Layout:
    """The layout that the headers ``layout``, ``shape`` and ``digits`` state together.

    Where only the digits are stated there are as many rows and columns.
    """
    digits = stated.get("digits")
    if "layout" in stated:
        layout = Layout(*stated["layout"], shape=stated.get("shape"), digits=digits)
        if [*stated] == ["layout"] and layout.n < SMALLEST:
            raise PuzzleFormatError(why_no_default_blocks(layout.n))
        return layout
    if digits is not None and digits[0] > digits[1]:
        raise PuzzleFormatError(f"expected the least and the greatest digit, found {digits}")
    side = 0 if digits is None else digits[1] - digits[0] + 1
    return Layout.of_shape(*stated.get("shape", (side, side)), digits)
