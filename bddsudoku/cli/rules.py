"""``bddsudoku rules``: what rules and hints are worth."""

from __future__ import annotations

import click

from bddsudoku.cli.common import progress_bar, seconds_type
from bddsudoku.cli.puzzles import Given, about_puzzles, head, puzzle_argument, said

__all__ = ["rules"]


@click.command()
@puzzle_argument
@click.option(
    "--each",
    type=seconds_type(),
    default="20",
    show_default=True,
    help="Seconds for any one count; one that needs more shows × and stays open.",
)
@about_puzzles()
def rules(given: Given, each: float) -> None:
    """What every rule and every hint contributes, as counts.

    For every rule, each cage and each arrow by itself, the number of solutions without it, and
    whether it is redundant; the same for every hint; candidates in no solution; cells always equal
    or always different.
    """
    from bddsudoku.report.hint_tables import rules_text
    from bddsudoku.report.tables import counted_words
    from bddsudoku.solver import rule_answers

    for subject in given.subjects():
        puzzle = subject.puzzle
        with progress_bar("rules", unit="count") as progress:
            answers = rule_answers(subject, given.limits, each=each, progress=progress)
        count = answers["count"]
        number = "× solutions" if count is None else counted_words(int(count))
        text = f"{said(puzzle)}\n{number}\n\n{rules_text(answers, puzzle)}\n"
        # What makes the puzzle a variant stands there already, each rule with its count.
        given.tell(head(subject) | answers, text)
