"""``bddsudoku report``: one self-contained page."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from bddsudoku.cli.common import (
    EXIT_LIMIT,
    command,
    fail,
    layout_option,
    memory_option,
    note,
    one_subject,
    progress_bar,
    puzzle_argument,
    tell_clashes,
    time_option,
)
from bddsudoku.cli.outputs import opened, target_option

if TYPE_CHECKING:
    from bddsudoku.puzzle.sudoku.grid import Layout

__all__ = ["report"]


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
@memory_option("4GiB")
@time_option("5")
@command
def report(
    puzzle: str,
    output: str,
    allocation: str,
    layout: Layout | None,
    max_memory: int,
    time_limit: float,
) -> None:
    """Write one self-contained HTML page: the puzzle, all answers about it, pictures, tables.

    The limits hold for every engine's run by itself (procedures, cross-check) and four times
    over for all hints' removals together; what reaches one shows ×, and the page says so. The
    set of solutions itself takes the time it takes: about a second for 9x9 with 8 hints or more.
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
            Budget(max_memory, time_limit),
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
