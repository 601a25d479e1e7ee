"""``bddsudoku count``."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from json import dumps
from time import perf_counter
from typing import TYPE_CHECKING, Any

import click

from bddsudoku.cli.answers import count_record, count_text, limit_record, tell_count
from bddsudoku.cli.common import AT_MOST, EXIT_LIMIT, note, progress_bar
from bddsudoku.cli.puzzles import (
    Given,
    about_puzzles,
    head,
    jobs_option,
    puzzle_argument,
    tell_clashes,
)
from bddsudoku.errors import LimitReached
from bddsudoku.solver import engine_names

if TYPE_CHECKING:
    from bddsudoku.limits import Progress
    from bddsudoku.solver import Counted, Subject
    from bddsudoku.solver.lists import Boards

__all__ = ["count"]


@click.command()
@puzzle_argument
@click.option(
    "--engine",
    type=click.Choice(("auto", *engine_names())),
    default="auto",
    show_default=True,
    help="Who counts; auto takes the cheapest by prediction and says why.",
)
@click.option("-v", "--verbose", is_flag=True, help="Say for every puzzle which engine and why.")
@click.option(
    "--limit",
    type=AT_MOST,
    help="Count no further than this; shown as “2 or more” where that many were found.",
)
@jobs_option
@about_puzzles()
def count(given: Given, engine: str, verbose: bool, limit: int | None, jobs: int | None) -> None:
    """Print the exact number of solutions; one line for every puzzle of a file.

    A count stopped by a limit of time or memory is shown as ×, and the exit code is 3; the other
    puzzles are counted all the same, unless the time for all of them is used up. Files of many
    ordinary 9x9 puzzles, one a line, are counted by the thousand.
    """
    from bddsudoku.solver.lists import Boards, counted_boards
    from bddsudoku.solver.many import NODES

    if limit is not None and engine not in ("auto", "quick"):
        raise click.UsageError("--limit goes with --engine auto")
    listed = engine in ("auto", "quick") and not verbose
    stopped = False
    with progress_bar("counting", unit="puzzle") as told:
        done = 0
        for found in given.groups() if listed else given.subjects():
            if isinstance(found, Boards):
                counting = partial(
                    counted_boards,
                    found,
                    limit,
                    jobs,
                    given.limits,
                    partial(_beyond, told, done),
                    nodes=NODES if engine == "auto" else None,
                )
                ended = not _tell_boards(given, found, counting())
                done += len(found)
            else:
                ended = not _tell_one(given, found, engine, verbose, limit, first=not done)
                done += 1
            stopped = stopped or ended
            if ended and given.limits.expired:
                break
    if stopped:
        raise SystemExit(EXIT_LIMIT)


def _beyond(told: Progress, before: int, done: float, of: float) -> None:
    """Progress within a list of unknown length."""
    told(before + done, before + of + 1)


def _tell_one(
    given: Given, subject: Subject, engine: str, verbose: bool, limit: int | None, *, first: bool
) -> bool:
    """Count one puzzle or saved set; whether it was counted."""
    from bddsudoku.solver import count_subject
    from bddsudoku.solver.many import count_up_to

    if limit is None or subject.saved is not None:
        counting = partial(count_subject, subject, engine, given.limits)
    else:
        counting = partial(count_up_to, subject.puzzle, limit, given.limits)
    answer = tell_count(given, head(subject), counting)
    if answer is None:
        return False
    slow = first and engine == "auto" and answer.seconds > 0.5
    if not given.as_json and (verbose or slow):
        note(f"{answer.engine}: {answer.why} ({answer.seconds:.2f} s)")
    return True


def _tell_boards(given: Given, boards: Boards, answers: Iterator[Counted | LimitReached]) -> bool:
    """Tell the counts of a list, some at a time as they come; whether all were counted."""
    heads = list(zip(boards.texts, boards.hints, strict=True)) if given.as_json else None
    lines: list[str] = []
    whole, done, told = True, 0, perf_counter()

    def add(answer: Counted | LimitReached) -> None:
        nonlocal whole, done
        if isinstance(answer, LimitReached):
            put("×", limit_record(answer))
            flush()
            note(f"bddsudoku: {answer}")
            whole = False
        else:
            if not answer.count:
                tell_clashes(boards.puzzle(done))
            put(count_text(answer), {} if heads is None else count_record(answer))
        done += 1

    def put(text: str, record: dict[str, Any]) -> None:
        if heads is None:
            lines.append(text)
        else:
            puzzle, hints = heads[done]
            lines.append(dumps({"puzzle": puzzle, "hints": hints} | record, ensure_ascii=False))

    def flush() -> None:
        nonlocal told
        if lines:
            click.echo("\n".join(lines))
            lines.clear()
        told = perf_counter()

    try:
        for answer in answers:
            add(answer)
            if perf_counter() - told > 0.1:
                flush()
    except LimitReached as stop:
        add(stop)
    finally:
        flush()
    return whole
