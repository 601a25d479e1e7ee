"""Counting and solving many puzzles from Python: bitboards first, other engines where needed.

A list of :data:`.sources.Puzzles` is processed in chunks, so that an iterable of millions is never
stored. The classic boards of a chunk are one array, which is divided among threads. Every other
puzzle, and boards that the search on bitboards does not settle, are counted one by one by
:func:`.dispatch.count_detailed`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple, Unpack

import numpy as np
from numpy.typing import NDArray

from bddsudoku.argument_types import check_types
from bddsudoku.context import SharedLimits, limited
from bddsudoku.engine.bitboard import Boards
from bddsudoku.engine.bitboard import solve_many as firsts_of
from bddsudoku.engine.bitboard import true_candidates as candidates_of
from bddsudoku.engine.board_lists import count_boards
from bddsudoku.errors import PuzzleFormatError
from bddsudoku.jit.decorators import U8, U16, U64, AnyArray
from bddsudoku.puzzle.sudoku.grid import PuzzleRecord, Unread
from bddsudoku.puzzle.sudoku.text.board_lists import ClassicBoardChunk
from bddsudoku.solver.dispatch import count_detailed
from bddsudoku.solver.puzzle_lists import count_by_short_search
from bddsudoku.solver.sources import (
    LIST_CHUNK,
    Chunk,
    Found,
    Puzzles,
    as_list,
    read_list,
    split_into_chunks,
)
from bddsudoku.work.processes import task_values
from bddsudoku.work.task import Task, TaskContext, function_path

if TYPE_CHECKING:
    from bddsudoku.work import Client, Runner


OnError = Callable[[PuzzleFormatError], object] | None
"""A function that is called with the errors of puzzles that cannot be read."""


class ListOptions(SharedLimits, total=False):
    """Options of all questions about a list of puzzles.

    Attributes:
        masks: whether an array holds candidate masks.
        client: a ``distributed.Client``, whose workers answer instead.
        on_error: called with the error of each puzzle that cannot be read, which has no answer then
            (None as its count, masks of 0); by default the error is raised.
    """

    masks: bool
    client: Client | Runner | None
    on_error: OnError


class FirstSolutions(NamedTuple):
    """Result of :func:`solve_many`: the counts and one solution of each board.

    Attributes:
        counts: uint64, (n,): the number of solutions, no further than the limit. (Of dtype object,
            with None, where a puzzle was not read.)
        solutions: uint8, (n, 81): a solution of each, zeros where there is none.
    """

    counts: U64
    solutions: U8


@check_types
def count_many(
    puzzles: Puzzles,
    limit: int | None = None,
    jobs: int | None = None,
    **options: Unpack[ListOptions],
) -> U64 | NDArray[np.object_]:
    """The exact number of solutions of every puzzle of a list, in their order.

    Args:
        puzzles: see :data:`.sources.Puzzles`.
        limit: count no further than this (2 tells whether a solution is the only one).
        jobs: threads; by default one a core.
        options: ``masks``, ``client``, ``on_error``, and the limits: see :class:`ListOptions`.

    Returns:
        uint64, (n,); of dtype object, with ints, when some count needs more than 64 bits or is
        None.

    Raises:
        PuzzleFormatError: something is no puzzle; it says which.
        LimitReached: a limit ended it.

    Cost: a microsecond for most puzzles with one solution, 0.1 ms for the hardest known; lines are
    read at some 10⁷ a second, :class:`Puzzle` objects taken apart at some 10⁵.
    """
    found = _answers(count_chunk, puzzles, limit, jobs, **options)
    return np.concatenate([np.zeros(0, np.uint64), *found])


@check_types
def count_each(
    puzzles: Puzzles,
    limit: int | None = None,
    jobs: int | None = None,
    **options: Unpack[ListOptions],
) -> Iterator[int | None]:
    """Yield the exact number of solutions of each puzzle of a stream, in their order.

    Arguments, errors and cost are those of :func:`count_many`.
    """
    for piece in _answers(count_chunk, puzzles, limit, jobs, **options):
        yield from piece.tolist()


@check_types
def solve_many(
    puzzles: Puzzles,
    limit: int | None = 2,
    jobs: int | None = None,
    **options: Unpack[ListOptions],
) -> FirstSolutions:
    """Count the solutions of the classic boards of a list, and find one solution of each.

    Args:
        puzzles: as for :func:`count_many`, of 9×9 cells.
        limit: count no further than this; None visits all.
        jobs, options: as for :func:`count_many`.

    Raises:
        PuzzleFormatError: a puzzle is no classic board; the message has its number.
        LimitReached: the time is used up.
    """
    found = _answers(solve_chunk, puzzles, limit, jobs, **options)
    none = np.zeros(0, np.uint64), np.zeros((0, 81), np.uint8)
    return FirstSolutions(*map(np.concatenate, zip(none, *found, strict=True)))


@check_types
def true_candidates_many(
    puzzles: Puzzles,
    jobs: int | None = None,
    **options: Unpack[ListOptions],
) -> U16:
    """The true candidates of the classic boards of a list.

    Args:
        puzzles, jobs, options: as for :func:`solve_many`.

    Returns:
        Masks, (n, 81): bit d - 1 is set if a solution has digit d there.

    Raises:
        PuzzleFormatError: a puzzle is no classic board; the message has its number.
        LimitReached: the time is used up.
    """
    found = _answers(true_candidates_of_chunk, puzzles, None, jobs, **options)
    return np.concatenate([np.zeros((0, 81), np.uint16), *found])


# -- chunks, here or on a worker -------------------------------------------------------------------

ChunkJob = tuple[Chunk | Unread, int | None, int | None]
"""Puzzles, or what was not read; the limit of the counts, and the number of threads."""


def _answers(
    function: Callable[[ChunkJob, TaskContext], Any],
    puzzles: Puzzles,
    limit: int | None,
    jobs: int | None,
    *,
    masks: bool = False,
    client: Client | Runner | None = None,
    on_error: OnError = None,
    **limits: Unpack[SharedLimits],
) -> Iterator[Any]:
    """Apply a function to the chunks of a list, here or on a client's workers."""
    context = limited(**limits)
    puzzles = as_list(puzzles, masks)
    found = _report_errors(read_list(puzzles, keep_going=on_error is not None), on_error)
    answers: Iterator[Any]
    if client is not None:
        path, chunks = function_path(function), split_into_chunks(found, LIST_CHUNK)
        tasks = (Task(path, (chunk, limit, None), context.max_memory) for chunk in chunks)
        answers = task_values(tasks, client=client, context=context.without_progress)
    else:
        task_context = TaskContext(context.without_progress)
        here = ([one] if isinstance(one, PuzzleRecord) else one for one in found)
        answers = (function((chunk, limit, jobs), task_context) for chunk in here)
    done = 0
    for answer in answers:
        done += len(answer if isinstance(answer, np.ndarray) else answer[0])
        yield answer
        context.report_progress(done, len(puzzles) if isinstance(puzzles, np.ndarray) else done)


def _report_errors(found: Iterator[Found], on_error: OnError) -> Iterator[Found]:
    """Yield what is found, and call a function with the errors of what was not read."""
    for one in found:
        if isinstance(one, Unread) and on_error is not None:
            on_error(one.error)
        yield one


def count_chunk(job: ChunkJob, task_context: TaskContext) -> AnyArray:
    """Worker task: count the solutions of each puzzle of a chunk."""
    chunk, limit, jobs = job
    context = task_context.context
    if isinstance(chunk, Unread):
        return np.array([None])
    if isinstance(chunk, ClassicBoardChunk):
        found = count_boards(chunk.boards, limit, jobs=jobs, context=context)
        if found.settled.all():
            return found.counts
        counts = found.counts.tolist()
        for i in np.flatnonzero(~found.settled).tolist():
            counts[i] = count_detailed(chunk.puzzle(i), context=context, limit=limit).count
    else:
        counts = []
        for record in chunk:
            number = count_by_short_search(record.puzzle, limit, context) if limit != 0 else 0
            if number is None:
                number = count_detailed(record.puzzle, context=context, limit=limit).count
            counts.append(number)
    return np.array(counts, dtype=np.uint64 if max(counts) < 1 << 64 else object)


def solve_chunk(job: ChunkJob, task_context: TaskContext) -> tuple[AnyArray, AnyArray]:
    """Worker task: count the solutions of each board of a chunk, and find a solution of each."""
    chunk, limit, jobs = job
    if isinstance(chunk, Unread):
        return np.array([None]), np.zeros((1, 81), np.uint8)
    tally = firsts_of(_boards_of(chunk), limit, jobs=jobs, context=task_context.context)
    return tally.counts, tally.solutions


def true_candidates_of_chunk(job: ChunkJob, task_context: TaskContext) -> AnyArray:
    """Worker task: find the true candidates of a chunk's boards, as bit masks."""
    chunk, _, jobs = job
    if isinstance(chunk, Unread):
        return np.zeros((1, 81), np.uint16)
    return candidates_of(_boards_of(chunk), jobs=jobs, context=task_context.context)


def _boards_of(chunk: Chunk) -> Boards:
    """The boards of a chunk; an error if it is none of classic boards."""
    if isinstance(chunk, ClassicBoardChunk):
        return chunk.boards
    bad = chunk[0]
    what = f"expected a classic 9x9 board, found {bad.puzzle.layout}"
    if bad.source is None:
        raise PuzzleFormatError(f"puzzle {bad.line}: {what}")
    raise PuzzleFormatError(what, source=bad.source, line=bad.line)
