"""Command ``bddsudoku build``: a BDD by conjunction, with the trace of its steps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from textwrap import indent
from typing import TYPE_CHECKING, Any

import click

from bddsudoku.cli.command_base import (
    CommandRequest,
    Record,
    command,
    exact_count_record,
    fail,
    print_note,
    puzzle_json_members,
)
from bddsudoku.cli.lifecycle import EXIT_LIMIT
from bddsudoku.cli.options import (
    backend_option,
    choice_option,
    combine_options,
    keep_going_option,
    puzzle_argument,
)
from bddsudoku.errors import LimitReached, ScheduleError
from bddsudoku.number_text import format_seconds, format_size, from_decimal, group_digits

if TYPE_CHECKING:
    from bddsudoku.engine.conjunction.engine import ConjunctionStep
    from bddsudoku.solver import Question

EXIT_USAGE = 2


BUILD_OPTIONS = (
    backend_option(help="The BDD package; auto takes the first of these that is installed."),
    click.option("--max-nodes", type=click.IntRange(min=1), help="Stop at so many BDD nodes."),
)


@click.command()
@puzzle_argument
@click.option(
    "--procedure",
    type=click.IntRange(1, 3),
    help="The paper's: 1 cells, rows, columns, blocks; 2 columns last; 3 band by band from the "
    "bottom, columns last (the default).",
)
@click.option(
    "--schedule",
    metavar="SPEC",
    help="An order of your own, e.g. 'block>cell>row>column' or "
    "'staged:cell+row>block:bottom-up; column'.",
)
@choice_option(
    "--allocation",
    choices=("paper", "candidates", "singles"),
    help="Which variables there are: all of every open cell; those no hint excludes; those that "
    "singles leave open.",
)
@combine_options(*BUILD_OPTIONS)
@click.option("--steps", "every", is_flag=True, help="Print every step, not every run of a family.")
@click.option(
    "--show-constraints",
    is_flag=True,
    help="Print the constraints as the paper writes them: a file for bddsudoku formula FILE build.",
)
@keep_going_option
@command("4GiB", of_puzzle=True)
def build(
    request: CommandRequest,
    procedure: int | None,
    schedule: str | None,
    allocation: str,
    show_constraints: bool,
    **options: Any,
) -> None:
    """Build the BDD of all solutions by conjunction (Tateishi & Minato), and trace every step.

    SPEC: parts separated by ';'. A part is an optional 'staged:' (band by band), families (cell,
    row, column, block) separated by '>' (one after another) or '+' (merged), and an optional
    ':bottom-up'. Every family must occur once. Procedure 3 is
    'staged:cell>row>block:bottom-up; column'.

    The memory limit is that of the whole building process. When a limit is reached the trace so
    far is printed all the same, and the exit code is 3. Node counts are without terminals.
    """
    from bddsudoku.model.schedules import make_puzzle_schedule
    from bddsudoku.puzzle.sudoku.sudoku_model import allocate, constraint_lines
    from bddsudoku.solver import make_question

    if procedure is not None and schedule is not None:
        raise click.UsageError("--procedure and --schedule exclude each other")
    number = procedure or 3 if schedule is None else None
    order = number if schedule is None else schedule
    limits = []
    for subject in request.read_records():
        model = allocate(subject.puzzle, allocation)
        record = puzzle_json_members(subject)
        record |= {"allocation": allocation, "procedure": number}
        record["schedule"] = schedule or f"procedure {number}"
        if show_constraints:
            try:
                lines = constraint_lines(model, make_puzzle_schedule(model, order))
            except ScheduleError as error:
                fail(str(error), EXIT_USAGE)
            record["constraints"] = lines
            if not request.as_json:
                click.echo("\n".join(lines))
        # The trace is a comment below constraints: the output can be read as a formula.
        prefix = "# " if show_constraints else ""
        question = make_question(model)
        limits.append(build_and_print(request, record, question, order, prefix=prefix, **options))
    if any(limits):
        raise SystemExit(EXIT_LIMIT)


def build_and_print(
    request: CommandRequest,
    head: Record,
    question: Question,
    order: int | str | None,
    *,
    backend: str,
    max_nodes: int | None,
    every: bool = True,
    prefix: str = "",
) -> bool:
    """Build the BDD of a problem and print its trace; return whether a limit ended it.

    Args:
        request: the common options.
        head: members of the JSON object about the problem.
        question: the problem.
        order: number of the paper's procedure, a schedule, or None for the order as written.
        backend: the BDD package, or ``auto``.
        max_nodes: limit of nodes.
        every: whether every step is printed, not every run of a family.
        prefix: stands before each line of text.
    """
    from bddsudoku.engine.conjunction.engine import steps_to_json
    from bddsudoku.engine.protocol import Compiled
    from bddsudoku.solver import build_model

    record = head | dict.fromkeys(("count", "seconds", "nodes", "peak_nodes"))
    record |= {"exact": False, "engine": "bdd", "variables": len(question.model.variables)}
    stopped = False
    try:
        with request.with_progress_bar("conjoining") as context:
            result = build_model(
                question.model,
                order,
                backend=None if backend == "auto" else backend,
                context=replace(context, nodes=max_nodes),
            )
        steps: Sequence[ConjunctionStep] = result.steps
        number = result.count()
        if question.projection is not None:
            number = question.make_set(Compiled(result.diagram())).count()
        record |= exact_count_record(number, "bdd", result.seconds)
        record |= {"nodes": result.nodes, "peak_nodes": _peak_nodes(steps)}
        record |= {"backend": result.backend, "backend_version": result.backend_version}
        record |= {"peak_rss": result.peak_rss, "memory": result.memory}
        record["cpu_seconds"] = round(result.cpu_seconds, 6)
    except ScheduleError as error:
        fail(str(error), EXIT_USAGE)
    except LimitReached as stop:
        stopped = True
        print_note(f"bddsudoku: {stop}")
        steps = stop.trace or ()
        record |= {
            "seconds": round(sum(s.seconds for s in steps), 6),
            "peak_nodes": _peak_nodes(steps),
            "backend": stop.details.get("backend"),
            "peak_rss": stop.details.get("peak_rss"),
            "limit": stop.limit,
        }
    text = "\n".join(result_and_trace_lines(record, steps, every))
    request.print_answer(
        record | {"steps": steps_to_json(steps)}, indent(text, prefix, lambda line: True)
    )
    return stopped


def _peak_nodes(steps: Sequence[ConjunctionStep]) -> int:
    return max((s.nodes for s in steps), default=0)


def result_and_trace_lines(
    record: Record, steps: Sequence[ConjunctionStep], every_step: bool
) -> Iterator[str]:
    """Write the result and the trace of a build as lines of text."""
    from bddsudoku.report.formatting import format_table, number_or_dash

    yield f"puzzle      {record['puzzle']}"
    if "hints" in record:
        yield f"hints       {record['hints']}"
    allocated = f" ({record['allocation']})" if "allocation" in record else ""
    yield f"variables   {record['variables']}{allocated}"
    yield f"schedule    {record['schedule']}"
    yield f"backend     {record.get('backend_version') or record['backend']}"
    if steps:
        names = ["steps", "constraints", "nodes", "peak nodes", "time"]
        yield "\n" + format_table(_step_rows(steps, every_step), names) + "\n"
    yield f"nodes       {number_or_dash(record['nodes']) if record['exact'] else '×'}"
    yield f"peak nodes  {number_or_dash(record['peak_nodes'])}"
    yield f"time        {format_seconds(record['seconds'])}"
    if record["peak_rss"]:
        yield f"memory      {format_size(record['peak_rss'])} (the whole process)"
    if record["exact"]:
        yield f"solutions   {group_digits(from_decimal(record['count']))}"
    else:
        yield f"stopped by  the {record['limit']} limit after {len(steps)} steps"


def _step_rows(steps: Sequence[ConjunctionStep], every_step: bool) -> Iterator[list[str]]:
    """Make a table row for each step, or for each run of steps with one family of constraints."""
    number = 0
    for family, run in groupby(steps, key=lambda s: s.family):
        for part in [[s] for s in run] if every_step else [list(run)]:
            first = number + 1
            number += len(part)
            labels = part[0].label if len(part) == 1 else f"{part[0].label} … {part[-1].label}"
            yield [
                str(number) if len(part) == 1 else f"{first}-{number}",
                f"{family} {labels}",
                f"{part[-1].nodes:,}",
                f"{max(s.nodes for s in part):,}",
                format_seconds(sum(s.seconds for s in part)),
            ]
