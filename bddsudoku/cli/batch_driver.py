"""Computing and printing the answers about each puzzle of a list, here or by workers.

:func:`answer_puzzles` computes a record for every puzzle, :func:`print_and_yield_answers` prints
them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING

import click

from bddsudoku.cli.command_base import (
    CommandRequest,
    Record,
    dumps,
    note_clashes,
    progress_bar,
    puzzle_json_members,
)
from bddsudoku.errors import LimitReached

if TYPE_CHECKING:
    from bddsudoku.puzzle.sudoku.grid import PuzzleRecord
    from bddsudoku.solver.puzzle_lists import ChunkFunction
    from bddsudoku.solver.sources import Chunk, Found

FLUSH_SECONDS = 0.1
"""Seconds for which the answers of a list are buffered before they are printed."""
AnsweredPuzzles = Iterator[tuple["Chunk", int, Record]]
"""Triples of a chunk of puzzles, the index of a puzzle in it, and that puzzle's record."""


@dataclass(frozen=True)
class BatchJob:
    """How a list of puzzles is answered: the function that answers a chunk, and its options.

    Attributes:
        function: answers a chunk (:mod:`bddsudoku.solver.puzzle_lists`).
        title: title of the progress bar.
        unit: what the bar counts for a single puzzle.
        list_unit: what the bar counts for a list.
        chunk_size: puzzles in a worker's chunk, at most.
        options: keywords of the function that change its records; JSON-able.
        local_options: further keywords of the function when this process runs it.
        limit_as_record: whether a limit that ends the work in this process becomes a last record;
            otherwise it is raised.
    """

    function: ChunkFunction
    title: str
    unit: str = "step"
    list_unit: str = "puzzle"
    chunk_size: int = 1
    options: Record = field(default_factory=dict)
    local_options: Record = field(default_factory=dict)
    limit_as_record: bool = False


def answer_puzzles(
    request: CommandRequest,
    job: BatchJob,
    groups: Iterable[Found] | None = None,
) -> AnsweredPuzzles:
    """Yield each puzzle of a list with its record of answers, computed here or by workers.

    ``groups`` is the list, if it is open already. An error (a line that is no puzzle, a limit, a
    lost cluster) is raised after the records before it were yielded.
    """
    from bddsudoku.puzzle.sudoku.grid import Unread
    from bddsudoku.puzzle.sudoku.text.board_lists import ClassicBoardChunk
    from bddsudoku.solver.question import limit_record

    groups = request.read_list() if groups is None else groups
    if request.is_distributed:
        yield from _answer_by_workers(request, job, groups)
        return
    answer_chunk = partial(job.function, **job.options, **job.local_options)
    done = 0
    with progress_bar(job.title, unit=job.list_unit) as listed:
        for group in groups:
            if isinstance(group, Unread):
                yield [], 0, group.answer
                continue
            at = 0
            chunk: Chunk = group if isinstance(group, ClassicBoardChunk) else [group]
            try:
                if isinstance(group, ClassicBoardChunk):
                    found = answer_chunk(chunk, request.context)
                else:  # a bar of its own, which is removed before the record is printed
                    with request.with_progress_bar(job.title, job.unit) as context:
                        found = list(answer_chunk(chunk, context))
                for record in found:
                    yield chunk, at, record
                    at += 1
                    listed(done + at, done + len(chunk) + 1)
            except LimitReached as stop:
                if not job.limit_as_record:
                    raise
                yield chunk, at, limit_record(stop)
                return
            done += at


def answer_one_of_each_class(
    request: CommandRequest, job: BatchJob, *, pattern: bool = False
) -> AnsweredPuzzles:
    """Yield the first of the puzzles that differ by a symmetry only, with its record of answers.

    The record's ``number`` says for how many puzzles of the list it stands.
    """
    from bddsudoku.symmetry.canonical_lists import one_of_each_class

    with request.with_progress_bar("canonical forms", "puzzle") as context:
        firsts, numbers = one_of_each_class(
            request.read_list(), context, pattern=pattern, keep_going=request.keep_going
        )
    left = iter(numbers)
    for chunk, at, answer in answer_puzzles(request, job, firsts):
        yield chunk, at, answer if "error" in answer else answer | {"number": next(left)}


def _answer_by_workers(
    request: CommandRequest, job: BatchJob, groups: Iterable[Found]
) -> AnsweredPuzzles:
    """Yield each puzzle of a list with its record of answers, computed by workers in chunks."""
    from bddsudoku.solver.puzzle_lists import apply_to_chunks
    from bddsudoku.work.task import function_path

    options, size = job.options, job.chunk_size
    layout = None if request.layout is None else str(request.layout)
    question = {
        "function": function_path(job.function),
        "options": options,
        "size": size,
        "layout": layout,
    }
    with (
        request.open_runner(question) as runner,
        request.with_progress_bar("working", "chunk") as context,
    ):
        for chunk, records in apply_to_chunks(job.function, groups, size, options, runner, context):
            for at, record in enumerate(records):
                yield chunk, at, record


def print_and_yield_answers(
    request: CommandRequest,
    answered: AnsweredPuzzles,
    to_text: Callable[[Callable[[], PuzzleRecord], Record], str],
    select_members: Callable[[Record], Record] = dict,
) -> Iterator[Record]:
    """Print each puzzle's record of answers, as JSON or text, and then yield that record.

    Those of lists are printed several lines at a time.

    Args:
        request: the common options.
        answered: puzzles with their records.
        to_text: writes a record for people; it gets a function that makes the puzzle.
        select_members: selects the members of a record for JSON.
    """
    from bddsudoku.puzzle.sudoku.text.board_lists import ClassicBoardChunk

    lines: list[str] = []
    flushed = perf_counter()

    def flush() -> None:
        nonlocal flushed
        if lines:
            click.echo("\n".join(lines))
            lines.clear()
        flushed = perf_counter()

    try:
        for chunk, at, answer in answered:
            if "error" in answer:
                flush()
                request.print_unread(answer)
                continue
            puzzle_record = partial(chunk.__getitem__, at)
            text = "" if request.as_json else to_text(puzzle_record, answer)
            if isinstance(chunk, ClassicBoardChunk):
                # Clashes of other records were noted when they were read.
                if answer.get("count") == "0":
                    note_clashes(chunk.puzzle(at))
                members = {"puzzle": chunk.texts[at], "hints": chunk.hint_counts[at]}
                shown = select_members(answer)
                lines.append(dumps(members | shown) if request.as_json else text)
                if request.verbose or perf_counter() - flushed > FLUSH_SECONDS:
                    flush()
            else:
                flush()
                members = puzzle_json_members(puzzle_record()) if request.as_json else {}
                request.print_answer(members | select_members(answer), text)
            yield answer
    finally:
        flush()
