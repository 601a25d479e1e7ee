"""``bddsudoku hints``: what an author asks."""

from __future__ import annotations

from typing import Any

import click

from bddsudoku.cli.common import progress_bar
from bddsudoku.cli.puzzles import Given, about_puzzles, head, puzzle_argument, said, tell_clashes

__all__ = ["hints"]


@click.command()
@puzzle_argument
@about_puzzles()
def hints(given: Given) -> None:
    """What every hint contributes, and what one more would.

    For every hint the number of solutions without it (is the puzzle minimal?); for every open
    cell and digit the number of solutions left if it were added; the single additions that make
    the puzzle unique; candidates in no solution; cells always equal or always different.
    """
    from bddsudoku.report.hint_tables import hints_text
    from bddsudoku.report.tables import counted_words
    from bddsudoku.solver import Subject, hint_answers
    from bddsudoku.solver.hints import hint_answers_each

    def tell(subject: Subject, answers: dict[str, Any]) -> None:
        counted = f"{said(subject.puzzle)}\n{counted_words(int(answers['count']))}\n\n"
        text = counted + hints_text(answers, subject.puzzle) + "\n"
        given.tell(head(subject) | answers, text)

    for found in given.groups():
        if isinstance(found, Subject):
            with progress_bar("hints", unit="hint") as progress:
                answers = hint_answers(found, given.limits, progress)
            tell(found, answers)
            continue
        with progress_bar("hints", unit="puzzle") as progress:
            for subject, answers in hint_answers_each(found, given.limits, progress):
                tell_clashes(subject.puzzle)
                tell(subject, answers)
