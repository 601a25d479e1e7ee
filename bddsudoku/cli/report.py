"""``bddsudoku report``: one self-contained page."""

from __future__ import annotations

import click

from bddsudoku.cli.common import EXIT_LIMIT, fail, note, progress_bar
from bddsudoku.cli.outputs import opened, target_option
from bddsudoku.cli.puzzles import Given, about_puzzles, puzzle_argument

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
@about_puzzles("4GiB", json=False)
def report(given: Given, output: str, allocation: str) -> None:
    """Write one self-contained HTML page: the puzzle, all answers about it, pictures, tables.

    Every engine's run (procedures, cross-check) may take a share of the time that is left, five
    seconds without a time limit, all hints' removals together four times as long; what reaches
    that shows ×, and the page says so. The set of solutions itself takes the time it takes:
    about a second for 9x9 with 8 hints or more.
    """
    from bddsudoku.errors import BackendUnavailable
    from bddsudoku.explore.embedded import live_board
    from bddsudoku.puzzle.sudoku.allocation import Allocation
    from bddsudoku.report.figures import page_pictures
    from bddsudoku.report.formats import require_matplotlib
    from bddsudoku.report.html import page
    from bddsudoku.solver import Budget, page_parts

    subject = given.one_subject()
    without = ""
    try:
        require_matplotlib()
    except BackendUnavailable as error:
        without = str(error)
        note(f"no plots in this report: {without}")
    with progress_bar("reporting") as progress:
        parts = page_parts(
            subject,
            Budget(given.limits, given.each(5.0)),
            lambda title: progress,
            allocation=Allocation(allocation),
        )
    made = (*parts.made, f"No plots: {without}") if without else parts.made
    pictures = page_pictures(
        subject.puzzle, parts.sections, parts.marginals, parts.profiles, plots=not without
    )
    live = ""
    if parts.marginals is not None:
        removals = [row["count"] for row in parts.sections["hints"].get("without", ())]
        counts = dict(zip(subject.puzzle.hints, removals, strict=bool(removals)))
        live = live_board(subject.puzzle, parts.marginals, counts)
    text = page(subject.puzzle, parts.sections, pictures, made=made, live=live)
    with opened(output) as target:
        target.write(text)
    note(f"report written to {output} ({len(text.encode()) / 1024:,.0f} KiB)")
    if parts.sections["check"]["agree"] is False:
        fail("the engines disagree; see the cross-check in the report")
    if parts.sections["solutions"]["count"] is None:
        raise SystemExit(EXIT_LIMIT)
