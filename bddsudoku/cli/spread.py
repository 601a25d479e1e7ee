"""Lists of puzzles and who answers them: ``--jobs``, ``--scheduler``, ``--scheduler-file``,
``--journal``.

A command names a function that answers a chunk of puzzles with a record for each, and prints the
records in the order of the list, whoever has worked them out (:func:`answered`).
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click

from bddsudoku.cli.answers import open_counts
from bddsudoku.cli.common import fail, file_names, is_set, note, progress_bar
from bddsudoku.cli.entry import EXIT_LIMIT
from bddsudoku.cli.puzzles import head, tell_clashes
from bddsudoku.errors import BackendUnavailable, LimitReached

if TYPE_CHECKING:
    from bddsudoku.cli.puzzles import Given
    from bddsudoku.context import Context, Progress
    from bddsudoku.puzzle.sudoku.grid import PuzzleRecord
    from bddsudoku.solver.records import Boards, Chunk
    from bddsudoku.work import Journal, Runner

R = TypeVar("R")


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
    def runner(
        self, context: Context, question: Mapping[str, object] | None = None
    ) -> Iterator[Runner]:
        """Who runs tasks within the block; a cluster is found within the limits.

        Args:
            question: what tells a journal's question from others; None: no journal.
        """
        from bddsudoku.work import runner_for

        with ExitStack() as stack:
            far = kept = None
            if self.journal is not None and question is not None:
                kept = stack.enter_context(self._kept(self.journal, question))
            if self.on_cluster:
                from bddsudoku.work.cluster import connected

                try:
                    far = connected(self.scheduler, self.file, context)
                except BackendUnavailable as error:
                    fail(str(error), 2)
                stack.callback(far.close)
            yield stack.enter_context(runner_for(self.jobs, far, kept))

    def _kept(self, path: str, question: Mapping[str, object]) -> Journal:
        from bddsudoku.work import Journal

        journal = Journal(path, {**question, "memory": self.memory})
        if journal.torn:
            note(f"{path}: the last line was cut off and is dropped")
        if len(journal):
            note(f"{path}: {len(journal):,} parts are done already")
        return journal


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


def answered(
    given: Given,
    workers: Workers,
    answers: str,
    options: dict[str, Any],
    *,
    title: str,
    units: tuple[str, str] = ("step", "puzzle"),
    size: int = 1,
    here: dict[str, Any] | None = None,
    found: Iterable[Boards | PuzzleRecord] | None = None,
    cut: Callable[[LimitReached], dict[str, Any]] | None = None,
) -> Iterator[tuple[Chunk, int, dict[str, Any]]]:
    """Every puzzle of a list with its record: here, as they come, or from workers.

    Args:
        given: with the list and the limits.
        workers: who works.
        answers: ``"module:function"``, which answers a chunk (:mod:`bddsudoku.solver.batch`).
        options: keywords of the function that change its records; JSON-able.
        title: of the progress bar.
        units: what the bar counts for a puzzle by itself, and for boards of a list.
        size: puzzles of a chunk at most that a worker answers.
        here: keywords of the function where it runs here.
        found: the list, where it was opened already.
        cut: the last record where a limit ends the work here; None: it is raised.

    Yields:
        A chunk, the number of a puzzle in it, and its record.

    Raises:
        PuzzleFormatError: something in the list is no puzzle; what came before was yielded.
        LimitReached: a limit was reached, or the cluster is gone; what came before was yielded.
    """
    from bddsudoku.solver.batch import answers_each
    from bddsudoku.solver.records import Boards
    from bddsudoku.work.task import function_named

    groups = given.groups() if found is None else found
    if workers.asked:
        layout = None if given.layout is None else str(given.layout)
        question = {"function": answers, "options": options, "size": size, "layout": layout}
        with (
            workers.runner(given.context, question) as runner,
            progress_bar("working", unit="chunk") as told,
        ):
            context = given.context.reporting(told)
            for part, records in answers_each(answers, groups, size, options, runner, context):
                for i, record in enumerate(records):
                    yield part, i, record
        return
    answer = partial(function_named(answers), **options, **(here or {}))
    done = 0
    with progress_bar(title, unit=units[1]) as listed:
        for group in groups:
            at = 0
            if isinstance(group, Boards):
                chunk: Chunk = group
                found_here = answer(chunk, given.context.reporting(partial(_beyond, listed, done)))
            else:
                chunk = [group]
                found_here = _alone(answer, chunk, given.context, title, units[0])
            try:
                for record in found_here:
                    yield chunk, at, record
                    at += 1
            except LimitReached as stop:
                if cut is None:
                    raise
                yield chunk, at, cut(stop)
                return
            done += at


def _alone(
    answer: Callable[..., Iterator[dict[str, Any]]],
    chunk: Chunk,
    context: Context,
    title: str,
    unit: str,
) -> Iterator[dict[str, Any]]:
    """The record of one puzzle, with a progress bar of its own."""
    with progress_bar(title, unit=unit) as told:
        records = list(answer(chunk, context.reporting(told)))
    yield from records


def _beyond(told: Progress, before: int, done: float, of: float) -> None:
    """Progress within a list of unknown length."""
    told(before + done, before + of + 1)


def tell_each(
    given: Given,
    found: Iterable[tuple[Chunk, int, dict[str, Any]]],
    text: Callable[[PuzzleRecord, dict[str, Any]], str],
    stopped: Callable[[dict[str, Any]], str | None] = open_counts,
    shown: Callable[[dict[str, Any]], dict[str, Any]] = dict,
) -> None:
    """Print every record, or its text; exit code 3 where one stayed open.

    Args:
        given: whether answers are JSON.
        found: of :func:`answered`.
        text: of a puzzle and its record, for people.
        stopped: which limit is told where a record stayed open; None where it did not.
        shown: what is shown of a record as JSON.
    """
    from bddsudoku.solver.records import Boards

    limit = None
    for chunk, i, answer in found:
        record = chunk[i]
        if isinstance(chunk, Boards):  # of others that was told when they were read
            tell_clashes(record.puzzle)
        limit = limit or stopped(answer)
        given.tell(head(record) | shown(answer), "" if given.as_json else text(record, answer))
    if limit is not None:
        fail(limit, EXIT_LIMIT)
