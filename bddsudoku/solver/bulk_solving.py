"""Counting and solving many puzzles from Python: bitboards first, other engines where needed.

A list of :data:`Puzzles` is processed in slices, so that an iterable of millions is never stored.
Slices of lines with classic boards are read, and then solved, by a thread each, without the GIL;
arrays are divided among the threads. Every other puzzle, and boards that the search on bitboards
does not settle, are counted one by one by :func:`.dispatch.count_detailed`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import islice, repeat
from typing import IO, TYPE_CHECKING, Any, NamedTuple, cast
from warnings import warn

import numpy as np
from numpy.typing import NDArray

from bddsudoku.context import UNLIMITED, Context
from bddsudoku.engine.bitboard import solve_many as firsts_of
from bddsudoku.engine.bitboard import true_candidates as candidates_of
from bddsudoku.engine.bitboard.engine import as_boards
from bddsudoku.engine.portfolio import count_boards
from bddsudoku.errors import PuzzleFormatError
from bddsudoku.jit.decorators import U8, U16, U64, AnyArray
from bddsudoku.puzzle.sudoku.grid import Puzzle
from bddsudoku.puzzle.sudoku.layout import Layout
from bddsudoku.puzzle.sudoku.text.fast_lines import read_fast_lines
from bddsudoku.solver.dispatch import count_detailed
from bddsudoku.solver.puzzle_input import ClassicBoardChunk, read_open_file, split_into_chunks
from bddsudoku.solver.shared_rules import count_by_short_search
from bddsudoku.work.resources import available_threads
from bddsudoku.work.runner_choice import task_values
from bddsudoku.work.task import Task, TaskContext, function_path

if TYPE_CHECKING:
    from bddsudoku.work import Client, Runner

Puzzles = NDArray[np.integer[Any]] | Iterable[str | Puzzle] | IO[str] | IO[bytes]
"""Digits (of any integer type, 0 where open) of shape (n, 81), with ``masks`` candidate masks (bit
d - 1 for digit d) instead; or lines or :class:`Puzzle` objects one after the other, of any size; or
an open file, which is read as commands read it."""

SLICE = 3 << 9
"""Maximum number of puzzles in a slice of lines or objects: some milliseconds of work."""
ARRAY_SLICE = 1 << 18
"""Maximum number of boards in a slice of an array."""
WORKER_SLICE = 1 << 13
"""Number of puzzles in a slice that is sent to a worker."""


class FirstSolutions(NamedTuple):
    """Result of :func:`solve_many`: the counts and one solution of each board.

    Attributes:
        counts: uint64, (n,): the number of solutions, no further than the limit.
        solutions: uint8, (n, 81): a solution of each, zeros where there is none.
    """

    counts: U64
    solutions: U8


class UnreadSlice(NamedTuple):
    """Consecutive elements of a list, not yet read as puzzles.

    Attributes:
        text: their lines; None if some are no lines.
        elements: the elements.
    """

    text: str | None
    elements: list[str | Puzzle]


class PuzzleSlice(NamedTuple):
    """A slice of a list: its classic boards as one array, all other puzzles by position."""

    boards: AnyArray
    others: dict[int, Puzzle]


def count_many(
    puzzles: Puzzles,
    limit: int | None = None,
    jobs: int | None = None,
    *,
    masks: bool = False,
    client: Client | Runner | None = None,
    context: Context = UNLIMITED,
) -> U64 | NDArray[np.object_]:
    """The exact number of solutions of every puzzle of a list, in their order.

    Args:
        puzzles: see :data:`Puzzles`.
        limit: count no further than this (2 tells whether a solution is the only one).
        jobs: threads; by default one a core.
        masks: whether an array holds candidate masks.
        client: a ``distributed.Client``, whose workers count instead.

    Returns:
        uint64, (n,); of dtype object, with ints, when some count needs more than 64 bits.

    Raises:
        PuzzleFormatError: something is no puzzle; it says which.
        LimitReached: a limit ended it.

    Cost: a microsecond for most puzzles with one solution, 0.1 ms for the hardest known; lines are
    read at some 10⁷ a second, :class:`Puzzle` objects taken apart at some 10⁵.
    """
    found = _count_slices(_typed(puzzles, masks), limit, jobs, client, context)
    return np.concatenate([np.zeros(0, np.uint64), *found])


def count_each(
    puzzles: Puzzles,
    limit: int | None = None,
    jobs: int | None = None,
    *,
    masks: bool = False,
    client: Client | Runner | None = None,
    context: Context = UNLIMITED,
) -> Iterator[int]:
    """Yield the exact number of solutions of each puzzle of a stream, in their order.

    Arguments, errors and cost are those of :func:`count_many`.
    """
    for piece in _count_slices(_typed(puzzles, masks), limit, jobs, client, context):
        yield from piece.tolist()


def solve_many(
    puzzles: Puzzles,
    limit: int | None = 2,
    jobs: int | None = None,
    *,
    masks: bool = False,
    client: Client | Runner | None = None,
    context: Context = UNLIMITED,
) -> FirstSolutions:
    """Count the solutions of the classic boards of a list, and find one solution of each.

    Args:
        puzzles: as for :func:`count_many`, of 9×9 cells.
        limit: count no further than this; None visits all.
        jobs, masks, client: as for :func:`count_many`.

    Raises:
        PuzzleFormatError: a puzzle is no classic board; the message has its number.
        LimitReached: the time is used up.
    """
    puzzles = _typed(puzzles, masks)
    found = _apply_to_slices(solve_slice, puzzles, limit, jobs, client, context)
    none = np.zeros(0, np.uint64), np.zeros((0, 81), np.uint8)
    return FirstSolutions(*map(np.concatenate, zip(none, *found, strict=True)))


def true_candidates_many(
    puzzles: Puzzles,
    jobs: int | None = None,
    *,
    masks: bool = False,
    client: Client | Runner | None = None,
    context: Context = UNLIMITED,
) -> U16:
    """The true candidates of the classic boards of a list.

    Args:
        puzzles, jobs, masks, client: as for :func:`solve_many`.

    Returns:
        Masks, (n, 81): bit d - 1 is set if a solution has digit d there.

    Raises:
        PuzzleFormatError: a puzzle is no classic board; the message has its number.
        LimitReached: the time is used up.
    """
    puzzles = _typed(puzzles, masks)
    found = _apply_to_slices(true_candidates_of_slice, puzzles, None, jobs, client, context)
    return np.concatenate([np.zeros((0, 81), np.uint16), *found])


def _typed(puzzles: Puzzles, masks: bool) -> Puzzles:
    """An array of digits or candidate masks in the type of the kernels; anything else as it is."""
    if not isinstance(puzzles, np.ndarray):
        return puzzles
    if puzzles.dtype == np.uint16 and not masks:
        # Up to 2.0 the type said so. Where no cell is open, numbers above 9 are no slips.
        masks = bool(puzzles.min(initial=9) > 0 and puzzles.max(initial=0) > 9)
        if masks:
            warn("candidate masks are asked for by masks=True", DeprecationWarning, stacklevel=3)
    return as_boards(puzzles, masks)


def _count_slices(
    puzzles: Puzzles,
    limit: int | None,
    jobs: int | None,
    client: Client | Runner | None,
    context: Context,
) -> Iterator[AnyArray]:
    """Yield an array of counts for each slice of a list; counts beyond 64 bits are Python ints."""
    if limit is not None and limit < 0:
        raise ValueError(f"expected a limit of 0 or more, found {limit}")
    done = 0
    for counts in _apply_to_slices(count_slice, puzzles, limit, jobs, client, context):
        done += len(counts)
        yield counts
        context.report_progress(done, len(puzzles) if isinstance(puzzles, np.ndarray) else done)


# -- pieces, here or on a worker -------------------------------------------------------------------

SliceJob = tuple[PuzzleSlice, int | None, int | None]
"""A slice of puzzles, the limit of its counts, and the number of threads."""


def _apply_to_slices(
    function: Callable[[SliceJob, TaskContext], Any],
    puzzles: Puzzles,
    limit: int | None,
    jobs: int | None,
    client: Client | Runner | None,
    context: Context,
) -> Iterator[Any]:
    """Apply a function to the slices of a list, locally on threads or on a client's workers."""
    classic_only = function is not count_slice
    if client is not None:
        slices = slice_puzzles(puzzles, WORKER_SLICE, classic_only=classic_only)
        tasks = (
            Task(function_path(function), (piece, limit, None), context.memory) for piece in slices
        )
        return task_values(tasks, client=client, context=context.without_progress)
    threads = max(1, jobs or available_threads())
    if isinstance(puzzles, np.ndarray) or threads == 1:
        task_context = TaskContext(context.without_progress)
        slices = slice_puzzles(puzzles, classic_only=classic_only)
        return (function((piece, limit, jobs), task_context) for piece in slices)
    return _apply_on_threads(function, puzzles, limit, threads, context)


def _apply_on_threads(
    function: Callable[[SliceJob, TaskContext], Any],
    puzzles: Iterable[str | Puzzle] | IO[str] | IO[bytes],
    limit: int | None,
    threads: int,
    context: Context,
) -> Iterator[Any]:
    """Yield a function's result for each slice of a list; each slice is handled by one thread.

    This thread reads ahead and takes slices as the others do, but slices with anything but classic
    boards are left to it, since it can be interrupted.
    """
    stopped = False

    def stop_if_closed(done: float, total: float) -> None:
        if stopped:
            raise InterruptedError

    def work(unread: UnreadSlice | PuzzleSlice) -> tuple[int, Any] | None:
        piece = _read_classic(unread)
        if piece is None or piece.others:
            return None
        task_context = TaskContext(context.with_progress(stop_if_closed))
        return len(piece.boards), function((piece, limit, 1), task_context)

    def work_here() -> bool:
        """Work on the first slice that no thread has begun; return whether there was one."""
        for place, (unread, future) in enumerate(waiting):
            if future.cancel():
                waiting[place] = unread, Future()
                try:
                    waiting[place][1].set_result(work(unread))
                except Exception as error:  # results of slices before it come first
                    waiting[place][1].set_exception(error)
                return True
        return False

    classic_only = function is not count_slice
    slices = _unread_slices(puzzles, _doubling_sizes(), classic_only)
    waiting: deque[tuple[UnreadSlice | PuzzleSlice, Future[tuple[int, Any] | None]]] = deque()
    failure: Exception | None = None
    more, begin = True, 0
    with ThreadPoolExecutor(threads - 1) as pool:
        try:
            while more or waiting:
                first_done = bool(waiting) and waiting[0][1].done()
                if more and len(waiting) < 2 * threads and not first_done:
                    try:
                        unread = next(slices, None)
                    except Exception as error:  # results of what was read before come first
                        unread, failure = None, error
                    if unread is None:
                        more = False
                    else:
                        waiting.append((unread, pool.submit(work, unread)))
                elif first_done or not work_here():
                    unread, future = waiting.popleft()
                    size, result = future.result() or (0, None)
                    if not size:
                        piece = _read_each(unread, begin, classic_only)
                        size = len(piece.boards) + len(piece.others)
                        task_context = TaskContext(context.without_progress)
                        result = function((piece, limit, threads), task_context)
                    begin += size
                    yield result
        finally:
            stopped = True
            for _, future in waiting:
                future.cancel()
    if failure is not None:
        raise failure


def count_slice(job: SliceJob, task_context: TaskContext) -> AnyArray:
    """Worker task: count the solutions of each puzzle of a slice."""
    (boards, others), limit, jobs = job
    context = task_context.context
    found = count_boards(boards, limit, jobs=jobs, context=context)
    if found.settled.all() and not others:
        return found.counts
    counts = found.counts.tolist()
    for i in np.flatnonzero(~found.settled).tolist():
        board = boards[i].tolist()
        masks = boards.dtype == np.uint16
        puzzle = Puzzle.from_masks(board, Layout()) if masks else Puzzle(board, Layout())
        counts[i] = count_detailed(puzzle, context=context, limit=limit).count
    for place, puzzle in others.items():
        number = count_by_short_search(puzzle, limit, context) if limit != 0 else 0
        if number is None:
            number = count_detailed(puzzle, context=context, limit=limit).count
        counts.insert(place, number)
    return np.array(counts, dtype=np.uint64 if max(counts) < 1 << 64 else object)


def solve_slice(job: SliceJob, task_context: TaskContext) -> tuple[AnyArray, AnyArray]:
    """Worker task: count the solutions of each board of a slice, and find a solution of each."""
    (boards, _), limit, jobs = job
    tally = firsts_of(boards, limit, jobs=jobs, context=task_context.context)
    return tally.counts, tally.solutions


def true_candidates_of_slice(job: SliceJob, task_context: TaskContext) -> AnyArray:
    """Worker task: find the true candidates of a slice's boards, as bit masks."""
    (boards, _), _, jobs = job
    return candidates_of(boards, jobs=jobs, context=task_context.context)


def slice_puzzles(
    puzzles: Puzzles, slice_size: int | None = None, *, classic_only: bool = False
) -> Iterator[PuzzleSlice]:
    """Read a list of puzzles and yield it in slices, each with its classic boards as one array.

    Args:
        puzzles: see :data:`Puzzles`.
        slice_size: maximum number of puzzles in a slice.
        classic_only: whether boards other than 9×9 are refused.

    Raises:
        PuzzleFormatError: something is no puzzle, or (if ``classic_only``) no classic board; the
            message has its number.
    """
    if isinstance(puzzles, np.ndarray):
        checked, step = as_boards(puzzles), slice_size or ARRAY_SLICE
        yield from (PuzzleSlice(checked[i : i + step], {}) for i in range(0, len(checked), step))
        return
    begin = 0
    for unread in _unread_slices(puzzles, repeat(slice_size or SLICE), classic_only):
        piece = _read_classic(unread) or _read_each(unread, begin, classic_only)
        begin += len(piece.boards) + len(piece.others)
        yield piece


def _unread_slices(
    puzzles: Iterable[str | Puzzle] | IO[str] | IO[bytes],
    sizes: Iterator[int],
    classic_only: bool,
) -> Iterator[UnreadSlice | PuzzleSlice]:
    """Split an iterable of puzzles into slices that are not parsed yet, or an open file."""
    if isinstance(puzzles, (str, Puzzle)):
        raise TypeError(f"expected many puzzles, found one {type(puzzles).__name__}")
    if hasattr(puzzles, "read"):
        yield from _slices_of_file(cast("IO[str] | IO[bytes]", puzzles), SLICE, classic_only)
        return
    rest = iter(puzzles)
    for size in sizes:
        elements = list(islice(rest, size))
        if not elements:
            return
        try:
            lines = "\n".join(cast("list[str]", elements)) + "\n"
        except TypeError:
            yield UnreadSlice(None, elements)
            continue
        has_ends = cast("list[str]", elements)[0].endswith("\n")
        yield UnreadSlice(lines.replace("\n\n", "\n") if has_ends else lines, elements)


def _slices_of_file(
    file: IO[str] | IO[bytes], size: int, classic_only: bool
) -> Iterator[PuzzleSlice]:
    """Read an open file as slices, small ones first; what was read before an error comes first."""
    for chunk in split_into_chunks(read_open_file(file), size):
        if isinstance(chunk, ClassicBoardChunk):
            yield PuzzleSlice(chunk.digits, {})
            continue
        piece = _slice_of_puzzles([record.puzzle for record in chunk])
        if piece.others and classic_only:
            bad = chunk[min(piece.others)]
            raise PuzzleFormatError(
                f"expected a classic 9x9 board, found {bad.puzzle.layout}",
                source=bad.source,
                line=bad.line,
            )
        yield piece


def _slice_of_puzzles(puzzles: list[Puzzle]) -> PuzzleSlice:
    """The slice of some puzzles."""
    others = {place: puzzle for place, puzzle in enumerate(puzzles) if not puzzle.is_classic}
    masks = [puzzle.masks for place, puzzle in enumerate(puzzles) if place not in others]
    return PuzzleSlice(np.array(masks, dtype=np.uint16).reshape(-1, 81), others)


def _doubling_sizes() -> Iterator[int]:
    """Yield slice sizes: small ones first, for threads to share short lists, then :data:`SLICE`."""
    yield from (max(1, SLICE >> halvings) for halvings in (3, 3, 2, 2, 1, 1))
    yield from repeat(SLICE)


def _read_classic(unread: UnreadSlice | PuzzleSlice) -> PuzzleSlice | None:
    """The slice if it is read already or has classic boards only; otherwise None."""
    if isinstance(unread, PuzzleSlice):
        return unread
    if unread.text is None:
        return None
    data = unread.text.encode(errors="surrogatepass")
    found = read_fast_lines(data, is_last=True)
    # A line end within an element would make more lines, or one that is no board.
    is_whole = found.used == len(data) and len(found.digits) == len(unread.elements)
    return PuzzleSlice(found.digits, {}) if is_whole else None


def _read_each(
    unread: UnreadSlice | PuzzleSlice, first_number: int, classic_only: bool
) -> PuzzleSlice:
    """Read the puzzles of a slice one by one; an error names the number of the bad puzzle."""
    if isinstance(unread, PuzzleSlice):
        return unread
    numbered = enumerate(unread.elements, first_number)
    piece = _slice_of_puzzles([_read_puzzle(one, number) for number, one in numbered])
    if piece.others and classic_only:
        place, other = next(iter(piece.others.items()))
        raise PuzzleFormatError(
            f"puzzle {first_number + place}: expected a classic 9x9 board, found {other.layout}"
        )
    return piece


def _read_puzzle(element: str | Puzzle, number: int) -> Puzzle:
    """Read a puzzle from an element of a list; an error names the number of the element."""
    if isinstance(element, Puzzle):
        return element
    if not isinstance(element, str):
        raise TypeError(f"puzzle {number}: expected a line or a Puzzle, found {element!r}")
    try:
        return Puzzle.parse(element)
    except PuzzleFormatError as error:
        raise PuzzleFormatError(f"puzzle {number}: {error}") from None
