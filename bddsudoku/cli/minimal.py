"""``bddsudoku minimal``: which hints are enough."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from bddsudoku.cli.common import AT_MOST, EXIT_LIMIT, fail, note, progress_bar, seed_option
from bddsudoku.cli.outputs import set_option
from bddsudoku.cli.puzzles import Given, about_puzzles, head, puzzle_argument, said

if TYPE_CHECKING:
    from bddsudoku.authoring import Subsets

__all__ = ["minimal"]


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
@about_puzzles()
def minimal(
    given: Given,
    only_count: bool,
    number: int,
    limit: int,
    which: str,
    seed: int | None,
    output: str | None,
) -> None:
    """All subsets of a puzzle's hints that have the same solutions.

    How many there are, how many of them are minimal (no hint can go), the smallest and the largest
    of these, in how many each hint stands. Where a limit is reached: ×, with bounds, and exit code
    3.
    """
    from bddsudoku.authoring import minimal_subsets, subset_answers
    from bddsudoku.report.subset_tables import minimal_words, subsets_text
    from bddsudoku.report.tables import counted_words
    from bddsudoku.solver.output import draws

    stopped = None
    for subject in given.subjects(output):
        with progress_bar("minimal subsets", unit="subset") as progress:
            found = minimal_subsets(subject.puzzle, given.limits, progress)
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
        if only_count:
            text = minimal_words(answers)
            answers = {key: answers[key] for key in ("count", "exact", "minimal")}
        else:
            counted = counted_words(int(answers["count"]))
            parts = [said(subject.puzzle), counted, "", subsets_text(answers, subject.puzzle), ""]
            text = "\n".join(parts)
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
