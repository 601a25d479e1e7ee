"""Basis of all commands: their common options (:class:`CommandRequest`), output and messages.

Modules of commands parse arguments and print; :mod:`bddsudoku.solver` computes. ``Any`` stands for
JSON and for the parameters of click's functions.
"""

from __future__ import annotations

import functools
import json
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext, suppress
from dataclasses import dataclass, field, fields
from itertools import chain
from typing import TYPE_CHECKING, Any, NoReturn, TextIO

import click

from bddsudoku.cli.lifecycle import EXIT_BAD_DATA, EXIT_LIMIT, enforce_deadline
from bddsudoku.cli.options import (
    Function,
    OptionDecorator,
    is_set_by_user,
    json_option,
    layout_option,
    limit_options,
    verbose_option,
)
from bddsudoku.context import Context, progress_callback
from bddsudoku.errors import BackendUnavailable, BddSudokuError, PuzzleFormatError
from bddsudoku.file_io import open_atomic_text
from bddsudoku.number_text import group_digits, to_decimal

if TYPE_CHECKING:
    from bddsudoku.context import Progress
    from bddsudoku.puzzle.sudoku.grid import Puzzle, PuzzleRecord
    from bddsudoku.puzzle.sudoku.layout import Layout
    from bddsudoku.puzzle.sudoku.text.board_lists import ClassicBoardChunk
    from bddsudoku.solver.sources import Found
    from bddsudoku.work import Runner

Record = dict[str, Any]
"""A JSON-able answer; an iterator of texts in it is a list that is written as it is computed."""


# -- lines and files -------------------------------------------------------------------------------


def print_note(message: str) -> None:
    """Print one message on standard error."""
    click.echo(message, err=True)


def fail(message: str, code: int = EXIT_BAD_DATA) -> NoReturn:
    """Print one message on standard error and end the command with an exit code."""
    with suppress(OSError):  # reported at the end of the command
        sys.stdout.flush()
    print_note(f"bddsudoku: {message}")
    raise SystemExit(code)


def fail_if_limit_reached(limit_messages: Iterable[str | None]) -> None:
    """End the command with exit code 3 and the first limit message, if there is any."""
    limits = [message for message in limit_messages if message]
    if limits:
        fail(limits[0], EXIT_LIMIT)


def emit_json(record: Record, target: TextIO | None = None) -> None:
    """Write one JSON object as a line, and flush it so that a later crash cannot lose it."""
    target = target or sys.stdout
    begin, write = "{", target.write
    for key, value in record.items():
        write(f"{begin}{dumps(key)}: ")
        begin = ", "
        if not isinstance(value, Iterator):
            write(dumps(value))
            continue
        comma = "["
        for item in value:
            write(comma + dumps(item))
            comma = ", "
        write("]" if comma == ", " else "[]")
    write("}\n")
    target.flush()


dumps: Callable[..., str] = functools.partial(json.dumps, ensure_ascii=False)


def open_output(path: str | None) -> AbstractContextManager[TextIO]:
    """Open the target of text results: a file, or standard output for None and ``-``."""
    return nullcontext(sys.stdout) if path is None or path == "-" else open_atomic_text(path)


@contextmanager
def progress_bar(title: str, *, unit: str = "step") -> Iterator[Progress]:
    """Show a progress bar on standard error if that is a terminal, after half a second of work.

    Behind the bar stands what was logged last: forecasts of engines, the one that was chosen.

    Yields:
        A callback ``progress(done, total)``.
    """
    if not sys.stderr.isatty():  # tqdm would start a thread
        yield lambda done, total: None
        return
    from tqdm import tqdm

    with (
        tqdm(desc=title, unit=unit, delay=0.5, leave=False, file=sys.stderr) as bar,
        _listening(lambda _, message: bar.set_postfix_str(message, refresh=False)),
    ):
        move = progress_callback(bar)
        assert move is not None
        yield move


@contextmanager
def print_log_messages(verbose: bool, explain: bool) -> Iterator[None]:
    """Print the log messages of a with block: which engine was chosen, and why.

    Args:
        verbose: print every choice.
        explain: print the choice for the first slow answer, and warnings.
    """
    if not (verbose or explain):
        yield
        return
    import logging

    least = logging.DEBUG if verbose else logging.INFO

    def tell(level: int, message: str) -> None:
        """Print a message on standard error, between the drawings of a progress bar."""
        nonlocal least
        if level >= least:
            from tqdm import tqdm

            with tqdm.external_write_mode(file=sys.stderr):
                print_note(message)
            if not verbose and level == logging.INFO:
                least = logging.WARNING

    with _listening(tell):
        yield


@contextmanager
def _listening(tell: Callable[[int, str], object]) -> Iterator[None]:
    """In a with block, tell a function the level and the text of every log message."""
    import logging

    class Listener(logging.Handler):
        """Passes messages on."""

        def emit(self, record: logging.LogRecord) -> None:
            tell(record.levelno, record.getMessage())

    logger, listener = logging.getLogger("bddsudoku"), Listener()
    level = logger.level
    logger.addHandler(listener)
    logger.setLevel(logging.DEBUG)
    try:
        yield
    finally:
        logger.removeHandler(listener)
        logger.setLevel(level)


# -- the request of a command ----------------------------------------------------------------------


@dataclass(frozen=True)
class CommandRequest:
    """The limits and the common options of a command.

    Attributes:
        context: limits of memory and time.
        as_json: whether answers are JSON.
        verbose: whether every choice of an engine is printed with its reason.
        puzzle: the argument, or the subject of an action.
        layout: None for the usual shape of a size.
        processes: processes of this host for long lists.
        scheduler: address of a Dask scheduler.
        scheduler_file: file with the address of a Dask scheduler.
        journal: file in which finished work is recorded.
        keep_going: whether a list goes on where a puzzle cannot be read.
        project: ``grid`` where grids alone are in question, whatever stands outside them.
        of_puzzle: whether the question is about hints and rules, not about a set of solutions.
        marks_unread: whether standard output shows what was not read.
        unread: the answers about what was not read.
    """

    context: Context
    as_json: bool = False
    verbose: bool = False
    puzzle: str = ""
    layout: Layout | None = None
    processes: int | None = None
    scheduler: str | None = None
    scheduler_file: str | None = None
    journal: str | None = None
    keep_going: bool = False
    project: str | None = None
    of_puzzle: bool = False
    marks_unread: bool = True
    unread: list[Record] = field(default_factory=list)

    def __post_init__(self) -> None:
        if self.scheduler is not None and self.scheduler_file is not None:
            raise click.UsageError("--scheduler or --scheduler-file, not both")
        if self.processes is not None and self.uses_cluster:
            raise click.UsageError("--jobs are processes here; leave it out on a cluster")

    def print_answer(self, record: Record, text: object) -> None:
        """Print the record under ``--json``, otherwise the text and the lists in the record."""
        if self.as_json:
            emit_json(record)
            return
        lists = (value for value in record.values() if isinstance(value, Iterator))
        for line in chain([text], *lists):
            click.echo(line)

    @contextmanager
    def with_progress_bar(self, title: str, unit: str = "step") -> Iterator[Context]:
        """Show a progress bar during a with block; yield a context that reports to the bar."""
        with progress_bar(title, unit=unit) as progress:
            yield self.context.with_progress(progress)

    def time_limit_per_run(self, seconds: float = 30.0) -> float | None:
        """Return the time limit of each engine run; None if the whole command has a limit."""
        return seconds if self.context.time_limit is None else None

    def read_records(self, *targets: str | None) -> Iterator[PuzzleRecord]:
        """Read the puzzles and saved sets that the argument names; report clashing hints.

        Several puzzles are an error, before any work, if one of ``targets`` is to be written.
        """
        if any(targets):
            yield self.read_one_record()
            return
        from bddsudoku.puzzle.sudoku.grid import PuzzleRecord

        for found in self.read_records_or_chunks():
            if isinstance(found, PuzzleRecord):
                yield found
            else:
                yield from map(self._introduce, found)

    def read_records_or_chunks(self) -> Iterator[ClassicBoardChunk | PuzzleRecord]:
        """Yield puzzles and saved sets as records, and long lists of classic boards as chunks."""
        from bddsudoku.puzzle.sudoku.grid import Unread

        for found in self.read_list():
            if isinstance(found, Unread):
                self.print_unread(found.answer)
            else:
                yield found

    def read_list(self) -> Iterator[Found]:
        """Read the puzzles as :meth:`read_records_or_chunks`, and with --keep-going the unread."""
        from bddsudoku.puzzle.sudoku.grid import PuzzleRecord
        from bddsudoku.solver.sources import read_records_or_chunks

        for found in read_records_or_chunks(
            self.puzzle, self.layout, self.context, keep_going=self.keep_going
        ):
            yield self._introduce(found) if isinstance(found, PuzzleRecord) else found

    def print_unread(self, answer: Record) -> None:
        """Print the line of what was not read; the exit code will be 1."""
        self.unread.append(answer)
        if not (self.as_json and self.marks_unread):
            print_note(f"bddsudoku: {answer['error']}")
        if self.marks_unread:
            self.print_answer(answer, "?")

    def read_one_record(self) -> PuzzleRecord:
        """Read the one puzzle or saved set that the argument names; report clashing hints.

        Raises:
            PuzzleFormatError: there is no puzzle, or there are several.
        """
        from bddsudoku.puzzle.sudoku.text.reader import only_record
        from bddsudoku.solver.sources import read_records

        return self._introduce(only_record(read_records(self.puzzle, self.layout, self.context)))

    def _introduce(self, record: PuzzleRecord) -> PuzzleRecord:
        """Print the parser's notes on a puzzle, and its hints that clash; return the record.

        A set that has fewer solutions than its hints and rules is refused if these are in question.
        """
        for line in record.notes:
            print_note(line)
        note_clashes(record.puzzle)
        if self.project is not None and record.puzzle.layout.groups:
            from bddsudoku.solver import project_to_grid, solve

            if record.saved is not None:
                raise PuzzleFormatError("a saved set is not projected", source=record.source)
            grids: Any = solve(project_to_grid(record.puzzle), context=self.context)
            return record._replace(puzzle=grids.decoder.puzzle, saved=grids)
        if self.of_puzzle and record.saved is not None:
            from bddsudoku.solver import count_detailed

            own = record.saved.count()
            if (found := count_detailed(record.puzzle, context=self.context).count) != own:
                raise PuzzleFormatError(
                    f"the set has {to_decimal(own)} solutions, its hints and rules have "
                    f"{to_decimal(found)}: there is no puzzle to be asked about",
                    source=record.source,
                )
        return record

    @property
    def is_distributed(self) -> bool:
        """Whether the work is divided into tasks: for a cluster, processes or a journal."""
        return self.uses_processes or self.journal is not None

    @property
    def uses_processes(self) -> bool:
        """Whether other processes, here or on a cluster, do the work."""
        return self.uses_cluster or (self.processes or 1) > 1

    @property
    def uses_cluster(self) -> bool:
        """Whether a Dask cluster, named by an option, does the work."""
        return self.scheduler is not None or self.scheduler_file is not None

    @contextmanager
    def open_runner(self, question: Record | None = None) -> Iterator[Runner]:
        """Open a runner of tasks for a with block; limits also apply to connecting to a cluster.

        ``question`` identifies the work in a journal; without it no journal is used.
        """
        from bddsudoku.work import Journal, open_runner

        with ExitStack() as stack:
            client = journal = None
            if self.journal is not None and question is not None:
                memory = self.context.max_memory if is_set_by_user("max_memory") else None
                journal = Journal(self.journal, question | {"memory": memory})
                stack.enter_context(journal)
                if journal.was_truncated:
                    print_note(f"{self.journal}: the last line was cut off and is dropped")
                if len(journal):
                    print_note(f"{self.journal}: {len(journal):,} parts are done already")
            if self.uses_cluster:
                from bddsudoku.work.cluster import connect

                try:
                    client = connect(self.scheduler, self.scheduler_file, self.context)
                except BackendUnavailable as error:
                    fail(str(error), 2)
                stack.callback(client.close)
            yield stack.enter_context(open_runner(self.processes, client, journal))


_MAX_CLASHES = 3
"""Pairs of hints, and cells, that a message names at most."""


def note_clashes(puzzle: Puzzle) -> None:
    """Name on standard error the hints that contradict each other, and cells without candidates."""
    clashes = puzzle.clash_texts()
    for clash in clashes[:_MAX_CLASHES]:
        print_note(f"hints clash: {clash}")
    if more := clashes[_MAX_CLASHES:]:
        print_note(f"… and {len(more)} more pairs of hints clash")
    if dead := [*map(puzzle.layout.cell_name, puzzle.dead_cells)]:
        rest = f" and {len(dead) - _MAX_CLASHES} more" if len(dead) > _MAX_CLASHES else ""
        print_note(f"cells without a candidate: {', '.join(dead[:_MAX_CLASHES])}{rest}")


def command(
    memory: str = "8GiB",
    *,
    json: bool = True,
    layout: bool = True,
    explain: bool = False,
    of_puzzle: bool = False,
) -> OptionDecorator:
    """Make the decorator of every command, which adds limits and common options.

    It stands between click's decorators and the function, whose first argument is a
    :class:`CommandRequest`. The time limit starts at the call and covers the whole command.

    Args:
        memory: the default of the memory limit.
        json: whether the command has ``--json``.
        layout: whether the command has ``--layout``.
        explain: print why the engine of a slow answer was chosen; otherwise only with ``-v``.
        of_puzzle: the question is about hints and rules, so that a set needs to have all their
            solutions.
    """

    def decorate(function: Function) -> Function:
        @functools.wraps(function)
        def limited(max_memory: int, time_limit: float | None, **values: Any) -> None:
            context = Context(max_memory, time_limit)
            if subject := click.get_current_context().obj:
                values["puzzle"] = subject
            names = {member.name for member in fields(CommandRequest)} & values.keys()
            own = {name: values.pop(name) for name in names}
            request = CommandRequest(context, **own, of_puzzle=of_puzzle)
            try:
                with enforce_deadline(context), print_log_messages(request.verbose, explain):
                    function(request, **values)
                if request.unread:
                    fail(f"of the list {len(request.unread):,} were not read")
            except BddSudokuError as error:
                if request.verbose:
                    from traceback import format_exception

                    print_note("".join(format_exception(error)).rstrip())
                raise

        decorated = verbose_option(limit_options(memory)(limited))
        decorated = json_option(decorated) if json else decorated
        return layout_option(decorated) if layout else decorated

    return decorate


# -- members of records ----------------------------------------------------------------------------


def puzzle_json_members(record: PuzzleRecord) -> Record:
    """Make the JSON members that describe a puzzle, such as its text and number of given digits."""
    from bddsudoku.puzzle.sudoku.text import puzzle_json

    return puzzle_json(record.puzzle)


def exact_count_record(count: int, engine: str, seconds: float) -> Record:
    """Make the JSON members of an exact count: the number, the engine, and the seconds it took."""
    from bddsudoku.solver.question import count_members

    return count_members(count, True, engine, "", seconds)


def read_lines(name: str, context: Context) -> tuple[list[str], str]:
    """Return the lines of a file or of standard input, and the source's name for messages."""
    from bddsudoku.file_io import MAX_BOARD_BYTES
    from bddsudoku.puzzle.sudoku.text.reader import open_source

    with open_source(name, context) as source:
        return source.text(MAX_BOARD_BYTES).splitlines(), source.name


def puzzle_text(puzzle: Puzzle) -> str:
    """Return a puzzle as text: its line, then the lines of its houses and rules, if any."""
    from bddsudoku.puzzle.sudoku.text.rule_lines import rule_lines

    return "\n".join([puzzle.line, *rule_lines(puzzle)])


def count_text(answer: Record) -> str:
    """Return a count as text, such as ``2 or more`` if ``--limit`` ended it; × if it is unknown.

    A bound and an estimate stand in place of a count, or after the ×.
    """
    if answer["count"] is None:
        from bddsudoku.engine.estimate import estimate_text

        known = [estimate_text(answer)] if "estimate" in answer else []
        if "more_than" in answer and answer.get("estimate", "") is not None:
            known.insert(0, f"more than {group_digits(int(answer['more_than']))}")
        return ", ".join(["×"] * ("limit" in answer) + known)
    return str(answer["count"]) + ("" if answer["exact"] else " or more")


def fail_unless_agreed(results: Iterable[Record]) -> None:
    """End ``check`` with exit code 1 if engines disagree, 3 if limits left fewer than 2 counts."""
    verdicts = [
        (result["agree"], any(run["limit"] for run in result["runs"])) for result in results
    ]
    if any(agree is False for agree, _ in verdicts):
        fail("the engines disagree")
    if (None, True) in verdicts:
        fail("fewer than two engines counted", EXIT_LIMIT)
