"""``bddsudoku count``."""

from __future__ import annotations

from functools import partial

import click

from bddsudoku.cli.answers import tell_count
from bddsudoku.cli.common import EXIT_LIMIT, note
from bddsudoku.cli.puzzles import Given, about_puzzles, head, puzzle_argument
from bddsudoku.solver import engine_names

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
@about_puzzles()
def count(given: Given, engine: str, verbose: bool) -> None:
    """Print the exact number of solutions; one line for every puzzle of a file.

    A count stopped by a limit is shown as ×, and the exit code is 3; the other puzzles are
    counted all the same, unless the time for all of them is used up.
    """
    from bddsudoku.solver import count_subject

    stopped = False
    for number, subject in enumerate(given.subjects()):
        counting = partial(count_subject, subject, engine, given.limits)
        answer = tell_count(given, head(subject), counting)
        if answer is None:
            stopped = True
            if given.limits.expired:
                break
        elif not given.as_json and (
            verbose or (number == 0 and engine == "auto" and answer.seconds > 0.5)
        ):
            note(f"{answer.engine}: {answer.why} ({answer.seconds:.2f} s)")
    if stopped:
        raise SystemExit(EXIT_LIMIT)
