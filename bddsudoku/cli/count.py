"""``bddsudoku count``."""

from __future__ import annotations

from functools import partial
from json import dumps
from typing import TYPE_CHECKING

import click

from bddsudoku.cli.answers import count_record, count_text, tell_count
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
    from bddsudoku.solver import Subject
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
    from bddsudoku.solver.lists import Boards

    if limit is not None and engine not in ("auto", "quick"):
        raise click.UsageError("--limit goes with --engine auto")
    listed = engine in ("auto", "quick") and not verbose
    stopped = False
    with progress_bar("counting", unit="puzzle") as told:
        done = 0
        for found in given.groups() if listed else given.subjects():
            if isinstance(found, Boards):
                ended = not _tell_boards(given, found, limit, jobs, partial(_beyond, told, done))
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


def _tell_boards(
    given: Given, boards: Boards, limit: int | None, jobs: int | None, progress: Progress
) -> bool:
    """Count the boards of a list; whether all were counted."""
    from bddsudoku.solver.lists import counted_boards

    lines: list[str] = []
    heads = zip(boards.texts, boards.hints, strict=True) if given.as_json else None
    answers = counted_boards(boards, limit, jobs, given.limits, progress)
    try:
        for i, answer in enumerate(answers):
            if not answer.count and answer.exact:
                tell_clashes(boards.puzzle(i))
            if heads is None:
                lines.append(count_text(answer))
            else:
                text, hints = next(heads)
                record = {"puzzle": text, "hints": hints} | count_record(answer)
                lines.append(dumps(record, ensure_ascii=False))
    except LimitReached as stop:
        if lines:
            click.echo("\n".join(lines))
        given.tell({"count": None, "exact": False, "limit": str(stop)}, "×")
        note(f"bddsudoku: {stop}")
        return False
    click.echo("\n".join(lines))
    return True
