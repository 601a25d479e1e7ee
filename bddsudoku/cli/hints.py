"""``bddsudoku hints``: what an author asks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from bddsudoku.cli.common import (
    command,
    emit_json,
    json_option,
    layout_option,
    limit_options,
    progress_bar,
    puzzle_argument,
    tell_clashes,
)

if TYPE_CHECKING:
    from bddsudoku.limits import Limits
    from bddsudoku.puzzle.sudoku.grid import Layout

__all__ = ["hints"]


@click.command()
@puzzle_argument
@layout_option
@limit_options()
@json_option
@command
def hints(puzzle: str, layout: Layout | None, limits: Limits, as_json: bool) -> None:
    """What every hint contributes, and what one more would.

    For every hint the number of solutions without it (is the puzzle minimal?); for every open
    cell and digit the number of solutions left if it were added; the single additions that make
    the puzzle unique; candidates in no solution; cells always equal or always different.
    """
    from bddsudoku.report.hints import hints_text
    from bddsudoku.report.tables import counted_words
    from bddsudoku.solver import hint_answers, subjects

    for subject in subjects(puzzle, layout):
        tell_clashes(subject.puzzle)
        with progress_bar("hints", unit="hint") as progress:
            answers = hint_answers(subject, limits, progress)
        if as_json:
            record = {"puzzle": subject.puzzle.line, "hints": subject.puzzle.hint_count}
            emit_json(record | answers)
        else:
            head = f"{subject.puzzle.line}\n{counted_words(int(answers['count']))}\n"
            click.echo(head)
            click.echo(hints_text(answers, subject.puzzle) + "\n")
