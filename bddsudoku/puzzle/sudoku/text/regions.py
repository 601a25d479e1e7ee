"""Maps of regions: a second grid that says which cells belong together, and is no puzzle."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from bddsudoku.errors import PuzzleFormatError

__all__ = ["RegionMapError", "is_map", "refuse_map"]


class RegionMapError(PuzzleFormatError):
    """A map of regions where a puzzle was expected: the board before it is one of that map."""


def is_map(cells: Sequence[str], n: int) -> bool:
    """Whether n² cells are a map of n regions rather than a board.

    Each of n symbols fills n cells, and most of these touch one of their own kind, the first cell
    among them. In a filled board equal digits never touch.
    """
    first = cells[0]
    if first != cells[1] and first != cells[n]:
        return False
    if cells.count(first) != n or set(Counter(cells).values()) != {n}:
        return False
    touching = sum(
        any(
            cells[other] == cell
            for other in (
                at - n,
                at + n,
                *([at - 1] * (at % n > 0)),
                *([at + 1] * (at % n < n - 1)),
            )
            if 0 <= other < n * n
        )
        for at, cell in enumerate(cells)
    )
    return 4 * touching >= 3 * n * n


def refuse_map(n: int, line: int, source: str | None) -> RegionMapError:
    """The error for one."""
    return RegionMapError(
        f"a map of {n} regions, not a puzzle (each of {n} symbols fills {n} cells that touch); "
        "the blocks of a jigsaw stand in a line 'regions ' and these symbols, below the board",
        source=source,
        line=line,
    )
