"""Commands ``bddsudoku canonical | neighbours``: what looks the same, what is around."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

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
    puzzle_json_members,
    puzzle_text,
)
from bddsudoku.cli.options import (
    combine_options,
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
@click.option(
    "--distinct",
    is_flag=True,
    help="Each form once, in the order in which they come, and behind it for how many it stands.",
)
@work_options
@command(of_puzzle=True)
def canonical(request: CommandRequest, pattern: bool, with_map: bool, distinct: bool) -> None:
    """The canonical form: the same line for all puzzles that differ by a symmetry only.

    It is the least of the lines that a puzzle or a grid becomes when digits, rows of a band,
    columns of a stack, bands and stacks are exchanged and, where blocks are square, the board is
    transposed. An open cell is less than any digit.
    """
    from bddsudoku.solver.sources import LIST_CHUNK
    from bddsudoku.symmetry.canonical_lists import canonical_records

    if distinct and with_map:
        raise click.UsageError("--distinct shows no --map: a form stands for many puzzles")
    options = {"pattern": pattern, "with_map": with_map, "keep_going": request.keep_going}
    job = BatchJob(canonical_records, "canonical forms", chunk_size=LIST_CHUNK, options=options)
    found = answer_puzzles(request, job)
    if distinct:
        _print_classes(request, found)
        return
    for _ in print_and_yield_answers(request, found, _form_text):
        pass


def _form_text(_: Callable[[], PuzzleRecord], answer: Record) -> str:
    """Return the line of a form, with the way to it if that is known."""
    if "map" not in answer:
        return str(answer["canonical"])
    way = answer["map"]
    parts = [f"{name} {' '.join(map(str, way[name]))}" for name in ("rows", "columns", "digits")]
    moves = ["transposed"] * way["transposed"] + parts
    return f"{answer['canonical']} automorphisms {answer['automorphisms']}, {', '.join(moves)}"


def _print_classes(request: CommandRequest, answered: AnsweredPuzzles) -> None:
    """Print every form once, when all are known, with the number of puzzles that have it."""
    classes: dict[tuple[str, object], Record] = {}
    for chunk, at, answer in answered:
        if "error" in answer:
            request.print_unread(answer)
            continue
        layout = chunk[at].puzzle.layout if isinstance(chunk, list) else None
        key = answer["canonical"], layout
        if key not in classes:
            classes[key] = puzzle_json_members(chunk[at]) | answer | {"number": 0}
        classes[key]["number"] += 1
    for record in classes.values():
        request.print_answer(record, f"{record['canonical']} {record['number']}")


@click.command()
@puzzle_argument
@option_showing_default(
    "--minus", type=click.IntRange(0, 3), default=1, help="So many hints are taken away."
)
@option_showing_default("--plus", type=click.IntRange(0, 3), default=1, help="So many are added.")
@click.option("--minimal", is_flag=True, help="Only puzzles none of whose hints can go.")
@combine_options(jobs_option, scheduler_options, journal_option)
@command(layout=False)
def neighbours(request: CommandRequest, minus: int, plus: int, minimal: bool) -> None:
    """The puzzles with one solution that have all but some hints of PUZZLE, and some others.

    Each is printed when it is found. Of those that differ by a symmetry only, one is.
    """
    from bddsudoku.authoring import neighbours as find_neighbours

    puzzle = request.read_one_record().puzzle
    options: Record = {"minus": minus, "plus": plus, "minimal": minimal}
    with (
        request.open_runner({"neighbours": puzzle_text(puzzle)} | options) as runner,
        request.with_progress_bar("looking", "part") as context,
    ):
        for found in find_neighbours(puzzle, **options, client=runner, context=context):
            request.print_answer({"puzzle": found.line, "hints": found.hint_count}, found.line)
