"""Which pictures go with which section of an analysis."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from bddsudoku.puzzle.sudoku.grid import Puzzle
from bddsudoku.report.html_parts import Picture
from bddsudoku.report.plots import plot_marginals, plot_profiles, plot_steps

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["page_pictures", "steps_figure"]


def steps_figure(procedures: Mapping[str, Any]) -> Figure:
    """The section ``procedures`` as a picture: nodes after every conjunction."""
    runs = {f"procedure {run['procedure']}": run["steps"] for run in procedures["runs"]}
    stopped = [f"procedure {run['procedure']}" for run in procedures["runs"] if run["limit"]]
    return plot_steps(runs, stopped=stopped)


def page_pictures(
    puzzle: Puzzle,
    sections: Mapping[str, Any],
    counts: NDArray[Any] | None = None,
    profiles: Mapping[str, NDArray[Any]] | None = None,
) -> list[Picture]:
    """The pictures of a page; none that would only repeat a single solution.

    Args:
        puzzle: the puzzle.
        sections: of the analysis.
        counts: marginals, where there is a solution.
        profiles: nodes at every level by name of the order, where there is a diagram.

    Raises:
        BackendUnavailable: matplotlib is not installed.
    """
    out = []
    if profiles and max(int(widths.max()) for widths in profiles.values()) > 1:
        out.append(
            Picture(
                "solutions",
                "Width of the diagram, variable by variable",
                "Nodes of the diagram at every variable, from its root down.",
                plot_profiles(profiles),
            )
        )
    if counts is not None and int(counts[0, 0].sum()) > 1:
        out.append(
            Picture(
                "cells",
                "Heat map: which digits the solutions have in every cell",
                "Digits in every cell over all solutions, the larger the more solutions have them; "
                "the darker a cell, the less is known about it (entropy).",
                plot_marginals(puzzle, counts),
            )
        )
    if "procedures" in sections and any(run["steps"] for run in sections["procedures"]["runs"]):
        out.append(
            Picture(
                "procedures",
                "Size of the BDD after every constraint, procedure by procedure",
                "Nodes of the BDD after every constraint; a cross where a limit ended the run.",
                steps_figure(sections["procedures"]),
            )
        )
    return out
