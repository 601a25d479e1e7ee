"""What every command is given (:class:`Given`), and how it answers: lines, JSON, messages, bars.

A command file parses and prints. It asks :mod:`bddsudoku.solver`, where puzzles meet engines.
"""

from __future__ import annotations

import functools
import json
import sys
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext, suppress
from dataclasses import dataclass, fields
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, NoReturn, TextIO

import click

from bddsudoku.cli.entry import EXIT_BAD_DATA, EXIT_LIMIT, deadline
from bddsudoku.cli.options import (
    Function,
    Option,
    is_set,
    json_option,
    layout_option,
    limit_options,
)
from bddsudoku.context import Context
from bddsudoku.errors import BackendUnavailable, BddSudokuError, LimitReached, PuzzleFormatError
from bddsudoku.files import writing_text
from bddsudoku.numbers import to_decimal

if TYPE_CHECKING:
    from bddsudoku.context import Progress
    from bddsudoku.puzzle.sudoku.grid import Puzzle, PuzzleRecord
    from bddsudoku.puzzle.sudoku.layout import Layout
    from bddsudoku.solver import Solved
    from bddsudoku.solver.records import Boards
    from bddsudoku.work import Runner

Record = dict[str, Any]
"""An answer, JSON-able; iterators of texts in it stand for lists of any length."""


# -- lines and files -------------------------------------------------------------------------------


def note(message: str) -> None:
    """One message on standard error."""
    click.echo(message, err=True)


def fail(message: str, code: int = EXIT_BAD_DATA) -> NoReturn:
    """One message on standard error, and out."""
    with suppress(OSError):  # told at the way out
        sys.stdout.flush()
    note(f"bddsudoku: {message}")
    raise SystemExit(code)


def end(stopped: Iterable[str | None]) -> None:
    """Go through to the end; exit code 3 where something was stopped by a limit: the first."""
    limits = [limit for limit in stopped if limit]
    if limits:
        fail(limits[0], EXIT_LIMIT)


def emit_json(record: Record) -> None:
    """One JSON object on one line of standard output, at once (a later crash must not lose it)."""
    begin, write = "{", sys.stdout.write
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
    sys.stdout.flush()


dumps = functools.partial(json.dumps, ensure_ascii=False)


def opened(path: str | None) -> AbstractContextManager[TextIO]:
    """Where text results go: a file, or standard output for None and ``-``."""
    return nullcontext(sys.stdout) if path is None or path == "-" else writing_text(path)


@contextmanager
def progress_bar(title: str, *, unit: str = "step") -> Iterator[Progress]:
    """A bar on standard error for callbacks ``progress(done, total)``; silent when not a terminal.

    The bar appears only once the work has taken half a second.
    """
    from tqdm import tqdm

    quiet = not sys.stderr.isatty()
    with tqdm(desc=title, unit=unit, delay=0.5, leave=False, disable=quiet, file=sys.stderr) as bar:

        def update(done: float, total: float) -> None:
            bar.total, bar.n = total, done
            bar.refresh() if done >= total else bar.update(0)

        yield update


# -- what a command is given -----------------------------------------------------------------------


@dataclass(frozen=True)
class Given:
    """The options that commands share: the limits, and those of the same names.

    ``puzzle`` is the argument, or what an action is about; ``layout`` None for the usual shape.
    """

    context: Context
    as_json: bool = False
    puzzle: str = ""
    layout: Layout | None = None
    processes: int | None = None
    scheduler: str | None = None
    scheduler_file: str | None = None
    journal: str | None = None

    def __post_init__(self) -> None:
        if self.scheduler is not None and self.scheduler_file is not None:
            raise click.UsageError("--scheduler or --scheduler-file, not both")
        if self.processes is not None and self.on_cluster:
            raise click.UsageError("--jobs are processes here; leave it out on a cluster")

    def tell(self, record: Record, text: object) -> None:
        """Print an answer: the record as JSON, or the text and the record's lists line by line."""
        if self.as_json:
            emit_json(record)
            return
        lists = (value for value in record.values() if isinstance(value, Iterator))
        for line in chain([text], *lists):
            click.echo(line)

    @contextmanager
    def reporting(self, title: str, unit: str = "step") -> Iterator[Context]:
        """The limits, with a progress bar."""
        with progress_bar(title, unit=unit) as progress:
            yield self.context.reporting(progress)

    def share(self, seconds: float = 30.0) -> float | None:
        """Seconds for one of several runs; None where a time limit is shared out among them."""
        return seconds if self.context.seconds is None else None

    def records(self, *targets: str | None) -> Iterator[PuzzleRecord]:
        """The puzzles and saved sets that the argument stands for; what clashes is told.

        Several puzzles are wrong usage, before any work, where one of ``targets`` is to be written.
        """
        from bddsudoku.solver.records import read_records

        found = read_records(self.puzzle, self.layout, self.context)
        if any(targets):
            first = list(islice(found, 2))
            if len(first) > 1:
                fail(f"{first[1].source}: several puzzles, but one file to write", 2)
            found = iter(first)
        return map(_told, found)

    def groups(self) -> Iterator[Boards | PuzzleRecord]:
        """:meth:`records`, ordinary boards of long lists as arrays."""
        from bddsudoku.solver.records import Boards, groups

        for found in groups(self.puzzle, self.layout, self.context):
            yield found if isinstance(found, Boards) else _told(found)

    def one_record(self) -> PuzzleRecord:
        """The one puzzle or saved set that the argument stands for; what clashes is told.

        Raises:
            PuzzleFormatError: it is none, or a file with several.
        """
        from bddsudoku.solver.records import read_records

        found = list(islice(read_records(self.puzzle, self.layout, self.context), 2))
        if not found:
            raise PuzzleFormatError("expected a puzzle, found none", source=self.puzzle)
        if len(found) > 1:
            source, line = found[1].source, found[1].line
            raise PuzzleFormatError("expected one puzzle, found several", source=source, line=line)
        return _told(found[0])

    @property
    def shared_out(self) -> bool:
        """Whether the work is anybody else's, or kept."""
        return self.on_cluster or self.journal is not None or (self.processes or 1) > 1

    @property
    def on_cluster(self) -> bool:
        """Whether a cluster is to do it."""
        return self.scheduler is not None or self.scheduler_file is not None

    @contextmanager
    def runner(self, question: Record | None = None) -> Iterator[Runner]:
        """Who runs tasks within the block; a cluster is found within the limits.

        ``question`` tells a journal's question from others; there is no journal without it.
        """
        from bddsudoku.work import Journal, runner_for

        with ExitStack() as stack:
            far = kept = None
            if self.journal is not None and question is not None:
                memory = self.context.memory if is_set("max_memory") else None
                kept = Journal(self.journal, question | {"memory": memory})
                stack.enter_context(kept)
                if kept.torn:
                    note(f"{self.journal}: the last line was cut off and is dropped")
                if len(kept):
                    note(f"{self.journal}: {len(kept):,} parts are done already")
            if self.on_cluster:
                from bddsudoku.work.cluster import connected

                try:
                    far = connected(self.scheduler, self.scheduler_file, self.context)
                except BackendUnavailable as error:
                    fail(str(error), 2)
                stack.callback(far.close)
            yield stack.enter_context(runner_for(self.processes, far, kept))


def _told(record: PuzzleRecord) -> PuzzleRecord:
    """Say on standard error what was passed over in reading a puzzle, and what clashes in it."""
    for line in record.notes:
        note(line)
    tell_clashes(record.puzzle)
    return record


_CLASHES = 3
"""That many are named, of hints and of cells."""


def tell_clashes(puzzle: Puzzle) -> None:
    """Name on standard error the hints that contradict each other, and cells without candidates."""
    from bddsudoku.puzzle.sudoku.layout import SYMBOLS, cell_name

    clashes = list(puzzle.clashes())
    for a, b, house in clashes[:_CLASHES]:
        note(
            f"hints clash: {cell_name(a, puzzle.n)} and {cell_name(b, puzzle.n)} are both "
            f"{SYMBOLS[puzzle[a] - 1]} in {house.family} {house.index + 1}"
        )
    if more := clashes[_CLASHES:]:
        note(f"… and {len(more)} more pairs of hints clash")
    if dead := [cell_name(cell, puzzle.n) for cell in puzzle.dead_cells]:
        rest = f" and {len(dead) - _CLASHES} more" if len(dead) > _CLASHES else ""
        note(f"cells without a candidate: {', '.join(dead[:_CLASHES])}{rest}")


def command(memory: str = "8GiB", *, json: bool = True, layout: bool = True) -> Option:
    """What every command needs: errors end in one line and an exit code, and there are limits.

    Put it between click's decorators and the function, whose first argument is a :class:`Given`.
    The time limit runs from here on and covers all that the command does. ``memory`` is the limit
    unless another one is given; ``json`` and ``layout``: whether there are these options.
    """

    def decorate(function: Function) -> Function:
        @functools.wraps(function)
        def limited(max_memory: int, time_limit: float | None, **values: Any) -> None:
            context = Context(max_memory, time_limit)
            if subject := click.get_current_context().obj:
                values["puzzle"] = subject
            names = {field.name for field in fields(Given)} & values.keys()
            given = Given(context, **{name: values.pop(name) for name in names})
            try:
                with deadline(context):
                    function(given, **values)
            except BddSudokuError as error:
                if is_set("verbose"):
                    from traceback import format_exception

                    note("".join(format_exception(error)).rstrip())
                raise

        whole = limit_options(memory)(limited)
        whole = json_option(whole) if json else whole
        return layout_option(whole) if layout else whole

    return decorate


# -- members of records ----------------------------------------------------------------------------


def head(record: PuzzleRecord) -> Record:
    """The first members of every JSON object about a puzzle."""
    from bddsudoku.puzzle.sudoku.text import puzzle_record

    return puzzle_record(record.puzzle)


def exact(count: int, engine: str, seconds: float, **more: object) -> Record:
    """An exact count: where it comes from, and what else is told of it."""
    counted = {"count": to_decimal(count), "exact": True, "engine": engine}
    return counted | {"seconds": round(seconds, 6)} | more


def limit_record(stop: LimitReached) -> Record:
    """What stands in place of a count that a limit ended."""
    return {"count": None, "exact": False, "limit": str(stop)}


def said(puzzle: Puzzle) -> str:
    """A puzzle as texts name it: its line, and below it what makes it a variant."""
    from bddsudoku.puzzle.sudoku.text import write_line
    from bddsudoku.puzzle.sudoku.text.rule_lines import rule_lines

    return "\n".join([write_line(puzzle), *rule_lines(puzzle)])


def count_text(answer: Record) -> str:
    """A record of a count, for people; ``2 or more`` where counting was to end there."""
    if answer["count"] is None:
        return "×"
    return str(answer["count"]) + ("" if answer["exact"] else " or more")


def cost_record(solved: Solved) -> dict[str, int]:
    """What a compiled set cost and how large it is."""
    cost, solutions = solved.cost, solved.solutions
    assert cost is not None
    return {
        "variables": cost.variables,
        "nodes": solutions.node_count("zdd"),
        "bdd_nodes": solutions.node_count("bdd"),
        "states": cost.states,
        "width": cost.width,
        "peak_bytes": cost.peak_bytes,
    }


def end_check(results: Iterable[Record]) -> None:
    """End ``check``: exit code 1 where engines disagree, 3 where limits left too few of them."""
    told = [(result["agree"], any(run["limit"] for run in result["runs"])) for result in results]
    if any(agree is False for agree, _ in told):
        fail("the engines disagree")
    if (None, True) in told:
        fail("fewer than two engines counted", EXIT_LIMIT)
