"""Driver of commands that answer lists of puzzles, in this process or by workers.

:func:`answer_puzzles` computes a record for every puzzle, :func:`print_answers` prints them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from bddsudoku.cli.common import (
    Given,
    Record,
    head,
    limit_record,
    progress_bar,
    tell_clashes,
)
from bddsudoku.errors import LimitReached

if TYPE_CHECKING:
    from bddsudoku.context import Progress
    from bddsudoku.puzzle.sudoku.grid import PuzzleRecord
    from bddsudoku.solver.records import Boards, Chunk

Answered = Iterator[tuple["Chunk", int, Record]]
"""Triples of a chunk of puzzles, the index of a puzzle in it, and that puzzle's record."""


@dataclass(frozen=True)
class Answers:
    """The function that answers chunks of puzzles, and its parameters.

    Attributes:
        function: ``"module:function"`` that answers a chunk (:mod:`bddsudoku.solver.batch`).
        title: title of the progress bar.
        unit: what the bar counts for a single puzzle.
        list_unit: what the bar counts for a list.
        chunk_size: puzzles in a worker's chunk, at most.
        options: keywords of the function that change its records; JSON-able.
        local_options: further keywords of the function when this process runs it.
        limit_as_record: whether a limit that ends the work in this process becomes a last record;
            otherwise it is raised.
    """

    function: str
    title: str
    unit: str = "step"
    listed: str = "puzzle"
    size: int = 1
    options: Record = field(default_factory=dict)
    here: Record = field(default_factory=dict)
    cut: bool = False


def answered(
    given: Given, answers: Answers, groups: Iterable[Boards | PuzzleRecord] | None = None
) -> Answered:
    """Compute the record of every puzzle of a list, in this process or by workers.

    ``groups`` is the list, if it is open already. An error (a line that is no puzzle, a limit, a
    lost cluster) is raised after the records before it were yielded.
    """
    from bddsudoku.solver.records import Boards
    from bddsudoku.work.task import function_named

    groups = given.groups() if groups is None else groups
    if given.shared_out:
        yield from _by_workers(given, answers, groups)
        return
    answer = partial(function_named(answers.function), **answers.options, **answers.here)
    done = 0
    with progress_bar(answers.title, unit=answers.listed) as listed:
        for group in groups:
            at = 0
            chunk: Chunk = group if isinstance(group, Boards) else [group]
            try:
                if isinstance(group, Boards):
                    found = answer(chunk, given.context.reporting(partial(_beyond, listed, done)))
                else:  # a bar of its own, which is removed before the record is printed
                    with given.reporting(answers.title, answers.unit) as context:
                        found = list(answer(chunk, context))
                for record in found:
                    yield chunk, at, record
                    at += 1
            except LimitReached as stop:
                if not answers.cut:
                    raise
                yield chunk, at, limit_record(stop)
                return
            done += at


def _by_workers(
    given: Given, answers: Answers, groups: Iterable[Boards | PuzzleRecord]
) -> Answered:
    """Compute the records of a list by workers, chunk by chunk."""
    from bddsudoku.solver.batch import answers_each

    name, options, size = answers.function, answers.options, answers.size
    layout = None if given.layout is None else str(given.layout)
    question = {"function": name, "options": options, "size": size, "layout": layout}
    with given.runner(question) as runner, given.reporting("working", "chunk") as context:
        for chunk, records in answers_each(name, groups, size, options, runner, context):
            for at, record in enumerate(records):
                yield chunk, at, record


def _beyond(told: Progress, before: int, done: float, of: float) -> None:
    """Report progress within a list of unknown length."""
    told(before + done, before + of + 1)


def told(
    given: Given,
    found: Answered,
    text: Callable[[PuzzleRecord, Record], str],
    shown: Callable[[Record], Record] = dict,
) -> Iterator[Record]:
    """Print every record and yield it.

    Args:
        request: the common options.
        answered: puzzles with their records.
        text: writes a record for people.
        select_members: selects the members of a record for JSON.
    """
    from bddsudoku.solver.records import Boards

    for chunk, at, answer in found:
        record = chunk[at]
        if isinstance(chunk, Boards):  # those of other records were noted when they were read
            tell_clashes(record.puzzle)
        given.tell(head(record) | shown(answer), "" if given.as_json else text(record, answer))
        yield answer
