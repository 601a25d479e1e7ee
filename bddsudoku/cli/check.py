"""``bddsudoku check``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from bddsudoku.cli.answers import end_check, is_cut
from bddsudoku.cli.common import progress_bar
from bddsudoku.cli.puzzles import (
    Given,
    about_puzzles,
    head,
    puzzle_argument,
    said,
    tell_clashes,
)
from bddsudoku.engine.protocol import engine_names

if TYPE_CHECKING:
    from bddsudoku.puzzle.sudoku.grid import PuzzleRecord
    from bddsudoku.solver.question import Run


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
    limit; one that reaches it shows × and has no say (exit code 3 when fewer than two are left). A
    file with several puzzles gives one result after the other.
    """
    from bddsudoku.report.sections import section_text
    from bddsudoku.solver import check as check_all

    agree = compared = True
    for record, known in _each(given):
        asked = record.puzzle
        with progress_bar("checking") as progress:
            result = check_all(
                asked,
                engines or None,
                given.context,
                lambda title: progress,
                each=given.each(),
                saved=None if record.saved is None else record.saved.count(),
                known=known,
            )
        agree = agree and result["agree"] is not False
        compared = compared and not is_cut(result)
        text = f"{said(asked)}\n{section_text('check', result, asked)}\n"
        given.tell(head(record) | result, text)
    end_check(agree, compared)


def _each(given: Given) -> Iterator[tuple[PuzzleRecord, dict[str, Run]]]:
    """What is to be checked, and what is known of the boards of long lists."""
    from bddsudoku.solver.batch import known_runs
    from bddsudoku.solver.records import Boards

    for found in given.groups():
        if not isinstance(found, Boards):
            yield found, {}
            continue
        for record, runs in known_runs(found, given.context):
            tell_clashes(record.puzzle)
            yield record, runs
