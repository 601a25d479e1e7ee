"""Command ``bddsudoku build``: a BDD by conjunction, with the trace of its steps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from textwrap import indent
from typing import TYPE_CHECKING

import click

from bddsudoku.cli.common import Given, Record, command, exact, fail, head, note
from bddsudoku.cli.entry import EXIT_LIMIT
from bddsudoku.cli.options import backend_option, choice_option, puzzle_argument
from bddsudoku.errors import LimitReached, ScheduleError
from bddsudoku.numbers import format_seconds, format_size, from_decimal, grouped

if TYPE_CHECKING:
    from bddsudoku.engine.conjunction.result import BuildResult, Step

EXIT_USAGE = 2


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
    what="Which variables there are: all of every open cell; those no hint excludes; those that "
    "singles leave open.",
)
@backend_option(what="The BDD package; auto takes the first of these that is installed.")
@click.option("--max-nodes", type=click.IntRange(min=1), help="Stop at so many BDD nodes.")
@click.option("--steps", "every", is_flag=True, help="Print every step, not every run of a family.")
@click.option(
    "--show-constraints",
    is_flag=True,
    help="Print the constraints as the paper writes them: a file for bddsudoku formula FILE build.",
)
@command("4GiB")
def build(
    given: Given,
    procedure: int | None,
    schedule: str | None,
    allocation: str,
    backend: str,
    max_nodes: int | None,
    every: bool,
    show_constraints: bool,
) -> None:
    """Build the BDD of all solutions by conjunction, as in the paper, and trace every step.

    SPEC: parts separated by ';'. A part is an optional 'staged:' (band by band), families (cell,
    row, column, block) separated by '>' (one after another) or '+' (merged), and an optional
    ':bottom-up'. Every family must occur once. Procedure 3 is
    'staged:cell>row>block:bottom-up; column'.

    The memory limit is that of the whole building process. When a limit is reached the trace so
    far is printed all the same, and the exit code is 3. Node counts are without terminals.
    """
    from bddsudoku.engine.conjunction.result import steps_to_json
    from bddsudoku.model.ordering import usual_schedule
    from bddsudoku.puzzle.sudoku.allocation import allocate, constraint_text
    from bddsudoku.solver import build_model

    if procedure is not None and schedule is not None:
        raise click.UsageError("--procedure and --schedule exclude each other")
    number = procedure or 3 if schedule is None else None
    order = number if schedule is None else schedule
    stopped = False
    for subject in given.records():
        model = allocate(subject.puzzle, allocation)
        record = head(subject) | dict.fromkeys(("count", "seconds", "nodes", "peak_nodes"))
        record |= {"exact": False, "engine": "bdd", "variables": len(model.variables)}
        record |= {"allocation": allocation, "procedure": number}
        record["schedule"] = schedule or f"procedure {number}"
        try:
            if show_constraints:
                record["constraints"] = constraint_text(model, usual_schedule(model, order))
                if not given.as_json:
                    click.echo("\n".join(record["constraints"]))
            with given.reporting("conjoining") as context:
                result = build_model(
                    model,
                    order,
                    backend=None if backend == "auto" else backend,
                    context=replace(context, nodes=max_nodes),
                )
            steps: Sequence[Step] = result.steps
            record |= built_record(result, result.count())
            record |= {"cpu_seconds": round(result.cpu_seconds, 6), "memory": result.memory}
        except ScheduleError as error:
            fail(str(error), EXIT_USAGE)
        except LimitReached as stop:
            stopped = True
            note(f"bddsudoku: {stop}")
            steps = stop.trace or ()
            record |= {
                "seconds": round(sum(s.seconds for s in steps), 6),
                "peak_nodes": _peak(steps),
                "backend": stop.details.get("backend"),
                "peak_rss": stop.details.get("peak_rss"),
                "limit": stop.limit,
            }
        text = "\n".join(trace_page(record, steps, every))
        if show_constraints:  # the trace is a comment: the output can be read as a formula
            text = indent(text, "# ", lambda line: True)
        given.tell(record | {"steps": steps_to_json(steps)}, text)
    if stopped:
        raise SystemExit(EXIT_LIMIT)


def built_record(result: BuildResult, count: int) -> Record:
    """Make the members about the count and the cost of a BDD that was built."""
    return exact(
        count,
        "bdd",
        result.seconds,
        nodes=result.nodes,
        peak_nodes=_peak(result.steps),
        backend=result.backend,
        backend_version=result.backend_version,
        peak_rss=result.peak_rss,
    )


def _peak(steps: Sequence[Step]) -> int:
    return max((s.nodes for s in steps), default=0)


def trace_page(record: Record, steps: Sequence[Step], every: bool) -> Iterator[str]:
    """Write the result and the trace of a build as lines of text."""
    from bddsudoku.report.tables import table, thousands

    yield f"puzzle      {record['puzzle']}"
    if "hints" in record:
        yield f"hints       {record['hints']}"
    allocated = f" ({record['allocation']})" if "allocation" in record else ""
    yield f"variables   {record['variables']}{allocated}"
    yield f"schedule    {record['schedule']}"
    yield f"backend     {record.get('backend_version') or record['backend']}"
    if steps:
        names = ["steps", "constraints", "nodes", "peak nodes", "time"]
        yield "\n" + table(_rows(steps, every), names, align="rlrrr") + "\n"
    yield f"nodes       {thousands(record['nodes']) if record['exact'] else '×'}"
    yield f"peak nodes  {thousands(record['peak_nodes'])}"
    yield f"time        {format_seconds(record['seconds'])}"
    if record["peak_rss"]:
        yield f"memory      {format_size(record['peak_rss'])} (the whole process)"
    if record["exact"]:
        yield f"solutions   {grouped(from_decimal(record['count']))}"
    else:
        yield f"stopped by  the {record['limit']} limit after {len(steps)} steps"


def _rows(steps: Sequence[Step], every: bool) -> Iterator[list[str]]:
    """Make a table's row for every step, or for every run of steps of a family."""
    number = 0
    for family, run in groupby(steps, key=lambda s: s.family):
        for part in [[s] for s in run] if every else [list(run)]:
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
