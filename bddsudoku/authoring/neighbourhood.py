"""Puzzles around a puzzle: some hints are taken away, others are added, and one solution is left.

Without some of its hints a puzzle has solutions that are listed. Hints that only one of them has
make a puzzle of it: how many solutions have each two hints is one product of matrices. Where there
are too many solutions to be listed, one more hint is tried first.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from bddsudoku.argument_types import check_types
from bddsudoku.context import Context, SharedLimits, limited
from bddsudoku.engine.bitboard import BitboardSearch, count_many
from bddsudoku.engine.bitboard.hint_removal import removable_hints
from bddsudoku.errors import PuzzleFormatError
from bddsudoku.jit.decorators import I64, U8, AnyArray, Flags
from bddsudoku.puzzle.sudoku.grid import Puzzle
from bddsudoku.solver.sources import PuzzleLike, as_puzzle
from bddsudoku.symmetry.least_form import least_forms
from bddsudoku.work.processes import open_runner
from bddsudoku.work.task import Task, TaskContext, function_path

if TYPE_CHECKING:
    from bddsudoku.work import Client, Journal, Runner

MOST_SOLUTIONS = 1 << 15
"""Solutions that are listed; of more, one more hint is tried first."""
MOST_CHANGES = 3
"""Hints that are taken away, or added, at most."""


@check_types
def neighbours(
    puzzle: PuzzleLike,
    minus: int = 1,
    plus: int = 1,
    *,
    relabel: int | None = None,
    minimal: bool = False,
    jobs: int | None = None,
    client: Client | Runner | None = None,
    journal: Journal | None = None,
    **limits: Unpack[SharedLimits],
) -> Iterator[Puzzle]:
    """Yield the puzzles with one solution that have all but some hints of a puzzle, and others.

    Of those that differ by a symmetry only, the first is yielded.

    Args:
        puzzle: a classic board with hints, in any form.
        minus: so many of its hints are missing, 0 to 3.
        plus: and so many hints are there that it has not, 0 to 3.
        relabel: instead of both, so many of its hints have other digits, 0 to 3.
        minimal: only puzzles none of whose hints can go.
        jobs, client, journal, limits: see :class:`bddsudoku.solver.puzzle_lists.SharingOptions`.

    Raises:
        PuzzleFormatError: the puzzle is no classic board of hints.
        ValueError: ``minus``, ``plus`` or ``relabel`` is out of range.
        LimitReached: a limit ended it.

    Cost: of a puzzle with 24 hints on one core 0.1 s for {-1+1}, 4 s for {-2+2}, hours for {-3+3}.

    >>> puzzle = "..........72.6.1....51...82.8...13..4.........37.9..1.....238..5.4..9.........79."
    >>> len([*neighbours(puzzle)])
    68
    """
    context = limited(**limits)
    with open_runner(jobs, client, journal) as runner:
        puzzle = as_puzzle(puzzle)
        if not puzzle.is_classic or puzzle.candidates is not None:
            raise PuzzleFormatError("expected a classic 9x9 board of hints, no rules or candidates")
        if relabel is not None:
            minus = plus = relabel
        if not 0 <= min(minus, plus) <= max(minus, plus) <= MOST_CHANGES:
            raise ValueError(f"expected 0 to {MOST_CHANGES} changes, found {minus}, {plus}")
        in_place = relabel is not None
        board, function = np.array(puzzle.numbers, dtype=np.uint8), function_path(neighbours_task)
        tasks = (
            Task(function, (board, removed, plus, in_place, minimal), context.max_memory)
            for removed in combinations(puzzle.hints, minus)
        )
        seen: set[tuple[int, ...]] = set()
        for outcome in runner.run(tasks, ordered=True, context=context):
            found: Any = outcome.result()
            for cells, form in found:
                if (line := tuple(form)) not in seen:
                    seen.add(line)
                    yield Puzzle.trusted(tuple(cells), puzzle.layout)


def neighbours_task(
    job: tuple[U8, tuple[int, ...], int, bool, bool], task_context: TaskContext
) -> list[list[list[int]]]:
    """Worker task: the neighbours without certain hints, each with its canonical form."""
    board, removed, plus, in_place, minimal = job
    context = task_context.context
    left = board.copy()
    left[[*removed]] = 0
    allowed = np.full((81, 9), not in_place)
    allowed[[*removed]] = True
    allowed[board > 0, board[board > 0] - 1] = False
    found = _extensions(left, allowed.reshape(-1), plus, context)
    forms = least_forms(found, (3, 3)).lines
    _, first = np.unique(forms, axis=0, return_index=True)
    first.sort()
    if minimal:
        boards = found[first]
        first = first[~removable_hints(boards, boards > 0, jobs=1, context=context).any(axis=1)]
    pairs: list[list[list[int]]] = np.stack([found[first], forms[first]], axis=1).tolist()
    return pairs


def _extensions(board: U8, allowed: Flags, number: int, context: Context) -> U8:
    """All boards with so many more hints, of those allowed (729,), and one solution."""
    search, solutions = BitboardSearch(board), np.zeros((0, 81), np.uint8)
    while not search.done and len(solutions) <= MOST_SOLUTIONS:
        context.check()
        solutions = np.concatenate([solutions, search.next_rows(MOST_SOLUTIONS + 1)])
    open_hints = np.flatnonzero(allowed & np.repeat(board == 0, 9))
    if len(solutions) <= MOST_SOLUTIONS:
        has = solutions[:, open_hints // 9] == open_hints % 9 + 1
        held = has.any(axis=0)
        sets = _sets_of_one(has[:, held].astype(np.float32), number)
        return _with_hints(board, open_hints[held][sets])
    boards = _with_hints(board, open_hints[:, None])
    if number < 2:
        counts = count_many(boards, 2, jobs=1, context=context).counts
        fits: Flags = (counts == 1) & (number == 1)
        return boards[fits]
    found = [boards[:0]]
    for hint, more in zip(open_hints.tolist(), boards, strict=True):
        later = allowed & (np.arange(729) > hint)
        found.append(_extensions(more, later, number - 1, context))
    return np.concatenate(found)


def _with_hints(board: U8, hints: I64) -> U8:
    """A board with each of some sets of hints, (k, n), as numbers 9 * cell + digit - 1."""
    found = np.repeat(board[None], len(hints), axis=0)
    np.put_along_axis(found, hints // 9, (hints % 9 + 1).astype(np.uint8), axis=1)
    return found


def _sets_of_one(has: AnyArray, number: int) -> I64:
    """The sets of columns, (k, number), that have a row in common, and only one."""
    if number == 0:
        return np.zeros((int(len(has) == 1), 0), dtype=np.int64)
    if number == 1:
        return np.flatnonzero(has.sum(axis=0) == 1)[:, None]
    if number == 2:
        return np.argwhere(np.triu(has.T @ has == 1, 1))
    found = [np.zeros((0, number), dtype=np.int64)]
    for column in range(has.shape[1]):
        rest = _sets_of_one(has[has[:, column] > 0, column + 1 :], number - 1) + column + 1
        found.append(np.insert(rest, 0, column, axis=1))
    return np.concatenate(found)
