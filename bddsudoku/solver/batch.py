"""Many puzzles at once: ordinary 9×9 boards as arrays on bit boards, all others one by one.

Lists are worked on in pieces, so that an iterable of millions is never held; a piece is handed to
threads that run without the GIL. What a search on bit boards does not settle is asked of
:func:`bddsudoku.solver.counted`, like every board of another size.

Lists asked about on workers, chunk by chunk; answers come back in order.

Lists of puzzles in pieces: ordinary 9×9 boards as arrays, all others as they are.

A short search of boards of any size: one layout's model is prepared once for all its puzzles.

Few solutions of an ordinary board, held as they are: what is asked of them needs no diagram.
"""

from __future__ import annotations

import io
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from bddsudoku.context import UNLIMITED, Context
from bddsudoku.engine.bitboard import TRIAL_NODES, Boards, Search, Tally
from bddsudoku.engine.bitboard import count_many as tally_of
from bddsudoku.engine.bitboard import solve_many as firsts_of
from bddsudoku.engine.bitboard import true_candidates as candidates_of
from bddsudoku.engine.bitboard.batch import boards_of
from bddsudoku.engine.dlx import engine as dlx
from bddsudoku.engine.protocol import holder_for, searcher_for
from bddsudoku.errors import LimitReached, PuzzleFormatError
from bddsudoku.puzzle.sudoku.allocation import families_of, full_model
from bddsudoku.puzzle.sudoku.grid import Puzzle
from bddsudoku.puzzle.sudoku.layout import Layout
from bddsudoku.puzzle.sudoku.text.fast_lines import read_lines
from bddsudoku.sets.listedset import ListedSet
from bddsudoku.solver.ask import counted
from bddsudoku.solver.question import Counted, question_of
from bddsudoku.work.threads import Pause, each_piece

if TYPE_CHECKING:
    from bddsudoku.solver.source import Subject
    from bddsudoku.work import Client, Home, Journal, Runner

_GROWTH = 8


def part_size(before: int, most: int) -> int:
    """Puzzles of the next part of a list: an eighth of those before it, at least one.

    A part that is under way when the work is stopped is lost. So each is short beside what is done
    by then, however long the puzzles take; and the same list is always cut at the same places.

    Args:
        before: puzzles in the parts before.
        most: of a part.
    """
    return max(1, min(most, before // _GROWTH))


def far_values(
    function: str,
    arguments: Iterable[object],
    client: Client | Runner | None,
    context: Context = UNLIMITED,
    *,
    jobs: int | None = None,
    journal: Journal | None = None,
) -> Iterator[object]:
    """The values of a function for one argument after the other; see :mod:`bddsudoku.work`.

    Raises:
        LimitReached: a limit ended it, or the cluster is gone.
        Exception: whatever the function raises.
    """
    from bddsudoku.work import Task, values

    memory = None if context is None else context.memory
    tasks = (Task(function, argument, memory) for argument in arguments)
    return values(tasks, jobs, client, context=context, journal=journal)


def answers_each(
    function: str,
    subjects: Iterable[Subject],
    size: int,
    jobs: int | None = None,
    client: Client | Runner | None = None,
    *,
    context: Context = UNLIMITED,
    journal: Journal | None = None,
) -> Iterator[tuple[Subject, dict[str, Any]]]:
    """Puzzles, each with the answers that workers give.

    Args:
        function: ``"module:function"``; gives a list of answers for a list of subjects.
        subjects: the puzzles.
        size: so many of them at most are sent together.
        jobs: processes of this machine.
        client: a ``distributed.Client``.
        journal: keeps what is done.

    Raises:
        LimitReached: a limit ended it, or the cluster is gone; what came before was yielded.
    """
    sent: list[list[Subject]] = []

    def chunks() -> Iterator[list[Subject]]:
        source, before = iter(subjects), 0
        while chunk := list(islice(source, part_size(before, size))):
            before += len(chunk)
            sent.append(chunk)
            yield chunk

    found = far_values(function, chunks(), client, context, jobs=jobs, journal=journal)
    for value in found:
        answers = cast("list[dict[str, Any]]", value)
        yield from zip(sent.pop(0), answers, strict=True)


Puzzles = NDArray[np.uint8] | NDArray[np.uint16] | Iterable[str | Puzzle]
"""Digits (uint8, 0 where open) or candidate masks (uint16, bit d - 1 for digit d) of shape
(n, 81); or lines or :class:`Puzzle` objects one after the other, of any size. Of an open text file
blank lines and comments are passed over."""

PIECE = 1 << 16
"""Puzzles of a stream that are worked on together."""
SHORTER = 16
"""How many times the first piece is shorter: who reads a stream has its first answers soon."""
ROWS = 1 << 18
"""The same of a list or an array, which is there already."""

Piece = tuple[Boards, list[Puzzle | None]]
"""Ordinary boards, and what stands in the list: None for the next of them, or another puzzle."""


def ordinary_pieces(puzzles: Puzzles, size: int | None = None) -> Iterator[Boards]:
    """Pieces of a list that must all be ordinary boards.

    Args:
        puzzles: the list.
        size: of the pieces; by default what suits threads.

    Raises:
        PuzzleFormatError: one is not; it says which.
    """
    begin = 0
    for boards, others in pieces_of(puzzles, size):
        for k, other in enumerate(others):
            if other is not None:
                raise PuzzleFormatError(
                    f"puzzle {begin + k}: expected an ordinary 9x9 board, found {other.layout}"
                )
        yield boards
        begin += len(others)


def pieces_of(puzzles: Puzzles, size: int | None = None) -> Iterator[Piece]:
    """Pieces of a list, of one size or growing."""
    if isinstance(puzzles, np.ndarray):
        checked = boards_of(puzzles)
        step = ROWS if size is None else size
        for begin in range(0, len(checked), step):
            boards = checked[begin : begin + step]
            yield boards, [None] * len(boards)
        return
    for begin, piece in cut(puzzles, size):
        yield piece_of(piece, begin)


def cut(
    puzzles: Iterable[str | Puzzle], always: int | None = None
) -> Iterator[tuple[int, list[str | Puzzle]]]:
    """Pieces of a list, of one size or growing, with the number of the first in each."""
    if isinstance(puzzles, (str, Puzzle)):
        raise TypeError(f"expected many puzzles, found one {type(puzzles).__name__}")
    begin, size, most = 0, max(1, PIECE // SHORTER), PIECE
    if isinstance(puzzles, Sequence):
        size = most = ROWS
    if always is not None:
        size = most = always
    is_file = isinstance(puzzles, io.TextIOBase)
    rest = iter(puzzles)
    while piece := list(islice(rest, size)):
        if is_file:
            piece = [line for line in piece if cast("str", line)[0] > "#" or _says(line)]
        if piece:
            yield begin, piece
        begin += len(piece)
        size = min(2 * size, most)


def _says(line: str | Puzzle) -> bool:
    """Whether a line of a file is more than a blank one or a comment."""
    text = cast("str", line).strip().lower()
    is_comment = text.startswith("#") and not any(word in text for word in ("layout", "symbols"))
    return bool(text) and not is_comment


def digits_of(piece: list[str | Puzzle]) -> NDArray[np.uint8] | None:
    """Lines that are ordinary boards, with or without their ends; None if there is another one.

    A few steps for all of them together: other threads wait for the GIL meanwhile.
    """
    try:
        text = "\n".join(cast("list[str]", piece)) + "\n"
    except TypeError:
        return None
    if piece[0].endswith("\n"):  # type: ignore[union-attr]
        text = text.replace("\n\n", "\n")
    data = text.encode(errors="surrogatepass")
    found = read_lines(data, last=True)
    # None is two, for a line end within: there would be more lines, or one that is no board.
    fits = len(found.digits) == len(piece) and found.used == len(data)
    return found.digits if fits else None


def piece_of(piece: list[str | Puzzle], begin: int) -> Piece:
    """A piece of a list, the number of whose first puzzle is known."""
    digits = digits_of(piece)
    if digits is not None:
        return digits, [None] * len(piece)
    masks = np.zeros((len(piece), 81), dtype=np.uint16)
    others: list[Puzzle | None] = []
    rows = 0
    for k, given in enumerate(piece):
        puzzle = read_one(given, begin + k)
        if not puzzle.is_ordinary:
            others.append(puzzle)
            continue
        others.append(None)
        if puzzle.candidates is None:
            cells = np.array(puzzle.cells, dtype=np.uint16)
            masks[rows] = np.where(cells == 0, 0x1FF, 1 << np.maximum(cells, 1) - 1)
        else:
            masks[rows] = puzzle.candidates
        rows += 1
    return masks[:rows], others


def read_one(given: str | Puzzle, number: int) -> Puzzle:
    """A puzzle of a list; errors name its number."""
    if isinstance(given, Puzzle):
        return given
    if not isinstance(given, str):
        raise TypeError(f"puzzle {number}: expected a line or a Puzzle, found {given!r}")
    try:
        return Puzzle.parse(given)
    except PuzzleFormatError as error:
        raise PuzzleFormatError(f"puzzle {number}: {error}") from None


def chunks_of(puzzles: Puzzles, size: int) -> Iterator[Boards | list[Puzzle]]:
    """Pieces of so many puzzles, to be sent away: arrays of ordinary boards, or puzzles.

    Raises:
        PuzzleFormatError: something is no puzzle; it says which.
    """
    if isinstance(puzzles, np.ndarray):
        checked = boards_of(puzzles)
        for begin in range(0, len(checked), size):
            yield checked[begin : begin + size].copy()
        return
    for begin, piece in cut(puzzles, size):
        digits = digits_of(piece)
        if digits is None:
            yield [read_one(given, begin + k) for k, given in enumerate(piece)]
        else:
            yield digits


@lru_cache(maxsize=8)
def _base(layout: Layout) -> dlx.Base:
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
    if context is not None:
        context.check()
    return None


TEXTS = 1 << 12
"""Lines that a thread reads and searches at a time."""
FAR = 1 << 13
"""Puzzles that are sent to a worker together."""
NODES = 1_000_000
"""Nodes of a search after which an engine is chosen by prediction: some 0.2 s."""


class Firsts(NamedTuple):
    """What :func:`solve_many` finds.

    Attributes:
        counts: uint64, (n,): the number of solutions, no further than the limit.
        solutions: uint8, (n, 81): a solution of each, zeros where there is none.
    """

    counts: NDArray[np.uint64]
    solutions: NDArray[np.uint8]


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


def _counted(
    puzzles: Puzzles,
    limit: int | None,
    jobs: int | None,
    client: Client | Runner | None,
    context: Context,
) -> Iterator[NDArray[Any]]:
    """Counts, a piece of the list at a time; of dtype object where 64 bits are too few."""
    if limit is not None and limit < 0:
        raise ValueError(f"expected a limit of 0 or more, found {limit}")
    done = 0
    if client is not None:
        sent = ((chunk, limit) for chunk in chunks_of(puzzles, FAR))
        for far in far_values(f"{__name__}:count_chunk", sent, client, context.silent):
            counts = cast("NDArray[Any]", far)
            done += len(counts)
            yield counts
            if context.progress is not None:
                context.progress(done, len(puzzles) if isinstance(puzzles, np.ndarray) else done)
        return
    visited = None if limit is None or limit >= 1 << 62 else limit  # nobody visits so many
    for boards, others, tally in _tallied(puzzles, visited, jobs, context):
        rest = {
            int(i): count_past_search(puzzle_of(boards[i]), limit, context.silent).count
            for i in np.flatnonzero(open_ones(tally, visited))
        }
        if not rest and len(boards) == len(others):
            yield tally.counts
        else:
            settled = iter([rest.get(i, n) for i, n in enumerate(tally.counts.tolist())])
            found = [
                next(settled) if other is None else _count_other(other, limit, context)
                for other in others
            ]
            fits = max(found, default=0) < 1 << 64
            yield np.array(found, dtype=np.uint64 if fits else object)
        done += len(others)
        if context.progress is not None:
            context.progress(done, len(puzzles) if isinstance(puzzles, np.ndarray) else done)


def _tallied(
    puzzles: Puzzles, visited: int | None, jobs: int | None, context: Context
) -> Iterator[tuple[Boards, list[Puzzle | None], Tally]]:
    """Pieces of a list and what a search says of their ordinary boards."""
    if isinstance(puzzles, np.ndarray):
        for boards, others in pieces_of(puzzles):
            tally = tally_of(boards, visited, max_nodes=NODES, jobs=jobs, context=context.silent)
            yield boards, others, tally
        return
    for begin, piece in cut(puzzles):
        read = _read_and_tallied(piece, visited, jobs, context)
        if read is not None:
            yield read[0], [None] * len(piece), read[1]
            continue
        boards, others = piece_of(piece, begin)
        yield (
            boards,
            others,
            tally_of(boards, visited, max_nodes=NODES, jobs=jobs, context=context.silent),
        )


def _read_and_tallied(
    piece: list[str | Puzzle], visited: int | None, jobs: int | None, context: Context
) -> tuple[Boards, Tally] | None:
    """Lines that are ordinary boards, read by the threads that search them; None if not all are."""
    size = len(piece)
    boards = np.empty((size, 81), dtype=np.uint8)
    counts = np.zeros(size, dtype=np.uint64)
    exact = np.zeros(size, dtype=np.bool_)
    nodes = np.zeros(size, dtype=np.int64)
    plain = True

    def work(begin: int, end: int, pause: Pause) -> None:
        nonlocal plain
        digits = digits_of(piece[begin:end]) if plain else None
        if digits is None:
            plain = False
            return
        tally = tally_of(digits, visited, max_nodes=NODES, jobs=1, context=context.silent)
        boards[begin:end] = digits
        counts[begin:end], exact[begin:end], nodes[begin:end] = (
            tally.counts, tally.exact, tally.nodes,
        )  # fmt: skip

    each_piece(size, work, most=TEXTS, jobs=jobs, context=context.silent)
    return (boards, Tally(counts, exact, nodes, boards[:0])) if plain else None


def _count_other(puzzle: Puzzle, limit: int | None, context: Context) -> int:
    """The count of a board of another size."""
    found = short_count(puzzle, limit, context) if limit != 0 else 0
    return count_up_to(puzzle, limit, context.silent).count if found is None else found


def open_ones(tally: Tally, limit: int | None) -> NDArray[np.bool_]:
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


def puzzle_of(board: NDArray[Any]) -> Puzzle:
    """A row of digits or candidate masks as a puzzle."""
    if board.dtype == np.uint16:
        return Puzzle.from_masks(board.tolist(), Layout())
    return Puzzle(board.tolist(), Layout())


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
    found: list[tuple[NDArray[np.uint64], NDArray[np.uint8]]]
    if client is not None:
        sent = ((boards, limit) for boards in ordinary_pieces(puzzles, FAR))
        values = far_values(f"{__name__}:solve_chunk", sent, client, context.silent)
        found = [cast("tuple[NDArray[np.uint64], NDArray[np.uint8]]", v) for v in values]
    else:
        found = [
            (tally.counts, tally.solutions)
            for b in ordinary_pieces(puzzles)
            for tally in [firsts_of(b, limit, jobs=jobs, context=context.silent)]
        ]
    return Firsts(
        np.concatenate([np.zeros(0, np.uint64), *(counts for counts, _ in found)]),
        np.concatenate([np.zeros((0, 81), np.uint8), *(solutions for _, solutions in found)]),
    )


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
    if client is not None:
        values = far_values(
            f"{__name__}:candidates_chunk", ordinary_pieces(puzzles, FAR), client, context.silent
        )
        far = [cast("NDArray[np.uint16]", value) for value in values]
        return np.concatenate([np.zeros((0, 81), np.uint16), *far])
    found = [candidates_of(b, jobs=jobs, context=context.silent) for b in ordinary_pieces(puzzles)]
    return np.concatenate([np.zeros((0, 81), np.uint16), *found])


# What workers do


def count_chunk(told: tuple[Boards | list[Puzzle], int | None], home: Home) -> NDArray[Any]:
    """The counts of a chunk."""
    puzzles, limit = told
    return count_many(puzzles, limit, context=home.context.silent)


def solve_chunk(told: tuple[Boards, int | None], home: Home) -> tuple[NDArray[Any], NDArray[Any]]:
    """Counts and first solutions of a chunk."""
    boards, limit = told
    return tuple(solve_many(boards, limit, context=home.context.silent))  # type: ignore[return-value]


def candidates_chunk(boards: Boards, home: Home) -> NDArray[np.uint16]:
    """What stands in some solution, for a chunk."""
    return candidates_of(boards, context=home.context.silent)


FEW = 1_000
"""So many solutions are few."""


def few_solutions(puzzle: Puzzle) -> ListedSet | None:
    """All solutions of an ordinary board where a short search finds them; else None."""
    if not puzzle.is_ordinary:
        return None
    search = Search(np.array(puzzle.masks, dtype=np.uint16))
    rows = search.batch(FEW + 1, TRIAL_NODES)
    return ListedSet(rows) if search.done and len(rows) <= FEW else None
