"""``bddsudoku count``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from bddsudoku.cli.common import (
    EXIT_LIMIT,
    command,
    emit_json,
    json_option,
    layout_option,
    limit_options,
    note,
    progress_bar,
    puzzle_argument,
    tell_clashes,
)
from bddsudoku.errors import LimitReached
from bddsudoku.solver import engine_names

if TYPE_CHECKING:
    from bddsudoku.limits import Limits
    from bddsudoku.puzzle.sudoku.grid import Layout

__all__ = ["count"]

ENGINES = ("auto", *engine_names())


@click.command()
@puzzle_argument
@click.option(
    "--engine",
    type=click.Choice(ENGINES),
    default="auto",
    show_default=True,
    help="Who counts; auto takes the cheapest by prediction and says why.",
)
@layout_option
@limit_options()
@click.option("-v", "--verbose", is_flag=True, help="Say for every puzzle which engine and why.")
@json_option
@command
def count(
    puzzle: str,
    engine: str,
    layout: Layout | None,
    limits: Limits,
    verbose: bool,
    as_json: bool,
) -> None:
    """Print the exact number of solutions; one line for every puzzle of a file.

    A count stopped by a limit is shown as ×, and the exit code is 3; the other puzzles are
    counted all the same, unless the time for all of them is used up.
    """
    from bddsudoku.solver import count_subject, subjects

    stopped = False
    for number, subject in enumerate(subjects(puzzle, layout)):
        tell_clashes(subject.puzzle)
        record = {"puzzle": subject.puzzle.line, "hints": subject.puzzle.hint_count}
        try:
            with progress_bar("counting") as progress:
                answer = count_subject(subject, engine, limits, progress)
        except LimitReached as error:
            stopped = True
            note(f"bddsudoku: {error}")
            if as_json:
                emit_json(record | {"count": None, "exact": False, "limit": str(error)})
            else:
                click.echo("×")
            if limits.expired:
                break
            continue
        if as_json:
            emit_json(
                record
                | {
                    "count": str(answer.count),
                    "exact": True,
                    "engine": answer.engine,
                    "why": answer.why,
                    "seconds": round(answer.seconds, 6),
                }
            )
        else:
            click.echo(answer.count)
            if verbose or (number == 0 and engine == "auto" and answer.seconds > 0.5):
                note(f"{answer.engine}: {answer.why} ({answer.seconds:.2f} s)")
    if stopped:
        raise SystemExit(EXIT_LIMIT)
