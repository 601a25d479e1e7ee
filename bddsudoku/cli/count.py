"""``bddsudoku count``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, islice
from json import dumps
from time import perf_counter
from typing import TYPE_CHECKING, Any

import click

from bddsudoku.cli.answers import count_text, limit_record
from bddsudoku.cli.common import AT_MOST, note, progress_bar
from bddsudoku.cli.entry import EXIT_LIMIT
from bddsudoku.cli.puzzles import (
    Given,
    about_puzzles,
    head,
    jobs_option,
    puzzle_argument,
    said,
    tell_clashes,
)
from bddsudoku.cli.spread import Workers, answered, work_options
from bddsudoku.engine.protocol import engine_names
from bddsudoku.errors import LimitReached

if TYPE_CHECKING:
    from bddsudoku.puzzle.sudoku.grid import PuzzleRecord
    from bddsudoku.solver.records import Boards, Chunk

CHUNK = 4096
"""Puzzles at most that a worker counts at a time."""
TOGETHER = 0.1
"""Seconds within which the counts of a list are printed together."""
SLOW = 0.5
"""Seconds of a first puzzle after which it is told who counted, and why."""


@click.command()
@puzzle_argument
@click.option(
    "--engine",
    type=click.Choice(("auto", *engine_names())),
    default="auto",
    show_default=True,
    help="Who counts; auto takes the cheapest by prediction and says why.",
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
@jobs_option
@work_options(jobs=False, verbose=False)
@about_puzzles()
def count(
    given: Given,
    engine: str,
    verbose: bool,
    limit: int | None,
    jobs: int | None,
    workers: Workers,
) -> None:
    """Print the exact number of solutions; one line for every puzzle of a file.

    A count stopped by a limit of time or memory is shown as ×, and the exit code is 3; the other
    puzzles are counted all the same, unless the time for all of them is used up. Files of many
    ordinary 9x9 puzzles, one a line, are counted by the thousand. On a cluster long lists are
    shared out, and so is the work of one hard puzzle.
    """
    from bddsudoku.solver.records import Boards

    if limit is not None and engine not in ("auto", "quick"):
        raise click.UsageError("--limit goes with --engine auto")
    groups: Iterable[Boards | PuzzleRecord] = given.groups()
    found = None
    if workers.asked and engine == "auto" and limit is None:
        first = list(islice(groups, 2))
        groups = chain(first, groups)
        if len(first) == 1 and not isinstance(first[0], Boards) and first[0].saved is None:
            found = _in_parts(given, first[0], workers)
    if found is None:
        found = answered(
            given,
            workers,
            "bddsudoku.solver.batch:count_records",
            {"engine": engine, "limit": limit, "one_by_one": verbose},
            title="counting",
            size=CHUNK,
            here={"jobs": jobs},
            found=groups,
            cut=limit_record,
        )
    slow = None if workers.asked or engine != "auto" else SLOW
    if not _tell(given, found, verbose, slow):
        raise SystemExit(EXIT_LIMIT)


def _in_parts(
    given: Given, record: PuzzleRecord, workers: Workers
) -> Iterator[tuple[Chunk, int, dict[str, Any]]]:
    """One hard puzzle, whose parts are shared out."""
    from bddsudoku.solver.parts import counted_in_parts
    from bddsudoku.solver.question import count_record

    with workers.runner(given.context, {"count": said(record.puzzle)}) as runner:
        try:
            with progress_bar("counting", unit="part") as told:
                context = given.context.reporting(told)
                counted = counted_in_parts(record.puzzle, runner, context)
        except LimitReached as stop:
            yield [record], 0, limit_record(stop)
        else:
            yield [record], 0, count_record(counted)


def _tell(
    given: Given,
    found: Iterable[tuple[Chunk, int, dict[str, Any]]],
    verbose: bool,
    slow: float | None,
) -> bool:
    """Print counts, those of a list some at a time; whether all were counted.

    Args:
        found: of :func:`.spread.answered`.
        verbose: also who counted, and why.
        slow: the same of a first puzzle that took longer.
    """
    from bddsudoku.solver.records import Boards

    lines: list[str] = []
    whole, told = True, perf_counter()

    def flush() -> None:
        nonlocal told
        if lines:
            click.echo("\n".join(lines))
            lines.clear()
        told = perf_counter()

    try:
        for chunk, i, answer in found:
            listed = isinstance(chunk, Boards)
            if listed and answer["count"] == "0":
                tell_clashes(chunk[i].puzzle)
            if given.as_json:
                lines.append(dumps(_head(chunk, i) | answer, ensure_ascii=False))
            else:
                lines.append(count_text(answer))
            if not listed or verbose or perf_counter() - told > TOGETHER:
                flush()
            if answer["count"] is None:
                flush()
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


def _head(chunk: Chunk, i: int) -> dict[str, Any]:
    from bddsudoku.solver.records import Boards

    if isinstance(chunk, Boards):
        return {"puzzle": chunk.texts[i], "hints": chunk.hint_counts[i]}
    return head(chunk[i])
