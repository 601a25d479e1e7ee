"""Lists of puzzles for commands: chunks of records, answered here or by workers.

A function that answers a chunk, ``answers(chunk, context, **options)``, yields a record for each of
its puzzles, in order: here as they come, or on workers chunk by chunk (:func:`answers_each`).
Records are what ``--json`` shows and a journal keeps. Boards of long lists come as arrays
(:class:`.records.Boards`); most are settled by a short search on bitboards, side by side.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise, repeat
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np

from bddsudoku.context import UNLIMITED, Context
from bddsudoku.engine.bitboard import TRIAL_NODES, Search
from bddsudoku.engine.bitboard import count_many as tally_of
from bddsudoku.engine.bitboard import solve_many as firsts_of
from bddsudoku.errors import BddSudokuError, LimitReached
from bddsudoku.jit.decorators import U8, Flags
from bddsudoku.puzzle.sudoku.grid import Puzzle, PuzzleRecord
from bddsudoku.sets.listedset import ListedSet
from bddsudoku.solver.ask import NODES, counted, counted_up_to
from bddsudoku.solver.many import left_open
from bddsudoku.solver.question import Solved, count_record
from bddsudoku.solver.records import Boards, Chunk
from bddsudoku.work.task import Home, Task, function_named
from bddsudoku.work.workers import runner_for

if TYPE_CHECKING:
    from bddsudoku.work import Client, Journal, Runner

SHORT = 0.05
"""Seconds of work after which it is worth telling what was found."""
FEW = 1_000
"""So many solutions are few."""
_GROWTH = 8


def few_solved(puzzle: Puzzle) -> Solved | None:
    """All solutions of an ordinary board where a short search finds them; else None."""
    if not puzzle.is_ordinary:
        return None
    begin = time.perf_counter()
    search = Search(np.array(puzzle.masks, dtype=np.uint16))
    rows = search.batch(FEW + 1, TRIAL_NODES)
    if not search.done or len(rows) > FEW:
        return None
    seconds = time.perf_counter() - begin
    return Solved(ListedSet(rows), "bitboard", "all solutions by a short search", seconds)


class Settled(NamedTuple):
    """Consecutive boards of a list that have one solution, or none.

    Attributes:
        boards: the boards.
        solvable: bool, (n,): which of them have one.
        solutions: uint8, (n, 81).
    """

    boards: Boards
    solvable: Flags
    solutions: U8


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


def settled(boards: Boards, context: Context = UNLIMITED) -> Iterator[Settled | PuzzleRecord]:
    """The boards of a list in order: together where they have one solution, else by themselves."""
    for begin, end in portions(len(boards)):
        digits = boards.digits[begin:end]
        tally = firsts_of(digits, 2, max_nodes=TRIAL_NODES, context=context.silent)
        alone = ~tally.exact | (tally.counts > 1)
        cuts = [0, *(np.flatnonzero(np.diff(alone)) + 1).tolist(), end - begin]
        for first, last in pairwise(cuts):
            some = boards.slice(begin + first, begin + last)
            if alone[first]:
                yield from some
            else:
                yield Settled(some, tally.counts[first:last] == 1, tally.solutions[first:last])


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
    """
    found: Iterable[dict[str, Any] | None] = repeat(None, len(chunk))
    together = isinstance(chunk, Boards) and engine in ("auto", "bitboard") and not one_by_one
    if together:
        nodes = NODES if engine == "auto" else None
        found = searched(cast("Boards", chunk), limit, nodes, jobs, context)
        context = context.silent
    for i, known in enumerate(found):
        if known is not None:
            yield known
            continue
        record = chunk[i]
        try:
            if not together and (limit is None or record.saved is not None):
                count = counted(record, engine, context)
            else:
                count = counted_up_to(record.puzzle, limit, context, searched=together)
        except LimitReached as stop:
            if stop.limit == "time":
                raise
            yield {"count": None, "exact": False, "limit": str(stop)}
        else:
            yield count_record(count)


def searched(
    boards: Boards,
    limit: int | None = None,
    nodes: int | None = NODES,
    jobs: int | None = None,
    context: Context = UNLIMITED,
) -> Iterator[dict[str, Any] | None]:
    """:func:`count_records` by a search on bitboards of so many nodes at most.

    None where that does not settle a board.
    """
    for begin, end in portions(len(boards)):
        start = time.perf_counter()
        digits = boards.digits[begin:end]
        tally = tally_of(digits, limit, max_nodes=nodes, jobs=jobs, context=context.silent)
        seconds = round((time.perf_counter() - start) / (end - begin), 6)
        columns = tally.counts, left_open(tally, limit), tally.nodes
        for count, left, took in zip(*(column.tolist() for column in columns), strict=True):
            yield (
                None
                if left
                else {
                    "count": str(count),
                    "exact": limit is None or count < limit,
                    "engine": "bitboard",
                    "why": f"the search ended after {took:,} nodes",
                    "seconds": seconds,
                }
            )
        context.tell(end, len(boards))


# -- on workers ------------------------------------------------------------------------------------


def part_size(before: int, most: int) -> int:
    """Puzzles of the next part of a list: an eighth of those before it, from one to so many.

    A part that is under way when the work is stopped is lost. So each is short beside what is done
    by then, however long the puzzles take; and the same list is always cut at the same places.
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
    try:
        for group in found:
            if isinstance(group, Boards):
                if waiting:
                    yield waiting
                before += len(waiting)
                waiting, begin = [], 0
                while begin < len(group):
                    end = min(begin + part_size(before, size), len(group))
                    yield group.slice(begin, end)
                    before += end - begin
                    begin = end
                continue
            if group.saved is not None:
                raise BddSudokuError(f"{group.source}: a saved set is not shared out")
            waiting.append(group._replace(notes=()))  # told already
            if len(waiting) >= part_size(before, size):
                yield waiting
                before += len(waiting)
                waiting = []
    except Exception:
        if waiting:
            yield waiting
        raise
    if waiting:
        yield waiting


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
    jobs: int | None = None,
    client: Client | Runner | None = None,
    *,
    size: int = 1,
    context: Context = UNLIMITED,
    journal: Journal | None = None,
    **options: object,
) -> Iterator[dict[str, Any]]:
    """The records of one puzzle after the other, shared out among workers.

    Args:
        answers: as for :func:`answers_each`, which sends ``size`` puzzles together.
        puzzles: of any size, with any rules.
        jobs, client, journal: as for :func:`bddsudoku.solver.count`.
    """
    found = map(PuzzleRecord, puzzles)
    with runner_for(jobs, client, journal) as runner:
        for _, records in answers_each(answers, found, size, options, runner, context):
            yield from records
