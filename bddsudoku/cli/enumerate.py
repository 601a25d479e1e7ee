"""``bddsudoku enumerate``."""

from __future__ import annotations

import sys

import click

from bddsudoku.cli.common import fail, limit_option, progress_bar
from bddsudoku.cli.outputs import output_option
from bddsudoku.cli.puzzles import (
    Given,
    about_puzzles,
    order_option,
    puzzle_argument,
    tell_clashes,
)


@click.command("enumerate")
@puzzle_argument
@limit_option
@click.option(
    "--format",
    "form",
    type=click.Choice(["line", "grid", "csv", "npy"]),
    default="line",
    show_default=True,
    help="npy: uint8, shape (solutions, cells); csv: one column a cell.",
)
@output_option
@order_option
@about_puzzles()
def enumerate_(
    given: Given,
    limit: int | None,
    form: str,
    output: str | None,
    order: str,
) -> None:
    """Write the solutions, streaming; several puzzles' solutions follow one another.

    The solutions of one puzzle come in lexicographic order along the order in which the diagram
    reads the cells; with --order rows that is the plain order of the lines.
    """
    from bddsudoku.solver import write_solutions

    if output == "-":
        output = None
    if form == "npy" and output is None and sys.stdout.isatty():
        fail("npy is binary: name a file with --output, or redirect", 2)
    if given.as_json and form != "line":
        raise click.UsageError("--json writes lines of JSON; leave --format out")
    # A diagram in an order that is named is made for every puzzle, and npy holds one.
    one_by_one = form == "npy" or limit == 0 or order != "auto"
    with progress_bar("solutions", unit="solution") as progress:
        write_solutions(
            given.records() if one_by_one else given.groups(),
            output,
            "json" if given.as_json else form,
            limit=limit,
            order=order,
            context=given.context.reporting(progress),
            unsolvable=tell_clashes,
        )
