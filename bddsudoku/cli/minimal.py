"""``bddsudoku minimal``: which hints are enough."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from bddsudoku.cli.common import AT_MOST, fail, note, progress_bar, seed_option
from bddsudoku.cli.entry import EXIT_LIMIT
from bddsudoku.cli.outputs import set_option
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
    from bddsudoku.authoring import Subsets
    from bddsudoku.solver import Subject
    from bddsudoku.work import Home


@click.command()
@puzzle_argument
@click.option("--count", "only_count", is_flag=True, help="Nothing but how many are minimal.")
@click.option(
    "-n",
    "number",
    type=click.IntRange(min=0, max=10**9),
    default=0,
    help="So many of them, each as likely as any other.",
)
@click.option("--limit", type=AT_MOST, default=0, help="The first N of them.")
@click.option(
    "--of",
    "which",
    type=click.Choice(["minimal", "all"]),
    default="minimal",
    show_default=True,
    help="What -n, --limit and --output are about: minimal subsets, or all that are enough.",
)
@seed_option("The same samples again.")
@set_option
@work_options()
@about_puzzles()
def minimal(
    given: Given,
    only_count: bool,
    number: int,
    limit: int,
    which: str,
    seed: int | None,
    output: str | None,
    workers: Workers,
) -> None:
    """All subsets of a puzzle's hints that have the same solutions.

    How many there are, how many of them are minimal (no hint can go), the smallest and the largest
    of these, in how many each hint stands. Where a limit is reached: ×, with bounds, and exit code
    3.
    """
    from bddsudoku.authoring import minimal_subsets, subset_answers
    from bddsudoku.solver.output import draws

    if workers.asked:
        if number or limit or output:
            raise click.UsageError("-n, --limit and --output are not shared out among workers")
        print_answers(given, workers, f"{__name__}:minimal_of", {"only_count": only_count}, 1)
        return

    stopped = None
    for subject in given.subjects(output):
        with progress_bar("minimal subsets", unit="subset") as progress:
            found = minimal_subsets(subject.puzzle, given.context.reporting(progress))
        answers = subset_answers(found)
        stopped = stopped or found.stopped
        family = _family(found, which) if number or limit or output else None
        if family is not None and output and (found.exact or which == "minimal"):
            family.save(output)
        lists: dict[str, Iterator[str]] = {}
        if family and number:  # none is known yet where a limit came early
            lists["samples"] = map(said, draws(family, number, seed))
        if family and limit:
            lists["listed"] = map(said, family[:limit])
        text = _text(subject, answers, only_count)
        answers = _shorter(answers) if only_count else answers
        given.tell(head(subject) | answers, text, **lists)
        if lists and not (only_count or given.as_json):
            click.echo()
    if stopped is not None:
        fail(stopped, EXIT_LIMIT)


def _family(found: Subsets, which: str) -> Any:
    """The subsets asked for, and a note where they are not all."""
    if found.exact:
        return found.minimal if which == "minimal" else found.all
    if which == "all":
        note("all subsets that are enough are not known: these are minimal ones")
    else:
        note("not all minimal subsets are known: these are some of them")
    return found.minimal


def minimal_of(question: Question, home: Home) -> Answer:
    """What the command says of a chunk."""
    from bddsudoku.authoring import minimal_subsets, subset_answers

    options, chunk = question
    only_count = options["only_count"]
    notes: list[str] = []
    out = []
    stopped = None
    for subject in each_subject(chunk, notes):
        found = minimal_subsets(subject.puzzle, home.context.silent)
        answers = subset_answers(found)
        stopped = stopped or found.stopped
        text = _text(subject, answers, only_count)
        told = _shorter(answers) if only_count else answers
        out.append(answer_line(options, head(subject) | told, text))
    return {"out": "".join(out), "notes": notes, "stopped": stopped}


def _text(subject: Subject, answers: dict[str, Any], only_count: bool) -> str:
    from bddsudoku.report.subset_tables import minimal_words, subsets_text
    from bddsudoku.report.tables import counted_words

    if only_count:
        return minimal_words(answers)
    counted = counted_words(int(answers["count"]))
    parts = [said(subject.puzzle), counted, "", subsets_text(answers, subject.puzzle), ""]
    return "\n".join(parts)


def _shorter(answers: dict[str, Any]) -> dict[str, Any]:
    return {key: answers[key] for key in ("count", "exact", "minimal")}
