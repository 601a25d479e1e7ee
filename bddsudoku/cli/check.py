"""``bddsudoku check``."""

from __future__ import annotations

import click

from bddsudoku.cli.common import EXIT_BAD_DATA, progress_bar
from bddsudoku.cli.puzzles import Given, about_puzzles, head, puzzle_argument, said
from bddsudoku.solver import engine_names

__all__ = ["check"]


@click.command()
@puzzle_argument
@click.option(
    "--engine",
    "engines",
    multiple=True,
    type=click.Choice([name for name in engine_names() if name != "singles"]),
    help="Only these; may be given several times.",
)
@about_puzzles("4GiB")
def check(given: Given, engines: tuple[str, ...]) -> None:
    """Count with every engine that can, side by side; exit code 1 if any two disagree.

    Each engine may take an equal share of the time that is left, half a minute without a time
    limit; one that reaches it shows × and has no say. A file with several puzzles gives one
    result after the other.
    """
    from bddsudoku.report.text import section_text
    from bddsudoku.solver import check as check_all

    agree = True
    for subject in given.subjects():
        asked = subject.puzzle
        with progress_bar("checking") as progress:
            result = check_all(
                asked,
                engines or None,
                given.limits,
                lambda title: progress,
                each=given.each(),
                saved=None if subject.saved is None else subject.saved.count(),
            )
        agree = agree and result["agree"] is not False
        text = f"{said(asked)}\n{section_text('check', result, asked)}\n"
        given.tell(head(subject) | result, text)
    if not agree:
        raise SystemExit(EXIT_BAD_DATA)
