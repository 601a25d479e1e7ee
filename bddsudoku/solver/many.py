"""Many puzzles at once: ordinary 9×9 boards as arrays on bit boards, all others one by one.

Lists are worked on in pieces, so that an iterable of millions is never held; a piece is handed to
threads that run without the GIL. What a search on bit boards does not settle is asked of
:func:`bddsudoku.solver.counted`, like every board of another size.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from bddsudoku.context import UNLIMITED, Context
from bddsudoku.engine.bitboard import Boards, Tally
from bddsudoku.engine.bitboard import count_many as tally_of
from bddsudoku.engine.bitboard import solve_many as firsts_of
from bddsudoku.engine.bitboard import true_candidates as candidates_of
from bddsudoku.engine.protocol import Holds, engines_for, searcher_for
from bddsudoku.errors import LimitReached
from bddsudoku.puzzle.sudoku.grid import Puzzle
from bddsudoku.puzzle.sudoku.layout import Layout
from bddsudoku.solver.answers import Counted
from bddsudoku.solver.far import far_values
from bddsudoku.solver.pieces import (
    Puzzles,
    chunks_of,
    cut,
    digits_of,
    ordinary_pieces,
    piece_of,
    pieces_of,
)
from bddsudoku.solver.question import question_of
from bddsudoku.solver.short import short_count
from bddsudoku.solver.solving import counted
from bddsudoku.work.pieces import Pause, each_piece

if TYPE_CHECKING:
    from bddsudoku.work import Client, Home, Runner

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
    most = NODES if engines_for(model, Holds) else None
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
