"""``bddsudoku analyse``: the main job."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from bddsudoku.cli.common import (
    AT_MOST,
    emit_json,
    fail,
    note,
    progress_bar,
)
from bddsudoku.cli.entry import EXIT_LIMIT
from bddsudoku.cli.outputs import plot_option
from bddsudoku.cli.puzzles import Given, about_puzzles, head, puzzle_argument


@click.command()
@puzzle_argument
@click.option(
    "--first",
    type=AT_MOST,
    default=3,
    show_default=True,
    help="How many solutions to show.",
)
@click.option("--hints/--no-hints", default=True, help="Also what every hint contributes.")
@plot_option("The procedures' node counts")
@about_puzzles("4GiB")
def analyse(given: Given, first: int, hints: bool, plot: str | None) -> None:
    """Everything worth knowing about a puzzle, as a readable report.

    The puzzle and its variables under each allocation; the paper's three procedures side by side
    (× where a limit ended one); the exact number of solutions, the first of them, what they have
    in common, what every hint contributes; and the cross-check of all engines. Every run may take
    a share of the time that is left, half a minute without a time limit.
    """
    from bddsudoku.report.text import section_text
    from bddsudoku.solver import Analysis, Budget

    bad, stopped = False, ""
    for number, subject in enumerate(given.records(plot)):
        if number and not given.as_json:
            click.echo("\n" + "=" * 72 + "\n")
        sections = {}
        with progress_bar("analysing") as progress:
            analysis = Analysis(
                subject, Budget(given.context, given.each()), lambda title: progress
            )
            for name, section in analysis.sections(first, hints=hints):
                sections[name] = section
                if not given.as_json:
                    click.echo(section_text(name, section, subject.puzzle) + "\n")
        if given.as_json:
            solutions = sections["solutions"]
            emit_json(
                head(subject)
                | {
                    "count": solutions["count"],
                    "exact": solutions["count"] is not None,
                    "engine": solutions.get("engine"),
                    "seconds": solutions.get("seconds"),
                    "sections": sections,
                }
            )
        if plot is not None and "procedures" in sections:
            _plot(sections["procedures"], plot)
        bad = bad or sections["check"]["agree"] is False
        stopped = stopped or sections["solutions"].get("limit", "")
    if bad:
        fail("the engines disagree")
    if given.context.expired:
        stopped = stopped or str(given.context.reached())
    if stopped:
        fail(stopped, EXIT_LIMIT)


def _plot(procedures: Mapping[str, Any], path: str) -> None:
    from bddsudoku.report.figures import steps_figure
    from bddsudoku.report.plots import save

    save(steps_figure(procedures), path)
    note(f"picture written to {path}")
