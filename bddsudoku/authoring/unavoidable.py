"""Unavoidable sets of a grid: sets of cells in which every puzzle of that grid has a hint.

A set of cells is unavoidable when the grid without them has another solution. Inside a region the
minimal ones are the minimal difference sets: the grid outside the region is given, all solutions
are listed, and each is compared with the grid. The puzzles that have the grid as their only
solution are the hitting sets of all unavoidable sets, minimal puzzles the minimal hitting sets.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Unpack

import numpy as np

from bddsudoku.argument_types import check_types
from bddsudoku.authoring.hint_set_families import (
    HintDecoder,
    hint_text,
    minimal_unavoidable_sets,
)
from bddsudoku.authoring.sufficient_subsets import size_histogram
from bddsudoku.context import UNLIMITED, Context, Limits, limited
from bddsudoku.diagrams.zdd_apply import minimal_hitting_sets
from bddsudoku.errors import LimitReached, PuzzleFormatError
from bddsudoku.puzzle.sudoku.grid import CellLike, Puzzle
from bddsudoku.puzzle.sudoku.places import Place
from bddsudoku.puzzle.sudoku.rules.places_and_marks import cells as cells_of
from bddsudoku.sets.solutionset import SolutionSet
from bddsudoku.solver.answers import Answer, Count
from bddsudoku.solver.bulk_solving import count_many
from bddsudoku.solver.dispatch import iterate_solution_keys
from bddsudoku.solver.sources import PuzzleLike, as_puzzle

LISTED = 5_000_000
"""Largest number of solutions of a region that are listed."""
HITTING_NODES = 1 << 22
"""Node limit of the minimal hitting sets in :func:`unavoidable_answers`: some seconds."""


@dataclass(frozen=True)
class Unavoidable:
    """The minimal unavoidable sets of a grid, within a region and up to a size.

    Attributes:
        grid: the grid, complete.
        region: cells that the sets lie in, ascending.
        size: the largest size of a set that was searched for; None: any.
        sets: the family; a member is the puzzle with just these cells.
    """

    grid: Puzzle
    region: tuple[int, ...]
    size: int | None
    sets: SolutionSet

    def hitting_sets(self, context: Context = UNLIMITED) -> SolutionSet:
        """The minimal hitting sets: minimal sets of cells that meet every unavoidable set.

        With all sets of a region these are the minimal hints in it that leave the grid as the only
        solution when what is outside is given.

        Raises:
            LimitReached: they are too many, or take too long.
        """
        family = minimal_hitting_sets(self.sets.diagram, context=context)
        return SolutionSet(family, HintDecoder(self.grid))


@check_types
def solution_grid(
    puzzle: PuzzleLike, context: Context = UNLIMITED, **limits: Unpack[Limits]
) -> Puzzle:
    """The complete grid that is a puzzle's only solution; a complete grid is its own solution.

    Raises:
        PuzzleFormatError: it has no solution, or several.
        LimitReached: its count was not known in time.
    """
    context = limited(context, **limits)
    puzzle = as_puzzle(puzzle)
    found = int(count_many([puzzle], 2, context=context.without_progress)[0])
    if found != 1:
        many = "no solution" if found == 0 else "several solutions"
        raise PuzzleFormatError(f"expected a grid, or a puzzle with one solution, found {many}")
    (keys,) = iterate_solution_keys(puzzle, context, limit=1)
    return puzzle.with_hints({k // puzzle.n: k % puzzle.n + 1 for k in keys.tolist()})


@check_types
def region_cells(
    grid: PuzzleLike,
    *,
    cells: str = "",
    rows: Sequence[int] = (),
    columns: Sequence[int] = (),
    boxes: Sequence[int] = (),
    digits: Sequence[int] = (),
) -> tuple[int, ...]:
    """The union of given cells, rows, columns and boxes, optionally only cells with given digits.

    Args:
        grid: a complete grid.
        cells: as rules write them, such as ``r1c1 r1c2``.
        rows: numbers from 1.
        columns: likewise.
        boxes: likewise.
        digits: digits from 1.

    Raises:
        PuzzleFormatError: there is no such cell, row, column, box or digit.
    """
    grid = as_puzzle(grid)
    layout, n = grid.layout, grid.n
    found: set[int] = set()
    for place in cells_of(cells):
        if not (0 <= place.row < n and 0 <= place.column < n):
            raise PuzzleFormatError(f"there is no cell {place} on a board of side {n}")
        found.add(place.row * n + place.column)
    named = (layout.rows, "row", rows), (layout.columns, "column", columns)
    for houses, name, numbers in (*named, (layout.blocks, "box", boxes)):
        for number in numbers:
            if not 1 <= number <= len(houses):
                raise PuzzleFormatError(f"there is no {name} {number}: {len(houses)} are there")
            found.update(houses[number - 1].cells)
    if not (cells or rows or columns or boxes):
        found = set(range(layout.cell_count))
    if bad := [d for d in digits if not 1 <= d <= n]:
        raise PuzzleFormatError(f"there is no digit {bad[0]} on a board of side {n}")
    return tuple(sorted(c for c in found if not digits or grid[c] in digits))


@check_types
def unavoidable_sets(
    grid: PuzzleLike,
    region: Sequence[CellLike] | None = None,
    size: int | None = None,
    context: Context = UNLIMITED,
    **limits: Unpack[Limits],
) -> Unavoidable:
    """The minimal unavoidable sets of a grid inside a region, or up to a size, or both.

    Args:
        grid: complete, of any layout, with any rules.
        region: cells: their numbers, (row, column) from 0, or names; all by default.
        size: cells of a set at most; any number by default.

    Raises:
        PuzzleFormatError: a cell is open.
        LimitReached: a limit was reached, or the region has more than :data:`LISTED` solutions.

    Cost: up to a size, seconds for 12 cells on the classic board; in a region, a microsecond for
    each of its solutions.
    """
    context = limited(context, **limits)
    grid = as_puzzle(grid)
    if not grid.is_complete:
        raise PuzzleFormatError("expected a grid without open cells")
    n = grid.n
    cells = tuple(sorted(set(map(grid.cell_number, range(n * n) if region is None else region))))
    keys = np.array([c * n + grid[c] - 1 for c in cells], dtype=np.int64)
    family = minimal_unavoidable_sets(
        grid.without(*cells), keys, (), LISTED, context, max_hints=size
    )
    if family is None:
        raise LimitReached(
            f"there are more than {LISTED:,} solutions in a region of {len(cells)} cells: take "
            "fewer cells, or a size",
            limit="solutions",
        )
    return Unavoidable(grid, cells, size, SolutionSet(family, HintDecoder(grid)))


@dataclass(frozen=True)
class SetCount(Answer):
    """The number of sets, and their numbers by size."""

    count: Count | None
    sizes: Mapping[int, Count]


@dataclass(frozen=True)
class HittingSetCount(SetCount):
    """The number of minimal hitting sets; None where they take too many nodes."""

    smallest: int | None
    stopped: str | None = None


@dataclass(frozen=True)
class UnavoidableAnswers(Answer):
    """The numbers of unavoidable sets in a region, up to a size, and of their hitting sets."""

    region: tuple[Place, ...]
    size: int | None
    sets: SetCount
    hitting: HittingSetCount


@check_types
def unavoidable_answers(
    family: Unavoidable, context: Context = UNLIMITED, **limits: Unpack[Limits]
) -> UnavoidableAnswers:
    """The numbers and sizes of the unavoidable sets and of their hitting sets.

    Raises:
        LimitReached: the time is used up.
    """
    context = limited(context, **limits)
    try:
        hits = family.hitting_sets(replace(context, nodes=context.nodes or HITTING_NODES))
        sizes = size_histogram(hits.sizes())
        hitting = HittingSetCount(hits.count(), sizes, min(sizes))
    except LimitReached as stop:
        if stop.limit == "time":
            raise
        hitting = HittingSetCount(None, {}, None, str(stop))
    sets = SetCount(family.sets.count(), size_histogram(family.sets.sizes()))
    region = tuple(family.grid.layout.places[cell] for cell in family.region)
    return UnavoidableAnswers(region, family.size, sets, hitting)


@check_types
def set_text(member: Puzzle) -> str:
    """Return a set of cells with their digits as text, such as ``r1c1=4 r1c2=1``."""
    return " ".join(hint_text(c, d, member.n) for c, d in member.hints.items())
