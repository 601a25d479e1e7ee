"""``bddsudoku rules``: what rules and hints are worth."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from bddsudoku.cli.answers import open_counts
from bddsudoku.cli.common import fail, progress_bar, seconds_type
from bddsudoku.cli.entry import EXIT_LIMIT
from bddsudoku.cli.puzzles import Given, about_puzzles, head, puzzle_argument, said
from bddsudoku.cli.spread import (
    Answer,
    Question,
    Workers,
    answer_line,
    each_subject,
    print_answers,
    work_options,
)

if TYPE_CHECKING:
    from bddsudoku.solver import Subject
    from bddsudoku.work import Home


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
    from bddsudoku.solver import rule_answers

    if workers.asked:
        print_answers(given, workers, f"{__name__}:rules_of", {"each": each}, 1)
        return
    stopped = None
    for subject in given.subjects():
        with progress_bar("rules", unit="count") as progress:
            answers = rule_answers(subject, given.context.reporting(progress), each=each)
        stopped = stopped or open_counts(answers)
        given.tell(head(subject) | answers, _text(subject, answers))
    if stopped is not None:
        fail(stopped, EXIT_LIMIT)


def rules_of(question: Question, home: Home) -> Answer:
    """What the command says of a chunk."""
    from bddsudoku.solver import rule_answers

    options, chunk = question
    notes: list[str] = []
    out = []
    stopped = None
    for subject in each_subject(chunk, notes):
        answers = rule_answers(subject, home.context.silent, each=options["each"])
        stopped = stopped or open_counts(answers)
        out.append(answer_line(options, head(subject) | answers, _text(subject, answers)))
    return {"out": "".join(out), "notes": notes, "stopped": stopped}


def _text(subject: Subject, answers: dict[str, Any]) -> str:
    from bddsudoku.report.hint_tables import rules_text
    from bddsudoku.report.tables import counted_words

    count = answers["count"]
    number = "× solutions" if count is None else counted_words(int(count))
    # What makes the puzzle a variant stands there already, each rule with its count.
    return f"{said(subject.puzzle)}\n{number}\n\n{rules_text(answers, subject.puzzle)}\n"
