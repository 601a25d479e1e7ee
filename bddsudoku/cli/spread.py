"""Lists that are shared out: ``--jobs``, ``--scheduler``, ``--scheduler-file``, ``--journal``.

A command cuts its list into chunks, always the same ones, and names a function that answers one:
``function((options, chunk), home)`` gives an :class:`Answer`, the very text that the command
prints. Answers are printed in the order of the list, whoever has worked them out.
"""

from __future__ import annotations

import functools
import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypedDict, TypeVar, cast

import click

from bddsudoku.cli.common import fail, file_names, is_set, note, progress_bar
from bddsudoku.cli.entry import EXIT_LIMIT
from bddsudoku.errors import BackendUnavailable, BddSudokuError

if TYPE_CHECKING:
    from bddsudoku.cli.puzzles import Given
    from bddsudoku.context import Context
    from bddsudoku.solver import Subject
    from bddsudoku.solver.lists import Boards
    from bddsudoku.work import Journal, Runner

R = TypeVar("R")

Options = dict[str, Any]
"""What a command was told that changes its answers; JSON-able."""
Question = tuple[Options, "Boards | list[Subject]"]
"""Options, and consecutive puzzles of a list."""


class Answer(TypedDict):
    """What a command says about a chunk: to standard output, to standard error, and which limit
    it ends with, if any; empty where the notes say so."""

    out: str
    notes: list[str]
    stopped: str | None


@dataclass(frozen=True)
class Workers:
    """Who was asked to work, and where to keep what is done.

    Attributes:
        jobs: processes of this machine.
        scheduler: address of a cluster's scheduler.
        file: file that a scheduler has written its address to.
        journal: file that keeps what is done.
        memory: the limit that was set; None where it is the usual one.
    """

    jobs: int | None
    scheduler: str | None
    file: str | None
    journal: str | None
    memory: int | None

    @property
    def asked(self) -> bool:
        """Whether anything was said."""
        return self.on_cluster or self.journal is not None or (self.jobs or 1) > 1

    @property
    def on_cluster(self) -> bool:
        """Whether a cluster is to do it."""
        return self.scheduler is not None or self.file is not None

    @contextmanager
    def runner(self, context: Context) -> Iterator[Runner]:
        """Who runs tasks within the block; a cluster is found within the limits."""
        from bddsudoku.work import runner_for

        if not self.on_cluster:
            with runner_for(self.jobs) as runner:
                yield runner
            return
        from bddsudoku.work.cluster import connected

        try:
            far = connected(self.scheduler, self.file, context)
        except BackendUnavailable as error:
            fail(str(error), 2)
        try:
            yield far
        finally:
            far.close()

    @contextmanager
    def kept(self, question: Mapping[str, object]) -> Iterator[Journal | None]:
        """The journal of a question within the block; None where none was asked for."""
        if self.journal is None:
            yield None
            return
        from bddsudoku.work import Journal

        with Journal(self.journal, {**question, "memory": self.memory}) as journal:
            if journal.torn:
                note(f"{self.journal}: the last line was cut off and is dropped")
            if len(journal):
                note(f"{self.journal}: {len(journal):,} parts are done already")
            yield journal


def work_options(
    *, jobs: bool = True, journal: bool = True, verbose: bool = True
) -> Callable[[Callable[..., R]], Callable[..., R]]:
    """The options; the function is given :class:`Workers` as ``workers``.

    Args:
        jobs: whether ``--jobs`` is one of them; it may be the command's own, of threads.
        journal: whether ``--journal`` is.
        verbose: whether ``--verbose`` is; it may be the command's own.
    """

    def decorate(function: Callable[..., R]) -> Callable[..., R]:
        @functools.wraps(function)
        def asked(
            *args: object,
            scheduler: str | None,
            scheduler_file: str | None,
            **kwargs: object,
        ) -> R:
            if scheduler is not None and scheduler_file is not None:
                raise click.UsageError("--scheduler or --scheduler-file, not both")
            if jobs:
                number = cast("int | None", kwargs.pop("jobs"))
                if number is not None and (scheduler or scheduler_file):
                    raise click.UsageError("--jobs are processes here; leave it out on a cluster")
            else:
                number = None
            kept = cast("str | None", kwargs.pop("journal")) if journal else None
            memory = cast("int", kwargs["max_memory"]) if is_set("max_memory") else None
            workers = Workers(number, scheduler, scheduler_file, kept, memory)
            return function(*args, workers=workers, **kwargs)

        wanted = {"jobs": jobs, "journal": journal, "verbose": verbose}
        for name, option in reversed(_OPTIONS.items()):
            if wanted.get(name, True):
                asked = option(asked)
        return asked

    return decorate


_OPTIONS = {
    "jobs": click.option(
        "--jobs",
        type=click.IntRange(1, 1024),
        default=None,
        help="Processes of this machine for long lists; by default this one.",
    ),
    "scheduler": click.option(
        "--scheduler",
        metavar="ADDRESS",
        default=None,
        help="Share the work out on a Dask cluster, e.g. tcp://10.0.0.1:8786.",
    ),
    "file": click.option(
        "--scheduler-file",
        metavar="FILE",
        shell_complete=file_names,
        default=None,
        help="The same; FILE is what the scheduler has written its address to.",
    ),
    "journal": click.option(
        "--journal",
        metavar="FILE",
        shell_complete=file_names,
        default=None,
        help="Keep in FILE what is done; the same command goes on where it stopped.",
    ),
    "verbose": click.option(
        "-v",
        "--verbose",
        is_flag=True,
        expose_value=False,
        help="Of an error, the traceback, too, on a worker and here.",
    ),
}


def print_answers(
    given: Given,
    workers: Workers,
    function: str,
    options: Options,
    size: int,
    found: Iterable[Boards | Subject] | None = None,
) -> None:
    """Answer the puzzles of a list by a function, chunk by chunk, and print what it says.

    Args:
        given: with the list, the limits, and whether answers are JSON.
        workers: who works.
        function: ``"module:function"``; see the module's text.
        options: handed to it, with ``json``.
        size: puzzles of a chunk at most.
        found: the list, where it was opened already.

    Raises:
        PuzzleFormatError: something in the list is no puzzle; what came before was printed.
        LimitReached: a limit was reached, or the cluster is gone; what came before was printed.
    """
    from bddsudoku.work import Task

    options = options | {"json": given.as_json}
    layout = None if given.layout is None else str(given.layout)
    question = {
        "function": function,
        "options": options,
        "size": size,
        "layout": layout,
    }
    stopped = None
    with (
        workers.kept(question) as journal,
        workers.runner(given.context) as runner,
        progress_bar("working", unit="chunk") as progress,
    ):
        groups = given.groups() if found is None else found
        asked = (
            Task(function, (options, chunk), given.context.memory) for chunk in chunks(groups, size)
        )
        for outcome in runner.run(
            asked, ordered=True, context=given.context.reporting(progress), journal=journal
        ):
            answer = cast("Answer", outcome.result())
            for line in answer["notes"]:
                note(line)
            sys.stdout.write(answer["out"])
            sys.stdout.flush()
            stopped = answer["stopped"] if stopped is None else stopped
    if stopped:
        fail(stopped, EXIT_LIMIT)
    if stopped is not None:
        raise SystemExit(EXIT_LIMIT)


def chunks(found: Iterable[Boards | Subject], size: int) -> Iterator[Boards | list[Subject]]:
    """Consecutive puzzles, so many at most together; arrays of boards stay arrays.

    An error in reading comes after what was read before.
    """
    from bddsudoku.solver.batch import part_size
    from bddsudoku.solver.lists import Boards

    before = 0
    waiting: list[Subject] = []
    source = iter(found)
    failure: Exception | None = None
    while True:
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
            continue
        if group.saved is not None:
            failure = BddSudokuError(f"{group.source}: a saved set is not shared out")
            break
        waiting.append(replace(group, notes=()))  # told already
        if len(waiting) >= part_size(before, size):
            yield waiting
            before += len(waiting)
            waiting = []
    if waiting:
        yield waiting
    if failure is not None:
        raise failure


def answer_line(options: Options, record: dict[str, Any], text: object) -> str:
    """An answer as it is printed: the record as JSON, or the text."""
    return f"{json.dumps(record, ensure_ascii=False) if options['json'] else text}\n"


def each_subject(chunk: Boards | list[Subject], notes: list[str]) -> Iterator[Subject]:
    """The puzzles of a chunk one by one; what clashes in boards of a list is noted."""
    from bddsudoku.cli.puzzles import clash_lines
    from bddsudoku.solver.lists import Boards

    if not isinstance(chunk, Boards):
        yield from chunk
        return
    for subject in map(chunk.subject, range(len(chunk))):
        notes += clash_lines(subject.puzzle)
        yield subject
