"""The driver of commands that answer lists: every puzzle with its record, worked out here or by
workers (:func:`answered`), and printed in the order of the list (:func:`told`)."""

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
"""A chunk, the number of a puzzle in it, and its record."""


@dataclass(frozen=True)
class Answers:
    """How a chunk of puzzles is answered.

    Attributes:
        function: ``"module:function"``, which answers a chunk (:mod:`bddsudoku.solver.batch`).
        title: of the progress bar.
        unit: what the bar counts for a puzzle by itself.
        listed: the same for boards of a list.
        size: puzzles of a chunk at most that a worker answers.
        options: keywords of the function that change its records; JSON-able.
        here: keywords of the function where it runs here.
        cut: whether a limit that ends the work here is told in a last record, not raised.
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
    """Every puzzle of a list with its record: here, as they come, or from workers.

    ``groups`` is the list, where it was opened already. Whatever is raised (something in the list
    is no puzzle; a limit was reached; the cluster is gone), what came before was yielded.
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
                else:  # it has a bar of its own, which is gone when the record is printed
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
    from bddsudoku.solver.batch import answers_each

    name, options, size = answers.function, answers.options, answers.size
    layout = None if given.layout is None else str(given.layout)
    question = {"function": name, "options": options, "size": size, "layout": layout}
    with given.runner(question) as runner, given.reporting("working", "chunk") as context:
        for chunk, records in answers_each(name, groups, size, options, runner, context):
            for at, record in enumerate(records):
                yield chunk, at, record


def _beyond(told: Progress, before: int, done: float, of: float) -> None:
    """Progress within a list of unknown length."""
    told(before + done, before + of + 1)


def told(
    given: Given,
    found: Answered,
    text: Callable[[PuzzleRecord, Record], str],
    shown: Callable[[Record], Record] = dict,
) -> Iterator[Record]:
    """Every record, printed: as ``text`` for people, or what is ``shown`` of it as JSON."""
    from bddsudoku.solver.records import Boards

    for chunk, at, answer in found:
        record = chunk[at]
        if isinstance(chunk, Boards):  # of others that was told when they were read
            tell_clashes(record.puzzle)
        given.tell(head(record) | shown(answer), "" if given.as_json else text(record, answer))
        yield answer
