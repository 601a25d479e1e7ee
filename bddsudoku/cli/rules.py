"""``bddsudoku rules``: what rules and hints are worth."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from bddsudoku.cli.common import seconds_type
from bddsudoku.cli.puzzles import Given, about_puzzles, puzzle_argument, said
from bddsudoku.cli.spread import Workers, answered, tell_each, work_options

if TYPE_CHECKING:
    from bddsudoku.puzzle.sudoku.grid import PuzzleRecord


@click.command()
@puzzle_argument
@click.option(
    "--each",
    type=seconds_type(),
    default="20",
    show_default=True,
    help="Seconds for any one count; one that needs more shows × and stays open.",
)
@work_options()
@about_puzzles()
def rules(given: Given, each: float, workers: Workers) -> None:
    """What every rule and every hint contributes, as counts.

    For every rule, each cage and each arrow by itself, the number of solutions without it, and
    whether it is redundant; the same for every hint; candidates in no solution; cells always equal
    or always different. A count that a limit ends shows ×, and the exit code is 3.
    """
    answers = "bddsudoku.solver.rules:rule_records"
    units = "count", "count"
    found = answered(given, workers, answers, {"each": each}, title="rules", units=units)
    tell_each(given, found, _text)


def _text(record: PuzzleRecord, answers: dict[str, Any]) -> str:
    from bddsudoku.report.sections import rules_text
    from bddsudoku.report.tables import counted_words

    count = answers["count"]
    number = "× solutions" if count is None else counted_words(int(count))
    # What makes the puzzle a variant stands there already, each rule with its count.
    return f"{said(record.puzzle)}\n{number}\n\n{rules_text(answers, record.puzzle)}\n"
