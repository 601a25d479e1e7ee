"""Many puzzles at once: ordinary 9×9 boards as arrays on bit boards, all others one by one.

Lists are worked on in pieces, so that an iterable of millions is never held; a piece is handed to
threads that run without the GIL. What a search on bit boards does not settle is asked of
:func:`bddsudoku.solver.counted`, like every board of another size.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from bddsudoku.engine.protocol import Holds
from bddsudoku.engine.quick import Boards, Tally, true_candidates
from bddsudoku.engine.quick import count_many as tally_of
from bddsudoku.engine.quick import solve_many as firsts_of
from bddsudoku.engine.quick.boards import boards_of
from bddsudoku.engine.quick.threads import Pause, each_piece
from bddsudoku.engine.registry import engines_for, searcher_for
from bddsudoku.errors import LimitReached, PuzzleFormatError
from bddsudoku.limits import Limits, Progress
from bddsudoku.puzzle.sudoku.grid import Layout, Puzzle
from bddsudoku.puzzle.sudoku.text.fast_lines import read_lines
from bddsudoku.solver.answers import Counted
from bddsudoku.solver.question import question_of
from bddsudoku.solver.short import short_count
from bddsudoku.solver.solving import counted

__all__ = [
    "NODES",
    "Firsts",
    "Puzzles",
    "count_each",
    "count_many",
    "count_past_search",
    "count_up_to",
    "solve_many",
    "true_candidates_many",
]

Puzzles = NDArray[np.uint8] | NDArray[np.uint16] | Iterable[str | Puzzle]
"""Digits (uint8, 0 where open) or candidate masks (uint16, bit d - 1 for digit d) of shape
(n, 81); or lines or :class:`Puzzle` objects one after the other, of any size."""

PIECE = 1 << 16
"""Puzzles of a stream that are worked on together."""
SHORTER = 16
"""How many times the first piece is shorter: who reads a stream has its first answers soon."""
ROWS = 1 << 18
"""The same of a list or an array, which is there already."""
TEXTS = 1 << 12
"""Lines that a thread reads and searches at a time."""
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
    limits: Limits | None = None,
    progress: Progress | None = None,
) -> NDArray[np.uint64] | NDArray[np.object_]:
    """The exact number of solutions of every puzzle of a list, in their order.

    Args:
        puzzles: see :data:`Puzzles`.
        limit: count no further than this (2 tells whether a solution is the only one).
        jobs: threads; by default one a core.
        limits: memory of a single hard puzzle, and time for all.
        progress: called with (puzzles done, all of them, or those done where that is not known).

    Returns:
        uint64, (n,); of dtype object, with ints, when some count needs more than 64 bits.

    Raises:
        PuzzleFormatError: something is no puzzle; it says which.
        LimitReached: a limit ended it.

    Cost: a microsecond for most puzzles with one solution, 0.1 ms for the hardest known; lines are
    read at some 10⁷ a second, :class:`Puzzle` objects taken apart at some 10⁵.
    """
    found = [np.zeros(0, np.uint64), *_counted(puzzles, limit, jobs, limits, progress)]
    if any(piece.dtype == object for piece in found):
        found = [piece.astype(object) for piece in found]
    return np.concatenate(found)


def count_each(
    puzzles: Puzzles,
    limit: int | None = None,
    jobs: int | None = None,
    *,
    limits: Limits | None = None,
    progress: Progress | None = None,
) -> Iterator[int]:
    """:func:`count_many` as a stream: the counts one after the other, in constant memory."""
    for piece in _counted(puzzles, limit, jobs, limits, progress):
        yield from piece.tolist()


def _counted(
    puzzles: Puzzles,
    limit: int | None,
    jobs: int | None,
    limits: Limits | None,
    progress: Progress | None,
) -> Iterator[NDArray[Any]]:
    """Counts, a piece of the list at a time; of dtype object where 64 bits are too few."""
    limits = limits or Limits()
    if limit is not None and limit < 0:
        raise ValueError(f"expected a limit of 0 or more, found {limit}")
    done = 0
    visited = None if limit is None or limit >= 1 << 62 else limit  # nobody visits so many
    for boards, others, tally in _tallied(puzzles, visited, jobs, limits):
        rest = {
            int(i): count_past_search(puzzle_of(boards[i]), limit, limits).count
            for i in np.flatnonzero(open_ones(tally, visited))
        }
        if not rest and len(boards) == len(others):
            yield tally.counts
        else:
            settled = iter([rest.get(i, n) for i, n in enumerate(tally.counts.tolist())])
            found = [
                next(settled) if other is None else _count_other(other, limit, limits)
                for other in others
            ]
            fits = max(found, default=0) < 1 << 64
            yield np.array(found, dtype=np.uint64 if fits else object)
        done += len(others)
        if progress is not None:
            progress(done, len(puzzles) if isinstance(puzzles, np.ndarray) else done)


def _tallied(
    puzzles: Puzzles, visited: int | None, jobs: int | None, limits: Limits
) -> Iterator[tuple[Boards, list[Puzzle | None], Tally]]:
    """Pieces of a list and what a search says of their ordinary boards."""
    if isinstance(puzzles, np.ndarray):
        for boards, others in _pieces(puzzles):
            tally = tally_of(boards, visited, max_nodes=NODES, jobs=jobs, limits=limits)
            yield boards, others, tally
        return
    for begin, piece in _cut(puzzles):
        read = _read_and_tallied(piece, visited, jobs, limits)
        if read is not None:
            yield read[0], [None] * len(piece), read[1]
            continue
        boards, others = _piece(piece, begin)
        yield boards, others, tally_of(boards, visited, max_nodes=NODES, jobs=jobs, limits=limits)


def _read_and_tallied(
    piece: list[str | Puzzle], visited: int | None, jobs: int | None, limits: Limits
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
        digits = _digits(piece[begin:end]) if plain else None
        if digits is None:
            plain = False
            return
        tally = tally_of(digits, visited, max_nodes=NODES, jobs=1, limits=limits)
        boards[begin:end] = digits
        counts[begin:end], exact[begin:end], nodes[begin:end] = (
            tally.counts, tally.exact, tally.nodes,
        )  # fmt: skip

    each_piece(size, work, most=TEXTS, jobs=jobs, limits=limits)
    return (boards, Tally(counts, exact, nodes, boards[:0])) if plain else None


def _count_other(puzzle: Puzzle, limit: int | None, limits: Limits) -> int:
    """The count of a board of another size."""
    found = short_count(puzzle, limit, limits) if limit != 0 else 0
    return count_up_to(puzzle, limit, limits).count if found is None else found


def open_ones(tally: Tally, limit: int | None) -> NDArray[np.bool_]:
    """Which boards the search has left unsettled."""
    return ~tally.exact & (tally.counts < np.uint64(limit if limit is not None else 2**64 - 1))


def count_up_to(
    puzzle: Puzzle, limit: int | None, limits: Limits, progress: Progress | None = None
) -> Counted:
    """The number of solutions of a puzzle of any size, counted no further than a limit.

    Raises:
        LimitReached: a limit of memory or time ended it.
    """
    if limit is None:
        return counted(puzzle, limits=limits, progress=progress)
    begin = time.perf_counter()
    model = question_of(puzzle).model
    searcher = searcher_for(model)
    most = NODES if engines_for(model, Holds) else None
    try:
        number = sum(1 for _ in searcher.solutions(model, limits, limit=limit, node_limit=most))
    except LimitReached as stop:
        if stop.limit != "nodes":
            raise
        return count_past_search(puzzle, limit, limits, progress)
    why = f"counted up to {limit:,}"
    return Counted(number, searcher.name, why, time.perf_counter() - begin, number < limit)


def count_past_search(
    puzzle: Puzzle, limit: int | None, limits: Limits, progress: Progress | None = None
) -> Counted:
    """:func:`count_up_to` where a search has gone on for long: all may be counted sooner.

    Raises:
        LimitReached: a limit of memory or time ended it.
    """
    found = counted(puzzle, limits=limits, progress=progress)
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
    limits: Limits | None = None,
) -> Firsts:
    """How many solutions the ordinary boards of a list have, and one of each.

    Args:
        puzzles: as for :func:`count_many`, of 9×9 cells.
        limit: count no further than this; None visits all.
        jobs: threads; by default one a core.
        limits: the time.

    Raises:
        PuzzleFormatError: something is no ordinary board; it says which.
        LimitReached: the time is used up.
    """
    tallies = [firsts_of(b, limit, jobs=jobs, limits=limits) for b in _ordinary(puzzles)]
    return Firsts(
        np.concatenate([np.zeros(0, np.uint64), *(t.counts for t in tallies)]),
        np.concatenate([np.zeros((0, 81), np.uint8), *(t.solutions for t in tallies)]),
    )


def true_candidates_many(
    puzzles: Puzzles, jobs: int | None = None, *, limits: Limits | None = None
) -> NDArray[np.uint16]:
    """What stands in some solution, for the ordinary boards of a list.

    Args:
        puzzles: as for :func:`solve_many`.
        jobs: threads; by default one a core.
        limits: the time.

    Returns:
        Masks, (n, 81): bit d - 1 is set if a solution has digit d there.

    Raises:
        PuzzleFormatError: something is no ordinary board; it says which.
        LimitReached: the time is used up.
    """
    found = [true_candidates(b, jobs=jobs, limits=limits) for b in _ordinary(puzzles)]
    return np.concatenate([np.zeros((0, 81), np.uint16), *found])


# Pieces

Piece = tuple[Boards, list[Puzzle | None]]
"""Ordinary boards, and what stands in the list: None for the next of them, or another puzzle."""


def _ordinary(puzzles: Puzzles) -> Iterator[Boards]:
    begin = 0
    for boards, others in _pieces(puzzles):
        for k, other in enumerate(others):
            if other is not None:
                raise PuzzleFormatError(
                    f"puzzle {begin + k}: expected an ordinary 9x9 board, found {other.layout}"
                )
        yield boards
        begin += len(others)


def _pieces(puzzles: Puzzles) -> Iterator[Piece]:
    if isinstance(puzzles, np.ndarray):
        checked = boards_of(puzzles)
        for begin in range(0, len(checked), ROWS):
            boards = checked[begin : begin + ROWS]
            yield boards, [None] * len(boards)
        return
    for begin, piece in _cut(puzzles):
        yield _piece(piece, begin)


def _cut(puzzles: Iterable[str | Puzzle]) -> Iterator[tuple[int, list[str | Puzzle]]]:
    """Pieces of a list, with the number of the first in each."""
    if isinstance(puzzles, (str, Puzzle)):
        raise TypeError(f"expected many puzzles, found one {type(puzzles).__name__}")
    begin, size, most = 0, max(1, PIECE // SHORTER), PIECE
    if isinstance(puzzles, Sequence):
        size = most = ROWS
    rest = iter(puzzles)
    while piece := list(islice(rest, size)):
        yield begin, piece
        begin += len(piece)
        size = min(2 * size, most)


def _digits(piece: list[str | Puzzle]) -> NDArray[np.uint8] | None:
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


def _piece(piece: list[str | Puzzle], begin: int) -> Piece:
    digits = _digits(piece)
    if digits is not None:
        return digits, [None] * len(piece)
    masks = np.zeros((len(piece), 81), dtype=np.uint16)
    others: list[Puzzle | None] = []
    rows = 0
    for k, given in enumerate(piece):
        puzzle = _read(given, begin + k)
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


def _read(given: str | Puzzle, number: int) -> Puzzle:
    if isinstance(given, Puzzle):
        return given
    if not isinstance(given, str):
        raise TypeError(f"puzzle {number}: expected a line or a Puzzle, found {given!r}")
    try:
        return Puzzle.parse(given)
    except PuzzleFormatError as error:
        raise PuzzleFormatError(f"puzzle {number}: {error}") from None
