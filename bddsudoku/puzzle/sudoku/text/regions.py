"""Maps of regions: a second grid that says which cells belong together, and is no puzzle."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from bddsudoku.errors import PuzzleFormatError
from bddsudoku.puzzle.sudoku.grid import Puzzle
from bddsudoku.puzzle.sudoku.layout import SYMBOLS

_WHERE = "the blocks of a jigsaw stand in a line 'regions ' and these symbols, below the board"


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
        any(cells[other] == cell for other in _beside(at, n)) for at, cell in enumerate(cells)
    )
    return 4 * touching >= 3 * n * n


def _beside(at: int, n: int) -> list[int]:
    """The cells that share a side with one."""
    across = [at - 1] * (at % n > 0) + [at + 1] * (at % n < n - 1)
    return [*across, *(other for other in (at - n, at + n) if 0 <= other < n * n)]


def _areas(cells: Sequence[int], n: int) -> int:
    """The number of areas of equal cells."""
    left = {*range(n * n)}
    areas = 0
    while left:
        areas += 1
        reached = [left.pop()]
        while reached:
            at = reached.pop()
            more = [b for b in _beside(at, n) if b in left and cells[b] == cells[at]]
            left.difference_update(more)
            reached += more
    return areas


def refuse_faulty_map(puzzle: Puzzle, line: int | None, source: str | None) -> None:
    """Refuse a board that can only be a map of the board above it, if not a right one.

    It has about n kinds of cells, hardly any of them open, in about as many areas: no puzzle with
    a solution has.

    Raises:
        RegionMapError: it says which regions are too small or too large.
    """
    cells, n = puzzle.cells, puzzle.n
    sizes = Counter(cells)
    if sizes[0] >= 2 * n or not -1 <= len(+sizes) - n <= 1 or _areas(cells, n) > n + n // 3:
        return
    wrong = [
        f"that of {SYMBOLS[digit - 1] if digit else 'the open cells'} has {size}"
        for digit, size in sorted(sizes.items())
        if 0 < size != n
    ]
    raise RegionMapError(
        "this looks like a map of the regions of the board above, not like a puzzle; "
        + f"a region has {n} cells, {', '.join(wrong[:2])}; " * bool(wrong)
        + _WHERE,
        source=source,
        line=line,
    )


def refuse_map(n: int, line: int, source: str | None) -> RegionMapError:
    """The error for one."""
    return RegionMapError(
        f"a map of {n} regions, not a puzzle (each of {n} symbols fills {n} cells that touch); "
        + _WHERE,
        source=source,
        line=line,
    )
