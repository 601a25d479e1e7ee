"""``bddsudoku check``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from bddsudoku.cli.common import (
    EXIT_BAD_DATA,
    command,
    emit_json,
    json_option,
    layout_option,
    limit_options,
    progress_bar,
    puzzle_argument,
    tell_clashes,
)
from bddsudoku.solver import engine_names

if TYPE_CHECKING:
    from bddsudoku.limits import Limits
    from bddsudoku.puzzle.sudoku.grid import Layout

__all__ = ["EACH", "check"]

EACH = 30.0
"""Seconds for one engine where no time limit is given."""


@click.command()
@puzzle_argument
@click.option(
    "--engine",
    "engines",
    multiple=True,
    type=click.Choice([name for name in engine_names() if name != "singles"]),
    help="Only these; may be given several times.",
)
@layout_option
@limit_options("4GiB")
@json_option
@command
def check(
    puzzle: str,
    engines: tuple[str, ...],
    layout: Layout | None,
    limits: Limits,
    as_json: bool,
) -> None:
    """Count with every engine that can, side by side; exit code 1 if any two disagree.

    Each engine may take an equal share of the time that is left, half a minute without a time
    limit; one that reaches it shows × and has no say. A file with several puzzles gives one
    result after the other.
    """
    from bddsudoku.report.text import section_text
    from bddsudoku.solver import check as check_all
    from bddsudoku.solver import subjects

    agree = True
    for subject in subjects(puzzle, layout):
        asked = subject.puzzle
        tell_clashes(asked)
        with progress_bar("checking") as progress:
            result = check_all(
                asked,
                engines or None,
                limits,
                lambda title: progress,
                each=EACH if limits.seconds is None else None,
                saved=None if subject.saved is None else subject.saved.count(),
            )
        agree = agree and result["agree"] is not False
        if as_json:
            emit_json({"puzzle": asked.line, "hints": asked.hint_count} | result)
        else:
            click.echo(f"{asked.line}\n{section_text('check', result, asked)}\n")
    if not agree:
        raise SystemExit(EXIT_BAD_DATA)
