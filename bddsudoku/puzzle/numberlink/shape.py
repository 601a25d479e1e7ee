"""Points, rules and sizes: what boards and their texts both speak of."""

from __future__ import annotations

from typing import Literal

from bddsudoku.errors import PuzzleFormatError

Point = tuple[int, int]
Rule = Literal["free", "cover"]

RULES = ("free", "cover")
_MOST_CELLS = 1_000_000  # a list of every cell's neighbours must fit


def check_size(width: int, height: int) -> None:
    """Refuse a size that no board has.

    Raises:
        PuzzleFormatError: no cells, or more than a million.
    """
    if width < 1 or height < 1:
        raise PuzzleFormatError(f"expected a board of 1x1 or more, found {width}x{height}")
    if width * height > _MOST_CELLS:
        raise PuzzleFormatError(
            f"expected a board of at most {_MOST_CELLS:,} cells, found {width}x{height}"
        )
