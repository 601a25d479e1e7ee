"""``bddsudoku hints``: what an author asks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from bddsudoku.cli.answers import open_counts
from bddsudoku.cli.common import fail, progress_bar
from bddsudoku.cli.entry import EXIT_LIMIT
from bddsudoku.cli.puzzles import (
    Given,
    about_puzzles,
    clash_lines,
    head,
    puzzle_argument,
    said,
    tell_clashes,
)
from bddsudoku.cli.spread import (
    Answer,
    Question,
    Workers,
    answer_line,
    print_answers,
    work_options,
)

if TYPE_CHECKING:
    from bddsudoku.solver import Subject
    from bddsudoku.work import Home

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
    from bddsudoku.solver import Subject, hint_answers
    from bddsudoku.solver.hints import hint_answers_each

    if workers.asked:
        print_answers(given, workers, f"{__name__}:hints_of", {}, CHUNK)
        return
    stopped = None
    for found in given.groups():
        if isinstance(found, Subject):
            with progress_bar("hints", unit="hint") as progress:
                answers = hint_answers(found, given.context.reporting(progress))
            stopped = stopped or open_counts(answers)
            given.tell(_record(found, answers), _text(found, answers))
            continue
        with progress_bar("hints", unit="puzzle") as progress:
            for subject, answers in hint_answers_each(found, given.context.reporting(progress)):
                tell_clashes(subject.puzzle)
                stopped = stopped or open_counts(answers)
                given.tell(_record(subject, answers), _text(subject, answers))
    if stopped is not None:
        fail(stopped, EXIT_LIMIT)


def hints_of(question: Question, home: Home) -> Answer:
    """What the command says of a chunk."""
    from bddsudoku.solver import hint_answers
    from bddsudoku.solver.hints import hint_answers_each
    from bddsudoku.solver.lists import Boards

    options, chunk = question
    notes: list[str] = []
    out = []
    stopped = None
    if isinstance(chunk, Boards):
        found = hint_answers_each(chunk, home.context.silent)
    else:
        found = ((subject, hint_answers(subject, home.context.silent)) for subject in chunk)
    for subject, answers in found:
        if isinstance(chunk, Boards):
            notes += clash_lines(subject.puzzle)
        stopped = stopped or open_counts(answers)
        text = "" if options["json"] else _text(subject, answers)
        out.append(answer_line(options, _record(subject, answers), text))
    return {"out": "".join(out), "notes": notes, "stopped": stopped}


def _record(subject: Subject, answers: dict[str, Any]) -> dict[str, Any]:
    return head(subject) | answers


def _text(subject: Subject, answers: dict[str, Any]) -> str:
    from bddsudoku.report.hint_tables import hints_text
    from bddsudoku.report.tables import counted_words

    counted = f"{said(subject.puzzle)}\n{counted_words(int(answers['count']))}\n\n"
    return counted + hints_text(answers, subject.puzzle) + "\n"
