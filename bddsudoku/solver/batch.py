"""Many puzzles at once: bitboards first, a chosen engine for what these leave.

A list of :data:`Puzzles` is worked on in pieces, so that an iterable of millions is never held:
ordinary 9×9 boards as arrays, on threads that run without the GIL; every other puzzle, and what a
search on bitboards does not settle, one by one by :func:`.ask.counted`.

What a command is asked about comes as chunks of records (:data:`.records.Chunk`). A function that
answers one, ``answers(chunk, context, **options)``, yields a record for each puzzle, in order: here
as they come, or on workers chunk by chunk (:func:`answers_each`). Records are what ``--json`` shows
and a journal keeps.
"""

from __future__ import annotations

import io
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from bddsudoku.context import UNLIMITED, Context
from bddsudoku.engine.bitboard import TRIAL_NODES, Search, Tally
from bddsudoku.engine.bitboard import count_many as tally_of
from bddsudoku.engine.bitboard import solve_many as firsts_of
from bddsudoku.engine.bitboard import true_candidates as candidates_of
from bddsudoku.engine.bitboard.batch import boards_of
from bddsudoku.engine.dlx import engine as dlx
from bddsudoku.engine.protocol import holder_for, searcher_for
from bddsudoku.errors import BddSudokuError, LimitReached, PuzzleFormatError
from bddsudoku.puzzle.sudoku.allocation import families_of, full_model
from bddsudoku.puzzle.sudoku.grid import Puzzle, PuzzleRecord
from bddsudoku.puzzle.sudoku.layout import Layout
from bddsudoku.puzzle.sudoku.text.fast_lines import read_lines
from bddsudoku.sets.listedset import ListedSet
from bddsudoku.solver.ask import counted
from bddsudoku.solver.question import Counted, Run, Solved, count_record, question_of, said
from bddsudoku.solver.records import Boards, Chunk
from bddsudoku.work.task import Home, Task, function_named
from bddsudoku.work.workers import runner_for, values

if TYPE_CHECKING:
    from bddsudoku.work import Client, Journal, Runner

Puzzles = NDArray[np.uint8] | NDArray[np.uint16] | Iterable[str | Puzzle]
"""Digits (uint8, 0 where open) or candidate masks (uint16, bit d - 1 for digit d) of shape
(n, 81); or lines or :class:`Puzzle` objects one after the other, of any size. Of an open text file
blank lines and comments are passed over."""
Array = NDArray[Any]

PIECE = 1 << 16
"""Puzzles of a stream that are worked on together."""
SHORTER = 16
"""How many times the first piece is shorter: who reads a stream has its first answers soon."""
ROWS = 1 << 18
"""The same of a list or an array, which is there already."""
FAR = 1 << 13
"""Puzzles that are sent to a worker together."""
NODES = 1_000_000
"""Nodes of a search after which an engine is chosen by prediction: some 0.2 s."""
SHORT = 0.05
"""Seconds of work after which it is worth telling what was found."""
FEW = 1_000
"""So many solutions are few."""
_GROWTH = 8


# -- lists as arrays -------------------------------------------------------------------------------


class Firsts(NamedTuple):
    """What :func:`solve_many` finds.

    Attributes:
        counts: uint64, (n,): the number of solutions, no further than the limit.
        solutions: uint8, (n, 81): a solution of each, zeros where there is none.
    """

    counts: NDArray[np.uint64]
    solutions: NDArray[np.uint8]


class Piece(NamedTuple):
    """Consecutive puzzles of a list.

    Attributes:
        boards: the ordinary boards, as digits or as masks.
        others: for each puzzle None where it is the next of these, or the puzzle.
    """

    boards: Array
    others: list[Puzzle | None]


def count_many(
    puzzles: Puzzles,
    limit: int | None = None,
    jobs: int | None = None,
    *,
    client: Client | Runner | None = None,
    context: Context = UNLIMITED,
) -> NDArray[np.uint64] | NDArray[np.object_]:
    """The exact number of solutions of every puzzle of a list, in their order.

    Args:
        puzzles: see :data:`Puzzles`.
        limit: count no further than this (2 tells whether a solution is the only one).
        jobs: threads; by default one a core.
        client: a ``distributed.Client``, whose workers count instead.

    Returns:
        uint64, (n,); of dtype object, with ints, when some count needs more than 64 bits.

    Raises:
        PuzzleFormatError: something is no puzzle; it says which.
        LimitReached: a limit ended it.

    Cost: a microsecond for most puzzles with one solution, 0.1 ms for the hardest known; lines are
    read at some 10⁷ a second, :class:`Puzzle` objects taken apart at some 10⁵.
    """
    found = [np.zeros(0, np.uint64), *_counted(puzzles, limit, jobs, client, context)]
    if any(piece.dtype == object for piece in found):
        found = [piece.astype(object) for piece in found]
    return np.concatenate(found)


def count_each(
    puzzles: Puzzles,
    limit: int | None = None,
    jobs: int | None = None,
    *,
    client: Client | Runner | None = None,
    context: Context = UNLIMITED,
) -> Iterator[int]:
    """:func:`count_many` as a stream: the counts one after the other, in constant memory."""
    for piece in _counted(puzzles, limit, jobs, client, context):
        yield from piece.tolist()


def solve_many(
    puzzles: Puzzles,
    limit: int | None = 2,
    jobs: int | None = None,
    *,
    client: Client | Runner | None = None,
    context: Context = UNLIMITED,
) -> Firsts:
    """How many solutions the ordinary boards of a list have, and one of each.

    Args:
        puzzles: as for :func:`count_many`, of 9×9 cells.
        limit: count no further than this; None visits all.
        jobs: threads; by default one a core.
        client: as there.

    Raises:
        PuzzleFormatError: something is no ordinary board; it says which.
        LimitReached: the time is used up.
    """
    found = [(np.zeros(0, np.uint64), np.zeros((0, 81), np.uint8))]
    found += _pieces_answered("firsts", puzzles, limit, jobs, client, context, ordinary=True)
    return Firsts(*map(np.concatenate, zip(*found, strict=True)))


def true_candidates_many(
    puzzles: Puzzles,
    jobs: int | None = None,
    *,
    client: Client | Runner | None = None,
    context: Context = UNLIMITED,
) -> NDArray[np.uint16]:
    """What stands in some solution, for the ordinary boards of a list.

    Args:
        puzzles: as for :func:`solve_many`.
        jobs: threads; by default one a core.
        client: as there.

    Returns:
        Masks, (n, 81): bit d - 1 is set if a solution has digit d there.

    Raises:
        PuzzleFormatError: something is no ordinary board; it says which.
        LimitReached: the time is used up.
    """
    found = _pieces_answered("masks", puzzles, None, jobs, client, context, ordinary=True)
    return np.concatenate([np.zeros((0, 81), np.uint16), *found])


def _counted(
    puzzles: Puzzles,
    limit: int | None,
    jobs: int | None,
    client: Client | Runner | None,
    context: Context,
) -> Iterator[Array]:
    """Counts, a piece of the list at a time; of dtype object where 64 bits are too few."""
    if limit is not None and limit < 0:
        raise ValueError(f"expected a limit of 0 or more, found {limit}")
    done = 0
    for counts in _pieces_answered("counts", puzzles, limit, jobs, client, context):
        done += len(counts)
        yield counts
        if context.progress is not None:
            context.progress(done, len(puzzles) if isinstance(puzzles, np.ndarray) else done)


def _pieces_answered(
    what: str,
    puzzles: Puzzles,
    limit: int | None,
    jobs: int | None,
    client: Client | Runner | None,
    context: Context,
    *,
    ordinary: bool = False,
) -> Iterator[Any]:
    """The answers to pieces of a list: here, by threads, or by the workers of a client.

    Args:
        what: ``counts``, ``firsts`` or ``masks``.
        ordinary: every puzzle must be an ordinary board.
    """
    pieces = pieces_of(puzzles, None if client is None else FAR, ordinary=ordinary)
    if client is None:
        for piece in pieces:
            yield _PIECE_ANSWERS[what](piece, limit, jobs, context.silent)
        return
    function = f"{__name__}:answer_piece"
    tasks = (Task(function, (what, piece, limit), context.memory) for piece in pieces)
    yield from values(tasks, client=client, context=context.silent)


def answer_piece(asked: tuple[str, Piece, int | None], home: Home) -> Any:
    """What a worker does with a piece."""
    what, piece, limit = asked
    return _PIECE_ANSWERS[what](piece, limit, None, home.context.silent)


def _piece_counts(piece: Piece, limit: int | None, jobs: int | None, context: Context) -> Array:
    visited = None if limit is None or limit >= 1 << 62 else limit  # nobody visits so many
    tally = tally_of(piece.boards, visited, max_nodes=NODES, jobs=jobs, context=context)
    left = _left_open(tally, visited)
    if not left.any() and len(piece.boards) == len(piece.others):
        return tally.counts
    counts = tally.counts.tolist()
    for i in np.flatnonzero(left).tolist():
        counts[i] = count_past_search(_puzzle_of(piece.boards[i]), limit, context).count
    boards = iter(counts)
    found = [next(boards) if p is None else _count_other(p, limit, context) for p in piece.others]
    return np.array(found, dtype=np.uint64 if max(found, default=0) < 1 << 64 else object)


def _piece_firsts(
    piece: Piece, limit: int | None, jobs: int | None, context: Context
) -> tuple[Array, Array]:
    tally = firsts_of(piece.boards, limit, jobs=jobs, context=context)
    return tally.counts, tally.solutions


def _piece_masks(piece: Piece, _: int | None, jobs: int | None, context: Context) -> Array:
    return candidates_of(piece.boards, jobs=jobs, context=context)


_PIECE_ANSWERS: dict[str, Any] = {
    "counts": _piece_counts,
    "firsts": _piece_firsts,
    "masks": _piece_masks,
}


def pieces_of(
    puzzles: Puzzles, always: int | None = None, *, ordinary: bool = False
) -> Iterator[Piece]:
    """Pieces of a list.

    Args:
        puzzles: the list.
        always: puzzles of each; None: as many as suit threads, of a stream more and more.
        ordinary: every puzzle must be an ordinary board.

    Raises:
        PuzzleFormatError: something is no puzzle, or no ordinary board; it says which.
    """
    if isinstance(puzzles, np.ndarray):
        checked = boards_of(puzzles)
        step = always or ROWS
        for begin in range(0, len(checked), step):
            boards = checked[begin : begin + step]
            yield Piece(boards, [None] * len(boards))
        return
    if isinstance(puzzles, (str, Puzzle)):
        raise TypeError(f"expected many puzzles, found one {type(puzzles).__name__}")
    begin, size, most = 0, max(1, PIECE // SHORTER), PIECE
    if isinstance(puzzles, Sequence):
        size = most = ROWS
    if always is not None:
        size = most = always
    is_file = isinstance(puzzles, io.TextIOBase)
    rest = iter(puzzles)
    while given := list(islice(rest, size)):
        if is_file:
            given = [line for line in given if cast("str", line)[0] > "#" or _says(line)]
        if given:
            yield _piece(given, begin, ordinary)
        begin += len(given)
        size = min(2 * size, most)


def _says(line: str | Puzzle) -> bool:
    """Whether a line of a file is more than a blank one or a comment."""
    text = cast("str", line).strip().lower()
    is_comment = text.startswith("#") and not any(word in text for word in ("layout", "symbols"))
    return bool(text) and not is_comment


def _piece(given: list[str | Puzzle], begin: int, ordinary: bool) -> Piece:
    """A piece of a list, the number of whose first puzzle is known."""
    digits = _digits_of(given)
    if digits is not None:
        return Piece(digits, [None] * len(given))
    masks: list[Sequence[int]] = []
    others: list[Puzzle | None] = []
    for number, one in enumerate(given, begin):
        puzzle = _read_one(one, number)
        if puzzle.is_ordinary:
            masks.append(puzzle.masks)
            others.append(None)
        elif ordinary:
            message = f"puzzle {number}: expected an ordinary 9x9 board, found {puzzle.layout}"
            raise PuzzleFormatError(message)
        else:
            others.append(puzzle)
    return Piece(np.array(masks, dtype=np.uint16).reshape(-1, 81), others)


def _digits_of(given: list[str | Puzzle]) -> NDArray[np.uint8] | None:
    """Lines that are ordinary boards, with or without their ends; None if there is another one."""
    try:
        text = "\n".join(cast("list[str]", given)) + "\n"
    except TypeError:
        return None
    if given[0].endswith("\n"):  # type: ignore[union-attr]
        text = text.replace("\n\n", "\n")
    data = text.encode(errors="surrogatepass")
    found = read_lines(data, last=True)
    # None is two, for a line end within: there would be more lines, or one that is no board.
    fits = len(found.digits) == len(given) and found.used == len(data)
    return found.digits if fits else None


def _read_one(given: str | Puzzle, number: int) -> Puzzle:
    """A puzzle of a list; errors name its number."""
    if isinstance(given, Puzzle):
        return given
    if not isinstance(given, str):
        raise TypeError(f"puzzle {number}: expected a line or a Puzzle, found {given!r}")
    try:
        return Puzzle.parse(given)
    except PuzzleFormatError as error:
        raise PuzzleFormatError(f"puzzle {number}: {error}") from None


# -- past the search -------------------------------------------------------------------------------


def _puzzle_of(board: Array) -> Puzzle:
    """A row of digits or candidate masks as a puzzle."""
    if board.dtype == np.uint16:
        return Puzzle.from_masks(board.tolist(), Layout())
    return Puzzle(board.tolist(), Layout())


def _left_open(tally: Tally, limit: int | None) -> NDArray[np.bool_]:
    """Which boards the search has left unsettled."""
    return ~tally.exact & (tally.counts < np.uint64(limit if limit is not None else 2**64 - 1))


def count_up_to(puzzle: Puzzle, limit: int | None, context: Context) -> Counted:
    """The number of solutions of a puzzle of any size, counted no further than a limit.

    Raises:
        LimitReached: a limit of memory or time ended it.
    """
    if limit is None:
        return counted(puzzle, context=context)
    begin = time.perf_counter()
    model = question_of(puzzle).model
    searcher = searcher_for(model)
    most = NODES if holder_for(model) else None
    try:
        number = sum(1 for _ in searcher.solutions(model, context, limit=limit, node_limit=most))
    except LimitReached as stop:
        if stop.limit != "nodes":
            raise
        return count_past_search(puzzle, limit, context)
    why = f"counted up to {limit:,}"
    return Counted(number, searcher.name, why, time.perf_counter() - begin, number < limit)


def count_past_search(puzzle: Puzzle, limit: int | None, context: Context) -> Counted:
    """:func:`count_up_to` where a search has gone on for long: all may be counted sooner.

    Raises:
        LimitReached: a limit of memory or time ended it.
    """
    found = counted(puzzle, context=context)
    if limit is None:
        return found
    return replace(found, count=min(found.count, limit), exact=found.count < limit)


def _count_other(puzzle: Puzzle, limit: int | None, context: Context) -> int:
    """The count of a board that is not ordinary."""
    found = short_count(puzzle, limit, context) if limit != 0 else 0
    return count_up_to(puzzle, limit, context).count if found is None else found


@lru_cache(maxsize=8)
def _base(layout: Layout) -> dlx.Base:
    """One layout's model, prepared once for all its puzzles."""
    return dlx.Base(full_model(layout, families_of(layout)))


def short_count(
    puzzle: Puzzle, limit: int | None = None, context: Context = UNLIMITED
) -> int | None:
    """The number of solutions, no further than a limit, if a short search settles that.

    Boards with rules are left to searches that know more than covers.

    Raises:
        LimitReached: the time is used up.
    """
    if puzzle.rules:
        return None
    n = puzzle.n
    given = [n * cell + digit - 1 for cell, digit in puzzle.hints.items()]
    struck = [
        n * cell + d
        for cell, mask in enumerate(puzzle.candidates or ())
        if not puzzle.cells[cell]
        for d in range(n)
        if not mask >> d & 1
    ]
    base = _base(puzzle.layout)
    found = base.count(
        given, struck, limit=limit, node_limit=dlx.TRIAL_NODES, context=context.silent
    )
    if found.exact or (limit is not None and found.count >= limit):
        return found.count if limit is None else min(found.count, limit)
    context.check()
    return None


# -- few solutions ---------------------------------------------------------------------------------


def few_solutions(puzzle: Puzzle) -> ListedSet | None:
    """All solutions of an ordinary board where a short search finds them; else None."""
    if not puzzle.is_ordinary:
        return None
    search = Search(np.array(puzzle.masks, dtype=np.uint16))
    rows = search.batch(FEW + 1, TRIAL_NODES)
    return ListedSet(rows) if search.done and len(rows) <= FEW else None


# -- boards of a file ------------------------------------------------------------------------------


class Settled(NamedTuple):
    """Consecutive boards of a list that have one solution, or none.

    Attributes:
        boards: the boards.
        solvable: bool, (n,): which of them have one.
        solutions: uint8, (n, 81).
    """

    boards: Boards
    solvable: NDArray[np.bool_]
    solutions: NDArray[np.uint8]


def portions(size: int, step: int = 256) -> Iterator[tuple[int, int]]:
    """A list cut up, (begin, end) after (begin, end), so that each takes a short time.

    What is found can then be told in time, even of a list whose boards take long. The first are
    ``step`` boards.
    """
    begin = 0
    while begin < size:
        end = min(begin + step, size)
        start = time.perf_counter()
        yield begin, end
        step = 4 * step if time.perf_counter() - start < SHORT else max(step // 4, 1)
        begin = end


def searched(
    boards: Boards,
    limit: int | None = None,
    jobs: int | None = None,
    context: Context = UNLIMITED,
    *,
    nodes: int | None = NODES,
    step: int = 256,
) -> Iterator[dict[str, Any] | None]:
    """The count of each by a search on bitboards, in order; None where that does not settle it.

    A record as of :func:`count_records`.

    Args:
        boards: of a list.
        limit: count no further than this.
        jobs: threads.
        nodes: of a search; None: it goes on to the end.
        step: boards that are searched together at first.

    Raises:
        LimitReached: the time is used up; what came before was yielded.
    """
    for begin, end in portions(len(boards), step):
        start = time.perf_counter()
        digits = boards.digits[begin:end]
        tally = tally_of(digits, limit, max_nodes=nodes, jobs=jobs, context=context.silent)
        seconds = round((time.perf_counter() - start) / (end - begin), 6)
        columns = tally.counts, _left_open(tally, limit), tally.nodes
        for count, left, took in zip(*(column.tolist() for column in columns), strict=True):
            yield (
                None
                if left
                else {
                    "count": str(count),
                    "exact": limit is None or count < limit,
                    "engine": "quick",
                    "why": f"the search ended after {took:,} nodes",
                    "seconds": seconds,
                }
            )
        if context.progress is not None:
            context.progress(end, len(boards))


def settled(boards: Boards, context: Context = UNLIMITED) -> Iterator[Settled | PuzzleRecord]:
    """The boards of a list in order: together where they have one solution, else by themselves.

    Raises:
        LimitReached: the time is used up; what came before was yielded.
    """
    for begin, end in portions(len(boards)):
        digits = boards.digits[begin:end]
        tally = firsts_of(digits, 2, max_nodes=TRIAL_NODES, context=context.silent)
        alone = ~tally.exact | (tally.counts > 1)
        cuts = np.nonzero(np.diff(alone))[0] + 1
        for part in np.split(np.arange(end - begin), cuts):
            first, last = int(part[0]), int(part[-1]) + 1
            if alone[first]:
                yield from map(boards.__getitem__, range(begin + first, begin + last))
                continue
            some = boards.slice(begin + first, begin + last)
            yield Settled(some, tally.counts[first:last] == 1, tally.solutions[first:last])


def few_of_boards(
    boards: Boards, context: Context = UNLIMITED
) -> Iterator[tuple[PuzzleRecord, Solved | None]]:
    """The boards of a list in order, each with its solutions where they are few.

    Raises:
        LimitReached: the time is used up; what came before was yielded.
    """
    start = time.perf_counter()
    for found in settled(boards, context):
        if isinstance(found, PuzzleRecord):
            held = [(found, few_solutions(found.puzzle))]
        else:
            rows = zip(found.boards, found.solutions, found.solvable.tolist(), strict=True)
            held = [(record, ListedSet(row[None][: int(solved)])) for record, row, solved in rows]
        seconds = (time.perf_counter() - start) / len(held)
        for record, few in held:
            why = "all solutions by a short search"
            yield record, None if few is None else Solved(few, "quick", why, seconds)
        start = time.perf_counter()


def known_runs(
    boards: Boards, context: Context = UNLIMITED
) -> Iterator[tuple[PuzzleRecord, dict[str, Run]]]:
    """The boards of a list in order, each with what the search on bitboards says of it.

    Nothing is said of those that it would take long for, or that a limit keeps it from.
    """
    found = searched(boards, context=context, step=16)
    for record in boards:
        try:
            count = next(found, None)
        except LimitReached:
            count = None
        runs = {} if count is None else {"quick": said("quick", count["count"], count["seconds"])}
        yield record, runs


# -- records for commands --------------------------------------------------------------------------


def count_records(
    chunk: Chunk,
    context: Context = UNLIMITED,
    *,
    engine: str = "auto",
    limit: int | None = None,
    jobs: int | None = None,
    one_by_one: bool = False,
) -> Iterator[dict[str, Any]]:
    """The counts of a chunk: ``count``, ``exact``, ``engine``, ``why``, ``seconds``.

    Where a limit other than the time ended one: ``count`` None, ``exact`` False, ``limit``.

    Args:
        chunk: the puzzles.
        engine: who counts; ``auto``: whoever is predicted to be the fastest.
        limit: count no further than this.
        jobs: threads for boards of a list.
        one_by_one: ask an engine of each board of a list by itself.

    Raises:
        LimitReached: the time is used up; what came before was yielded.
    """
    found: Iterable[dict[str, Any] | None] = (None for _ in chunk)
    listed = isinstance(chunk, Boards) and engine in ("auto", "quick") and not one_by_one
    if isinstance(chunk, Boards) and listed:
        nodes = NODES if engine == "auto" else None
        found = searched(chunk, limit, jobs, context, nodes=nodes)
        context = context.silent
    for i, record in enumerate(found):
        yield record or _count_one(chunk[i], engine, limit, context, past=listed)


def _count_one(
    record: PuzzleRecord, engine: str, limit: int | None, context: Context, *, past: bool
) -> dict[str, Any]:
    """The count of one puzzle; of a board that a search has gone on with for long, if ``past``."""
    try:
        if past:
            found = count_past_search(record.puzzle, limit, context)
        elif limit is None or record.saved is not None:
            found = counted(record, engine, context)
        else:
            found = count_up_to(record.puzzle, limit, context)
    except LimitReached as stop:
        if stop.limit == "time":
            raise
        return {"count": None, "exact": False, "limit": str(stop)}
    return count_record(found)


# -- on workers ------------------------------------------------------------------------------------


def part_size(before: int, most: int) -> int:
    """Puzzles of the next part of a list: an eighth of those before it, at least one.

    A part that is under way when the work is stopped is lost. So each is short beside what is done
    by then, however long the puzzles take; and the same list is always cut at the same places.

    Args:
        before: puzzles in the parts before.
        most: of a part.
    """
    return max(1, min(most, before // _GROWTH))


def chunks(found: Iterable[Boards | PuzzleRecord], size: int) -> Iterator[Chunk]:
    """Consecutive puzzles, so many at most together; arrays of boards stay arrays.

    An error in reading comes after what was read before.

    Raises:
        BddSudokuError: one is a saved set.
    """
    before = 0
    waiting: list[PuzzleRecord] = []
    source = iter(found)
    failure: Exception | None = None
    while failure is None:
        try:
            group = next(source)
        except StopIteration:
            break
        except Exception as error:
            failure = error
            break
        if isinstance(group, Boards):
            if waiting:
                yield waiting
                before += len(waiting)
                waiting = []
            begin = 0
            while begin < len(group):
                end = min(begin + part_size(before, size), len(group))
                yield group.slice(begin, end)
                before += end - begin
                begin = end
        elif group.saved is not None:
            failure = BddSudokuError(f"{group.source}: a saved set is not shared out")
        else:
            waiting.append(group._replace(notes=()))  # told already
            if len(waiting) >= part_size(before, size):
                yield waiting
                before += len(waiting)
                waiting = []
    if waiting:
        yield waiting
    if failure is not None:
        raise failure


def answers_each(
    answers: str,
    found: Iterable[Boards | PuzzleRecord],
    size: int,
    options: Mapping[str, object],
    runner: Runner,
    context: Context = UNLIMITED,
) -> Iterator[tuple[Chunk, list[dict[str, Any]]]]:
    """Chunks of puzzles, each with the records that a worker has answered with.

    Args:
        answers: ``"module:function"``, called as this module's text says.
        found: the puzzles.
        size: so many of them at most are sent together.
        options: keywords of the function; JSON-able.

    Raises:
        LimitReached: a limit ended it, or the cluster is gone; what came before was yielded.
    """
    sent: list[Chunk] = []

    def tasks() -> Iterator[Task]:
        for chunk in chunks(found, size):
            sent.append(chunk)
            yield Task(f"{__name__}:answer_chunk", (answers, chunk, options), context.memory)

    for outcome in runner.run(tasks(), ordered=True, context=context):
        yield sent.pop(0), cast("list[dict[str, Any]]", outcome.result())


def answer_chunk(asked: tuple[str, Chunk, dict[str, Any]], home: Home) -> list[dict[str, Any]]:
    """What a worker does with a chunk."""
    answers, chunk, options = asked
    return list(function_named(answers)(chunk, home.context.silent, **options))


def answers_many(
    answers: str,
    puzzles: Iterable[Puzzle],
    size: int,
    jobs: int | None,
    client: Client | Runner | None,
    journal: Journal | None,
    context: Context,
    **options: object,
) -> Iterator[dict[str, Any]]:
    """:func:`answers_each` of puzzles, the records one after the other."""
    found = map(PuzzleRecord, puzzles)
    with runner_for(jobs, client, journal) as runner:
        for _, records in answers_each(answers, found, size, options, runner, context):
            yield from records
