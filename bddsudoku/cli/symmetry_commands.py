"""Commands ``bddsudoku canonical | neighbours``: what looks the same, what is around."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from bddsudoku.cli.batch_driver import (
    BatchJob,
    answer_one_of_each_class,
    answer_puzzles,
    print_and_yield_answers,
)
from bddsudoku.cli.command_base import (
    CommandRequest,
    Record,
    command,
    print_note,
    puzzle_text,
)
from bddsudoku.cli.options import (
    combine_options,
    distinct_option,
    is_set_by_user,
    jobs_option,
    journal_option,
    option_showing_default,
    puzzle_argument,
    scheduler_options,
    work_options,
)

if TYPE_CHECKING:
    from bddsudoku.puzzle.sudoku.grid import PuzzleRecord


@click.command()
@puzzle_argument
@click.option("--pattern", is_flag=True, help="Only the places of hints count; the form has 1s.")
@click.option(
    "--map",
    "with_map",
    is_flag=True,
    help="Behind the form the number of automorphisms, and how the form was reached.",
)
@distinct_option
@work_options
@command(of_puzzle=True)
def canonical(request: CommandRequest, pattern: bool, with_map: bool, distinct: bool) -> None:
    """The canonical form: the same line for all puzzles that differ by a symmetry only.

    It is the least of the lines that a puzzle or a grid becomes by the symmetries of its empty
    board with its rules: digits, rows of a band, columns of a stack, bands and stacks are
    exchanged, and boards of square blocks are transposed. An open cell is less than any digit.
    """
    from bddsudoku.solver.sources import LIST_CHUNK
    from bddsudoku.symmetry.canonical_lists import canonical_records

    options = {"pattern": pattern, "with_map": with_map, "keep_going": request.keep_going}
    job = BatchJob(canonical_records, "canonical forms", chunk_size=LIST_CHUNK, options=options)
    found = (
        answer_one_of_each_class(request, job, pattern=pattern)
        if distinct
        else answer_puzzles(request, job)
    )
    for _ in print_and_yield_answers(request, found, _form_text):
        pass


def _form_text(puzzle: Callable[[], PuzzleRecord], answer: Record) -> str:
    """Return a form as text, the number of its puzzles and the way to it if they are known."""
    from bddsudoku.puzzle.sudoku.text.rule_lines import rule_lines

    found = str(answer["canonical"])
    if "number" in answer:
        found += f" {answer['number']}"
    if "map" in answer:
        way = answer["map"]
        parts = ["transposed"] * way.pop("transposed", 0)
        parts += [f"{name} {' '.join(map(str, moves))}" for name, moves in way.items()]
        found += f" automorphisms {answer['automorphisms']}, {', '.join(parts)}"
    return "\n".join([found, *rule_lines(puzzle().puzzle)])


@click.command()
@puzzle_argument
@option_showing_default(
    "--minus", type=click.IntRange(0, 3), default=1, help="So many hints are taken away."
)
@option_showing_default("--plus", type=click.IntRange(0, 3), default=1, help="So many are added.")
@click.option(
    "--relabel",
    type=click.IntRange(0, 3),
    help="Instead: so many hints have other digits, and none goes.",
)
@click.option("--minimal", is_flag=True, help="Only puzzles none of whose hints can go.")
@combine_options(jobs_option, scheduler_options, journal_option)
@command(layout=False)
def neighbours(request: CommandRequest, **options: Any) -> None:
    """The puzzles with one solution that have all but some hints of PUZZLE, and some others.

    Each is printed when it is found. Of those that differ by a symmetry only, one is.
    """
    from bddsudoku.authoring import neighbours as find_neighbours

    if options["relabel"] is not None and (is_set_by_user("minus") or is_set_by_user("plus")):
        raise click.UsageError("--relabel goes without --minus and --plus")
    puzzle = request.read_one_record().puzzle
    is_alone = True
    with (
        request.open_runner({"neighbours": puzzle_text(puzzle)} | options) as runner,
        request.with_progress_bar("looking", "part") as context,
    ):
        for found in find_neighbours(puzzle, **options, client=runner, context=context):
            request.print_answer({"puzzle": found.line, "hints": found.hint_count}, found.line)
            is_alone = False
    if is_alone:
        print_note("bddsudoku: no puzzle so near has one solution")
