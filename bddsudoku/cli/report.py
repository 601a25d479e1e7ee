"""``bddsudoku report``: one self-contained page."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from bddsudoku.cli.common import (
    command,
    layout_option,
    memory_option,
    note,
    one_subject,
    progress_bar,
    puzzle_argument,
    tell_clashes,
    time_option,
)

if TYPE_CHECKING:
    from bddsudoku.puzzle.sudoku.grid import Layout

__all__ = ["report"]


@click.command()
@puzzle_argument
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False),
    required=True,
    help="The page, e.g. report.html.",
)
@layout_option
@memory_option("4GiB")
@time_option("5")
@command
def report(
    puzzle: str, output: str, layout: Layout | None, max_memory: int, time_limit: float
) -> None:
    """Write one self-contained HTML page: the puzzle, all answers about it, pictures, tables.

    The limits hold for every engine's run by itself; a run that reaches one shows ×.
    """
    from bddsudoku.report.html import page
    from bddsudoku.report.plots import plot_marginals, plot_profiles, plot_steps
    from bddsudoku.solver import Budget, page_parts

    subject = one_subject(puzzle, layout)
    tell_clashes(subject.puzzle)
    with progress_bar("reporting") as progress:
        sections, analysis, made = page_parts(
            subject, Budget(max_memory, time_limit), lambda title: progress
        )
    figures = []
    runs = sections["procedures"]["runs"]
    steps = {f"procedure {run['procedure']}": run["steps"] for run in runs}
    stopped = [f"procedure {run['procedure']}" for run in runs if run["limit"]]
    figures.append(
        (
            "procedures",
            "Nodes of the BDD after every constraint; a cross where a limit ended the run",
            plot_steps(steps, stopped=stopped),
        )
    )
    if analysis.solved is not None and (found := analysis.solved.solutions).count():
        caption = "Shares of the digits in every cell over all solutions; the colour is the entropy"
        figures.append(("cells", caption, plot_marginals(subject.puzzle, found.marginals())))
        if hasattr(found, "diagram"):
            widths = {f"order {analysis.solved.order}": found.diagram.profile()}
            caption = "Nodes of the diagram at every variable"
            figures.append(("solutions", caption, plot_profiles(widths)))
    Path(output).write_text(page(subject.puzzle, sections, figures, made=made), encoding="utf-8")
    note(f"report written to {output}")
