"""All puzzles with hints in given cells and nowhere else, by a search over their digits."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from typing import Unpack

import numpy as np

from bddsudoku.argument_types import check_types
from bddsudoku.context import SharedLimits, limited
from bddsudoku.puzzle.sudoku.grid import Puzzle
from bddsudoku.puzzle.sudoku.layout import Layout
from bddsudoku.solver.bulk_solving import count_many
from bddsudoku.symmetry.canonical import canonical_form

LEAST_HINTS = 17
"""No classic puzzle with fewer has one solution (McGuire, Tugemann & Civario 2014)."""
_CHUNK = 512
"""Boards that get their next hint together."""


@check_types
def puzzles_on_pattern(
    pattern: Iterable[int],
    layout: Layout | None = None,
    *,
    jobs: int | None = None,
    **limits: Unpack[SharedLimits],
) -> Iterator[Puzzle]:
    """Yield the puzzles with one solution whose hints fill a pattern, and stand nowhere else.

    Of those that differ by a symmetry only, the first is yielded. Where there is none, that is
    proved by the search, or at once by :func:`has_no_puzzle`.

    Args:
        pattern: numbers of cells.
        layout: of the board; by default the classic one.
        jobs: threads for classic boards.
        limits: see :class:`bddsudoku.context.SharedLimits`.

    Raises:
        LimitReached: a limit ended the search.

    Cost: cells get digits one by one, of those that are new the least only, and boards without
    solutions go no further. 4×4 boards take seconds. A usual pattern on 9×9 cells has more puzzles
    than can be listed; the first come after some seconds.

    >>> next(puzzles_on_pattern([0, 1, 9, 10], Layout(2, 2))).line
    '12.......34.....'
    """
    context, layout = limited(**limits), layout or Layout()
    cells = sorted({*pattern})
    ahead = [(0, np.zeros((1, layout.cell_count), np.uint8))]
    seen: set[Puzzle] = set()
    while ahead and not has_no_puzzle(cells, layout):
        depth, boards = ahead.pop()
        cell = cells[depth]
        seen_by = [c for house in layout.houses_by_cell[cell] for c in house.cells]
        found = []
        for digit in range(1, layout.n + 1):
            fits = (boards[:, seen_by] != digit).all(axis=1) & (boards.max(axis=1) >= digit - 1)
            found.append(boards[fits])
            found[-1][:, cell] = digit
        boards = np.concatenate(found)
        puzzles = (Puzzle.trusted(tuple(board), layout) for board in boards.tolist())
        counts = count_many(boards if layout == Layout() else puzzles, 2, jobs, context=context)
        if depth + 1 < len(cells):
            boards = boards[counts > 0]
            parts = range(0, len(boards), _CHUNK)
            ahead += [(depth + 1, boards[at : at + _CHUNK]) for at in reversed(parts)]
            continue
        for board in boards[counts == 1].tolist():
            puzzle = Puzzle.trusted(tuple(board), layout)
            form = canonical_form(puzzle).puzzle
            if form not in seen:
                seen.add(form)
                yield puzzle


def has_no_puzzle(pattern: Sequence[int], layout: Layout) -> bool:
    """Whether hints in some cells alone can never leave one solution, for one of these reasons.

    Two digits are missing, which may be exchanged; or two rows or columns whose exchange keeps all
    houses have no hints; or it is a classic board with fewer than 17 hints.
    """
    least = LEAST_HINTS if layout == Layout() else layout.digit_count - 1
    if len(pattern) < least:
        return True
    houses = {frozenset(house.cells) for house in layout.houses}
    for lines in (layout.rows, layout.columns):
        empty = [line.cells for line in lines if {*line.cells}.isdisjoint(pattern)]
        for one, other in combinations(empty, 2):
            move = dict(zip(one + other, other + one, strict=True))
            if {frozenset(move.get(cell, cell) for cell in house) for house in houses} == houses:
                return True
    return False
