"""``bddsudoku report``: one self-contained page."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from bddsudoku.cli.common import (
    EXIT_LIMIT,
    command,
    fail,
    layout_option,
    limit_options,
    note,
    one_subject,
    progress_bar,
    puzzle_argument,
    tell_clashes,
)
from bddsudoku.cli.outputs import opened, target_option

if TYPE_CHECKING:
    from bddsudoku.limits import Limits
    from bddsudoku.puzzle.sudoku.grid import Layout

__all__ = ["report"]

EACH = 5.0
"""Seconds for one run where no time limit is given."""


@click.command()
@puzzle_argument
@target_option("-o", "--output", what="The page, e.g. report.html.", stream=True, required=True)
@click.option(
    "--allocation",
    type=click.Choice(["paper", "candidates", "singles"]),
    default="candidates",
    show_default=True,
    help="Variables for the paper's procedures.",
)
@layout_option
@limit_options("4GiB")
@command
def report(
    puzzle: str,
    output: str,
    allocation: str,
    layout: Layout | None,
    limits: Limits,
) -> None:
    """Write one self-contained HTML page: the puzzle, all answers about it, pictures, tables.

    Every engine's run (procedures, cross-check) may take a share of the time that is left, five
    seconds without a time limit, all hints' removals together four times as long; what reaches
    that shows ×, and the page says so. The set of solutions itself takes the time it takes:
    about a second for 9x9 with 8 hints or more.
    """
    from bddsudoku.errors import BackendUnavailable
    from bddsudoku.puzzle.sudoku.allocation import Allocation
    from bddsudoku.report.formats import require_matplotlib
    from bddsudoku.report.html import page
    from bddsudoku.solver import Budget, page_parts

    subject = one_subject(puzzle, layout)
    tell_clashes(subject.puzzle)
    without = ""
    try:
        require_matplotlib()
    except BackendUnavailable as error:
        without = str(error)
        note(f"no pictures in this report: {without}")
    with progress_bar("reporting") as progress:
        parts = page_parts(
            subject,
            Budget(limits, EACH if limits.seconds is None else None),
            lambda title: progress,
            allocation=Allocation(allocation),
        )
    pictures = []
    made = parts.made
    if without:
        made = (*made, f"No pictures: {without}")
    else:
        from bddsudoku.report.figures import page_pictures

        pictures = page_pictures(subject.puzzle, parts.sections, parts.marginals, parts.profiles)
    text = page(subject.puzzle, parts.sections, pictures, made=made)
    with opened(output) as target:
        target.write(text)
    note(f"report written to {output} ({len(text.encode()) / 1024:,.0f} KiB)")
    if parts.sections["check"]["agree"] is False:
        fail("the engines disagree; see the cross-check in the report")
    if parts.sections["solutions"]["count"] is None:
        raise SystemExit(EXIT_LIMIT)
