"""Commands ``bddsudoku hints | rules | minimal``: which hints and rules the solutions need."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from bddsudoku.cli.batch_driver import (
    AnsweredPuzzles,
    BatchJob,
    answer_puzzles,
    print_and_yield_answers,
)
from bddsudoku.cli.command_base import (
    CommandRequest,
    Record,
    command,
    fail_if_limit_reached,
    print_note,
    puzzle_text,
)
from bddsudoku.cli.options import (
    DRAW_COUNT,
    DURATION,
    choice_option,
    first_option,
    option_showing_default,
    puzzle_argument,
    save_set_option,
    seed_option,
    work_options,
)

if TYPE_CHECKING:
    from bddsudoku.authoring import Subsets
    from bddsudoku.puzzle.sudoku.grid import PuzzleRecord


@click.command()
@puzzle_argument
@work_options
@command()
def hints(request: CommandRequest) -> None:
    """The number of solutions without each hint, and with each possible further hint.

    For every hint the number of solutions without it (is the puzzle minimal?); for every open
    cell and digit the number of solutions left if it were added; the single additions that make
    the puzzle unique; candidates in no solution; cells always equal or always different. A count
    that a limit ends shows ×, and the exit code is 3.
    """
    from bddsudoku.solver.hint_analysis import hint_impact_records
    from bddsudoku.solver.sources import HARD_CHUNK

    job = BatchJob(hint_impact_records, "hints", "hint", chunk_size=HARD_CHUNK)
    _print_impact(request, job, "hints_text")


def _print_catalogue(context: click.Context, _: click.Parameter, is_asked: bool) -> None:
    """Print what is known about every kind of rule, and end the command."""
    if is_asked:
        from bddsudoku.puzzle.sudoku.layout import Layout
        from bddsudoku.puzzle.sudoku.rule_catalogue import rule_catalogue

        for record in rule_catalogue(Layout()):
            click.echo(json.dumps(record))
        context.exit()


@click.command()
@puzzle_argument
@click.option(
    "--catalogue",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_catalogue,
    help="Print every kind of rule as a JSON object a line: its fields, numbers, words, and its "
    "names in other programs.",
)
@option_showing_default(
    "--each",
    type=DURATION,
    default="20",
    help="Seconds for any one count; one that needs more shows × and stays open.",
)
@work_options
@command(of_puzzle=True)
def rules(request: CommandRequest, each: float) -> None:
    """Print the number of solutions without each rule and, separately, without each hint.

    For every rule, each cage and each arrow by itself, the number of solutions without it, and
    whether it is redundant; the same for every hint; candidates in no solution; cells always equal
    or always different. A count that a limit ends shows ×, and the exit code is 3.
    """
    from bddsudoku.solver.hint_analysis import rule_impact_records

    job = BatchJob(rule_impact_records, "rules", "count", "count", options={"each": each})
    _print_impact(request, job, "rules_text")


def _print_impact(request: CommandRequest, job: BatchJob, section_writer: str) -> None:
    """Print the answers about hints or rules; exit with code 3 if a limit left a count unknown."""
    to_text = partial(_impact_text, section_writer)
    answers = print_and_yield_answers(request, answer_puzzles(request, job), to_text)
    fail_if_limit_reached(map(_limit_message, answers))


def _impact_text(
    section_writer: str, puzzle_record: Callable[[], PuzzleRecord], answers: Record
) -> str:
    """Return a puzzle, its count, and its answers about hints or rules as text.

    ``section_writer`` is the function of :mod:`bddsudoku.report.sections` that writes the answers.
    """
    from bddsudoku.report import sections
    from bddsudoku.report.formatting import solution_count_text

    count = answers["count"]
    counted = "× solutions" if count is None else solution_count_text(int(count))
    puzzle = puzzle_record().puzzle
    rest = getattr(sections, section_writer)(answers, puzzle)
    return f"{puzzle_text(puzzle)}\n{counted}\n\n{rest}\n"


def _limit_message(answers: Record) -> str | None:
    """Return a message if a limit left any count of the answers unknown; otherwise None."""
    rows = (row for key in ("rules", "without") for row in answers.get(key, ()))
    if answers["count"] is None or any(row["count"] is None for row in rows):
        return "a limit was reached: what it left open shows ×"
    return None


_COUNT_KEYS = "count", "exact", "minimal"
_LIST_KEYS = "samples", "listed"


@click.command()
@puzzle_argument
@click.option(
    "--for",
    "claim",
    metavar="CLAIM",
    help="Hints and rules that are enough for r5c7=3 or r5c7!=3, or, as contradiction, those that "
    "clash.",
)
@click.option("--count", "only_count", is_flag=True, help="Nothing but how many are minimal.")
@click.option(
    "-n",
    "--number",
    type=DRAW_COUNT,
    default=0,
    help="So many of them, each as likely as any other.",
)
@first_option
@choice_option(
    "--of",
    "which",
    choices=("minimal", "all"),
    help="What -n, --first and --output are about: minimal subsets, or all that are enough.",
)
@seed_option("The same samples again.")
@save_set_option
@work_options
@command(of_puzzle=True)
def minimal(request: CommandRequest, claim: str | None, only_count: bool, **wanted: Any) -> None:
    """The minimal subsets of a puzzle's hints that have the same solutions as the puzzle.

    How many subsets have them, how many of these are minimal (no hint can go), the smallest and the
    largest minimal ones, in how many each hint stands. With --for all minimal sets of hints and
    rules from which a digit of a cell follows, or that there is no solution. Where a limit is
    reached: ×, with bounds, and exit code 3.
    """
    is_listed = any(wanted[name] for name in ("number", "first", "output"))
    if claim is not None:
        if only_count or is_listed:
            raise click.UsageError("--for goes with --json, --jobs and --journal only")
        _print_reasons(request, claim)
        return
    from bddsudoku.authoring.sufficient_subsets import subset_answers_task

    def text(puzzle_record: Callable[[], PuzzleRecord], answers: Record) -> str:
        from bddsudoku.report.sections import minimal_subset_count_text

        return (
            minimal_subset_count_text(answers)
            if only_count
            else _impact_text("subsets_text", puzzle_record, answers)
        )

    def shown(answers: Record) -> Record:
        return {key: answers[key] for key in (*_COUNT_KEYS, *_LIST_KEYS) if key in answers}

    job = BatchJob(subset_answers_task, "minimal subsets", "subset", "subset")
    if not is_listed:
        found = answer_puzzles(request, job)
    elif request.is_distributed:
        raise click.UsageError("-n, --first and --output are not shared out among workers")
    else:
        found = _answers_with_subsets(request, **wanted)
    stopped = []
    for answer in print_and_yield_answers(request, found, text, shown if only_count else dict):
        stopped.append(answer.get("stopped"))
        if not (only_count or request.as_json) and any(name in answer for name in _LIST_KEYS):
            click.echo()
    fail_if_limit_reached(stopped)


def _print_reasons(request: CommandRequest, claim: str) -> None:
    """Print the smallest reason of a claim, and the number of its reasons by size."""

    def text(puzzle_record: Callable[[], PuzzleRecord], answers: Record) -> str:
        from bddsudoku.report.sections import reasons_text

        return f"{puzzle_text(puzzle_record().puzzle)}\n{reasons_text(answers)}\n"

    from bddsudoku.authoring.sufficient_subsets import reason_answers_task

    job = BatchJob(reason_answers_task, "reasons", "reason", "reason", options={"claim": claim})
    answers = print_and_yield_answers(request, answer_puzzles(request, job), text)
    fail_if_limit_reached([answer.get("stopped") for answer in answers])


def _answers_with_subsets(
    request: CommandRequest,
    number: int,
    first: int,
    which: str,
    seed: int | None,
    output: str | None,
) -> AnsweredPuzzles:
    """Save each puzzle's hint subsets if asked; yield answers about them, samples and lists."""
    from bddsudoku.authoring import minimal_subsets, subset_answers
    from bddsudoku.solver.solution_output import sample_solutions

    for record in request.read_records(output):
        with request.with_progress_bar("minimal subsets", "subset") as context:
            subsets = minimal_subsets(record.puzzle, context)
        family = _minimal_or_all_subsets(subsets, which)
        if output:  # kept if the command ends with 0, that is, if they are exact
            family.save(output)
        lists: dict[str, Iterator[str]] = {}
        if family and number:  # after an early limit the family is empty
            lists["samples"] = map(puzzle_text, sample_solutions(family, number, seed))
        if family and first:
            lists["listed"] = map(puzzle_text, family[:first])
        yield [record], 0, subset_answers(subsets).to_dict() | lists


def _minimal_or_all_subsets(subsets: Subsets, which: str) -> Any:
    """Return the minimal or all sufficient subsets; print a note if not all are known."""
    if subsets.exact:
        return subsets.minimal if which == "minimal" else subsets.all
    if which == "all":
        print_note("all subsets that are enough are not known: these are minimal ones")
    else:
        print_note("not all minimal subsets are known: these are some of them")
    return subsets.minimal
