"""Commands ``bddsudoku hints | rules | minimal``: what hints and rules contribute."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from bddsudoku.cli.common import Given, Record, command, end, note, said
from bddsudoku.cli.options import (
    AT_MOST,
    HOW_MANY,
    SECONDS,
    choice_option,
    puzzle_argument,
    seed_option,
    set_option,
    usual,
    work_options,
)
from bddsudoku.cli.spread import Answered, Answers, answered, told

if TYPE_CHECKING:
    from bddsudoku.authoring import Subsets
    from bddsudoku.puzzle.sudoku.grid import PuzzleRecord

CHUNK = 64
"""Puzzles in a worker's chunk, at most: with 17 hints each, a second of work or so."""


@click.command()
@puzzle_argument
@work_options
@command()
def hints(given: Given) -> None:
    """What every hint contributes, and what one more would.

    For every hint the number of solutions without it (is the puzzle minimal?); for every open
    cell and digit the number of solutions left if it were added; the single additions that make
    the puzzle unique; candidates in no solution; cells always equal or always different. A count
    that a limit ends shows ×, and the exit code is 3.
    """
    answers = Answers("bddsudoku.solver.hints:hint_records", "hints", "hint", size=CHUNK)
    end(map(_open, told(given, answered(given, answers), partial(_page, "hints_text"))))


@click.command()
@puzzle_argument
@usual(
    "--each",
    type=SECONDS,
    default="20",
    help="Seconds for any one count; one that needs more shows × and stays open.",
)
@work_options
@command()
def rules(given: Given, each: float) -> None:
    """What every rule and every hint contributes, as counts.

    For every rule, each cage and each arrow by itself, the number of solutions without it, and
    whether it is redundant; the same for every hint; candidates in no solution; cells always equal
    or always different. A count that a limit ends shows ×, and the exit code is 3.
    """
    name, options = "bddsudoku.solver.rules:rule_records", {"each": each}
    answers = Answers(name, "rules", "count", "count", options=options)
    end(map(_open, told(given, answered(given, answers), partial(_page, "rules_text"))))


def _page(text: str, record: PuzzleRecord, answers: Record) -> str:
    """Write a puzzle, its count, and the text of a function of :mod:`bddsudoku.report.sections`."""
    from bddsudoku.report import sections
    from bddsudoku.report.tables import counted_words

    count = answers["count"]
    counted = "× solutions" if count is None else counted_words(int(count))
    rest = getattr(sections, text)(answers, record.puzzle)
    return f"{said(record.puzzle)}\n{counted}\n\n{rest}\n"


def _open(answers: Record) -> str | None:
    """Write the limit's message if a count of a hint or rule is unknown; otherwise None."""
    rows = (row for key in ("rules", "without") for row in answers.get(key, ()))
    if answers["count"] is None or any(row["count"] is None for row in rows):
        return "a limit was reached: what it left open shows ×"
    return None


_COUNTS = "count", "exact", "minimal"
_LISTS = "samples", "listed"


@click.command()
@puzzle_argument
@click.option("--count", "only_count", is_flag=True, help="Nothing but how many are minimal.")
@click.option(
    "-n", "number", type=HOW_MANY, default=0, help="So many of them, each as likely as any other."
)
@click.option("--limit", type=AT_MOST, default=0, help="The first N of them.")
@choice_option(
    "--of",
    "which",
    choices=("minimal", "all"),
    what="What -n, --limit and --output are about: minimal subsets, or all that are enough.",
)
@seed_option("The same samples again.")
@set_option
@work_options
@command()
def minimal(given: Given, only_count: bool, **wanted: Any) -> None:
    """All subsets of a puzzle's hints that have the same solutions.

    How many there are, how many of them are minimal (no hint can go), the smallest and the largest
    of these, in how many each hint stands. Where a limit is reached: ×, with bounds, and exit code
    3.
    """

    def text(record: PuzzleRecord, answers: Record) -> str:
        from bddsudoku.report.sections import minimal_words

        return minimal_words(answers) if only_count else _page("subsets_text", record, answers)

    def shown(answers: Record) -> Record:
        return {key: answers[key] for key in (*_COUNTS, *_LISTS) if key in answers}

    answers = Answers(
        "bddsudoku.authoring.minimal:subset_records", "minimal subsets", "subset", "subset"
    )
    if not any(wanted[name] for name in ("number", "limit", "output")):
        found = answered(given, answers)
    elif given.shared_out:
        raise click.UsageError("-n, --limit and --output are not shared out among workers")
    else:
        found = _with_members(given, **wanted)
    stopped = []
    for answer in told(given, found, text, shown if only_count else dict):
        stopped.append(answer.get("stopped"))
        if not (only_count or given.as_json) and any(name in answer for name in _LISTS):
            click.echo()
    end(stopped)


def _with_members(
    given: Given, number: int, limit: int, which: str, seed: int | None, output: str | None
) -> Answered:
    """Compute the subsets of every puzzle in this process; save, draw and list some of them."""
    from bddsudoku.authoring import minimal_subsets, subset_answers
    from bddsudoku.solver.output import draws

    for record in given.records(output):
        with given.reporting("minimal subsets", "subset") as context:
            subsets = minimal_subsets(record.puzzle, context)
        family = _family(subsets, which)
        if output and (subsets.exact or which == "minimal"):
            family.save(output)
        lists: dict[str, Iterator[str]] = {}
        if family and number:  # after an early limit the family is empty
            lists["samples"] = map(said, draws(family, number, seed))
        if family and limit:
            lists["listed"] = map(said, family[:limit])
        yield [record], 0, subset_answers(subsets) | lists


def _family(found: Subsets, which: str) -> Any:
    """Choose the minimal or all subsets; note if they are not complete."""
    if found.exact:
        return found.minimal if which == "minimal" else found.all
    if which == "all":
        note("all subsets that are enough are not known: these are minimal ones")
    else:
        note("not all minimal subsets are known: these are some of them")
    return found.minimal
