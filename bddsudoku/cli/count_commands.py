"""Command ``bddsudoku count``: the number of solutions of a puzzle, or of each one of a list."""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

import click

from bddsudoku.cli.batch_driver import (
    AnsweredPuzzles,
    BatchJob,
    answer_one_of_each_class,
    answer_puzzles,
    print_and_yield_answers,
)
from bddsudoku.cli.command_base import (
    CommandRequest,
    Record,
    command,
    count_text,
    print_note,
    puzzle_text,
    read_lines,
)
from bddsudoku.cli.lifecycle import EXIT_LIMIT
from bddsudoku.cli.options import (
    CAPPED_COUNT,
    combine_options,
    distinct_option,
    engine_option,
    estimate_options,
    file_option,
    journal_option,
    keep_going_option,
    project_option,
    puzzle_argument,
    scheduler_options,
    threads_option,
)
from bddsudoku.engine.protocol import BUILT_IN_ENGINES
from bddsudoku.errors import LimitReached, PuzzleFormatError

if TYPE_CHECKING:
    from bddsudoku.puzzle.sudoku.grid import PuzzleRecord
    from bddsudoku.solver.puzzle_lists import ChunkFunction, RuleLines


@click.command()
@puzzle_argument
@engine_option(BUILT_IN_ENGINES)
@click.option(
    "--limit",
    type=CAPPED_COUNT,
    help="Count no further than this; shown as “2 or more” where that many were found.",
)
@file_option(
    "--rules",
    metavar="FILE",
    help="File with a rule a line (antiknight; regions, houses), which all puzzles of PUZZLE have.",
)
@click.option(
    "--up-to-symmetry",
    is_flag=True,
    help="Solutions that a symmetry of the puzzle turns into each other count once; --json adds "
    "the classes of symmetries.",
)
@distinct_option
@combine_options(*estimate_options)
@project_option
@threads_option
@scheduler_options
@journal_option
@keep_going_option
@command(explain=True)
def count(
    request: CommandRequest,
    engine: str,
    limit: int | None,
    rules: str | None,
    jobs: int | None,
    up_to_symmetry: bool,
    estimated: bool,
    distinct: bool,
    **of_estimate: Any,
) -> None:
    """Print the exact number of solutions; one line for every puzzle of a file.

    A count stopped by a limit of time or memory is shown as ×, and the exit code is 3; the other
    puzzles are counted all the same, unless the time for all of them is used up. Files of many
    classic 9x9 puzzles, one a line, are counted by the thousand. On a cluster long lists are
    shared out, and so is the work of one hard puzzle.
    """
    from bddsudoku.puzzle.sudoku.grid import PuzzleRecord
    from bddsudoku.solver.question import log_answer
    from bddsudoku.solver.sources import LIST_CHUNK

    if estimated and (engine != "auto" or limit is not None):
        raise click.UsageError("--estimate excludes --engine and --limit")
    if up_to_symmetry and (engine != "auto" or limit is not None or estimated):
        raise click.UsageError("--up-to-symmetry excludes --engine, --limit and --estimate")
    if distinct and rules is not None:
        raise click.UsageError("--distinct excludes --rules: classes are those of the boards alone")
    groups = iter(()) if distinct else request.read_list()
    asks_all = engine == "auto" and limit is None and rules is None
    asks_all = asks_all and not (estimated or up_to_symmetry)
    first = list(islice(groups, 2 * (request.is_distributed and asks_all)))
    if len(first) == 1 and isinstance(first[0], PuzzleRecord) and first[0].saved is None:
        found = _count_by_workers(request, first[0])
    else:
        options: Record = {"rules": None if rules is None else _read_rules(rules, request)}
        function: ChunkFunction
        local_options: Record = {"jobs": jobs}
        if up_to_symmetry:
            from bddsudoku.symmetry.fixed_solutions import count_classes_of_solutions

            function, local_options = count_classes_of_solutions, {}
        elif estimated:
            from bddsudoku.solver.estimates import estimate_puzzles

            function = estimate_puzzles
            options |= of_estimate
        else:
            from bddsudoku.solver.puzzle_lists import count_puzzles

            function = count_puzzles
            options |= {"engine": engine, "limit": limit, "one_by_one": request.verbose}
        job = BatchJob(
            function,
            "estimating" if estimated else "counting",
            chunk_size=1 if estimated or up_to_symmetry else LIST_CHUNK,
            options=options,
            local_options=local_options,
            limit_as_record=True,
        )
        found = (
            answer_one_of_each_class(request, job)
            if distinct
            else answer_puzzles(request, job, chain(first, groups))
        )
    all_counted = True
    for answer in print_and_yield_answers(request, found, _text):
        if "limit" in answer:
            print_note(f"bddsudoku: {answer['limit']}")
            all_counted = False
        elif request.uses_processes and "engine" in answer:  # which cannot log here
            log_answer(answer["engine"], answer.get("why", ""), answer["seconds"])
    if not all_counted:
        raise SystemExit(EXIT_LIMIT)


def _text(_: Callable[[], PuzzleRecord], answer: Record) -> str:
    """Return a count as text, and the number of puzzles for which it stands if that is known."""
    number = f" for {answer['number']}" if "number" in answer else ""
    return count_text(answer) + number


def _read_rules(name: str, request: CommandRequest) -> RuleLines:
    """Read a file of rules, or standard input unless the puzzles are read from it."""
    from bddsudoku.puzzle.sudoku.text.rule_lines import split_rule_file

    if name == request.puzzle == "-":
        raise click.UsageError("standard input is the puzzles or their rules, not both")
    lines, source = read_lines(name, request.context)
    found = tuple(split_rule_file(lines, source))
    if not found:
        raise PuzzleFormatError("expected a rule a line, found none", source=source)
    return source, found


def _count_by_workers(request: CommandRequest, record: PuzzleRecord) -> AnsweredPuzzles:
    """Count the solutions of one hard puzzle by splitting it into disjoint parts for workers."""
    from bddsudoku.solver.cube_and_conquer import count_in_parts
    from bddsudoku.solver.question import count_record, limit_record

    with request.open_runner({"count": puzzle_text(record.puzzle)}) as runner:
        try:
            with request.with_progress_bar("counting", "part") as context:
                found = count_record(count_in_parts(record.puzzle, runner, context))
        except LimitReached as stop:
            found = limit_record(stop)
        yield [record], 0, found
