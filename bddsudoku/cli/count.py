"""Commands ``bddsudoku count | check``: the number of solutions, by one engine or by all."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, islice
from time import perf_counter
from typing import TYPE_CHECKING, Any

import click

from bddsudoku.cli.common import (
    Given,
    Record,
    command,
    count_text,
    dumps,
    end_check,
    head,
    limit_record,
    note,
    said,
    tell_clashes,
)
from bddsudoku.cli.entry import EXIT_LIMIT
from bddsudoku.cli.options import (
    AT_MOST,
    choice_option,
    engines_option,
    journal_option,
    puzzle_argument,
    scheduler_options,
    threads_option,
)
from bddsudoku.cli.spread import Answered, Answers, answered, told
from bddsudoku.engine.protocol import engine_names
from bddsudoku.errors import LimitReached

if TYPE_CHECKING:
    from bddsudoku.context import Context
    from bddsudoku.puzzle.sudoku.grid import PuzzleRecord
    from bddsudoku.solver.records import Chunk

CHUNK = 4096
"""Puzzles in a worker's chunk, at most."""
TOGETHER = 0.1
"""Seconds for which the counts of a list are buffered before they are printed."""
SLOW = 0.5
"""Seconds for the first puzzle after which its engine is named, with the reason."""


@click.command()
@puzzle_argument
@choice_option(
    "--engine",
    choices=("auto", *engine_names()),
    what="The engine; auto takes the cheapest by forecast and says why.",
)
@click.option(
    "-v",
    "--verbose",
    is_flag=True,
    help="Say for every puzzle which engine and why; of an error, the traceback, too.",
)
@click.option(
    "--limit",
    type=AT_MOST,
    help="Count no further than this; shown as “2 or more” where that many were found.",
)
@threads_option
@scheduler_options
@journal_option
@command()
def count(given: Given, engine: str, verbose: bool, limit: int | None, jobs: int | None) -> None:
    """Print the exact number of solutions; one line for every puzzle of a file.

    A count stopped by a limit of time or memory is shown as ×, and the exit code is 3; the other
    puzzles are counted all the same, unless the time for all of them is used up. Files of many
    classic 9x9 puzzles, one a line, are counted by the thousand. On a cluster long lists are
    shared out, and so is the work of one hard puzzle.
    """
    from bddsudoku.solver.records import Boards

    if limit is not None and engine not in ("auto", "bitboard"):
        raise click.UsageError("--limit goes with --engine auto")
    groups = given.groups()
    hard = given.shared_out and engine == "auto" and limit is None
    first = list(islice(groups, 2 * hard))
    if len(first) == 1 and not isinstance(first[0], Boards) and first[0].saved is None:
        found = _in_parts(given, first[0])
    else:
        answers = Answers(
            "bddsudoku.solver.batch:count_records",
            "counting",
            size=CHUNK,
            options={"engine": engine, "limit": limit, "one_by_one": verbose},
            here={"jobs": jobs},
            cut=True,
        )
        found = answered(given, answers, chain(first, groups))
    slow = SLOW if engine == "auto" and not given.shared_out else None
    if not _tell(given, found, verbose, slow):
        raise SystemExit(EXIT_LIMIT)


def _in_parts(given: Given, record: PuzzleRecord) -> Answered:
    """Count one hard puzzle in parts that workers count."""
    from bddsudoku.solver.parts import counted_in_parts
    from bddsudoku.solver.question import count_record

    with given.runner({"count": said(record.puzzle)}) as runner:
        try:
            with given.reporting("counting", "part") as context:
                found = count_record(counted_in_parts(record.puzzle, runner, context))
        except LimitReached as stop:
            found = limit_record(stop)
        yield [record], 0, found


def _tell(given: Given, found: Answered, verbose: bool, slow: float | None) -> bool:
    """Print counts, those of a list several at a time; return whether all were counted.

    The engine and its reason are noted with ``verbose``, and for a first puzzle that took longer
    than ``slow_seconds``.
    """
    from bddsudoku.solver.records import Boards

    lines: list[str] = []
    whole, flushed = True, perf_counter()

    def flush() -> None:
        nonlocal flushed
        if lines:
            click.echo("\n".join(lines))
            lines.clear()
        flushed = perf_counter()

    try:
        for chunk, at, answer in found:
            listed = isinstance(chunk, Boards)
            if listed and answer["count"] == "0":
                tell_clashes(chunk[at].puzzle)
            if not given.as_json:
                lines.append(count_text(answer))
            elif isinstance(chunk, Boards):
                told = {"puzzle": chunk.texts[at], "hints": chunk.hint_counts[at]}
                lines.append(dumps(told | answer))
            else:
                lines.append(dumps(head(chunk[at]) | answer))
            stopped = answer["count"] is None
            if not listed or verbose or stopped or perf_counter() - flushed > TOGETHER:
                flush()
            if stopped:
                note(f"bddsudoku: {answer['limit']}")
                whole = False
            elif not given.as_json and (
                verbose or (not listed and slow is not None and answer["seconds"] > slow)
            ):
                note(f"{answer['engine']}: {answer.get('why', '')} ({answer['seconds']:.2f} s)")
            slow = None
    finally:
        flush()
    return whole


@click.command()
@puzzle_argument
@engines_option([name for name in engine_names() if name != "singles"])
@command("4GiB")
def check(given: Given, engines: tuple[str, ...]) -> None:
    """Count with every engine that can, side by side; exit code 1 if any two disagree.

    Each engine may take an equal share of the time that is left, half a minute without a time
    limit; one that reaches it shows × and has no say (exit code 3 when fewer than two are left). A
    file with several puzzles gives one result after the other.
    """
    from bddsudoku.report.sections import section_text

    def text(record: PuzzleRecord, result: Record) -> str:
        return f"{said(record.puzzle)}\n{section_text('check', result, record.puzzle)}\n"

    options = {"engines": engines or None, "each": given.share()}
    answers = Answers(f"{__name__}:check_records", "checking", options=options)
    end_check(told(given, answered(given, answers), text))


def check_records(chunk: Chunk, context: Context, **options: Any) -> Iterator[Any]:
    """Cross-check each puzzle of a chunk with several engines: a job for workers."""
    from bddsudoku.solver import check as check_all

    for record in chunk:
        yield check_all(
            record.puzzle,
            context=context,
            progress=lambda _: context.progress,
            saved=None if record.saved is None else record.saved.count(),
            **options,
        )
