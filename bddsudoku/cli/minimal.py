"""``bddsudoku minimal``: which hints are enough."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from bddsudoku.cli.common import AT_MOST, fail, note, progress_bar, seed_option
from bddsudoku.cli.entry import EXIT_LIMIT
from bddsudoku.cli.outputs import set_option
from bddsudoku.cli.puzzles import Given, about_puzzles, head, puzzle_argument, said
from bddsudoku.cli.spread import Workers, answered, tell_each, work_options

if TYPE_CHECKING:
    from bddsudoku.authoring import Subsets
    from bddsudoku.puzzle.sudoku.grid import PuzzleRecord


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
    text = partial(_text, only_count=only_count)
    shown = _shorter if only_count else dict
    if not (number or limit or output):
        answers = "bddsudoku.authoring.minimal:subset_records"
        units = "subset", "subset"
        found = answered(given, workers, answers, {}, title="minimal subsets", units=units)
        tell_each(given, found, text, stopped=_stopped, shown=shown)
        return
    if workers.asked:
        raise click.UsageError("-n, --limit and --output are not shared out among workers")
    from bddsudoku.authoring import minimal_subsets, subset_answers
    from bddsudoku.solver.output import draws

    stopped = None
    for record in given.records(output):
        with progress_bar("minimal subsets", unit="subset") as progress:
            subsets = minimal_subsets(record.puzzle, given.context.reporting(progress))
        stopped = stopped or subsets.stopped
        family = _family(subsets, which)
        if output and (subsets.exact or which == "minimal"):
            family.save(output)
        lists: dict[str, Iterator[str]] = {}
        if family and number:  # none is known yet where a limit came early
            lists["samples"] = map(said, draws(family, number, seed))
        if family and limit:
            lists["listed"] = map(said, family[:limit])
        answer = subset_answers(subsets)
        given.tell(head(record) | shown(answer), text(record, answer), **lists)
        if lists and not (only_count or given.as_json):
            click.echo()
    if stopped is not None:
        fail(stopped, EXIT_LIMIT)


def _stopped(answers: dict[str, Any]) -> str | None:
    return answers.get("stopped")


def _family(found: Subsets, which: str) -> Any:
    """The subsets asked for, and a note where they are not all."""
    if found.exact:
        return found.minimal if which == "minimal" else found.all
    if which == "all":
        note("all subsets that are enough are not known: these are minimal ones")
    else:
        note("not all minimal subsets are known: these are some of them")
    return found.minimal


def _text(record: PuzzleRecord, answers: dict[str, Any], *, only_count: bool) -> str:
    from bddsudoku.report.sections import minimal_words, subsets_text
    from bddsudoku.report.tables import counted_words

    if only_count:
        return minimal_words(answers)
    counted = counted_words(int(answers["count"]))
    parts = [said(record.puzzle), counted, "", subsets_text(answers, record.puzzle), ""]
    return "\n".join(parts)


def _shorter(answers: dict[str, Any]) -> dict[str, Any]:
    return {key: answers[key] for key in ("count", "exact", "minimal")}
