"""``bddsudoku enumerate``."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from bddsudoku.cli.common import (
    AT_MOST,
    command,
    fail,
    json_option,
    layout_option,
    limit_options,
    order_option,
    progress_bar,
    puzzle_argument,
    tell_clashes,
)
from bddsudoku.cli.outputs import target_option

if TYPE_CHECKING:
    from bddsudoku.limits import Limits
    from bddsudoku.puzzle.sudoku.grid import Layout

__all__ = ["enumerate_"]


@click.command("enumerate")
@puzzle_argument
@click.option("--limit", type=AT_MOST, default=None, help="Stop after N solutions.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["line", "grid", "csv", "npy"]),
    default="line",
    show_default=True,
    help="npy: uint8, shape (solutions, cells); csv: one column a cell.",
)
@target_option("--output", what="A file instead of stdout.", stream=True)
@order_option
@layout_option
@limit_options()
@json_option
@command
def enumerate_(
    puzzle: str,
    limit: int | None,
    form: str,
    output: str | None,
    order: str,
    layout: Layout | None,
    limits: Limits,
    as_json: bool,
) -> None:
    """Write the solutions, streaming; several puzzles' solutions follow one another.

    The solutions of one puzzle come in lexicographic order along the order in which the diagram
    reads the cells; with --order rows that is the plain order of the lines.
    """
    from bddsudoku.solver import subjects, write_solutions

    if output == "-":
        output = None
    if form == "npy" and output is None and sys.stdout.isatty():
        fail("npy is binary: name a file with --output, or redirect", 2)
    if as_json and form != "line":
        raise click.UsageError("--json writes lines of JSON; leave --format out")
    with progress_bar("solutions", unit="solution") as progress:
        write_solutions(
            subjects(puzzle, layout),
            output,
            "json" if as_json else form,
            limit=limit,
            order=order,
            limits=limits,
            progress=progress,
            on_puzzle=lambda subject: tell_clashes(subject.puzzle),
        )
