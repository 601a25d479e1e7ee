"""``bddsudoku report``: one self-contained page."""

from __future__ import annotations

from math import inf
from time import monotonic

import click

from bddsudoku.cli.common import fail, note, progress_bar
from bddsudoku.cli.entry import EXIT_LIMIT, deadline
from bddsudoku.cli.outputs import opened, target_option
from bddsudoku.cli.puzzles import Given, about_puzzles, puzzle_argument

_WRITING = 3.0
"""Seconds of a time limit that are left for the page itself, a quarter of it at most."""
_DRAWING = 2.0
"""Seconds that must be left for plots: matplotlib takes half of them to load."""


@click.command()
@puzzle_argument
@target_option("-o", "--output", what="The page, e.g. report.html, instead of stdout.", stream=True)
@click.option(
    "--allocation",
    type=click.Choice(["paper", "candidates", "singles"]),
    default="candidates",
    show_default=True,
    help="Variables for the paper's procedures.",
)
@about_puzzles("4GiB", json=False)
def report(given: Given, output: str | None, allocation: str) -> None:
    """Write one self-contained HTML page: the puzzle, all answers about it, pictures, tables.

    Every engine's run (procedures, cross-check) may take a share of the time that is left, five
    seconds without a time limit, all hints' removals together four times as long; what reaches
    that shows ×, and the page says so. The set of solutions itself takes the time it takes:
    about a second for 9x9 with 8 hints or more. What a time limit leaves open is named on the
    page, which is written all the same (exit code 3).
    """
    from bddsudoku.errors import BackendUnavailable
    from bddsudoku.explore.embedded import live_board
    from bddsudoku.puzzle.sudoku.allocation import Allocation
    from bddsudoku.report.figures import page_pictures
    from bddsudoku.report.formats import require_matplotlib
    from bddsudoku.report.html import page
    from bddsudoku.solver import Budget, page_parts

    subject = given.one_record()
    inner = given.context.sooner(_WRITING)
    without = ""
    try:
        require_matplotlib()
    except BackendUnavailable as error:
        without = str(error)
        note(f"no plots in this report: {without}")
    with progress_bar("reporting") as progress, deadline(inner):
        parts = page_parts(
            subject,
            Budget(inner, given.each(5.0)),
            lambda title: progress,
            allocation=Allocation(allocation),
        )
    sections = parts.sections

    def written(without: str) -> str:
        live = ""
        if parts.marginals is not None:
            removals = [row["count"] for row in sections["hints"].get("without", ())]
            counts = dict(zip(subject.puzzle.hints, removals, strict=bool(removals)))
            live = live_board(subject.puzzle, parts.marginals, counts)
        made = (*parts.made, f"No plots: {without}") if without else parts.made
        pictures = page_pictures(
            subject.puzzle, sections, parts.marginals, parts.profiles, plots=not without
        )
        return page(subject.puzzle, sections, pictures, made=made, live=live)

    left = inf if given.context.deadline is None else given.context.deadline - monotonic()
    late = str(given.context.reached()) if not without and left < _DRAWING else ""
    try:
        text = written(without or late)
    except Exception:
        if not given.context.expired:
            raise
        late = str(given.context.reached())  # the alarm has rung, and does so once
        text = written(late)
    with opened(output) as target:
        target.write(text)
    place = "standard output" if output in (None, "-") else output
    note(f"report written to {place} ({len(text.encode()) / 1024:,.0f} KiB)")
    if sections["check"].get("agree") is False:
        fail("the engines disagree; see the cross-check in the report")
    context = [found["limit"] for found in sections.values() if "limit" in found]
    if context or late or inner.expired:
        stopped = next(iter(context), str(inner.reached()))
        fail(f"{stopped}; the report says what stayed open", EXIT_LIMIT)
