"""Counting and solving lists of puzzles for commands, chunk by chunk, locally or on workers.

A function for a chunk, ``function(chunk, context, **options)``, yields a record for each of its
puzzles, in order; it is called locally or, chunk by chunk, on workers (:func:`apply_to_chunks`).
``--json`` prints these records and a journal keeps them. Boards of long lists come as arrays
(:class:`~bddsudoku.puzzle.sudoku.text.board_lists.ClassicBoardChunk`), most of which a short
search solves on several threads.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import repeat
from typing import TYPE_CHECKING, Any, Unpack, cast

import numpy as np

from bddsudoku.context import UNLIMITED, Context, SharedLimits, limited
from bddsudoku.engine.board_lists import count_boards
from bddsudoku.engine.calibration import MAX_SEARCH_NODES
from bddsudoku.errors import LimitReached, ModelError, PuzzleFormatError
from bddsudoku.model.allocation import forward_check
from bddsudoku.puzzle.sudoku.grid import Puzzle, PuzzleRecord, Unread
from bddsudoku.puzzle.sudoku.layout import Layout
from bddsudoku.puzzle.sudoku.rules import Rule
from bddsudoku.puzzle.sudoku.sudoku_model import constraint_families, empty_board_model
from bddsudoku.puzzle.sudoku.text.board_lists import ClassicBoardChunk
from bddsudoku.puzzle.sudoku.text.reader import each_record
from bddsudoku.puzzle.sudoku.text.rule_lines import board_with_rules
from bddsudoku.solver.dispatch import count_detailed
from bddsudoku.solver.question import CountResult, count_members, count_record, limit_record
from bddsudoku.solver.sources import (
    Chunk,
    Found,
    Puzzles,
    as_list,
    read_list,
    split_into_chunks,
)

if TYPE_CHECKING:
    from bddsudoku.engine.search.engine import ConstraintSearch
    from bddsudoku.jit.decorators import I64, Flags
    from bddsudoku.work import Client, Journal, Runner
    from bddsudoku.work.task import TaskContext

REPORT_SECONDS = 0.05
"""Seconds of work after which results are reported."""


def adaptive_ranges(size: int) -> Iterator[tuple[int, int]]:
    """Divide a list into ranges (begin, end), with sizes adapted to take a short time each.

    Results can then be reported in time even if single boards take long.
    """
    begin, step = 0, 256
    while begin < size:
        end = min(begin + step, size)
        start = time.perf_counter()
        yield begin, end
        step = 4 * step if time.perf_counter() - start < REPORT_SECONDS else max(step // 4, 1)
        begin = end


def count_puzzles(
    chunk: Chunk,
    context: Context = UNLIMITED,
    *,
    engine: str = "auto",
    limit: int | None = None,
    jobs: int | None = None,
    one_by_one: bool = False,
    rules: RuleLines | None = None,
) -> Iterator[dict[str, Any]]:
    """Count the solutions of each puzzle of a chunk; yield a record for each puzzle.

    Where a limit other than the time ended a count: ``count`` None, ``exact`` False, ``limit``.

    Args:
        chunk: the puzzles.
        engine: name of the engine; ``auto``: the one that is predicted to be the fastest.
        limit: count no further than this.
        jobs: threads for boards of a list.
        one_by_one: choose an engine for each board of a list separately.
        rules: a file of rules that all puzzles have.
    """
    found: Iterable[dict[str, Any] | None] = repeat(None, len(chunk))
    is_prepared = rules is not None and engine in ("auto", "search") and not one_by_one
    nodes = MAX_SEARCH_NODES if engine == "auto" else None
    if rules is not None:
        chunk = [add_rules(record, rules) for record in chunk]
    elif isinstance(chunk, ClassicBoardChunk) and engine in ("auto", "bitboard") and not one_by_one:
        found = _count_boards_of_list(chunk, engine, limit, jobs, context)
    for i, known in enumerate(found):
        if known is not None:
            yield known
            continue
        record, count = chunk[i], None
        try:
            if is_prepared:
                count = count_by_prepared_search(record.puzzle, limit, context, max_nodes=nodes)
            count = count or count_detailed(record, engine, context, limit=limit)
        except LimitReached as stop:
            if stop.limit == "time":
                raise
            yield limit_record(stop)
        else:
            yield count_record(count)


def _count_boards_of_list(
    boards: ClassicBoardChunk,
    engine: str,
    limit: int | None,
    jobs: int | None,
    context: Context,
) -> Iterator[dict[str, Any] | None]:
    """Count boards together; yield a record for each, or None if it takes an engine of its own."""
    for begin, end in adaptive_ranges(len(boards)):
        start = time.perf_counter()
        digits = boards.boards[begin:end]
        found = count_boards(
            digits,
            limit,
            jobs=jobs,
            only_search=engine == "bitboard",
            context=context,
        )
        seconds = (time.perf_counter() - start) / (end - begin)
        for count, settled, nodes, summed in zip(
            *(column.tolist() for column in found), strict=True
        ):
            exact = limit is None or count < limit
            name = "bands" if summed else "bitboard"
            why = "sums by bands" if summed else f"the search ended after {nodes:,} nodes"
            yield count_members(count, exact, name, why, seconds) if settled else None


# -- on workers ------------------------------------------------------------------------------------


ChunkFunction = Callable[..., Iterable[dict[str, Any]]]
"""A function of a module that answers a chunk (see the module's text)."""


def apply_to_chunks(
    function: ChunkFunction,
    puzzles: Iterable[Found],
    max_size: int,
    options: Mapping[str, object],
    runner: Runner,
    context: Context = UNLIMITED,
) -> Iterator[tuple[Chunk, list[dict[str, Any]]]]:
    """Apply a function to chunks of puzzles, as tasks of a runner; yield (chunk, records).

    What was not read is yielded as an empty chunk, with the record of its error.

    Args:
        function: answers a chunk; workers import it.
        puzzles: any number.
        max_size: maximum number of puzzles in a chunk.
        options: keyword arguments of the function; JSON values.
    """
    from bddsudoku.work.task import Task, function_path

    sent: list[Chunk | Unread] = []
    path = function_path(function)

    def tasks() -> Iterator[Task]:
        for chunk in split_into_chunks(puzzles, max_size):
            sent.append(chunk)
            yield Task(function_path(apply_to_chunk), (path, chunk, options), context.max_memory)

    for outcome in runner.run(tasks(), ordered=True, context=context):
        chunk = sent.pop(0)
        records = cast("list[dict[str, Any]]", outcome.result())
        yield [] if isinstance(chunk, Unread) else chunk, records


def apply_to_chunk(
    job: tuple[str, Chunk | Unread, dict[str, Any]], task_context: TaskContext
) -> list[dict[str, Any]]:
    """Worker task: apply a named function to a chunk of puzzles."""
    from bddsudoku.work.task import import_function

    function, chunk, options = job
    if isinstance(chunk, Unread):
        return [chunk.answer]
    return list(import_function(function)(chunk, task_context.context.without_progress, **options))


class SharingOptions(SharedLimits, total=False):
    """Who answers a question about each puzzle of a list, and its limits.

    Attributes:
        jobs: local processes; by default this process answers.
        client: a ``distributed.Client``, whose workers answer instead; or a runner.
        journal: keeps the answers.
    """

    jobs: int | None
    client: Client | Runner | None
    journal: Journal | None


def apply_to_puzzles(
    function: ChunkFunction,
    puzzles: Puzzles,
    options: Mapping[str, object],
    size: int = 1,
    *,
    jobs: int | None = None,
    client: Client | Runner | None = None,
    journal: Journal | None = None,
    **limits: Unpack[SharedLimits],
) -> Iterator[dict[str, Any]]:
    """Apply a function to puzzles, locally or on workers; yield what it returns for each puzzle.

    Args:
        function, options: as for :func:`apply_to_chunks`.
        puzzles: in any form (:data:`.sources.Puzzles`), of any size, with any rules.
        size: puzzles that are sent together, at most.
        jobs, client, journal, limits: see :class:`SharingOptions`.
    """
    from bddsudoku.work.processes import open_runner

    context = limited(**limits)
    # Without its place in the list an answer in a journal serves every equal puzzle.
    found = (PuzzleRecord(record.puzzle) for record in each_record(read_list(as_list(puzzles))))
    with open_runner(jobs, client, journal) as runner:
        for _, records in apply_to_chunks(function, found, size, options, runner, context):
            yield from records


# -- boards that share their rules -----------------------------------------------------------------


@lru_cache(maxsize=8)
class PreparedBoard:
    """A layout with rules, prepared for searches with any candidates when it is first asked.

    Several threads may search it.

    Attributes:
        model: of the empty board, without the candidates that the rules exclude.
        keys: of the candidates that are open there.
        fixed: keys of those that are settled.
    """

    def __init__(self, layout: Layout, rules: tuple[Rule, ...]) -> None:
        model = forward_check(empty_board_model(layout, constraint_families(layout), rules))
        self.keys: I64 = np.array([v.key for v in model.variables], dtype=np.int64)
        self.fixed: I64 = np.array([v.key for v in model.fixed], dtype=np.int64)
        self.model = model
        self._is_prepared = False
        self._search: ConstraintSearch | None = None

    def search(self, context: Context) -> ConstraintSearch | None:
        """The search without hints; None if the rules are too large for it."""
        if not self._is_prepared:
            from bddsudoku.engine.search.engine import ConstraintSearch

            try:
                self._search = ConstraintSearch(self.model, context)
            except (LimitReached, ModelError):
                context.check()
            self._is_prepared = True
        return self._search


def count_by_prepared_search(
    puzzle: Puzzle, limit: int | None, context: Context, *, max_nodes: int | None
) -> CountResult | None:
    """Count by the search that is prepared for a puzzle's layout and rules; None if too long.

    Args:
        puzzle: its candidates count.
        limit: count no further than this.
        max_nodes: tried candidates after which the search is given up; None for none.

    Raises:
        LimitReached: the time is used up.
    """
    begin = time.perf_counter()
    board = PreparedBoard(puzzle.layout, puzzle.rules)
    masks = np.array(puzzle.masks, dtype=np.int64)
    digits = np.arange(puzzle.layout.digit_count)
    allowed: Flags = (masks[:, None] >> digits & 1).astype(np.bool_).reshape(-1)
    count = nodes = 0
    if not board.model.is_contradictory and allowed[board.fixed].all():
        prepared = board.search(context)
        if prepared is None:
            return None
        search = prepared.restarted(~allowed[board.keys])
        while not search.done and (limit is None or search.count < limit):
            if max_nodes is not None and search.nodes >= max_nodes:
                return None
            wanted = None if limit is None else -(-limit >> len(search.unconstrained))
            search.advance(wanted, max_nodes)
            search.check(context)
        count, nodes = search.count, search.nodes
    why = f"the prepared search ended after {nodes:,} nodes"
    seconds = time.perf_counter() - begin
    is_exact = limit is None or count < limit
    return CountResult(
        count if limit is None else min(count, limit), "search", why, seconds, is_exact
    )


def count_by_short_search(
    puzzle: Puzzle, limit: int | None = None, context: Context = UNLIMITED
) -> int | None:
    """Count a puzzle's solutions up to a limit by a short search; None if it does not finish."""
    from bddsudoku.engine.search.engine import SearchEngine

    found = count_by_prepared_search(puzzle, limit, context, max_nodes=SearchEngine.probe_nodes)
    return None if found is None else found.count


RuleLines = tuple[str, tuple[tuple[int, str], ...]]
"""The name of a file of rules, and its lines with their numbers."""


def add_rules(record: PuzzleRecord, rules: RuleLines) -> PuzzleRecord:
    """The record of a puzzle with the rules of a file added.

    Raises:
        PuzzleFormatError: a rule does not fit the board, or the puzzle has rules of its own.
    """
    if record.puzzle.rules or record.saved is not None:
        raise PuzzleFormatError(
            "expected a puzzle without rules, as they are in a file of their own",
            source=record.source,
            line=record.line,
        )
    puzzle, board = record.puzzle, _empty_board_with_rules(record.puzzle.layout, rules)
    whole = Puzzle.trusted(puzzle.numbers, board.layout, board.rules, puzzle.candidates)
    return record._replace(puzzle=whole)


@lru_cache(maxsize=8)
def _empty_board_with_rules(layout: Layout, rules: RuleLines) -> Puzzle:
    """The empty board of a layout with the rules of a file, cached."""
    name, lines = rules
    return board_with_rules(lines, layout, name)
