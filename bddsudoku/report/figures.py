"""Which pictures go with which section of an analysis."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from bddsudoku.puzzle.sudoku.grid import Puzzle
from bddsudoku.puzzle.sudoku.svg import board_svg
from bddsudoku.report.html_parts import Picture
from bddsudoku.report.plots import plot_profiles, plot_steps
from bddsudoku.report.tables import counted_words

if TYPE_CHECKING:
    from matplotlib.figure import Figure


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
    *,
    plots: bool = True,
) -> list[Picture]:
    """The pictures of a page; none that would only repeat a single solution.

    Args:
        puzzle: the puzzle.
        sections: of the analysis.
        counts: marginals, where there is a solution.
        profiles: nodes at every level by name of the order, where there is a diagram.
        plots: whether matplotlib may be used; boards need none.

    Raises:
        BackendUnavailable: matplotlib is to be used and is not installed.
    """
    out = []
    if plots and profiles and max(int(widths.max()) for widths in profiles.values()) > 1:
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
                "Which digits the solutions have in every cell",
                "Digits in every cell over all solutions, the larger the more solutions have them; "
                "the more a cell is coloured, the less is known about it (entropy). The numbers "
                "come up where the pointer rests on a cell.",
                _shares(puzzle, counts),
            )
        )
    if plots and any(run["steps"] for run in sections.get("procedures", {}).get("runs", ())):
        out.append(
            Picture(
                "procedures",
                "Size of the BDD after every constraint, procedure by procedure",
                "Nodes of the BDD after every constraint; a cross where a limit ended the run.",
                steps_figure(sections["procedures"]),
            )
        )
    return out


def _shares(puzzle: Puzzle, counts: NDArray[Any]) -> str:
    """The board with the digits of its solutions; pencil marks in none of them are struck out."""
    shares = counts.reshape(-1, puzzle.n).tolist()
    struck = None
    if puzzle.candidates is not None:
        struck = [
            mask & ~sum(1 << d for d, k in enumerate(cell) if k)
            for mask, cell in zip(puzzle.candidates, shares, strict=True)
        ]
    title = f"The digits of {counted_words(sum(shares[0]))}"
    return board_svg(puzzle, shares=shares, struck=struck, title=title)
