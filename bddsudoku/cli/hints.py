"""``bddsudoku hints``: what an author asks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from bddsudoku.cli.puzzles import Given, about_puzzles, puzzle_argument, said
from bddsudoku.cli.spread import Workers, answered, tell_each, work_options

if TYPE_CHECKING:
    from bddsudoku.puzzle.sudoku.grid import PuzzleRecord

CHUNK = 64
"""Puzzles at most that a worker answers at a time: a second or so of those with 17 hints."""


@click.command()
@puzzle_argument
@work_options()
@about_puzzles()
def hints(given: Given, workers: Workers) -> None:
    """What every hint contributes, and what one more would.

    For every hint the number of solutions without it (is the puzzle minimal?); for every open
    cell and digit the number of solutions left if it were added; the single additions that make
    the puzzle unique; candidates in no solution; cells always equal or always different. A count
    that a limit ends shows ×, and the exit code is 3.
    """
    answers = "bddsudoku.solver.hints:hint_records"
    units = "hint", "puzzle"
    found = answered(given, workers, answers, {}, title="hints", units=units, size=CHUNK)
    tell_each(given, found, _text)


def _text(record: PuzzleRecord, answers: dict[str, Any]) -> str:
    from bddsudoku.report.sections import hints_text
    from bddsudoku.report.tables import counted_words

    counted = f"{said(record.puzzle)}\n{counted_words(int(answers['count']))}\n\n"
    return counted + hints_text(answers, record.puzzle) + "\n"
